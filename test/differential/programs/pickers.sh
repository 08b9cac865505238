# What marks text in a hidden window, swaps it in, and what goes from session to session.
. "$(dirname "$0")/waits.sh"
tmux new-session -d -s x -n w -x 100 -y 29 "printf '/usr/bin/env\nabc 127.0.0.1 deadbeef12\n'; exec cat"
tmux split-window -h -t x cat
tmux select-pane -t x:w.0
pane=$(tmux display-message -p -t x:w.0 '#{pane_id}')
shows "$pane" deadbeef
tmux display-message -p -t "$pane" '#{pane_id}:#{pane_in_mode}:#{scroll_position}:#{pane_height}:#{window_zoomed_flag}'
width=$(tmux display-message -p -t "$pane" '#{pane_width}')
height=$(tmux display-message -p -t "$pane" '#{pane_height}')
shown=$(tmux new-window -P -d -F '#{pane_id}' -t x: -n '[pick]' -c / cat)
tmux resize-window -t "$shown" -x "$width" -y "$height"
tmux capture-pane -J -p -e -t "$pane" | head -2
list() { tmux list-panes -s -t x -F '#{window_index}.#{pane_index} #{pane_id} #{pane_width}x#{pane_height} #{pane_active} #{window_layout}'; }
tmux swap-pane -d -s "$pane" -t "$shown"
list
tmux set-option -t x key-table picker
tmux set-option -t x prefix None
for key in a C-c q Any; do tmux bind-key -T picker $key run-shell -b "echo $key >>$HOME/pressed"; done
tmux list-keys -T picker
tmux show-options -t x
tmux set-option -t x -u key-table
tmux set-option -u -t x prefix
tmux unbind-key -a -T picker
tmux list-keys -T picker
tmux swap-pane -d -s "$pane" -t "$shown"
tmux kill-pane -t "$shown"
list
tmux resize-pane -Z -t "$pane"
zoomed=$(tmux split-window -d -P -F '#{pane_id}' -t "$pane" cat)
tmux swap-pane -d -Z -s "$pane" -t "$zoomed"
tmux display-message -p -t x:w '#{window_zoomed_flag} #{window_layout}'
tmux kill-pane -t "$zoomed"
tmux set-option -ag command-alias "picked=run-shell -b 'echo picked >$HOME/picked'"
tmux picked
comes picked cat "$HOME/picked"
tmux bind-key space picked
tmux list-keys -T prefix Space
tmux show-options -s command-alias
tmux pipe-pane -t "$pane" "cat >$HOME/piped"
tmux send-keys -t "$pane" 'to the pipe' Enter
comes 2 grep -c 'to the pipe' "$HOME/piped"
tmux pipe-pane -t "$pane"
for folder in api web.site; do
  mkdir -p "$HOME/src/$folder"
  name=$(basename "$HOME/src/$folder" | tr . _)
  tmux has-session -t="$name" 2>/dev/null || tmux new-session -d -s "$name" -c "$HOME/src/$folder" cat
done
tmux list-sessions -F '#{session_name}: #{session_windows} window(s)#{?session_grouped, (group ,}#{session_group}#{?session_grouped,),}#{?session_attached, (attached),} #{session_path}'
tmux switch-client -t web_site
tmux list-windows -a -F '#{session_name}:#{window_index}' -f '#{m:*e*,#{session_name}}'
tmux find-window -N w 2>&1
tmux list-commands new-pane 2>&1
tmux list-panes -a -F '#{?pane_active,#{session_name},}' -f '#{pane_active}'
tmux display-message -p '#{S:#{session_name} }|#{W:#{window_name} ,[#{window_name}] }|#{P:#{pane_index} }'
tmux kill-session -t api
tmux kill-session -a -t x
tmux list-sessions -F '#S'
