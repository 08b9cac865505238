/**
 * How cells take and give space. The numbers are tmux 3.3a's to the cell, since layouts are stored, replayed and checked:
 * space is handed out one cell at a time, child after child from the first, and a child that is at its minimum is skipped.
 */
import type { Size } from '../../protocol/geometry.ts';
import {
  type Axis,
  type BorderStatus,
  type CellPath,
  cellAt,
  childStatus,
  findPane,
  type LayoutCell,
  PANE_MINIMUM,
  placeCells,
  replaceCell,
  type SplitCell,
  sizeAlong,
  statusAt,
  withSizeAlong,
} from './layout-cell.ts';

/** By how many cells the cell can shrink along an axis. `status` is the one that matters to this cell (`statusAt`). */
export function spareSize(cell: LayoutCell, axis: Axis, status: BorderStatus): number {
  if (cell.kind === 'leaf') {
    const least = axis === 'column' && status !== 'off' ? PANE_MINIMUM + 1 : PANE_MINIMUM;
    return Math.max(0, sizeAlong(cell, axis) - least);
  }
  const spare = cell.children.map((child, index) => spareSize(child, axis, childStatus(cell, index, status)));
  return cell.kind === axis ? spare.reduce((sum, size) => sum + size, 0) : Math.min(...spare);
}

/** The cell grown (or shrunk, at most by its `spareSize`) along an axis, its children with it. Places are not updated. */
export function adjustCell(cell: LayoutCell, axis: Axis, change: number, status: BorderStatus): LayoutCell {
  if (change === 0) return cell;
  const resized = withSizeAlong(cell, axis, sizeAlong(cell, axis) + change);
  if (resized.kind === 'leaf') return resized;
  const adjustChild = (child: LayoutCell, index: number, by: number) =>
    adjustCell(child, axis, by, childStatus(resized, index, status));
  if (resized.kind !== axis) {
    return { ...resized, children: resized.children.map((child, index) => adjustChild(child, index, change)) };
  }
  const children = [...resized.children];
  const step = Math.sign(change);
  let left = Math.abs(change);
  let moved = true;
  while (left > 0 && moved) {
    moved = false;
    for (const [index, child] of children.entries()) {
      if (left === 0) break;
      if (step < 0 && spareSize(child, axis, childStatus(resized, index, status)) === 0) continue;
      children[index] = adjustChild(child, index, step);
      left--;
      moved = true;
    }
  }
  return { ...resized, children };
}

/**
 * The whole window at another size. A window that cannot shrink that far stays larger than asked (`layoutSize` tells);
 * the server then shows a part of it.
 */
export function resizeLayout(root: LayoutCell, size: Size, status: BorderStatus = 'off'): LayoutCell {
  let cell = root;
  for (const axis of ['row', 'column'] as const) {
    const wanted = (axis === 'row' ? size.cols : size.rows) - sizeAlong(cell, axis);
    cell = adjustCell(cell, axis, Math.max(wanted, -spareSize(cell, axis, status)), status);
  }
  return placeCells(cell);
}

/** The nearest cell, from the pane's upwards, that lies in a parent of this axis. */
function cellWithin(root: LayoutCell, pane: number, axis: Axis): CellPath | undefined {
  const path = findPane(root, pane);
  if (path === undefined) return undefined;
  for (let depth = path.length; depth > 0; depth--) {
    if (cellAt(root, path.slice(0, depth - 1)).kind === axis) return path.slice(0, depth);
  }
  return undefined;
}

/**
 * Moves the border after a pane by `change` cells (`resize-pane -R`/`-D` positive, `-L`/`-U` negative); the last pane's
 * is the border before it. Unchanged if there is no such border or no space.
 */
export function resizePane(
  root: LayoutCell,
  pane: number,
  options: { readonly axis: Axis; readonly change: number; readonly status?: BorderStatus },
): LayoutCell {
  const path = cellWithin(root, pane, options.axis);
  if (path === undefined) return root;
  const siblings = childCount(root, path);
  const index = path.at(-1) ?? 0;
  const moved = index === siblings - 1 ? [...path.slice(0, -1), index - 1] : path;
  return moveBorder(root, moved, { ...options, opposite: true });
}

/** Gives a pane's cell a width (axis row) or height (axis column) in cells, as far as there is space (`resize-pane -x/-y`). */
export function resizePaneTo(
  root: LayoutCell,
  pane: number,
  options: { readonly axis: Axis; readonly size: number; readonly status?: BorderStatus },
): LayoutCell {
  const path = cellWithin(root, pane, options.axis);
  if (path === undefined) return root;
  const grow = options.size - sizeAlong(cellAt(root, path), options.axis);
  const isLast = path.at(-1) === childCount(root, path) - 1;
  return resizePane(root, pane, { ...options, change: isLast ? -grow : grow });
}

function childCount(root: LayoutCell, path: CellPath): number {
  const parent = cellAt(root, path.slice(0, -1));
  return parent.kind === 'leaf' ? 0 : parent.children.length;
}

/**
 * Moves the border after the cell at a path by `change` cells along its parent's axis, taking from one neighbour after
 * the other until all is done or nothing can give. With `opposite`, growing may take from cells before as well (resize-pane
 * does so, dragging with the mouse does not).
 */
export function moveBorder(
  root: LayoutCell,
  path: CellPath,
  options: { readonly change: number; readonly status?: BorderStatus; readonly opposite?: boolean },
): LayoutCell {
  const parentPath = path.slice(0, -1);
  const index = path.at(-1);
  const parent = cellAt(root, parentPath);
  if (index === undefined || parent.kind === 'leaf') return root;
  const status = statusAt(root, parentPath, options.status ?? 'off');
  const spare = (at: number) => {
    const child = parentNow.children[at];
    return child === undefined ? 0 : spareSize(child, parentNow.kind, childStatus(parentNow, at, status));
  };
  let parentNow = parent;
  let left = options.change;
  while (left !== 0) {
    const giver =
      left > 0 ? findGrowGiver(parent, index, spare, options.opposite ?? false) : findBackwards(index, spare);
    const taker = left > 0 ? index : index + 1;
    if (giver === undefined || taker >= parent.children.length) break;
    const size = Math.min(spare(giver), Math.abs(left));
    parentNow = transferSize(parentNow, { giver, taker, size, status });
    left -= Math.sign(left) * size;
  }
  return parentNow === parent ? root : placeCells(replaceCell(root, parentPath, parentNow));
}

function findGrowGiver(
  parent: SplitCell,
  index: number,
  spare: (at: number) => number,
  opposite: boolean,
): number | undefined {
  for (let at = index + 1; at < parent.children.length; at++) if (spare(at) > 0) return at;
  return opposite ? findBackwards(index - 1, spare) : undefined;
}

function findBackwards(from: number, spare: (at: number) => number): number | undefined {
  for (let at = from; at >= 0; at--) if (spare(at) > 0) return at;
  return undefined;
}

function transferSize(
  parent: SplitCell,
  move: { readonly giver: number; readonly taker: number; readonly size: number; readonly status: BorderStatus },
): SplitCell {
  const children = parent.children.map((child, index) => {
    const change = index === move.taker ? move.size : index === move.giver ? -move.size : 0;
    return adjustCell(child, parent.kind, change, childStatus(parent, index, move.status));
  });
  return { ...parent, children };
}

/**
 * Spreads a pane and those beside it evenly (`select-layout -E`): the innermost parent that this changes. Unchanged where
 * a cell among them cannot shrink to its share (tmux never comes back from that).
 */
export function spreadPane(root: LayoutCell, pane: number, status: BorderStatus = 'off'): LayoutCell {
  const path = findPane(root, pane) ?? [];
  for (let depth = path.length - 1; depth >= 0; depth--) {
    const parentPath = path.slice(0, depth);
    const parent = cellAt(root, parentPath);
    if (parent.kind === 'leaf') continue;
    const spread = spreadChildren(parent, statusAt(root, parentPath, status));
    if (spread === undefined) return root;
    if (spread !== parent) return placeCells(replaceCell(root, parentPath, spread));
  }
  return root;
}

/**
 * The parent with its children at even sizes, the last one taking the remainder; the same object if nothing changes or
 * there is not a cell for each, undefined if a child cannot shrink that far.
 */
export function spreadChildren(parent: SplitCell, status: BorderStatus): SplitCell | undefined {
  const count = parent.children.length;
  const lost = parent.kind === 'column' && status !== 'off' ? 1 : 0;
  const size = sizeAlong(parent, parent.kind) - lost;
  if (count <= 1 || size < count - 1) return parent;
  const each = Math.floor((size - (count - 1)) / count);
  if (each === 0) return parent;
  const last = size - (each + 1) * (count - 1);
  const changes = parent.children.map((child, index) => {
    const reached = childStatus(parent, index, status);
    const extra = parent.kind === 'column' && reached !== 'off' ? 1 : 0;
    return (index === count - 1 ? last : each) + extra - sizeAlong(child, parent.kind);
  });
  const blocked = changes.some((change, index) => {
    const child = cellAt(parent, [index]);
    return -change > spareSize(child, parent.kind, childStatus(parent, index, status));
  });
  if (blocked) return undefined;
  if (changes.every((change) => change === 0)) return parent;
  const children = parent.children.map((child, index) =>
    adjustCell(child, parent.kind, changes[index] ?? 0, childStatus(parent, index, status)),
  );
  return { ...parent, children };
}
