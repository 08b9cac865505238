/** Dialogs without colours (NO_COLOR, no-color.org): shapes and attributes say the same. */
import { COLOR_MASK, COLOR_MODE_MASK, cellStyle, FG_INVERSE, setCellStyle } from '../../protocol/cell.ts';
import type { Frame } from '../../protocol/frame.ts';

/** Takes all colours out of a frame, in place; a coloured background becomes inverse video. */
export function removeColors(frame: Frame): void {
  for (const row of frame.rows) {
    for (let x = 0; x < frame.size.cols; x++) {
      const { fg, bg } = cellStyle(row, x);
      const inverse = (bg & COLOR_MODE_MASK) === 0 ? 0 : FG_INVERSE;
      setCellStyle(row, x, { fg: (fg & ~COLOR_MASK) | inverse, bg: bg & ~COLOR_MASK });
    }
  }
}
