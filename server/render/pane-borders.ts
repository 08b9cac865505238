/**
 * Where the borders between panes are, which character each cell gets and which pane it belongs to.
 *
 * A border cell belongs to the first pane that touches it, counted from the active pane on in the order of the window's
 * list, so that the active pane's whole outline is drawn in its style. Of the one border of two panes each owns a half
 * (option pane-border-indicators colour or both). The character follows from which of the four neighbours are borders
 * too; a border goes on beyond the edge of the window, and with pane-border-status it ends in the row of titles.
 * The window's own edge, seen when the client is larger, belongs to no pane. Rules read off tmux 3.3a's screen.
 */
import type { Rect, Size } from '../../protocol/geometry.ts';

/** A visible pane: its place without the row of its title, and its index with pane-base-index. */
export interface BorderPane {
  readonly id: number;
  readonly index: number;
  readonly rect: Rect;
}

export type BorderStatus = 'off' | 'top' | 'bottom';
export type BorderIndicators = 'off' | 'colour' | 'arrows' | 'both';
export type BorderLines = 'single' | 'double' | 'heavy' | 'simple' | 'number';

export interface BorderInput {
  readonly size: Size;
  /** In the order of the window's list. */
  readonly panes: readonly BorderPane[];
  /** Id of the active pane. */
  readonly active: number;
  /** Id of the marked pane (select-pane -m). */
  readonly marked: number | undefined;
  readonly lines: BorderLines;
  readonly status: BorderStatus;
  readonly indicators: BorderIndicators;
}

/** One cell of a border, in cells of the window. */
export interface BorderCell {
  readonly x: number;
  readonly y: number;
  readonly text: string;
  /** Id of the pane whose style it has; undefined for the window's edge. */
  readonly pane: number | undefined;
  /** It touches the marked pane and is drawn in reverse. */
  readonly isMarked: boolean;
}

/** Where a pane's title goes (option pane-border-format). */
export interface TitleStrip {
  readonly pane: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

export interface PaneBorders {
  /** The edge of the window at column `size.cols` and row `size.rows` is among them. */
  readonly cells: readonly BorderCell[];
  readonly titles: readonly TitleStrip[];
}

/** Cells of a title's row that stay border: two on the left, two on the right. */
const TITLE_MARGIN = 2;

const LEFT = 8;
const RIGHT = 4;
const UP = 2;
const DOWN = 1;

/** By the arms a cell has: none, D, U, UD, R, RD, RU, RUD, L, LD, LU, LUD, LR, LRD, LRU, LRUD. */
const GLYPHS: Readonly<Record<Exclude<BorderLines, 'number'>, string>> = {
  // Each is one UTF-16 unit.
  single: '·│││─┌└├─┐┘┤─┬┴┼',
  double: '·║║║═╔╚╠═╗╝╣═╦╩╬',
  heavy: '·┃┃┃━┏┗┣━┓┛┫━┳┻╋',
  simple: '.|||-+++-+++-+++',
};

/** What fills a client's terminal outside of a smaller window. */
export function outsideGlyph(lines: BorderLines): string {
  return lines === 'simple' ? '.' : '·';
}

/** Arrows towards the active pane, by the side of it that the border is on. */
const ARROWS = { left: '→', right: '←', top: '↓', bottom: '↑' } as const;
type Side = keyof typeof ARROWS;

/** All border cells of a window. Cost grows with the number of cells; callers keep the result until the input changes. */
export function paneBorders(input: BorderInput): PaneBorders {
  const grid = new BorderGrid(input.size);
  const at = input.panes.findIndex((pane) => pane.id === input.active);
  const ordered = at > 0 ? [...input.panes.slice(at), ...input.panes.slice(0, at)] : input.panes;
  const halves = halvedBorder(input);
  for (const pane of ordered) {
    for (const part of outline(pane.rect, input.status, halves)) grid.claim(part, pane.id);
  }
  grid.claimEdge();
  const cells: BorderCell[] = [];
  const glyphOf = glyphs(input, grid);
  const marked = input.panes.find((pane) => pane.id === input.marked);
  const touchesMarked = marked ? touching(marked.rect, input.status, halves) : () => false;
  grid.forEach((x, y, pane) => {
    cells.push({ x, y, text: glyphOf(x, y, pane), pane, isMarked: touchesMarked(x, y) });
  });
  return { cells, titles: titleStrips(input) };
}

/** A run of border cells beside one side of a pane; `x1` and `y1` are inclusive. */
interface Run {
  readonly side: Side;
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

/** How the only border of two panes is shared out: each owns a half of it. */
function halvedBorder(input: BorderInput): 'columns' | 'rows' | undefined {
  const [first, second] = input.panes;
  const byColour = input.indicators === 'colour' || input.indicators === 'both';
  if (!byColour || input.status !== 'off' || input.panes.length !== 2 || !first || !second) return undefined;
  return first.rect.y === second.rect.y ? 'columns' : 'rows';
}

/** The border cells that a pane claims, corners with its left and right side. */
function outline(rect: Rect, status: BorderStatus, halves: 'columns' | 'rows' | undefined): Run[] {
  const { x, y } = rect;
  const right = x + rect.width;
  const bottom = y + rect.height;
  const middleX = Math.floor(rect.width / 2);
  const middleY = Math.floor(rect.height / 2);
  if (halves === 'columns') {
    return x === 0
      ? [{ side: 'right', x0: right, x1: right, y0: 0, y1: middleY }]
      : [{ side: 'left', x0: x - 1, x1: x - 1, y0: middleY + 1, y1: bottom }];
  }
  if (halves === 'rows') {
    return y === 0
      ? [{ side: 'bottom', x0: 0, x1: middleX, y0: bottom, y1: bottom }]
      : [{ side: 'top', x0: middleX + 1, x1: right, y0: y - 1, y1: y - 1 }];
  }
  const runs: Run[] = [
    { side: 'left', x0: x - 1, x1: x - 1, y0: y - 1, y1: bottom },
    { side: 'right', x0: right, x1: right, y0: y - 1, y1: bottom },
  ];
  if (status !== 'bottom') runs.push({ side: 'top', x0: x - 1, x1: right, y0: y - 1, y1: y - 1 });
  if (status !== 'top') runs.push({ side: 'bottom', x0: x - 1, x1: right, y0: bottom, y1: bottom });
  return runs;
}

function touching(rect: Rect, status: BorderStatus, halves: 'columns' | 'rows' | undefined) {
  const runs = outline(rect, status, halves);
  return (x: number, y: number): boolean =>
    runs.some((run) => x >= run.x0 && x <= run.x1 && y >= run.y0 && y <= run.y1);
}

const NO_BORDER = -1;
const WINDOW_EDGE = -2;

/** Who owns each cell of the window and of its edge, one column and one row beyond. */
class BorderGrid {
  readonly size: Size;
  readonly #width: number;
  readonly #owners: Int32Array;

  constructor(size: Size) {
    this.size = size;
    this.#width = size.cols + 1;
    this.#owners = new Int32Array(this.#width * (size.rows + 1)).fill(NO_BORDER);
  }

  /** Gives a pane the cells of a run that are in the window and have no owner yet. */
  claim(run: Run, pane: number): void {
    const x1 = Math.min(run.x1, this.size.cols - 1);
    const y1 = Math.min(run.y1, this.size.rows - 1);
    for (let y = Math.max(0, run.y0); y <= y1; y++) {
      for (let x = Math.max(0, run.x0); x <= x1; x++) {
        const at = y * this.#width + x;
        if (this.#owners[at] === NO_BORDER) this.#owners[at] = pane;
      }
    }
  }

  claimEdge(): void {
    const { cols, rows } = this.size;
    this.#owners.fill(WINDOW_EDGE, rows * this.#width);
    for (let y = 0; y < rows; y++) this.#owners[y * this.#width + cols] = WINDOW_EDGE;
  }

  isBorder(x: number, y: number): boolean {
    if (x < 0 || y < 0) return true;
    return x <= this.size.cols && y <= this.size.rows && this.#owners[y * this.#width + x] !== NO_BORDER;
  }

  forEach(visit: (x: number, y: number, pane: number | undefined) => void): void {
    this.#owners.forEach((owner, at) => {
      if (owner === NO_BORDER) return;
      visit(at % this.#width, Math.floor(at / this.#width), owner === WINDOW_EDGE ? undefined : owner);
    });
  }
}

/** The character of a border cell. */
function glyphs(input: BorderInput, grid: BorderGrid): (x: number, y: number, pane: number | undefined) => string {
  const { lines } = input;
  const active = input.panes.find((pane) => pane.id === input.active);
  const showsArrows = input.indicators === 'arrows' || input.indicators === 'both';
  return (x, y, pane) => {
    if (showsArrows && active && pane === active.id) {
      const side = arrowSide(active.rect, { x, y });
      if (side) return ARROWS[side];
    }
    if (lines === 'number') {
      const owner = input.panes.find((other) => other.id === pane);
      return owner ? String(owner.index % 10) : '*';
    }
    return GLYPHS[lines][arms(grid, { x, y, status: input.status })] ?? ' ';
  };
}

/** Which of the four neighbours a border cell is joined to. */
function arms(grid: BorderGrid, { x, y, status }: { x: number; y: number; status: BorderStatus }): number {
  const { cols, rows } = grid.size;
  let mask = 0;
  if (grid.isBorder(x - 1, y)) mask |= LEFT;
  if (grid.isBorder(x + 1, y)) mask |= RIGHT;
  // A row of titles at the window's end is the end of every border; the window's edge below it is a plain line.
  const endsAbove = (status === 'top' && y === 0) || (status === 'bottom' && y === rows && x < cols);
  const endsBelow = status === 'bottom' && y === rows - 1 && x < cols;
  if (!endsAbove && grid.isBorder(x, y - 1)) mask |= UP;
  if (!endsBelow && grid.isBorder(x, y + 1)) mask |= DOWN;
  return mask;
}

/** The side of the active pane if an arrow stands at this cell: the second of the side's cells. */
function arrowSide(rect: Rect, at: { readonly x: number; readonly y: number }): Side | undefined {
  if (at.y === rect.y + 1) {
    if (at.x === rect.x - 1) return 'left';
    if (at.x === rect.x + rect.width) return 'right';
  }
  if (at.x === rect.x + 1) {
    if (at.y === rect.y - 1) return 'top';
    if (at.y === rect.y + rect.height) return 'bottom';
  }
  return undefined;
}

function titleStrips(input: BorderInput): TitleStrip[] {
  if (input.status === 'off') return [];
  const strips: TitleStrip[] = [];
  for (const { id, rect } of input.panes) {
    const y = input.status === 'top' ? rect.y - 1 : rect.y + rect.height;
    const width = rect.width - 2 * TITLE_MARGIN;
    if (width > 0 && y >= 0 && y < input.size.rows) strips.push({ pane: id, x: rect.x + TITLE_MARGIN, y, width });
  }
  return strips;
}

/** Keeps the borders of one window as long as the input says the same. */
export class BorderCache {
  #key: readonly (number | string | undefined)[] = [];
  #borders: PaneBorders = { cells: [], titles: [] };

  get(input: BorderInput): PaneBorders {
    const key = inputKey(input);
    if (key.length === this.#key.length && key.every((part, i) => part === this.#key[i])) return this.#borders;
    this.#key = key;
    this.#borders = paneBorders(input);
    return this.#borders;
  }
}

function inputKey(input: BorderInput): (number | string | undefined)[] {
  const { size } = input;
  const key: (number | string | undefined)[] = [size.cols, size.rows, input.active, input.marked];
  key.push(input.lines, input.status, input.indicators);
  for (const { id, index, rect } of input.panes) key.push(id, index, rect.x, rect.y, rect.width, rect.height);
  return key;
}
