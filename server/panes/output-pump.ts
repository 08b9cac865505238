/**
 * Takes panes' output from the pty host and parses it in slices, the panes in fair rotation and the one last typed into
 * first, so that a flood in one pane costs the others at most one slice. Parsed bytes are acknowledged to the host,
 * which is the back-pressure on the program.
 */
import type { Pane } from '../model/pane.ts';

/** Bytes parsed before the next pane has its turn; xterm's parser yields only between writes. */
export const SLICE_BYTES = 4096;
/** Time spent before sockets and timers are served again, ms: what a key may have to wait for. */
const TURN_MS = 2;

interface Pending {
  readonly pane: Pane;
  readonly chunks: Uint8Array[];
  /** Bytes of the first chunk that are done. */
  offset: number;
}

export interface PumpContext {
  /** ms, monotonic. */
  readonly now: () => number;
  readonly nextTurn: (run: () => void) => void;
  /** Parses a slice into the pane's screen; never throws. */
  readonly parse: (pane: Pane, bytes: Uint8Array) => void;
  /** All output that was pushed for the pane is parsed. */
  readonly drained: (pane: Pane) => void;
}

export class OutputPump {
  readonly #context: PumpContext;
  /** In the order of their turns. */
  readonly #pending = new Map<Pane, Pending>();
  #favourite: Pane | undefined;
  #scheduled = false;
  /** The next turn is given up, for what the favourite's output has set going. */
  #givesWay = false;

  constructor(context: PumpContext) {
    this.#context = context;
  }

  /** A person typed into this pane: its output comes first for now. */
  favour(pane: Pane): void {
    this.#favourite = pane;
  }

  push(pane: Pane, bytes: Uint8Array): void {
    const pending = this.#pending.get(pane);
    if (pending) pending.chunks.push(bytes);
    else this.#pending.set(pane, { pane, chunks: [bytes], offset: 0 });
    if (!this.#scheduled) this.#turn();
    else if (pane === this.#favourite) this.#sliceFavourite();
  }

  /** Whether output waits to be parsed. */
  hasOutput(pane: Pane): boolean {
    return this.#pending.has(pane);
  }

  /** Parses all that waits for a pane now: at most what the host reads ahead. */
  finish(pane: Pane): void {
    for (let left = this.#pending.get(pane); left; left = this.#pending.get(pane)) this.#slice(left);
  }

  forget(pane: Pane): void {
    this.#pending.delete(pane);
    if (this.#favourite === pane) this.#favourite = undefined;
  }

  #turn(): void {
    this.#scheduled = false;
    if (this.#givesWay) {
      this.#givesWay = false;
      this.#schedule();
      return;
    }
    const end = this.#context.now() + TURN_MS;
    if (this.#sliceFavourite() && this.#pending.size > 0) {
      this.#schedule();
      return;
    }
    for (let pending = this.#next(); pending; pending = this.#next()) {
      this.#slice(pending);
      if (this.#pending.size > 0 && this.#context.now() >= end) {
        this.#schedule();
        return;
      }
    }
  }

  #schedule(): void {
    this.#scheduled = true;
    this.#context.nextTurn(() => this.#turn());
  }

  #next(): Pending | undefined {
    return this.#pending.values().next().value;
  }

  /** Parses a slice of the favourite, if it has one, and has others wait until it is drawn. */
  #sliceFavourite(): boolean {
    const pending = this.#favourite && this.#pending.get(this.#favourite);
    if (!pending) return false;
    // The favourite's turn counts once; what it floods beyond that waits like the others'.
    this.#favourite = undefined;
    this.#slice(pending);
    this.#givesWay = this.#scheduled;
    return true;
  }

  #slice(pending: Pending): void {
    const chunk = pending.chunks[0];
    if (!chunk) {
      this.#pending.delete(pending.pane);
      return;
    }
    const end = Math.min(chunk.length, pending.offset + SLICE_BYTES);
    const bytes = chunk.subarray(pending.offset, end);
    pending.offset = end;
    if (end >= chunk.length) {
      pending.chunks.shift();
      pending.offset = 0;
    }
    this.#context.parse(pending.pane, bytes);
    // Parsing may have closed the pane.
    if (this.#pending.get(pending.pane) !== pending) return;
    this.#pending.delete(pending.pane);
    if (pending.chunks.length > 0) this.#pending.set(pending.pane, pending);
    else this.#context.drained(pending.pane);
  }
}
