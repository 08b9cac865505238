/**
 * The text that a mode shows: a copy of what a pane remembered at one moment, or the output of a command. It stays as it
 * is while the program goes on, and is wrapped anew when the pane changes its size.
 */
import {
  BLANK_CONTENT,
  blankRow,
  CELL_WORDS,
  CONTENT_CODEPOINT_MASK,
  CONTENT_IS_CLUSTER,
  cellWidth,
  copyCells,
  type Row,
  rowColumns,
} from '../../protocol/cell.ts';
import type { Size } from '../../protocol/geometry.ts';
import type { GridView } from '../terminal/history.ts';

/** History lines copied at most; older ones are out of reach while the mode lasts. */
export const COPIED_LINES_MAX = 50_000;

/** One line, cut behind its last cell that is not blank. */
interface Line {
  readonly row: Row;
  /** Goes on the line before it. */
  readonly isWrapped: boolean;
}

/** A place in the grid; `line` 0 is the oldest. */
export interface GridPlace {
  readonly x: number;
  readonly line: number;
}

export class FrozenGrid implements GridView {
  readonly cols: number;
  readonly historyLength: number;
  readonly #lines: readonly Line[];

  private constructor(lines: readonly Line[], size: Size) {
    this.cols = size.cols;
    this.historyLength = Math.max(0, lines.length - size.rows);
    this.#lines = lines;
  }

  /** A copy of a view, the newest COPIED_LINES_MAX lines of its history and its screen. */
  static copyOf(view: GridView): FrozenGrid {
    const lines: Line[] = [];
    const from = Math.max(0, view.historyLength - COPIED_LINES_MAX);
    const row = blankRow(view.cols);
    for (let index = from; index < view.length; index++) {
      view.row(index, row);
      lines.push({ row: packed(row), isWrapped: index > from && view.isWrapped(index) });
    }
    return new FrozenGrid(lines, { cols: view.cols, rows: view.length - view.historyLength });
  }

  get length(): number {
    return Math.max(this.#lines.length, this.historyLength + 1);
  }

  row(index: number, into: Row): void {
    const line = this.#lines[index];
    clearRow(into);
    if (line) copyCells(line.row, 0, into, 0, Math.min(rowColumns(line.row), rowColumns(into)));
  }

  isWrapped(index: number): boolean {
    return this.#lines[index]?.isWrapped ?? false;
  }

  /**
   * The same text for another size. `place` is followed: the result says where the cell that was there is now. Blank
   * lines at the end are dropped where the text would not fit otherwise.
   */
  resized(size: Size, place: GridPlace): { readonly grid: FrozenGrid; readonly place: GridPlace } {
    if (size.cols === this.cols) return { grid: new FrozenGrid(this.#lines, size), place };
    const lines: Line[] = [];
    let moved: GridPlace = { x: 0, line: 0 };
    for (let at = 0; at < this.#lines.length; ) {
      let end = at + 1;
      while (this.#lines[end]?.isWrapped) end += 1;
      const whole = joinLines(this.#lines.slice(at, end), this.cols);
      if (place.line >= at && place.line < end) {
        const column = (place.line - at) * this.cols + place.x;
        moved = placeIn(whole, column, { cols: size.cols, first: lines.length });
      }
      lines.push(...wrapLine(whole, size.cols));
      at = end;
    }
    return { grid: new FrozenGrid(lines, size), place: moved };
  }
}

function clearRow(row: Row): void {
  const { words } = row;
  for (let at = 0; at < words.length; at += CELL_WORDS) {
    words[at] = BLANK_CONTENT;
    words[at + 1] = 0;
    words[at + 2] = 0;
  }
  row.clusters?.clear();
  row.extended?.clear();
}

/** A copy without the cells behind the last one that shows something. */
function packed(row: Row): Row {
  const length = usedColumns(row);
  const copy: Row = { words: new Uint32Array(length * CELL_WORDS), clusters: undefined, extended: undefined };
  copyCells(row, 0, copy, 0, length);
  return copy;
}

function usedColumns(row: Row): number {
  const { words } = row;
  let at = words.length - CELL_WORDS;
  for (; at >= 0; at -= CELL_WORDS) {
    const content = words[at] ?? 0;
    if ((content & CONTENT_CODEPOINT_MASK) !== 0 || content & CONTENT_IS_CLUSTER || cellWidth(content) !== 1) break;
    if (words[at + 1] !== 0 || words[at + 2] !== 0) break;
  }
  return at / CELL_WORDS + 1;
}

/** Joins the pieces of a wrapped line; each but the last counts as `cols` wide. */
function joinLines(lines: readonly Line[], cols: number): Row {
  const [first] = lines;
  if (lines.length === 1 && first) return first.row;
  const last = lines.at(-1);
  const whole = blankRow((lines.length - 1) * cols + (last ? rowColumns(last.row) : 0));
  for (const [i, line] of lines.entries()) copyCells(line.row, 0, whole, i * cols, rowColumns(line.row));
  return whole;
}

function wrapLine(whole: Row, cols: number): Line[] {
  const lines: Line[] = [];
  const total = rowColumns(whole);
  let from = 0;
  do {
    const count = pieceColumns(whole, from, cols);
    const row = blankRow(count);
    copyCells(whole, from, row, 0, count);
    lines.push({ row, isWrapped: from > 0 });
    from += count;
  } while (from < total);
  return lines;
}

/** Columns from `from` on that fit in one line: one less where a wide character would be cut. */
function pieceColumns(whole: Row, from: number, cols: number): number {
  const left = rowColumns(whole) - from;
  if (left <= cols) return left;
  const isCut = cellWidth(whole.words[(from + cols - 1) * CELL_WORDS] ?? 0) === 2;
  return isCut && cols > 1 ? cols - 1 : cols;
}

function placeIn(whole: Row, column: number, { cols, first }: { cols: number; first: number }): GridPlace {
  const total = rowColumns(whole);
  let from = 0;
  let line = first;
  for (;;) {
    const count = pieceColumns(whole, from, cols);
    if (column < from + count || from + count >= total) return { x: Math.min(column - from, cols), line };
    from += count;
    line += 1;
  }
}
