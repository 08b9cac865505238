/** Lines of `list-keys` about what mplex binds beside tmux's keys, or to another command than tmux. */
export const OWN_KEYS =
  /^bind-key +-T live-scroll |^bind-key.* (?:flow-queue|command-palette|search-panes|edit-scrollback|next-layout|select-output|(?:previous|next)-prompt|list-keys -N)\b/;
