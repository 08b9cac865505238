# Session files of several builders (in shell, as tmuxifier and plain scripts have them), and editors that send text to a pane.
. "$(dirname "$0")/waits.sh"
session=dev
tmux has-session -t $session 2>/dev/null || {
  tmux -2 new-session -d -s $session -n editor -c / -x 120 -y 40 'PS1="> " exec sh'
  tmux set-option -t $session -g default-command 'cat'
  tmux new-window -t $session:10 -n server -c /usr
  tmux split-window -t "$session:server.0" -h -p 40
  tmux split-window -t "$session:server.1" -v -p 50
  tmux new-window -a -t $session:editor -n between
  tmux new-window -t $session:
  tmux select-layout -t $session:server main-horizontal
  tmux setw -t $session:server synchronize-panes on
  tmux setw -t $session:server main-pane-height 15
  tmux select-layout -t $session:server main-horizontal
  tmux select-pane -t $session:server.0
  tmux select-window -t $session:editor
  tmux set-option -t $session status-left "#[bold] dev "
  tmux bind-key -T root F12 kill-session -t $session
}
tmux list-windows -t $session -F '#I:#W #{window_panes} #{window_layout} #{window_active}'
tmux list-panes -s -t $session -F '#I.#P #{pane_synchronized} #{pane_start_path} #{pane_start_command}'
tmux showw -t $session:server
tmux show -t $session
tmux list-keys -T root F12
# A window moved in and out, panes counted by base indexes.
tmux set -g base-index 1
tmux setw -g pane-base-index 1
first=$(tmux show -gv base-index)
pane=$(tmux showw -gv pane-base-index)
tmux new-session -d -s based -n a -x 80 -y 24
tmux splitw -t based:$first.$pane -d
tmux list-panes -s -t based -F '#S:#I.#P'
tmux movew -s based:$first -t $session:20
tmux has-session -t based 2>&1
tmux list-windows -t $session -F '#I:#W'
# An editor's REPL pane: by load-buffer and paste-buffer, by send-keys with its own quoting.
repl=$(tmux display-message -p -t $session:editor.1 '#{pane_id}')
shows "$repl" '>'
printf 'echo "from a buffer"\n' | tmux load-buffer -
tmux paste-buffer -d -t "$repl"
shows "$repl" 'from a buffer'
printf 'echo bracketed\n' >"$HOME/slime"
tmux load-buffer -b slime "$HOME/slime"
tmux paste-buffer -b slime -p -t $session:editor.1
tmux list-buffers -F '#{buffer_name} #{buffer_size}'
tmux send-keys -t "$repl" '' Enter 'echo sent; echo \;' Enter
shows "$repl" 'sent'
tmux send-keys -t "$repl" q C-u
tmux send-keys -t "$repl" -l 'echo $((6*7));'
tmux send-keys -t "$repl" Enter
shows "$repl" '42'
tmux copy-mode -t "$repl"
tmux send-keys -t "$repl" -X cancel
tmux clear-history -t "$repl"
tmux list-panes -t $session:editor -F '#D #{pane_in_mode} #{pane_active}' | grep "$repl"
tmux display-message -p -t '{last}' '#S' 2>&1
tmux kill-session -t $session && tmux list-sessions -F '#S'
