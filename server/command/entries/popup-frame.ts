/** How a popup looks: its border, title and the screen of its program, drawn over a client's frame. */
import {
  blankRow,
  CELL_WORDS,
  type CellStyle,
  COLOR_MASK,
  copyCells,
  type Row,
  rowColumns,
  setCell,
} from '../../../protocol/cell.ts';
import { type Cursor, type Frame, HIDDEN_CURSOR } from '../../../protocol/frame.ts';
import type { Rect } from '../../../protocol/geometry.ts';
import { clearCutHalves } from '../../../src/overlay/canvas.ts';
import { drawFormat } from '../../format/format-draw.ts';
import type { Pane } from '../../model/pane.ts';
import { type Style, textStyleToCell } from '../../options/style.ts';

/** Corners from the top left on, horizontal, vertical: option popup-border-lines. */
const LINES = {
  single: '┌┐└┘─│',
  rounded: '╭╮╰╯─│',
  double: '╔╗╚╝═║',
  heavy: '┏┓┗┛━┃',
  simple: '++++-|',
  padded: '      ',
} as const;

export type PopupLines = keyof typeof LINES | 'none';

export function parsePopupLines(text: string): PopupLines | undefined {
  if (text === 'none') return text;
  return Object.keys(LINES).includes(text) ? (text as keyof typeof LINES) : undefined;
}

export interface PopupLook {
  readonly lines: PopupLines;
  /** The title as an expanded format. */
  readonly title: string;
  /** Default colours of the inside, and the look of the border. */
  readonly style: Style;
  readonly borderStyle: Style;
}

/** The cells inside the border; none where a terminal has become too small for more than the border. */
export function insideOf(rect: Rect, lines: PopupLines): Rect {
  if (lines === 'none') return rect;
  return { x: rect.x + 1, y: rect.y + 1, width: Math.max(0, rect.width - 2), height: Math.max(0, rect.height - 2) };
}

/** Draws a popup over whatever the frame has; the cursor becomes its program's. */
export function drawPopup(frame: Frame, { rect, pane, look }: { rect: Rect; pane: Pane; look: PopupLook }): void {
  for (let y = rect.y; y < rect.y + rect.height; y++) {
    const row = frame.rows[y];
    if (row) clearCutHalves(row, rect.x, rect.width);
  }
  if (look.lines !== 'none') drawBorder(frame, { rect, look, lines: look.lines });
  const inside = insideOf(rect, look.lines);
  const colors = textStyleToCell(look.style);
  const scratch = blankRow(inside.width);
  for (let y = 0; y < inside.height; y++) {
    const row = frame.rows[inside.y + y];
    if (!row) continue;
    pane.drawRow(y, scratch);
    replaceDefaultColors(scratch, colors);
    copyCells(scratch, 0, row, inside.x, inside.width);
  }
  frame.cursor = cursorInside(inside, pane);
}

function cursorInside(inside: Rect, pane: Pane): Cursor {
  const cursor = pane.cursor();
  if (inside.width === 0 || inside.height === 0) return HIDDEN_CURSOR;
  return {
    ...cursor,
    x: inside.x + Math.min(cursor.x, inside.width - 1),
    y: inside.y + Math.min(cursor.y, inside.height - 1),
    visible: cursor.visible && !pane.isDead,
  };
}

function drawBorder(
  frame: Frame,
  { rect, look, lines }: { rect: Rect; look: PopupLook; lines: keyof typeof LINES },
): void {
  const [topLeft = '', topRight = '', bottomLeft = '', bottomRight = '', across = '', down = ''] = [...LINES[lines]];
  const style = textStyleToCell(look.borderStyle);
  const put = (x: number, y: number, text: string) => {
    const row = frame.rows[y];
    if (row && x < rowColumns(row)) setCell(row, x, text, 1, style);
  };
  const right = rect.x + rect.width - 1;
  const bottom = rect.y + rect.height - 1;
  for (let x = rect.x + 1; x < right; x++) {
    put(x, rect.y, across);
    put(x, bottom, across);
  }
  for (let y = rect.y + 1; y < bottom; y++) {
    put(rect.x, y, down);
    put(right, y, down);
  }
  put(rect.x, rect.y, topLeft);
  put(right, rect.y, topRight);
  put(rect.x, bottom, bottomLeft);
  put(right, bottom, bottomRight);
  const top = frame.rows[rect.y];
  if (top && look.title !== '') {
    drawFormat(top, look.title, { base: look.borderStyle, width: Math.max(0, rect.width - 4), x: rect.x + 2 });
  }
}

/** Gives cells without colours of their own those of the popup's style. */
function replaceDefaultColors(row: Row, { fg, bg }: CellStyle): void {
  if (((fg | bg) & COLOR_MASK) === 0) return;
  const { words } = row;
  for (let at = 0; at < words.length; at += CELL_WORDS) {
    const [ownFg, ownBg] = [words[at + 1] ?? 0, words[at + 2] ?? 0];
    if ((ownFg & COLOR_MASK) === 0) words[at + 1] = ownFg | (fg & COLOR_MASK);
    if ((ownBg & COLOR_MASK) === 0) words[at + 2] = ownBg | (bg & COLOR_MASK);
  }
}
