/** Feeds bytes to xterm's parser: what xterm's `InputHandler.parse` does, with our decoder and without its events. */
import type { DirtyTracker } from './dirty-rows.ts';
import { PARSER_GROUND, PARSER_IGNORED_STRING, PARSER_OSC_STRING, type XtermCore } from './emulator-internals.ts';
import type { OscEnd } from './osc-end.ts';
import { Utf8Decoder } from './utf8-decoder.ts';

/** Code points of one parse; one buffer for all parsers, since parsing does not wait. */
const SCRATCH_LENGTH = 16 * 1024;
let scratch: Uint32Array | undefined;

/** Bytes of an unfinished sequence that are kept. */
const PENDING_MAX = 4096;
const NOTHING = new Uint8Array(0);

export class OutputParser {
  readonly #core: XtermCore;
  readonly #dirty: DirtyTracker;
  readonly #oscEnd: OscEnd;
  readonly #decoder = new Utf8Decoder();
  #pending: Uint8Array = NOTHING;

  constructor(core: XtermCore, { dirty, oscEnd }: { readonly dirty: DirtyTracker; readonly oscEnd: OscEnd }) {
    this.#core = core;
    this.#dirty = dirty;
    this.#oscEnd = oscEnd;
  }

  /** Parses all of it; what the parser or a handler throws comes through. */
  parse(bytes: Uint8Array): void {
    const { _parser: parser, _dirtyRowTracker: rows } = this.#core._inputHandler;
    const codePoints = scratch ?? new Uint32Array(SCRATCH_LENGTH);
    // A handler may write to another emulator meanwhile.
    scratch = undefined;
    try {
      for (let start = 0; start < bytes.length; start += SCRATCH_LENGTH) {
        const length = this.#decoder.decode(bytes.subarray(start, start + SCRATCH_LENGTH), codePoints);
        rows.clearRange();
        this.#oscEnd.begin(codePoints, length);
        parser.parse(codePoints, length);
        this.#dirty.mark(rows.start, rows.end);
      }
    } finally {
      scratch = codePoints;
    }
    this.#keepPending(bytes);
  }

  /** Drops an unfinished sequence. */
  reset(): void {
    this.#core._inputHandler._parser.reset();
    this.#pending = NOTHING;
  }

  /** No sequence and no character is half read. */
  get isAtRest(): boolean {
    return this.#core._inputHandler._parser.currentState === PARSER_GROUND && this.#decoder.isAtRest;
  }

  /** Whether the parser is inside an OSC, DCS, APC, PM or SOS string. */
  get isInString(): boolean {
    return this.#core._inputHandler._parser.currentState >= PARSER_IGNORED_STRING;
  }

  /** Whether that string is an OSC, which BEL ends too. */
  get isInOsc(): boolean {
    return this.#core._inputHandler._parser.currentState === PARSER_OSC_STRING;
  }

  /** The bytes of a sequence that is not finished, PENDING_MAX at most. */
  get pending(): Uint8Array {
    return this.#pending;
  }

  #keepPending(bytes: Uint8Array): void {
    if (this.#core._inputHandler._parser.currentState === PARSER_GROUND) {
      if (this.#pending.length > 0) this.#pending = NOTHING;
      return;
    }
    const last = bytes.lastIndexOf(0x1b);
    if (last < 0 && this.#pending.length >= PENDING_MAX) return;
    const kept = last >= 0 ? bytes.subarray(last) : Buffer.concat([this.#pending, bytes]);
    this.#pending = Uint8Array.from(kept.subarray(0, PENDING_MAX));
  }
}
