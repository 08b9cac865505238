/**
 * Where lines wrap at a width, computed without their text. A line is stored in pieces (the rows it had when it left the
 * screen); of each piece a number is kept, its span, and of those with wide characters where these are.
 *
 * A row is as wide as the terminal, or one column less where a wide character would be cut.
 */

/** Bits of a span: columns that the piece takes in its line, whether it has wide characters, whether it goes on a line. */
export const SPAN_COLUMNS = 0x3fff;
export const SPAN_WIDE = 0x4000;
export const SPAN_CONTINUES = 0x8000;

/** Spans of pieces in order; the first begins a line. */
export interface Spans {
  readonly count: number;
  readonly spans: ArrayLike<number>;
  /** For each piece with SPAN_WIDE, in order: the number of numbers that follow, then pairs of gap and wide characters. */
  readonly wide: ArrayLike<number>;
}

/** One line of some pieces. */
export interface LineSpan {
  /** First piece and the one behind the last. */
  readonly first: number;
  readonly end: number;
  readonly columns: number;
  /** Columns where its rows begin; the first is 0. */
  readonly rowStarts: readonly number[];
}

/** Columns at which wide characters stand in a row of cells, as `Spans.wide` has them without the count; empty for none. */
export function wideRuns(words: Uint32Array, cellWords: number, columns: number): number[] {
  const runs: number[] = [];
  let gapStart = 0;
  for (let x = 1; x < columns; ) {
    if (words[x * cellWords] !== 0) {
      x++;
      continue;
    }
    const start = x - 1;
    let end = x + 1;
    while (end + 1 < columns && words[(end + 1) * cellWords] === 0) end += 2;
    runs.push(start - gapStart, (end - start) / 2);
    gapStart = end;
    x = end + 1;
  }
  return runs;
}

/** Reads spans line by line. */
export class LineWalker {
  readonly #source: Spans;
  #piece = 0;
  #wideAt = 0;
  /** Of the line that `next` read. */
  first = 0;
  columns = 0;
  #firstWide = 0;
  #isWide = false;

  constructor(source: Spans) {
    this.#source = source;
  }

  /** The piece behind the line. */
  get end(): number {
    return this.#piece;
  }

  /** Place in `Spans.wide` behind the line. */
  get wideAt(): number {
    return this.#wideAt;
  }

  /** Goes to where a line begins. */
  seek(piece: number, wideAt: number): void {
    this.#piece = piece;
    this.#wideAt = wideAt;
  }

  /** Goes to the next line; false if there is none. */
  next(): boolean {
    const { count, spans, wide } = this.#source;
    if (this.#piece >= count) return false;
    this.first = this.#piece;
    this.#firstWide = this.#wideAt;
    this.#isWide = false;
    this.columns = 0;
    do {
      const span = spans[this.#piece] ?? 0;
      this.columns += span & SPAN_COLUMNS;
      if (span & SPAN_WIDE) {
        this.#isWide = true;
        this.#wideAt += 1 + (wide[this.#wideAt] ?? 0);
      }
      this.#piece++;
    } while (this.#piece < count && (spans[this.#piece] ?? 0) & SPAN_CONTINUES);
    return true;
  }

  /** Rows of the line at a width; it has one at least. */
  rows(cols: number): number {
    if (this.columns <= cols) return 1;
    return this.#isWide ? this.rowStarts(cols).length : Math.ceil(this.columns / cols);
  }

  /** Columns where the rows of the line begin at a width. */
  rowStarts(cols: number): number[] {
    const starts = [0];
    const runs = this.columns > cols && this.#isWide ? this.#runs() : [];
    let run = 0;
    for (let next = cols; next < this.columns; next = (starts.at(-1) ?? 0) + cols) {
      while (run < runs.length && (runs[run + 1] ?? 0) <= next) run += 2;
      const start = runs[run] ?? next;
      starts.push(start < next && (next - start) % 2 === 1 && cols > 1 ? next - 1 : next);
    }
    return starts;
  }

  /** First column of each run of wide characters and the one behind it. */
  #runs(): number[] {
    const { spans, wide } = this.#source;
    const runs: number[] = [];
    let base = 0;
    let at = this.#firstWide;
    for (let piece = this.first; piece < this.#piece; piece++) {
      const span = spans[piece] ?? 0;
      if (span & SPAN_WIDE) {
        const end = at + 1 + (wide[at] ?? 0);
        let column = base;
        for (at++; at < end; at += 2) {
          column += wide[at] ?? 0;
          runs.push(column, column + 2 * (wide[at + 1] ?? 0));
          column += 2 * (wide[at + 1] ?? 0);
        }
      }
      base += span & SPAN_COLUMNS;
    }
    return runs;
  }
}

/** Rows of all lines at a width. */
export function countRows(source: Spans, cols: number): number {
  const walker = new LineWalker(source);
  let rows = 0;
  while (walker.next()) rows += walker.rows(cols);
  return rows;
}

/** Where each line of some pieces stands, at one width. */
export class LineTable {
  readonly cols: number;
  readonly rowCount: number;
  readonly #walker: LineWalker;
  readonly #firstPieces: number[] = [];
  readonly #wideAt: number[] = [];
  readonly #firstRows: number[] = [];
  /** The line that was asked for last: rows are read in order. */
  #last: { readonly line: number; readonly span: LineSpan } | undefined;

  constructor(source: Spans, cols: number) {
    this.cols = cols;
    this.#walker = new LineWalker(source);
    let rows = 0;
    for (;;) {
      const { end, wideAt } = this.#walker;
      if (!this.#walker.next()) break;
      this.#firstPieces.push(end);
      this.#wideAt.push(wideAt);
      this.#firstRows.push(rows);
      rows += this.#walker.rows(cols);
    }
    this.rowCount = rows;
  }

  get lineCount(): number {
    return this.#firstRows.length;
  }

  line(line: number): LineSpan {
    if (this.#last?.line === line) return this.#last.span;
    const walker = this.#walker;
    walker.seek(this.#firstPieces[line] ?? 0, this.#wideAt[line] ?? 0);
    walker.next();
    const span = {
      first: walker.first,
      end: walker.end,
      columns: walker.columns,
      rowStarts: walker.rowStarts(this.cols),
    };
    this.#last = { line, span };
    return span;
  }

  firstRow(line: number): number {
    return this.#firstRows[line] ?? this.rowCount;
  }

  /** The line that has a row. */
  lineAt(row: number): number {
    return lastAtMost(this.#firstRows, row);
  }
}

/** Index of the last of some ascending numbers that is not above a value; 0 if all are. */
export function lastAtMost(numbers: readonly number[], value: number): number {
  let low = 0;
  let high = numbers.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((numbers[middle] ?? 0) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}
