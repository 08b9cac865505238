/**
 * The cursor of copy mode and the part of the grid that is seen. The bottom of the grid is `offset` lines below the
 * bottom of the pane; the cursor may stand behind the last column of a full line.
 */
import type { Size } from '../../protocol/geometry.ts';
import type { FrozenGrid, GridPlace } from './frozen-grid.ts';
import { GridReader } from './grid-reader.ts';

/** The column that moving up and down goes back to after shorter lines; at the end of a line it stays at the end. */
interface Wanted {
  readonly x: number;
  /** Length of the line where it was last chosen. */
  readonly length: number;
}

export class CopyCursor {
  grid: FrozenGrid;
  reader: GridReader;
  rows: number;
  offset = 0;
  x = 0;
  y = 0;
  #wanted: Wanted = { x: 0, length: 0 };

  constructor(grid: FrozenGrid, rows: number) {
    this.grid = grid;
    this.reader = new GridReader(grid);
    this.rows = rows;
  }

  get cols(): number {
    return this.grid.cols;
  }

  /** Lines above the pane when all is scrolled down. */
  get historyLength(): number {
    return this.grid.historyLength;
  }

  /** Line of the grid in the pane's first row. */
  get top(): number {
    return this.grid.historyLength - this.offset;
  }

  get line(): number {
    return this.top + this.y;
  }

  get place(): GridPlace {
    return { x: this.x, line: this.line };
  }

  /** Columns of the cursor's line. */
  get length(): number {
    return this.reader.lengthOf(this.line);
  }

  /** Puts other text in place of what is shown (refresh-from-pane). */
  replaceGrid(grid: FrozenGrid): void {
    this.grid = grid;
    this.reader = new GridReader(grid);
    this.offset = Math.min(this.offset, grid.historyLength);
  }

  /** Follows a new size of the pane; the cursor stays on its character. */
  resize(size: Size): void {
    const { grid, place } = this.grid.resized(size, this.place);
    const row = Math.min(this.y, size.rows - 1);
    this.grid = grid;
    this.reader = new GridReader(grid);
    this.rows = size.rows;
    const top = Math.min(Math.max(0, place.line - row), grid.historyLength);
    this.offset = grid.historyLength - top;
    this.y = Math.min(Math.max(0, place.line - top), size.rows - 1);
    this.x = Math.min(place.x, size.cols);
  }

  moveTo(x: number, y: number): void {
    this.x = x;
    this.y = y;
  }

  /** Puts the cursor on a place of the grid; what is out of sight comes into view, a quarter of the pane from its edge. */
  goTo({ x, line }: GridPlace): void {
    this.x = x;
    const { historyLength, rows } = this;
    if (line >= this.top && line < this.top + rows) {
      this.y = line - this.top;
      return;
    }
    const gap = Math.floor(rows / 4);
    if (line < rows) {
      this.y = line;
      this.offset = historyLength;
    } else if (line > historyLength + rows - gap) {
      this.y = line - historyLength;
      this.offset = 0;
    } else {
      this.y = rows - gap;
      this.offset = historyLength - (line + gap - rows);
    }
    this.offset = Math.min(Math.max(0, this.offset), historyLength);
    this.y = line - this.top;
  }

  /** Scrolls the text; false if it was at its end already. Positive: towards older lines. */
  scroll(lines: number): boolean {
    const before = this.offset;
    this.offset = Math.min(Math.max(0, before + lines), this.historyLength);
    return this.offset !== before;
  }

  /** One line up or down; at the edge of the pane, and always with `scrollOnly`, the text moves instead. */
  moveLine(
    step: 1 | -1,
    { scrollOnly = false, keepColumn = false }: { scrollOnly?: boolean; keepColumn?: boolean },
  ): void {
    if (!keepColumn) this.rememberColumn();
    const isAtEdge = step === -1 ? this.y === 0 : this.y === this.rows - 1;
    if (scrollOnly || isAtEdge) this.scroll(-step);
    else this.y += step;
    if (!keepColumn) this.restoreColumn();
  }

  /** Half a page or a page; the cursor keeps its row except where the text ends. */
  movePage(step: 1 | -1, { half = false, anywhere = false }: { half?: boolean; anywhere?: boolean }): void {
    this.rememberColumn();
    const { rows } = this;
    const lines = rows > 2 ? (half ? Math.floor(rows / 2) : rows - 2) : 1;
    const room = step === -1 ? this.historyLength - this.offset : this.offset;
    this.scroll(-step * lines);
    // Where the text ends, the cursor goes by the whole page.
    if (lines > room) this.y = Math.min(Math.max(0, this.y + step * lines), rows - 1);
    this.x = this.#wanted.x;
    if (anywhere || !this.#wantsEnd()) return;
    const end = this.reader.endOf(this.line);
    this.stepTo({ x: this.reader.lengthOf(end), line: end });
  }

  rememberColumn(): void {
    const { length } = this;
    if (this.x !== length) this.#wanted = { x: this.x, length };
  }

  restoreColumn(): void {
    this.x = this.#wantsEnd() ? this.length : this.#wanted.x;
  }

  #wantsEnd(): boolean {
    const { x, length } = this.#wanted;
    return x >= length || x > this.length;
  }

  /** Puts the cursor on a place; what is out of sight comes into view line by line. */
  stepTo({ x, line }: GridPlace): void {
    while (line < this.top && this.offset < this.historyLength) this.moveLine(-1, { scrollOnly: true });
    while (line >= this.top + this.rows && this.offset > 0) this.moveLine(1, { scrollOnly: true });
    this.x = x;
    this.y = line - this.top;
  }

  left(): void {
    if (this.x > 0) {
      this.x -= 1;
      while (this.x > 0 && this.reader.at(this.x, this.line) === '') this.x -= 1;
    } else if (this.line > 0) this.stepTo({ x: this.reader.lengthOf(this.line - 1), line: this.line - 1 });
  }

  /** `anywhere`: also over cells behind the end of the line (a rectangle is being selected). */
  right(anywhere: boolean): void {
    const end = anywhere ? this.cols : this.length;
    if (this.x < end) {
      this.x += 1;
      while (this.x < end && this.reader.at(this.x, this.line) === '') this.x += 1;
    } else if (this.line < this.reader.lastLine) this.stepTo({ x: 0, line: this.line + 1 });
  }
}
