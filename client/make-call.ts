/** The call of a command line: its words, and what the server may want to know of who makes it. */
import { fstatSync, readlinkSync, statSync } from 'node:fs';
import type { CallerTerminal, CommandCall } from '../protocol/message.ts';
import type { GlobalFlags } from './cli.ts';

/** `asTmux`: called under tmux's name. */
export function makeCall(flags: GlobalFlags, asTmux: boolean): CommandCall {
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

/** Whether a person sits there: standard input and output are a terminal. */
export function hasTerminal(): boolean {
  return isTerminal(1) && isTerminal(0);
}

/** A look at the file comes first: Node's word for it is in a part that takes time to load, and most calls have no terminal. */
function isTerminal(fd: number): boolean {
  try {
    const stat = fstatSync(fd);
    if (!stat.isCharacterDevice() || stat.rdev === statSync('/dev/null').rdev) return false;
  } catch {
    return false;
  }
  return process.getBuiltinModule('node:tty').isatty(fd);
}

function callerTerminal(): CallerTerminal | undefined {
  if (!hasTerminal()) return undefined;
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
