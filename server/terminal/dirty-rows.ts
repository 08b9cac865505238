/** What changed on the screen since it was last asked. */
export interface DirtyRows {
  /** Everything may have changed: size, buffer, reset. */
  readonly all: boolean;
  /** First and last changed row; `top > bottom` if none. */
  readonly top: number;
  readonly bottom: number;
  /** Rows by which the whole screen moved up meanwhile. */
  readonly scrolledOff: number;
}

/** For viewers that each look at their own times: what changed since they looked last. */
export interface RowStamps {
  /** Grows with every change. */
  readonly stamp: number;
  /** Whether row `y` may have changed since `stamp` was this. */
  hasChanged(y: number, since: number): boolean;
}

/** Gathers changed rows between two takes, and stamps them. */
export class DirtyTracker implements RowStamps {
  #stamp = 1;
  #allStamp = 1;
  readonly #stamps: number[] = [];
  #all = true;
  #top = Number.POSITIVE_INFINITY;
  #bottom = -1;
  #scrolledOff = 0;

  mark(top: number, bottom: number): void {
    this.#top = Math.min(this.#top, top);
    this.#bottom = Math.max(this.#bottom, bottom);
    this.#stamp++;
    for (let y = Math.max(0, top); y <= bottom; y++) this.#stamps[y] = this.#stamp;
  }

  markAll(): void {
    this.#all = true;
    this.#allStamp = ++this.#stamp;
  }

  get stamp(): number {
    return this.#stamp;
  }

  hasChanged(y: number, since: number): boolean {
    return this.#allStamp > since || (this.#stamps[y] ?? 0) > since;
  }

  scrolled(): void {
    this.#scrolledOff++;
  }

  /** What gathered, clipped to a screen of `rows` rows; starts anew. */
  take(rows: number): DirtyRows {
    const dirty = {
      all: this.#all,
      top: this.#all ? 0 : Math.max(0, this.#top),
      bottom: this.#all ? rows - 1 : Math.min(rows - 1, this.#bottom),
      scrolledOff: this.#scrolledOff,
    };
    this.#all = false;
    this.#top = Number.POSITIVE_INFINITY;
    this.#bottom = -1;
    this.#scrolledOff = 0;
    return dirty;
  }
}
