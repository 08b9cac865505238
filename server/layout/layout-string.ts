/**
 * Layouts as text, `#{window_layout}` and select-layout's argument: `b25d,80x24,0,0,3` or
 * `f00d,80x24,0,0{40x24,0,0,1,39x24,41,0[…]}`: four hex digits of checksum, then a tree of `WIDTHxHEIGHT,X,Y` followed by
 * `,PANE` for a leaf, `{…}` for a row, `[…]` for a column (tmux(1), select-layout).
 */
import {
  assignPanes,
  type CellPath,
  cellAt,
  isSound,
  type LayoutCell,
  leaves,
  placeCells,
  sizeAlong,
} from './layout-cell.ts';
import { closeCellUnplaced } from './layout-split.ts';

/** A layout string that is longer or nested deeper than this is refused. */
const TEXT_MAX = 65_536;
const DEPTH_MAX = 256;

const CELL = /([0-9]{1,9})x([0-9]{1,9}),([0-9]{1,9}),([0-9]{1,9})(?:,([0-9]{0,9})(?!x|[0-9]))?/y;

/** The layout with its checksum, as `#{window_layout}` shows it. */
export function printLayout(root: LayoutCell): string {
  const text = printCell(root);
  return `${layoutChecksum(text)},${text}`;
}

function printCell(cell: LayoutCell): string {
  const { width, height, x, y } = cell.rect;
  const head = `${width}x${height},${x},${y}`;
  if (cell.kind === 'leaf') return `${head},${cell.pane}`;
  const inner = cell.children.map(printCell).join(',');
  return cell.kind === 'row' ? `${head}{${inner}}` : `${head}[${inner}]`;
}

/** The 16-bit checksum of a layout's text, four hex digits: rotate right by one, add the next byte. */
export function layoutChecksum(text: string): string {
  let sum = 0;
  for (const byte of Buffer.from(text)) sum = ((sum >> 1) + ((sum & 1) << 15) + byte) & 0xffff;
  return sum.toString(16).padStart(4, '0');
}

export type LayoutResult =
  | { readonly ok: true; readonly layout: LayoutCell }
  | { readonly ok: false; readonly error: string };

/**
 * Reads a layout string with its checksum. Leaves without a pane number get 0 (an empty one is taken, as in tmux). The tree is as written: whether its sizes
 * add up is `applyLayout`'s business. The error is tmux's (`invalid layout`), without the text that was wrong.
 */
export function parseLayout(text: string): LayoutResult {
  const invalid: LayoutResult = { ok: false, error: 'invalid layout' };
  const match = /^([0-9a-fA-F]{1,4}),/.exec(text);
  if (match === null || text.length > TEXT_MAX) return invalid;
  const body = text.slice(match[0].length);
  if (layoutChecksum(body) !== match[1]?.toLowerCase().padStart(4, '0')) return invalid;
  const reader = { text: body, at: 0 };
  const layout = parseCell(reader, 0);
  if (layout === undefined || reader.at !== body.length) return invalid;
  return { ok: true, layout };
}

function parseCell(reader: { readonly text: string; at: number }, depth: number): LayoutCell | undefined {
  CELL.lastIndex = reader.at;
  const match = CELL.exec(reader.text);
  if (match === null || depth > DEPTH_MAX) return undefined;
  reader.at = CELL.lastIndex;
  const [width, height, x, y, pane] = match.slice(1).map((digits) => Number(digits ?? 0));
  const rect = { width: width ?? 0, height: height ?? 0, x: x ?? 0, y: y ?? 0 };
  const open = reader.text[reader.at];
  if (open !== '{' && open !== '[') return { kind: 'leaf', pane: pane ?? 0, rect };
  const children: LayoutCell[] = [];
  do {
    reader.at++;
    const child = parseCell(reader, depth + 1);
    if (child === undefined) return undefined;
    children.push(child);
  } while (reader.text[reader.at] === ',');
  if (reader.text[reader.at] !== (open === '{' ? '}' : ']')) return undefined;
  reader.at++;
  return { kind: open === '{' ? 'row' : 'column', children, rect };
}

/**
 * Puts panes into a layout string's leaves in order; the pane numbers in the text do not matter. Where there are fewer
 * panes than leaves, the ones at the bottom right are closed. The window takes the size of the result (`layoutSize`).
 * Errors are tmux's, with the text: `invalid layout: …`, `have 4 panes but need 1: …`, `size mismatch after applying layout: …`.
 */
export function applyLayout(text: string, panes: readonly number[]): LayoutResult {
  const fail = (error: string): LayoutResult => ({ ok: false, error: `${error}: ${text}` });
  const parsed = parseLayout(text);
  if (!parsed.ok) return fail(parsed.error);
  let layout = parsed.layout;
  for (let count = leaves(layout).length; count !== panes.length; count--) {
    if (count < panes.length) return fail(`have ${panes.length} panes but need ${count}`);
    const closed = closeCellUnplaced(layout, bottomRight(layout));
    if (closed === undefined) return fail('invalid layout');
    layout = closed;
  }
  layout = trustChildren(layout);
  if (!isSound(layout)) return fail('size mismatch after applying layout');
  return { ok: true, layout: placeCells(assignPanes(layout, panes)) };
}

function bottomRight(root: LayoutCell): CellPath {
  const path: number[] = [];
  for (let cell = root; cell.kind !== 'leaf'; cell = cellAt(root, path)) path.push(cell.children.length - 1);
  return path;
}

/** Older programs wrote a wrong size for the outermost cell; its children know better. */
function trustChildren(root: LayoutCell): LayoutCell {
  if (root.kind === 'leaf') return root;
  const along = root.children.reduce((sum, child) => sum + sizeAlong(child, root.kind) + 1, -1);
  const across = sizeAlong(cellAt(root, [root.children.length - 1]), root.kind === 'row' ? 'column' : 'row');
  const size = root.kind === 'row' ? { width: along, height: across } : { width: across, height: along };
  return { ...root, rect: { ...root.rect, ...size } };
}
