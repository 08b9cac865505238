/** Waits for the terminal of a client that a command has attached: the client's process comes back with a token, or never. */

/** It is forgotten after this, ms. */
export const HANDOVER_MS = 10_000;
/** How often it is seen whether the process still runs, ms. */
export const LOOK_MS = 500;

export interface ExpectedTerminal {
  /** The process that will come. */
  readonly pid: number;
  /** Whether a process runs, as far as the system tells. */
  readonly isRunning: (pid: number) => boolean;
  readonly after: (delayMs: number, run: () => void) => () => void;
  /** It does not come any more. */
  readonly forget: () => void;
}

/**
 * Calls `forget` once the process has ended, at the latest after HANDOVER_MS. Returns what stops the wait. A process that
 * cannot be seen from the beginning (it may be in a container) is waited for all the time.
 */
export function expectTerminal({ pid, isRunning, after, forget }: ExpectedTerminal): () => void {
  const isSeen = isRunning(pid);
  let looksLeft = HANDOVER_MS / LOOK_MS;
  const look = () => {
    looksLeft--;
    if (looksLeft === 0 || (isSeen && !isRunning(pid))) forget();
    else stop = after(LOOK_MS, look);
  };
  let stop = after(LOOK_MS, look);
  return () => stop();
}
