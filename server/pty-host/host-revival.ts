import type { HostClient } from './host-client.ts';

/** A pty host that lives shorter is followed by another only after this, ms. */
const LIFE_MS_MIN = 1000;

export interface HostRevivalContext {
  readonly host: Pick<HostClient, 'begin' | 'isLost'>;
  /** Monotonic, ms. */
  readonly now: () => number;
  readonly after: (delayMs: number, run: () => void) => () => void;
}

/** Starts a pty host in place of one that died, unless a spawn has done so by then. */
export class HostRevival {
  readonly #context: HostRevivalContext;
  /** When the last one was started, ms. */
  #begunAt = Number.NEGATIVE_INFINITY;

  constructor(context: HostRevivalContext) {
    this.#context = context;
  }

  /** The host is gone: at once, or after a pause where it died at once. */
  lost(): void {
    const { now, after } = this.#context;
    if (now() - this.#begunAt < LIFE_MS_MIN) after(LIFE_MS_MIN, () => this.#begin());
    else this.#begin();
  }

  #begin(): void {
    const { host, now } = this.#context;
    if (!host.isLost) return;
    this.#begunAt = now();
    host.begin();
  }
}
