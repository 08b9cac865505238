/**
 * The history of a pane in two parts: the newest rows are still lines of xterm's buffer, above the screen; older ones are
 * packed (history-store.ts). Rows are packed in batches when the window is full, and all of them when the pane is quiet.
 * While output floods through a short history, rows that are beyond its limit are dropped without being packed.
 */
import { BG_EXTENDED, CELL_WORDS, CONTENT_WIDTH_SHIFT, type Row } from '../../protocol/cell.ts';
import type { XtermBuffer, XtermCore, XtermLine } from './emulator-internals.ts';
import type { BudgetShare } from './history-budget.ts';
import { HistoryStore } from './history-store.ts';
import type { Hyperlinks } from './hyperlinks.ts';
import type { PackedRow } from './row-codec.ts';
import { copyLine, pasteRow, type RowSource } from './screen-row.ts';

/** Lines of history that any pane may ask for at most. */
const HISTORY_MAX = 10_000_000;
/** Lines of the window at most, and bytes of their cells. */
export const WINDOW_LINES = 2048;
const WINDOW_BYTES = 6 << 20;
/** Bytes of the windows of all panes: beyond it a pane packs all but its newest batch. What many panes flood at once costs no more. */
export const ALL_WINDOWS_BYTES = 5 << 20;
/** Lines packed at once when the window is full. */
const BATCH_LINES = 256;
/** Lines of all panes that were packed and wait to be used again. */
const SPARE_MAX = WINDOW_LINES / 2;

/** Making and dropping lines is what scrolling costs most; all emulators share these. */
const spare: XtermLine[] = [];
/** Bytes of the windows of all panes. */
let allBytes = 0;

/** Bytes that the windows of all panes take now. */
export function windowsBytes(): number {
  return allBytes;
}

export class HistoryWindow {
  readonly #core: XtermCore;
  readonly #links: Hyperlinks;
  readonly #store: HistoryStore;
  /** Rows that a higher screen shows again: those that scrolled off since the screen was cleared as a whole. */
  scrolled = 0;
  /** Dropped from the window. */
  #dropped = 0;
  #limit: number;
  /** What this window has in `allBytes`. */
  #counted = 0;
  /** Rows have scrolled into it since it was last cut to the limit. */
  #hasGrown = false;

  constructor(core: XtermCore, init: { links: Hyperlinks; limit: number; budget: BudgetShare | undefined }) {
    this.#core = core;
    this.#links = init.links;
    this.#limit = init.limit;
    this.#store = new HistoryStore(init.budget);
  }

  /** The packed part. */
  get store(): HistoryStore {
    return this.#store;
  }

  get limit(): number {
    return this.#limit;
  }

  /** Lines that xterm's buffer must have room for above the screen. */
  static linesFor(limit: number): number {
    return Math.min(limit, WINDOW_LINES);
  }

  /** Rows in all at the present width. */
  get length(): number {
    return this.#store.rowCount(this.#cols) + this.#buffer.ybase;
  }

  /** Rows ever dropped from the top. */
  get trimmed(): number {
    return this.#dropped + this.#store.trimmedRows;
  }

  /** Goes on with the count of another process, whose rows these are. */
  restoreTrimmed(count: number): void {
    this.#dropped = count - this.#store.trimmedRows;
  }

  /** Bytes of all rows, packed but not deflated. */
  get rowBytes(): number {
    this.packAll();
    return this.#store.rowBytes;
  }

  /** Copies row `index`; 0 is the oldest. */
  row(index: number, into: Row): void {
    if (index >= this.length) {
      copyLine(undefined, into, this.#source);
      return;
    }
    const packed = this.#store.rowCount(this.#cols);
    if (index < packed) this.#store.readRow(index, this.#cols, into);
    else copyLine(this.#lineAt(index - packed), into, this.#source);
  }

  isWrapped(index: number): boolean {
    const packed = this.#store.rowCount(this.#cols);
    if (index < packed) return this.#store.isWrapped(index, this.#cols);
    return this.#lineAt(index - packed)?.isWrapped ?? false;
  }

  /** The rows as they are now; what is packed is shared. */
  snapshot(): HistoryStore {
    const copy = this.#store.snapshot();
    for (let index = 0; index < this.#buffer.ybase; index++) {
      const line = this.#lineAt(index);
      copy.append(this.rowOf(line, this.#cols), line?.isWrapped ?? false);
    }
    return copy;
  }

  /**
   * Makes room for one more line above the screen. Returns the line to use for it where the oldest one had to go; then
   * the buffer's lines have moved by one.
   */
  makeRoom(buffer: XtermBuffer): XtermLine | undefined {
    const { lines } = buffer;
    this.scrolled++;
    this.#hasGrown = true;
    if (lines.isFull && buffer.ybase >= this.#limit) {
      // All that is packed is older still.
      if (!this.#store.isEmpty) this.#store.clear(this.#cols);
      this.#dropped++;
      return lines.recycle();
    }
    const bytes = this.#count(buffer);
    const isTooMuch = bytes >= WINDOW_BYTES || (allBytes >= ALL_WINDOWS_BYTES && buffer.ybase >= BATCH_LINES);
    if (lines.isFull || isTooMuch) this.#pack(buffer, Math.min(BATCH_LINES, buffer.ybase));
    return undefined;
  }

  /** Bytes of this window, which are counted with all. */
  #count({ ybase }: { readonly ybase: number }): number {
    const bytes = ybase * this.#cols * CELL_WORDS * 4;
    allBytes += bytes - this.#counted;
    this.#counted = bytes;
    return bytes;
  }

  /** A line that was used before; its cells are whatever they were. */
  takeSpare(): XtermLine | undefined {
    return spare.pop();
  }

  /**
   * Drops what is beyond the limit, once something has scrolled in: a narrow pane has more rows of the same text, and gives
   * none of it up for that (as tmux).
   */
  settle(): void {
    if (!this.#hasGrown) return;
    this.#hasGrown = false;
    const excess = this.length - this.#limit;
    if (excess > 0) this.#store.trimRows(excess, this.#cols);
  }

  /** Packs all rows of the window. */
  packAll(): void {
    const buffer = this.#buffer;
    if (buffer.ybase === 0) return;
    this.#pack(buffer, buffer.ybase);
    this.settle();
  }

  /** One step of what can wait until the pane is quiet; false when nothing is left to do. */
  tidy(): boolean {
    if (this.#buffer.ybase > 0) {
      this.packAll();
      return true;
    }
    if (this.#store.deflateOne()) return true;
    this.#store.forgetUnpacked();
    return false;
  }

  clear(): void {
    const buffer = this.#buffer;
    this.#store.clear(this.#cols);
    this.#dropped += buffer.ybase;
    this.#take(buffer, buffer.ybase);
    this.scrolled = 0;
    const first = buffer.lines.get(0);
    if (first) first.isWrapped = false;
  }

  /** Changes the limit; xterm's own must follow, and the window be packed before. */
  setLimit(limit: number): void {
    this.#limit = limit;
    this.#hasGrown = true;
    this.settle();
  }

  /** Adds a row that left the screen otherwise than by scrolling; the window must be packed. */
  append(row: Row, isWrapped: boolean): void {
    this.#store.append(row, isWrapped);
  }

  /** Takes the newest rows out of the history; the window must be packed. */
  takeLast(count: number): PackedRow[] {
    return count > 0 ? this.#store.takeLast(count, this.#cols) : [];
  }

  /** A line of xterm's with the cells of a row. */
  lineOf({ row, isWrapped }: PackedRow): XtermLine {
    const { normal } = this.#core._bufferService.buffers;
    const line = spare.pop() ?? normal.getBlankLine(this.#core._inputHandler._curAttrData);
    const { extended } = this.#core._inputHandler._curAttrData;
    pasteRow(row, line, { extended, adopt: (link) => this.#links.adopt(link) });
    line.isWrapped = isWrapped;
    return line;
  }

  /** A line's cells, `cols` of them; good until the line changes. */
  rowOf(line: XtermLine | undefined, cols: number): Row {
    if (line && line._data.length === cols * CELL_WORDS && isWhole(line._data)) {
      return { words: line._data, clusters: clustersOf(line), extended: undefined };
    }
    const row: Row = { words: new Uint32Array(cols * CELL_WORDS), clusters: undefined, extended: undefined };
    copyLine(line, row, this.#source);
    return row;
  }

  dispose(): void {
    this.#count({ ybase: 0 });
    this.#store.dispose();
  }

  get #buffer(): XtermBuffer {
    return this.#core._bufferService.buffers.normal;
  }

  get #cols(): number {
    return this.#core._bufferService.cols;
  }

  /** Without the pane's own colours: those are looked up when a row is drawn. */
  get #source(): RowSource {
    return { links: this.#links, colors: undefined };
  }

  #lineAt(index: number): XtermLine | undefined {
    return index < this.#buffer.ybase ? this.#buffer.lines.get(index) : undefined;
  }

  #pack(buffer: XtermBuffer, count: number): void {
    for (let i = 0; i < count; i++) {
      const line = buffer.lines.get(i);
      this.#store.append(this.rowOf(line, this.#cols), line?.isWrapped ?? false);
    }
    this.#take(buffer, count);
  }

  /** Takes the oldest lines of the window out of xterm's buffer. */
  #take(buffer: XtermBuffer, count: number): void {
    const { lines } = buffer;
    for (let i = 0; i < count; i++) {
      const line = lines.get(i);
      if (line && spare.length < SPARE_MAX) spare.push(line);
      // The ring would keep it until the place is used again.
      lines.set(i, undefined);
    }
    lines.trimStart(count);
    buffer.ybase -= count;
    buffer.ydisp = buffer.ybase;
    buffer.savedY = Math.max(0, buffer.savedY - count);
    this.#count(buffer);
  }
}

/** Whether the words are a row as they are: no links or underline styles, no half of a wide character alone. */
function isWhole(words: Uint32Array): boolean {
  let before = 0;
  for (let at = 0; at < words.length; at += CELL_WORDS) {
    const content = words[at] ?? 0;
    if ((words[at + 2] ?? 0) & BG_EXTENDED || (content === 0 && before >>> CONTENT_WIDTH_SHIFT !== 2)) return false;
    before = content;
  }
  return before >>> CONTENT_WIDTH_SHIFT !== 2;
}

/** There may be more than the cells say are clusters. */
function clustersOf(line: XtermLine): Map<number, string> | undefined {
  let clusters: Map<number, string> | undefined;
  for (const x in line._combined) {
    clusters ??= new Map();
    clusters.set(Number(x), line._combined[x] ?? ' ');
  }
  return clusters;
}

/** A number of lines that a history may be asked to keep. */
export function clampLimit(lines: number): number {
  return Math.min(HISTORY_MAX, Math.max(0, Math.trunc(lines) || 0));
}
