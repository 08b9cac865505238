/** Copies what panes show into a frame, clipped to the part of the window that the client sees. */
import {
  blankRow,
  CELL_WORDS,
  type CellStyle,
  COLOR_MASK,
  copyCells,
  type Row,
  rowColumns,
} from '../../protocol/cell.ts';
import type { Frame } from '../../protocol/frame.ts';
import type { Rect } from '../../protocol/geometry.ts';
import type { WindowFit } from './window-fit.ts';

/** The part of a rectangle of the window that is seen: where on the screen, and from which of its cells on. */
export interface Clip {
  /** In cells of the client's terminal. */
  readonly screen: Rect;
  /** First cell of the rectangle that is seen. */
  readonly from: { readonly x: number; readonly y: number };
}

/** Undefined if nothing of the rectangle is seen. */
export function clipToView(rect: Rect, fit: WindowFit): Clip | undefined {
  const { view, offset } = fit;
  const x0 = Math.max(rect.x, offset.x);
  const y0 = Math.max(rect.y, offset.y);
  const x1 = Math.min(rect.x + rect.width, offset.x + view.width);
  const y1 = Math.min(rect.y + rect.height, offset.y + view.height);
  if (x1 <= x0 || y1 <= y0) return undefined;
  return {
    screen: { x: x0 - offset.x + view.x, y: y0 - offset.y + view.y, width: x1 - x0, height: y1 - y0 },
    from: { x: x0 - rect.x, y: y0 - rect.y },
  };
}

/** Anything that gives rows of a fixed width. */
export interface RowSource {
  drawRow(y: number, into: Row): void;
}

/** Where a source is drawn. */
export interface PaintPlace {
  readonly clip: Clip;
  /** Of the source, in cells. */
  readonly width: number;
  readonly colors: CellStyle;
}

/** Draws sources of rows; keeps the one row that they are drawn into before they are clipped. */
export class PanePainter {
  #scratch: Row = blankRow(0);

  /** Draws what is seen of a source that is `width` cells wide. `colors` stand for its default colours. */
  paint(frame: Frame, source: RowSource, place: PaintPlace): void {
    const { screen } = place.clip;
    for (let i = 0; i < screen.height; i++) {
      const row = frame.rows[screen.y + i];
      if (row) this.paintRow(row, i, source, place);
    }
  }

  /** Draws line `i` of what is seen into a row of the frame. */
  paintRow(row: Row, i: number, source: RowSource, { clip, width, colors }: PaintPlace): void {
    const { screen, from } = clip;
    if (screen.x === 0 && screen.width === width && width === rowColumns(row)) source.drawRow(from.y + i, row);
    else {
      if (rowColumns(this.#scratch) !== width) this.#scratch = blankRow(width);
      source.drawRow(from.y + i, this.#scratch);
      copyCells(this.#scratch, from.x, row, screen.x, screen.width);
    }
    replaceDefaultColors(row, { start: screen.x, count: screen.width }, colors);
  }
}

/** Copies a rectangle of one frame into the same place of another. */
export function copyRect(from: Frame, to: Frame, rect: Rect): void {
  for (let y = rect.y; y < rect.y + rect.height; y++) {
    const [source, target] = [from.rows[y], to.rows[y]];
    if (source && target) copyCells(source, rect.x, target, rect.x, rect.width);
  }
}

/** Gives cells that have no colour of their own those of a style (options window-style, window-active-style). */
function replaceDefaultColors(row: Row, span: { start: number; count: number }, colors: CellStyle): void {
  const fg = colors.fg & COLOR_MASK;
  const bg = colors.bg & COLOR_MASK;
  if (fg === 0 && bg === 0) return;
  const { words } = row;
  const end = (span.start + span.count) * CELL_WORDS;
  for (let at = span.start * CELL_WORDS; at < end; at += CELL_WORDS) {
    const ownFg = words[at + 1] ?? 0;
    const ownBg = words[at + 2] ?? 0;
    if ((ownFg & COLOR_MASK) === 0) words[at + 1] = ownFg | fg;
    if ((ownBg & COLOR_MASK) === 0) words[at + 2] = ownBg | bg;
  }
}
