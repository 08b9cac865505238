/** Cells and text of lines that are kept as packed pieces. */
import { BLANK_CONTENT, CELL_WORDS, copyCells, type Row, rowColumns } from '../../protocol/cell.ts';
import { ByteReader } from './byte-stream.ts';
import type { ReadableLines } from './history-chunk.ts';
import { hasStyles, unpackRow } from './row-codec.ts';
import { type LineSpan, SPAN_COLUMNS } from './wrap-layout.ts';

/** The pieces of a line among those of its chunk. */
export interface LinePieces {
  readonly first: number;
  readonly end: number;
}

/** Looks through lines (HistoryStore.findLine). */
export interface LineVisitor {
  readonly visit: (lines: ReadableLines, pieces: LinePieces) => boolean;
  readonly mayHave?: ((characters: string) => boolean) | undefined;
}

/** Whether a line may have a mark of a shell (OSC 133): cells with a mark are styled, with the highest bit of a byte. */
export function mayBeMarked(lines: ReadableLines, { first, end }: LinePieces): boolean {
  for (let piece = first; piece < end; piece++) {
    const packed = lines.packedRow(piece);
    if (hasStyles(packed) && packed.some((byte) => byte >= 0x80)) return true;
  }
  return false;
}

/** The text of a line that has some pieces, without the spaces at its end. */
export function textOf(lines: ReadableLines, { first, end }: LinePieces): string {
  if (end === first + 1) return trimSpaces(lines.text(first));
  let text = '';
  for (let piece = first; piece < end; piece++) {
    const lacking = ((lines.spans[piece] ?? 0) & SPAN_COLUMNS) - new ByteReader(lines.packedRow(piece)).varint();
    const part = lines.text(piece);
    // Of a row that a wide character did not fit in, the last cell is no text.
    text += lacking < 0 && piece < end - 1 ? part.slice(0, lacking) : part + ' '.repeat(Math.max(0, lacking));
  }
  return trimSpaces(text);
}

/** Other blanks at the end of a line were printed. */
function trimSpaces(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 0x20) end--;
  return text.slice(0, end);
}

/** Copies cells of a line, with the colours behind its end, into a row that is blank. */
export function readCells(
  { lines, span }: { readonly lines: ReadableLines; readonly span: LineSpan },
  { from, to: end }: { readonly from: number; readonly to: number },
  into: Row,
): void {
  const to = Math.min(end, from + rowColumns(into));
  let base = 0;
  for (let piece = span.first; piece < span.end && base < to; piece++) {
    const columns = (lines.spans[piece] ?? 0) & SPAN_COLUMNS;
    const isLast = piece === span.end - 1;
    if (base + columns > from || isLast) {
      const packed = lines.packedRow(piece);
      const used = new ByteReader(packed).varint();
      const { row } = unpackRow(new ByteReader(packed), Math.max(used, columns));
      const start = Math.max(0, from - base);
      const count = Math.min(isLast ? rowColumns(row) : columns, to - base) - start;
      if (count > 0) copyCells(row, start, into, base + start - from, count);
    }
    base += columns;
  }
}

/** Makes all cells blank. */
export function clearRow(row: Row): void {
  const { words } = row;
  for (let at = 0; at < words.length; at += CELL_WORDS) {
    words[at] = BLANK_CONTENT;
    words[at + 1] = 0;
    words[at + 2] = 0;
  }
  row.clusters?.clear();
  row.extended?.clear();
}
