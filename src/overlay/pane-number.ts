/** The number of a pane, large over its middle, and its size in the corner (display-panes). */
import { type CellStyle, DEFAULT_STYLE } from '../../protocol/cell.ts';
import type { Rect, Size } from '../../protocol/geometry.ts';
import { bigRows, bigWidth, DIGIT_SIZE } from './big-digits.ts';
import { Canvas } from './canvas.ts';
import type { OverlayUpdate, OverlayView } from './overlay.ts';
import { textWidth } from './text-width.ts';

export interface PaneNumberModel {
  readonly kind: 'pane-number';
  readonly text: string;
  /** `large`: as digits of cells if there is room for them; `corner`: plain text at the top right. */
  readonly form: 'large' | 'corner';
  /** The pane on the client's screen, in cells. */
  readonly pane: Rect;
  /** A colour as in a cell's words (mode and value). */
  readonly color: number;
}

/** It takes no keys: whoever shows it does. */
export function updatePaneNumber(model: PaneNumberModel): OverlayUpdate<PaneNumberModel> {
  return { model, outcome: { kind: 'open' } };
}

/** Draws what of it lies on the screen. */
export function viewPaneNumber(model: PaneNumberModel, size: Size): OverlayView {
  const { pane, text } = model;
  const isLarge = model.form === 'large' && pane.width >= bigWidth(text) && pane.height >= DIGIT_SIZE;
  const lines = isLarge ? bigRows(text) : [text];
  const width = Math.min(isLarge ? bigWidth(text) : textWidth(text), pane.width);
  const x = model.form === 'corner' ? pane.x + pane.width - width : pane.x + Math.floor((pane.width - width) / 2);
  const y = model.form === 'corner' ? pane.y : pane.y + Math.floor((pane.height - lines.length) / 2);
  const visible = {
    cols: Math.max(0, Math.min(width, size.cols - x)),
    rows: Math.max(0, Math.min(lines.length, size.rows - y)),
  };
  const canvas = new Canvas(visible);
  const filled: CellStyle = { ...DEFAULT_STYLE, bg: model.color };
  for (const [row, line] of lines.entries()) {
    if (!isLarge) canvas.put({ x: 0, y: row, width }, line, { ...DEFAULT_STYLE, fg: model.color });
    else
      for (const [column, mark] of [...line].entries())
        if (mark === '#') canvas.put({ x: column, y: row }, ' ', filled);
  }
  return { rect: { x, y, width: visible.cols, height: visible.rows }, canvas, cursor: undefined };
}
