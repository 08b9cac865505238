/**
 * The lines of a pane that left its screen, oldest first, packed (history-chunk.ts). Lines are kept as they were printed;
 * rows are made of them when somebody looks, at whatever width, so a change of the width costs nothing here. What is
 * asked for often, the number of rows, is counted once a width from numbers that stay unpacked.
 *
 * Trimming drops whole chunks; what is too much of the oldest one is only left out.
 */
import { blankRow, type Row, rowColumns } from '../../protocol/cell.ts';
import type { ByteReader, ByteWriter } from './byte-stream.ts';
import { ChunkCache } from './chunk-cache.ts';
import type { BudgetShare, Droppable } from './history-budget.ts';
import { contentColumns, LoadedChunk, OpenChunk, type ReadableLines, SealedChunk } from './history-chunk.ts';
import { clearRow, type LineVisitor, readCells, textOf } from './line-cells.ts';
import type { PackedRow } from './row-codec.ts';
import { type RowColors, recolorRow } from './screen-row.ts';
import { type LineSpan, type LineTable, lastAtMost, SPAN_COLUMNS } from './wrap-layout.ts';

/** A longer line is broken, so that one that never ends stays readable. */
export const LINE_COLUMNS_MAX = 1 << 20;
/** Full chunks that wait to be deflated; beyond that the oldest one is done at once. */
const RAW_CHUNKS_MAX = 64;

/** A place in the text whatever the width: line 0 is the oldest, columns count along the whole line. */
export interface LinePlace {
  readonly line: number;
  readonly column: number;
}

interface Found {
  readonly lines: ReadableLines;
  readonly span: LineSpan;
  /** Row of the line. */
  readonly row: number;
}

/** The rows of the full chunks at one width: each chunk's first row, counted from an arbitrary one, and the end. */
interface Layout {
  readonly cols: number;
  readonly starts: number[];
  end: number;
}

export class HistoryStore implements Droppable {
  readonly #budget: BudgetShare | undefined;
  #chunks: SealedChunk[] = [];
  #open = new OpenChunk();
  #bytes = 0;
  #rawChunks = 0;
  /** What is left out of the oldest chunk: lines, and columns of the one behind them. */
  #head: LinePlace = { line: 0, column: 0 };
  /** The first row goes on one that the store never had, or not any more. */
  #beginsWrapped = false;
  #headRows: { readonly cols: number; readonly rows: number } | undefined;
  #layout: Layout | undefined;
  /** Each chunk's first line, the open one's included. */
  #lineStarts: readonly number[] | undefined;
  readonly #cache = new ChunkCache();
  /** Of a snapshot: what stands for palette numbers and defaults in its rows. */
  colors: RowColors | undefined;
  #trimmedRows = 0;
  #nextId = 1;

  /** Without a budget it may grow without end. */
  constructor(budget?: BudgetShare) {
    this.#budget = budget;
    budget?.join(this);
  }

  /** Bytes of the full chunks. */
  get byteLength(): number {
    return this.#bytes;
  }

  /** Bytes of the packed rows before they are deflated: what there is, whatever was done with it so far. */
  get rowBytes(): number {
    return this.#chunks.reduce((total, chunk) => total + chunk.rowBytes, this.#open.rowBytes);
  }

  /** Rows ever dropped from the top, each counted at the width of its time. */
  get trimmedRows(): number {
    return this.#trimmedRows;
  }

  get isEmpty(): boolean {
    return this.#chunks.length === 0 && this.#open.count === 0;
  }

  /** Adds the newest row; `isWrapped`: it goes on the one before, unless nothing is in it. */
  append(row: Row, isWrapped: boolean): void {
    if (isWrapped && this.#open.count === 0) {
      this.#reopen();
      this.#beginsWrapped = this.#open.count === 0;
    }
    const continues =
      isWrapped && contentColumns(row) > 0 && this.#open.count > 0 && this.#open.lineColumns < LINE_COLUMNS_MAX;
    if (!continues && this.#open.isFull) this.#seal();
    this.#open.push(row, continues);
  }

  /** Rows at a width of `cols` columns. */
  rowCount(cols: number): number {
    const layout = this.#layoutAt(cols);
    return layout.end - (layout.starts[0] ?? layout.end) + this.#tableOfOpen(cols).rowCount - this.#hiddenRows(cols);
  }

  /** Copies row `index` at a width; `into` may be narrower or wider. */
  readRow(index: number, cols: number, into: Row): void {
    clearRow(into);
    const found = this.#find(index, cols);
    if (!found) return;
    const { rowStarts } = found.span;
    const from = rowStarts[found.row] ?? 0;
    readCells(found, { from, to: rowStarts[found.row + 1] ?? from + cols }, into);
    if (this.colors) recolorRow(into, this.colors);
  }

  /** Whether row `index` at a width goes on the one before it. */
  isWrapped(index: number, cols: number): boolean {
    return (this.#find(index, cols)?.row ?? 0) > 0 || (index === 0 && this.#beginsWrapped);
  }

  /** Drops the oldest rows. */
  trimRows(count: number, cols: number): void {
    const total = this.rowCount(cols);
    if (count >= total) this.clear(cols);
    if (count <= 0 || count >= total) return;
    let target = this.#hiddenRows(cols) + count;
    for (let first = this.#chunks[0]; first && target >= first.rowCount(cols); first = this.#chunks[0]) {
      target -= first.rowCount(cols);
      this.#dropFirst();
    }
    const table = this.#tableOf(0, cols);
    const line = table.lineAt(target);
    const column = table.line(line).rowStarts[target - table.firstRow(line)] ?? 0;
    this.#setHead({ line, column });
    this.#trimmedRows += count;
  }

  /** Drops all; `cols` is the width to count the dropped rows at. */
  clear(cols: number): void {
    this.#trimmedRows += this.rowCount(cols);
    this.#reset();
  }

  #reset(): void {
    this.#budget?.changed(-this.#bytes);
    this.#chunks = [];
    this.#open = new OpenChunk();
    this.#bytes = 0;
    this.#rawChunks = 0;
    this.#setHead({ line: 0, column: 0 });
    this.#layout = undefined;
    this.#lineStarts = undefined;
    this.forgetUnpacked();
  }

  dropOldest(): boolean {
    const [first] = this.#chunks;
    if (!first) return false;
    const cols = this.#layout?.cols ?? Number.POSITIVE_INFINITY;
    this.#trimmedRows += first.rowCount(cols) - this.#hiddenRows(cols);
    this.#dropFirst();
    return true;
  }

  /** Takes the newest rows out, oldest first. How many rows there are in all does not matter. */
  takeLast(count: number, cols: number): PackedRow[] {
    const taken: PackedRow[] = [];
    while (taken.length < count) {
      if (this.#open.count === 0) this.#reopen();
      const rest = this.#takeFromOpen(count - taken.length, cols);
      if (rest.length === 0) break;
      taken.unshift(...rest);
    }
    return taken;
  }

  #takeFromOpen(count: number, cols: number): PackedRow[] {
    const table = this.#tableOfOpen(cols);
    const head = this.#chunks.length === 0 ? this.#head : { line: 0, column: 0 };
    const taken: PackedRow[] = [];
    for (let line = table.lineCount - 1; line >= head.line; line--) {
      const span = table.line(line);
      const { rowStarts } = span;
      const first = line === head.line ? lastAtMost(rowStarts, head.column) : 0;
      for (let at = rowStarts.length - 1; at >= first; at--) {
        const from = rowStarts[at] ?? 0;
        const row = blankRow(cols);
        readCells({ lines: this.#open, span }, { from, to: rowStarts[at + 1] ?? from + cols }, row);
        taken.unshift({ row, isWrapped: at > 0 });
        if (taken.length < count) continue;
        const isAll = this.#chunks.length === 0 && line === head.line && at === first;
        if (isAll) this.#takeAll(taken);
        else this.#cutOpen(line, from);
        return taken;
      }
    }
    this.#takeAll(taken);
    return taken;
  }

  /** What the open chunk showed was taken. */
  #takeAll(taken: PackedRow[]): void {
    const [first] = taken;
    if (this.#chunks.length > 0) this.#open.truncate(0);
    else {
      if (first && this.#beginsWrapped) taken[0] = { row: first.row, isWrapped: true };
      this.#reset();
    }
  }

  /**
   * Takes the last row of the newest line out, which goes on with a row that the store does not have; all the rows that
   * remain are full at this width. `beforeWide`: what follows begins with a wide character. Undefined if there is no line.
   */
  takeUnfinished(cols: number, beforeWide: boolean): PackedRow | undefined {
    if (this.#open.count === 0) this.#reopen();
    if (this.#open.count === 0) return undefined;
    this.#open.finish(beforeWide);
    const table = this.#tableOfOpen(cols);
    const span = table.line(table.lineCount - 1);
    const from = span.rowStarts.at(-1) ?? 0;
    const row = blankRow(span.columns - from);
    readCells({ lines: this.#open, span }, { from, to: span.columns }, row);
    this.#cutOpen(table.lineCount - 1, from);
    return { row, isWrapped: from > 0 };
  }

  /** Deflates one chunk that is not; false if there is none. */
  deflateOne(): boolean {
    if (this.#rawChunks <= 0) return false;
    const chunk = this.#chunks.find((one) => !one.isDeflated);
    if (!chunk) return false;
    const before = chunk.byteLength;
    chunk.deflate();
    this.#rawChunks--;
    this.#account(chunk.byteLength - before);
    return this.#rawChunks > 0;
  }

  /** Lets go of what was unpacked for reading. */
  forgetUnpacked(): void {
    this.#cache.clear();
  }

  /** The lines as they are now. It shares the full chunks, and may be added to. */
  snapshot(): HistoryStore {
    const copy = new HistoryStore();
    copy.#chunks = this.#chunks.slice();
    copy.#open = this.#open.clone();
    copy.#head = this.#head;
    copy.#beginsWrapped = this.#beginsWrapped;
    copy.#trimmedRows = this.#trimmedRows;
    return copy;
  }

  /** The full chunks, oldest first. They do not change. */
  get chunks(): readonly SealedChunk[] {
    return this.#chunks;
  }

  /** All but what is in the full chunks, for `restore`. */
  packTail(writer: ByteWriter): void {
    writer.varint(this.#nextId);
    writer.varint(this.#head.line);
    writer.varint(this.#head.column);
    writer.u8(this.#beginsWrapped ? 1 : 0);
    writer.varint(this.#chunks.length);
    for (const { id } of this.#chunks) writer.varint(id);
    this.#open.pack(writer);
  }

  /** Makes this empty history what was packed; `chunkOf` gives a full chunk by its id. Throws MplexError `protocol`. */
  restore(tail: ByteReader, chunkOf: (id: number) => SealedChunk | undefined): void {
    this.#nextId = tail.varint();
    const head = { line: tail.varint(), column: tail.varint() };
    const beginsWrapped = tail.u8() !== 0;
    const ids = Array.from({ length: Math.min(tail.varint(), tail.left) }, () => tail.varint());
    const chunks = ids.map(chunkOf);
    this.#open = OpenChunk.unpack(tail);
    // What was left out of a chunk that is lost is left out of no other.
    if (chunks[0] || ids.length === 0) this.#setHead(head);
    this.#beginsWrapped = beginsWrapped;
    for (const chunk of chunks) {
      if (!chunk) continue;
      this.#chunks.push(chunk);
      if (!chunk.isDeflated) this.#rawChunks++;
      this.#account(chunk.byteLength);
    }
  }

  dispose(): void {
    this.#budget?.leave(this);
  }

  get lineCount(): number {
    const starts = this.#lineStartsNow();
    return (starts.at(-1) ?? 0) + this.#open.lineCount - this.#head.line;
  }

  /** The text of a line without the spaces at its end; of a line that is trimmed in part, all that is still there. */
  lineText(line: number): string {
    const { lines, table, at } = this.#findLine(line);
    return textOf(lines, table.pieces(at, lines.count));
  }

  /**
   * Goes through lines, from one on up or down, until `visit` returns true (line-cells.ts `textOf`); then gives the line,
   * else undefined. `mayHave` can rule out many lines at once: it is given their characters, where only runs of ASCII are
   * as they are printed, and an empty cell is a zero.
   */
  findLine(from: number, step: 1 | -1, { visit, mayHave }: LineVisitor): number | undefined {
    const starts = this.#lineStartsNow();
    const last = this.lineCount - 1;
    for (let line = from; line >= 0 && line <= last; ) {
      const index = lastAtMost(starts, line + this.#head.line);
      const base = (starts[index] ?? 0) - this.#head.line;
      const lines = this.#linesOf(index);
      const table = this.#tableOf(index, this.#layout?.cols ?? LINE_COLUMNS_MAX);
      const end = step === 1 ? Math.min(base + table.lineCount, last + 1) : Math.max(base, 0) - 1;
      const isRuledOut =
        mayHave && lines instanceof LoadedChunk && lines.count === table.lineCount && !mayHave(lines.characters);
      if (isRuledOut) line = end;
      for (; line !== end; line += step) {
        if (visit(lines, table.pieces(line - base, lines.count))) return line;
      }
    }
    return undefined;
  }

  /** What stands in column `x` of a row. */
  placeOf(index: number, x: number, cols: number): LinePlace {
    const row = Math.min(Math.max(0, index), this.rowCount(cols) - 1) + this.#hiddenRows(cols);
    const chunk = this.#chunkOfRow(row, cols);
    const table = this.#tableOf(chunk, cols);
    const inChunk = row - this.#firstRowOf(chunk, cols);
    const line = table.lineAt(inChunk);
    const start = table.line(line).rowStarts[inChunk - table.firstRow(line)] ?? 0;
    return { line: (this.#lineStartsNow()[chunk] ?? 0) + line - this.#head.line, column: start + x };
  }

  /** The row that has a place, and the column there; behind the end of a line it is the line's last row. */
  rowOf({ line, column }: LinePlace, cols: number): { readonly index: number; readonly x: number } {
    const { table, at, chunk } = this.#findLine(line, cols);
    const { rowStarts } = table.line(at);
    const row = lastAtMost(rowStarts, column);
    const index = this.#firstRowOf(chunk, cols) + table.firstRow(at) + row - this.#hiddenRows(cols);
    if (index < 0) return { index: 0, x: 0 };
    return { index, x: Math.min(column - (rowStarts[row] ?? 0), cols) };
  }

  #findLine(line: number, cols = this.#layout?.cols ?? LINE_COLUMNS_MAX) {
    const starts = this.#lineStartsNow();
    const absolute = line + this.#head.line;
    const chunk = lastAtMost(starts, absolute);
    const table = this.#tableOf(chunk, cols);
    return { chunk, lines: this.#linesOf(chunk), table, at: absolute - (starts[chunk] ?? 0) };
  }

  #find(index: number, cols: number): Found | undefined {
    if (index < 0 || index >= this.rowCount(cols)) return undefined;
    const row = index + this.#hiddenRows(cols);
    const chunk = this.#chunkOfRow(row, cols);
    const table = this.#tableOf(chunk, cols);
    const inChunk = row - this.#firstRowOf(chunk, cols);
    const line = table.lineAt(inChunk);
    return { lines: this.#linesOf(chunk), span: table.line(line), row: inChunk - table.firstRow(line) };
  }

  /** Index of the chunk that has a row, counted from the first row of the first chunk; the open one is the last. */
  #chunkOfRow(row: number, cols: number): number {
    const { starts, end } = this.#layoutAt(cols);
    const absolute = row + (starts[0] ?? end);
    return absolute >= end ? this.#chunks.length : lastAtMost(starts, absolute);
  }

  #firstRowOf(chunk: number, cols: number): number {
    const { starts, end } = this.#layoutAt(cols);
    return (starts[chunk] ?? end) - (starts[0] ?? end);
  }

  #layoutAt(cols: number): Layout {
    if (this.#layout?.cols === cols) return this.#layout;
    const layout: Layout = { cols, starts: [], end: 0 };
    for (const chunk of this.#chunks) {
      layout.starts.push(layout.end);
      layout.end += chunk.rowCount(cols);
    }
    this.#layout = layout;
    return layout;
  }

  #hiddenRows(cols: number): number {
    const { line, column } = this.#head;
    if (line === 0 && column === 0) return 0;
    if (this.#headRows?.cols !== cols) {
      const table = this.#tableOf(0, cols);
      this.#headRows = { cols, rows: table.firstRow(line) + lastAtMost(table.line(line).rowStarts, column) };
    }
    return this.#headRows.rows;
  }

  #setHead(head: LinePlace): void {
    this.#head = head;
    this.#headRows = undefined;
    this.#beginsWrapped = false;
  }

  #lineStartsNow(): readonly number[] {
    if (!this.#lineStarts) {
      const starts = [0];
      for (const chunk of this.#chunks) starts.push((starts.at(-1) ?? 0) + chunk.lineCount);
      this.#lineStarts = starts;
    }
    return this.#lineStarts;
  }

  #linesOf(index: number): ReadableLines {
    const chunk = this.#chunks[index];
    return chunk ? this.#cache.loaded(chunk) : this.#open;
  }

  #tableOf(index: number, cols: number): LineTable {
    const chunk = this.#chunks[index];
    return chunk ? this.#cache.table(chunk, cols) : this.#tableOfOpen(cols);
  }

  #tableOfOpen(cols: number): LineTable {
    return this.#cache.tableOfOpen(this.#open, cols);
  }

  #seal(): void {
    const chunk = SealedChunk.seal(this.#open, this.#nextId++);
    if (this.#layout) {
      this.#layout.starts.push(this.#layout.end);
      this.#layout.end += chunk.rowCount(this.#layout.cols);
    }
    this.#chunks.push(chunk);
    this.#open = new OpenChunk();
    this.#lineStarts = undefined;
    this.#rawChunks++;
    if (this.#rawChunks > RAW_CHUNKS_MAX) this.deflateOne();
    this.#account(chunk.byteLength);
  }

  /** Makes the newest full chunk the open one, which has nothing. */
  #reopen(): void {
    const chunk = this.#chunks.at(-1);
    if (!chunk) return;
    const lines = this.#linesOf(this.#chunks.length - 1);
    this.#open = OpenChunk.of(lines, lines.count);
    this.#removed(chunk);
    this.#chunks.pop();
    if (this.#layout) this.#layout.end = this.#layout.starts.pop() ?? 0;
  }

  #dropFirst(): void {
    const chunk = this.#chunks.shift();
    if (!chunk) return;
    this.#layout?.starts.shift();
    this.#removed(chunk);
    this.#setHead({ line: 0, column: 0 });
  }

  #removed(chunk: SealedChunk): void {
    this.#cache.forget(chunk);
    this.#lineStarts = undefined;
    if (!chunk.isDeflated) this.#rawChunks--;
    this.#account(-chunk.byteLength);
  }

  /** Takes away all of the open chunk from a place on; what stays of its line counts with all its columns. */
  #cutOpen(line: number, column: number): void {
    const span = this.#tableOfOpen(LINE_COLUMNS_MAX * 2).line(line);
    let piece = span.first;
    let base = 0;
    for (; column > 0 && piece < span.end; piece++) {
      const columns = (this.#open.spans[piece] ?? 0) & SPAN_COLUMNS;
      if (base + columns > column) break;
      base += columns;
    }
    const rest = blankRow(piece < span.end ? Math.max(0, column - base) : 0);
    if (rowColumns(rest) > 0) readCells({ lines: this.#open, span }, { from: base, to: column }, rest);
    this.#open.truncate(piece);
    if (rowColumns(rest) > 0) this.#open.push(rest, piece > span.first);
    this.#open.finish(false);
    this.#headRows = undefined;
  }

  #account(bytes: number): void {
    this.#bytes += bytes;
    this.#budget?.changed(bytes);
  }
}
