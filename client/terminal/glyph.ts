/**
 * What may be written for one cell, and whether terminals agree how wide it is. A cell's text came from a program, so
 * nothing of it is obeyed: controls, bidi controls and broken code points never get through.
 */
import type { Row } from '../../protocol/cell.ts';
import {
  BLANK_CONTENT,
  CELL_WORDS,
  CONTENT_CODEPOINT_MASK,
  CONTENT_IS_CLUSTER,
  cellWidth,
  rowColumns,
} from '../../protocol/cell.ts';
import { isControl, isInvisibleFormat } from '../../protocol/clean-text.ts';

/** A cell made ready for the terminal. */
export interface Glyph {
  readonly text: string;
  readonly width: 1 | 2;
  /**
   * Terminals disagree about the width, or the text could join what stands before or after it: it is to be written alone,
   * with an absolute move before and after.
   */
  readonly doubtful: boolean;
}

const BLANK_GLYPH: Glyph = { text: ' ', width: 1, doubtful: false };

const UNKNOWN = '\ufffd';

/** The glyph of a cell; undefined for the right half of a wide character. Half characters become blanks. */
export function glyphAt(row: Row, column: number): Glyph | undefined {
  const { words } = row;
  const content = words[column * CELL_WORDS] ?? BLANK_CONTENT;
  const width = cellWidth(content);
  if (width === 0) return isWideLead(row, column - 1) ? undefined : BLANK_GLYPH;
  if (width === 2 && !isWideLead(row, column)) return BLANK_GLYPH;
  const columns = width === 1 ? 1 : 2;
  if (content & CONTENT_IS_CLUSTER) {
    const text = cleanCluster(row.clusters?.get(column) ?? '');
    return text === '' ? { text: ' '.repeat(columns), width: columns, doubtful: false } : wrap(text, columns, true);
  }
  const codePoint = content & CONTENT_CODEPOINT_MASK;
  if (codePoint === 0) return columns === 1 ? BLANK_GLYPH : { text: '  ', width: 2, doubtful: false };
  if (codePoint < 0x7f && codePoint >= 0x20) return wrap(String.fromCharCode(codePoint), columns, columns === 2);
  if (isControl(codePoint) || isInvisibleFormat(codePoint)) {
    return { text: ' '.repeat(columns), width: columns, doubtful: false };
  }
  if (codePoint > 0x10ffff || (codePoint >= 0xd800 && codePoint <= 0xdfff)) return wrap(UNKNOWN, columns, true);
  return wrap(String.fromCodePoint(codePoint), columns, !hasAgreedWidth(codePoint));
}

function wrap(text: string, width: 1 | 2, doubtful: boolean): Glyph {
  return { text, width, doubtful };
}

function isWideLead(row: Row, column: number): boolean {
  if (column < 0 || column + 1 >= rowColumns(row)) return false;
  const { words } = row;
  return (
    cellWidth(words[column * CELL_WORDS] ?? 0) === 2 &&
    cellWidth(words[(column + 1) * CELL_WORDS] ?? BLANK_CONTENT) === 0
  );
}

function cleanCluster(cluster: string): string {
  let text = '';
  for (const character of cluster) {
    const codePoint = character.codePointAt(0) ?? 0;
    if (isControl(codePoint) || isInvisibleFormat(codePoint) || (codePoint >= 0xd800 && codePoint <= 0xdfff)) continue;
    text += character;
  }
  return text;
}

/** Blocks whose characters stand alone and have one width everywhere, sorted: first, last, first, last, … */
const AGREED = [
  0x20, 0x7e, 0xa0, 0xac, 0xae, 0x2ff, 0x370, 0x482, 0x48a, 0x52f, 0x5d0, 0x5ea, 0x621, 0x64a, 0x10a0, 0x10ff, 0x1e00,
  0x1fff, 0x2010, 0x2027, 0x2030, 0x203b, 0x203d, 0x2048, 0x204a, 0x205e, 0x2070, 0x20c0, 0x2100, 0x2121, 0x2123,
  0x2138, 0x2150, 0x2193, 0x219a, 0x21a8, 0x21ab, 0x2319, 0x2500, 0x25a9, 0x25ac, 0x25b5, 0x25b7, 0x25bf, 0x25c1,
  0x25fa, 0x2800, 0x28ff, 0x2e80, 0x2fd5, 0x3001, 0x3029, 0x3041, 0x3096, 0x309b, 0x30ff, 0x3400, 0x4dbf, 0x4e00,
  0x9fff, 0xac00, 0xd7a3, 0xf900, 0xfaff, 0xff01, 0xff60,
];

function hasAgreedWidth(codePoint: number): boolean {
  let low = 0;
  let high = AGREED.length / 2;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((AGREED[middle * 2 + 1] ?? 0) < codePoint) low = middle + 1;
    else high = middle;
  }
  return codePoint >= (AGREED[low * 2] ?? Number.POSITIVE_INFINITY);
}

/**
 * How many columns a terminal that knows no clusters may take for the text: what it wrote beyond the cell's width is to
 * be painted again. An upper bound.
 */
export function mostColumns(text: string): number {
  let columns = 0;
  for (const character of text) columns += (character.codePointAt(0) ?? 0) < 0x300 ? 1 : 2;
  return columns;
}
