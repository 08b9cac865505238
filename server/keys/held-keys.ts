/** Keys that a client holds down, by the pane whose program is to hear of their release. */
import { type Key, type KeyDetail, parseChord } from '../../protocol/key.ts';
import type { Pane } from '../model/pane.ts';

/** Keys held at once; of more the oldest are forgotten. */
const HELD_MAX = 32;

export class HeldKeys {
  readonly #held = new Map<string, Pane>();

  press(key: Key, pane: Pane): void {
    this.#held.set(baseOf(key), pane);
    const oldest = this.#held.size > HELD_MAX ? this.#held.keys().next().value : undefined;
    if (oldest !== undefined) this.#held.delete(oldest);
  }

  /** The pane that got the press; undefined if none did, or if it has heard of the release. */
  release(key: Key, { code, shifted }: KeyDetail): Pane | undefined {
    // Modifiers may be let go before the key, which changes its name.
    const names = [
      baseOf(key),
      ...[code, shifted].filter((each) => each > 0).map((each) => String.fromCodePoint(each).toLowerCase()),
    ];
    const name = names.find((each) => this.#held.has(each));
    if (name === undefined) return undefined;
    const pane = this.#held.get(name);
    this.#held.delete(name);
    return pane;
  }
}

function baseOf(key: Key): string {
  return (parseChord(key)?.base ?? key).toLowerCase();
}
