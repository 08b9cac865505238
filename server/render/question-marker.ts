/** The mark in the status line that questions of programs wait: how many, and from which panes. */
import { type CellStyle, COLOR_PALETTE16, copyCells, FG_BOLD, type Row } from '../../protocol/cell.ts';
import { Canvas } from '../../src/overlay/canvas.ts';
import { textWidth } from '../../src/overlay/text-width.ts';
import type { FormatRange } from '../format/format-draw.ts';
import type { ClientSession } from '../model/client-session.ts';
import type { OpenQuestion } from '../model/registry.ts';

const STYLE: CellStyle = { fg: COLOR_PALETTE16 | 0 | FG_BOLD, bg: COLOR_PALETTE16 | 3 };

/** What there is to say at a client, the longest first; nothing if no question waits but the one that it shows. */
export function markerTexts(questions: readonly OpenQuestion[], client: ClientSession): string[] {
  const waiting = questions.filter((question) => question.client !== client);
  if (waiting.length === 0) return [];
  const panes = [...new Set(waiting.map(({ pane }) => (pane ? `%${pane.id}` : 'outside')))].join(' ');
  const count = waiting.length === 1 ? '1 question' : `${waiting.length} questions`;
  return [` ${count}: ${panes} `, ` ?${waiting.length} ${panes} `, ` ?${waiting.length} `];
}

/**
 * Draws the longest text that leaves half of the row, left of what stands at its right (status-right), else at its end.
 */
export function drawMarker(row: Row, texts: readonly string[], ranges: readonly FormatRange[]): void {
  const columns = row.words.length / 3;
  const right = ranges.find(({ range }) => range.kind === 'right')?.x ?? columns;
  const text = texts.find((one) => textWidth(one) <= Math.min(right, columns / 2));
  if (text === undefined) return;
  const width = textWidth(text);
  const canvas = new Canvas({ cols: width, rows: 1 });
  canvas.put({ x: 0, y: 0 }, text, STYLE);
  const from = canvas.rows[0];
  if (from) copyCells(from, 0, row, right - width, width);
}
