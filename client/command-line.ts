/** A command line that is more than a one-shot call to a running server: own words, a server to start, a client that attaches. */
import { join } from 'node:path';
import { MplexError } from '../protocol/errors.ts';
import type { CommandCall } from '../protocol/message.ts';
import { STATE_VERSION, TMUX_VERSION, VERSION } from '../protocol/version.ts';
import type { ServerFinder } from './attach/way-back.ts';
import { awaitCall, runCall } from './call.ts';
import { type GlobalFlags, HELP, isOwnWord, startsServer, usageError } from './cli.ts';
import { connectServer, isAnswered, type ServerConnection, takeConnection } from './connect.ts';
import { guardOutputs } from './guard-outputs.ts';
import type { Launch } from './launch.ts';
import { hasTerminal, makeCall } from './make-call.ts';
import { resolveSocketPath } from './server-socket.ts';

/** A new server that has not come up by then is given up, ms, and the time between two looks. */
const UPGRADE_MS = 10_000;
const UPGRADE_POLL_MS = 50;
/** A server that was started and says nothing is given up, ms. */
const START_MS = 10_000;
/** Attempts to reach a server that was just started, and the time between two, ms. */
const START_ATTEMPTS = 3;
const START_GAP_MS = 100;
const NOT_LAUNCHED: Launch = { kind: 'nothing' };

export interface CommandLine {
  readonly flags: GlobalFlags;
  /** What was done for it already. */
  readonly launch: Launch;
  /** Called under tmux's name. */
  readonly asTmux: boolean;
}

/** Gives the exit code. Throws MplexError. */
export async function runCommandLine({ flags, launch, asTmux }: CommandLine): Promise<number> {
  if (flags.help || (!asTmux && flags.argv[0] === 'help' && flags.argv.length === 1)) {
    guardOutputs(1);
    process.stdout.write(`${HELP}\n`);
    return 0;
  }
  if (flags.version) {
    guardOutputs(1);
    process.stdout.write(asTmux ? `tmux ${TMUX_VERSION}\n` : `mplex ${VERSION}\n`);
    return 0;
  }
  if (isOwnWord(flags.argv[0])) {
    const { runOwnWord } = await import('./own-words.ts');
    return runOwnWord(flags.argv, {
      socketPath: () => resolveSocketPath(flags, asTmux),
      isServerNamed: flags.socketPath !== undefined || flags.socketName !== 'default',
    });
  }
  const socketPath = resolveSocketPath(flags, asTmux);
  if (flags.shellCommand !== undefined) {
    if (flags.argv.length > 0) throw usageError(asTmux ? '' : '-c takes no command', asTmux);
    const { runShellCommand } = await import('./shell-command.ts');
    const call = makeCall({ ...flags, argv: ['start-server', ';', 'show-options', '-gv', 'default-shell'] }, asTmux);
    const { connection } = await reachServer({ flags: { ...flags, argv: call.argv }, socketPath, launch });
    return runShellCommand(flags.shellCommand, { connection, call });
  }
  if (flags.argv[0] === 'upgrade-server' && flags.argv.length === 1) return upgradeServer(flags, socketPath);
  if (launch.kind === 'token') {
    const { connection } = await reachServer({ flags, socketPath, launch });
    return runAttached(connection, launch.token, { flags, socketPath });
  }
  const call = makeCall(flags, asTmux);
  const { connection, isCalled } = await reachServer({ flags, socketPath, launch }, call);
  const restore = flags.control === 2 ? silenceTerminal() : undefined;
  const result = await (isCalled ? awaitCall : runCall)(connection, call, process).finally(restore);
  if (result.kind === 'handover') return runAttached(connection, result.token, { flags, socketPath });
  connection.close();
  return result.code;
}

/** -CC: the terminal talks to the server and echoes nothing; gives what undoes it. */
function silenceTerminal(): (() => void) | undefined {
  const { stdin } = process;
  if (!stdin.isTTY) return undefined;
  stdin.setRawMode(true);
  return () => void stdin.setRawMode(false);
}

async function runAttached(
  connection: ServerConnection,
  token: string,
  { flags, socketPath }: { readonly flags: GlobalFlags; readonly socketPath: string },
): Promise<number> {
  const { runAttachedClient } = await import('./attach/attach.ts');
  const { stdin, stdout, env } = process;
  // Without a handler Node opens a debugger's port to all of the machine.
  process.on('SIGUSR1', () => {});
  try {
    const { colors256, features } = flags;
    const finder = finderOf(flags, socketPath);
    const options = { connection, token, finder, env, stdin, stdout, colors256, features };
    const { code, line } = await runAttachedClient(options);
    if (line !== '') stdout.write(`${line}\n`);
    return code;
  } finally {
    // It may still be referenced.
    stdin.unref?.();
  }
}

/** How the attached client finds a server again after it was lost. */
function finderOf(flags: GlobalFlags, socketPath: string): ServerFinder {
  return {
    connect: () => connectAgain(socketPath),
    isKept: () => isAnswered(`${socketPath}.host`),
    start: async () => {
      await bringUpServer({ flags, socketPath, launch: NOT_LAUNCHED });
    },
  };
}

/** Has the running server replaced by one of this program's code, and waits for that one. */
async function upgradeServer(flags: GlobalFlags, socketPath: string): Promise<number> {
  const first = await connectServer(socketPath, { version: VERSION, pid: process.pid });
  if (first.kind === 'absent') throw new MplexError('io', first.message);
  const { connection } = first;
  guardOutputs(1);
  const script = join(import.meta.dirname, 'mplexd.js');
  const argv = ['upgrade-server', '-s', String(STATE_VERSION), script];
  const result = await runCall(connection, makeCall({ ...flags, argv }, false), process);
  connection.close();
  if (result.kind !== 'exit' || result.code !== 0) return 1;
  const end = performance.now() + UPGRADE_MS;
  while (performance.now() < end) {
    const next = await connectAgain(socketPath).catch(() => undefined);
    next?.close();
    if (next && next.hello.pid !== connection.hello.pid) {
      process.stdout.write(
        `mplex ${connection.hello.version} (pid ${connection.hello.pid}) is now mplex ${next.hello.version} (pid ${next.hello.pid})\n`,
      );
      return 0;
    }
    await new Promise((resolve) => setTimeout(resolve, UPGRADE_POLL_MS));
  }
  throw new MplexError('io', 'the new server did not start in time');
}

async function connectAgain(socketPath: string): Promise<ServerConnection | undefined> {
  const result = await connectServer(socketPath, { version: VERSION, pid: process.pid });
  return result.kind === 'connected' ? result.connection : undefined;
}

/** A connection to the server, which is started if the call starts one; `isCalled`: the call was made on it already. */
async function reachServer(
  { flags, socketPath, launch }: { readonly flags: GlobalFlags; readonly socketPath: string; readonly launch: Launch },
  call?: CommandCall,
): Promise<{ readonly connection: ServerConnection; readonly isCalled: boolean }> {
  const connect = () => connectServer(socketPath, { version: VERSION, pid: process.pid });
  if (launch.kind !== 'started') {
    const first = await connect();
    if (first.kind === 'connected') return { connection: first.connection, isCalled: false };
    const mayStart = startsServer(flags.argv) || (await isAnswered(`${socketPath}.host`));
    if (flags.noStart || !mayStart) throw new MplexError('io', first.message);
  }
  for (let attempt = 1; ; attempt++) {
    const isLast = attempt === START_ATTEMPTS;
    const started = { flags, socketPath, launch: attempt === 1 ? launch : NOT_LAUNCHED };
    const { isUp, called } = await bringUpServer(started, call);
    if (called) return { connection: called, isCalled: true };
    const result = isUp ? await connect() : undefined;
    if (result?.kind === 'connected') return { connection: result.connection, isCalled: false };
    if (isLast) throw new MplexError('io', result?.message ?? 'server exited unexpectedly');
    // The server that was found there was about to end; or the new one has ended already, before anything was asked of it.
    await new Promise((resolve) => setTimeout(resolve, START_GAP_MS));
  }
}

/**
 * Starts a server, or waits for the one that is starting. `isUp`: it was not killed before it listened. `called`: the
 * connection on which the call was made, unless another server had the socket.
 */
async function bringUpServer(
  { flags, socketPath, launch }: { readonly flags: GlobalFlags; readonly socketPath: string; readonly launch: Launch },
  call?: CommandCall,
): Promise<{ readonly isUp: boolean; readonly called: ServerConnection | undefined }> {
  const { startServer, takeStartedServer } = await import('./start-server.ts');
  const { ready, called } =
    launch.kind === 'started'
      ? takeStartedServer(launch)
      : startServer({
          socketPath,
          configs: flags.configs,
          env: process.env,
          logFile: flags.verbose > 0 ? `${process.cwd()}/mplex-server-${process.pid}.log` : undefined,
          call,
        });
  // It is asked below, if at all.
  ready.catch(() => {});
  const taken = called && takeConnection(called, socketPath, { version: VERSION, timeoutMs: START_MS });
  // The time until the server is there is used for what comes next.
  const loaded = hasTerminal() ? import('./attach/attach.ts') : undefined;
  const connection = await taken;
  const isUp = connection !== undefined || (await ready);
  await loaded;
  return { isUp, called: connection };
}
