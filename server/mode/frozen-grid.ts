/**
 * The text that a mode shows: what a pane remembered at one moment, or the output of a command. It stays as it is while
 * the program goes on, and is wrapped anew when the pane changes its size. What is packed already is shared and not
 * copied (history-store.ts), so that a long history costs nothing.
 */
import { blankRow, type Row } from '../../protocol/cell.ts';
import type { Size } from '../../protocol/geometry.ts';
import type { GridView } from '../terminal/history.ts';
import { HistoryStore } from '../terminal/history-store.ts';

/** A place in the grid; `line` 0 is the oldest. */
export interface GridPlace {
  readonly x: number;
  readonly line: number;
}

export class FrozenGrid implements GridView {
  readonly cols: number;
  readonly historyLength: number;
  readonly length: number;
  /** The history with the screen behind it. */
  readonly #lines: HistoryStore;
  /** Exit codes by the line of the prompt after the command; they go with the width. */
  readonly #exits: ReadonlyMap<number, number> | undefined;

  private constructor(lines: HistoryStore, size: Size, exits?: ReadonlyMap<number, number>) {
    this.#exits = exits;
    const count = lines.rowCount(size.cols);
    this.cols = size.cols;
    this.historyLength = Math.max(0, count - size.rows);
    this.length = Math.max(count, 1);
    this.#lines = lines;
  }

  /** A view as it is now. */
  static copyOf(view: GridView): FrozenGrid {
    // A pane of one column shows the first of the two that its terminal has: its rows are not those of the store.
    const history = view.cols > 1 ? view.snapshotHistory?.() : undefined;
    const lines = history ?? new HistoryStore();
    const row = blankRow(view.cols);
    for (let index = history ? view.historyLength : 0; index < view.length; index++) {
      view.row(index, row);
      lines.append(row, view.isWrapped(index));
    }
    const size = { cols: view.cols, rows: view.length - view.historyLength };
    return new FrozenGrid(lines, size, view.promptExits?.());
  }

  row(index: number, into: Row): void {
    this.#lines.readRow(index, this.cols, into);
  }

  isWrapped(index: number): boolean {
    return this.#lines.isWrapped(index, this.cols);
  }

  /** How the command before a prompt ended, if its shell told (OSC 133;D); `line` is the prompt's. */
  exitBefore(line: number): number | undefined {
    return this.#exits?.get(line);
  }

  /** The whole lines that rows are made of, whatever the width: the quick way to look through all of the text. */
  get lines(): HistoryStore {
    return this.#lines;
  }

  /** The first row of the line that a row is part of. */
  startOf(index: number): number {
    return this.firstRowOf(this.lineAt(index));
  }

  /** Number of the line that a row is part of. */
  lineAt(index: number): number {
    return this.#lines.placeOf(index, 0, this.cols).line;
  }

  firstRowOf(line: number): number {
    return this.#lines.rowOf({ line, column: 0 }, this.cols).index;
  }

  /** The same text for another size. `place` is followed: the result says where the cell that was there is now. */
  resized(size: Size, place: GridPlace): { readonly grid: FrozenGrid; readonly place: GridPlace } {
    const grid = new FrozenGrid(this.#lines, size, size.cols === this.cols ? this.#exits : undefined);
    if (size.cols === this.cols) return { grid, place };
    const { index, x } = this.#lines.rowOf(this.#lines.placeOf(place.line, place.x, this.cols), size.cols);
    return { grid, place: { x, line: index } };
  }
}
