/**
 * The difference between two frames, as it is sent. Laws: `applyDamage(a, diffFrames(a, b))` equals `b`; damage from a
 * blank frame of another size starts with `size`.
 */
import type { CellExtension } from './cell.ts';
import type { Cursor, FrameModes } from './frame.ts';
import type { Size } from './geometry.ts';

/** Cells of one row from column `x` on. */
export interface RowDamage {
  readonly y: number;
  readonly x: number;
  /** CELL_WORDS 32-bit words a cell, in memory order of the machine (client and server share it). */
  readonly words: Uint32Array;
  /** Column in the row → text, for cells with CONTENT_IS_CLUSTER. */
  readonly clusters?: ReadonlyMap<number, string>;
  readonly extended?: ReadonlyMap<number, CellExtension>;
}

/** Rows `top` to `bottom` (inclusive) move up by `by` (down if negative), whole width; applied before the rows. */
export interface ScrollDamage {
  readonly top: number;
  readonly bottom: number;
  readonly by: number;
}

export interface Damage {
  /** Present: start from a blank frame of this size. */
  readonly size?: Size;
  readonly scroll?: ScrollDamage;
  readonly rows: readonly RowDamage[];
  readonly cursor?: Cursor;
  readonly modes?: FrameModes;
  /** Present when the title changed. */
  readonly title?: string;
}
