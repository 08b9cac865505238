/**
 * Panes that nobody looks at: fifty of them printing a line sixty times a second would otherwise wake this process, and the
 * server, three thousand times. What such a pane prints first after quiet is read at once; while it goes on printing it
 * rests, and all that rest are read together every REST_MS. A pane that answers input, prints large pieces or turns out
 * to print without end is read as if it were seen, and so is everything when the server asks to catch up.
 */
import type { Delay } from './delay.ts';

/** Time between two readings of panes that rest, ms. */
export const REST_MS = 50;
/** Larger pieces do not make a pane rest, bytes: reading them together would save nothing. */
const REST_BYTES = 1024;
/** A pane that has this much to say after a rest does not rest for BUSY_MS, ms: it would wait for its reader. */
const BUSY_BYTES = 4096;
const BUSY_MS = 2000;
/** After input this many pieces of output do not make a pane rest: they answer it. */
const ANSWER_PIECES = 8;

/** What is done to a pane. */
export interface ReadablePane {
  /** Reads what there is now and hands it on: the number of bytes. */
  readWaiting(): number;
  /** Reads what comes, or leaves it where it is. */
  setResting(isResting: boolean): void;
}

export interface HiddenPanesOptions {
  readonly delay: Delay;
  /** Sends all that is read meanwhile in one piece. */
  readonly together: (read: () => void) => void;
}

interface Hidden {
  isResting: boolean;
  isBusy: boolean;
  /** Pieces of output that may still answer input. */
  answers: number;
}

export class HiddenPanes<Pane extends ReadablePane> {
  readonly #options: HiddenPanesOptions;
  readonly #hidden = new Map<Pane, Hidden>();
  #isTiming = false;

  constructor(options: HiddenPanesOptions) {
    this.#options = options;
  }

  /** Somebody looks at the pane, or nobody does. */
  setHidden(pane: Pane, isHidden: boolean): void {
    if (isHidden) {
      if (!this.#hidden.has(pane)) this.#hidden.set(pane, { isResting: false, isBusy: false, answers: ANSWER_PIECES });
      return;
    }
    const state = this.#hidden.get(pane);
    this.#hidden.delete(pane);
    if (state?.isResting) pane.setResting(false);
  }

  /** Everything is seen. */
  clear(): void {
    for (const pane of [...this.#hidden.keys()]) this.setHidden(pane, false);
  }

  /** The pane is no more. */
  forget(pane: Pane): void {
    this.#hidden.delete(pane);
  }

  /** Input went to the pane: its answer is wanted. */
  answering(pane: Pane): void {
    const state = this.#hidden.get(pane);
    if (!state) return;
    state.answers = ANSWER_PIECES;
    wake(pane, state);
  }

  /** The pane printed so many bytes. */
  printed(pane: Pane, length: number): void {
    const state = this.#hidden.get(pane);
    if (!state || state.isResting || state.isBusy || length >= REST_BYTES) return;
    if (state.answers > 0) {
      state.answers--;
      return;
    }
    state.isResting = true;
    pane.setResting(true);
    this.#time();
  }

  /** Reads what the panes have printed so far, without those that print without end: they are read all the time. */
  catchUp(): void {
    this.#options.together(() => {
      // One that does not rest may have printed in the same moment in which this was asked for.
      for (const [pane, { isResting, isBusy }] of this.#hidden) if (isResting || !isBusy) pane.readWaiting();
    });
  }

  #time(): void {
    if (this.#isTiming) return;
    this.#isTiming = true;
    this.#options.delay(REST_MS, () => {
      this.#isTiming = false;
      this.#options.together(() => this.#readAll());
    });
  }

  #readAll(): void {
    for (const [pane, state] of this.#hidden) {
      if (!state.isResting) continue;
      const length = pane.readWaiting();
      if (length > 0 && length < BUSY_BYTES) {
        this.#time();
        continue;
      }
      if (length > 0) this.#leaveBusy(state);
      wake(pane, state);
    }
  }

  #leaveBusy(state: Hidden): void {
    state.isBusy = true;
    this.#options.delay(BUSY_MS, () => {
      state.isBusy = false;
    });
  }
}

function wake(pane: ReadablePane, state: Hidden): void {
  if (!state.isResting) return;
  state.isResting = false;
  pane.setResting(false);
}
