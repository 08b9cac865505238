/** Reading stops when this many bytes are unconsumed: what a Ctrl-C still has to wait for. */
export const READ_AHEAD_MAX = 128 << 10;
/** Reading goes on when no more than this many bytes are unconsumed. */
export const READ_AHEAD_LOW = 64 << 10;
/** Reading stops when this many bytes are unreleased, consumed or not: what one pane may cost in memory. */
export const RETAIN_MAX = 8 << 20;
/** Reading goes on when no more than this many bytes are unreleased. */
export const RETAIN_LOW = 6 << 20;

/** The marks of a pane's output; host-protocol.ts says what they mean. Offsets in bytes since spawn. */
export interface OutputMarks {
  readonly consumedTo: number;
  readonly releasedTo: number;
  readonly handledTo: number;
  readonly end: number;
}

/** A pane's output that nobody has released yet, and whether more should be read. */
export class OutputLog {
  readonly #chunks: Uint8Array[] = [];
  /** Offset of the first kept byte's chunk start; released bytes at its front may still be there. */
  #start = 0;
  #end = 0;
  #consumedTo = 0;
  #releasedTo = 0;
  #handledTo = 0;
  #readAheadFull = false;
  #retainFull = false;

  get marks(): OutputMarks {
    return {
      consumedTo: this.#consumedTo,
      releasedTo: this.#releasedTo,
      handledTo: this.#handledTo,
      end: this.#end,
    };
  }

  /**
   * Whether reading should stop. Each limit goes up at its MAX mark and down at its LOW one, so reading does not flutter.
   * One does not wait for the other: what is unreleased may be released only when more has been read.
   */
  get full(): boolean {
    return this.#readAheadFull || this.#retainFull;
  }

  /** Keeps a chunk; the caller does not change it afterwards. */
  append(chunk: Uint8Array): void {
    if (chunk.length > 0) this.#chunks.push(chunk);
    this.#end += chunk.length;
    this.#measure();
  }

  /** Moves the marks forward; a mark that would go back or past the end stays within. Released is never past consumed. */
  acknowledge(consumedTo: number, releasedTo: number): void {
    this.#consumedTo = Math.min(this.#end, Math.max(this.#consumedTo, consumedTo));
    this.#releasedTo = Math.min(this.#consumedTo, Math.max(this.#releasedTo, releasedTo));
    this.handled(this.#consumedTo);
    this.#forget();
    this.#measure();
  }

  /** What the bytes before `to` ask for has been done; a new reader does not move this mark back. */
  handled(to: number): void {
    this.#handledTo = Math.min(this.#end, Math.max(this.#handledTo, to));
  }

  /**
   * A new reader starts at `from`, or at the first byte kept if that is later: `offset` and the chunks from there. What
   * the reader before had consumed beyond it counts as unconsumed again.
   */
  rewind(from: number): { readonly offset: number; readonly chunks: Uint8Array[] } {
    const offset = Math.min(this.#end, Math.max(this.#releasedTo, from));
    this.#consumedTo = offset;
    this.#measure();
    const chunks: Uint8Array[] = [];
    let at = this.#start;
    for (const chunk of this.#chunks) {
      const next = at + chunk.length;
      if (next > offset) chunks.push(at < offset ? chunk.subarray(offset - at) : chunk);
      at = next;
    }
    return { offset, chunks };
  }

  #forget(): void {
    let first = this.#chunks[0];
    while (first && this.#start + first.length <= this.#releasedTo) {
      this.#start += first.length;
      this.#chunks.shift();
      first = this.#chunks[0];
    }
  }

  #measure(): void {
    const unconsumed = this.#end - this.#consumedTo;
    const unreleased = this.#end - this.#releasedTo;
    if (unconsumed >= READ_AHEAD_MAX) this.#readAheadFull = true;
    else if (unconsumed <= READ_AHEAD_LOW) this.#readAheadFull = false;
    if (unreleased >= RETAIN_MAX) this.#retainFull = true;
    else if (unreleased <= RETAIN_LOW) this.#retainFull = false;
  }
}
