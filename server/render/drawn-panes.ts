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

/** Stamp of a pane none of whose rows are known to be in the frame. */
export const NEVER_DRAWN = -1;

/** One visible pane in the frame. */
export interface DrawnPane {
  readonly pane: Pane;
  /** The pane's own object: a new one is another place. */
  readonly rect: Rect;
  /** Undefined: nothing of it is seen. */
  readonly clip: Clip | undefined;
  readonly colors: CellStyle;
  /** The emulator's stamp when its rows were drawn. */
  readonly stamp: number;
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

/**
 * Draws the rows of the panes that changed since they were drawn last; held panes stay as they are. Gives what is drawn
 * then.
 */
export function drawOutput(
  drawn: DrawnWindow,
  rows: NextRows,
  {
    painter,
    isHeld,
    cols,
  }: { readonly painter: PanePainter; readonly isHeld: (pane: Pane) => boolean; readonly cols: number },
): DrawnWindow {
  const panes = drawn.panes.map((entry) => {
    const { pane, clip, colors, stamp } = entry;
    const { stamps } = pane.emulator;
    if (isCurrent(entry, isHeld) || !clip) return entry;
    const { screen, from } = clip;
    const isWhole = screen.x === 0 && screen.width === cols;
    for (let i = 0; i < screen.height; i++) {
      if (!stamps.hasChanged(from.y + i, stamp)) continue;
      const row = isWhole ? rows.ownRow(screen.y + i) : rows.ownCopy(screen.y + i);
      painter.paintRow(row, i, pane, { clip, width: pane.rect.width, colors });
    }
    return { ...entry, stamp: stamps.stamp };
  });
  return { ...drawn, panes };
}

/** Whether drawing output would change nothing. */
export function isUpToDate(drawn: DrawnWindow, isHeld: (pane: Pane) => boolean): boolean {
  return drawn.panes.every((entry) => isCurrent(entry, isHeld));
}

function isCurrent({ pane, clip, stamp }: DrawnPane, isHeld: (pane: Pane) => boolean): boolean {
  return !clip || pane.emulator.stamps.stamp === stamp || isHeld(pane);
}

/** Whether two clients show the same, if the cells of their frames are the same now, and will do so after more output. */
export function isSameDrawing(a: DrawnWindow, b: DrawnWindow): boolean {
  if (a.session !== b.session || a.window !== b.window || !a.isPlain || !b.isPlain || !sameFit(a.fit, b.fit))
    return false;
  return (
    a.panes.length === b.panes.length &&
    a.panes.every(({ pane, rect, colors, stamp }, i) => {
      const other = b.panes[i];
      return other?.pane === pane && other.rect === rect && other.stamp === stamp && sameColors(other.colors, colors);
    })
  );
}

/** Whether two panes have the same default colours. */
export function sameColors(a: CellStyle, b: CellStyle): boolean {
  return a.fg === b.fg && a.bg === b.bg;
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
