/**
 * The two frames of a client: what it shows, and the one that is drawn next. A row that stays as it is is one object in
 * both, so that finding out what differs is comparing references; the rows that come free go round. A frame that several
 * clients show is theirs together: it stays as it is for ever.
 */
import { blankRow, copyCells, type Row } from '../../protocol/cell.ts';
import { blankFrame, type Frame } from '../../protocol/frame.ts';
import { type Size, sameSize } from '../../protocol/geometry.ts';

const NO_SIZE = { cols: 0, rows: 0 };

/** Frames that several clients show: neither they nor their rows are ever drawn into again. */
const sharedFrames = new WeakSet<Frame>();

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
  /** Which rows of the two are in no other frame, shared ones apart (of which no row is anybody's own). */
  #ownShown: boolean[] = [];
  #ownNext: boolean[] = [];
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
      if (this.#ownNext[y]) this.#free.push(row);
      this.#ownNext[y] = false;
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
    if (row && this.#ownNext[y]) return row;
    const own = this.#free.pop() ?? blankRow(size.cols);
    rows[y] = own;
    this.#ownNext[y] = true;
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
    const before = this.#shown;
    const isAlone = !sharedFrames.has(before) && sameSize(before.size, this.#next.size);
    this.#shown = this.#next;
    const [ownBefore, ownNow] = [this.#ownShown, this.#ownNext];
    for (let y = 0; y < this.#shown.rows.length; y++) {
      // A row that was kept belongs to whom it belonged before; one that was replaced comes free.
      const isNew = ownNow[y] === true;
      const wasOwn = isAlone && ownBefore[y] === true;
      this.#ownShown[y] = isNew || wasOwn;
      this.#ownNext[y] = isNew && wasOwn;
    }
    this.#next = isAlone ? before : { ...this.#shown, rows: [...this.#shown.rows] };
  }

  /** The client shows the same as another: their frames are one from now on. */
  share(frame: Frame): void {
    sharedFrames.add(frame);
    this.#shown = frame;
  }

  /** Nothing is known of what the client shows. */
  forget(): void {
    this.#shown = blankFrame(NO_SIZE);
    this.#ownShown = [];
  }

  #fit(size: Size): void {
    if (sameSize(this.#next.size, size)) return;
    this.#next = blankFrame(size);
    this.#ownNext = this.#next.rows.map(() => true);
    this.#free = [];
  }
}
