/**
 * The bytes of a terminal as input events, and its answers apart from them. A state machine of three states: ground (one
 * unfinished sequence may wait), string (inside an OSC, DCS or APC answer), paste (inside a bracketed paste).
 *
 * It can be fed any chunks: the events are the same. Only time decides what bytes cannot: `deadline` says when to call
 * `flush`, which takes a waiting Escape for the key. Half an answer never becomes keys: it is waited for and dropped.
 */
import type { InputEvent } from '../../protocol/key.ts';
import { printChord } from '../../protocol/key.ts';
import type { Recognized, TerminalReply } from './input-recognizer.ts';
import { recognize } from './input-recognizer.ts';
import { byteChord } from './key-sequences.ts';

export interface ParsedInput {
  readonly events: InputEvent[];
  readonly replies: TerminalReply[];
}

/** tmux's escape-time, until the server tells another. */
const DEFAULT_ESCAPE_MS = 500;
const ESCAPE_MS_MIN = 10;
const ESCAPE_MS_MAX = 5000;
/** How long the rest of an answer or a mouse report may take. */
const REPLY_MS = 2000;
/** A paste without an end is over after this; only chunks as large as pastes have extend it, typing does not. */
const PASTE_MS = 5000;
const PASTE_CHUNK_MIN = 64;
/** A longer paste becomes several (bytes), so that each fits a message. */
const PASTE_PIECE_MAX = 256 * 1024;
/** Of an answer this many bytes are kept. */
const STRING_MAX = 256 * 1024;

const ESCAPE = 0x1b;
const PASTE_END = Buffer.from('\x1b[201~', 'latin1');
const NOTHING = Buffer.alloc(0);

type State =
  | { readonly name: 'ground' }
  | { readonly name: 'string'; readonly type: 'osc' | 'dcs' | 'apc'; readonly parts: Buffer[]; length: number }
  | { readonly name: 'paste'; parts: Buffer[]; length: number };

export class InputParser {
  #state: State = { name: 'ground' };
  /** Bytes that may be the start of something. */
  #pending: Buffer = NOTHING;
  #escapeMs = DEFAULT_ESCAPE_MS;
  /** Until then an Escape may be the start of an answer that was asked for. */
  #expectUntil = Number.NEGATIVE_INFINITY;
  #lastMs = 0;
  /** What the last flush took for a key and when: the rest of an answer may still come. */
  #flushed: { readonly bytes: Buffer; readonly ms: number } | undefined;
  #out: ParsedInput = { events: [], replies: [] };

  /** How long an Escape waits for what may follow, ms; kept within 10 to 5000. */
  set escapeMs(value: number) {
    this.#escapeMs = Math.min(ESCAPE_MS_MAX, Math.max(ESCAPE_MS_MIN, value));
  }

  /** Questions were sent to the terminal: until `untilMs` half an answer waits longer than escape-time. */
  expectReplies(untilMs: number): void {
    this.#expectUntil = untilMs;
  }

  /** What `chunk` completes. `nowMs` is any monotonic clock. */
  feed(chunk: Uint8Array, nowMs: number): ParsedInput {
    let bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (this.#flushed) bytes = this.#joinLate(bytes, nowMs);
    if (this.#pending.length > 0) bytes = Buffer.concat([this.#pending, bytes]);
    this.#pending = NOTHING;
    if (this.#state.name !== 'paste' || chunk.length >= PASTE_CHUNK_MIN) this.#lastMs = nowMs;
    let at = 0;
    while (at < bytes.length) {
      const taken = this.#step(bytes, at, nowMs);
      if (taken === 0) {
        this.#pending = Buffer.from(bytes.subarray(at));
        break;
      }
      at += taken;
    }
    return this.#take();
  }

  /** When `flush` is due; undefined if nothing waits. */
  get deadline(): number | undefined {
    if (this.#state.name === 'paste') return this.#lastMs + PASTE_MS;
    if (this.#state.name === 'string') return this.#lastMs + REPLY_MS;
    if (this.#pending.length === 0) return undefined;
    if (isHalfSequence(this.#pending)) return this.#lastMs + REPLY_MS;
    return Math.max(this.#lastMs + this.#escapeMs, this.#pending[0] === ESCAPE ? this.#expectUntil : 0);
  }

  /** Decides about what waits, if its time is over. */
  flush(nowMs: number): ParsedInput {
    const deadline = this.deadline;
    if (deadline === undefined || nowMs < deadline) return this.#take();
    const pending = this.#pending;
    this.#pending = NOTHING;
    const state = this.#state;
    this.#state = { name: 'ground' };
    if (state.name === 'paste') {
      state.parts.push(pending);
      this.#emitPaste(Buffer.concat(state.parts));
    } else if (state.name === 'ground' && !isHalfSequence(pending)) {
      this.#resolve(pending);
      this.#flushed = { bytes: pending, ms: nowMs };
    }
    return this.#take();
  }

  #take(): ParsedInput {
    const out = this.#out;
    this.#out = { events: [], replies: [] };
    return out;
  }

  /** Handles what the bytes from `at` on start with; gives the bytes taken, 0 if more are needed. */
  #step(bytes: Buffer, at: number, nowMs: number): number {
    const state = this.#state;
    if (state.name === 'paste') return this.#stepPaste(state, bytes, at);
    if (state.name === 'string') return this.#stepString(state, bytes, at);
    const first = bytes[at] ?? 0;
    // What is typed most goes the shortest way: a character of ASCII is its own name.
    if (first > 0x20 && first < 0x7f) {
      this.#out.events.push({ kind: 'key', key: String.fromCharCode(first) });
      return 1;
    }
    const found = recognize(bytes, at);
    if (found.kind === 'more') return 0;
    this.#accept(found, nowMs);
    return found.length;
  }

  #accept(found: Exclude<Recognized, { kind: 'more' }>, nowMs: number): void {
    switch (found.kind) {
      case 'key':
        this.#out.events.push({
          kind: 'key',
          key: printChord(found.chord),
          ...(found.detail && { detail: found.detail }),
        });
        return;
      case 'text':
        for (const character of found.text) {
          this.#out.events.push({ kind: 'key', key: character === ' ' ? 'Space' : character });
        }
        return;
      case 'event':
        this.#out.events.push(found.event);
        return;
      case 'reply':
        this.#out.replies.push(found.reply);
        return;
      case 'paste':
        this.#state = { name: 'paste', parts: [], length: 0 };
        this.#lastMs = nowMs;
        return;
      case 'string':
        this.#state = { name: 'string', type: found.type, parts: [], length: 0 };
        return;
      case 'drop':
        return;
    }
  }

  #stepPaste(state: Extract<State, { name: 'paste' }>, bytes: Buffer, at: number): number {
    const end = bytes.indexOf(PASTE_END, at);
    const limit = end === -1 ? bytes.length - partialEnd(bytes, at) : end;
    if (limit > at) {
      state.parts.push(Buffer.from(bytes.subarray(at, limit)));
      state.length += limit - at;
      if (state.length > PASTE_PIECE_MAX) this.#cutPaste(state);
    }
    if (end === -1) return limit - at;
    this.#state = { name: 'ground' };
    this.#emitPaste(Buffer.concat(state.parts));
    return end + PASTE_END.length - at;
  }

  /** Emits whole pieces of a long paste, never half a character. */
  #cutPaste(state: Extract<State, { name: 'paste' }>): void {
    let rest = Buffer.concat(state.parts);
    while (rest.length > PASTE_PIECE_MAX) {
      let cut = PASTE_PIECE_MAX;
      while (cut > PASTE_PIECE_MAX - 4 && ((rest[cut] ?? 0) & 0xc0) === 0x80) cut--;
      this.#emitPaste(rest.subarray(0, cut));
      rest = rest.subarray(cut);
    }
    state.parts = [rest];
    state.length = rest.length;
  }

  #emitPaste(bytes: Buffer): void {
    this.#out.events.push({ kind: 'paste', text: bytes.toString('utf8') });
  }

  /** Text up to BEL or ST is the answer's; any other control ends it without an answer. */
  #stepString(state: Extract<State, { name: 'string' }>, bytes: Buffer, at: number): number {
    let i = at;
    while (i < bytes.length && (bytes[i] ?? 0) >= 0x20) i++;
    if (i > at && state.length < STRING_MAX) state.parts.push(Buffer.from(bytes.subarray(at, i)));
    state.length += i - at;
    if (i > at || i === bytes.length) return i - at;
    if (bytes[i] === ESCAPE && i + 1 === bytes.length) return 0;
    this.#state = { name: 'ground' };
    const isBell = bytes[i] === 0x07;
    const isTerminator = bytes[i] === ESCAPE && bytes[i + 1] === 0x5c;
    if (isBell || isTerminator) {
      const text = Buffer.concat(state.parts).subarray(0, STRING_MAX).toString('utf8');
      this.#out.replies.push({ kind: state.type, text });
      return isBell ? 1 : 2;
    }
    // CAN and SUB are swallowed; anything else starts over in the ground state.
    const isCancel = bytes[i] === 0x18 || bytes[i] === 0x1a;
    if (isCancel) return 1;
    return this.#step(bytes, i, this.#lastMs);
  }

  /** What waited too long and looks like no answer: the keys it stands for. */
  #resolve(pending: Buffer): void {
    if (pending[0] !== ESCAPE) return;
    const second = pending[1];
    const chord = second === undefined ? byteChord(ESCAPE) : { ...byteChord(second), meta: true };
    if (second !== undefined && second >= 0x80) return;
    if (pending.length > 2) {
      this.#resolveLong(pending);
      return;
    }
    this.#out.events.push({ kind: 'key', key: printChord(chord) });
  }

  /** `ESC ESC [` and its like are two keys; rxvt's `CSI 3 $` is one that only a following byte would have ended. */
  #resolveLong(pending: Buffer): void {
    if (pending[1] === ESCAPE) {
      this.#out.events.push({ kind: 'key', key: 'Escape' });
      this.#resolve(pending.subarray(1));
      return;
    }
    const found = recognize(Buffer.concat([pending, Buffer.from([ESCAPE])]), 0);
    if (found.kind === 'key' && found.length === pending.length) this.#accept(found, this.#lastMs);
  }

  /**
   * The Escape of an answer was taken for a key because the rest was late. If that rest comes now, in one piece and in a
   * form that nobody types, it is still an answer.
   */
  #joinLate(bytes: Buffer, nowMs: number): Buffer {
    const flushed = this.#flushed;
    this.#flushed = undefined;
    if (!flushed || nowMs - flushed.ms > REPLY_MS || this.#state.name !== 'ground') return bytes;
    const joined = Buffer.concat([flushed.bytes, bytes]);
    const found = recognize(joined, 0);
    const isAnswer = found.kind === 'string' || (found.kind === 'reply' && isPrivate(joined));
    const isPart = found.kind === 'more' && bytes.length > 1 && isPrivate(joined);
    return isAnswer || isPart ? joined : bytes;
  }
}

/** `CSI ?` and `CSI >`: no key starts so. */
function isPrivate(bytes: Buffer): boolean {
  return bytes[1] === 0x5b && (bytes[2] === 0x3f || bytes[2] === 0x3e);
}

/**
 * Whether bytes that wait for more are the start of a longer sequence (an answer, a mouse report) rather than keys: after
 * CSI, OSC, DCS or APC at least one byte more has come.
 */
function isHalfSequence(pending: Buffer): boolean {
  const start = pending[0] === ESCAPE && pending[1] === ESCAPE ? 1 : 0;
  if (pending[start] !== ESCAPE || pending.length - start < 3) return false;
  const isRxvtShift = pending.at(-1) === 0x24 && /^\d+\$$/.test(pending.toString('latin1', start + 2));
  return [0x5b, 0x5d, 0x50, 0x5f].includes(pending[start + 1] ?? 0) && !isRxvtShift;
}

/** How many bytes at the end may be the start of the paste's end marker. */
function partialEnd(bytes: Buffer, at: number): number {
  for (let length = Math.min(PASTE_END.length - 1, bytes.length - at); length > 0; length--) {
    if (bytes.subarray(bytes.length - length).equals(PASTE_END.subarray(0, length))) return length;
  }
  return 0;
}
