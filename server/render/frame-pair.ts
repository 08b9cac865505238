/**
 * The two frames of a client: what it shows, and the one that is drawn next. A row that stays as it is is one object in
 * both, so that finding out what differs is comparing references. Several clients may show one frame.
 */
import { copyCells, type Row } from '../../protocol/cell.ts';
import { HIDDEN_CURSOR, NO_MODES } from '../../protocol/frame.ts';
import { type Size, sameSize } from '../../protocol/geometry.ts';
import { RowStore, type StoredFrame, type StoredRow } from './row-store.ts';

const NO_SIZE = { cols: 0, rows: 0 };

/** Rows of the next frame; drawing may only change those that it asked for. */
export interface NextRows {
  /** A row that is the next frame's alone, with any content. */
  ownRow(y: number): Row;
  /** The same, with what is shown there now if it was not asked for before. */
  ownCopy(y: number): Row;
}

export class FramePair implements NextRows {
  readonly #store: RowStore;
  #shown = frameOf(NO_SIZE, []);
  /** Its rows are those that are shown, and own ones, which no shown frame has. */
  #next = frameOf(NO_SIZE, []);

  /** Clients with one store may share frames. */
  constructor(store = new RowStore()) {
    this.#store = store;
  }

  /** What the client shows, or will when the frame on its way has arrived. */
  get shown(): StoredFrame {
    return this.#shown;
  }

  /** Of no size until it is made by `keep` or `renew`, and after what was shown has changed. */
  get next(): StoredFrame {
    return this.#next;
  }

  /** Makes the next frame one of this size that looks as what is shown, if that has the size; false if it has not. */
  keep(size: Size): boolean {
    if (!sameSize(this.#shown.size, size)) return false;
    this.#drop();
    this.#next = { ...this.#shown, rows: [...this.#shown.rows], viewers: 0 };
    return true;
  }

  /** Makes the next frame one of this size that may be drawn all over; its rows have any content. */
  renew(size: Size): StoredFrame {
    this.#drop();
    this.#next = frameOf(
      size,
      Array.from({ length: size.rows }, () => this.#store.take(size.cols)),
    );
    return this.#next;
  }

  ownRow(y: number): Row {
    const { rows, size } = this.#next;
    const row = rows[y];
    if (row?.frames === 0) return row;
    const own = this.#store.take(size.cols);
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
    const next = this.#next;
    this.#next = frameOf(NO_SIZE, []);
    this.#show(next);
  }

  /** The client shows the same as another: their frames are one from now on. */
  share(frame: StoredFrame): void {
    this.#drop();
    this.#show(frame);
  }

  /** Nothing is known of what the client shows. */
  forget(): void {
    this.share(frameOf(NO_SIZE, []));
  }

  #show(frame: StoredFrame): void {
    const before = this.#shown;
    this.#store.show(frame);
    this.#shown = frame;
    this.#store.leave(before);
  }

  /** Gives up the next frame as far as it was drawn. */
  #drop(): void {
    const { rows } = this.#next;
    this.#next = frameOf(NO_SIZE, []);
    for (const row of rows) if (row.frames === 0) this.#store.giveBack(row);
  }
}

function frameOf(size: Size, rows: StoredRow[]): StoredFrame {
  return { size, rows, cursor: HIDDEN_CURSOR, modes: NO_MODES, title: undefined, viewers: 0 };
}
