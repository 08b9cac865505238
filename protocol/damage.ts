/**
 * The difference between two frames, as it is sent. Laws: `applyDamage(a, diffFrames(a, b))` equals `b`; damage from a
 * blank frame of another size starts with `size`.
 */
import type { CellExtension, Row } from './cell.ts';
import { BG_EXTENDED, blankRow, CELL_WORDS, CONTENT_IS_CLUSTER, rowColumns, sameCell } from './cell.ts';
import { MplexError } from './errors.ts';
import type { Cursor, Frame, FrameModes } from './frame.ts';
import { blankFrame } from './frame.ts';
import type { Size } from './geometry.ts';
import { sameSize } from './geometry.ts';
import { changedRows, findScroll, hasSides, sameRow, scrollRows } from './scroll.ts';

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

/** Equal cells between two changed ones that are sent along instead of starting another span. */
const SPAN_GAP = 8;

/**
 * What makes `next` out of `last`; undefined if they look the same. Nothing in the damage shares memory with a frame.
 * A title of undefined in `next` leaves the last one alone.
 */
export function diffFrames(last: Frame, next: Frame): Damage | undefined {
  const resized = !sameSize(last.size, next.size);
  const base = resized ? blankFrame(next.size) : last;
  const changed = changedRows(base.rows, next.rows);
  const scroll = resized ? undefined : findScroll(base.rows, next.rows, changed);
  const rows = scroll ? diffRows(scrollRows(base.rows, scroll), next.rows) : diffRows(base.rows, next.rows, changed);
  const cursor = !sameCursor(base.cursor, next.cursor);
  const modes = !sameModes(base.modes, next.modes);
  const title = next.title !== undefined && next.title !== base.title ? next.title : undefined;
  if (!resized && !scroll && rows.length === 0 && !cursor && !modes && title === undefined) return undefined;
  return {
    ...(resized && { size: next.size }),
    ...(scroll && { scroll }),
    rows,
    ...(cursor && { cursor: next.cursor }),
    ...(modes && { modes: next.modes }),
    ...(title !== undefined && { title }),
  };
}

/**
 * The frame with the damage applied. `frame` is left as it is; rows without damage are shared between the two, so that
 * comparing them is comparing references. Throws MplexError 'protocol' for damage that does not fit.
 */
export function applyDamage(frame: Frame, damage: Damage): Frame {
  const base = damage.size ? blankFrame(damage.size) : frame;
  const rows = damage.scroll ? scrollRows(base.rows, checkedScroll(damage.scroll, base.size)) : [...base.rows];
  const own = new Set<number>();
  for (const part of damage.rows) {
    const row = rows[part.y];
    if (!row || part.x < 0 || part.words.length % CELL_WORDS !== 0) throw misfit();
    if (part.x * CELL_WORDS + part.words.length > row.words.length) throw misfit();
    const target = own.has(part.y) ? row : copyRow(row);
    own.add(part.y);
    rows[part.y] = target;
    applyRow(target, part);
  }
  return {
    size: base.size,
    rows,
    cursor: damage.cursor ?? base.cursor,
    modes: damage.modes ?? base.modes,
    title: damage.title ?? base.title,
  };
}

export function sameCursor(a: Cursor, b: Cursor): boolean {
  return (
    a.x === b.x &&
    a.y === b.y &&
    a.visible === b.visible &&
    a.shape === b.shape &&
    a.blink === b.blink &&
    a.color === b.color
  );
}

export function sameModes(a: FrameModes, b: FrameModes): boolean {
  return a.mouse === b.mouse && a.focus === b.focus && a.keyFlags === b.keyFlags && a.otherKeys === b.otherKeys;
}

function misfit(): MplexError {
  return new MplexError('protocol', 'damage does not fit the frame');
}

function checkedScroll(scroll: ScrollDamage, size: Size): ScrollDamage {
  if (scroll.top < 0 || scroll.bottom >= size.rows || scroll.top > scroll.bottom) throw misfit();
  return scroll;
}

function copyRow(row: Row): Row {
  return {
    words: row.words.slice(),
    clusters: row.clusters && new Map(row.clusters),
    extended: row.extended && new Map(row.extended),
  };
}

function applyRow(row: Row, part: RowDamage): void {
  row.words.set(part.words, part.x * CELL_WORDS);
  const end = part.x + part.words.length / CELL_WORDS;
  row.clusters = replaceSpan(row.clusters, part.clusters, { start: part.x, end });
  row.extended = replaceSpan(row.extended, part.extended, { start: part.x, end });
}

function replaceSpan<T>(
  own: Map<number, T> | undefined,
  incoming: ReadonlyMap<number, T> | undefined,
  span: { readonly start: number; readonly end: number },
): Map<number, T> | undefined {
  if (own) for (const column of own.keys()) if (column >= span.start && column < span.end) own.delete(column);
  if (!incoming) return own;
  const result = own ?? new Map<number, T>();
  for (const [column, value] of incoming) if (column >= span.start && column < span.end) result.set(column, value);
  return result;
}

/** `changed` is what is known of the rows already. */
function diffRows(last: readonly Row[], next: readonly Row[], changed?: readonly boolean[]): RowDamage[] {
  const parts: RowDamage[] = [];
  for (let y = 0; y < next.length; y++) {
    const row = next[y];
    if (!row || changed?.[y] === false) continue;
    const before = last[y] ?? blankRow(rowColumns(row));
    if (changed || !sameRow(before, row)) pushSpans(parts, y, { before, row });
  }
  return parts;
}

function pushSpans(parts: RowDamage[], y: number, { before, row }: { before: Row; row: Row }): void {
  const rich = hasSides(before) || hasSides(row);
  const columns = rowColumns(row);
  let start = -1;
  let end = -1;
  for (let x = 0; x < columns; x++) {
    if (rich ? sameCell(before, row, x) : sameWords(before.words, row.words, x * CELL_WORDS)) continue;
    if (start !== -1 && x - end > SPAN_GAP) {
      parts.push(rowSpan(row, y, { start, end }));
      start = -1;
    }
    if (start === -1) start = x;
    end = x + 1;
  }
  if (start !== -1) parts.push(rowSpan(row, y, { start, end }));
}

function sameWords(a: Uint32Array, b: Uint32Array, at: number): boolean {
  return a[at] === b[at] && a[at + 1] === b[at + 1] && a[at + 2] === b[at + 2];
}

function rowSpan(row: Row, y: number, { start, end }: { start: number; end: number }): RowDamage {
  const words = row.words.slice(start * CELL_WORDS, end * CELL_WORDS);
  const part: RowDamage = { y, x: start, words };
  if (!hasSides(row)) return part;
  const clusters = new Map<number, string>();
  const extended = new Map<number, CellExtension>();
  for (let x = start; x < end; x++) {
    const at = x * CELL_WORDS;
    const cluster = (row.words[at] ?? 0) & CONTENT_IS_CLUSTER ? row.clusters?.get(x) : undefined;
    if (cluster !== undefined) clusters.set(x, cluster);
    const extension = (row.words[at + 2] ?? 0) & BG_EXTENDED ? row.extended?.get(x) : undefined;
    if (extension) extended.set(x, extension);
  }
  return { ...part, ...(clusters.size > 0 && { clusters }), ...(extended.size > 0 && { extended }) };
}
