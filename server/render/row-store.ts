/**
 * The rows of all clients' frames. A row may be in several frames and a frame before several clients; one that no shown
 * frame has any more is drawn into again, so that output costs no new memory however many look on.
 */
import { blankRow, type Row, rowColumns } from '../../protocol/cell.ts';
import type { Frame } from '../../protocol/frame.ts';

/** Spare rows are kept up to this many cells, 12 bytes each: some full screens. */
const SPARE_CELLS_MAX = 1 << 17;

export interface StoredRow extends Row {
  /** How many frames that are shown have it. In none: it is spare, or of a frame that is being drawn. */
  frames: number;
}

/** A frame made of rows of a store. While clients show it, it stays as it is. */
export interface StoredFrame extends Frame {
  readonly rows: StoredRow[];
  /** How many clients show it. */
  viewers: number;
}

export class RowStore {
  /** Columns → rows in no frame. */
  readonly #spare = new Map<number, StoredRow[]>();
  #spareCells = 0;

  /** A row in no frame, with any content. */
  take(cols: number): StoredRow {
    const row = this.#spare.get(cols)?.pop();
    if (!row) return { ...blankRow(cols), frames: 0 };
    this.#spareCells -= cols;
    return row;
  }

  /** A row that is in no shown frame is not needed. */
  giveBack(row: StoredRow): void {
    const cols = rowColumns(row);
    this.#spareCells += cols;
    if (this.#spareCells > SPARE_CELLS_MAX) {
      this.#spare.clear();
      this.#spareCells = cols;
    }
    const rows = this.#spare.get(cols);
    if (rows) rows.push(row);
    else this.#spare.set(cols, [row]);
  }

  /** One more client shows the frame. */
  show(frame: StoredFrame): void {
    frame.viewers += 1;
    if (frame.viewers === 1) for (const row of frame.rows) row.frames += 1;
  }

  /** One client less shows the frame. */
  leave(frame: StoredFrame): void {
    frame.viewers -= 1;
    if (frame.viewers > 0) return;
    for (const row of frame.rows) {
      row.frames -= 1;
      if (row.frames === 0) this.giveBack(row);
    }
  }
}
