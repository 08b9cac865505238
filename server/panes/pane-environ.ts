/** What the programs in panes and the jobs of a session find in their environment. */
import { existsSync } from 'node:fs';
import { TMUX_VERSION } from '../../protocol/version.ts';
import { Environ } from '../model/environ.ts';
import type { Registry } from '../model/registry.ts';
import type { Session } from '../model/session.ts';
import { afterProfile, withFolders } from './pane-path.ts';

export interface ServerPaths {
  /** The command and attach socket. */
  readonly socket: string;
  /** The control socket. */
  readonly control: string;
  /** The folder of the `tmux` that is mplex; undefined where it is not installed. */
  readonly shim: string | undefined;
  /** The folder of `mplex`. */
  readonly bin: string;
  /** Whether login shells here set PATH anew (`doesSystemProfile`). */
  readonly doesProfileSetPath: boolean;
}

/** Where terminfo entries are looked for, besides $TERMINFO and ~/.terminfo: terminfo(5). */
const TERMINFO_DIRECTORIES = ['/etc/terminfo', '/lib/terminfo', '/usr/share/terminfo', '/usr/lib/terminfo'];
/** From the best to the one that every system has. */
const TERM_NAMES = ['tmux-256color', 'screen-256color', 'xterm-256color'] as const;

/** The default of option default-terminal: the first of TERM_NAMES whose terminfo is there. */
export function defaultTerminal(environ: Readonly<Record<string, string | undefined>>): string {
  const directories = [
    ...(environ.TERMINFO ? [environ.TERMINFO] : []),
    ...(environ.HOME ? [`${environ.HOME}/.terminfo`] : []),
    ...TERMINFO_DIRECTORIES,
  ];
  const has = (name: string) =>
    directories.some(
      (directory) =>
        existsSync(`${directory}/${name[0]}/${name}`) ||
        existsSync(`${directory}/${name.charCodeAt(0).toString(16)}/${name}`),
    );
  return TERM_NAMES.find(has) ?? 'xterm-256color';
}

/** The environment of a pane (`pane` given) or of a job. */
export function processEnviron(
  registry: Registry,
  about: {
    readonly session: Session | undefined;
    readonly pane: number | undefined;
    readonly extra?: Environ | undefined;
    /** The lasting path for the SSH agent of the session's clients (agent-links.ts). */
    readonly agentPath?: (agent: string) => string;
    readonly paths: ServerPaths;
    readonly version: string;
    readonly pid: number;
  },
): Record<string, string> {
  const environ = new Environ();
  registry.environ.copyTo(environ);
  about.session?.environ.copyTo(environ);
  about.extra?.copyTo(environ);
  const result = environ.merged();
  const agent = result.SSH_AUTH_SOCK;
  // One that was asked for is left as it is.
  if (agent !== undefined && !about.extra?.get('SSH_AUTH_SOCK'))
    result.SSH_AUTH_SOCK = about.agentPath?.(agent) ?? agent;
  const session = about.session?.id ?? -1;
  result.MPLEX = `${about.paths.socket},${about.pid},${session}`;
  result.MPLEX_CONTROL = about.paths.control;
  const { bin } = about.paths;
  const shim = registry.serverOptions.flag('tmux-shim') ? about.paths.shim : undefined;
  const isTmux = shim !== undefined;
  result.PATH = withFolders(result.PATH, { shim, bin });
  if (isTmux) {
    result.TMUX = result.MPLEX;
    if (about.pane !== undefined && about.paths.doesProfileSetPath)
      Object.assign(result, afterProfile(result, { shim, bin }));
  } else {
    // They would speak of the tmux that the server was started in.
    delete result.TMUX;
    delete result.TMUX_PANE;
  }
  if (about.pane !== undefined) {
    result.MPLEX_PANE = `%${about.pane}`;
    if (isTmux) result.TMUX_PANE = result.MPLEX_PANE;
    result.SHELL = (about.session?.options ?? registry.sessionOptions).string('default-shell');
    result.TERM = registry.serverOptions.string('default-terminal');
    result.COLORTERM = 'truecolor';
    result.TERM_PROGRAM = isTmux ? 'tmux' : 'mplex';
    result.TERM_PROGRAM_VERSION = isTmux ? TMUX_VERSION : about.version;
  }
  return result;
}
