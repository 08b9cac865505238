/** Commands about key bindings (tmux(1) KEY BINDINGS). */
import type { Key } from '../../../protocol/key.ts';
import { textWidth } from '../../../src/overlay/text-width.ts';
import { compareKeys, parseKeyName, printKeyName } from '../../keys/key-names.ts';
import type { KeyBinding } from '../../keys/key-table.ts';
import { type Args, argumentsFrom } from '../args.ts';
import { printArgument, printCommands } from '../command-print.ts';
import { type CommandResult, failed, OK } from '../command-queue.ts';
import type { Argument } from '../parser.ts';
import type { CommandContext, Entry } from './context.ts';
import type { LanguageResult } from './language.ts';

/** Always there, also with no key in it: what clients look keys up in. */
const ROOT_TABLE = 'root';

function tableOf(args: Args): string {
  return args.value('T') ?? (args.has('n') ? ROOT_TABLE : 'prefix');
}

const bindKey: Entry = {
  name: 'bind-key',
  alias: 'bind',
  args: { template: 'nrN:T:', min: 1, max: -1, blocks: argumentsFrom(1) },
  usage: '[-nr] [-T key-table] [-N note] key [command [arguments]]',
  help: 'Bind a key to commands',
  exec(context, args) {
    const name = args.string(0) ?? '';
    const key = parseKeyName(name);
    if (key === undefined) return failed(`unknown key: ${name}`);
    const table = tableOf(args);
    const { keys } = context.services;
    const note = args.value('N');
    if (args.positional.length === 1) {
      const before = keys.get(table, key);
      if (before) keys.bind(table, { ...before, note });
      return OK;
    }
    const parsed = commandsOf(context, args.positional.slice(1));
    if (!parsed.ok) return failed(parsed.error);
    keys.bind(table, { key, commands: parsed.commands, repeat: args.has('r'), note });
    return OK;
  },
};

/** The commands that arguments give: one block, one text, or words with `;` between commands. */
function commandsOf(context: CommandContext, words: readonly Argument[]): LanguageResult {
  const [first] = words;
  if (words.length > 1 || first === undefined) return context.parseArguments(words);
  return typeof first === 'string' ? context.parse(first) : { ok: true, commands: first };
}

const unbindKey: Entry = {
  name: 'unbind-key',
  alias: 'unbind',
  args: { template: 'anqT:', min: 0, max: 1 },
  usage: '[-anq] [-T key-table] key',
  help: 'Unbind a key or a whole table (-a)',
  exec(context, args) {
    const problem = unbind(context, args);
    return problem === undefined || args.has('q') ? OK : failed(problem);
  },
};

function unbind(context: CommandContext, args: Args): string | undefined {
  const { keys } = context.services;
  const name = args.string(0);
  const table = tableOf(args);
  const isMissing = args.value('T') !== undefined && table !== ROOT_TABLE && !keys.has(table);
  if (args.has('a')) {
    if (name !== undefined) return 'key given with -a';
    if (isMissing) return `table ${table} doesn't exist`;
    keys.clear(table);
    leaveTable(context, table);
    return undefined;
  }
  if (name === undefined) return 'missing key';
  const key = parseKeyName(name);
  if (key === undefined) return `unknown key: ${name}`;
  if (isMissing) return `table ${table} doesn't exist`;
  keys.unbind(table, key);
  if (!keys.has(table)) leaveTable(context, table);
  return undefined;
}

/** Clients that were about to look a key up in a table that is gone start afresh. */
function leaveTable(context: CommandContext, table: string): void {
  for (const client of context.registry.attachedClients()) {
    if (client.keyTable !== table) continue;
    client.keyTable = undefined;
    client.repeatUntil = 0;
  }
}

const listKeys: Entry = {
  name: 'list-keys',
  alias: 'lsk',
  args: { template: '1aNP:T:', min: 0, max: 1 },
  usage: '[-1aN] [-P prefix-string] [-T key-table] [key]',
  help: 'List key bindings as commands, or with their notes (-N)',
  startsServer: true,
  exec(context, args) {
    const name = args.string(0);
    const only = name === undefined ? undefined : parseKeyName(name);
    if (name !== undefined && only === undefined) return failed(`invalid key: ${name}`);
    const table = args.value('T');
    if (table !== undefined && table !== ROOT_TABLE && !context.services.keys.has(table))
      return failed(`table ${table} doesn't exist`);
    const lines = args.has('N') ? noteLines(context, args, only) : bindingLines(context, table, only);
    if (only !== undefined && lines.length === 0) return failed(`unknown key: ${name}`);
    return printLines(context, lines, args.has('N') && args.has('1'));
  },
};

/** A single note is told in the status line of a client, if there is one. */
function printLines(context: CommandContext, lines: readonly string[], isSingle: boolean): CommandResult {
  const { client } = context;
  for (const line of lines) {
    if (isSingle && client) context.services.showMessage(client, line);
    else context.print(line);
  }
  return OK;
}

function bindingsOf(context: CommandContext, table: string | undefined, only: Key | undefined) {
  return context.services.keys
    .tables()
    .filter(([name]) => table === undefined || name === table)
    .flatMap(([name, bindings]) =>
      bindings
        .filter(({ key }) => only === undefined || key === only)
        .sort((a, b) => compareKeys(a.key, b.key))
        .map((binding) => ({ table: name, binding })),
    );
}

/** `bind-key -r -T prefix Up select-pane -U`: what would make each binding again. */
function bindingLines(context: CommandContext, table: string | undefined, only: Key | undefined): string[] {
  const rows = bindingsOf(context, table, only).map((row) => ({
    ...row,
    keyText: printArgument(printKeyName(row.binding.key)),
    tableText: printArgument(row.table),
  }));
  const tableWidth = widest(rows.map((row) => row.tableText));
  const keyWidth = widest(rows.map((row) => row.keyText));
  const hasRepeat = rows.some(({ binding }) => binding.repeat);
  return rows.map(({ binding, keyText, tableText }) => {
    const repeat = !hasRepeat ? '' : binding.repeat ? ' -r' : '   ';
    const commands = printCommands(binding.commands);
    return `bind-key${repeat} -T ${pad(tableText, tableWidth)} ${pad(keyText, keyWidth)} ${commands}`;
  });
}

/** `C-b c     Create a new window`: keys that have a note, of one table or of root and prefix. */
function noteLines(context: CommandContext, args: Args, only: Key | undefined): string[] {
  const table = args.value('T');
  const start = args.value('P') ?? (table === undefined ? prefixText(context) : '');
  const parts =
    table === undefined
      ? [
          { table: ROOT_TABLE, start: ' '.repeat(textWidth(start)) },
          // Without a prefix key nobody can type what its table has.
          ...(context.registry.sessionOptions.string('prefix') === 'None' ? [] : [{ table: 'prefix', start }]),
        ]
      : [{ table, start }];
  const rows = parts.map((part) => ({ ...part, bindings: notable(context, part.table, only) }));
  const noted = rows.flatMap(({ bindings }) => bindings.filter(({ note }) => note));
  const width = widest(noted.map(({ key }) => printKeyName(key)));
  // As in tmux, a key without a note is unknown where it is asked for.
  if (width === 0 && only !== undefined) return [];
  return rows.flatMap(({ start: begin, bindings }) => {
    const listed = args.has('a') ? bindings : bindings.filter(({ note }) => note);
    return (args.has('1') ? listed.slice(0, 1) : listed).map((binding) => {
      const text = binding.note || printCommands(binding.commands);
      return `${begin}${pad(printKeyName(binding.key), width === 0 ? 0 : width + 1)}${text}`;
    });
  });
}

/** Bindings of keys, not of the mouse. */
function notable(context: CommandContext, table: string, only: Key | undefined): KeyBinding[] {
  return bindingsOf(context, table, only)
    .map(({ binding }) => binding)
    .filter(({ key }) => !/(?:Mouse|Wheel|Click)/.test(key));
}

function prefixText(context: CommandContext): string {
  const prefix = context.registry.sessionOptions.string('prefix');
  return prefix === 'None' ? '' : `${printKeyName(prefix)} `;
}

function widest(texts: readonly string[]): number {
  return texts.reduce((width, text) => Math.max(width, textWidth(text)), 0);
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)));
}

export const KEY_ENTRIES: readonly Entry[] = [bindKey, listKeys, unbindKey];
