/**
 * A run of lines of the history, packed: rows as row-codec.ts writes them, deflated when there is time for it. The newest
 * chunk of a history is open and grows; the others do not change. What is needed to count rows at any width
 * (wrap-layout.ts) stays unpacked, two bytes a row.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { CELL_WORDS, CONTENT_CODEPOINT_MASK, CONTENT_IS_CLUSTER, type Row, rowColumns } from '../../protocol/cell.ts';
import { ByteReader, ByteWriter, malformed } from './byte-stream.ts';
import { packedText, packRow } from './row-codec.ts';
import { countRows, LineWalker, SPAN_CONTINUES, SPAN_WIDE, type Spans, wideRuns } from './wrap-layout.ts';

/** Packed bytes of a chunk, before it is deflated, at which it is full. */
const CHUNK_BYTES = 64 * 1024;
/** Rows of a full chunk. */
export const CHUNK_ROWS = 2048;
/** Bytes that a chunk may inflate to: more is no chunk of ours. */
const INFLATED_MAX = 16 << 20;
/** Fast, and nearly as small as it gets for rows of text. */
const DEFLATE_LEVEL = 3;
/** Memory of the objects that make a chunk, about. */
const OVERHEAD_BYTES = 400;

/** Lines whose packed rows can be read. */
export interface ReadableLines extends Spans {
  /** A packed row; good until the lines change. */
  packedRow(piece: number): Uint8Array;
  /** Its text (row-codec.ts `packedText`). */
  text(piece: number): string;
}

/** A full chunk. */
export class SealedChunk {
  /** No other chunk of its history ever had it; never 0. */
  readonly id: number;
  readonly count: number;
  readonly lineCount: number;
  readonly spans: Uint16Array;
  readonly wide: Uint16Array;
  /** Bytes of its packed rows, deflated or not. */
  readonly rowBytes: number;
  /** The widest line; at that width and beyond every line is one row. */
  readonly #columnsMax: number;
  /** Lengths of the packed rows as varints, then the rows. */
  #payload: Uint8Array;
  #isDeflated: boolean;
  #counted = { cols: 0, rows: 0 };

  private constructor(id: number, rowBytes: number, packed: PackedLines, isDeflated: boolean) {
    this.id = id;
    this.rowBytes = rowBytes;
    this.count = packed.spans.length;
    this.spans = packed.spans;
    this.wide = packed.wide;
    this.#payload = packed.payload;
    this.#isDeflated = isDeflated;
    const walker = new LineWalker(this);
    let lines = 0;
    let most = 0;
    while (walker.next()) {
      lines++;
      most = Math.max(most, walker.columns);
    }
    this.lineCount = lines;
    this.#columnsMax = most;
  }

  static seal(open: OpenChunk, id: number): SealedChunk {
    const packed = { spans: Uint16Array.from(open.spans), wide: Uint16Array.from(open.wide), payload: open.payload() };
    return new SealedChunk(id, open.rowBytes, packed, false);
  }

  /** Reads what `pack` wrote. Throws MplexError `protocol`. */
  static unpack(reader: ByteReader): SealedChunk {
    const id = reader.varint();
    const rowBytes = reader.varint();
    const isDeflated = reader.u8() !== 0;
    return new SealedChunk(id, rowBytes, unpackLines(reader), isDeflated);
  }

  pack(writer: ByteWriter): void {
    writer.varint(this.id);
    writer.varint(this.rowBytes);
    writer.u8(this.#isDeflated ? 1 : 0);
    packLines(writer, { spans: this.spans, wide: this.wide, payload: this.#payload });
  }

  get byteLength(): number {
    return this.#payload.length + this.spans.byteLength + this.wide.byteLength + OVERHEAD_BYTES;
  }

  get isDeflated(): boolean {
    return this.#isDeflated;
  }

  rowCount(cols: number): number {
    if (cols >= this.#columnsMax) return this.lineCount;
    if (this.#counted.cols !== cols) this.#counted = { cols, rows: countRows(this, cols) };
    return this.#counted.rows;
  }

  /** Makes it small; takes a millisecond or so. */
  deflate(): void {
    if (this.#isDeflated) return;
    // A copy, since zlib gives a part of a larger block.
    this.#payload = new Uint8Array(deflateRawSync(this.#payload, { level: DEFLATE_LEVEL }));
    this.#isDeflated = true;
  }

  load(): LoadedChunk {
    return new LoadedChunk(
      this,
      this.#isDeflated ? inflateRawSync(this.#payload, { maxOutputLength: INFLATED_MAX }) : this.#payload,
    );
  }
}

/** Pieces as bytes. */
interface PackedLines {
  readonly spans: Uint16Array;
  readonly wide: Uint16Array;
  readonly payload: Uint8Array;
}

function packLines(writer: ByteWriter, { spans, wide, payload }: PackedLines): void {
  for (const numbers of [spans, wide]) {
    writer.varint(numbers.length);
    for (const number of numbers) writer.varint(number);
  }
  writer.block(payload);
}

function unpackLines(reader: ByteReader): PackedLines {
  const numbers = () => {
    const count = reader.varint();
    if (count > reader.left) throw malformed('cut short');
    return Uint16Array.from({ length: count }, () => reader.varint());
  };
  // The bytes may be part of something larger that would be kept alive.
  return { spans: numbers(), wide: numbers(), payload: new Uint8Array(reader.block()) };
}

/** A sealed chunk whose rows can be read. */
export class LoadedChunk implements ReadableLines {
  readonly count: number;
  readonly spans: Uint16Array;
  readonly wide: Uint16Array;
  readonly #bytes: Buffer;
  readonly #offsets: Uint32Array;

  constructor({ spans, wide }: Pick<PackedLines, 'spans' | 'wide'>, payload: Uint8Array) {
    this.count = spans.length;
    this.spans = spans;
    this.wide = wide;
    this.#bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
    this.#offsets = new Uint32Array(this.count + 1);
    const reader = new ByteReader(payload);
    let offset = 0;
    for (let i = 0; i < this.count; i++) {
      this.#offsets[i] = offset;
      offset += reader.varint();
    }
    this.#offsets[this.count] = offset;
    const start = payload.length - reader.left;
    for (let i = 0; i <= this.count; i++) this.#offsets[i] = (this.#offsets[i] ?? 0) + start;
  }

  packedRow(piece: number): Uint8Array {
    return this.#bytes.subarray(this.#offsets[piece], this.#offsets[piece + 1]);
  }

  text(piece: number): string {
    return packedText(this.#bytes, this.#offsets[piece] ?? 0, this.#offsets[piece + 1] ?? 0);
  }

  /** All bytes as characters: what is ASCII in a row stands here as it is, with a zero for an empty cell. */
  get characters(): string {
    return this.#bytes.toString('latin1');
  }
}

/** What the newest row lacks when another one goes on it. */
interface Unfinished {
  readonly columns: number;
  /** Its last cell is empty: a wide character that did not fit may follow. */
  readonly endsEmpty: boolean;
}

/** The newest chunk. */
export class OpenChunk implements ReadableLines {
  readonly spans: number[] = [];
  readonly wide: number[] = [];
  readonly #writer = new ByteWriter();
  readonly #ends: number[] = [];
  #lineCount = 0;
  /** Columns of the newest line. */
  #lineColumns = 0;
  /** Undefined when the newest piece has all its columns. */
  #unfinished: Unfinished | undefined;
  /** Grows with each change. */
  revision = 0;

  /** The pieces of loaded lines up to `end`. */
  static of(lines: ReadableLines, end: number): OpenChunk {
    const open = new OpenChunk();
    const wide = Array.from(lines.wide);
    let wideAt = 0;
    for (let piece = 0; piece < end; piece++) {
      const span = lines.spans[piece] ?? 0;
      const size = span & SPAN_WIDE ? 1 + (wide[wideAt] ?? 0) : 0;
      open.#appendPacked(lines.packedRow(piece), span, wide.slice(wideAt, wideAt + size));
      wideAt += size;
    }
    return open;
  }

  /** Reads what `pack` wrote. Throws MplexError `protocol`. */
  static unpack(reader: ByteReader): OpenChunk {
    const columns = reader.varint();
    const isOpen = reader.u8() !== 0;
    const packed = unpackLines(reader);
    const open = OpenChunk.of(new LoadedChunk(packed, packed.payload), packed.spans.length);
    open.#unfinished = columns > 0 ? { columns, endsEmpty: isOpen } : undefined;
    return open;
  }

  pack(writer: ByteWriter): void {
    writer.varint(this.#unfinished?.columns ?? 0);
    writer.u8(this.#unfinished?.endsEmpty ? 1 : 0);
    packLines(writer, {
      spans: Uint16Array.from(this.spans),
      wide: Uint16Array.from(this.wide),
      payload: this.payload(),
    });
  }

  get count(): number {
    return this.spans.length;
  }

  get lineCount(): number {
    return this.#lineCount;
  }

  /** Bytes of its packed rows. */
  get rowBytes(): number {
    return this.#writer.length;
  }

  get isFull(): boolean {
    return this.#writer.length >= CHUNK_BYTES || this.spans.length >= CHUNK_ROWS;
  }

  /** Columns of the newest line. */
  get lineColumns(): number {
    return this.#lineColumns;
  }

  /** A copy that changes on its own. */
  clone(): OpenChunk {
    const copy = OpenChunk.of(this, this.count);
    copy.#unfinished = this.#unfinished;
    return copy;
  }

  packedRow(piece: number): Uint8Array {
    return this.#writer.view(piece === 0 ? 0 : (this.#ends[piece - 1] ?? 0), this.#ends[piece] ?? 0);
  }

  text(piece: number): string {
    const packed = this.packedRow(piece);
    return packedText(Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength), 0, packed.byteLength);
  }

  /** Adds a row that begins a line, or goes on the newest one. */
  push(row: Row, continues: boolean): void {
    if (continues) this.finish(startsWide(row));
    const cols = rowColumns(row);
    const columns = contentColumns(row);
    const runs = hasHalves(row, columns) ? wideRuns(row.words, CELL_WORDS, columns) : [];
    packRow(this.#writer, row, continues);
    const span = columns | (continues ? SPAN_CONTINUES : 0) | (runs.length > 0 ? SPAN_WIDE : 0);
    this.#count(span, runs.length > 0 ? [runs.length, ...runs] : runs);
    this.#unfinished = { columns: cols, endsEmpty: endsEmpty(row) };
  }

  /** The newest row is followed by another one of its line: it counts with all its columns. */
  finish(beforeWide: boolean): void {
    if (!this.#unfinished) return;
    const { columns, endsEmpty: isOpen } = this.#unfinished;
    this.#unfinished = undefined;
    const last = this.spans.length - 1;
    const before = this.spans[last] ?? 0;
    const full = columns - (isOpen && beforeWide ? 1 : 0);
    this.#lineColumns += full - (before & ~(SPAN_WIDE | SPAN_CONTINUES));
    this.spans[last] = (before & (SPAN_WIDE | SPAN_CONTINUES)) | full;
    this.revision++;
  }

  /** Takes the pieces from `piece` on away. */
  truncate(piece: number): void {
    const kept = OpenChunk.of(this, piece);
    this.#writer.truncate(this.#ends[piece - 1] ?? 0);
    this.#ends.length = piece;
    this.spans.length = piece;
    this.wide.splice(0, this.wide.length, ...kept.wide);
    this.#lineCount = kept.#lineCount;
    this.#lineColumns = kept.#lineColumns;
    this.#unfinished = undefined;
    this.revision++;
  }

  payload(): Uint8Array {
    const writer = new ByteWriter();
    for (let i = 0; i < this.#ends.length; i++) writer.varint((this.#ends[i] ?? 0) - (this.#ends[i - 1] ?? 0));
    const rows = this.#writer.view(0, this.#writer.length);
    const { bytes, at } = writer.reserve(rows.length);
    bytes.set(rows, at);
    writer.advance(rows.length);
    return writer.finish();
  }

  #appendPacked(packed: Uint8Array, span: number, wide: readonly number[]): void {
    const { bytes, at } = this.#writer.reserve(packed.length);
    bytes.set(packed, at);
    this.#writer.advance(packed.length);
    this.#count(span, wide);
  }

  #count(span: number, wide: readonly number[]): void {
    this.#ends.push(this.#writer.length);
    this.spans.push(span);
    for (const number of wide) this.wide.push(number);
    const columns = span & ~(SPAN_WIDE | SPAN_CONTINUES);
    const continues = (span & SPAN_CONTINUES) !== 0 && this.#lineCount > 0;
    if (!continues) this.#lineCount++;
    this.#lineColumns = continues ? this.#lineColumns + columns : columns;
    this.revision++;
  }
}

/** Columns up to the last cell that holds text; colours behind it do not wrap. */
export function contentColumns(row: Row): number {
  const { words } = row;
  for (let at = words.length - CELL_WORDS; at >= 0; at -= CELL_WORDS) {
    const content = words[at] ?? 0;
    if (content & (CONTENT_CODEPOINT_MASK | CONTENT_IS_CLUSTER) || content === 0) return at / CELL_WORDS + 1;
  }
  return 0;
}

/** Whether the row begins with a wide character. */
export function startsWide(row: Row): boolean {
  return rowColumns(row) > 1 && row.words[CELL_WORDS] === 0;
}

/** Whether nothing was written in the last cell. */
export function endsEmpty(row: Row): boolean {
  const content = row.words[row.words.length - CELL_WORDS] ?? 0;
  return content !== 0 && (content & (CONTENT_CODEPOINT_MASK | CONTENT_IS_CLUSTER)) === 0;
}

function hasHalves(row: Row, columns: number): boolean {
  for (let at = CELL_WORDS; at < columns * CELL_WORDS; at += CELL_WORDS) if (row.words[at] === 0) return true;
  return false;
}
