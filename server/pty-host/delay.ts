/** Runs `run` once after `ms` milliseconds; the returned function calls it off. Tests pass a clock of their own. */
export type Delay = (ms: number, run: () => void) => () => void;

/** The real clock's Delay. */
export const realDelay: Delay = (ms, run) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};
