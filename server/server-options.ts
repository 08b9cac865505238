import type { Socket } from 'node:net';
import type { ServerLog } from './log.ts';

/** What a server is started with. */
export interface ServerOptions {
  /** The command and attach socket; the control socket is `<path>.ctl`, the pty host's `<path>.host`. */
  readonly socketPath: string;
  /** Config files given by -f. */
  readonly configs: readonly string[];
  readonly environ: Readonly<Record<string, string | undefined>>;
  readonly hostScript: string;
  /** The program that starts jobs (native/jobs.c), where there may be one. */
  readonly jobProgram: string;
  /** The folder of the `tmux` that is mplex, if it is there. */
  readonly shim: string | undefined;
  /** The folder of `mplex`. */
  readonly bin: string;
  /** Somebody waits for it with a command; else it was started to take over, and what there was may be gone by now. */
  readonly isAwaited: boolean;
  /** The command line that starts this server. */
  readonly restartCommand: readonly string[];
  /** The connection to a pty host that was started with this server. */
  readonly startedHost: Socket | undefined;
  /** The connection of whoever started this server, served like one that was accepted. */
  readonly startedClient: Socket | undefined;
  readonly log: ServerLog;
  readonly onExit: () => void;
}

/** A server, as the process that runs it sees it. */
export interface RunningServer {
  /** Stores everything for the server after this one; for the last moment of a process. */
  keepAll(): void;
  /** `keep`: the sessions are offered again at the next start. */
  shutdown(options?: { readonly keep?: boolean }): void;
  /** Puts sockets back that somebody removed. */
  restoreSockets(): void;
}
