/**
 * What a program asked of the keyboard by the kitty protocol: a stack of flags for each of the two screens. The top is in
 * force; there is always one entry.
 */
import { KEY_FLAGS_ALL } from '../../protocol/key.ts';

/** Entries of a stack; a push onto a full one loses the oldest. */
export const KEYBOARD_STACK_MAX = 10;

/** A stack as plain data, the top last. */
export type SavedKeyboard = readonly number[];

export class KeyboardStack {
  #entries: number[] = [0];

  /** Sum of KEY_FLAGS. */
  get flags(): number {
    return this.#entries.at(-1) ?? 0;
  }

  get saved(): SavedKeyboard {
    return [...this.#entries];
  }

  /** `CSI > flags u`. */
  push(flags: number): void {
    this.#entries.push(flags & KEY_FLAGS_ALL);
    if (this.#entries.length > KEYBOARD_STACK_MAX) this.#entries.shift();
  }

  /** `CSI < count u`; 0 counts as 1. An emptied stack asks for nothing. */
  pop(count: number): void {
    this.#entries.splice(Math.max(0, this.#entries.length - Math.max(1, count)));
    if (this.#entries.length === 0) this.#entries.push(0);
  }

  /** `CSI = flags ; mode u`: 1 sets all of them, 2 adds those given, 3 takes those given away; others do nothing. */
  set(flags: number, mode: number): void {
    const given = flags & KEY_FLAGS_ALL;
    const top = this.#entries.length - 1;
    if (mode <= 1) this.#entries[top] = given;
    else if (mode === 2) this.#entries[top] = this.flags | given;
    else if (mode === 3) this.#entries[top] = this.flags & ~given;
  }

  reset(): void {
    this.#entries = [0];
  }

  restore(saved: SavedKeyboard): void {
    const entries = saved.slice(-KEYBOARD_STACK_MAX).map((flags) => flags & KEY_FLAGS_ALL);
    this.#entries = entries.length === 0 ? [0] : entries;
  }
}
