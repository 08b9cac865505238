/** For viewers that each look at their own times: what changed since they looked last. */
export interface RowStamps {
  /** Grows with every change. */
  readonly stamp: number;
  /** Whether row `y` may have changed since `stamp` was this. */
  hasChanged(y: number, since: number): boolean;
}

/** Stamps rows as they change. */
export class DirtyTracker implements RowStamps {
  #stamp = 1;
  #allStamp = 1;
  readonly #stamps: number[] = [];

  /** Rows `top` to `bottom` (inclusive) may have changed. */
  mark(top: number, bottom: number): void {
    this.#stamp++;
    for (let y = Math.max(0, top); y <= bottom; y++) this.#stamps[y] = this.#stamp;
  }

  /** Everything may have changed: size, buffer, reset. */
  markAll(): void {
    this.#allStamp = ++this.#stamp;
  }

  get stamp(): number {
    return this.#stamp;
  }

  hasChanged(y: number, since: number): boolean {
    return this.#allStamp > since || (this.#stamps[y] ?? 0) > since;
  }
}
