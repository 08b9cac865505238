/**
 * Finds out that rows moved up or down between two pictures, so that the terminal may move them itself. It is a guess
 * that is only ever worth something, never wrong: who uses it compares the moved rows with the wanted ones afterwards.
 */
import type { Row } from './cell.ts';
import { BG_EXTENDED, blankRow, CELL_WORDS, CONTENT_IS_CLUSTER, rowColumns, sameCell } from './cell.ts';
import type { ScrollDamage } from './damage.ts';

/** A scroll must save at least so many repainted rows. */
const MIN_GAIN = 3;

/** Whether two rows of the same width look the same. Rows that are one object are. */
export function sameRow(a: Row, b: Row): boolean {
  if (a === b) return true;
  const left = a.words;
  const right = b.words;
  if (left.length !== right.length) return false;
  if (!sameMemory(left, right)) return false;
  if (!hasSides(a) && !hasSides(b)) return true;
  for (let at = 0; at < left.length; at += CELL_WORDS) {
    const rich = (left[at] ?? 0) & CONTENT_IS_CLUSTER || (left[at + 2] ?? 0) & BG_EXTENDED;
    if (rich && !sameCell(a, b, at / CELL_WORDS)) return false;
  }
  return true;
}

/** Native comparison pays from a few cells on; a typed character is found before that. */
function sameMemory(a: Uint32Array, b: Uint32Array): boolean {
  return Buffer.compare(bytesOf(a), bytesOf(b)) === 0;
}

function bytesOf(words: Uint32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}

/** Whether a row keeps anything outside of its words. */
export function hasSides(row: Row): boolean {
  return (row.clusters?.size ?? 0) > 0 || (row.extended?.size ?? 0) > 0;
}

function isSame(before: Row | undefined, row: Row | undefined): boolean {
  return before !== undefined && row !== undefined && sameRow(before, row);
}

/** Which rows of `next` look different from those of `last`. */
export function changedRows(last: readonly Row[], next: readonly Row[]): boolean[] {
  const changed: boolean[] = [];
  // Of most rows a picture has the very object of the one before.
  for (let y = 0; y < next.length; y++) changed.push(next[y] !== last[y] && !isSame(last[y], next[y]));
  return changed;
}

/**
 * The scroll of whole rows that saves the most work, if one is worth it. Both lists have equally many, equally wide rows;
 * `changed` is what changedRows says of them.
 */
export function findScroll(
  last: readonly Row[],
  next: readonly Row[],
  changed: readonly boolean[],
): ScrollDamage | undefined {
  const first = changed.indexOf(true);
  const end = changed.lastIndexOf(true);
  if (first === -1 || end - first < MIN_GAIN) return undefined;
  const blank = rowHash(blankRow(rowColumns(next[first] ?? blankRow(0))));
  const hashes: ScrollHashes = { before: last.map(rowHash), after: next.map(rowHash), blank };
  const by = mostVotedShift(hashes, changed);
  if (by === 0) return undefined;
  const scroll = matchedRegion(hashes, by, { first, end });
  return scroll && gain(hashes, changed, scroll) >= MIN_GAIN ? scroll : undefined;
}

/** The rows after a scroll; what it uncovers is blank. Row objects are shared, not copied. */
export function scrollRows(rows: readonly Row[], scroll: ScrollDamage): Row[] {
  const moved = [...rows];
  for (let y = scroll.top; y <= scroll.bottom; y++) {
    const from = y + scroll.by;
    const source = from >= scroll.top && from <= scroll.bottom ? rows[from] : undefined;
    moved[y] = source ?? blankRow(rowColumns(rows[y] ?? blankRow(0)));
  }
  return moved;
}

interface ScrollHashes {
  readonly before: readonly number[];
  readonly after: readonly number[];
  readonly blank: number;
}

function rowHash(row: Row): number {
  // The text is enough to recognise a row by; what differs in style alone is repainted after the scroll.
  let hash = 0x811c9dc5;
  const { words } = row;
  for (let i = 0; i < words.length; i += CELL_WORDS) hash = Math.imul(hash ^ (words[i] ?? 0), 0x01000193);
  return hash;
}

/** How far most changed rows came from; rows that occur more than once and blank ones have no vote. 0 for no move. */
function mostVotedShift({ before, after, blank }: ScrollHashes, changed: readonly boolean[]): number {
  const places = new Map<number, number>();
  for (const [y, hash] of before.entries()) places.set(hash, places.has(hash) ? -1 : y);
  places.delete(blank);
  const votes = new Map<number, number>();
  let best = 0;
  after.forEach((hash, y) => {
    const from = changed[y] ? (places.get(hash) ?? -1) : -1;
    if (from === -1) return;
    const shift = from - y;
    const count = (votes.get(shift) ?? 0) + 1;
    votes.set(shift, count);
    if (count > (votes.get(best) ?? 0)) best = shift;
  });
  return best;
}

function matchedRegion(
  { before, after }: ScrollHashes,
  by: number,
  bounds: { readonly first: number; readonly end: number },
): ScrollDamage | undefined {
  const matches: number[] = [];
  for (let y = bounds.first; y <= bounds.end; y++) {
    const from = y + by;
    if (from >= bounds.first && from <= bounds.end && after[y] === before[from]) matches.push(y);
  }
  const low = matches[0];
  const high = matches.at(-1);
  if (low === undefined || high === undefined) return undefined;
  return by > 0 ? { top: low, bottom: high + by, by } : { top: low + by, bottom: high, by };
}

/** Rows to repaint without the scroll, less those with it. */
function gain({ before, after, blank }: ScrollHashes, changed: readonly boolean[], scroll: ScrollDamage): number {
  let saved = 0;
  for (let y = scroll.top; y <= scroll.bottom; y++) {
    const from = y + scroll.by;
    const moved = from >= scroll.top && from <= scroll.bottom ? before[from] : blank;
    if (changed[y]) saved++;
    if (moved !== after[y]) saved--;
  }
  return saved;
}
