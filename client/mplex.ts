#!/usr/bin/env node
/** The `mplex` program: own words (`ask`), else a call to the server, which is started if the command starts one. */
import { readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { MplexError } from '../protocol/errors.ts';
import type { CallerTerminal, CommandCall } from '../protocol/message.ts';
import { VERSION } from '../protocol/version.ts';
import { runCall } from './call.ts';
import { type GlobalFlags, parseGlobalFlags, startsServer, USAGE } from './cli.ts';
import { connectServer, ensureSocketDir, type ServerConnection } from './connect.ts';
import { startServer } from './start-server.ts';

/** The version of tmux whose behaviour is followed; printed when called as `tmux`. */
const TMUX_VERSION = '3.3a';

async function main(): Promise<number> {
  const asTmux = basename(process.argv[1] ?? '').replace(/\.js$/, '') === 'tmux';
  const flags = parseGlobalFlags(process.argv.slice(2));
  if (flags.help) {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  if (flags.version) {
    process.stdout.write(asTmux ? `tmux ${TMUX_VERSION}\n` : `mplex ${VERSION}\n`);
    return 0;
  }
  const socketPath = resolveSocketPath(flags);
  if (flags.argv[0] === 'ask') return runAskWord(flags, socketPath);
  const connection = await reachServer(flags, socketPath);
  const call = makeCall(flags, asTmux);
  const result = await runCall(connection, call, process);
  if (result.kind === 'exit') {
    connection.close();
    return result.code;
  }
  const { runAttachedClient } = await import('./attach.ts');
  const { code, line } = await runAttachedClient({
    connection,
    token: result.token,
    env: process.env,
    stdin: process.stdin,
    stdout: process.stdout,
    colors256: flags.colors256,
  });
  if (line !== '') process.stdout.write(`${line}\n`);
  return code;
}

async function runAskWord(flags: GlobalFlags, socketPath: string): Promise<number> {
  const { runAsk } = await import('./ask.ts');
  const explicit = flags.socketPath !== undefined || flags.socketName !== 'default';
  const controlPath = (explicit ? undefined : process.env.MPLEX_CONTROL) ?? `${socketPath}.ctl`;
  return runAsk(flags.argv.slice(1), {
    env: process.env,
    stdout: process.stdout,
    stderr: process.stderr,
    controlPath,
    onSignal: (handler) => {
      process.once('SIGINT', () => handler('SIGINT'));
      process.once('SIGTERM', () => handler('SIGTERM'));
    },
  });
}

/** -S, else the server that this pane belongs to, else -L in the socket directory. */
function resolveSocketPath(flags: GlobalFlags): string {
  if (flags.socketPath !== undefined) return flags.socketPath;
  const own = process.env.MPLEX?.split(',')[0];
  if (flags.socketName === 'default' && own) return own;
  return `${ensureSocketDir(process.env, process.getuid?.() ?? 0)}/${flags.socketName}`;
}

async function reachServer(flags: GlobalFlags, socketPath: string): Promise<ServerConnection> {
  const connect = () => connectServer(socketPath, { version: VERSION, pid: process.pid });
  const first = await connect();
  if (first.kind === 'connected') return first.connection;
  if (flags.noStart || !startsServer(flags.argv)) throw new MplexError('io', first.message);
  await startServer({
    socketPath,
    configs: flags.configs,
    env: process.env,
    logFile: flags.verbose > 0 ? `${process.cwd()}/mplex-server-${process.pid}.log` : undefined,
  });
  const second = await connect();
  if (second.kind === 'connected') return second.connection;
  throw new MplexError('io', second.message);
}

function makeCall(flags: GlobalFlags, asTmux: boolean): CommandCall {
  return {
    kind: 'command',
    argv: flags.argv,
    cwd: currentDirectory(),
    environ: Object.entries(process.env).map(([name, value]) => `${name}=${value ?? ''}`),
    pid: process.pid,
    terminal: callerTerminal(),
    flags: {
      noStart: flags.noStart,
      colors256: flags.colors256,
      utf8: flags.utf8,
      asTmux,
      control: flags.control,
    },
  };
}

function currentDirectory(): string {
  try {
    return process.cwd();
  } catch {
    return process.env.PWD ?? '/';
  }
}

function callerTerminal(): CallerTerminal | undefined {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return undefined;
  return {
    size: { cols: process.stdout.columns || 80, rows: process.stdout.rows || 24 },
    tty: ttyName(),
    term: process.env.TERM ?? '',
  };
}

function ttyName(): string {
  try {
    return readlinkSync('/proc/self/fd/0');
  } catch {
    return `/dev/tty-${process.pid}`;
  }
}

main().then(
  (code) => {
    process.exitCode = code;
    // An attached client's stdin may still be referenced.
    process.stdin.unref?.();
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = error instanceof MplexError && error.code === 'usage' ? 2 : 1;
    process.stdin.unref?.();
  },
);
