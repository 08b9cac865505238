/** Starts a pty host process; apart from the client of it, so that a server's first act can be to start its host. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { hideNodeVariables } from '../../protocol/node-environ.ts';

/** The descriptor on which a started host finds its connection to the server. */
const HOST_SERVER_FD = 3;

export interface HostStartOptions {
  /** The host's socket, `<name>.host`. */
  readonly socketPath: string;
  /** The bundled ptyhost.js. */
  readonly hostScript: string;
  /** The command line by which the host starts the server again after a crash; run in `/` with this environment. */
  readonly restartCommand?: readonly string[];
  /** A file that the host appends its messages to; /dev/null if absent. */
  readonly hostLogFile?: string;
}

export interface StartedHost {
  /** Emits `error` (it could not be started) and `exit`. */
  readonly process: ChildProcess;
  /** The connection to it; undefined if it could not be started. */
  readonly socket: Socket | undefined;
}

/** Throws what spawn(2) or open(2) of the log says. */
export function startHostProcess(options: HostStartOptions): StartedHost {
  const { socketPath, hostScript, restartCommand, hostLogFile } = options;
  const args = [hostScript, socketPath, '--server-fd', String(HOST_SERVER_FD)];
  if (restartCommand) args.push('--', ...restartCommand);
  let logFd: number | undefined;
  try {
    if (hostLogFile !== undefined) logFd = openSync(hostLogFile, 'a', 0o600);
    const child = spawn(process.execPath, args, {
      detached: true,
      env: hideNodeVariables(process.env),
      stdio: ['ignore', 'ignore', logFd ?? 'ignore', 'pipe'],
    });
    child.unref();
    // A 'pipe' is one end of a socket pair; a process that could not be started has none.
    const socket = child.stdio[HOST_SERVER_FD];
    return { process: child, socket: socket instanceof Socket ? socket : undefined };
  } finally {
    if (logFd !== undefined) closeSync(logFd);
  }
}
