#!/usr/bin/env bash
# Runs the built program once under the Node given: a session, a command in it, its output, and the end.
set -euo pipefail
node=$1
cd "$(dirname "$0")/.."
MPLEX_TMPDIR=$(mktemp -d)
export MPLEX_TMPDIR
unset MPLEX MPLEX_PANE TMUX TMUX_PANE
mplex() { "$node" dist/mplex.js "$@"; }
trap 'mplex kill-server 2>/dev/null || true; rm -rf "$MPLEX_TMPDIR"' EXIT

mplex -f /dev/null new-session -d -s smoke -x 80 -y 24 'echo smoke-$((40+2)); exec cat'
for _ in $(seq 100); do
  if mplex capture-pane -p -t smoke | grep -q smoke-42; then
    echo "runs under $("$node" --version)"
    exit 0
  fi
  sleep 0.1
done
echo "no output under $("$node" --version)" >&2
exit 1
