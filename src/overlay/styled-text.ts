/** Text whose parts have looks of their own, as plain data that travels to the client. */
import type { CellStyle, Row } from '../../protocol/cell.ts';
import { cellStyle, cellText, rowColumns, sameExtension } from '../../protocol/cell.ts';
import type { Canvas, Placement } from './canvas.ts';

export interface StyledSpan {
  readonly text: string;
  readonly style: CellStyle;
}

export type StyledText = readonly StyledSpan[];

/** The cells of a row as text; equal neighbours share a span. */
export function spansOf(row: Row): StyledText {
  const spans: { text: string; style: CellStyle }[] = [];
  for (let x = 0; x < rowColumns(row); x++) {
    const text = cellText(row, x);
    if (text === '') continue;
    const style = cellStyle(row, x);
    const last = spans.at(-1);
    if (last && sameStyle(last.style, style)) last.text += text;
    else spans.push({ text, style });
  }
  return spans;
}

function sameStyle(a: CellStyle, b: CellStyle): boolean {
  return a.fg === b.fg && a.bg === b.bg && sameExtension(a.extension, b.extension);
}

/** Writes the text, each part in its look as `change` makes it; gives the columns it took. */
export function putStyled(
  canvas: Canvas,
  at: Placement,
  text: StyledText,
  change: (style: CellStyle) => CellStyle = (style) => style,
): number {
  const end = at.width === undefined ? canvas.size.cols : at.x + at.width;
  let x = at.x;
  for (const span of text) {
    if (x >= end) break;
    x += canvas.put({ x, y: at.y, width: end - x }, span.text, change(span.style));
  }
  return x - at.x;
}
