/** command-palette, mplex's own: every window, key and command, or the keys alone, in a list that is narrowed by typing. */
import type { FilterItem } from '../../../src/overlay/filter-list.ts';
import { printKeyName } from '../../keys/key-names.ts';
import type { KeyBinding } from '../../keys/key-table.ts';
import type { ClientSession } from '../../model/client-session.ts';
import type { FilterState } from '../../model/reopening.ts';
import { usageLine } from '../command.ts';
import { printCommands } from '../command-print.ts';
import { type CommandResult, failed, OK } from '../command-queue.ts';
import type { ParsedCommand } from '../parser.ts';
import { isTakenFor } from './caller.ts';
import type { CommandContext, Entry } from './context.ts';
import { createFilterOverlay } from './list-overlay.ts';

/** An item and what choosing it does. */
interface PaletteLine {
  readonly item: Omit<FilterItem, 'id'>;
  readonly choose: () => CommandResult;
}

const commandPalette: Entry = {
  name: 'command-palette',
  own: true,
  args: { template: 'kt:', min: 0, max: 0 },
  usage: '[-k] [-t target-client]',
  client: { flag: 't' },
  help: 'Choose a window, key or command (with -k: a key) from a list that is narrowed by typing',
  exec(context, args) {
    const { client } = context;
    if (!client) return failed('no current client');
    if (isTakenFor(context, client)) return OK;
    const isKeys = args.has('k');
    const lines = isKeys ? keyTableLines(context) : allLines(context, client);
    const items = lines.map(({ item }, id) => ({ ...item, id }));
    return new Promise((resolve) => {
      const done = (id: number | undefined) => {
        context.registry.markClient(client);
        resolve(lines[id ?? -1]?.choose() ?? OK);
      };
      const { overlays } = context.services;
      const reopened = context.reopened?.kind === 'filter' ? { reopened: context.reopened } : {};
      const reopening = (state: FilterState) => context.reopening(state);
      const title = isKeys ? 'keys' : 'mplex';
      const request = { purpose: 'palette', title, items, isPager: isKeys, done, reopening, ...reopened };
      overlays.open(client, createFilterOverlay(overlays, client, request));
      context.registry.markClient(client);
    });
  },
};

function allLines(context: CommandContext, client: ClientSession): PaletteLine[] {
  return [...windowLines(context, client), ...keyLines(context), ...commandLines(context)];
}

function windowLines(context: CommandContext, client: ClientSession): PaletteLine[] {
  const { registry, services } = context;
  return registry.sessionsByName().flatMap((session) =>
    session.winlinks.map((winlink) => ({
      item: {
        text: `${session.name}:${winlink.index} ${winlink.window.name}`,
        detail: 'window',
        words: 'switch session',
      },
      choose: () => {
        // It may have gone while the list was open.
        if (session.at(winlink.index) !== winlink) return failed("can't find window");
        services.lifecycle.selectWindow(winlink);
        services.switchClient(client, session);
        return OK;
      },
    })),
  );
}

function keyLines(context: CommandContext): PaletteLine[] {
  const tables = new Map(context.services.keys.tables());
  const prefix = printKeyName(context.registry.sessionOptions.string('prefix'));
  return (tables.get('prefix') ?? []).flatMap(({ key, commands, note }) => {
    if (!note || commands[0]?.name === commandPalette.name) return [];
    const item = { text: note, detail: `${prefix} ${printKeyName(key)}`, words: printCommands(commands) };
    return [{ item, choose: () => run(context, commands) }];
  });
}

/** Keys of the prefix and of the table root that have a note, the key before it as `list-keys -N` prints them. */
function keyTableLines(context: CommandContext): PaletteLine[] {
  const tables = new Map(context.services.keys.tables());
  const prefix = `${printKeyName(context.registry.sessionOptions.string('prefix'))} `;
  const keys = [...keysOf(tables.get('root'), ''), ...keysOf(tables.get('prefix'), prefix)];
  const width = Math.max(0, ...keys.map(({ name }) => name.length));
  return keys.map(({ name, note, commands }) => ({
    item: { text: `${name.padEnd(width)} ${note}`, detail: '', words: printCommands(commands) },
    choose: () => run(context, commands),
  }));
}

function keysOf(bindings: readonly KeyBinding[] | undefined, prefix: string) {
  return (bindings ?? []).flatMap(({ key, note, commands }) =>
    note ? [{ name: `${prefix}${printKeyName(key)}`, note, commands }] : [],
  );
}

function run(context: CommandContext, commands: readonly ParsedCommand[]): CommandResult {
  context.insert(commands);
  return OK;
}

/** Commands are finished in a prompt: most need to be told more. */
function commandLines(context: CommandContext): PaletteLine[] {
  return context.services.entries.map((entry) => ({
    item: { text: entry.name, detail: entry.help, words: usageLine(entry, { withAlias: true }) },
    choose: () => askRest(context, entry),
  }));
}

function askRest(context: CommandContext, entry: Entry): CommandResult {
  const asked = context.parse(`command-prompt -b -I '${entry.name} '`);
  return asked.ok ? run(context, asked.commands) : failed(asked.error);
}

export const PALETTE_ENTRIES: readonly Entry[] = [commandPalette];
