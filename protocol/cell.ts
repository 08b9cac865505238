/**
 * One screen cell is three 32-bit words, so that a row is one Uint32Array that is copied, compared and sent as memory.
 *
 *   word 0  content: bits 0-20 code point (0 = empty), bit 21 = the text is a cluster kept in Row.clusters,
 *           bits 22-23 width in columns (0 = the right half of a wide character)
 *   word 1  foreground: bits 0-23 colour value, bits 24-25 colour mode, bits 26-31 flags (FG_*)
 *   word 2  background: bits 0-23 colour value, bits 24-25 colour mode, bits 26-31 flags (BG_*)
 *
 * The bits are those of xterm.js 6's buffer lines, so that the emulator's rows are copied and not translated; a canary
 * test in test/server/terminal holds the two together. What has no bit (underline style and colour, the link) is in
 * Row.extended for cells with BG_EXTENDED.
 */
export const CELL_WORDS = 3;

export const CONTENT_CODEPOINT_MASK = 0x1fffff;
export const CONTENT_IS_CLUSTER = 0x200000;
export const CONTENT_WIDTH_SHIFT = 22;
export const CONTENT_WIDTH_MASK = 0xc00000;

export const COLOR_VALUE_MASK = 0xffffff;
export const COLOR_MODE_MASK = 0x3000000;
export const COLOR_DEFAULT = 0;
/** Palette 0-15 (SGR 30-37, 90-97). */
export const COLOR_PALETTE16 = 0x1000000;
/** Palette 0-255 (SGR 38;5). */
export const COLOR_PALETTE256 = 0x2000000;
/** 0xRRGGBB (SGR 38;2). */
export const COLOR_RGB = 0x3000000;
/** All bits that say a colour. */
export const COLOR_MASK = COLOR_MODE_MASK | COLOR_VALUE_MASK;

export const FG_INVERSE = 0x4000000;
export const FG_BOLD = 0x8000000;
export const FG_UNDERLINE = 0x10000000;
export const FG_BLINK = 0x20000000;
export const FG_INVISIBLE = 0x40000000;
export const FG_STRIKETHROUGH = 0x80000000;

export const BG_ITALIC = 0x4000000;
export const BG_DIM = 0x8000000;
export const BG_EXTENDED = 0x10000000;
export const BG_OVERLINE = 0x40000000;
/** On the line where a shell's prompt begins (OSC 133); never drawn. */
export const BG_PROMPT = 0x80000000;
/** With BG_PROMPT: the last character before the output of a command; never drawn. Alone xterm's bit of DECSCA. */
export const BG_PROMPT_END = 0x20000000;

/** SGR 4:0 to 4:5. */
export type UnderlineStyle = 0 | 1 | 2 | 3 | 4 | 5;

/** What a cell has beyond its three words. Values are immutable and may be shared between cells. */
export interface CellExtension {
  readonly underlineStyle: UnderlineStyle;
  /** A colour as in word 1 (mode and value), COLOR_DEFAULT for the foreground's. */
  readonly underlineColor: number;
  /** OSC 8 link, absent for none. `id` groups cells of one link and never comes from the program unchanged. */
  readonly link: Link | undefined;
}

export interface Link {
  readonly id: string;
  readonly uri: string;
}

/** How a cell looks, apart from its text: the two colour words and the extension. */
export interface CellStyle {
  readonly fg: number;
  readonly bg: number;
  readonly extension?: CellExtension | undefined;
}

export const DEFAULT_STYLE: CellStyle = { fg: 0, bg: 0 };

/** One line of cells. `words.length` is always CELL_WORDS * columns. */
export interface Row {
  readonly words: Uint32Array;
  /** Column → text, for cells with CONTENT_IS_CLUSTER. */
  clusters: Map<number, string> | undefined;
  /** Column → extension, for cells with BG_EXTENDED. */
  extended: Map<number, CellExtension> | undefined;
}

export const BLANK_CONTENT = 1 << CONTENT_WIDTH_SHIFT;

export function blankRow(cols: number): Row {
  const words = new Uint32Array(cols * CELL_WORDS);
  for (let i = 0; i < words.length; i += CELL_WORDS) words[i] = BLANK_CONTENT;
  return { words, clusters: undefined, extended: undefined };
}

export function rowColumns(row: Row): number {
  return row.words.length / CELL_WORDS;
}

export function cellWidth(content: number): number {
  return (content & CONTENT_WIDTH_MASK) >>> CONTENT_WIDTH_SHIFT;
}

/** The text of the cell at a column: '' for the right half of a wide character, ' ' for an empty cell. */
export function cellText(row: Row, column: number): string {
  const content = row.words[column * CELL_WORDS] ?? BLANK_CONTENT;
  if (content & CONTENT_IS_CLUSTER) return row.clusters?.get(column) ?? ' ';
  const codePoint = content & CONTENT_CODEPOINT_MASK;
  if (codePoint !== 0) return String.fromCodePoint(codePoint);
  return cellWidth(content) === 0 ? '' : ' ';
}

/** The row as text, trailing blanks kept; right halves of wide characters give nothing. */
export function rowText(row: Row): string {
  let text = '';
  for (let column = 0; column < rowColumns(row); column++) text += cellText(row, column);
  return text;
}

/** Puts one grapheme of `width` columns (1 or 2) at a column. The caller has checked that it fits. */
export function setCell(row: Row, column: number, text: string, width: 1 | 2, style: CellStyle): void {
  const at = column * CELL_WORDS;
  const first = text.codePointAt(0) ?? 0x20;
  const isCluster = text.length > (first > 0xffff ? 2 : 1);
  row.words[at] = (isCluster ? CONTENT_IS_CLUSTER : first) | (width << CONTENT_WIDTH_SHIFT);
  row.clusters?.delete(column);
  if (isCluster) {
    row.clusters ??= new Map();
    row.clusters.set(column, text);
  }
  setCellStyle(row, column, style);
  if (width === 2) {
    row.words[at + CELL_WORDS] = 0;
    row.clusters?.delete(column + 1);
    setCellStyle(row, column + 1, style);
  }
}

/** Replaces how the cell at a column looks and keeps its text. */
export function setCellStyle(row: Row, column: number, style: CellStyle): void {
  const at = column * CELL_WORDS;
  row.words[at + 1] = style.fg;
  row.words[at + 2] = style.extension ? style.bg | BG_EXTENDED : style.bg & ~BG_EXTENDED;
  if (style.extension) {
    row.extended ??= new Map();
    row.extended.set(column, style.extension);
  } else {
    row.extended?.delete(column);
  }
}

export function cellStyle(row: Row, column: number): CellStyle {
  const at = column * CELL_WORDS;
  const bg = row.words[at + 2] ?? 0;
  return {
    fg: row.words[at + 1] ?? 0,
    bg,
    extension: bg & BG_EXTENDED ? row.extended?.get(column) : undefined,
  };
}

/** Copies `count` cells. A wide character cut by either edge of the copied span becomes blank: no half ever stays. */
export function copyCells(from: Row, fromColumn: number, to: Row, toColumn: number, count: number): void {
  to.words.set(from.words.subarray(fromColumn * CELL_WORDS, (fromColumn + count) * CELL_WORDS), toColumn * CELL_WORDS);
  copySide(from.clusters, fromColumn, to.clusters, toColumn, count, (map) => {
    to.clusters = map;
  });
  copySide(from.extended, fromColumn, to.extended, toColumn, count, (map) => {
    to.extended = map;
  });
  if (count === 0) return;
  if (cellWidth(to.words[toColumn * CELL_WORDS] ?? 0) === 0) blankCell(to, toColumn);
  const last = toColumn + count - 1;
  if (cellWidth(to.words[last * CELL_WORDS] ?? 0) === 2) blankCell(to, last);
}

function blankCell(row: Row, column: number): void {
  row.words[column * CELL_WORDS] = BLANK_CONTENT;
  row.clusters?.delete(column);
}

function copySide<T>(
  from: Map<number, T> | undefined,
  fromColumn: number,
  to: Map<number, T> | undefined,
  toColumn: number,
  count: number,
  install: (map: Map<number, T>) => void,
): void {
  if (to && to.size > 0) {
    for (const column of to.keys()) if (column >= toColumn && column < toColumn + count) to.delete(column);
  }
  if (!from || from.size === 0) return;
  let target = to;
  for (const [column, value] of from) {
    if (column < fromColumn || column >= fromColumn + count) continue;
    if (!target) {
      target = new Map();
      install(target);
    }
    target.set(column - fromColumn + toColumn, value);
  }
}

/** Whether two cells look the same, extension and cluster included. */
export function sameCell(a: Row, b: Row, column: number): boolean {
  const at = column * CELL_WORDS;
  const content = a.words[at] ?? 0;
  const bg = a.words[at + 2] ?? 0;
  if (content !== b.words[at] || a.words[at + 1] !== b.words[at + 1] || bg !== b.words[at + 2]) return false;
  if (content & CONTENT_IS_CLUSTER && a.clusters?.get(column) !== b.clusters?.get(column)) return false;
  return !(bg & BG_EXTENDED) || sameExtension(a.extended?.get(column), b.extended?.get(column));
}

export function sameExtension(a: CellExtension | undefined, b: CellExtension | undefined): boolean {
  if (a === b) return true;
  if (!a || !b) return false;
  return (
    a.underlineStyle === b.underlineStyle &&
    a.underlineColor === b.underlineColor &&
    a.link?.uri === b.link?.uri &&
    a.link?.id === b.link?.id
  );
}
