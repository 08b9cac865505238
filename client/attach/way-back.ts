/**
 * How an attached client finds a server again after it was lost. The pty host starts the next one by itself, as a rule
 * within a second; where it does not (it starts ten a minute at most), the client starts one, and where there is nothing
 * to go back to, it says so at once.
 */
import { MplexError } from '../../protocol/errors.ts';
import type { ServerConnection } from '../connect.ts';

/** What the way back leads over. */
export interface ServerFinder {
  /** Connects; undefined while there is no server. */
  connect(): Promise<ServerConnection | undefined>;
  /** Whether a pty host keeps what the server left. */
  isKept(): Promise<boolean>;
  /** Starts a server. Throws MplexError with the reason if that cannot be. */
  start(): Promise<void>;
}

export interface WayBackOptions {
  readonly finder: ServerFinder;
  /** Monotonic, ms. */
  readonly now: () => number;
  readonly after: (delayMs: number, run: () => void) => () => void;
  /** Tells the person what is waited for. */
  readonly notice: (text: string) => void;
}

/** A lost server has this long to come back, ms: a machine that has much else to do takes its time. */
export const RECONNECT_MS = 30_000;
/** Where none came by itself until then, one is started, ms. */
export const START_AFTER_MS = 1500;
/** Time between two attempts to connect, ms. */
const GAP_MS = 50;
/** The person is told when it takes longer than this, ms. */
const NOTICE_MS = 300;
/** Starts of one client within START_WINDOW_MS: a server that cannot live is not started for ever. */
const STARTS_MAX = 3;
const START_WINDOW_MS = 60_000;

const LOST = 'server exited unexpectedly';
const KEPT = 'its programs run on, mplex attach-session tries again';

export class WayBack {
  readonly #options: WayBackOptions;
  #starts: number[] = [];

  constructor(options: WayBackOptions) {
    this.#options = options;
  }

  /** The connection to the next server. Throws MplexError `io` with the client's last line where there is none. */
  async find(): Promise<ServerConnection> {
    const { now, after, notice } = this.#options;
    const begin = now();
    const stopNotice = after(NOTICE_MS, () => notice('reconnecting…'));
    try {
      const found = await this.#connectUntil(begin + START_AFTER_MS);
      if (found) return found;
      await this.#start();
      const late = await this.#connectUntil(begin + RECONNECT_MS);
      if (late) return late;
    } finally {
      stopNotice();
    }
    throw new MplexError('io', `${LOST}; ${KEPT}`);
  }

  async #connectUntil(end: number): Promise<ServerConnection | undefined> {
    const { finder, now, after } = this.#options;
    for (;;) {
      const connection = await finder.connect().catch(() => undefined);
      if (connection || now() >= end) return connection;
      await new Promise<void>((resolve) => after(GAP_MS, resolve));
    }
  }

  async #start(): Promise<void> {
    const { finder, now, notice } = this.#options;
    if (!(await finder.isKept())) throw new MplexError('io', LOST);
    this.#starts = this.#starts.filter((at) => now() - at < START_WINDOW_MS);
    if (this.#starts.length >= STARTS_MAX) {
      notice('reconnecting… (servers end as soon as they start)');
      return;
    }
    this.#starts.push(now());
    notice('reconnecting… (starting a server)');
    await finder.start().catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      // What somebody else's server may still become is waited for all the same.
      notice(`reconnecting… (${reason})`);
    });
  }
}
