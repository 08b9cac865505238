/**
 * The framing between the server and its pty host: `u32 length, u8 type, u32 pane, payload`, big endian, where `length`
 * counts what follows it. Fields of a payload are fixed-size integers and strings as `u32 length, UTF-8 bytes`. A
 * reader ignores what follows the fields it knows, so a newer peer may add fields at the end of any payload.
 */
import { MplexError } from '../../protocol/errors.ts';

/** One frame, taken apart; `payload` may share memory with the chunk it came in. */
export interface HostFrame {
  readonly type: number;
  /** The pane that the frame is about, 0 for frames about none. */
  readonly pane: number;
  readonly payload: Buffer;
}

/** A longer frame than this (bytes after the length) is an error: one write of INPUT_MAX bytes fits. */
const HOST_FRAME_MAX = 16 << 20;

/** Bytes before the payload. */
export const FRAME_HEADER = 9;

const LENGTH_BYTES = 4;
const FIXED_PART = FRAME_HEADER - LENGTH_BYTES;
const U32 = 0x1_0000_0000;

/** Fills in a frame's first FRAME_HEADER bytes; the payload is all the rest of `frame`. */
export function writeFrameHeader(frame: Buffer, type: number, pane: number): void {
  frame.writeUInt32BE(frame.length - LENGTH_BYTES, 0);
  frame.writeUInt8(type, LENGTH_BYTES);
  frame.writeUInt32BE(pane, LENGTH_BYTES + 1);
}

/** Writes a stream offset as u64. */
export function writeU64(target: Buffer, value: number, at: number): void {
  target.writeUInt32BE(Math.floor(value / U32), at);
  target.writeUInt32BE(value % U32, at + 4);
}

/** Collects a payload's fields and makes the frame. */
export class FrameWriter {
  readonly #parts: Buffer[] = [];

  u8(value: number): this {
    return this.#add(1, (part) => part.writeUInt8(value));
  }

  u16(value: number): this {
    return this.#add(2, (part) => part.writeUInt16BE(value));
  }

  u32(value: number): this {
    return this.#add(4, (part) => part.writeUInt32BE(value));
  }

  i32(value: number): this {
    return this.#add(4, (part) => part.writeInt32BE(value));
  }

  u64(value: number): this {
    return this.#add(8, (part) => writeU64(part, value, 0));
  }

  string(value: string): this {
    const text = Buffer.from(value, 'utf8');
    this.u32(text.length);
    this.#parts.push(text);
    return this;
  }

  strings(values: readonly string[]): this {
    this.u32(values.length);
    for (const value of values) this.string(value);
    return this;
  }

  bytes(value: Uint8Array): this {
    this.#parts.push(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
    return this;
  }

  finish(type: number, pane: number): Buffer {
    const frame = Buffer.concat([Buffer.alloc(FRAME_HEADER), ...this.#parts]);
    writeFrameHeader(frame, type, pane);
    return frame;
  }

  #add(size: number, write: (part: Buffer) => void): this {
    const part = Buffer.allocUnsafe(size);
    write(part);
    this.#parts.push(part);
    return this;
  }
}

/** Reads a payload's fields in order. Throws MplexError `protocol` where the payload ends too early. */
export class FieldReader {
  readonly #frame: HostFrame;
  #at = 0;

  constructor(frame: HostFrame) {
    this.#frame = frame;
  }

  u8(): number {
    return this.#frame.payload.readUInt8(this.#take(1));
  }

  u16(): number {
    return this.#frame.payload.readUInt16BE(this.#take(2));
  }

  u32(): number {
    return this.#frame.payload.readUInt32BE(this.#take(4));
  }

  i32(): number {
    return this.#frame.payload.readInt32BE(this.#take(4));
  }

  /** A stream offset; above 2^53 it is an error, since it could not be counted exactly. */
  u64(): number {
    const value = this.u32() * U32 + this.u32();
    if (value > Number.MAX_SAFE_INTEGER) throw protocolError(`offset too large in frame type ${this.#frame.type}`);
    return value;
  }

  string(): string {
    const length = this.u32();
    const start = this.#take(length);
    return this.#frame.payload.toString('utf8', start, start + length);
  }

  strings(): string[] {
    return this.list(4, () => this.string());
  }

  /** A u32 count and that many items of at least `itemBytes` bytes each, so that a false count costs no memory. */
  list<T>(itemBytes: number, readItem: () => T): T[] {
    const count = this.u32();
    if (count * itemBytes > this.#frame.payload.length - this.#at) throw this.#tooShort();
    return Array.from({ length: count }, readItem);
  }

  /** Bytes that are left. */
  get left(): number {
    return this.#frame.payload.length - this.#at;
  }

  /** All that is left. */
  rest(): Buffer {
    return this.#frame.payload.subarray(this.#take(this.#frame.payload.length - this.#at));
  }

  #take(count: number): number {
    const start = this.#at;
    if (start + count > this.#frame.payload.length) throw this.#tooShort();
    this.#at = start + count;
    return start;
  }

  #tooShort(): MplexError {
    return protocolError(`frame type ${this.#frame.type} is too short: ${this.#frame.payload.length} bytes`);
  }
}

/** Cuts a byte stream into frames, whatever the chunks. */
export class FrameDecoder {
  readonly #limit: number;
  #chunks: Buffer[] = [];
  #length = 0;

  constructor(limit = HOST_FRAME_MAX) {
    this.#limit = limit;
  }

  /** The frames that `chunk` completes. Throws MplexError `protocol` at an impossible length; the stream is lost then. */
  push(chunk: Buffer): HostFrame[] {
    if (chunk.length > 0) this.#chunks.push(chunk);
    this.#length += chunk.length;
    const frames: HostFrame[] = [];
    while (this.#length >= LENGTH_BYTES) {
      const length = this.#front(LENGTH_BYTES).readUInt32BE(0);
      if (length < FIXED_PART || length > this.#limit) throw protocolError(`bad frame length: ${length}`);
      const total = LENGTH_BYTES + length;
      if (this.#length < total) break;
      frames.push(this.#takeFrame(total));
    }
    return frames;
  }

  #takeFrame(total: number): HostFrame {
    const front = this.#front(total);
    this.#length -= total;
    if (front.length === total) this.#chunks.shift();
    else this.#chunks[0] = front.subarray(total);
    return {
      type: front.readUInt8(LENGTH_BYTES),
      pane: front.readUInt32BE(LENGTH_BYTES + 1),
      payload: front.subarray(FRAME_HEADER, total),
    };
  }

  /** The first chunk, joined with those after it until it has `count` bytes; the caller knows that there are enough. */
  #front(count: number): Buffer {
    const first = this.#chunks[0];
    if (first && first.length >= count) return first;
    let length = 0;
    let used = 0;
    while (length < count) length += this.#chunks[used++]?.length ?? 0;
    const joined = Buffer.concat(this.#chunks.slice(0, used), length);
    this.#chunks = [joined, ...this.#chunks.slice(used)];
    return joined;
  }
}

function protocolError(message: string): MplexError {
  return new MplexError('protocol', `pty host: ${message}`);
}
