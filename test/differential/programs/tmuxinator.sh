# A project of tmuxinator: started, asked for, started under another name, stopped.
. "$(dirname "$0")/waits.sh"
export EDITOR=vi
mkdir -p "$HOME/.config/tmuxinator"
tmux set-option -g default-command cat
cat >"$HOME/.config/tmuxinator/sample.yml" <<'X'
name: sample
root: /
on_project_start: echo starting
on_project_first_start: echo first
startup_window: logs
startup_pane: 1
enable_pane_titles: true
pane_title_position: bottom
pane_title_format: "#{pane_index}: #{pane_title}"
attach: false
windows:
  - editor:
      layout: main-vertical
      root: /usr
      synchronize: after
      panes:
        -
        - left:
            - a
        -
  - server:
  - logs:
      layout: tiled
      panes: [~, ~, ~, ~]
  - custom:
      layout: "c3c4,80x24,0,0{40x24,0,0,1,39x24,41,0,2}"
      panes: [~, ~]
  - long name with spaces:
X
list() { tmux list-windows -a -F '#S:#I #W #{window_panes} #{window_layout} #{window_active}'; }
tmuxinator debug sample | grep tmux
tmuxinator start sample
tmux list-panes -s -t sample -F '#I.#P #{pane_title} #{pane_start_path} #{pane_synchronized} #{pane_active}'
list
tmuxinator start sample --name=second
tmuxinator start sample
list
tmuxinator stop sample
tmux list-sessions -F '#S #{session_windows}'
tmux kill-session -t second
