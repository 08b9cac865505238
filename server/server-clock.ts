/** The clock and the timers of a server; every part is handed what it needs of them. */

/** Monotonic, ms. */
export function now(): number {
  return performance.now();
}

/** Runs once, when what there is to read has been read. */
export function nextTurn(run: () => void): void {
  setImmediate(run);
}

/** Runs once after a time and gives the means to call it off. */
export function after(delayMs: number, run: () => void): () => void {
  const timer = setTimeout(run, delayMs);
  return () => clearTimeout(timer);
}
