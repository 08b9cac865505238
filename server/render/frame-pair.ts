/**
 * The two frames of a client: what it shows, and the one that is drawn next. A row that stays as it is is one object in
 * both, so that finding out what differs is comparing references; the rows that come free go round.
 */
import { blankRow, copyCells, type Row } from '../../protocol/cell.ts';
import { blankFrame, type Frame } from '../../protocol/frame.ts';
import { type Size, sameSize } from '../../protocol/geometry.ts';

const NO_SIZE = { cols: 0, rows: 0 };

/** Rows of the next frame; drawing may only change those that it asked for. */
export interface NextRows {
  /** A row that is the next frame's alone, with any content. */
  ownRow(y: number): Row;
  /** The same, with what is shown there now if it was not asked for before. */
  ownCopy(y: number): Row;
}

export class FramePair implements NextRows {
  #shown = blankFrame(NO_SIZE);
  #next = blankFrame(NO_SIZE);
  /** In neither frame; all of the next frame's width. */
  #free: Row[] = [];

  /** What the client shows, or will when the frame on its way has arrived. */
  get shown(): Frame {
    return this.#shown;
  }

  get next(): Frame {
    return this.#next;
  }

  /** Makes the next frame one of this size that looks as what is shown, if that has the size; false if it has not. */
  keep(size: Size): boolean {
    this.#fit(size);
    if (!sameSize(this.#shown.size, size)) return false;
    const { rows } = this.#next;
    for (let y = 0; y < rows.length; y++) {
      const row = rows[y];
      const kept = this.#shown.rows[y];
      if (!row || !kept || row === kept) continue;
      this.#free.push(row);
      rows[y] = kept;
    }
    return true;
  }

  /** Makes the next frame one of this size that may be drawn all over; its rows have any content. */
  renew(size: Size): Frame {
    this.#fit(size);
    for (let y = 0; y < size.rows; y++) this.ownRow(y);
    return this.#next;
  }

  ownRow(y: number): Row {
    const { rows, size } = this.#next;
    const row = rows[y];
    if (row && row !== this.#shown.rows[y]) return row;
    const own = this.#free.pop() ?? blankRow(size.cols);
    rows[y] = own;
    return own;
  }

  ownCopy(y: number): Row {
    const before = this.#next.rows[y];
    const own = this.ownRow(y);
    if (before && own !== before) copyCells(before, 0, own, 0, this.#next.size.cols);
    return own;
  }

  /** The next frame is on its way to the client. */
  swap(): void {
    [this.#shown, this.#next] = [this.#next, this.#shown];
  }

  /** Nothing is known of what the client shows. */
  forget(): void {
    this.#shown = blankFrame(NO_SIZE);
  }

  #fit(size: Size): void {
    if (sameSize(this.#next.size, size)) return;
    this.#next = blankFrame(size);
    this.#free = [];
  }
}
