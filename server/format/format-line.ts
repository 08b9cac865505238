/** An expanded format as one line of text for an emulator: drawn into so many columns, its styles as SGR sequences. */
import { blankRow } from '../../protocol/cell.ts';
import { DEFAULT_TEXT_STYLE } from '../options/style.ts';
import { CapturePen, lineText } from '../terminal/capture.ts';
import { drawFormat } from './format-draw.ts';

/** The line; never wider than `cols`. The style it ends in is not reset. */
export function formatLine(text: string, cols: number): string {
  const row = blankRow(cols);
  drawFormat(row, text, { base: DEFAULT_TEXT_STYLE, width: cols });
  return lineText(row, { pen: new CapturePen() });
}
