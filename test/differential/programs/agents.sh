# A leader that runs coding agents in the panes of one window.
. "$(dirname "$0")/waits.sh"
s=agents
tmux kill-session -t $s
tmux new-session -d -s $s -n main -x 200 -y 50 -P -F '#{pane_id}' cat
leader=$(tmux display-message -p -t $s:main.0 '#{pane_id}')
tmux set-option -t $s remain-on-exit on
tmux set-option -t $s history-limit 50000
tmux set-option -w -t $s:main pane-border-status top
tmux set-option -w -t $s:main pane-border-format ' #{pane_index} #{pane_title} '
panes=
for i in 1 2 3; do
  pane=$(tmux split-window -t $s:main -d -P -F '#{pane_id}' -c / -e AGENT=$i 'PS1="> " exec sh')
  panes="$panes $pane"
  tmux select-pane -t "$pane" -T "agent-$i"
  tmux select-layout -t $s:main tiled
  shows "$pane" '>'
done
set -- $panes
echo "$leader: $*"
big=$(awk 'BEGIN { for (i = 0; i < 300; i++) printf "word%d ", i }')
tmux send-keys -t "$1" -l "echo $big"
tmux send-keys -t "$1" Enter
tmux send-keys -t "$2" -l -- 'echo "it'"'"'s; #{x} \\n" two'
tmux send-keys -t "$2" Enter
shows "$2" "it's; #{x}"
tmux pipe-pane -t "$3" -o "cat >> $HOME/log"
tmux send-keys -t "$3" 'echo "agent $AGENT in $(pwd)"; tmux wait-for -S done' Enter
tmux wait-for done && echo waited
shows "$3" 'agent 3 in /'
comes 1 sh -c "grep -c '^agent 3 in /' $HOME/log"
shows "$1" 'word299'
tmux capture-pane -p -J -S - -t "$1" | grep -c '^word0 word1 .* word299'
tmux list-panes -a -F '#{session_name}|#{pane_id}|#{pane_title}|#{pane_dead}|#{pane_width}x#{pane_height}|#{pane_in_mode}'
tmux send-keys -t "$3" 'exit 7' Enter
comes '1 7 ' tmux display-message -p -t "$3" '#{pane_dead} #{pane_dead_status} #{pane_dead_signal}'
shows "$3" 'Pane is dead (status 7'
tmux respawn-pane -t "$3" cat
tmux respawn-pane -t "$3" cat
tmux respawn-pane -k -t "$3" -e A=b -c / 'echo "$A in $(pwd)"; exec cat'
shows "$3" 'b in /'
tmux display-message -p -t "$3" '#{pane_start_command}|#{pane_dead_status}|#{pane_start_path}'
printf 'line one\nline two\n' | tmux load-buffer -b job -
tmux paste-buffer -p -d -b job -t "$3"
shows "$3" 'line two'
tmux show-buffer -b job
tmux set-buffer -b x "$(printf 'a\tb')"
tmux show-buffer -b x
echo
tmux list-buffers
tmux resize-pane -t "$1" -x 50
tmux resize-pane -t "$1" -y 10
tmux swap-pane -s "$1" -t "$2"
tmux rotate-window -t $s
tmux display-message -p -t $s '#{window_layout}'
tmux break-pane -d -s "$2" -n solo -P -F '#{window_index}:#{window_name}'
tmux join-pane -d -s $s:solo -t "$leader" -h -l 30%
tmux list-windows -t $s -F '#I #W #{window_panes}'
tmux kill-pane -t "$3"
tmux list-panes -t $s -F '#{pane_id} #{pane_title}'
tmux has-session -t=$s && echo there
tmux has-session -t=age || echo 'not there'
tmux list-sessions -F '#S' -f '#{==:#S,agents}'
