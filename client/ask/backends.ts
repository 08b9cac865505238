/** Which backend asks, by where the caller stands: in mplex, in tmux, on a plain terminal. */
import { basename, dirname } from 'node:path';
import { MplexError } from '../../protocol/errors.ts';
import type { FlowBackend } from '../../src/flow/backend.ts';
import type { Environment } from '../server-socket.ts';
import { NativeBackend, type NativeOptions } from './native-backend.ts';

const BACKENDS = ['native', 'tmux', 'tty'] as const;
export type BackendName = (typeof BACKENDS)[number];

export interface Standpoint {
  readonly env: Environment;
  /** -L or -S named a server. */
  readonly isServerNamed: boolean;
  /**
   * One of the standard descriptors is a terminal: a person looks at the caller itself. The others may be pipes and files,
   * since the dialog is drawn on the controlling terminal.
   */
  readonly isTerminal: boolean;
}

/**
 * The backend for a caller: the named server, the multiplexer around it, its own terminal, else the default server. In
 * mplex TMUX is set too; its socket's directory tells. A popup keeps its client from showing anything else: there it is the popup.
 */
export function chooseBackend({ env, isServerNamed, isTerminal }: Standpoint): BackendName {
  if (env.MPLEX_POPUP && isTerminal && !isServerNamed) return 'tty';
  if (isServerNamed || env.MPLEX || env.MPLEX_CONTROL) return 'native';
  if (env.TMUX) {
    if (tmuxIsOurs(env)) return 'native';
    // A terminal of tmux that is no pane is a popup.
    return isTerminal && env.TERM_PROGRAM === 'tmux' && !env.TMUX_PANE ? 'tty' : 'tmux';
  }
  return isTerminal ? 'tty' : 'native';
}

/** Whether $TMUX names a socket of mplex. */
function tmuxIsOurs(env: Environment): boolean {
  return /^mplex-\d+$/.test(basename(dirname(socketOf(env.TMUX))));
}

/** The control socket of the server that the caller means or stands in; undefined: of the default server. */
export function controlPathOf(env: Environment): string | undefined {
  if (env.MPLEX_CONTROL) return env.MPLEX_CONTROL;
  const socket = socketOf(env.MPLEX) || (env.TMUX && tmuxIsOurs(env) ? socketOf(env.TMUX) : '');
  return socket === '' ? undefined : `${socket}.ctl`;
}

/** `path,pid,session` */
function socketOf(value: string | undefined): string {
  return value?.split(',')[0] ?? '';
}

export interface BackendOptions extends NativeOptions {
  readonly env: Environment;
  readonly now: () => number;
}

/** Opens a backend; the less common ones are loaded when they are needed. */
export async function openBackend(name: BackendName, options: BackendOptions): Promise<FlowBackend> {
  switch (name) {
    case 'native':
      return new NativeBackend({ ...options, token: options.env.MPLEX_TOKEN });
    case 'tmux': {
      const { TmuxBackend } = await import('./tmux-backend.ts');
      return TmuxBackend.open(options);
    }
    case 'tty': {
      const { TtyBackend } = await import('./tty-backend.ts');
      return TtyBackend.open(options);
    }
  }
}

/** Reads a --backend. Throws MplexError 'usage'. */
export function parseBackend(text: string): BackendName {
  const name = BACKENDS.find((known) => known === text);
  if (name === undefined)
    throw new MplexError('usage', `--backend must be one of ${BACKENDS.join(', ')}, not ${JSON.stringify(text)}`);
  return name;
}
