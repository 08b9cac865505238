/** Lays overlays on a frame; the table of all kinds of overlay. */
import type { Row } from '../../protocol/cell.ts';
import { copyCells } from '../../protocol/cell.ts';
import type { Cursor, Frame } from '../../protocol/frame.ts';
import { HIDDEN_CURSOR } from '../../protocol/frame.ts';
import type { Size } from '../../protocol/geometry.ts';
import { contains } from '../../protocol/geometry.ts';
import { clearCutHalves } from './canvas.ts';
import { viewChoice } from './choice.ts';
import { viewFilterList } from './filter-list.ts';
import { viewFlowScreen } from './flow-screen.ts';
import { viewKeyHints } from './key-hints.ts';
import { viewMenu } from './menu.ts';
import { viewMessage } from './message-box.ts';
import type { OverlayModel, OverlayView } from './overlay.ts';
import { viewPaneNumber } from './pane-number.ts';
import { viewPrompt } from './prompt.ts';

/** Draws any overlay for a screen of `size`. */
export function viewOverlay(model: OverlayModel, size: Size): OverlayView {
  switch (model.kind) {
    case 'choice':
      return viewChoice(model, size);
    case 'filter-list':
      return viewFilterList(model, size);
    case 'key-hints':
      return viewKeyHints(model, size);
    case 'menu':
      return viewMenu(model, size);
    case 'message':
      return viewMessage(model, size);
    case 'pane-number':
      return viewPaneNumber(model, size);
    case 'prompt':
      return viewPrompt(model, size);
    case 'flow':
      return viewFlowScreen(model, size);
  }
}

/**
 * A copy of the frame with the overlays on top, later ones above earlier ones. The cursor is that of the uppermost
 * overlay; a wide character that an overlay would cut in half becomes blank.
 */
export function composite(frame: Frame, overlays: readonly OverlayModel[]): Frame {
  const result: Frame = { ...frame, rows: frame.rows.map(copyRow) };
  for (const model of overlays) {
    const view = viewOverlay(model, frame.size);
    lay(result, view);
    result.cursor = cursorOver(result, view);
  }
  return result;
}

function cursorOver(frame: Frame, { rect, cursor }: OverlayView): Cursor {
  if (!cursor) return contains(rect, frame.cursor) ? HIDDEN_CURSOR : frame.cursor;
  return cursor.x < frame.size.cols && cursor.y < frame.size.rows ? cursor : HIDDEN_CURSOR;
}

function lay(frame: Frame, { rect, canvas, isSolid }: OverlayView): void {
  for (const [y, from] of canvas.rows.entries()) {
    const to = frame.rows[rect.y + y];
    const width = Math.min(canvas.size.cols, frame.size.cols - rect.x);
    if (!to || rect.y + y < 0 || width <= 0) continue;
    for (const { x, length } of solidRuns(width, isSolid && ((column) => isSolid(column, y)))) {
      clearCutHalves(to, rect.x + x, length);
      copyCells(from, x, to, rect.x + x, length);
    }
  }
}

/** The runs of columns that are drawn. */
function solidRuns(width: number, isSolid?: (x: number) => boolean): { readonly x: number; readonly length: number }[] {
  if (!isSolid) return [{ x: 0, length: width }];
  const runs: { x: number; length: number }[] = [];
  for (let x = 0; x < width; x++) {
    const last = runs.at(-1);
    if (!isSolid(x)) continue;
    if (last && last.x + last.length === x) last.length += 1;
    else runs.push({ x, length: 1 });
  }
  return runs;
}

function copyRow(row: Row): Row {
  return {
    words: row.words.slice(),
    clusters: row.clusters && new Map(row.clusters),
    extended: row.extended && new Map(row.extended),
  };
}
