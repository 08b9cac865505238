/** The clock and the timers of a server; every part is handed what it needs of them. */

/**
 * Monotonic, ms. A key asks a dozen times: this is one call into Node where performance.now() is four, and loading
 * `performance` takes a millisecond of a start.
 */
export function now(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
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
