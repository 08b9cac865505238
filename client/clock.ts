/** The real clock of the client's programs. */
import type { RunClock } from '../src/flow/flow-runner.ts';

export const CLOCK: RunClock = {
  now: () => Number(process.hrtime.bigint()) / 1e6,
  after: (delayMs, run) => {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};
