/** What can be pressed next, in columns along an edge of the screen. It takes no event: keys go where they went. */
import { BG_DIM, FG_BOLD } from '../../protocol/cell.ts';
import type { Size } from '../../protocol/geometry.ts';
import { Canvas } from './canvas.ts';
import { fitText } from './dialog-box.ts';
import type { OverlayView } from './overlay.ts';
import type { PromptPlace } from './prompt.ts';
import { textWidth } from './text-width.ts';
import { visibleText } from './visible-text.ts';

export interface KeyHint {
  readonly key: string;
  readonly text: string;
}

export interface KeyHintsModel {
  readonly kind: 'key-hints';
  readonly title: string;
  /** The more important first. */
  readonly hints: readonly KeyHint[];
  /** What to press for all of them, where some do not fit. */
  readonly moreHint: string;
  /** The row of the status line; the box stands beside it. */
  readonly place: PromptPlace;
}

/** Columns of one hint: at least, and at most. */
const COLUMN_MIN = 26;
const COLUMN_MAX = 40;
/** Share of the screen's rows that hints take at most. */
const HEIGHT_SHARE = 2 / 3;

export function viewKeyHints(model: KeyHintsModel, size: Size): OverlayView {
  const inner = Math.max(1, size.cols - 2);
  const columns = Math.max(1, Math.floor(inner / COLUMN_MIN));
  const width = Math.min(COLUMN_MAX, Math.floor(inner / columns));
  const rows = Math.max(1, Math.floor(size.rows * HEIGHT_SHARE) - 2);
  const height = Math.min(rows, Math.ceil(model.hints.length / columns));
  const isCut = height * columns < model.hints.length;
  const shown = model.hints.slice(0, height * columns);
  const canvas = new Canvas({ cols: size.cols, rows: height + 2 });
  drawEdges(canvas, model, isCut ? model.hints.length - shown.length : 0);
  for (let column = 0; column < columns; column++) {
    const hints = shown.slice(column * height, (column + 1) * height);
    drawColumn(canvas, hints, { x: 1 + column * width, width: width - 1 });
  }
  const line = Math.min(model.place.line + 1, Math.max(0, size.rows - 1));
  const y = model.place.edge === 'top' ? line : Math.max(0, size.rows - line - canvas.size.rows);
  return { rect: { x: 0, y, width: size.cols, height: canvas.size.rows }, canvas, cursor: undefined };
}

function drawColumn(
  canvas: Canvas,
  hints: readonly KeyHint[],
  { x, width }: { readonly x: number; readonly width: number },
): void {
  const keyWidth = hints.reduce((most, { key }) => Math.max(most, textWidth(visibleText(key))), 0);
  const room = Math.max(0, width - keyWidth - 1);
  for (const [at, { key, text }] of hints.entries()) {
    canvas.put({ x, y: 1 + at, width }, visibleText(key), { fg: FG_BOLD, bg: 0 });
    canvas.put({ x: x + keyWidth + 1, y: 1 + at, width: room }, fitText(visibleText(text), room));
  }
}

function drawEdges(canvas: Canvas, { title, moreHint }: KeyHintsModel, more: number): void {
  const { cols, rows } = canvas.size;
  const edge = '─'.repeat(cols);
  const style = { fg: 0, bg: BG_DIM };
  canvas.put({ x: 0, y: 0 }, edge, style);
  canvas.put({ x: 0, y: rows - 1 }, edge, style);
  canvas.put({ x: 1, y: 0 }, fitText(` ${visibleText(title)} `, Math.max(0, cols - 2)), { fg: FG_BOLD, bg: 0 });
  if (more > 0)
    canvas.put(
      { x: 1, y: rows - 1 },
      fitText(` ${more} more: ${visibleText(moreHint)} `, Math.max(0, cols - 2)),
      style,
    );
}
