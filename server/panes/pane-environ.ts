/** What the programs in panes and the jobs of a session find in their environment. */
import { existsSync } from 'node:fs';
import { TMUX_VERSION } from '../../protocol/version.ts';
import { Environ } from '../model/environ.ts';
import type { Registry } from '../model/registry.ts';
import type { Session } from '../model/session.ts';
import { afterProfile, doesSystemProfile, withFolders } from './pane-path.ts';

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

export function serverPaths(options: {
  readonly socketPath: string;
  readonly shim: string | undefined;
  readonly bin: string;
}): ServerPaths {
  const { socketPath, shim, bin } = options;
  return { socket: socketPath, control: `${socketPath}.ctl`, shim, bin, doesProfileSetPath: doesSystemProfile() };
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

export interface ProcessEnvironsContext {
  readonly registry: Registry;
  readonly paths: ServerPaths;
  /** The lasting path for the SSH agent of the session's clients (agent-links.ts). */
  readonly agentPath: (session: Session, agent: string) => string;
  readonly version: string;
  /** Of this server. */
  readonly pid: number;
}

/** What a program is started for. */
export interface EnvironRequest {
  readonly session: Session | undefined;
  /** Number of its pane; undefined for a job. */
  readonly pane?: number;
  /** What was asked for it alone (-e). */
  readonly extra?: Environ | undefined;
}

export class ProcessEnvirons {
  readonly #context: ProcessEnvironsContext;

  constructor(context: ProcessEnvironsContext) {
    this.#context = context;
  }

  /** The environment of a pane or of a job. */
  environOf({ session, pane, extra }: EnvironRequest): Record<string, string> {
    const { registry, paths, agentPath, pid } = this.#context;
    const environ = new Environ();
    registry.environ.copyTo(environ);
    session?.environ.copyTo(environ);
    extra?.copyTo(environ);
    const result = environ.merged();
    const agent = result.SSH_AUTH_SOCK;
    // One that was asked for is left as it is.
    if (agent !== undefined && session && !extra?.get('SSH_AUTH_SOCK'))
      result.SSH_AUTH_SOCK = agentPath(session, agent);
    result.MPLEX = `${paths.socket},${pid},${session?.id ?? -1}`;
    result.MPLEX_CONTROL = paths.control;
    const { bin } = paths;
    const shim = registry.serverOptions.flag('tmux-shim') ? paths.shim : undefined;
    result.PATH = withFolders(result.PATH, { shim, bin });
    if (shim !== undefined) {
      result.TMUX = result.MPLEX;
      if (pane !== undefined && paths.doesProfileSetPath) Object.assign(result, afterProfile(result, { shim, bin }));
    } else {
      // They would speak of the tmux that the server was started in.
      delete result.TMUX;
      delete result.TMUX_PANE;
    }
    if (pane !== undefined) Object.assign(result, this.#ofPane(pane, session, shim !== undefined));
    return result;
  }

  /** What a program in a pane is told of its terminal. */
  #ofPane(pane: number, session: Session | undefined, isTmux: boolean): Record<string, string> {
    const { registry, version } = this.#context;
    return {
      MPLEX_PANE: `%${pane}`,
      ...(isTmux ? { TMUX_PANE: `%${pane}` } : {}),
      SHELL: (session?.options ?? registry.sessionOptions).string('default-shell'),
      TERM: registry.serverOptions.string('default-terminal'),
      COLORTERM: 'truecolor',
      TERM_PROGRAM: isTmux ? 'tmux' : 'mplex',
      TERM_PROGRAM_VERSION: isTmux ? TMUX_VERSION : version,
    };
  }
}
