/** Cuts a byte stream into frames (`u32 length, u8 type, body`), whatever the chunks. */
import type { RawFrame } from './call-codec.ts';
import { MplexError } from './errors.ts';

const LENGTH_SIZE = 4;
/** First allocation for a frame that comes in pieces; it doubles, so that a peer pays for what it announces. */
const FIRST_ALLOCATION = 4096;

/**
 * Streaming and bounded: a frame longer than `limit` bytes (its type included) throws MplexError 'protocol', and so does
 * every later call. Memory held is at most twice what has been received of one frame.
 */
export class FrameDecoder {
  readonly #limit: number;
  #held: Buffer = Buffer.alloc(0);
  #used = 0;
  #failed = false;

  /** `limit` is CLIENT_FRAME_MAX for what a client sends, SERVER_FRAME_MAX for what a server sends. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The frames that `chunk` completes. Bodies may share the chunk's memory: the caller must not reuse it. */
  push(chunk: Uint8Array): RawFrame[] {
    if (this.#failed) throw new MplexError('protocol', 'stream is broken');
    try {
      return this.#split(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    } catch (error) {
      this.#failed = true;
      this.#held = Buffer.alloc(0);
      throw error;
    }
  }

  /** Bytes of an unfinished frame that are held. */
  get pending(): number {
    return this.#used;
  }

  #split(chunk: Buffer): RawFrame[] {
    const frames: RawFrame[] = [];
    let at = 0;
    while (at < chunk.length) {
      if (this.#used === 0) {
        const total = this.#frameSize(chunk, at, chunk.length);
        if (total !== undefined && at + total <= chunk.length) {
          frames.push(toFrame(chunk.subarray(at, at + total)));
          at += total;
          continue;
        }
      }
      at += this.#hold(chunk, at);
      const total = this.#frameSize(this.#held, 0, this.#used);
      if (total !== undefined && this.#used === total) {
        frames.push(toFrame(this.#held.subarray(0, total)));
        this.#held = Buffer.alloc(0);
        this.#used = 0;
      }
    }
    return frames;
  }

  /** Whole size of the frame that starts at `at`, length field included; undefined if that field is not there yet. */
  #frameSize(bytes: Buffer, at: number, end: number): number | undefined {
    if (end - at < LENGTH_SIZE) return undefined;
    const length = bytes.readUInt32BE(at);
    if (length === 0) throw new MplexError('protocol', 'empty frame');
    if (length > this.#limit) throw new MplexError('protocol', `frame too long: ${length}`);
    return LENGTH_SIZE + length;
  }

  /** Keeps bytes of the unfinished frame, no further than its end; gives how many were taken. */
  #hold(chunk: Buffer, at: number): number {
    const wanted = this.#frameSize(this.#held, 0, this.#used) ?? LENGTH_SIZE;
    const count = Math.min(wanted - this.#used, chunk.length - at);
    const needed = this.#used + count;
    if (needed > this.#held.length) {
      const grown = Buffer.allocUnsafe(Math.max(needed, Math.min(wanted, this.#held.length * 2), FIRST_ALLOCATION));
      this.#held.copy(grown, 0, 0, this.#used);
      this.#held = grown;
    }
    chunk.copy(this.#held, this.#used, at, at + count);
    this.#used = needed;
    return count;
  }
}

function toFrame(bytes: Buffer): RawFrame {
  return { type: bytes.readUInt8(LENGTH_SIZE), body: bytes.subarray(LENGTH_SIZE + 1) };
}
