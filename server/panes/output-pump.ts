/**
 * Takes panes' output from the pty host and parses it in slices, the panes in fair rotation and the one last typed into
 * first, so that a flood in one pane costs the others at most one slice. Parsed bytes are acknowledged to the host,
 * which is the back-pressure on the program. While a person types, what other panes flood is parsed a part of the time:
 * the machine is then free for the key, its program and the drawing.
 */
import type { Pane } from '../model/pane.ts';

/** Bytes parsed before the next pane has its turn; xterm's parser yields only between writes. */
export const SLICE_BYTES = 4096;
/** Time spent before sockets and timers are served again, ms: what a key may have to wait for. */
const TURN_MS = 2;
/** A person who typed this long ago is typing, ms. */
const TYPING_MS = 200;
/** Meanwhile this much is spent on the other panes, ms, */
const OTHERS_TURN_MS = 0.5;
/** and they rest this long after each turn that did not finish them, ms. */
const REST_MS = 8;

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
  readonly after: (delayMs: number, run: () => void) => () => void;
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
  /** Panes that were typed into, and when that is over, ms. */
  readonly #typedInto = new Map<Pane, number>();
  /** The panes that were not wait for a timer. */
  #othersRest = false;
  #scheduled = false;
  /** The next turn is given up, for what the favourite's output has set going. */
  #givesWay = false;

  constructor(context: PumpContext) {
    this.#context = context;
  }

  /** A person typed into this pane: its output comes first for now. */
  favour(pane: Pane): void {
    this.#favourite = pane;
    this.#typedInto.set(pane, this.#context.now() + TYPING_MS);
  }

  push(pane: Pane, bytes: Uint8Array): void {
    const pending = this.#pending.get(pane);
    if (pending) pending.chunks.push(bytes);
    else this.#pending.set(pane, { pane, chunks: [bytes], offset: 0 });
    if (this.#scheduled) {
      if (pane === this.#favourite) this.#sliceFavourite();
    } else if (pane !== this.#favourite && this.#isTyping()) {
      // What was read together with it may be what the person waits for.
      this.#schedule();
    } else this.#turn();
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
    this.#typedInto.delete(pane);
    if (this.#favourite === pane) this.#favourite = undefined;
  }

  #turn(): void {
    this.#scheduled = false;
    if (this.#givesWay) {
      this.#givesWay = false;
      this.#schedule();
      return;
    }
    const end = this.#context.now() + (this.#isTyping() ? OTHERS_TURN_MS : TURN_MS);
    if (this.#sliceFavourite() && this.#next()) {
      this.#schedule();
      return;
    }
    for (let pending = this.#next(); pending; pending = this.#next()) {
      this.#slice(pending);
      if (this.#context.now() < end) continue;
      this.#restOthers();
      if (this.#next()) this.#schedule();
      return;
    }
  }

  /** While somebody types, the panes that nobody types into go on after a while. */
  #restOthers(): void {
    if (this.#othersRest || !this.#isTyping()) return;
    this.#othersRest = true;
    this.#context.after(REST_MS, () => {
      this.#othersRest = false;
      if (!this.#scheduled) this.#turn();
    });
  }

  #isTyping(): boolean {
    const now = this.#context.now();
    for (const [pane, until] of this.#typedInto) if (until <= now) this.#typedInto.delete(pane);
    return this.#typedInto.size > 0;
  }

  #schedule(): void {
    this.#scheduled = true;
    this.#context.nextTurn(() => this.#turn());
  }

  /** Whose turn it is; undefined where nothing waits but what rests. */
  #next(): Pending | undefined {
    if (!this.#othersRest) return this.#pending.values().next().value;
    for (const pane of this.#typedInto.keys()) {
      const pending = this.#pending.get(pane);
      if (pending) return pending;
    }
    return undefined;
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
