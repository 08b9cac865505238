/**
 * The server process. argv: `--socket PATH [--ready-fd N] [-f CONFIG]... [--version-of NAME]`. It tells on the ready
 * descriptor `ok` once it listens, or a one-line reason why it does not, and closes it.
 */
import { closeSync, writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { MplexError } from '../protocol/errors.ts';
import { SocketTaken } from './listener.ts';
import { fileLog } from './log.ts';
import { closeInheritedDescriptors } from './pty-host/descriptors.ts';
import { startServer } from './server.ts';

interface Options {
  readonly socket: string;
  readonly readyFd: number | undefined;
  readonly configs: readonly string[];
  readonly logFile: string | undefined;
}

function parseOptions(argv: readonly string[]): Options {
  let socket: string | undefined;
  let readyFd: number | undefined;
  let logFile: string | undefined;
  const configs: string[] = [];
  for (let i = 0; i < argv.length; i += 2) {
    const value = argv[i + 1] ?? '';
    if (argv[i] === '--socket') socket = value;
    else if (argv[i] === '--ready-fd') readyFd = Number(value);
    else if (argv[i] === '--log') logFile = value;
    else if (argv[i] === '-f') configs.push(value);
    else throw new MplexError('usage', `mplexd: unknown option ${argv[i]}`);
  }
  if (socket === undefined) throw new MplexError('usage', 'mplexd: --socket is missing');
  return { socket, readyFd, configs, logFile };
}

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  closeInheritedDescriptors(options.readyFd === undefined ? [] : [options.readyFd]);
  const tell = (text: string) => {
    if (options.readyFd === undefined) return;
    try {
      writeSync(options.readyFd, text);
      closeSync(options.readyFd);
    } catch {
      // The starter is gone; nobody waits for the word.
    }
  };
  const log = fileLog(options.logFile, () => new Date());
  // A terminal that goes away must not take the sessions with it.
  process.on('SIGHUP', () => {});
  process.on('SIGPIPE', () => {});
  process.on('uncaughtException', (error) => log.error('uncaught exception', error));
  process.on('unhandledRejection', (error) => log.error('unhandled rejection', error));
  try {
    const server = await startServer({
      socketPath: options.socket,
      configs: options.configs,
      environ: process.env,
      hostScript: fileURLToPath(new URL('./ptyhost.js', import.meta.url)),
      log,
      onExit: () => process.exit(0),
    });
    process.on('SIGTERM', () => server.shutdown());
    process.on('SIGUSR1', () => server.restoreSockets());
    tell('ok\n');
  } catch (error) {
    if (error instanceof SocketTaken) tell('ok\n');
    else {
      log.error('start failed', error);
      tell(`${error instanceof Error ? error.message : String(error)}\n`);
    }
    process.exit(1);
  }
}

void main();
