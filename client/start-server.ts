import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { MplexError } from '../protocol/errors.ts';

/** The descriptor on which the server tells that it is ready. */
const READY_FD = 3;
/** A server that has not come up by then is given up, ms. */
const START_MS = 10_000;

export interface StartOptions {
  readonly socketPath: string;
  readonly configs: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A file for the server's log, with -v. */
  readonly logFile: string | undefined;
}

/** Starts a server in the background and waits until it listens. Throws MplexError 'io' with the server's reason. */
export function startServer(options: StartOptions): Promise<void> {
  const problem = unsupportedSystem();
  if (problem !== undefined) return Promise.reject(new MplexError('io', problem));
  const script = fileURLToPath(new URL('./mplexd.js', import.meta.url));
  const argv = [script, '--socket', options.socketPath, '--ready-fd', String(READY_FD)];
  for (const config of options.configs) argv.push('-f', config);
  if (options.logFile !== undefined) argv.push('--log', options.logFile);
  const child = spawn(process.execPath, argv, {
    detached: true,
    env: options.env,
    cwd: '/',
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const ready = child.stdio[READY_FD];
  return new Promise((resolve, reject) => {
    let said = '';
    const finish = (error: MplexError | undefined) => {
      clearTimeout(timer);
      child.removeAllListeners();
      child.unref();
      ready?.removeAllListeners();
      if (ready && 'destroy' in ready) ready.destroy();
      if (error) reject(error);
      else resolve();
    };
    const timer = setTimeout(() => finish(new MplexError('io', 'the server did not start in time')), START_MS);
    ready?.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8');
      const line = said.split('\n')[0] ?? '';
      if (said.includes('\n')) finish(line === 'ok' ? undefined : new MplexError('io', line));
    });
    child.once('error', (error) => finish(new MplexError('io', `can't start the server: ${error.message}`)));
    child.once('exit', () =>
      setImmediate(() => finish(new MplexError('io', said.trim() || 'server exited unexpectedly'))),
    );
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
