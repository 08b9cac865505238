import type { Delay } from './delay.ts';

/** After the server was lost, somebody else has this long to start another (ms). */
export const RESTART_DELAY_MS = 300;
/** At most RESTARTS_MAX starts within RESTART_WINDOW_MS: a server that cannot live is not started for ever. */
export const RESTARTS_MAX = 10;
export const RESTART_WINDOW_MS = 60_000;

export interface ServerRestartOptions {
  readonly delay: Delay;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Starts the server and calls `ended` once if that process ends or cannot be started. */
  readonly start: (ended: () => void) => void;
  readonly log: (message: string) => void;
}

/** Starts the server again after it was lost, if nobody else did. */
export class ServerRestart {
  readonly #options: ServerRestartOptions;
  #starts: number[] = [];
  #cancel: (() => void) | undefined;
  #connected = false;

  constructor(options: ServerRestartOptions) {
    this.#options = options;
  }

  /** A server is connected. */
  found(): void {
    this.#connected = true;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  /** The connected server is gone, or the one just started has ended. */
  lost(): void {
    this.#connected = false;
    this.#cancel ??= this.#options.delay(RESTART_DELAY_MS, () => this.#start());
  }

  #start(): void {
    this.#cancel = undefined;
    const now = this.#options.now();
    this.#starts = this.#starts.filter((at) => now - at < RESTART_WINDOW_MS);
    if (this.#starts.length >= RESTARTS_MAX) {
      this.#options.log(`server not restarted: ${RESTARTS_MAX} starts within ${RESTART_WINDOW_MS / 1000} s`);
      return;
    }
    this.#starts.push(now);
    this.#options.log('restarting the server');
    this.#options.start(() => {
      if (!this.#connected) this.lost();
    });
  }
}
