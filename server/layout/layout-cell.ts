/**
 * The tree of cells that a window is cut into, as a value: every operation returns a new tree.
 *
 * A leaf shows one pane. A row holds its children left to right (`{…}` in a layout string), a column top to bottom
 * (`[…]`). Neighbouring children are one border cell apart, so a row of widths a, b, c is a+1+b+1+c wide, and all are as
 * high as the row. Children of a row may be rows (closing a pane leaves them so); they are not merged, since the sizes
 * that later operations give depend on the nesting.
 */
import { contains, type Point, type Rect, type Size } from '../../protocol/geometry.ts';

/** The direction in which children lie: a row left to right, a column top to bottom. */
export type Axis = 'row' | 'column';

export interface LeafCell {
  readonly kind: 'leaf';
  /** The pane's number, the `3` of `%3`. */
  readonly pane: number;
  readonly rect: Rect;
}

export interface SplitCell {
  readonly kind: Axis;
  readonly children: readonly LayoutCell[];
  readonly rect: Rect;
}

export type LayoutCell = LeafCell | SplitCell;

/** Where `pane-border-status` puts its row; panes at that edge of the window are one row shorter than their cell. */
export type BorderStatus = 'off' | 'top' | 'bottom';

/** The way from the root to a cell: the index of the child to take at each level. */
export type CellPath = readonly number[];

/** A pane is never narrower or lower than this many cells. */
export const PANE_MINIMUM = 1;

/** A window with one pane. */
export function singleLayout(pane: number, size: Size): LeafCell {
  return { kind: 'leaf', pane, rect: { x: 0, y: 0, width: size.cols, height: size.rows } };
}

/** The size of the whole tree, which is the window's. */
export function layoutSize(root: LayoutCell): Size {
  return { cols: root.rect.width, rows: root.rect.height };
}

/** The cell's extent in cells along an axis: its width for a row, its height for a column. */
export function sizeAlong(cell: LayoutCell, axis: Axis): number {
  return axis === 'row' ? cell.rect.width : cell.rect.height;
}

/** The same cell with another extent along an axis; its children keep theirs. */
export function withSizeAlong<T extends LayoutCell>(cell: T, axis: Axis, size: number): T {
  const rect = axis === 'row' ? { ...cell.rect, width: size } : { ...cell.rect, height: size };
  return { ...cell, rect };
}

/**
 * The border status that matters to a child: it reaches the cells at the window's edge only. Passing it down from the
 * root takes the place of asking each cell whether it touches that edge.
 */
export function childStatus(parent: SplitCell, index: number, status: BorderStatus): BorderStatus {
  if (status === 'off' || parent.kind === 'row') return status;
  const edge = status === 'top' ? 0 : parent.children.length - 1;
  return index === edge ? status : 'off';
}

/** Leaves in depth-first order, which is the order of the window's panes. */
export function leaves(cell: LayoutCell): LeafCell[] {
  return cell.kind === 'leaf' ? [cell] : cell.children.flatMap(leaves);
}

/** Pane numbers in the order of the leaves. */
export function panesOf(cell: LayoutCell): number[] {
  return leaves(cell).map((leaf) => leaf.pane);
}

/** The way to a pane's leaf, or undefined if the pane is not in this tree. */
export function findPane(cell: LayoutCell, pane: number): CellPath | undefined {
  if (cell.kind === 'leaf') return cell.pane === pane ? [] : undefined;
  for (const [index, child] of cell.children.entries()) {
    const path = findPane(child, pane);
    if (path !== undefined) return [index, ...path];
  }
  return undefined;
}

/** The cell at a path. Throws a RangeError for a path that leads nowhere: paths come from this tree. */
export function cellAt(root: LayoutCell, path: CellPath): LayoutCell {
  let cell = root;
  for (const index of path) {
    const child = cell.kind === 'leaf' ? undefined : cell.children[index];
    if (child === undefined) throw new RangeError(`no cell at ${path.join('.')}`);
    cell = child;
  }
  return cell;
}

/** The border status as it matters to the cell at a path. */
export function statusAt(root: LayoutCell, path: CellPath, status: BorderStatus): BorderStatus {
  let cell = root;
  let reached = status;
  for (const index of path) {
    if (cell.kind === 'leaf') return reached;
    reached = childStatus(cell, index, reached);
    cell = cellAt(cell, [index]);
  }
  return reached;
}

/** The tree with the cell at a path replaced; rectangles elsewhere are left alone (see `placeCells`). */
export function replaceCell(root: LayoutCell, path: CellPath, cell: LayoutCell): LayoutCell {
  const [index, ...rest] = path;
  if (index === undefined) return cell;
  if (root.kind === 'leaf') throw new RangeError(`no cell at ${path.join('.')}`);
  return {
    ...root,
    children: root.children.map((child, at) => (at === index ? replaceCell(child, rest, cell) : child)),
  };
}

/** Whether children and their borders fill each parent exactly and no leaf is below the minimum. */
export function isSound(cell: LayoutCell): boolean {
  if (cell.kind === 'leaf') return cell.rect.width >= PANE_MINIMUM && cell.rect.height >= PANE_MINIMUM;
  const across = cell.kind === 'row' ? 'column' : 'row';
  const along = cell.children.reduce((sum, child) => sum + sizeAlong(child, cell.kind) + 1, -1);
  return (
    along === sizeAlong(cell, cell.kind) &&
    cell.children.every((child) => sizeAlong(child, across) === sizeAlong(cell, across) && isSound(child))
  );
}

/** Gives every cell its place from its size: the root goes to x, y, children follow one border cell apart. */
export function placeCells(cell: LayoutCell, x = 0, y = 0): LayoutCell {
  const rect = { ...cell.rect, x, y };
  if (cell.kind === 'leaf') return { ...cell, rect };
  let next = cell.kind === 'row' ? x : y;
  const children = cell.children.map((child) => {
    const placed = cell.kind === 'row' ? placeCells(child, next, y) : placeCells(child, x, next);
    next += sizeAlong(child, cell.kind) + 1;
    return placed;
  });
  return { ...cell, children, rect };
}

/** The tree with every pane number passed through a function. */
export function mapPanes(cell: LayoutCell, change: (pane: number) => number): LayoutCell {
  if (cell.kind === 'leaf') return { ...cell, pane: change(cell.pane) };
  return { ...cell, children: cell.children.map((child) => mapPanes(child, change)) };
}

/** Two panes change places (swap-pane). A pane that is not in this tree takes the other's place (swap with a window). */
export function swapPanes(root: LayoutCell, a: number, b: number): LayoutCell {
  return mapPanes(root, (pane) => (pane === a ? b : pane === b ? a : pane));
}

/** Puts panes into the leaves in order (rotate-window, select-layout). Leaves beyond the list keep their number. */
export function assignPanes(root: LayoutCell, panes: readonly number[]): LayoutCell {
  let next = 0;
  return mapPanes(root, (pane) => panes[next++] ?? pane);
}

/** Where a pane draws: its cell, less the row that `pane-border-status` takes at the window's edge. */
export function paneRect(root: LayoutCell, pane: number, status: BorderStatus = 'off'): Rect | undefined {
  const path = findPane(root, pane);
  return path === undefined ? undefined : insideStatus(cellAt(root, path).rect, statusAt(root, path, status));
}

/** Every pane's rectangle, in the order of the leaves (see `paneRect`). */
export function paneRects(root: LayoutCell, status: BorderStatus = 'off'): Map<number, Rect> {
  const rects = new Map<number, Rect>();
  const walk = (cell: LayoutCell, reached: BorderStatus): void => {
    if (cell.kind === 'leaf') rects.set(cell.pane, insideStatus(cell.rect, reached));
    else for (const [index, child] of cell.children.entries()) walk(child, childStatus(cell, index, reached));
  };
  walk(root, status);
  return rects;
}

/** A cell of one row has none to spare for a status: the pane keeps it (in tmux it has no rows then). */
function insideStatus(rect: Rect, status: BorderStatus): Rect {
  if (status === 'off' || rect.height <= PANE_MINIMUM) return rect;
  return { ...rect, y: status === 'top' ? rect.y + 1 : rect.y, height: rect.height - 1 };
}

/** The pane whose cell holds a point, or undefined on a border or outside. */
export function paneAt(root: LayoutCell, point: Point): number | undefined {
  return leaves(root).find((leaf) => contains(leaf.rect, point))?.pane;
}

/** The way to the cell just before the border at a point (left of it or above it), or undefined off every border. */
export function borderAt(root: LayoutCell, point: Point): CellPath | undefined {
  if (root.kind === 'leaf' || !contains(root.rect, point)) return undefined;
  const place = root.kind === 'row' ? point.x : point.y;
  for (const [index, child] of root.children.entries()) {
    const start = root.kind === 'row' ? child.rect.x : child.rect.y;
    const end = start + sizeAlong(child, root.kind);
    if (place < end) {
      const path = borderAt(child, point);
      return path === undefined ? undefined : [index, ...path];
    }
    if (place === end && index < root.children.length - 1) return [index];
  }
  return undefined;
}
