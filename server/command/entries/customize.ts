/** customize-mode (tmux(1)): options and key bindings in a list, to be looked at and changed. */

import { isTrue } from '../../format/format-expand.ts';
import { compareKeys, printKeyName } from '../../keys/key-names.ts';
import { type BoundKey, CustomizeSource } from '../../mode/customize-source.ts';
import { printCommands } from '../command-print.ts';
import type { CommandContext, Entry } from './context.ts';
import { openSeenList } from './pickers.ts';

const customizeMode: Entry = {
  name: 'customize-mode',
  args: { template: 'F:f:Nt:Z', min: 0, max: 0 },
  usage: '[-NZ] [-F format] [-f filter] [-t target-pane]',
  target: { flag: 't', kind: 'pane' },
  help: 'Look at options and key bindings, and change them',
  exec(context, args) {
    const { pane, session } = context.target;
    return openSeenList(context, {
      source: new CustomizeSource(customizeServices(context), { session, pane, format: args.value('F') }),
      filter: args.value('f'),
      hidePreview: args.has('N'),
      zoom: args.has('Z'),
    });
  },
};

function customizeServices(context: CommandContext): ConstructorParameters<typeof CustomizeSource>[0] {
  const { keys } = context.services;
  return {
    registry: context.registry,
    keyTables: () =>
      keys.tables().map(([name, bindings]) => ({
        name,
        keys: [...bindings]
          .sort((a, b) => compareKeys(a.key, b.key))
          .map(({ key, commands, note = '', repeat }) => ({
            key: printKeyName(key),
            command: printCommands(commands),
            note,
            repeat,
          })),
      })),
    bind: (table, bound) => bindKey(context, table, bound),
    unbind: (table, key) => keys.unbind(table, storedName(context, table, key)),
    resetKey: (table, key) => {
      const name = storedName(context, table, key);
      const before = keys.defaultOf(table, name);
      if (before) keys.bind(table, before);
      else keys.unbind(table, name);
    },
    expand: (format, extra) => context.expand(format, { extra }),
    isTrue,
  };
}

/** The key as its table has it, from the way it is printed. */
function storedName(context: CommandContext, table: string, printed: string): string {
  const [, bindings = []] = context.services.keys.tables().find(([name]) => name === table) ?? [];
  return bindings.find(({ key }) => printKeyName(key) === printed)?.key ?? printed;
}

function bindKey(context: CommandContext, table: string, { key, command, note, repeat }: BoundKey): string | undefined {
  const parsed = context.parse(command);
  if (!parsed.ok) return parsed.error;
  const name = storedName(context, table, key);
  context.services.keys.bind(table, {
    key: name,
    commands: parsed.commands,
    repeat,
    note: note === '' ? undefined : note,
  });
  return undefined;
}

export const CUSTOMIZE_ENTRIES: readonly Entry[] = [customizeMode];
