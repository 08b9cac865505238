/** The number of a pane, large over its middle, and its size in the corner (display-panes). */
import { type CellStyle, DEFAULT_STYLE } from '../../protocol/cell.ts';
import { HIDDEN_CURSOR } from '../../protocol/frame.ts';
import type { Point, Rect, Size } from '../../protocol/geometry.ts';
import { bigRows, bigWidth, DIGIT_SIZE } from './big-digits.ts';
import { Canvas } from './canvas.ts';
import type { OverlayView } from './overlay.ts';
import { textWidth } from './text-width.ts';

export interface PaneNumberModel {
  readonly kind: 'pane-number';
  readonly text: string;
  /** `large`: as digits of cells; `middle`: plain text; `corner`: plain text at the top right. */
  readonly form: 'large' | 'middle' | 'corner';
  /** The pane on the client's screen, in cells. */
  readonly pane: Rect;
  /** A colour as in a cell's words (mode and value). */
  readonly color: number;
}

/** Whether a number can stand in a pane in large digits. */
export function fitsLarge(text: string, pane: Size): boolean {
  return pane.cols >= glyphWidth(text) && pane.rows >= DIGIT_SIZE;
}

/** Draws what of it lies on the screen. */
export function viewPaneNumber(model: PaneNumberModel, size: Size): OverlayView {
  const { pane, text, form } = model;
  const isLarge = form === 'large';
  const lines = isLarge ? bigRows(text) : [text];
  const width = Math.min(isLarge ? bigWidth(text) : textWidth(text), pane.width);
  const { x, y } = placeOf(model, width);
  const visible = {
    cols: Math.max(0, Math.min(width, size.cols - x)),
    rows: Math.max(0, Math.min(lines.length, size.rows - y)),
  };
  const canvas = new Canvas(visible);
  const isSolid = (column: number, row: number) => lines[row]?.[column] !== ' ';
  const filled: CellStyle = { ...DEFAULT_STYLE, bg: model.color };
  for (const [row, line] of lines.entries()) {
    if (!isLarge) canvas.put({ x: 0, y: row, width }, line, { ...DEFAULT_STYLE, fg: model.color });
    else
      for (const [column, mark] of [...line].entries())
        if (mark === '#') canvas.put({ x: column, y: row }, ' ', filled);
  }
  return { rect: { x, y, width: visible.cols, height: visible.rows }, canvas, cursor: HIDDEN_CURSOR, isSolid };
}

/** Where the top left cell stands, in the middle as tmux counts it. */
function placeOf({ pane, text, form }: PaneNumberModel, width: number): Point {
  const middle = { x: pane.x + (pane.width >> 1), y: pane.y + (pane.height >> 1) };
  switch (form) {
    case 'large':
      return { x: middle.x - (glyphWidth(text) >> 1), y: middle.y - (DIGIT_SIZE >> 1) };
    case 'middle':
      return { x: Math.max(pane.x, middle.x - ((width + 1) >> 1)), y: middle.y };
    case 'corner':
      return { x: pane.x + pane.width - width, y: pane.y };
  }
}

/** Columns of a text in large digits, a gap behind each. */
function glyphWidth(text: string): number {
  return text.length * (DIGIT_SIZE + 1);
}
