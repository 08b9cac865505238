/** Flags that several commands about panes have: -c, -e and the shell command of a new one, and directions. */
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { Direction } from '../../layout/layout-neighbours.ts';
import { Environ } from '../../model/environ.ts';
import type { PaneCommand } from '../../model/pane.ts';
import type { Args } from '../args.ts';
import type { CommandContext } from './context.ts';

/** The `-e NAME=value` flags; undefined without any. */
export function environFlag(args: Args): Environ | undefined {
  const pairs = args.values('e');
  if (pairs.length === 0) return undefined;
  const environ = new Environ();
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    if (at > 0) environ.set(pair.slice(0, at), pair.slice(at + 1));
  }
  return environ;
}

/** The directory for a new pane: `-c` expanded, else the caller's, else the session's. */
export function startDirectory(context: CommandContext, flag: string | undefined): string | undefined {
  const session = context.current.session;
  const base =
    (context.caller.kind === 'call' || context.caller.kind === 'control' ? context.caller.cwd : undefined) ??
    session?.cwd ??
    context.caller.cwd ??
    homedir();
  if (flag === undefined) return base;
  const path = context.expand(flag);
  return path === '' ? base : resolve(base, path);
}

/** The program for a new pane from the positional arguments and -c. */
export function paneCommand(context: CommandContext, args: Args): PaneCommand {
  return { argv: args.strings(0), cwd: startDirectory(context, args.value('c')) ?? '/' };
}

const DIRECTIONS: readonly (readonly [flag: string, Direction])[] = [
  ['L', 'left'],
  ['R', 'right'],
  ['U', 'up'],
  ['D', 'down'],
];

/** The direction of -L, -R, -U or -D; undefined without any. */
export function directionFlag(args: Args): Direction | undefined {
  return DIRECTIONS.find(([flag]) => args.has(flag))?.[1];
}
