/** The program's version; the build replaces it with package.json's. */
declare const MPLEX_VERSION: string | undefined;

export const VERSION: string = typeof MPLEX_VERSION === 'string' ? MPLEX_VERSION : '0.0.0-source';

/** The state that a server leaves for the next: servers of the same number can take over from each other. */
export const STATE_VERSION = 1;

/** The version of tmux whose language is spoken: `#{version}`, and `-V` under the name `tmux`. */
export const TMUX_VERSION = '3.3a';
