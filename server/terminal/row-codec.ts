/**
 * Rows of cells as few bytes: a row of plain text takes one byte a cell, one with colours two to six.
 *
 *   row    varint used columns, u8 flags, text, styles if FLAG_STYLED
 *   text   without FLAG_RICH one byte a cell, the ASCII code (0 for an empty cell); else a narrow character is UTF-8 and a
 *          byte that UTF-8 does not use begins all others (MARK_*)
 *   styles runs that cover the used columns: u8 (bits 0-2 what is there, bits 3-7 the length, 0: as a varint behind), then
 *          the two colour words and the extension where they say something
 *
 * Columns behind the used ones are blank. A row stands for itself: links and underlines are written in it.
 */
import {
  BG_EXTENDED,
  BLANK_CONTENT,
  blankRow,
  CELL_WORDS,
  type CellExtension,
  COLOR_MODE_MASK,
  COLOR_RGB,
  CONTENT_CODEPOINT_MASK,
  CONTENT_IS_CLUSTER,
  CONTENT_WIDTH_SHIFT,
  cellWidth,
  type Row,
  sameExtension,
  type UnderlineStyle,
} from '../../protocol/cell.ts';
import { ByteReader, type ByteWriter, malformed } from './byte-stream.ts';

const FLAG_WRAPPED = 1;
const FLAG_STYLED = 2;
const FLAG_RICH = 4;

/** Before a wide character. */
const MARK_WIDE = 0xf8;
/** The right half of a wide character. */
const MARK_HALF = 0xf9;
/** Before width and text of a cluster. */
const MARK_CLUSTER = 0xfa;
/** Before a content word as it is. */
const MARK_RAW = 0xfb;

const HAS_FG = 1;
const HAS_BG = 2;
const HAS_EXTENSION = 4;
const COUNT_SHIFT = 3;
const COUNT_MAX = 31;
/** Columns of a row at most; more is no row. */
const COLUMNS_MAX = 0xffff;
/** The greatest number of bytes that one cell's text takes, clusters apart. */
const CELL_BYTES_MAX = 5;

export interface PackedRow {
  readonly row: Row;
  /** Goes on the row above it. */
  readonly isWrapped: boolean;
}

/** Appends a row. */
export function packRow(writer: ByteWriter, row: Row, isWrapped: boolean): void {
  const used = usedColumns(row.words);
  writer.varint(used);
  const flags = (isWrapped ? FLAG_WRAPPED : 0) | (isStyled(row.words, used) ? FLAG_STYLED : 0);
  if (!packPlain(writer, row.words, used, flags)) {
    writer.u8(flags | FLAG_RICH);
    packRich(writer, row, used);
  }
  if (flags & FLAG_STYLED) packStyles(writer, row, used);
}

/** Whether a packed row has more than text. */
export function hasStyles(packed: Uint8Array): boolean {
  let at = 0;
  while ((packed[at] ?? 0) >= 0x80) at++;
  return ((packed[at + 1] ?? 0) & FLAG_STYLED) !== 0;
}

/** Reads a row of `cols` columns; columns that it has beyond them are cut. */
export function unpackRow(reader: ByteReader, cols: number): PackedRow {
  const used = reader.varint();
  if (used > COLUMNS_MAX) throw malformed('a row is too long');
  const flags = reader.u8();
  const row = blankRow(Math.max(cols, used));
  if (flags & FLAG_RICH) unpackRich(reader, row, used);
  else {
    const text = reader.raw(used);
    for (let x = 0; x < used; x++) row.words[x * CELL_WORDS] = BLANK_CONTENT | (text[x] ?? 0);
  }
  if (flags & FLAG_STYLED) unpackStyles(reader, row, used);
  return { row: used > cols ? cut(row, cols) : row, isWrapped: (flags & FLAG_WRAPPED) !== 0 };
}

/**
 * The text of the packed row that stands at a place of `bytes`, up to its used columns: empty cells are spaces, right halves
 * of wide characters are nothing. Quicker than unpacking it. Throws MplexError `protocol`.
 */
export function packedText(bytes: Buffer, start: number, end: number): string {
  let at = start;
  let used = 0;
  for (let shift = 0; shift < 21; shift += 7) {
    const byte = bytes[at++] ?? 0;
    used |= (byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  if (used > COLUMNS_MAX || at >= end) throw malformed('a row is too long');
  if ((bytes[at++] ?? 0) & FLAG_RICH) return richText(bytes.subarray(at, end), used);
  const text = bytes.toString('latin1', at, at + used);
  return text.includes('\0') ? text.replaceAll('\0', ' ') : text;
}

/** Leaves out the marks; what is left is UTF-8. */
function richText(bytes: Buffer, used: number): string {
  // No cell has more bytes of text than its packed form.
  const text = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  let at = 0;
  for (let cells = 0; cells < used; cells++) {
    const lead = bytes[at] ?? MARK_HALF;
    at++;
    if (lead === MARK_HALF) continue;
    if (lead === MARK_RAW) {
      const raw = bytes.readUInt32LE(at) & CONTENT_CODEPOINT_MASK;
      length += text.write(isCharacter(raw) && raw !== 0 ? String.fromCodePoint(raw) : ' ', length, 'utf8');
      at += 4;
    } else if (lead === MARK_CLUSTER) {
      const reader = new ByteReader(bytes.subarray(at + 1));
      const cluster = reader.block();
      text.set(cluster, length);
      length += cluster.length;
      at = bytes.length - reader.left;
    } else {
      text[length++] = lead === MARK_WIDE ? (bytes[at++] ?? 0) : lead || 0x20;
      while (((bytes[at] ?? 0) & 0xc0) === 0x80) text[length++] = bytes[at++] ?? 0;
    }
  }
  return text.toString('utf8', 0, length);
}

function usedColumns(words: Uint32Array): number {
  let at = words.length - CELL_WORDS;
  while (at >= 0 && words[at] === BLANK_CONTENT && words[at + 1] === 0 && words[at + 2] === 0) at -= CELL_WORDS;
  return at / CELL_WORDS + 1;
}

function isStyled(words: Uint32Array, used: number): boolean {
  for (let at = 0; at < used * CELL_WORDS; at += CELL_WORDS) if (words[at + 1] || words[at + 2]) return true;
  return false;
}

/** Flags and a byte a cell; false, and nothing written, if there is more than ASCII. */
function packPlain(writer: ByteWriter, words: Uint32Array, used: number, flags: number): boolean {
  const { bytes, at } = writer.reserve(used + 1);
  bytes[at] = flags;
  let next = at + 1;
  for (let from = 0; from < used * CELL_WORDS; from += CELL_WORDS) {
    const code = (words[from] ?? 0) ^ BLANK_CONTENT;
    if (code > 0x7f) return false;
    bytes[next++] = code;
  }
  writer.advance(used + 1);
  return true;
}

function packRich(writer: ByteWriter, row: Row, used: number): void {
  let { bytes, at } = writer.reserve(used * CELL_BYTES_MAX);
  let start = at;
  for (let x = 0; x < used; x++) {
    const content = row.words[x * CELL_WORDS] ?? 0;
    const code = content & CONTENT_CODEPOINT_MASK;
    const cluster = content & CONTENT_IS_CLUSTER ? row.clusters?.get(x) : undefined;
    if (cluster !== undefined) {
      writer.advance(at - start);
      writer.u8(MARK_CLUSTER);
      writer.u8(cellWidth(content));
      writer.text(cluster);
      ({ bytes, at } = writer.reserve((used - x) * CELL_BYTES_MAX));
      start = at;
    } else if (content === 0) bytes[at++] = MARK_HALF;
    else at = packCell(bytes, at, content, code);
  }
  writer.advance(at - start);
}

/** A cell that is neither a cluster nor a right half; returns the place behind it. */
function packCell(bytes: Buffer, start: number, content: number, code: number): number {
  const width = cellWidth(content);
  let at = start;
  if (content & CONTENT_IS_CLUSTER || !isCharacter(code) || width === 0 || width === 3) {
    bytes[at] = MARK_RAW;
    return bytes.writeUInt32LE(content, at + 1);
  }
  if (width === 2) bytes[at++] = MARK_WIDE;
  if (code < 0x80) bytes[at++] = code;
  else if (code < 0x800) {
    bytes[at++] = 0xc0 | (code >> 6);
    bytes[at++] = 0x80 | (code & 0x3f);
  } else {
    if (code < 0x10000) bytes[at++] = 0xe0 | (code >> 12);
    else {
      bytes[at++] = 0xf0 | (code >> 18);
      bytes[at++] = 0x80 | ((code >> 12) & 0x3f);
    }
    bytes[at++] = 0x80 | ((code >> 6) & 0x3f);
    bytes[at++] = 0x80 | (code & 0x3f);
  }
  return at;
}

function isCharacter(code: number): boolean {
  return code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
}

function unpackRich(reader: ByteReader, row: Row, used: number): void {
  for (let x = 0; x < used; x++) {
    const lead = reader.u8();
    row.words[x * CELL_WORDS] = unpackContent(reader, lead, (text) => {
      row.clusters ??= new Map();
      row.clusters.set(x, text);
    });
  }
}

function unpackContent(reader: ByteReader, lead: number, setCluster: (text: string) => void): number {
  switch (lead) {
    case MARK_HALF:
      return 0;
    case MARK_RAW:
      return reader.u32();
    case MARK_WIDE:
      return (2 << CONTENT_WIDTH_SHIFT) | unpackCharacter(reader, reader.u8());
    case MARK_CLUSTER: {
      const width = reader.u8() & 3;
      setCluster(reader.text());
      return CONTENT_IS_CLUSTER | (width << CONTENT_WIDTH_SHIFT);
    }
    default:
      return BLANK_CONTENT | unpackCharacter(reader, lead);
  }
}

function unpackCharacter(reader: ByteReader, lead: number): number {
  if (lead < 0x80) return lead;
  if (lead < 0xc2 || lead > 0xf4) throw malformed('no character');
  const more = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
  let code = lead & (0x3f >> more);
  for (let i = 0; i < more; i++) code = (code << 6) | (reader.u8() & 0x3f);
  if (!isCharacter(code)) throw malformed('no character');
  return code;
}

function packStyles(writer: ByteWriter, row: Row, used: number): void {
  const { words } = row;
  for (let x = 0; x < used; ) {
    const fg = words[x * CELL_WORDS + 1] ?? 0;
    const bg = words[x * CELL_WORDS + 2] ?? 0;
    const extension = extensionAt(row, x, bg);
    let end = x + 1;
    while (
      end < used &&
      words[end * CELL_WORDS + 1] === fg &&
      words[end * CELL_WORDS + 2] === bg &&
      sameExtension(extensionAt(row, end, bg), extension)
    )
      end++;
    const count = end - x;
    const what = (fg ? HAS_FG : 0) | (bg ? HAS_BG : 0) | (extension ? HAS_EXTENSION : 0);
    writer.u8(what | ((count <= COUNT_MAX ? count : 0) << COUNT_SHIFT));
    if (count > COUNT_MAX) writer.varint(count);
    if (fg) packColorWord(writer, fg);
    if (bg) packColorWord(writer, bg);
    if (extension) packExtension(writer, extension);
    x = end;
  }
}

function extensionAt(row: Row, x: number, bg: number): CellExtension | undefined {
  return bg & BG_EXTENDED ? row.extended?.get(x) : undefined;
}

function unpackStyles(reader: ByteReader, row: Row, used: number): void {
  for (let x = 0; x < used; ) {
    const head = reader.u8();
    const count = head >> COUNT_SHIFT || reader.varint();
    const fg = head & HAS_FG ? unpackColorWord(reader) : 0;
    const bg = head & HAS_BG ? unpackColorWord(reader) : 0;
    const extension = head & HAS_EXTENSION ? unpackExtension(reader) : undefined;
    if (count === 0 || x + count > used) throw malformed('a run of cells is too long');
    for (const end = x + count; x < end; x++) {
      row.words[x * CELL_WORDS + 1] = fg;
      row.words[x * CELL_WORDS + 2] = bg;
      if (!extension) continue;
      row.extended ??= new Map();
      row.extended.set(x, extension);
    }
  }
}

/** Flags and colour mode, then as many bytes of the colour as its mode has. */
function packColorWord(writer: ByteWriter, word: number): void {
  writer.u8(word >>> 24);
  const mode = word & COLOR_MODE_MASK;
  if (mode === 0) return;
  writer.u8(word & 0xff);
  if (mode !== COLOR_RGB) return;
  writer.u8((word >>> 8) & 0xff);
  writer.u8((word >>> 16) & 0xff);
}

function unpackColorWord(reader: ByteReader): number {
  const high = reader.u8() * 0x1000000;
  const mode = high & COLOR_MODE_MASK;
  if (mode === 0) return high;
  const low = reader.u8();
  if (mode !== COLOR_RGB) return high + low;
  const middle = reader.u8();
  return high + reader.u8() * 0x10000 + middle * 0x100 + low;
}

function packExtension(writer: ByteWriter, { underlineStyle, underlineColor, link }: CellExtension): void {
  writer.u8(underlineStyle | (link ? 0x80 : 0));
  writer.u32(underlineColor);
  if (!link) return;
  writer.text(link.id);
  writer.text(link.uri);
}

function unpackExtension(reader: ByteReader): CellExtension {
  const head = reader.u8();
  const style = head & 0x7f;
  if (style > 5) throw malformed('no such underline');
  const underlineStyle = style as UnderlineStyle; // Checked above.
  const underlineColor = reader.u32();
  const link = head & 0x80 ? { id: reader.text(), uri: reader.text() } : undefined;
  return { underlineStyle, underlineColor, link };
}

function cut(row: Row, cols: number): Row {
  const clusters = row.clusters && new Map([...row.clusters].filter(([x]) => x < cols));
  const extended = row.extended && new Map([...row.extended].filter(([x]) => x < cols));
  return { words: row.words.slice(0, cols * CELL_WORDS), clusters, extended };
}
