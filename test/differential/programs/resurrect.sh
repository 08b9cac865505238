# What a session saver asks, and what it does to bring sessions back.
d=$(printf "\t")
tmux new-session -d -s work -n edit -x 100 -y 40 -c /tmp 'cat'
tmux split-window -h -t work -c /usr cat; tmux split-window -v -t work -c / cat
tmux new-window -t work -n logs -c /var cat
tmux new-session -d -s play -n games -x 100 -y 40 cat
tmux new-session -d -t work -s work-2
tmux resize-pane -t work:edit -Z
tmux set-option -g @resurrect-capture-pane-contents on
tmux select-pane -t work:edit.0 -T "my title"
pane_format="pane$d#{session_name}$d#{window_index}$d#{window_active}$d:#{window_flags}$d#{pane_index}$d#{pane_title}$d:#{pane_start_path}$d#{pane_active}"
window_format="window$d#{session_name}$d#{window_index}$d:#{window_name}$d#{window_active}$d:#{window_flags}$d#{window_layout}"
state_format="state$d#{client_session}$d#{client_last_session}"
tmux list-panes -a -F "$pane_format" | sort
tmux list-windows -a -F "$window_format"
tmux display-message -p "$state_format"
tmux list-sessions -F "#{session_grouped}$d#{session_group}$d#{session_id}$d#{session_name}"
layout=$(tmux display -p -t work:edit '#{window_layout}')
tmux capture-pane -epJ -S "-10" -t work:edit.0 > ~/contents; wc -l < ~/contents
# restore
TMUX="" tmux -S "$(tmux display -p '#{socket_path}')" new-session -d -s back -c /tmp cat
tmux new-window -d -t back:5 -c /usr cat; tmux split-window -t back:5 -c / cat; tmux resize-pane -t back:5 -U 999; tmux split-window -t back:5 cat; tmux resize-pane -t back:5 -U 999
tmux select-layout -t back:5 "$layout"
tmux rename-window -t back:5 edit; tmux set-option -t back:5 automatic-rename off
tmux select-pane -t back:5.1; tmux resize-pane -t back:5 -Z
tmux display -p -t back:5 '#{window_layout} #{window_visible_layout} #{window_flags}'
tmux select-window -t back:5; tmux kill-window -t back:0
tmux move-window -r -t back; tmux list-windows -t back
tmux switch-client -t back; echo $?
tmux show-option -gqv @continuum-save-interval; echo "[$(tmux show-option -gqv status-right)]"
tmux set-option -gq status-right "#(true ~/x.sh)$(tmux show-option -gqv status-right)"
tmux show -gv status-right
tmux list-clients -F '#{client_tty}' ; echo $?
tmux display -p '#{e|-|:#{start_time},#{start_time}} #{pid}' | sed 's/ [0-9]*$/ N/'
tmux send-keys -t back:0.0 "cat '~/contents'" C-m; 
tmux show-hooks -g session-closed; tmux set-hook -g session-closed 'run-shell -b "true"'; tmux show-hooks -g session-closed
tmux kill-session -a -t back
