/** How a window and the status lines share a client's terminal, and which part of a window that is too large is seen. */
import type { Point, Rect, Size } from '../../protocol/geometry.ts';
import type { ClientSession } from '../model/client-session.ts';
import type { Session } from '../model/session.ts';
import type { Window } from '../model/window.ts';
import { statusLines } from '../model/window-size.ts';

/** What the fit depends on. */
export interface FitInput {
  readonly client: Size;
  readonly window: Size;
  /** 0 to 5 (model/window-size.ts statusLines). */
  readonly statusLines: number;
  readonly statusPosition: 'top' | 'bottom';
  /** The active pane's cursor in the window; undefined while the program hides it. */
  readonly cursor: Point | undefined;
  /** The corner that refresh-client -U -D -L -R chose; undefined: the cursor decides. */
  readonly pan: Point | undefined;
}

/** Where things are on a client's terminal, in cells. */
export interface WindowFit {
  /** First row and number of the status lines. */
  readonly status: { readonly y: number; readonly lines: number };
  /** What is left for the window. */
  readonly view: Rect;
  /** The cell of the window that is at the view's top left. */
  readonly offset: Point;
}

/** Shares the terminal out. A terminal with no row left for the window has no status lines, as in tmux. */
export function fitWindow(input: FitInput): WindowFit {
  const { client, window } = input;
  const lines = client.rows <= input.statusLines ? 0 : input.statusLines;
  const rows = client.rows - lines;
  const isTop = input.statusPosition === 'top';
  const view = { x: 0, y: isTop ? lines : 0, width: client.cols, height: rows };
  const offset = {
    x: offsetAlong(window.cols, view.width, { cursor: input.cursor?.x, pan: input.pan?.x }),
    y: offsetAlong(window.rows, view.height, { cursor: input.cursor?.y, pan: input.pan?.y }),
  };
  return { status: { y: isTop ? 0 : rows, lines }, view, offset };
}

/** How a session's window stands on the terminal of a client now. */
export function fitClient(client: ClientSession, session: Session, window: Window): WindowFit {
  const { rect } = window.active;
  const cursor = window.active.cursor();
  return fitWindow({
    client: client.size,
    window: window.size,
    statusLines: statusLines(session),
    statusPosition: session.options.choice('status-position') === 'top' ? 'top' : 'bottom',
    cursor: cursor.visible ? { x: rect.x + cursor.x, y: rect.y + cursor.y } : undefined,
    pan: client.pan?.window === window ? client.pan : undefined,
  });
}

/** A cursor in the first screenful shows the start, one in the last the end, any other is put in the middle. */
function offsetAlong(
  length: number,
  seen: number,
  at: { readonly cursor: number | undefined; readonly pan: number | undefined },
): number {
  const last = length - seen;
  if (last <= 0) return 0;
  if (at.pan !== undefined) return Math.min(Math.max(0, at.pan), last);
  if (at.cursor === undefined || at.cursor < seen) return 0;
  return at.cursor > last ? last : at.cursor - Math.floor(seen / 2);
}

/** The window's cell under a cell of the terminal; undefined on the status lines. It may lie outside the window. */
export function windowPoint(fit: WindowFit, point: Point): Point | undefined {
  const x = point.x - fit.view.x;
  const y = point.y - fit.view.y;
  if (x < 0 || y < 0 || x >= fit.view.width || y >= fit.view.height) return undefined;
  return { x: x + fit.offset.x, y: y + fit.offset.y };
}
