/**
 * The server process. argv: `[--inherits-nothing] --socket PATH [--ready-fd N] [--host-fd N] [--client-fd N] [-f
 * CONFIG]... [--log FILE]`. It tells on the ready descriptor `ok` once it listens, or a one-line reason why it does
 * not, and closes it. `--host-fd` is a connection to a pty host that was started with this server; without one the
 * first thing done here is to start a host, which then comes up while the server's own code is loaded. `--client-fd` is
 * a connection of the client that started this server, which may have made its call already.
 */
import { closeSync, existsSync, stat, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { MplexError } from '../protocol/errors.ts';
import { restoreNodeVariables } from '../protocol/node-environ.ts';
import { VERSION } from '../protocol/version.ts';
import { stateDirectory, writeCrashReport } from './crash-report.ts';
import { fileLog, type Log, type ServerLog } from './log.ts';
import { closeInheritedDescriptors, INHERITS_NOTHING } from './pty-host/descriptors.ts';
import { startHostProcess } from './pty-host/host-start.ts';
import type { RunningServer, ServerOptions } from './server-options.ts';

interface Options {
  readonly inheritsNothing: boolean;
  readonly socket: string;
  readonly readyFd: number | undefined;
  readonly hostFd: number | undefined;
  readonly clientFd: number | undefined;
  readonly configs: readonly string[];
  readonly logFile: string | undefined;
}

const HOST_SCRIPT = join(import.meta.dirname, 'ptyhost.js');
const JOB_PROGRAM = join(import.meta.dirname, 'mplex-jobs');
const SHIM = join(import.meta.dirname, '../shim');
const BIN = join(import.meta.dirname, '../bin');

function parseOptions(argv: readonly string[]): Options {
  let socket: string | undefined;
  let readyFd: number | undefined;
  let hostFd: number | undefined;
  let clientFd: number | undefined;
  let logFile: string | undefined;
  const configs: string[] = [];
  const inheritsNothing = argv[0] === INHERITS_NOTHING;
  for (let i = inheritsNothing ? 1 : 0; i < argv.length; i += 2) {
    const value = argv[i + 1] ?? '';
    if (argv[i] === '--socket') socket = value;
    else if (argv[i] === '--ready-fd') readyFd = Number(value);
    else if (argv[i] === '--host-fd') hostFd = Number(value);
    else if (argv[i] === '--client-fd') clientFd = Number(value);
    else if (argv[i] === '--log') logFile = value;
    else if (argv[i] === '-f') configs.push(value);
    else throw new MplexError('usage', `mplexd: unknown option ${argv[i]}`);
  }
  if (socket === undefined) throw new MplexError('usage', 'mplexd: --socket is missing');
  return { inheritsNothing, socket, readyFd, hostFd, clientFd, configs, logFile };
}

async function main(): Promise<void> {
  restoreNodeVariables(process.env);
  const options = parseOptions(process.argv.slice(2));
  const { inheritsNothing, readyFd, hostFd, clientFd } = options;
  if (!inheritsNothing) closeInheritedDescriptors([readyFd, hostFd, clientFd].filter((fd) => fd !== undefined));
  const log = fileLog({ path: options.logFile, now: () => new Date() });
  // A terminal that goes away must not take the sessions with it.
  process.on('SIGHUP', () => {});
  process.on('SIGPIPE', () => {});
  let server: RunningServer | undefined;
  // From the first moment: without a handler Node opens a debugger's port to all of the machine.
  process.on('SIGUSR1', () => server?.restoreSockets());
  const fail = (what: string, error: unknown) => {
    log.error(what, error);
    try {
      server?.keepAll();
    } catch (again) {
      log.error('last state', again);
    }
    report(what, error, log);
    // In an unknown state nothing goes on: the pty host starts a new server with what is stored.
    process.exit(1);
  };
  process.on('uncaughtException', (error) => fail('uncaught exception', error));
  process.on('unhandledRejection', (error) => fail('unhandled rejection', error));
  try {
    const serverOptions = serverOptionsOf(options, log);
    const { startServer } = await import('./server.ts');
    const running = await startServer(serverOptions);
    server = running;
    // As when the machine goes down: nobody has ended the sessions.
    process.on('SIGTERM', () => running.shutdown({ keep: true }));
    // libuv starts its threads at the first call that needs one, and aborts where none is to be had: now, not with
    // sessions.
    stat('/', () => {});
    tell(options, 'ok');
  } catch (error) {
    // By name: the class is another one where the server is a bundle of its own.
    if (error instanceof Error && error.name === 'SocketTaken') tell(options, 'ok');
    else {
      log.error('start failed', error);
      tell(options, error instanceof Error ? error.message : String(error));
    }
    process.exit(1);
  }
}

/** What the server is started with; the pty host comes up from here on. */
function serverOptionsOf(options: Options, log: ServerLog): ServerOptions {
  return {
    startedHost: takeHost(options, log),
    socketPath: options.socket,
    configs: options.configs,
    environ: process.env,
    hostScript: HOST_SCRIPT,
    jobProgram: JOB_PROGRAM,
    shim: existsSync(join(SHIM, 'tmux')) ? SHIM : undefined,
    bin: BIN,
    isAwaited: options.readyFd !== undefined,
    restartCommand: restartCommand(options),
    startedClient: options.clientFd === undefined ? undefined : new Socket({ fd: options.clientFd }),
    log,
    onExit: () => process.exit(0),
  };
}

/** Tells whoever started this process how that went: `ok`, or why not. */
function tell({ readyFd }: Options, word: string): void {
  if (readyFd === undefined) return;
  try {
    writeSync(readyFd, `${word}\n`);
    closeSync(readyFd);
  } catch {
    // The starter is gone; nobody waits for the word.
  }
}

/** Leaves a crash report, if there is a place for it. */
function report(what: string, error: unknown, log: ServerLog): void {
  const directory = stateDirectory(process.env);
  if (directory === undefined) return;
  const memory = process.memoryUsage();
  try {
    writeCrashReport(directory, {
      what,
      error,
      version: VERSION,
      now: new Date(),
      uptimeS: process.uptime(),
      pid: process.pid,
      entries: log.recent(),
      facts: [`memory: rss ${memory.rss}, heap ${memory.heapUsed} of ${memory.heapTotal}, external ${memory.external}`],
    });
  } catch (again) {
    log.error('crash report', again);
  }
}

/** What starts this server again, without the descriptors of this start. */
function restartCommand({ socket, configs, logFile }: Options): string[] {
  const argv = [process.execPath, join(import.meta.dirname, 'mplexd.js'), '--socket', socket];
  for (const config of configs) argv.push('-f', config);
  if (logFile !== undefined) argv.push('--log', logFile);
  return argv;
}

/** The connection to a host on its way up; undefined where one may be there already, left by a server that was lost. */
function takeHost({ socket, hostFd }: Options, log: Log): Socket | undefined {
  if (hostFd !== undefined) return new Socket({ fd: hostFd });
  const socketPath = `${socket}.host`;
  if (existsSync(socketPath)) return undefined;
  try {
    const host = startHostProcess({ socketPath, hostScript: HOST_SCRIPT });
    host.process.on('error', (error) => {
      log.error("can't start the pty host", error);
      host.socket?.destroy();
    });
    host.process.on('exit', (code, signal) => log.info(`pty host ended: ${signal ?? code}`));
    return host.socket;
  } catch (error) {
    log.error("can't start the pty host", error);
    return undefined;
  }
}

void main();
