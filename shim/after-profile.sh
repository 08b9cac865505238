# Read by an interactive sh after its profile (it is that shell's ENV), which may have set PATH anew: the `tmux` that is mplex, and mplex.
case ":$PATH:" in
*":${ENV%/*}:"*) ;;
*) PATH=${ENV%/*}:$PATH:${ENV%/shim/*}/bin ;;
esac
