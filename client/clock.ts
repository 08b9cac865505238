/** The real clock of the client's programs. */
import type { RunClock } from '../src/flow/flow-runner.ts';

export const CLOCK: RunClock = {
  now: () => performance.now(),
  after: (delayMs, run) => {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};
