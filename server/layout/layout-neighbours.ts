/** Which panes lie beside a pane (`{left-of}`, `select-pane -L`), round the window's edge as well. */
import type { Rect } from '../../protocol/geometry.ts';
import { type BorderStatus, type LayoutCell, paneRects } from './layout-cell.ts';

export type Direction = 'left' | 'right' | 'up' | 'down';

/**
 * Panes that touch a pane's side in the given direction, in the order of the leaves; at the window's edge those at the
 * opposite edge. `order` overrides the order (the window's own list of panes). Pick the one used last (tmux does).
 */
export function neighbours(
  root: LayoutCell,
  pane: number,
  direction: Direction,
  options: { readonly status?: BorderStatus; readonly order?: readonly number[] } = {},
): number[] {
  const status = options.status ?? 'off';
  const rects = paneRects(root, status);
  const own = rects.get(pane);
  if (own === undefined) return [];
  const edge = facingEdge(own, direction, root.rect, status);
  return (options.order ?? [...rects.keys()]).filter((other) => {
    const rect = rects.get(other);
    if (rect === undefined || other === pane) return false;
    const horizontal = direction === 'left' || direction === 'right';
    const overlap = horizontal
      ? overlaps([own.y, own.y + own.height], [rect.y, rect.y + rect.height - 1])
      : overlaps([own.x, own.x + own.width], [rect.x, rect.x + rect.width - 1]);
    return overlap && nearEdge(rect, direction) === edge;
  });
}

/** The neighbour that was used last; ties go to the first. `usedAt` grows with use. */
export function neighbour(
  root: LayoutCell,
  pane: number,
  direction: Direction,
  options: {
    readonly usedAt: (pane: number) => number;
    readonly status?: BorderStatus;
    readonly order?: readonly number[];
  },
): number | undefined {
  const found = neighbours(root, pane, direction, options);
  return found.reduce<number | undefined>(
    (best, next) => (best === undefined || options.usedAt(next) > options.usedAt(best) ? next : best),
    undefined,
  );
}

/** The coordinate at which a neighbour must begin (right, down) or just have ended with its border (left, up). */
function facingEdge(own: Rect, direction: Direction, window: Rect, status: BorderStatus): number {
  switch (direction) {
    case 'left':
      return own.x === 0 ? window.width + 1 : own.x;
    case 'right':
      return own.x + own.width + 1 >= window.width ? 0 : own.x + own.width + 1;
    case 'up': {
      const top = status === 'top' ? 1 : 0;
      return own.y === top ? window.height + (status === 'bottom' ? 0 : 1) : own.y;
    }
    case 'down': {
      const edge = own.y + own.height + 1;
      const limit = status === 'bottom' ? window.height - 1 : window.height;
      return edge >= limit ? (status === 'top' ? 1 : 0) : edge;
    }
  }
}

function nearEdge(rect: Rect, direction: Direction): number {
  switch (direction) {
    case 'left':
      return rect.x + rect.width + 1;
    case 'right':
      return rect.x;
    case 'up':
      return rect.y + rect.height + 1;
    case 'down':
      return rect.y;
  }
}

/** Whether two stretches share a cell; the first one's end counts its border, so a corner touch on that side is enough. */
function overlaps([from, to]: readonly [number, number], [start, end]: readonly [number, number]): boolean {
  return start <= to && end >= from;
}
