/** Small pictures of panes side by side: the preview of choose-tree. */
import { blankRow, copyCells, FG_BOLD, type Row, rowColumns, setCell } from '../../protocol/cell.ts';
import { graphemes, textWidth, truncateToWidth } from '../../src/overlay/text-width.ts';
import { visibleText } from '../../src/overlay/visible-text.ts';
import type { Pane } from '../model/pane.ts';
import { type Color, colorToCell } from '../options/color.ts';

export interface PreviewPart {
  readonly pane: Pane;
  readonly label: string | undefined;
  readonly isActive: boolean;
}

export interface Preview {
  readonly colors: { readonly active: Color; readonly other: Color };
  readonly parts: readonly PreviewPart[];
}

/** A picture is at least so wide; more of them are reached by scrolling. */
const PART_MIN = 24;

interface Columns {
  /** First part in view, and how many there are. */
  readonly first: number;
  readonly count: number;
  /** Columns of one, its border on the right not counted. */
  readonly each: number;
}

function columnsOf(parts: number, cols: number, scroll: number, active: number): Columns {
  const count = Math.max(1, Math.min(parts, Math.floor(cols / PART_MIN)));
  const last = parts - count;
  const centred = Math.max(0, Math.min(active - count + 1, last));
  const first = Math.max(0, Math.min(centred + scroll, last));
  return { first, count, each: Math.floor(cols / count) - (count > 1 ? 1 : 0) };
}

/** Which part a column of the preview shows. */
export function previewAt({ parts }: Preview, { x, cols }: { readonly x: number; readonly cols: number }): number {
  const columns = columnsOf(parts.length, cols, 0, activeOf(parts));
  return columns.first + Math.floor(x / (columns.each + 1));
}

function activeOf(parts: readonly PreviewPart[]): number {
  return Math.max(
    0,
    parts.findIndex(({ isActive }) => isActive),
  );
}

/** Draws as many parts as there is room for, the part round the cursor of each. */
export function drawPanes(rows: readonly Row[], { colors, parts }: Preview, scroll: number): void {
  const [first] = rows;
  if (!first) return;
  const cols = rowColumns(first);
  const columns = columnsOf(parts.length, cols, scroll, activeOf(parts));
  for (let i = 0; i < columns.count; i++) {
    const part = parts[columns.first + i];
    if (!part) break;
    const x = i * (columns.each + 1);
    const isLast = i === columns.count - 1;
    const width = isLast ? cols - x : columns.each;
    drawPane(rows, { part, x, width });
    if (!isLast) for (const row of rows) setCell(row, x + width, '│', 1, { fg: 0, bg: 0 });
    const color = colorToCell(part.isActive ? colors.active : colors.other);
    if (part.label !== undefined) drawLabel(rows, { label: part.label, x, width, color });
  }
  if (columns.first > 0) putMark(rows, 0, '<');
  if (columns.first + columns.count < parts.length) putMark(rows, cols - 1, '>');
}

function putMark(rows: readonly Row[], x: number, text: string): void {
  const row = rows[Math.floor(rows.length / 2)];
  if (row) setCell(row, x, text, 1, { fg: FG_BOLD, bg: 0 });
}

function drawPane(rows: readonly Row[], { part, x, width }: { part: PreviewPart; x: number; width: number }): void {
  const { emulator, size } = part.pane;
  const source = blankRow(size.cols);
  const { cursor } = emulator;
  const top = start(cursor.y, size.rows, rows.length);
  const left = start(cursor.x, size.cols, width);
  for (const [y, row] of rows.entries()) {
    if (top + y >= size.rows) break;
    emulator.screenRow(top + y, source);
    copyCells(source, left, row, x, Math.min(width, size.cols - left));
  }
}

/** Where to begin so that the cursor is seen. */
function start(cursor: number, length: number, seen: number): number {
  return cursor < seen ? 0 : Math.max(0, Math.min(cursor - seen + 1, length - seen));
}

/** The label in a box in the middle of its part, where that is large enough. */
function drawLabel(
  rows: readonly Row[],
  { label, x, width, color }: { label: string; x: number; width: number; color: number },
): void {
  const text = truncateToWidth(` ${visibleText(label)} `, width - 2);
  const inner = textWidth(text);
  if (rows.length < 3 || inner < 3) return;
  const top = Math.floor((rows.length - 3) / 2) + 1;
  const left = x + Math.floor((width - inner - 2) / 2);
  const lines = [`┌${'─'.repeat(inner)}┐`, `│${text}│`, `└${'─'.repeat(inner)}┘`];
  for (const [i, line] of lines.entries()) {
    const row = rows[top - 1 + i];
    let at = left;
    for (const { text: cluster, width: columns } of graphemes(line)) {
      if (columns === 0) continue;
      const isText = i === 1 && at > left && at < left + inner + 1;
      if (row && at + columns <= rowColumns(row)) setCell(row, at, cluster, columns, { fg: isText ? color : 0, bg: 0 });
      at += columns;
    }
  }
}
