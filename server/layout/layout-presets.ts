/** The five named arrangements of select-layout. The numbers are tmux 3.3a's to the cell. */
import type { Size } from '../../protocol/geometry.ts';
import {
  type Axis,
  type BorderStatus,
  childStatus,
  type LayoutCell,
  type LeafCell,
  PANE_MINIMUM,
  placeCells,
  type SplitCell,
  singleLayout,
} from './layout-cell.ts';
import { adjustCell, spreadChildren } from './layout-resize.ts';
import { parseSizeValue } from './size-value.ts';

/** In the order in which next-layout goes through them. */
export const PRESET_NAMES = ['even-horizontal', 'even-vertical', 'main-horizontal', 'main-vertical', 'tiled'] as const;

export type PresetName = (typeof PRESET_NAMES)[number];

export interface PresetOptions {
  /** The window's size; the tree is larger where so many panes need more. */
  readonly size: Size;
  readonly status?: BorderStatus | undefined;
  /** Options as the user wrote them: cells, or a percentage such as `60%`. */
  readonly mainPaneWidth?: string | undefined;
  readonly mainPaneHeight?: string | undefined;
  readonly otherPaneWidth?: string | undefined;
  readonly otherPaneHeight?: string | undefined;
}

/** The main pane's size where its option cannot be read, in cells. */
const MAIN_FALLBACK: Record<Axis, number> = { row: 80, column: 24 };

/** Finds a preset by its name or a unique beginning of it. */
export function findPreset(name: string): PresetName | undefined {
  const exact = PRESET_NAMES.find((preset) => preset === name);
  if (exact !== undefined) return exact;
  const matches = name === '' ? [] : PRESET_NAMES.filter((preset) => preset.startsWith(name));
  return matches.length === 1 ? matches[0] : undefined;
}

/** The preset after (or before) the one used last, as next-layout and previous-layout pick it. */
export function nextPreset(last: PresetName | undefined, step: 1 | -1): PresetName {
  const count = PRESET_NAMES.length;
  const from = last === undefined ? (step > 0 ? -1 : count) : PRESET_NAMES.indexOf(last);
  return PRESET_NAMES[(from + step + count) % count] ?? 'even-horizontal';
}

/** Arranges panes by a preset. Undefined for one pane or none: tmux leaves such a window as it is. */
export function presetLayout(
  name: PresetName,
  panes: readonly number[],
  options: PresetOptions,
): LayoutCell | undefined {
  const [first, ...others] = panes;
  if (first === undefined || others.length === 0) return undefined;
  switch (name) {
    case 'even-horizontal':
      return evenLayout('row', panes, options);
    case 'even-vertical':
      return evenLayout('column', panes, options);
    case 'main-horizontal':
      return mainLayout('column', first, others, options);
    case 'main-vertical':
      return mainLayout('row', first, others, options);
    case 'tiled':
      return tiledLayout(panes, options);
  }
}

/** The least extent of so many cells with borders between them. */
function leastSize(count: number): number {
  return count * (PANE_MINIMUM + 1) - 1;
}

function leaf(pane: number, width: number, height: number): LeafCell {
  return singleLayout(pane, { cols: width, rows: height });
}

function evenLayout(axis: Axis, panes: readonly number[], { size, status = 'off' }: PresetOptions): LayoutCell {
  // The pane at the edge needs a row for its status; tmux forgets it and piles up cells of the window's height.
  const least = leastSize(panes.length) + (axis === 'column' && status !== 'off' ? 1 : 0);
  const width = axis === 'row' ? Math.max(least, size.cols) : size.cols;
  const height = axis === 'column' ? Math.max(least, size.rows) : size.rows;
  const children = panes.map((pane) => leaf(pane, size.cols, size.rows));
  const root: SplitCell = { kind: axis, children, rect: { x: 0, y: 0, width, height } };
  return placeCells(spreadChildren(root, status) ?? root);
}

/** One main pane first along the axis and the others beside it in a line across. */
function mainLayout(axis: Axis, main: number, others: readonly number[], options: PresetOptions): LayoutCell {
  const { size, status = 'off' } = options;
  const across: Axis = axis === 'row' ? 'column' : 'row';
  const [mainSize, otherSize] = mainSizes(axis, options);
  const acrossSize = Math.max(leastSize(others.length), axis === 'row' ? size.rows : size.cols);
  const rectOf = (along: number, side: number) =>
    axis === 'row' ? { x: 0, y: 0, width: along, height: side } : { x: 0, y: 0, width: side, height: along };
  const line: SplitCell = {
    kind: across,
    children: others.map((pane) => ({ kind: 'leaf', pane, rect: rectOf(otherSize, PANE_MINIMUM) })),
    rect: rectOf(otherSize, acrossSize),
  };
  const mainCell: LeafCell = { kind: 'leaf', pane: main, rect: rectOf(mainSize, acrossSize) };
  const [only] = others;
  const root = (rest: LayoutCell): SplitCell => ({
    kind: axis,
    children: [mainCell, rest],
    rect: rectOf(mainSize + otherSize + 1, acrossSize),
  });
  if (others.length === 1 && only !== undefined) {
    return placeCells(root({ kind: 'leaf', pane: only, rect: rectOf(otherSize, acrossSize) }));
  }
  return placeCells(root(spreadChildren(line, childStatus(root(line), 1, status)) ?? line));
}

/** The extents of the main pane and of the others along the axis, from the options `main-pane-…` and `other-pane-…`. */
function mainSizes(axis: Axis, options: PresetOptions): readonly [main: number, other: number] {
  const whole = (axis === 'row' ? options.size.cols : options.size.rows) - 1;
  const mainText = axis === 'row' ? options.mainPaneWidth : options.mainPaneHeight;
  const otherText = axis === 'row' ? options.otherPaneWidth : options.otherPaneHeight;
  const bounds = { min: 0, max: whole, current: whole };
  const mainValue = parseSizeValue(mainText ?? '', bounds);
  const main = mainValue.ok ? mainValue.value : MAIN_FALLBACK[axis];
  if (main + PANE_MINIMUM >= whole) {
    return [whole <= PANE_MINIMUM * 2 ? PANE_MINIMUM : whole - PANE_MINIMUM, PANE_MINIMUM];
  }
  const otherValue = parseSizeValue(otherText ?? '', bounds);
  const other = otherValue.ok ? otherValue.value : 0;
  if (other === 0 || other > whole || whole - other < main) return [main, whole - main];
  return [whole - other, other];
}

function tiledLayout(panes: readonly number[], { size, status = 'off' }: PresetOptions): LayoutCell {
  let rows = 1;
  let columns = 1;
  while (rows * columns < panes.length) {
    rows++;
    if (rows * columns < panes.length) columns++;
  }
  const width = Math.max(PANE_MINIMUM, Math.floor((size.cols - (columns - 1)) / columns));
  const height = Math.max(PANE_MINIMUM, Math.floor((size.rows - (rows - 1)) / rows));
  const lines: LayoutCell[] = [];
  for (let start = 0; start < panes.length; start += columns) {
    lines.push(tiledRow(panes.slice(start, start + columns), { columns, width, height, size, status }));
  }
  const root: SplitCell = {
    kind: 'column',
    children: lines,
    rect: {
      x: 0,
      y: 0,
      width: Math.max((width + 1) * columns - 1, size.cols),
      height: Math.max((height + 1) * rows - 1, size.rows),
    },
  };
  const spare = size.rows - (rows * height + rows - 1);
  const last = lines.length - 1;
  const children = lines.map((line, index) =>
    index === last && spare > 0 ? adjustCell(line, 'column', spare, status) : line,
  );
  return placeCells({ ...root, children });
}

function tiledRow(
  panes: readonly number[],
  grid: { columns: number; width: number; height: number; size: Size; status: BorderStatus },
): LayoutCell {
  const { columns, width, height, size, status } = grid;
  const [only] = panes;
  if (only !== undefined && panes.length === 1) return leaf(only, size.cols, height);
  const spare = size.cols - ((width + 1) * Math.min(columns, panes.length) - 1);
  const children = panes.map((pane, index) => {
    const cell = leaf(pane, width, height);
    return index === panes.length - 1 && spare > 0 ? adjustCell(cell, 'row', spare, status) : cell;
  });
  return { kind: 'row', children, rect: { x: 0, y: 0, width: size.cols, height } };
}
