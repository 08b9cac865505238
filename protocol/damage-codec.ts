/**
 * Damage as a plain msgpack value: `[size, scroll, rows, cursor, modes, title]`, nil for what is absent.
 *
 *   size      [columns, rows]
 *   scroll    [top, bottom, by]
 *   row       [y, x, words as bytes, clusters, extended]
 *   clusters  [column, text, column, text, …]
 *   extended  [column, count, underline style, underline colour, link id, link uri, …], runs of cells that share a value
 *   cursor    [x, y, visible, shape, blink, colour]      modes  [mouse, focus, key flags, other keys]
 *
 * Words travel in the machine's byte order: both ends are on one machine.
 */
import type { CellExtension, UnderlineStyle } from './cell.ts';
import { CELL_WORDS, sameExtension } from './cell.ts';
import type { Damage, RowDamage, ScrollDamage } from './damage.ts';
import type { Cursor, CursorShape, FrameModes, MouseTracking } from './frame.ts';
import type { Size } from './geometry.ts';
import { SIZE_MAX } from './geometry.ts';
import { KEY_FLAGS_ALL } from './key.ts';
import { asArray, asBoolean, asBytes, asInteger, asNamed, asString, misshapen, optional } from './shape.ts';

const SHAPES: readonly CursorShape[] = ['default', 'block', 'underline', 'bar'];
const TRACKINGS: readonly MouseTracking[] = ['off', 'click', 'drag', 'motion'];
const UNDERLINES: readonly UnderlineStyle[] = [0, 1, 2, 3, 4, 5];

/** Limits of what a frame may carry, in UTF-16 units. */
const CLUSTER_TEXT_MAX = 256;
const URI_MAX = 8192;
const TITLE_MAX = 4096;
const EXTENSION_FIELDS = 6;

/** A plain value for msgpack. Word arrays are not copied. */
export function packDamage(damage: Damage): unknown[] {
  return [
    damage.size ? packSize(damage.size) : null,
    damage.scroll ? [damage.scroll.top, damage.scroll.bottom, damage.scroll.by] : null,
    damage.rows.map(packRow),
    damage.cursor ? packCursor(damage.cursor) : null,
    damage.modes ? packModes(damage.modes) : null,
    damage.title ?? null,
  ];
}

/** Reads what `packDamage` made; throws MplexError 'protocol' for anything else. Words are copied out of the message. */
export function unpackDamage(value: unknown): Damage {
  const [sizeValue, scrollValue, rowValues, cursorValue, modesValue, titleValue] = asArray(value, 6);
  const size = optional(sizeValue, unpackSize);
  const scroll = optional(scrollValue, unpackScroll);
  const cursor = optional(cursorValue, unpackCursor);
  const modes = optional(modesValue, unpackModes);
  const title = optional(titleValue, (text) => asString(text, TITLE_MAX));
  return {
    ...(size && { size }),
    ...(scroll && { scroll }),
    rows: asArray(rowValues).map(unpackRow),
    ...(cursor && { cursor }),
    ...(modes && { modes }),
    ...(title !== undefined && { title }),
  };
}

export function packSize(size: Size): unknown[] {
  return [size.cols, size.rows];
}

export function unpackSize(value: unknown): Size {
  const [cols, rows] = asArray(value, 2);
  return { cols: asInteger(cols, 1, SIZE_MAX.cols), rows: asInteger(rows, 1, SIZE_MAX.rows) };
}

function unpackScroll(value: unknown): ScrollDamage {
  const [top, bottom, by] = asArray(value, 3);
  return {
    top: asInteger(top, 0, SIZE_MAX.rows - 1),
    bottom: asInteger(bottom, 0, SIZE_MAX.rows - 1),
    by: asInteger(by, -SIZE_MAX.rows, SIZE_MAX.rows),
  };
}

function packCursor(cursor: Cursor): unknown[] {
  return [cursor.x, cursor.y, cursor.visible, SHAPES.indexOf(cursor.shape), cursor.blink, cursor.color ?? null];
}

function unpackCursor(value: unknown): Cursor {
  const [x, y, visible, shape, blink, color] = asArray(value, 6);
  return {
    x: asInteger(x, 0, SIZE_MAX.cols),
    y: asInteger(y, 0, SIZE_MAX.rows),
    visible: asBoolean(visible),
    shape: asNamed(shape, SHAPES),
    blink: asBoolean(blink),
    color: optional(color, (text) => asString(text, 16)),
  };
}

function packModes({ mouse, focus, keyFlags, otherKeys }: FrameModes): unknown[] {
  return [TRACKINGS.indexOf(mouse), focus, keyFlags, otherKeys];
}

/** Servers before 1.3 leave the keyboard alone. */
function unpackModes(value: unknown): FrameModes {
  const [mouse, focus, keyFlags = 0, otherKeys = false] = asArray(value, 2);
  return {
    mouse: asNamed(mouse, TRACKINGS),
    focus: asBoolean(focus),
    keyFlags: asInteger(keyFlags, 0, KEY_FLAGS_ALL),
    otherKeys: asBoolean(otherKeys),
  };
}

function packRow(part: RowDamage): unknown[] {
  const { words } = part;
  const bytes = Buffer.from(words.buffer, words.byteOffset, words.byteLength);
  return [part.y, part.x, bytes, packClusters(part.clusters), packExtended(part.extended)];
}

function unpackRow(value: unknown): RowDamage {
  const [y, x, wordBytes, clusterValue, extendedValue] = asArray(value, 5);
  const bytes = asBytes(wordBytes);
  if (bytes.length % (CELL_WORDS * 4) !== 0) throw misshapen('half a cell');
  const words = new Uint32Array(bytes.length / 4);
  new Uint8Array(words.buffer).set(bytes);
  const clusters = optional(clusterValue, unpackClusters);
  const extended = optional(extendedValue, unpackExtended);
  return {
    y: asInteger(y, 0, SIZE_MAX.rows - 1),
    x: asInteger(x, 0, SIZE_MAX.cols - 1),
    words,
    ...(clusters && { clusters }),
    ...(extended && { extended }),
  };
}

function packClusters(clusters: ReadonlyMap<number, string> | undefined): unknown[] | null {
  if (!clusters || clusters.size === 0) return null;
  return [...clusters].flat();
}

function unpackClusters(value: unknown): Map<number, string> {
  const flat = asArray(value);
  const clusters = new Map<number, string>();
  for (let i = 0; i + 1 < flat.length; i += 2) {
    clusters.set(asInteger(flat[i], 0, SIZE_MAX.cols - 1), asString(flat[i + 1], CLUSTER_TEXT_MAX));
  }
  return clusters;
}

function packExtended(extended: ReadonlyMap<number, CellExtension> | undefined): unknown[] | null {
  if (!extended || extended.size === 0) return null;
  const columns = [...extended.keys()].sort((a, b) => a - b);
  const flat: unknown[] = [];
  for (let i = 0; i < columns.length; ) {
    const start = columns[i] ?? 0;
    const value = extended.get(start);
    let count = 1;
    while (columns[i + count] === start + count && sameExtension(extended.get(start + count), value)) count++;
    if (value) flat.push(start, count, value.underlineStyle, value.underlineColor, ...packLink(value));
    i += count;
  }
  return flat;
}

function packLink({ link }: CellExtension): [string | null, string | null] {
  return link ? [link.id, link.uri] : [null, null];
}

function unpackExtended(value: unknown): Map<number, CellExtension> {
  const flat = asArray(value);
  const extended = new Map<number, CellExtension>();
  for (let i = 0; i + EXTENSION_FIELDS <= flat.length; i += EXTENSION_FIELDS) {
    const start = asInteger(flat[i], 0, SIZE_MAX.cols - 1);
    const count = asInteger(flat[i + 1], 1, SIZE_MAX.cols - start);
    const uri = optional(flat[i + 5], (text) => asString(text, URI_MAX));
    const extension: CellExtension = {
      underlineStyle: asNamed(flat[i + 2], UNDERLINES),
      underlineColor: asInteger(flat[i + 3], 0, 0xffffffff),
      link: uri === undefined ? undefined : { id: asString(flat[i + 4], URI_MAX), uri },
    };
    for (let column = start; column < start + count; column++) extended.set(column, extension);
  }
  return extended;
}
