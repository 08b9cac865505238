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
  readonly #filledTables = new Map<string, Map<Key, KeyBinding>>();
  /** The bindings the server started with, for `unbind-key` and a later `bind-key` without a command. */
  #defaults = new Map<string, Map<Key, KeyBinding>>();
  #rest: Iterator<unknown> | undefined;
  #isFilling = false;
  #version = 0;

  /** Grows with each change of the bindings that the server started with; 0 if there was none. */
  get version(): number {
    return this.#version;
  }

  /**
   * The steps of `bindings` make the bindings that a server starts with. They are put off until one is asked for or
   * `fillSome` is called: to parse them all takes as long as the rest of a start.
   */
  fillLater(bindings: Iterator<unknown>): void {
    this.#rest = bindings;
  }

  /** Takes one step; whether there are more. */
  fillSome(): boolean {
    // A step binds keys and thereby comes back here.
    if (!this.#rest || this.#isFilling) return false;
    this.#isFilling = true;
    try {
      if (!this.#rest.next().done) return true;
    } finally {
      this.#isFilling = false;
    }
    this.#rest = undefined;
    this.#version = 0;
    this.#defaults = new Map([...this.#filledTables].map(([name, keys]) => [name, new Map(keys)]));
    return false;
  }

  ensureFilled(): void {
    while (this.fillSome());
  }

  get #tables(): Map<string, Map<Key, KeyBinding>> {
    if (this.#rest) this.ensureFilled();
    return this.#filledTables;
  }

  bind(table: string, binding: KeyBinding): void {
    let keys = this.#tables.get(table);
    if (!keys) {
      keys = new Map();
      this.#tables.set(table, keys);
    }
    keys.set(binding.key, binding);
    this.#version++;
  }

  /** Takes a key out; a table left empty goes too. False if the key was not bound. */
  unbind(table: string, key: Key): boolean {
    const keys = this.#tables.get(table);
    this.#version++;
    const had = keys?.delete(key) ?? false;
    if (keys?.size === 0) this.#tables.delete(table);
    return had;
  }

  /** Takes a whole table out (`unbind-key -a`). */
  clear(table: string): void {
    this.#tables.delete(table);
    this.#version++;
  }

  /** A key's own binding. */
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

  defaultOf(table: string, key: Key): KeyBinding | undefined {
    this.ensureFilled();
    return this.#defaults.get(table)?.get(key);
  }
}
