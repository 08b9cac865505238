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
  readonly #runs: WideRuns;
  #piece = 0;
  #wideAt = 0;
  /** Of the line that `next` read. */
  first = 0;
  columns = 0;
  #firstWide = 0;
  #isWide = false;

  constructor(source: Spans) {
    this.#source = source;
    this.#runs = new WideRuns(source);
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
    return this.#isWide ? this.#wrap(cols) : Math.ceil(this.columns / cols);
  }

  /** Columns where the rows of the line begin at a width. */
  rowStarts(cols: number): number[] {
    const starts = [0];
    this.#wrap(cols, starts);
    return starts;
  }

  /** Counts the rows and adds where they begin, the first left out. */
  #wrap(cols: number, starts?: number[]): number {
    const runs = this.#runs;
    runs.restart(this.first, this.#firstWide);
    let hasRun = this.#isWide && this.columns > cols && runs.next();
    let rows = 1;
    for (let next = cols; next < this.columns; next += cols) {
      while (hasRun && runs.end <= next) hasRun = runs.next();
      if (hasRun && runs.start < next && (next - runs.start) % 2 === 1 && cols > 1) next--;
      starts?.push(next);
      rows++;
    }
    return rows;
  }
}

/** Runs of wide characters from the beginning of a line on, in columns of that line; those of later lines follow. */
class WideRuns {
  readonly #source: Spans;
  /** The piece to look at next, and the column that it begins at. */
  #piece = 0;
  #base = 0;
  /** Place in `wide`, and where the numbers of the piece end. */
  #at = 0;
  #entryEnd = 0;
  /** First column of the run and the one behind it. */
  start = 0;
  end = 0;

  constructor(source: Spans) {
    this.#source = source;
  }

  restart(piece: number, wideAt: number): void {
    this.#piece = piece;
    this.#base = 0;
    this.#at = wideAt;
    this.#entryEnd = wideAt;
  }

  /** Goes to the next run; false if there is none. */
  next(): boolean {
    const { count, spans, wide } = this.#source;
    while (this.#at >= this.#entryEnd) {
      if (this.#piece >= count) return false;
      const span = spans[this.#piece++] ?? 0;
      if (span & SPAN_WIDE) {
        this.#entryEnd = this.#at + 1 + (wide[this.#at] ?? 0);
        this.#at++;
        this.end = this.#base;
      }
      this.#base += span & SPAN_COLUMNS;
    }
    this.start = this.end + (wide[this.#at] ?? 0);
    this.end = this.start + 2 * (wide[this.#at + 1] ?? 0);
    this.#at += 2;
    return true;
  }
}

/** Rows of all lines at a width. A million lines are counted in some milliseconds: only lines that need it are walked. */
export function countRows(source: Spans, cols: number): number {
  const { count, spans, wide } = source;
  const walker = new LineWalker(source);
  let rows = 0;
  let wideAt = 0;
  for (let piece = 0; piece < count; ) {
    const first = piece;
    const firstWide = wideAt;
    let columns = 0;
    let span = spans[piece] ?? 0;
    do {
      columns += span & SPAN_COLUMNS;
      if (span & SPAN_WIDE) wideAt += 1 + (wide[wideAt] ?? 0);
      piece++;
      span = spans[piece] ?? 0;
    } while (piece < count && span & SPAN_CONTINUES);
    if (columns <= cols) rows++;
    else if (wideAt === firstWide) rows += Math.ceil(columns / cols);
    else {
      walker.seek(first, firstWide);
      walker.next();
      rows += walker.rows(cols);
    }
  }
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

  /** First piece of a line and the one behind its last, `count` being the number of all. */
  pieces(line: number, count: number): { readonly first: number; readonly end: number } {
    return { first: this.#firstPieces[line] ?? count, end: this.#firstPieces[line + 1] ?? count };
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
