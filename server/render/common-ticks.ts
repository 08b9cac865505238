/**
 * A timer for several: what is to happen within one TICK_MS happens in one turn of the event loop, so that what the first
 * works out serves the others.
 */
export const TICK_MS = 16;
/** Timers may be early by so much: what happens that short before a tick happened in it. */
const EARLY_MS = TICK_MS / 4;

export interface TicksContext {
  /** ms, monotonic. */
  readonly now: () => number;
  readonly after: (delayMs: number, run: () => void) => () => void;
}

export class CommonTicks {
  readonly #context: TicksContext;
  /** What runs at the start of each tick to come. */
  readonly #ticks = new Map<number, Set<() => void>>();

  constructor(context: TicksContext) {
    this.#context = context;
  }

  /**
   * ms until the first tick after `since` whose number is a multiple of `ticks`; where that is over, until the next
   * one. All that go on at one interval come together at the same ticks, whenever they began.
   */
  waitMs(since: number, ticks: number): number {
    const now = this.#context.now();
    const interval = ticks * TICK_MS;
    const due = (Math.floor((since + EARLY_MS) / interval) + 1) * interval;
    return (due >= now ? due : Math.ceil(now / TICK_MS) * TICK_MS) - now;
  }

  /** Runs once after a wait of `waitMs`; the returned function calls it off. */
  after(waitMs: number, run: () => void): () => void {
    const tick = Math.round((this.#context.now() + waitMs) / TICK_MS);
    let runs = this.#ticks.get(tick);
    if (!runs) {
      runs = new Set();
      this.#ticks.set(tick, runs);
      this.#context.after(waitMs, () => this.#run(tick));
    }
    const own = () => run();
    runs.add(own);
    return () => this.#ticks.get(tick)?.delete(own);
  }

  #run(tick: number): void {
    const runs = this.#ticks.get(tick) ?? [];
    this.#ticks.delete(tick);
    for (const run of runs) run();
  }
}
