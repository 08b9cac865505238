import { isUtf8 } from 'node:buffer';
import { Emitter } from '../events.ts';

/** What a buffer holds. */
export interface BufferContent {
  readonly text: string;
  /** The bytes that were loaded, where they are not UTF-8: save-buffer and show-buffer give them back as they were. */
  readonly raw?: Uint8Array;
}

export interface PasteBuffer extends BufferContent {
  readonly name: string;
  /** Made by a copy, not named by the user: these are dropped first when there are too many. */
  readonly automatic: boolean;
  /** Seconds since the epoch. */
  readonly created: number;
  /** Grows with each buffer; the highest is the newest. */
  readonly order: number;
}

export function contentOf(bytes: Uint8Array): BufferContent {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  return isUtf8(bytes) ? { text } : { text, raw: bytes };
}

export function bytesOf({ text, raw }: BufferContent): Uint8Array {
  return raw ?? Buffer.from(text);
}

/** The paste buffers of the server (tmux(1) BUFFERS), newest first. */
export class PasteBuffers {
  /** A buffer was added, changed, renamed or deleted. */
  readonly changed = new Emitter<void>();
  readonly #buffers = new Map<string, PasteBuffer>();
  readonly #now: () => number;
  #nextNumber = 0;
  #nextOrder = 0;

  /** `now` gives seconds since the epoch. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Adds an automatic buffer and drops the oldest automatic ones above `limit` (option buffer-limit). Its name is the
   * prefix and a number.
   */
  add(content: string | BufferContent, limit: number, prefix = 'buffer'): PasteBuffer | undefined {
    if (content === '') return undefined;
    const automatic = this.list().filter((buffer) => buffer.automatic);
    for (const buffer of automatic.slice(Math.max(0, limit - 1))) this.#buffers.delete(buffer.name);
    while (this.#buffers.has(`${prefix}${this.#nextNumber}`)) this.#nextNumber += 1;
    return this.#put(`${prefix}${this.#nextNumber++}`, content, true);
  }

  /** The number in the name of the next automatic buffer, and the order of the next buffer. */
  get counters(): { readonly number: number; readonly order: number } {
    return { number: this.#nextNumber, order: this.#nextOrder };
  }

  /** Puts buffers of an earlier server back as they were. */
  restore(buffers: Iterable<PasteBuffer>, counters: { readonly number: number; readonly order: number }): void {
    for (const buffer of buffers) this.#buffers.set(buffer.name, buffer);
    this.#nextNumber = counters.number;
    this.#nextOrder = counters.order;
  }

  /** Puts another text into a buffer that stays what and where it was. */
  replace(name: string, text: string): void {
    const buffer = this.#buffers.get(name);
    if (!buffer) return;
    const { raw: _, ...rest } = buffer;
    this.#buffers.set(name, { ...rest, text });
    this.changed.emit();
  }

  /** Sets a buffer by name; an existing one keeps its name and becomes the newest. */
  set(name: string, content: string | BufferContent): PasteBuffer {
    return this.#put(name, content, false);
  }

  get(name: string): PasteBuffer | undefined {
    return this.#buffers.get(name);
  }

  /** The newest buffer, named or not: what commands take without a name. */
  newest(): PasteBuffer | undefined {
    return this.list()[0];
  }

  delete(name: string): boolean {
    const isThere = this.#buffers.delete(name);
    if (isThere) this.changed.emit();
    return isThere;
  }

  rename(from: string, to: string): boolean {
    const buffer = this.#buffers.get(from);
    if (!buffer) return false;
    this.#buffers.delete(from);
    this.#buffers.set(to, { ...buffer, name: to, automatic: false });
    this.changed.emit();
    return true;
  }

  list(): PasteBuffer[] {
    return [...this.#buffers.values()].sort((a, b) => b.order - a.order);
  }

  #put(name: string, content: string | BufferContent, automatic: boolean): PasteBuffer {
    this.#buffers.delete(name);
    const held = typeof content === 'string' ? { text: content } : content;
    const buffer = { ...held, name, automatic, created: Math.floor(this.#now()), order: this.#nextOrder++ };
    this.#buffers.set(name, buffer);
    this.changed.emit();
    return buffer;
  }
}
