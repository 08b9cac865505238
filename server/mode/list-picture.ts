/** How a picker looks: the lines of its list, and a box with the preview of the current one below them. */
import { blankRow, copyCells, DEFAULT_STYLE, type Row, setCell } from '../../protocol/cell.ts';
import type { Size } from '../../protocol/geometry.ts';
import { padToWidth } from '../../src/overlay/text-width.ts';
import { visibleText } from '../../src/overlay/visible-text.ts';
import { drawFormat } from '../format/format-draw.ts';
import { quoteForStyle } from '../format/format-text.ts';
import {
  ATTRIBUTE,
  DEFAULT_STYLE_VALUE,
  DEFAULT_TEXT_STYLE,
  parseStyle,
  type TextStyle,
  textStyleToCell,
} from '../options/style.ts';

export interface DrawnLine {
  readonly key: string | undefined;
  readonly lead: string;
  readonly name: string;
  /** An expanded format. */
  readonly text: string;
  readonly isTagged: boolean;
  readonly isCurrent: boolean;
}

export interface ListPicture {
  readonly size: Size;
  /** Rows of the list; the preview has the rest. */
  readonly height: number;
  readonly lines: readonly DrawnLine[];
  /** Columns of the longest key. */
  readonly keyWidth: number;
  /** Option mode-style. */
  readonly style: string;
  /** Of the preview. */
  readonly title: string;
  readonly preview: ((rows: readonly Row[]) => void) | undefined;
}

/** A list lower than this has no preview. */
const LIST_MIN = 10;

/** Rows of the list: two thirds of the pane, half where that is enough, all where the rest would be too low. */
export function listHeight(
  { rows }: Size,
  { lines, showsPreview }: { readonly lines: number; readonly showsPreview: boolean },
): number {
  if (!showsPreview) return rows;
  const most = Math.trunc(rows / 3) * 2;
  const height = most > lines ? Math.trunc(rows / 2) : most;
  return height < LIST_MIN || rows - height < 4 ? rows : height;
}

export function drawList(picture: ListPicture): Row[] {
  const { size, height } = picture;
  const rows = Array.from({ length: size.rows }, () => blankRow(size.cols));
  const current = parseStyle(picture.style, DEFAULT_STYLE_VALUE, DEFAULT_TEXT_STYLE) ?? DEFAULT_STYLE_VALUE;
  for (const [y, line] of picture.lines.entries()) {
    const row = rows[y];
    if (row && y < height) drawLine(row, line, { picture, current });
  }
  if (picture.preview) drawPreview(rows.slice(height), picture, picture.preview);
  return rows;
}

function drawLine(
  row: Row,
  line: DrawnLine,
  { picture, current }: { readonly picture: ListPicture; readonly current: TextStyle },
): void {
  const { cols } = picture.size;
  const plain = line.isCurrent ? current : DEFAULT_TEXT_STYLE;
  const base = line.isTagged ? { ...plain, attributes: plain.attributes | ATTRIBUTE.bright } : plain;
  if (line.isCurrent) for (let x = 0; x < cols; x++) setCell(row, x, ' ', 1, textStyleToCell(current));
  const key = line.key === undefined ? '' : `(${line.key})`;
  const keys = picture.keyWidth === 0 ? '' : `${padToWidth(key, picture.keyWidth + 2)} `;
  const name = quoteForStyle(visibleText(line.name));
  const text = line.text === '' ? '' : `: ${line.text}`;
  const whole = `${quoteForStyle(keys + line.lead)}${name}${line.isTagged ? '*' : ''}${text}`;
  drawFormat(row, whole, { base, width: cols });
}

function drawPreview(rows: readonly Row[], picture: ListPicture, preview: (rows: readonly Row[]) => void): void {
  const { cols } = picture.size;
  const last = rows.length - 1;
  const inner = Math.max(0, cols - 2);
  for (const [y, row] of rows.entries()) {
    const isEdge = y === 0 || y === last;
    putText(row, 0, y === 0 ? '┌' : y === last ? '└' : '│');
    putText(row, cols - 1, y === 0 ? '┐' : y === last ? '┘' : '│');
    if (isEdge) putText(row, 1, '─'.repeat(inner));
  }
  const top = rows[0];
  if (top) {
    const title = ` ${quoteForStyle(visibleText(picture.title))} `;
    drawFormat(top, title, { base: DEFAULT_TEXT_STYLE, width: inner, x: 1 });
  }
  const width = Math.max(0, cols - 4);
  const inside = Array.from({ length: Math.max(0, last - 1) }, () => blankRow(width));
  preview(inside);
  for (const [y, row] of inside.entries()) {
    const to = rows[y + 1];
    if (to && width > 0) copyCells(row, 0, to, 2, width);
  }
}

/** Writes text of single columns. */
function putText(row: Row, x: number, text: string, style = DEFAULT_STYLE): void {
  for (const [i, character] of [...text].entries()) {
    if (x + i >= 0 && x + i < row.words.length / 3) setCell(row, x + i, character, 1, style);
  }
}
