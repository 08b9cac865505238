import type { Pane } from '../model/pane.ts';

/** SIGWINCHs of one pane are at least this far apart, ms; the last size wins. */
const RESIZE_INTERVAL_MS = 50;

export interface PaneResizesContext {
  /** ms, monotonic. */
  readonly now: () => number;
  readonly after: (delayMs: number, run: () => void) => () => void;
  readonly nextTurn: (run: () => void) => void;
}

/** Tells programs of their panes' sizes, not more often than they can follow while a border is dragged. */
export class PaneResizes {
  readonly #context: PaneResizesContext;
  /** A pane that is closed may change its size once more: nothing here keeps it. */
  readonly #resizes = new WeakMap<Pane, { last: number; pending: boolean }>();

  constructor(context: PaneResizesContext) {
    this.#context = context;
  }

  /** The size that the pane has then is told, at the end of this turn at the earliest. */
  tellSoon(pane: Pane): void {
    const { now, after, nextTurn } = this.#context;
    let state = this.#resizes.get(pane);
    if (!state) {
      state = { last: Number.NEGATIVE_INFINITY, pending: false };
      this.#resizes.set(pane, state);
    }
    if (state.pending) return;
    state.pending = true;
    const waitMs = Math.max(0, state.last + RESIZE_INTERVAL_MS - now());
    const tell = () => {
      state.pending = false;
      state.last = now();
      pane.pty?.resize(pane.size);
    };
    if (waitMs === 0) nextTurn(tell);
    else after(waitMs, tell);
  }
}
