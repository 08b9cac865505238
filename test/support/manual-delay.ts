import type { Delay } from '../../server/pty-host/delay.ts';

/** A clock that a test turns by hand. */
export class ManualClock {
  now = 0;
  #timers: { readonly at: number; readonly run: () => void }[] = [];

  readonly delay: Delay = (ms, run) => {
    const timer = { at: this.now + ms, run };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  };

  /** Timers that are waiting. */
  get waiting(): number {
    return this.#timers.length;
  }

  /** Turns the clock on and runs what comes due, in order. */
  advance(ms: number): void {
    const until = this.now + ms;
    for (;;) {
      const due = this.#timers.filter((timer) => timer.at <= until).sort((a, b) => a.at - b.at)[0];
      if (!due) break;
      this.#timers = this.#timers.filter((other) => other !== due);
      this.now = due.at;
      due.run();
    }
    this.now = until;
  }
}
