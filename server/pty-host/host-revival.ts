import type { HostClient } from './host-client.ts';

/** A pty host that lives shorter is followed by another only after this, ms. */
const LIFE_MS_MIN = 1000;

export interface HostRevivalContext {
  readonly host: Pick<HostClient, 'begin' | 'isLost' | 'setRestartCommand'>;
  /** The command line that starts the server. */
  readonly restartCommand: readonly string[];
  /** Monotonic, ms. */
  readonly now: () => number;
  readonly after: (delayMs: number, run: () => void) => () => void;
  /** Called after the pause, in place of the loss that was put off. */
  readonly lost: () => void;
}

/** Starts a pty host in place of one that died. */
export class HostRevival {
  readonly #context: HostRevivalContext;
  /** When the last one was started, ms. */
  #begunAt = Number.NEGATIVE_INFINITY;

  constructor(context: HostRevivalContext) {
    this.#context = context;
  }

  /** Starts another one unless there is one; false when it is put off, since the last one died at once. */
  revive(): boolean {
    const { host, restartCommand, now, after, lost } = this.#context;
    if (host.isLost) {
      if (now() - this.#begunAt < LIFE_MS_MIN) {
        this.#begunAt = Number.NEGATIVE_INFINITY;
        after(LIFE_MS_MIN, lost);
        return false;
      }
      this.#begunAt = now();
      host.begin();
    }
    host.setRestartCommand(restartCommand);
    return true;
  }
}
