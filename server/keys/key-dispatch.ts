/**
 * What a key means for a client: run a binding, be swallowed (the prefix, or a key that the prefix table does not
 * know), or go on to the pane. Pure but for the client's key-table state.
 */
import type { Key } from '../../protocol/key.ts';
import { legacyKey } from '../../protocol/legacy-key.ts';
import type { ClientSession } from '../model/client-session.ts';
import type { Pane } from '../model/pane.ts';
import type { OptionSet } from '../options/option-set.ts';
import type { KeyBinding, KeyTables } from './key-table.ts';

export type KeyDecision =
  | { readonly kind: 'run'; readonly binding: KeyBinding }
  | { readonly kind: 'swallow' }
  | { readonly kind: 'forward' };

export interface DispatchContext {
  readonly tables: KeyTables;
  /** The pane that the key is for: under the mouse, else the active one. */
  readonly pane: Pane | undefined;
  /** ms of the monotonic clock. */
  readonly now: number;
  /**
   * Whether the pane's program tells keys apart that are the same to others: only a key's own binding takes it away.
   */
  readonly isExtended: () => boolean;
}

/** Decides, and moves the client's key table on. */
export function dispatchKey(client: ClientSession, key: Key, context: DispatchContext): KeyDecision {
  const session = client.session;
  if (!session) return { kind: 'swallow' };
  const options = session.options;
  const base = options.string('key-table');
  if (client.repeatUntil !== 0 && context.now > client.repeatUntil) leaveTable(client);

  const custom = client.keyTable;
  const legacy = legacyKey(key);
  const names = legacy === key || (custom === undefined && context.isExtended()) ? [key] : [key, legacy];
  const isPrefix = names.includes(options.string('prefix')) || names.includes(options.string('prefix2'));
  if (isPrefix && key !== 'None' && (custom === undefined || client.repeatUntil !== 0)) {
    client.keyTable = 'prefix';
    client.repeatUntil = 0;
    return { kind: 'swallow' };
  }
  const modeTable = context.pane?.mode ? context.pane.mode.keyTable : liveTable(options);
  for (const table of custom !== undefined ? [custom] : modeTable !== undefined ? [modeTable, base] : [base]) {
    const binding = lookup(context.tables, table, names);
    if (!binding) continue;
    if (client.repeatUntil !== 0 && !binding.repeat) {
      // The time for repeated keys still runs but this one does not repeat: it counts as typed afresh.
      leaveTable(client);
      return dispatchKey(client, key, context);
    }
    followTable(client, binding, options.number('repeat-time'), context.now);
    return { kind: 'run', binding };
  }
  if (custom === undefined) return { kind: 'forward' };
  const wasRepeating = client.repeatUntil !== 0;
  leaveTable(client);
  return wasRepeating ? dispatchKey(client, key, context) : { kind: 'swallow' };
}

/** Keys that scroll a pane which is in no mode (option live-scroll). */
const LIVE_SCROLL_TABLE = 'live-scroll';

function liveTable(options: OptionSet): string | undefined {
  return options.flag('live-scroll') ? LIVE_SCROLL_TABLE : undefined;
}

/** The binding of the first name that has one, else the table's `Any`. */
function lookup(tables: KeyTables, table: string, names: readonly Key[]): KeyBinding | undefined {
  for (const name of names) {
    const binding = tables.get(table, name);
    if (binding) return binding;
  }
  return tables.get(table, 'Any');
}

function followTable(client: ClientSession, binding: KeyBinding, repeatTimeMs: number, now: number): void {
  if (client.keyTable === undefined) return;
  if (binding.repeat && repeatTimeMs > 0) client.repeatUntil = now + repeatTimeMs;
  else leaveTable(client);
}

function leaveTable(client: ClientSession): void {
  client.keyTable = undefined;
  client.repeatUntil = 0;
}
