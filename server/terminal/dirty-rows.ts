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

/** Gathers changed rows between two takes. */
export class DirtyTracker {
  #all = true;
  #top = Number.POSITIVE_INFINITY;
  #bottom = -1;
  #scrolledOff = 0;

  mark(top: number, bottom: number): void {
    this.#top = Math.min(this.#top, top);
    this.#bottom = Math.max(this.#bottom, bottom);
  }

  markAll(): void {
    this.#all = true;
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
