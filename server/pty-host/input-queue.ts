/**
 * Input on its way to a pty. A program that does not read fills the kernel's buffer, and nothing tells when there is room
 * again without blocking or spinning, so the queue tries again on a timer: soon after progress, ever later without.
 */
import type { Delay } from './delay.ts';
import { INPUT_MAX } from './host-protocol.ts';

const RETRY_FIRST_MS = 1;
const RETRY_MAX_MS = 50;
/** Handed to the kernel in one call (bytes). */
const WRITE_MAX = 64 << 10;

export interface InputQueueOptions {
  /** Writes what it can without blocking and returns how many bytes were taken, 0 if the pty is full. */
  readonly write: (bytes: Uint8Array) => number;
  readonly delay: Delay;
  /** A write of this many bytes was refused. */
  readonly onFull: (refused: number) => void;
  /** Everything has been taken, after a refusal. */
  readonly onDrained: () => void;
}

export class InputQueue {
  readonly #options: InputQueueOptions;
  readonly #chunks: Uint8Array[] = [];
  #waiting = 0;
  #refused = false;
  #retryMs = RETRY_FIRST_MS;
  #cancelRetry: (() => void) | undefined;

  constructor(options: InputQueueOptions) {
    this.#options = options;
  }

  /** Bytes that the pty has not taken. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Writes at once what the pty takes and keeps the rest; takes all of `bytes` or, above INPUT_MAX, nothing. */
  push(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    if (this.#waiting + bytes.length > INPUT_MAX) {
      this.#refused = true;
      this.#options.onFull(bytes.length);
      return;
    }
    this.#chunks.push(bytes);
    this.#waiting += bytes.length;
    if (!this.#cancelRetry) this.#flush();
  }

  /** The program has shown a sign of life: try again soon. */
  hurry(): void {
    if (!this.#cancelRetry || this.#retryMs === RETRY_FIRST_MS) return;
    this.#cancelRetry();
    this.#retryMs = RETRY_FIRST_MS;
    this.#retryLater();
  }

  /** Drops everything; to be called when the pty is gone. */
  clear(): void {
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
    this.#chunks.length = 0;
    this.#waiting = 0;
  }

  #flush(): void {
    for (let first = this.#chunks[0]; first; first = this.#chunks[0]) {
      const part = first.subarray(0, WRITE_MAX);
      const taken = this.#options.write(part);
      this.#take(first, taken);
      if (taken < part.length) {
        this.#retryMs = taken > 0 ? RETRY_FIRST_MS : Math.min(RETRY_MAX_MS, this.#retryMs * 2);
        this.#retryLater();
        return;
      }
    }
    this.#retryMs = RETRY_FIRST_MS;
    if (!this.#refused) return;
    this.#refused = false;
    this.#options.onDrained();
  }

  #take(first: Uint8Array, taken: number): void {
    this.#waiting -= taken;
    if (taken === first.length) this.#chunks.shift();
    else if (taken > 0) this.#chunks[0] = first.subarray(taken);
  }

  #retryLater(): void {
    this.#cancelRetry = this.#options.delay(this.#retryMs, () => {
      this.#cancelRetry = undefined;
      this.#flush();
    });
  }
}
