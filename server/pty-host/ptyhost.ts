/**
 * The entry of the pty host process: `ptyhost.js SOCKET [--server-fd N] [-- SERVER ARG...]`.
 *
 * SOCKET is where servers connect; `--server-fd` is a connected socket to the server that started it; what follows `--`
 * is the command line that starts the server again after it was lost, until a server says another. Messages go to standard error.
 */
import { spawn } from 'node:child_process';
import { createServer, Socket } from 'node:net';
import { realDelay } from './delay.ts';
import { closeInheritedDescriptors, INHERITS_NOTHING } from './descriptors.ts';
import { realSystem } from './headroom.ts';
import { HostService } from './host-service.ts';
import { type HostSocket, listenPrivately } from './host-socket.ts';
import { PaneKeeper } from './pane-keeper.ts';
import { ServerRestart } from './server-restart.ts';

interface HostArguments {
  readonly socketPath: string;
  readonly serverFd: number | undefined;
  /** The starter has closed all other descriptors. */
  readonly inheritsNothing: boolean;
  readonly restartCommand: readonly string[];
}

void main(readArguments(process.argv.slice(2)));

async function main(args: HostArguments): Promise<void> {
  if (!args.inheritsNothing) closeInheritedDescriptors(args.serverFd === undefined ? [] : [args.serverFd]);
  process.chdir('/');
  process.on('SIGHUP', () => {});
  process.on('uncaughtException', (error) => log(`bug: ${error.stack ?? error.message}`));

  let socket: HostSocket | undefined;
  const restoreSocket = () => {
    socket?.restore().catch((error: unknown) => log(`the socket: ${error instanceof Error ? error.message : error}`));
  };
  let { restartCommand } = args;
  const server = createServer((socket) => service.accept(socket));
  const keeper = new PaneKeeper({ delay: realDelay, system: realSystem, log, onFewer: () => service.settle() });
  const service = new HostService({
    keeper,
    restart: makeRestart(() => restartCommand),
    onRestartCommand: (argv) => {
      restartCommand = argv;
    },
    onRestoreSocket: restoreSocket,
    delay: realDelay,
    log,
    onStopListening: () => {
      socket?.remove();
      server.close();
    },
    onEnd: () => process.exit(0),
  });
  // Without a handler Node opens a debugger's port to all of the machine.
  process.on('SIGUSR1', restoreSocket);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => service.quit());
  try {
    socket = await listenPrivately(server, args.socketPath);
  } catch (error) {
    log(error instanceof Error ? error.message : String(error));
    process.exit(1);
  }
  // Only now: a host that lost the race for the socket must not have said hello.
  if (args.serverFd !== undefined) service.accept(new Socket({ fd: args.serverFd }), { isStarter: true });
}

function makeRestart(command: () => readonly string[]): ServerRestart {
  return new ServerRestart({
    delay: realDelay,
    // Not `performance`, which takes a millisecond of a start to load.
    now: () => Number(process.hrtime.bigint()) / 1e6,
    log,
    start: (ended) => {
      const [file, ...args] = command();
      if (file === undefined) return;
      const child = spawn(file, args, { detached: true, stdio: 'ignore' });
      child.on('error', (error) => {
        log(`can't start the server: ${error.message}`);
        ended();
      });
      child.on('exit', ended);
      child.unref();
    },
  });
}

function readArguments(argv: readonly string[]): HostArguments {
  const split = argv.indexOf('--');
  const own = split < 0 ? argv : argv.slice(0, split);
  const [socketPath, flag, fd, closed] = own;
  const isRight =
    (flag === undefined || flag === '--server-fd') && (closed === undefined || closed === INHERITS_NOTHING);
  if (socketPath === undefined || !isRight)
    throw new Error(`usage: ptyhost SOCKET [--server-fd N [${INHERITS_NOTHING}]] [-- SERVER ARG...]`);
  return {
    socketPath,
    serverFd: fd === undefined ? undefined : Number(fd),
    inheritsNothing: closed === INHERITS_NOTHING,
    restartCommand: split < 0 ? [] : argv.slice(split + 1),
  };
}

function log(message: string): void {
  process.stderr.write(`ptyhost ${process.pid}: ${message}\n`);
}
