/** Cutting a cell in two and closing one again. The numbers are tmux 3.3a's to the cell. */
import {
  type Axis,
  type BorderStatus,
  type CellPath,
  cellAt,
  childStatus,
  findPane,
  isSound,
  type LayoutCell,
  type LeafCell,
  PANE_MINIMUM,
  placeCells,
  replaceCell,
  type SplitCell,
  sizeAlong,
  statusAt,
  withSizeAlong,
} from './layout-cell.ts';
import { adjustCell, spareSize } from './layout-resize.ts';

/** What split-window says when `splitPane` gives nothing. */
export const NO_SPACE = 'no space for new pane';

export interface SplitOptions {
  /** `row` puts the new pane beside (`-h`), `column` below (`-v`). */
  readonly axis: Axis;
  /** The new pane's size along the axis in cells; half of what there is if absent. */
  readonly size?: number | undefined;
  /** The new pane goes left of or above the old one (`-b`). */
  readonly before?: boolean | undefined;
  /** The new pane spans the whole window (`-f`); the pane's own cell does not matter. */
  readonly full?: boolean | undefined;
  readonly status?: BorderStatus | undefined;
}

/** Splits a pane's cell for a new pane; undefined if there is no space or no such pane. */
export function splitPane(
  root: LayoutCell,
  pane: number,
  newPane: number,
  options: SplitOptions,
): LayoutCell | undefined {
  const path = options.full ? [] : findPane(root, pane);
  if (path === undefined) return undefined;
  const { axis, before = false } = options;
  const status = statusAt(root, path, options.status ?? 'off');
  const target = cellAt(root, path);
  const sizes = splitSizes(sizeAlong(target, axis), { axis, status, before, size: options.size });
  if (sizes === undefined) return undefined;
  if (options.full && !canSetSize(target, axis, sizes.kept, status)) return undefined;
  const rect = { ...target.rect, x: 0, y: 0 };
  const added: LeafCell = withSizeAlong({ kind: 'leaf', pane: newPane, rect }, axis, sizes.added);
  const kept = withSizeAlong(target, axis, sizes.kept);

  if (!options.full) return placeCells(insertBeside(root, path, { kept, added, axis, before }));
  const split =
    target.kind === axis
      ? appendFull(target, fitChildren(kept, status), { added, before })
      : fitParts(insertBeside(root, path, { kept, added, axis, before }), added, status);
  // Scaling can leave less than nothing for the last cells; tmux breaks there, here there is no space.
  return isSound(split) ? placeCells(split) : undefined;
}

/** The old root's children, scaled, with the new leaf at one end of them. */
function appendFull(
  root: SplitCell,
  resized: LayoutCell,
  { added, before }: { added: LeafCell; before: boolean },
): LayoutCell {
  if (resized.kind === 'leaf') return root;
  const children = before ? [added, ...resized.children] : [...resized.children, added];
  return { ...root, children };
}

/** The new root's two parts, the old tree scaled to the size it has now. */
function fitParts(root: LayoutCell, added: LeafCell, status: BorderStatus): LayoutCell {
  if (root.kind === 'leaf') return root;
  const children = root.children.map((child, index) =>
    child === added ? child : fitChildren(child, childStatus(root, index, status)),
  );
  return { ...root, children };
}

/** How much of the cell stays and how much the new pane gets, in cells; undefined if there is no space. */
function splitSizes(
  whole: number,
  options: { axis: Axis; status: BorderStatus; before: boolean; size: number | undefined },
): { kept: number; added: number } | undefined {
  const extra = options.axis === 'column' && options.status !== 'off' ? 1 : 0;
  if (whole < PANE_MINIMUM * 2 + 1 + extra) return undefined;
  const { size, before } = options;
  const wanted = size === undefined ? Math.floor((whole + 1) / 2) - 1 : before ? whole - size - 1 : size;
  // A new pane in front that asks for more than there is gets the least, as in tmux, whose sizes have no sign.
  const second = wanted < 0 ? whole - 2 : Math.max(PANE_MINIMUM, Math.min(wanted, whole - 2));
  const first = whole - 1 - second;
  return before ? { kept: second, added: first } : { kept: first, added: second };
}

/** Puts a leaf beside the cell at a path: into its parent if that has the axis, else into a new parent for the two. */
function insertBeside(
  root: LayoutCell,
  path: CellPath,
  { kept, added, axis, before }: { kept: LayoutCell; added: LeafCell; axis: Axis; before: boolean },
): LayoutCell {
  const pair = before ? [added, kept] : [kept, added];
  const parentPath = path.slice(0, -1);
  const index = path.at(-1);
  const parent = cellAt(root, parentPath);
  if (index !== undefined && parent.kind === axis) {
    return replaceCell(root, parentPath, { ...parent, children: parent.children.toSpliced(index, 1, ...pair) });
  }
  return replaceCell(root, path, { kind: axis, children: pair, rect: cellAt(root, path).rect });
}

/**
 * The size a child gets when its parent's extent goes from `previous` to `size`: its share, rounded down, but so that each
 * child after it can still have a cell and a border; the last takes what is left.
 */
function scaledSize(
  child: LayoutCell,
  share: {
    axis: Axis;
    previous: number;
    size: number;
    countLeft: number;
    sizeLeft: number;
    status: BorderStatus;
  },
): number {
  if (share.countLeft === 1) return share.sizeLeft;
  const own = sizeAlong(child, share.axis);
  const needed = own - spareSize(child, share.axis, share.status);
  const reserve = Math.max((PANE_MINIMUM + 1) * (share.countLeft - 1), needed);
  const most = share.sizeLeft - reserve;
  const scaled = Math.floor((own * share.size) / share.previous);
  // tmux computes `most` without a sign: below zero it is no limit at all.
  return Math.max(PANE_MINIMUM, most >= 0 ? Math.min(scaled, most) : scaled);
}

/** Whether a cell and all within it can have `size` along an axis by scaling. */
function canSetSize(cell: LayoutCell, axis: Axis, size: number, status: BorderStatus): boolean {
  if (cell.kind === 'leaf') return size >= PANE_MINIMUM;
  const count = cell.children.length;
  if (cell.kind !== axis) {
    return cell.children.every(
      (child, index) => child.kind === 'leaf' || canSetSize(child, axis, size, childStatus(cell, index, status)),
    );
  }
  if (size < count * 2 - 1) return false;
  const previous = sizeAlong(cell, axis);
  let left = size;
  for (const [index, child] of cell.children.entries()) {
    const reached = childStatus(cell, index, status);
    const own = scaledSize(child, { axis, previous, size, countLeft: count - index, sizeLeft: left, status: reached });
    const taken = index === count - 1 ? own : own + 1;
    if (taken > left) return false;
    left -= taken;
    if (!canSetSize(child, axis, own, reached)) return false;
  }
  return true;
}

/** Gives the children of a cell that has a new size their share of it, all the way down. */
function fitChildren(cell: LayoutCell, status: BorderStatus): LayoutCell {
  if (cell.kind === 'leaf') return cell;
  const axis = cell.kind;
  const across: Axis = axis === 'row' ? 'column' : 'row';
  const count = cell.children.length;
  const previous = cell.children.reduce((sum, child) => sum + sizeAlong(child, axis), count - 1);
  const size = sizeAlong(cell, axis);
  let sizeLeft = size;
  const children = cell.children.map((child, index) => {
    const reached = childStatus(cell, index, status);
    const own = scaledSize(child, { axis, previous, size, countLeft: count - index, sizeLeft, status: reached });
    sizeLeft -= own + 1;
    return fitChildren(withSizeAlong(withSizeAlong(child, axis, own), across, sizeAlong(cell, across)), reached);
  });
  return { ...cell, children };
}

/** Closes a pane; undefined when it was the last one. Its space goes to the cell before it, or after it if it is first. */
export function closePane(root: LayoutCell, pane: number): LayoutCell | undefined {
  const path = findPane(root, pane);
  return path === undefined ? root : closeCell(root, path);
}

/** Closes the cell at a path and all in it (see `closePane`). */
function closeCell(root: LayoutCell, path: CellPath): LayoutCell | undefined {
  const closed = closeCellUnplaced(root, path);
  return closed === undefined ? undefined : placeCells(closed);
}

/** As `closeCell`, with the sizes done but not the places. */
export function closeCellUnplaced(root: LayoutCell, path: CellPath): LayoutCell | undefined {
  const index = path.at(-1);
  const parentPath = path.slice(0, -1);
  const parent = cellAt(root, parentPath);
  if (index === undefined || parent.kind === 'leaf') return undefined;
  const heir = index === 0 ? 1 : index - 1;
  const freed = sizeAlong(cellAt(root, path), parent.kind) + 1;
  const children = parent.children
    .map((child, at) => (at === heir ? adjustCell(child, parent.kind, freed, 'off') : child))
    .toSpliced(index, 1);
  const [only] = children;
  if (only !== undefined && children.length === 1) return replaceCell(root, parentPath, only);
  return replaceCell(root, parentPath, { ...parent, children });
}
