import { type CellStyle, type Row, rowColumns, setCell } from '../../protocol/cell.ts';
import { graphemes, textWidth } from '../../src/overlay/text-width.ts';

/** Writes a text of narrow characters at the right end of a row, over what is there; what does not fit is cut at its left. */
export function drawCornerText(into: Row, text: string, style: CellStyle): void {
  let x = rowColumns(into) - textWidth(text);
  for (const { text: cluster, width } of graphemes(text)) {
    if (x >= 0 && width === 1) setCell(into, x, cluster, 1, style);
    x += width;
  }
}
