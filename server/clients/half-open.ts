/**
 * Peers that have connected and said nothing yet. Only so many are kept, and the oldest goes first: who connects a thousand
 * times and keeps silent costs little, and whoever speaks at once always gets through.
 */
export class HalfOpen {
  readonly #max: number;
  readonly #waiting = new Set<() => void>();

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** A peer arrives; `close` is how it is turned away. The returned function says that it has spoken or gone. */
  enter(close: () => void): () => void {
    const turnAway = () => close();
    this.#waiting.add(turnAway);
    const [oldest] = this.#waiting;
    if (this.#waiting.size > this.#max && oldest) {
      this.#waiting.delete(oldest);
      oldest();
    }
    return () => void this.#waiting.delete(turnAway);
  }
}
