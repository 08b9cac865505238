# Sourced by the others. comes VALUE COMMAND…: waits until the command prints the value.
comes() {
  wanted=$1
  shift
  for _ in $(seq 200); do
    [ "$("$@" 2>/dev/null)" = "$wanted" ] && return 0
    sleep 0.05
  done
  echo "never came: $* = $wanted, but $("$@" 2>&1)"
}
# shows PANE TEXT: waits until the pane shows the text.
shows() {
  for _ in $(seq 200); do
    tmux capture-pane -pJ -t "$1" | grep -qF -- "$2" && return 0
    sleep 0.05
  done
  echo "$1 never showed $2"
  tmux capture-pane -p -t "$1"
}
