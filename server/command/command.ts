/** A command's row in the table, and finding and checking commands by the rows. */
import { type Args, type ArgsSpec, parseArgs } from './args.ts';
import type { CommandResult } from './command-queue.ts';
import type { Argument, ParsedCommand } from './parser.ts';
import type { TargetWish } from './target.ts';

/** A flag that names a session, window or pane; it is resolved before the command runs. */
export interface TargetFlag extends TargetWish {
  readonly flag: string;
  /** Without the flag the command also runs where there is nothing to be the default. */
  readonly canFail?: boolean;
}

/** What is needed of a row to find it by a name. */
export interface NamedRow {
  readonly name: string;
  readonly alias?: string;
  /** mplex's own command: only its whole name means it, so that tmux's abbreviations stay what they are. */
  readonly own?: boolean;
}

/** What is needed of a row to read a command's arguments. */
export interface ArgsRow extends NamedRow {
  readonly args: ArgsSpec;
  /** The arguments as list-commands prints them (`[-dErx] [-t target-session]`), without the name. */
  readonly usage: string;
}

export interface CommandEntry<Context> extends ArgsRow {
  /** What it does, in one line. */
  readonly help: string;
  /** A call of this command starts a server where none runs. */
  readonly startsServer?: boolean;
  /** The hook that follows it, where that is not `after-` with its name. */
  readonly hook?: string;
  readonly target?: TargetFlag;
  readonly source?: TargetFlag;
  /** The flag that names a client. */
  readonly client?: { readonly flag: string; readonly canFail?: boolean };
  exec(context: Context, args: Args): CommandResult | Promise<CommandResult>;
}

/** Finds a row by its name, its alias or a beginning that no other name has; the error names the candidates. */
export function findEntry<Row extends NamedRow>(
  table: readonly Row[],
  name: string,
): { readonly ok: true; readonly entry: Row } | { readonly ok: false; readonly error: string } {
  const exact = table.find((row) => row.alias === name || row.name === name);
  if (exact !== undefined) return { ok: true, entry: exact };
  const found = table.filter((row) => !row.own && row.name.startsWith(name));
  const [first] = found;
  if (first === undefined) return { ok: false, error: `unknown command: ${name}` };
  if (found.length === 1) return { ok: true, entry: first };
  const names = found.map((row) => row.name).join(', ');
  return { ok: false, error: `ambiguous command: ${name}, could be: ${names}` };
}

/** The usage line that `-?` and list-commands show: `new-window (neww) [-abdkPS] …`, with or without the alias. */
export function usageLine(row: ArgsRow, options: { readonly withAlias: boolean }): string {
  const alias = options.withAlias && row.alias !== undefined ? ` (${row.alias})` : '';
  return `${row.name}${alias} ${row.usage}`;
}

/** A failed `parseArgs` as tmux tells it: `command NAME: …`, or the usage line for `-?`. */
function argsMessage(row: ArgsRow, failure: { readonly error: string; readonly usage: boolean }): string {
  return failure.usage ? `usage: ${usageLine(row, { withAlias: false })}` : `command ${row.name}: ${failure.error}`;
}

export type CheckedCommands =
  | { readonly ok: true; readonly commands: readonly ParsedCommand[] }
  | {
      readonly ok: false;
      readonly error: string;
      readonly line: number | undefined;
      /** The commands of the lines before the mistake. */
      readonly before?: readonly ParsedCommand[];
    };

/**
 * Checks commands by their rows, blocks in braces included, and gives them in the form in which they are kept and printed:
 * full names, flags in order. `expandAlias` gives what a `command-alias` of that name stands for, parsed, without its line
 * (an alias is not looked for within one); `undefined` if there is none.
 */
export function checkCommands(
  commands: readonly ParsedCommand[],
  table: readonly ArgsRow[],
  expandAlias?: (name: string) => ExpandedAlias | undefined,
): CheckedCommands {
  const checked: ParsedCommand[] = [];
  for (const command of commands) {
    const alias = expandAlias?.(command.name);
    if (alias !== undefined && !alias.ok) return { ok: false, error: alias.error, line: command.line };
    const result =
      alias === undefined
        ? checkCommand(command, table, expandAlias)
        : checkCommands(applyAlias(alias.commands, command), table);
    if (!result.ok) return { ...result, before: checked.filter(({ group }) => group !== command.group) };
    checked.push(...result.commands);
  }
  return { ok: true, commands: checked };
}

export type ExpandedAlias =
  | { readonly ok: true; readonly commands: readonly ParsedCommand[] }
  | { readonly ok: false; readonly error: string };

/** An alias's commands in the place of the one that named it, whose arguments go to the last. */
function applyAlias(expansion: readonly ParsedCommand[], command: ParsedCommand): ParsedCommand[] {
  const { file, line, group } = command;
  return expansion.map((part, index) => ({
    name: part.name,
    args: index === expansion.length - 1 ? [...part.args, ...command.args] : part.args,
    file,
    line,
    group,
  }));
}

function checkCommand(
  command: ParsedCommand,
  table: readonly ArgsRow[],
  expandAlias: ((name: string) => ExpandedAlias | undefined) | undefined,
): CheckedCommands {
  const args: Argument[] = [];
  for (const argument of command.args) {
    if (typeof argument === 'string') args.push(argument);
    else {
      const block = checkCommands(argument, table, expandAlias);
      if (!block.ok) return block;
      args.push(block.commands);
    }
  }
  const found = findEntry(table, command.name);
  if (!found.ok) return { ok: false, error: found.error, line: command.line };
  const parsed = parseArgs(args, found.entry.args);
  if (!parsed.ok) return { ok: false, error: argsMessage(found.entry, parsed), line: command.line };
  return { ok: true, commands: [{ ...command, name: found.entry.name, args: parsed.args.toArguments() }] };
}
