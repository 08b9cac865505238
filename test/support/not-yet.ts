/** tmux's commands that are not there yet; keys bound to them say so (docs/mplex.md lists them, keys.test.ts holds it). */
export const NOT_YET: readonly string[] = [];
