"""Calls every public method of libtmux's Server, Session, Window and Pane and prints what it gives, for comparison of tmux and mplex."""
import functools
import inspect
import sys
import time
import warnings

import libtmux
from libtmux import common, pane as pane_module, server as server_module, session as session_module, window as window_module

warnings.simplefilter("ignore")
CLASSES = [server_module.Server, session_module.Session, window_module.Window, pane_module.Pane, common.EnvironmentMixin]
# What differs from run to run, or needs a terminal.
VOLATILE = ("current", "pid", "tty", "created", "activity", "attached", "time", "socket", "server", "version", "history_bytes", "uid", "user", "host", "config")
WITHOUT_TERMINAL = {"attach_session", "switch_client"}
public = set()
called = set()


def record(owner, name, function):
    public.add(f"{owner}.{name}")

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        called.add(f"{owner}.{name}")
        return function(*args, **kwargs)

    return wrapper


for cls in CLASSES:
    for name, member in list(vars(cls).items()):
        if name.startswith("_") or isinstance(member, (classmethod, staticmethod)):
            continue
        if inspect.isfunction(member):
            setattr(cls, name, record(cls.__name__, name, member))
        elif isinstance(member, property):
            setattr(cls, name, property(record(cls.__name__, name, member.fget)))


def plain(value):
    if isinstance(value, (session_module.Session, window_module.Window, pane_module.Pane)):
        return f"{type(value).__name__}({getattr(value, 'session_name', '')}:{getattr(value, 'window_index', '')}.{getattr(value, 'pane_index', '')})"
    if isinstance(value, server_module.Server):
        return "Server"
    if isinstance(value, common.tmux_cmd):
        return (value.stdout, value.stderr)
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return value


def show(what, action):
    try:
        print(what, plain(action()))
    except Exception as error:  # What it raises is what it answers.
        print(what, type(error).__name__, str(error).split(", {")[0])


def fields(thing):
    found = vars(thing)
    return {key: found[key] for key in sorted(found) if found[key] is not None and not any(word in key for word in VOLATILE)}


server = libtmux.Server(socket_path=sys.argv[1])
show("alive", server.is_alive)
show("raise", server.raise_if_dead)
session = server.new_session("api", window_name="first", window_command="cat", x=100, y=30, start_directory="/")
show("fields of a session", lambda: fields(session))
show("again", lambda: server.new_session("api"))
show("killed first", lambda: server.new_session("api", kill_session=True, window_command="cat", x=100, y=30))
session = server.sessions.get(session_name="api")
show("bad name", lambda: server.new_session("a.b"))
show("bad name", lambda: server.has_session("a:b"))
show("has", lambda: [server.has_session("api"), server.has_session("ap"), server.has_session("ap", exact=False), server.has_session("none")])
show("lists", lambda: [server.sessions, server.windows, server.panes, server.list_sessions(), server.children, server.attached_sessions])
show("by id", lambda: [server.get_by_id(session.id), server.get_by_id("$99"), server.where({"session_name": "api"}), server.find_where({"session_name": "x"})])
show("refresh", session.refresh)
show("from id", lambda: session_module.Session.from_session_id(server, session.session_id))
show("from no id", lambda: session_module.Session.from_session_id(server, "$99"))
show("session", lambda: [session.id, session.name, session.get("session_name"), session["session_id"] == session.id])

second = session.new_window("second", attach=False, window_shell="cat", start_directory="/usr")
third = session.new_window("third", window_index="7", window_shell="cat", environment={"A": "b"})
show("index in use", lambda: session.new_window("fourth", window_index="7"))
show("windows", lambda: [session.windows, session.list_windows(), session.children, session.panes])
show("find", lambda: [session.get_by_id(second.id), session.where({"window_name": "second"}), session.find_where({"window_name": "none"})])
show("attached", lambda: [session.attached_window, session.attached_pane])
show("select", lambda: [session.select_window("second"), session.select_window(7), session.attached_window])
show("select none", lambda: session.select_window("none"))
show("fields of a window", lambda: fields(second))
show("window", lambda: [second.id, second.name, second.index, second.width, second.height, second.get("window_name"), second.session])
show("window from id", lambda: window_module.Window.from_window_id(server, second.window_id))

show("set", lambda: session.set_option("status", False))
show("set", lambda: session.set_option("status-left", "x y"))
show("set", lambda: session.set_option("default-shell", "/bin/sh", _global=True))
show("shown", lambda: [session.show_option("status"), session.show_option("status-left"), session.show_option("none-such"), session.show_option("base-index")])
show("shown", lambda: session.show_option("base-index", _global=True))
show("all", session.show_options)
show("bad", lambda: session.set_option("nothing-such", 1))
show("ambiguous", lambda: session.set_option("status-l", 1))
show("bad value", lambda: session.set_option("status-interval", "many"))
show("of a window", lambda: [second.set_window_option("main-pane-height", 12), second.show_window_option("main-pane-height"), second.show_window_options()])
show("of all", lambda: sorted(second.show_window_options(g=True))[:12])
show("global", lambda: second.show_window_option("mode-keys", g=True))
show("bad", lambda: second.set_window_option("nothing-such", 1))
show("bad", lambda: second.show_window_option("nothing-such"))

show("environment", lambda: [session.set_environment("FROM", "a b=c"), session.getenv("FROM"), session.getenv("NONE")])
show("environment", lambda: [session.remove_environment("FROM"), session.getenv("FROM"), session.unset_environment("FROM"), session.getenv("FROM")])
show("environment", lambda: {key: value for key, value in session.show_environment().items() if key in ("A", "DISPLAY")})
show("bad", lambda: session.set_environment("", "x"))
show("server's", lambda: [server.set_environment("G", "1"), server.getenv("G"), server.unset_environment("G")])

side = second.split_window(attach=False, vertical=False, shell="cat", percent=30, start_directory="/")
low = second.split_window(target=side.id, shell="cat", environment={"C": "d"})
show("panes", lambda: [second.panes, second.list_panes(), second.children, second.attached_pane])
show("sizes", lambda: [(each.id, each.index, each.width, each.height, each.pane_active, each.pane_start_path) for each in second.panes])
show("find", lambda: [second.get_by_id(side.id), second.where({"pane_id": side.id}), second.find_where({"pane_id": "%99"})])
show("too small", lambda: [second.split_window(target=low.id, shell="cat") for _ in range(8)])
show("select", lambda: [second.select_pane(side.id), second.select_pane("-L"), second.select_pane("-U"), second.last_pane()])
show("select none", lambda: second.select_pane("%99"))
show("layouts", lambda: [second.select_layout("tiled").window_layout, second.select_layout("main-vertical").window_layout, second.select_layout().window_layout])
show("bad layout", lambda: second.select_layout("0000,80x24,0,0,0"))
show("fields of a pane", lambda: fields(side))
show("pane", lambda: [side.id, side.index, side.width, side.height, side.get("pane_title"), side.window, side.session])
show("pane from id", lambda: pane_module.Pane.from_pane_id(server, side.pane_id))
for what in (lambda: side.set_width(40), lambda: side.set_height(9), lambda: side.resize_pane(height=8), lambda: side.resize_pane("-L", 2)):
    show("sizes", lambda: [what() is side, side.cmd("display-message", "-p", "#{pane_width}x#{pane_height} #{window_layout}").stdout])
show("bad size", lambda: side.resize_pane("-Q"))
side.send_keys("some words", enter=True)
side.send_keys("C-a literal", enter=False, literal=True)
side.enter()
for _ in range(200):
    if sum("literal" in line for line in side.capture_pane()) >= 2:
        break
    time.sleep(0.02)
show("captured", lambda: [side.capture_pane(), side.capture_pane(start=0, end=1), side.capture_pane(start="-", end="-")])
show("message", lambda: [side.display_message("#{pane_index} #{window_name}", get_text=True), side.display_message("x", get_text=False)])
show("suppressed", lambda: side.send_keys("hidden", suppress_history=True))
show("pane's", lambda: [side.select_pane(), side.split_window(vertical=False).pane_index])
show("pane's", lambda: [side.clear() is side, side.reset() is side, side.refresh()])
show("cmd", lambda: [server.cmd("display-message", "-p", "x"), session.cmd("list-windows", "-F", "#W"), second.cmd("list-panes", "-F", "#P"), side.cmd("display-message", "-p", "#P")])
show("cmd", lambda: [server.cmd("nothing"), session.cmd("rename-window"), second.cmd("select-layout", "-Q"), server.cmd("list-panes", "-t", "%99")])

show("rename", lambda: [second.rename_window("new; name").window_name, second.rename_window("'quoted'").window_name])
show("move", lambda: [second.move_window("12").window_index, second.move_window().window_index, second.select_window()])
show("move to one in use", lambda: second.move_window("7"))
show("rename", lambda: [session.rename_session("api2").session_name, session.rename_session("api").session_name])
show("bad", lambda: session.rename_session("a:b"))
for name in sorted(WITHOUT_TERMINAL):
    show(name, getattr(session, name))
    show(name, lambda: getattr(server, name)("api"))
show("kill", lambda: [third.kill_window(), session.kill_window("none"), session.kill_window(second.window_id)])
show("kill", lambda: session.kill_window(second.window_id))
show("gone", lambda: session.windows)
show("gone", third.refresh)
other = server.new_session("other", window_command="cat")
show("kill", lambda: [other.kill_session(), server.has_session("other"), server.kill_session("none")])
show("kill", lambda: [server.kill_session("api") if server.has_session("api") else None, server.sessions])
show("end", server.kill_server)
show("dead", lambda: [server.is_alive(), server.sessions])
show("not called", lambda: sorted(public - called))
