# A plugin manager and plugins of the usual kinds, with the configuration that names them.
. "$(dirname "$0")/waits.sh"
plugins=$HOME/.tmux/plugins
mkdir -p "$plugins/sensible" "$plugins/battery" "$plugins/yank" "$plugins/manager"
cat >"$plugins/manager/run" <<'X'
#!/bin/sh
# Sources each plugin that the configuration names.
path=$(tmux show-environment -g PLUGINS | cut -d= -f2-)
tmux bind-key I run-shell "$path/manager/run"
sed -n "s/^ *set *-g *@plugin *'\(.*\)'.*/\1/p" "$HOME/.tmux.conf" | while read -r name; do
  for file in "$path/$name"/*.tmux; do "$file" >/dev/null 2>&1; done
done
tmux set-option -g @managed yes
X
cat >"$plugins/sensible/sensible.tmux" <<'X'
#!/bin/sh
is() { [ "$(tmux show-option -gv "$1")" = "$2" ]; }
bound() { tmux list-keys | grep -q "bind-key[[:space:]]\+\(-r[[:space:]]\+\)\?\(-T prefix[[:space:]]\+\)\?$1[[:space:]]\+"; }
[ "$(tmux show-option -sv escape-time)" = 500 ] && tmux set-option -s escape-time 0
is history-limit 2000 && tmux set-option -g history-limit 50000
is display-time 750 && tmux set-option -g display-time 4000
is status-interval 15 && tmux set-option -g status-interval 5
tmux set-option -g status-keys emacs
tmux set-window-option -g aggressive-resize on
bound C-p || tmux bind-key C-p previous-window
bound R || tmux bind-key R run-shell 'tmux source-file ~/.tmux.conf >/dev/null; tmux display-message "Sourced .tmux.conf!"'
bound z || tmux bind-key z display-message never
X
cat >"$plugins/battery/battery.tmux" <<'X'
#!/bin/sh
here=$(dirname "$0")
for option in status-right status-left; do
  value=$(tmux show-option -gqv "$option")
  tmux set-option -gq "$option" "$(printf '%s' "$value" | sed "s|#{battery}|#($here/percent.sh)|; s|#{prefix}|#{?client_prefix,#[fg=red]^B#[default],}|")"
done
X
printf '#!/bin/sh\necho 80%%\n' >"$plugins/battery/percent.sh"
cat >"$plugins/yank/yank.tmux" <<'X'
#!/bin/sh
key=$(tmux show-option -gqv @yank-key)
for table in copy-mode copy-mode-vi; do
  tmux bind-key -T "$table" "${key:-y}" send-keys -X copy-pipe-and-cancel "cat >$HOME/yanked"
  tmux bind-key -T "$table" '!' send-keys -X copy-pipe-and-cancel "tr -d '\n' | cat >$HOME/yanked"
  tmux bind-key -T "$table" MouseDragEnd1Pane send-keys -X copy-pipe-and-cancel cat
done
tmux bind-key Y run-shell -b "tmux display-message -p '#{pane_current_path}' | tmux load-buffer -"
X
chmod +x "$plugins"/*/*
cat >"$HOME/.tmux.conf" <<'X'
set -g @plugin 'sensible'
set -g @plugin 'battery'
set -g @plugin 'yank'
set -g @yank-key 'u'
set -g status-right '#{prefix} | #{battery} | %H:%M'
set-environment -g PLUGINS "$HOME/.tmux/plugins"
run '$PLUGINS/manager/run'
X
tmux source-file "$HOME/.tmux.conf"
comes yes tmux show-option -gqv @managed
for option in history-limit display-time status-interval status-keys status-right; do tmux show-option -g $option; done
tmux show-option -s escape-time
tmux list-keys -T prefix | grep -E ' (C-p|R|I|Y|z) '
tmux list-keys -T copy-mode-vi | grep -E ' (u|!|MouseDragEnd1Pane) '
tmux setw -g mode-keys vi
tmux new-session -d -s text -x 80 -y 24 "printf 'alpha beta\ngamma delta\n'; exec cat"
shows text: 'gamma delta'
tmux copy-mode -t text:
tmux send-keys -t text: -X history-top
tmux send-keys -t text: -X begin-selection
tmux send-keys -t text: -X -N 4 cursor-right
tmux send-keys -t text: u
comes alpha cat "$HOME/yanked"
tmux list-buffers -F '#{buffer_sample}'
tmux copy-mode -t text:
tmux send-keys -t text: -X search-backward 'g.m'
tmux send-keys -t text: -X select-line
tmux send-keys -t text: !
comes 'gamma delta' cat "$HOME/yanked"
tmux copy-mode -t text:
tmux send-keys -t text: -X history-top
tmux send-keys -t text: -X select-word
tmux send-keys -t text: -X append-selection-and-cancel
tmux show-buffer
echo
