/**
 * Where the parser is in a pane's output, and what the bytes that it parses may do. After a take-over the output is read
 * again from the last stored screen on, and passes through up to three stretches:
 *
 *   known    the stored model has seen it: the bytes change the screen and nothing else
 *   handled  what it asks for was done by the server before, but its model was not stored: the model follows, in silence
 *   live     everything happens
 *
 * What live bytes ask for happens after the slice that holds them and with a mark sent to the pty host before, so that
 * it happens once whenever the server is killed.
 */

/** Offsets in the program's output. */
export interface TrackStart {
  /** Of the first byte that will be parsed. */
  readonly from: number;
  readonly knownTo: number;
  readonly handledTo: number;
}

/** What a slice asked for. */
export interface SliceEffects {
  /** Answers for the program's input. */
  readonly replies: string;
  /** Bells, hooks and what else is told, in order. */
  readonly announcements: readonly (() => void)[];
}

export class OutputTrack {
  readonly #knownTo: number;
  readonly #handledTo: number;
  #parsedTo: number;
  #isParsing = false;
  #replies = '';
  #announcements: (() => void)[] = [];

  constructor({ from, knownTo, handledTo }: TrackStart = { from: 0, knownTo: 0, handledTo: 0 }) {
    this.#parsedTo = from;
    this.#knownTo = knownTo;
    this.#handledTo = handledTo;
  }

  /** Offset after the last byte parsed. */
  get parsedTo(): number {
    return this.#parsedTo;
  }

  /** A slice is being parsed: what is asked for waits until its end. */
  get isParsing(): boolean {
    return this.#isParsing;
  }

  get isLive(): boolean {
    return this.#parsedTo >= this.#handledTo && this.#parsedTo >= this.#knownTo;
  }

  /** The part of the next bytes that lies in one stretch. */
  cut(bytes: Uint8Array): Uint8Array {
    for (const border of [this.#knownTo, this.#handledTo]) {
      const left = border - this.#parsedTo;
      if (left > 0 && left < bytes.length) return this.cut(bytes.subarray(0, left));
    }
    return bytes;
  }

  /** Parses bytes that `cut` gave, and tells what they asked for. */
  parse(bytes: Uint8Array, write: (bytes: Uint8Array) => void): SliceEffects {
    this.#isParsing = true;
    write(bytes);
    this.#isParsing = false;
    this.#parsedTo += bytes.length;
    const effects = { replies: this.#replies, announcements: this.#announcements };
    this.#replies = '';
    if (effects.announcements.length > 0) this.#announcements = [];
    return effects;
  }

  /** The program is to get an answer. */
  reply(bytes: string): void {
    if (this.isLive) this.#replies += bytes;
  }

  /** The model changes, now; what that leads to is for `announce`. */
  change(apply: () => void): void {
    if (this.#parsedTo >= this.#knownTo) apply();
  }

  /** Something is told to somebody. */
  announce(tell: () => void): void {
    if (!this.isLive) return;
    if (this.#isParsing) this.#announcements.push(tell);
    else tell();
  }
}
