/** Cells and text of lines that are kept as packed pieces. */
import { BLANK_CONTENT, CELL_WORDS, copyCells, type Row, rowColumns } from '../../protocol/cell.ts';
import { ByteReader } from './byte-stream.ts';
import type { ReadableLines } from './history-chunk.ts';
import { unpackRow } from './row-codec.ts';
import { type LineSpan, SPAN_COLUMNS } from './wrap-layout.ts';

/** The text of a line that has some pieces, without the spaces at its end. */
export function textOf(lines: ReadableLines, { first, end }: { readonly first: number; readonly end: number }): string {
  if (end === first + 1) return lines.text(first).trimEnd();
  let text = '';
  for (let piece = first; piece < end; piece++) {
    const lacking = ((lines.spans[piece] ?? 0) & SPAN_COLUMNS) - new ByteReader(lines.packedRow(piece)).varint();
    const part = lines.text(piece);
    // Of a row that a wide character did not fit in, the last cell is no text.
    text += lacking < 0 && piece < end - 1 ? part.slice(0, lacking) : part + ' '.repeat(Math.max(0, lacking));
  }
  return text.trimEnd();
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
