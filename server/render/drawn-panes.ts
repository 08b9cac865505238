/**
 * What a client's frame has of each pane, so that output alone is drawn by drawing the rows that it changed. Anything that
 * is not as it was when all of the frame was drawn (layout, modes, messages, the part of the window that is seen) is for
 * a new drawing of all.
 */
import type { CellStyle } from '../../protocol/cell.ts';
import type { Rect } from '../../protocol/geometry.ts';
import type { ClientSession } from '../model/client-session.ts';
import type { Pane } from '../model/pane.ts';
import type { Session } from '../model/session.ts';
import type { Window } from '../model/window.ts';
import type { NextRows } from './frame-pair.ts';
import type { Clip, PanePainter } from './pane-painter.ts';
import type { WindowFit } from './window-fit.ts';

/** One visible pane in the frame. */
export interface DrawnPane {
  readonly pane: Pane;
  /** The pane's own object: a new one is another place. */
  readonly rect: Rect;
  /** Undefined: nothing of it is seen. */
  readonly clip: Clip | undefined;
  readonly colors: CellStyle;
  /** The emulator's stamp when its rows were drawn. */
  stamp: number;
}

export interface DrawnWindow {
  readonly session: Session;
  readonly window: Window;
  readonly fit: WindowFit;
  readonly panes: readonly DrawnPane[];
  /** Nothing but the panes' own screens, borders, titles and status lines was drawn. */
  readonly isPlain: boolean;
}

/** Whether all but the panes' own screens is as it was drawn. */
export function isStillDrawn(drawn: DrawnWindow, client: ClientSession, fit: WindowFit): boolean {
  const { session, window, panes, isPlain } = drawn;
  if (!isPlain) return false;
  if (client.session !== session || session.isEmpty || session.current.window !== window) return false;
  if (client.overlay || client.message || !sameFit(drawn.fit, fit)) return false;
  const visible = window.visiblePanes;
  if (visible.length !== panes.length) return false;
  return panes.every(({ pane, rect }, i) => visible[i] === pane && pane.rect === rect && pane.showsScreen);
}

/** Draws the rows of the panes that changed since they were drawn last; held panes stay as they are. */
export function drawOutput(
  drawn: DrawnWindow,
  rows: NextRows,
  {
    painter,
    isHeld,
    cols,
  }: { readonly painter: PanePainter; readonly isHeld: (pane: Pane) => boolean; readonly cols: number },
): void {
  for (const entry of drawn.panes) {
    const { pane, clip, colors, stamp } = entry;
    const { stamps } = pane.emulator;
    if (!clip || stamps.stamp === stamp || isHeld(pane)) continue;
    const { screen, from } = clip;
    const isWhole = screen.x === 0 && screen.width === cols;
    for (let i = 0; i < screen.height; i++) {
      if (!stamps.hasChanged(from.y + i, stamp)) continue;
      const row = isWhole ? rows.ownRow(screen.y + i) : rows.ownCopy(screen.y + i);
      painter.paintRow(row, i, pane, { clip, width: pane.rect.width, colors });
    }
    entry.stamp = stamps.stamp;
  }
}

function sameFit(a: WindowFit, b: WindowFit): boolean {
  return (
    a.status.y === b.status.y &&
    a.status.lines === b.status.lines &&
    a.offset.x === b.offset.x &&
    a.offset.y === b.offset.y &&
    a.view.y === b.view.y &&
    a.view.width === b.view.width &&
    a.view.height === b.view.height
  );
}
