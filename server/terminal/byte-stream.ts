/** Bytes written one after the other and read back: the ground of the packed formats. Integers are LEB128 varints. */
import { MplexError } from '../../protocol/errors.ts';

const START_BYTES = 4096;

/** Collects bytes in memory that grows. */
export class ByteWriter {
  #bytes = Buffer.allocUnsafe(START_BYTES);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Room for `count` bytes at `at`, to be filled by the caller, who then calls `advance`. */
  reserve(count: number): { readonly bytes: Buffer; readonly at: number } {
    const needed = this.#length + count;
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    return { bytes: this.#bytes, at: this.#length };
  }

  /** Bytes of what was reserved that were used. */
  advance(count: number): void {
    this.#length += count;
  }

  u8(value: number): void {
    const { bytes, at } = this.reserve(1);
    bytes[at] = value;
    this.#length++;
  }

  u32(value: number): void {
    const { bytes, at } = this.reserve(4);
    bytes.writeUInt32LE(value >>> 0, at);
    this.#length += 4;
  }

  /** A whole number from 0 to 2^53 - 1. */
  varint(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.u8((rest % 0x80) | 0x80);
      rest = Math.floor(rest / 0x80);
    }
    this.u8(rest);
  }

  text(value: string): void {
    const length = Buffer.byteLength(value);
    this.varint(length);
    const { bytes, at } = this.reserve(length);
    bytes.write(value, at, 'utf8');
    this.#length += length;
  }

  /** A length and that many bytes. */
  block(value: Uint8Array): void {
    this.varint(value.length);
    const { bytes, at } = this.reserve(value.length);
    bytes.set(value, at);
    this.#length += value.length;
  }

  /** Forgets what was written from `length` on. */
  truncate(length: number): void {
    this.#length = Math.min(this.#length, length);
  }

  /** The bytes from one place to another, not copied: good until more is written. */
  view(from: number, to: number): Uint8Array {
    return this.#bytes.subarray(from, Math.min(to, this.#length));
  }

  /** What was written, as a copy; the writer may be used on. */
  finish(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#length));
  }
}

/** Reads what a ByteWriter wrote. Throws MplexError `protocol` where the bytes end too early or make no sense. */
export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  u8(): number {
    return this.#bytes.readUInt8(this.#take(1));
  }

  u32(): number {
    return this.#bytes.readUInt32LE(this.#take(4));
  }

  varint(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.u8();
      value += (byte & 0x7f) * scale;
      if (value > Number.MAX_SAFE_INTEGER) throw malformed('a number is too large');
      if (byte < 0x80) return value;
      scale *= 0x80;
    }
  }

  text(): string {
    const length = this.varint();
    const at = this.#take(length);
    return this.#bytes.toString('utf8', at, at + length);
  }

  block(): Buffer {
    return this.raw(this.varint());
  }

  raw(count: number): Buffer {
    const at = this.#take(count);
    return this.#bytes.subarray(at, at + count);
  }

  #take(count: number): number {
    const at = this.#at;
    if (count > this.left) throw malformed('cut short');
    this.#at += count;
    return at;
  }
}

export function malformed(why: string): MplexError {
  return new MplexError('protocol', `packed bytes: ${why}`);
}
