import type { Key } from '../../protocol/key.ts';
import type { ParsedCommand } from '../command/parser.ts';

export interface KeyBinding {
  readonly key: Key;
  readonly commands: readonly ParsedCommand[];
  /** `bind-key -r`: works again without the prefix within repeat-time. */
  readonly repeat: boolean;
  /** `bind-key -N`: what it does, for list-keys -N. */
  readonly note: string | undefined;
}

/** The named key tables: prefix, root, copy-mode, copy-mode-vi and whatever configs add. */
export class KeyTables {
  readonly #tables = new Map<string, Map<Key, KeyBinding>>();
  /** The bindings the server started with, for `unbind-key` and a later `bind-key` without a command. */
  #defaults = new Map<string, Map<Key, KeyBinding>>();

  bind(table: string, binding: KeyBinding): void {
    let keys = this.#tables.get(table);
    if (!keys) {
      keys = new Map();
      this.#tables.set(table, keys);
    }
    keys.set(binding.key, binding);
  }

  /** Takes a key out; a table left empty goes too. False if the key was not bound. */
  unbind(table: string, key: Key): boolean {
    const keys = this.#tables.get(table);
    const had = keys?.delete(key) ?? false;
    if (keys?.size === 0) this.#tables.delete(table);
    return had;
  }

  /** Takes a whole table out (`unbind-key -a`). */
  clear(table: string): void {
    this.#tables.delete(table);
  }

  /** What a key does: its own binding, else the table's `Any`. */
  lookup(table: string, key: Key): KeyBinding | undefined {
    const keys = this.#tables.get(table);
    return keys?.get(key) ?? keys?.get('Any');
  }

  get(table: string, key: Key): KeyBinding | undefined {
    return this.#tables.get(table)?.get(key);
  }

  has(table: string): boolean {
    return this.#tables.has(table);
  }

  /** Tables by name, each with its bindings in the order they were made. */
  tables(): [string, KeyBinding[]][] {
    return [...this.#tables].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, keys]) => [name, [...keys.values()]]);
  }

  /** Remembers the present bindings as the defaults. */
  keepAsDefaults(): void {
    this.#defaults = new Map([...this.#tables].map(([name, keys]) => [name, new Map(keys)]));
  }

  defaultOf(table: string, key: Key): KeyBinding | undefined {
    return this.#defaults.get(table)?.get(key);
  }
}
