import type { CellStyle, Row } from '../../protocol/cell.ts';
import {
  blankRow,
  CELL_WORDS,
  cellStyle,
  cellWidth,
  copyCells,
  DEFAULT_STYLE,
  setCell,
  setCellStyle,
} from '../../protocol/cell.ts';
import { isControl } from '../../protocol/clean-text.ts';
import type { Size } from '../../protocol/geometry.ts';
import { graphemes } from './text-width.ts';

/** Where a piece of text goes: `width` clips it (columns, default to the canvas's edge). */
export interface Placement {
  readonly x: number;
  readonly y: number;
  readonly width?: number | undefined;
}

/** A rectangle of cells to draw on. Whatever falls outside is clipped; nothing throws. */
export class Canvas {
  readonly size: Size;
  readonly rows: readonly Row[];

  /** Sizes below zero count as zero. */
  constructor(size: Size, style: CellStyle = DEFAULT_STYLE) {
    this.size = { cols: Math.max(0, size.cols), rows: Math.max(0, size.rows) };
    this.rows = Array.from({ length: this.size.rows }, () => blankRow(this.size.cols));
    if (style !== DEFAULT_STYLE) for (let y = 0; y < this.size.rows; y++) this.fill({ x: 0, y }, style);
  }

  /** Copies another canvas into this one, its first row at `y`; what sticks out below or to the right is cut. */
  paste(other: Canvas, y: number): void {
    const width = Math.min(other.size.cols, this.size.cols);
    for (const [index, row] of other.rows.entries()) {
      const to = this.rows[y + index];
      if (to) copyCells(row, 0, to, 0, width);
    }
  }

  /**
   * Writes text and gives the columns it took. A wide character that would be cut becomes a blank; a control
   * character (callers pass visible text) becomes U+FFFD; text without columns is left out.
   */
  put(at: Placement, text: string, style: CellStyle = DEFAULT_STYLE): number {
    const row = this.rows[at.y];
    const end = Math.min(this.size.cols, at.width === undefined ? this.size.cols : at.x + at.width);
    let x = at.x;
    for (const { text: cluster, width } of graphemes(text)) {
      if (x >= end) break;
      const isBroken = isControl(cluster.codePointAt(0) ?? 0);
      const columns = isBroken ? 1 : width;
      if (columns === 0) continue;
      if (row && x >= 0) {
        if (x + columns > end) setCell(row, x, ' ', 1, style);
        else setCell(row, x, isBroken ? '\ufffd' : cluster, columns, style);
      }
      x += columns;
    }
    return Math.min(x, end) - at.x;
  }

  /** Blanks one line from `x` on. */
  fill(at: Placement, style: CellStyle): void {
    const row = this.rows[at.y];
    if (!row) return;
    const end = Math.min(this.size.cols, at.width === undefined ? this.size.cols : at.x + at.width);
    for (let x = Math.max(0, at.x); x < end; x++) setCell(row, x, ' ', 1, style);
  }

  /** Gives one character another look, both halves of a wide one. */
  mark({ x, y }: { readonly x: number; readonly y: number }, style: CellStyle): void {
    const row = this.rows[y];
    if (!row || x < 0 || x >= this.size.cols) return;
    setCellStyle(row, x, style);
    if (x + 1 < this.size.cols && cellWidth(row.words[(x + 1) * CELL_WORDS] ?? 1) === 0)
      setCellStyle(row, x + 1, style);
  }

  /** Gives every cell a new look made from the present one. */
  restyle(change: (style: CellStyle) => CellStyle): void {
    for (const row of this.rows) {
      for (let x = 0; x < this.size.cols; x++) setCellStyle(row, x, change(cellStyle(row, x)));
    }
  }
}

/** Blanks the wide characters that writing columns `x` to `x + width - 1` of a row would cut in half. */
export function clearCutHalves(row: Row, x: number, width: number): void {
  if (cellWidth(row.words[x * CELL_WORDS] ?? 1) === 0 && x > 0) blank(row, x - 1);
  const after = (x + width) * CELL_WORDS;
  if (after < row.words.length && cellWidth(row.words[after] ?? 1) === 0) blank(row, x + width);
}

function blank(row: Row, x: number): void {
  setCell(row, x, ' ', 1, cellStyle(row, x));
}
