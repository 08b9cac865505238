# byobu's profile, keys and layouts in a server of their own.
. "$(dirname "$0")/waits.sh"
tmux kill-server
export BYOBU_BACKEND=tmux BYOBU_CONFIG_DIR=$HOME/.byobu LANG=C.UTF-8
byobu-tmux new-session -d -s by -n w -x 100 -y 30 cat
# Its first session ends by itself.
comes by byobu-tmux list-sessions -F '#S'
byobu-tmux list-windows -F '#I #W #F #{window_layout}'
byobu-layout list
byobu-ctrl-a emacs
# It has read its profile again.
comes by byobu-tmux list-sessions -F '#S'
