"""Drives a server through libtmux and prints what it finds, for comparison of tmux and mplex."""
import sys

import libtmux

server = libtmux.Server(socket_path=sys.argv[1])


def show(what, value):
    print(f"{what}: {value}")


session = server.new_session(session_name="lib", window_name="first", window_command="cat", x=90, y=30)
show("has", server.has_session("lib"))
show("lacks", server.has_session("nothing"))
show("sessions", [s.session_name for s in server.sessions])
show("size", (session.attached_window.window_width, session.attached_window.window_height))

second = session.new_window(window_name="second", attach=False, window_shell="cat")
show("windows", [(w.window_index, w.window_name) for w in session.windows])
pane = second.split_window(attach=False, vertical=False, shell="cat")
show("panes", [(p.pane_index, p.pane_width, p.pane_height, p.pane_active) for p in second.panes])
pane.send_keys("typed by libtmux", enter=True)
for _ in range(200):
    if sum("typed by libtmux" in line for line in pane.capture_pane()) >= 2:
        break
show("captured", [line for line in pane.capture_pane() if line])
pane.select_pane()
second.select_window()
show("active", session.attached_window.window_name)
second.rename_window("renamed")
show("renamed", [w.window_name for w in session.windows])
second.select_layout("even-vertical")
show("layout", second.window_layout)
pane.resize_pane(height=10)
show("height", second.panes[1].pane_height)

show("option set", session.set_option("status", "off") is session)
show("option", session.show_option("status"))
show("options", session.show_options())
second.set_window_option("main-pane-height", 12)
show("window option", second.show_window_option("main-pane-height"))
show("server option", server.cmd("show-options", "-sv", "escape-time").stdout)
try:
    session.set_option("nonexistent-option", 1)
except libtmux.exc.OptionError as error:
    show("bad option", (type(error).__name__, error.args))
session.set_environment("FROM", "libtmux")
show("environment", session.getenv("FROM"))
session.unset_environment("FROM")

server.cmd("set-hook", "-g", "after-new-window", "set-option -g @hooked yes")
third = session.new_window(window_name="third", window_shell="cat")
show("hook", server.cmd("show-options", "-gv", "@hooked").stdout)
third.move_window(destination="9")
show("moved", [(w.window_index, w.window_name) for w in session.windows])
third.kill_window()
pane.cmd("kill-pane")
show("left", [(w.window_name, len(w.panes)) for w in session.windows])
other = server.new_session(session_name="other", window_command="cat")
session.rename_session("lib2")
show("names", sorted(s.session_name for s in server.sessions))
other.kill_session()
try:
    server.new_session(session_name="lib2")
except libtmux.exc.LibTmuxException as error:
    show("duplicate", type(error).__name__)
session.kill_session()
