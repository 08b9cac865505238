import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { join, resolve as resolvePath } from 'node:path';
import type { Readable } from 'node:stream';
import { encodeCallMessage } from '../protocol/call-codec.ts';
import { pathInProcess } from '../protocol/descriptor-path.ts';
import { MplexError } from '../protocol/errors.ts';
import { type CommandCall, PROTOCOL_MAJOR, PROTOCOL_MINOR } from '../protocol/message.ts';
import { hideNodeVariables } from '../protocol/node-environ.ts';
import { VERSION } from '../protocol/version.ts';

/** The descriptor on which the server tells that it is ready. */
const READY_FD = 3;
/** The descriptor on which it finds the call that it is started for. */
const CALL_FD = 4;
/** A server that has not come up by then is given up, ms. */
const START_MS = 10_000;
/** Longest reason why a server did not start, in characters. */
const REASON_MAX = 4096;

export interface StartOptions {
  readonly socketPath: string;
  readonly configs: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A file for the server's log, with -v. */
  readonly logFile: string | undefined;
  /** The server is given it at once, and runs it while this process does something else. */
  readonly call: CommandCall | undefined;
}

/** A server on its way up. */
export interface StartedServer {
  /**
   * True once it listens, false where it was killed before it had a word to say. Rejects with MplexError 'io' and the
   * server's reason.
   */
  readonly ready: Promise<boolean>;
  /** A connection to it on which HELLO was said and the call was made. */
  readonly called: Socket | undefined;
}

/** Starts a server in the background. Throws MplexError 'io' where none can be started. */
export function startServer(options: StartOptions): StartedServer {
  const problem = unsupportedSystem();
  if (problem !== undefined) throw new MplexError('io', problem);
  const script = join(import.meta.dirname, 'mplexd.js');
  // The server runs in `/`.
  const argv = [script, '--socket', resolvePath(options.socketPath), '--ready-fd', String(READY_FD)];
  for (const config of options.configs) argv.push('-f', pathInProcess(resolvePath(config), process.pid));
  if (options.logFile !== undefined) argv.push('--log', options.logFile);
  if (options.call) argv.push('--client-fd', String(CALL_FD));
  const child = spawn(process.execPath, argv, {
    detached: true,
    env: hideNodeVariables(options.env),
    cwd: '/',
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', ...(options.call ? (['pipe'] as const) : [])],
  });
  child.unref();
  // A 'pipe' is a socket; a process that could not be started has none.
  const [told, called] = [child.stdio[READY_FD], child.stdio[CALL_FD]];
  const ready = new Promise<boolean>((resolve, reject) => {
    child.once('error', (error) => reject(new MplexError('io', `can't start the server: ${error.message}`)));
    if (told instanceof Socket) awaitReady(told).then(resolve, reject);
  });
  if (!options.call || !(called instanceof Socket)) return { ready, called: undefined };
  const hello = {
    kind: 'hello',
    major: PROTOCOL_MAJOR,
    minor: PROTOCOL_MINOR,
    pid: process.pid,
    version: VERSION,
  } as const;
  called.write(encodeCallMessage(hello));
  called.write(encodeCallMessage(options.call));
  return { ready, called };
}

/** A server that somebody else has started: it tells on `readyFd`; on `callFd` the call was made. */
export function takeStartedServer(fds: {
  readonly readyFd: number;
  readonly callFd: number | undefined;
}): StartedServer {
  const { readyFd, callFd } = fds;
  return {
    ready: awaitReady(new Socket({ fd: readyFd, readable: true, writable: false })),
    called: callFd === undefined ? undefined : new Socket({ fd: callFd }),
  };
}

/** `ok` once the server listens, else one line that says why it does not; or nothing. */
function awaitReady(ready: Readable): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let said = '';
    const finish = (result: MplexError | boolean) => {
      clearTimeout(timer);
      ready.removeAllListeners();
      // What it still reports is nobody's concern.
      ready.on('error', () => {});
      ready.destroy();
      if (typeof result === 'boolean') resolve(result);
      else reject(result);
    };
    const timer = setTimeout(() => finish(new MplexError('io', 'the server did not start in time')), START_MS);
    const ended = () => finish(said.trim() === '' ? false : new MplexError('io', said.trim()));
    ready.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString('utf8')).slice(0, REASON_MAX);
      const end = said.indexOf('\n');
      if (end < 0) return;
      const line = said.slice(0, end);
      finish(line === 'ok' || new MplexError('io', line));
    });
    ready.on('end', ended);
    ready.on('error', ended);
  });
}

/** Why no pty can be had on this system: node-pty is prebuilt for glibc and macOS. Asked before anything is loaded. */
function unsupportedSystem(): string | undefined {
  if (process.platform === 'win32') return 'mplex needs a Unix system';
  if (process.platform !== 'linux') return undefined;
  try {
    // The C library that runs this process is mapped into it.
    const usesMusl = /\/(?:ld-musl|libc\.musl)-/.test(readFileSync('/proc/self/maps', 'latin1'));
    return usesMusl ? 'mplex has no prebuilt pty for musl; run it on a system with glibc' : undefined;
  } catch {
    return undefined;
  }
}
