import { spawnSync } from 'node:child_process';
import { anyArgument, argumentsFrom, type BlockRule, menuCommands, parseArgs } from '../../../server/command/args.ts';
import { type ArgsRow, checkCommands } from '../../../server/command/command.ts';
import { type ParsedCommand, type ParseOptions, parseArgv, parseCommands } from '../../../server/command/parser.ts';

/** Where tmux takes blocks in braces. */
const BLOCKS: Readonly<Record<string, BlockRule>> = {
  'bind-key': anyArgument,
  'choose-buffer': anyArgument,
  'choose-client': anyArgument,
  'choose-tree': anyArgument,
  'command-prompt': anyArgument,
  'confirm-before': anyArgument,
  'display-menu': menuCommands,
  'display-panes': anyArgument,
  'if-shell': argumentsFrom(1),
  'run-shell': (_index, args) => args.has('C'),
  'set-hook': argumentsFrom(1),
  'set-option': argumentsFrom(1),
  'set-window-option': argumentsFrom(1),
};

/** The counts of positional arguments that the tests depend on; the others are not limited here. */
const COUNTS: Readonly<Record<string, readonly [number, number]>> = {
  'bind-key': [1, -1],
  'display-message': [0, 1],
  'if-shell': [2, 3],
  'kill-server': [0, 0],
  'rename-window': [1, 1],
};

/** tmux's commands as rows, made from what its list-commands prints. */
export function tmuxRows(listCommands: string): ArgsRow[] {
  return listCommands.split('\n').flatMap((line) => {
    const match = /^(\S+) (?:\((\S+)\) )?(.*)$/.exec(line);
    if (match === null) return [];
    const [, name = '', alias, usage = ''] = match;
    const [min, max] = COUNTS[name] ?? [0, -1];
    const blocks = BLOCKS[name];
    const args = { template: templateOf(usage), min, max, ...(blocks === undefined ? {} : { blocks }) };
    return [{ name, usage, args, ...(alias === undefined ? {} : { alias }) }];
  });
}

function templateOf(usage: string): string {
  let template = '';
  for (const [, flags = '', value] of usage.matchAll(/\[-([A-Za-z0-9]+)(?: ([^\]]+))?\]/g)) {
    template += value === undefined ? flags : `${flags}:`;
  }
  return template;
}

export const PLAIN: ParseOptions = {
  environ: (name) => ({ FOO: 'foo', HOME: '/home/u' })[name],
  expandFormat: (format) => format,
  home: '/home/u',
};

export type Outcome =
  | { readonly ok: true; readonly commands: readonly ParsedCommand[] }
  | { readonly ok: false; readonly error: string };

/** Parses and checks a text as a file would be. */
export function readText(text: string, rows: readonly ArgsRow[], options: ParseOptions): Outcome {
  const parsed = parseCommands(text, options);
  if (!parsed.ok) return { ok: false, error: `${options.file}:${parsed.line}: ${parsed.error}` };
  const checked = checkCommands(parsed.commands, rows);
  if (!checked.ok) return { ok: false, error: `${options.file}:${checked.line}: ${checked.error}` };
  return checked;
}

/** What bind-key binds, given its arguments after the key. */
export function boundCommands(bind: ParsedCommand, rows: readonly ArgsRow[]): Outcome {
  const args = parseArgs(bind.args, { template: 'nrN:T:', min: 1, max: -1, blocks: anyArgument });
  const rest = args.ok ? args.args.positional.slice(1) : [];
  const [first] = rest;
  if (rest.length === 1 && typeof first === 'object') return { ok: true, commands: first };
  const parsed =
    rest.length === 1 && typeof first === 'string'
      ? parseCommands(first, { ...PLAIN, oneGroup: true })
      : parseArgv(rest);
  return parsed.ok ? checkCommands(parsed.commands, rows) : parsed;
}

export function tmuxInstalled(): boolean {
  const version = spawnSync('tmux', ['-V'], { encoding: 'utf8' });
  const found = version.status === 0 && version.stdout.trim() === 'tmux 3.3a';
  if (!found) console.log('skipped: tmux 3.3a is not installed, the command language is not compared with it');
  return found;
}
