/**
 * Packs the histories of panes when they are quiet, a step a turn, so that neither the parser nor a person waits for it; and
 * holds all of them together to a limit in bytes.
 */
import type { Pane } from '../model/pane.ts';
import { HistoryBudget } from '../terminal/history-budget.ts';

/** A pane that printed nothing for so long is quiet, ms: sooner than screens are stored, which then find small chunks. */
export const QUIET_MS = 150;

export interface TidierContext {
  /** ms, monotonic. */
  readonly now: () => number;
  readonly after: (delayMs: number, run: () => void) => () => void;
  readonly nextTurn: (run: () => void) => void;
  /** Option history-bytes-limit; 0 for none. */
  readonly limitBytes: () => number;
}

interface Untidy {
  lastOutput: number;
  cancel: () => void;
}

export class HistoryTidier {
  /** What the histories share. */
  readonly budget = new HistoryBudget();
  readonly #context: TidierContext;
  readonly #untidy = new Map<Pane, Untidy>();

  constructor(context: TidierContext) {
    this.#context = context;
  }

  /** The pane printed something. */
  printed(pane: Pane): void {
    const now = this.#context.now();
    const known = this.#untidy.get(pane);
    if (known) {
      known.lastOutput = now;
      return;
    }
    const untidy: Untidy = { lastOutput: now, cancel: () => {} };
    this.#untidy.set(pane, untidy);
    this.#wait(pane, untidy, QUIET_MS);
  }

  /** The pane is gone. */
  forget(pane: Pane): void {
    this.#untidy.get(pane)?.cancel();
    this.#untidy.delete(pane);
  }

  #wait(pane: Pane, untidy: Untidy, delayMs: number): void {
    untidy.cancel = this.#context.after(delayMs, () => {
      const limit = this.#context.limitBytes();
      this.budget.limitBytes = limit > 0 ? limit : Number.POSITIVE_INFINITY;
      this.#step(pane, untidy);
    });
  }

  #step(pane: Pane, untidy: Untidy): void {
    if (this.#untidy.get(pane) !== untidy) return;
    const rest = untidy.lastOutput + QUIET_MS - this.#context.now();
    if (rest > 0) this.#wait(pane, untidy, rest);
    else if (pane.emulator.tidy()) this.#context.nextTurn(() => this.#step(pane, untidy));
    else this.#untidy.delete(pane);
  }
}
