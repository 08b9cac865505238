/**
 * Copies a line of xterm's buffer into a Row. The words are the same in both; what differs is normalised here, so that cells
 * that look the same are the same: left-over colour bits, an extension that says nothing, halves of wide characters at the
 * right edge, and the underline style that xterm forces on links.
 */
import {
  BG_EXTENDED,
  BLANK_CONTENT,
  CELL_WORDS,
  type CellExtension,
  COLOR_MASK,
  COLOR_MODE_MASK,
  COLOR_RGB,
  COLOR_VALUE_MASK,
  CONTENT_IS_CLUSTER,
  CONTENT_WIDTH_SHIFT,
  FG_UNDERLINE,
  type Link,
  type Row,
  sameExtension,
  type UnderlineStyle,
} from '../../protocol/cell.ts';
import type { XtermExtended, XtermLine } from './emulator-internals.ts';

/** Where links and colours of a pane are looked up. */
export interface RowSource {
  readonly links: { get(number: number): Link | undefined };
  /** Colours set by OSC 4, 10 and 11; undefined if none are. */
  readonly colors: RowColors | undefined;
}

export interface RowColors {
  readonly foreground: number | undefined;
  readonly background: number | undefined;
  readonly palette: ReadonlyMap<number, number>;
}

const UNDERLINE_SHIFT = 26;
const NO_LINKS = { get: () => undefined };

/** Styles without a link are shared: xterm keeps one object for all cells of a run. */
const known = new WeakMap<XtermExtended, CellExtension>();

/** What an xterm extension says, undefined if nothing. */
export function extensionOf(
  extended: XtermExtended | undefined,
  links: RowSource['links'] = NO_LINKS,
): CellExtension | undefined {
  if (!extended) return undefined;
  // The getter of the style answers "dashed" for every link; the bits tell the truth.
  const style = ((extended._ext >> UNDERLINE_SHIFT) & 7) as UnderlineStyle; // xterm stores 0 to 5.
  const underlineColor = colorWord(extended._ext & COLOR_MASK);
  const link = extended.urlId === 0 ? undefined : links.get(extended.urlId);
  const underlineStyle: UnderlineStyle = style > 5 ? 1 : style;
  if (underlineStyle <= 1 && underlineColor === 0 && !link) return undefined;
  const cached = known.get(extended);
  if (cached && cached.link === link) return cached;
  const extension: CellExtension = { underlineStyle: underlineStyle === 0 ? 1 : underlineStyle, underlineColor, link };
  known.set(extended, extension);
  return extension;
}

/** A colour without the bits that its mode does not use (xterm leaves some of an earlier RGB colour). */
function colorWord(color: number): number {
  const mode = color & COLOR_MODE_MASK;
  if (mode === COLOR_RGB) return color;
  return mode === 0 ? 0 : mode | (color & 0xff);
}

/** Copies the first columns of a line; columns the line does not have are blank. */
export function copyLine(line: XtermLine | undefined, into: Row, source: RowSource): void {
  const { words } = into;
  const cols = words.length / CELL_WORDS;
  into.clusters?.clear();
  into.extended?.clear();
  const length = line ? Math.min(cols, line._data.length / CELL_WORDS) : 0;
  if (line)
    words.set(length === line._data.length / CELL_WORDS ? line._data : line._data.subarray(0, length * CELL_WORDS));
  for (let at = length * CELL_WORDS; at < words.length; at += CELL_WORDS) {
    words[at] = BLANK_CONTENT;
    words[at + 1] = 0;
    words[at + 2] = 0;
  }
  if (line) normalise(line, into, length, source);
  cutWide(words, cols);
}

/** The inverse: makes a line hold the cells of a row; `adopt` gives the number of a link. */
export function pasteRow(
  row: Row,
  line: XtermLine,
  { extended, adopt }: { readonly extended: XtermExtended; readonly adopt: (link: Link) => number },
): void {
  if (line._data.length === row.words.length) line._data.set(row.words);
  else line._data = row.words.slice();
  line.length = row.words.length / CELL_WORDS;
  line._combined = {};
  line._extendedAttrs = {};
  for (const [x, text] of row.clusters ?? []) line._combined[x] = text;
  let last: { readonly from: CellExtension; readonly to: XtermExtended } | undefined;
  for (const [x, extension] of row.extended ?? []) {
    if (!last || !sameExtension(last.from, extension)) {
      const to = extended.clone();
      const style = extension.underlineStyle > 1 ? extension.underlineStyle : 0;
      to._ext = (style << UNDERLINE_SHIFT) | extension.underlineColor;
      to.urlId = extension.link ? adopt(extension.link) : 0;
      last = { from: extension, to };
    }
    line._extendedAttrs[x] = last.to;
  }
}

/** Puts the pane's colours in place of palette numbers and defaults in a whole row. */
export function recolorRow(row: Row, colors: RowColors): void {
  for (let at = 0; at < row.words.length; at += CELL_WORDS) recolor(row.words, at, colors);
}

function normalise(line: XtermLine, into: Row, length: number, source: RowSource): void {
  const { words } = into;
  for (let x = 0, at = 0; x < length; x++, at += CELL_WORDS) {
    if ((words[at] ?? 0) & CONTENT_IS_CLUSTER) {
      into.clusters ??= new Map();
      into.clusters.set(x, line._combined[x] ?? ' ');
    }
    const fg = words[at + 1] ?? 0;
    const bg = words[at + 2] ?? 0;
    if (hasLeftOver(fg)) words[at + 1] = (fg & ~COLOR_MASK) | colorWord(fg & COLOR_MASK);
    if (hasLeftOver(bg)) words[at + 2] = (bg & ~COLOR_MASK) | colorWord(bg & COLOR_MASK);
    if (bg & BG_EXTENDED) setExtension(line, into, x, source);
    if (source.colors) recolor(words, at, source.colors);
  }
}

function hasLeftOver(word: number): boolean {
  const mode = word & COLOR_MODE_MASK;
  return mode !== COLOR_RGB && (word & (mode === 0 ? COLOR_VALUE_MASK : 0xffff00)) !== 0;
}

function setExtension(line: XtermLine, into: Row, x: number, source: RowSource): void {
  const at = x * CELL_WORDS;
  const extended = extensionOf(line._extendedAttrs[x], source.links);
  const isUnderlined = ((into.words[at + 1] ?? 0) & FG_UNDERLINE) !== 0;
  if (!extended || (!isUnderlined && !extended.link)) {
    into.words[at + 2] = (into.words[at + 2] ?? 0) & ~BG_EXTENDED;
    return;
  }
  into.extended ??= new Map();
  into.extended.set(x, extended);
}

/** Puts the pane's own palette and default colours in place of palette numbers and defaults. */
function recolor(words: Uint32Array, at: number, colors: RowColors): void {
  words[at + 1] = recolored(words[at + 1] ?? 0, colors.foreground, colors.palette);
  words[at + 2] = recolored(words[at + 2] ?? 0, colors.background, colors.palette);
}

function recolored(word: number, whenDefault: number | undefined, palette: ReadonlyMap<number, number>): number {
  const mode = word & COLOR_MODE_MASK;
  if (mode === COLOR_RGB) return word;
  const color = mode === 0 ? whenDefault : palette.get(word & 0xff);
  return color === undefined ? word : (word & ~COLOR_MASK) | COLOR_RGB | color;
}

/** A wide character that the right edge cuts becomes blank, and so does a right half without its left. */
function cutWide(words: Uint32Array, cols: number): void {
  const last = (cols - 1) * CELL_WORDS;
  if ((words[last] ?? 0) >>> CONTENT_WIDTH_SHIFT === 2) words[last] = BLANK_CONTENT;
  for (let x = 0, at = 0; x < cols; x++, at += CELL_WORDS) {
    if ((words[at] ?? 0) >>> CONTENT_WIDTH_SHIFT !== 0) continue;
    if (x === 0 || (words[at - CELL_WORDS] ?? 0) >>> CONTENT_WIDTH_SHIFT !== 2) words[at] = BLANK_CONTENT;
  }
}
