/**
 * The lines of a packed terminal as text, for bytes that nobody vouches for (a journal on disk): nothing in them is
 * believed but the cells of rows, and of those come printable characters and our own SGR alone. Written to a fresh terminal
 * they pass its parser as a program's output would. Modes, links, colours of the palette and the alternate screen are left out.
 */
import { blankRow, cellStyle, cellText, type Row, rowColumns } from '../../protocol/cell.ts';
import { ByteReader } from './byte-stream.ts';
import { CapturePen, usedColumns } from './capture.ts';
import { readChunk, readState } from './emulator-state.ts';
import { endsEmpty, OpenChunk, type ReadableLines, startsWide } from './history-chunk.ts';
import { unpackRow } from './row-codec.ts';
import { SPAN_COLUMNS, SPAN_CONTINUES } from './wrap-layout.ts';

/** Characters of one cell that are kept. */
const CELL_TEXT_MAX = 64;
const NOT_PRINTABLE = /[\u0000-\u001f\u007f-\u009f]/g;

/** A row of a packed terminal. */
interface PackedPiece {
  readonly row: Row;
  /** Goes on the row before it. */
  readonly continues: boolean;
  /** Columns that it takes when another goes on it. */
  readonly columns: number;
}

/**
 * Gives the lines, oldest first: history, then the normal screen down to its last line with text. A line that was wrapped
 * is one. `history`: chunks as `historyChunks` packs them; `screen`: of `packScreen`. What cannot be read ends the text of
 * its part; `damaged` is told, once a part.
 */
export function* packedLines(
  packed: { readonly history: readonly Uint8Array[]; readonly screen: Uint8Array },
  damaged: (error: unknown) => void,
): Generator<string> {
  let line: string | undefined;
  let blanks = 0;
  for (const { text, continues } of pieceTexts(packed, damaged)) {
    if (continues && line !== undefined) line += text;
    else {
      // Blank lines count when something follows them.
      if (line === '') blanks++;
      else if (line !== undefined) {
        for (; blanks > 0; blanks--) yield '';
        yield line;
      }
      line = text;
    }
  }
  if (line === undefined || line === '') return;
  for (; blanks > 0; blanks--) yield '';
  yield line;
}

function* pieceTexts(
  packed: { readonly history: readonly Uint8Array[]; readonly screen: Uint8Array },
  damaged: (error: unknown) => void,
): Generator<{ readonly text: string; readonly continues: boolean }> {
  let before: PackedPiece | undefined;
  for (const part of [...packed.history.map(chunkPieces), screenPieces(packed.screen)]) {
    try {
      for (const piece of part) {
        if (before) yield { text: pieceText(before, piece), continues: before.continues };
        before = piece;
      }
    } catch (error) {
      damaged(error);
    }
  }
  if (before) yield { text: pieceText(before, undefined), continues: before.continues };
}

function* chunkPieces(bytes: Uint8Array): Generator<PackedPiece> {
  yield* linePieces(readChunk(bytes).load());
}

function* linePieces(lines: ReadableLines): Generator<PackedPiece> {
  for (let at = 0; at < lines.spans.length; at++) {
    const span = lines.spans[at] ?? 0;
    const packed = lines.packedRow(at);
    const { row } = unpackRow(new ByteReader(packed), new ByteReader(packed).varint());
    yield { row, continues: (span & SPAN_CONTINUES) !== 0, columns: span & SPAN_COLUMNS };
  }
}

/** The open chunk and the rows of the normal screen, behind what `packTerminal` writes before them. */
function* screenPieces(bytes: Uint8Array): Generator<PackedPiece> {
  const reader = new ByteReader(bytes);
  const { cols, rows } = readState(reader);
  // Next chunk, place of the first line, whether it begins wrapped; then the ids of the chunks.
  for (let i = 0; i < 3; i++) reader.varint();
  reader.u8();
  for (let left = reader.varint(); left > 0; left--) reader.varint();
  yield* linePieces(OpenChunk.unpack(reader));
  for (let y = 0; y < rows && reader.left > 0; y++) {
    const { row, isWrapped } = unpackRow(reader, clampColumns(cols));
    yield { row, continues: isWrapped, columns: rowColumns(row) };
  }
}

function clampColumns(cols: number): number {
  return Number.isInteger(cols) ? Math.min(0xffff, Math.max(1, cols)) : 1;
}

function pieceText({ row, columns }: PackedPiece, next: PackedPiece | undefined): string {
  // A wide character that did not fit has left a gap that is no text.
  const hasGap = next !== undefined && startsWide(next.row) && columns === rowColumns(row) && endsEmpty(row);
  const end = next?.continues ? Math.max(columns - (hasGap ? 1 : 0), usedColumns(row)) : usedColumns(row);
  const wide = rowColumns(row) >= end ? row : widened(row, end);
  const pen = new CapturePen();
  let text = '';
  let isStyled = false;
  for (let x = 0; x < end; x++) {
    const cell = cellText(wide, x).replace(NOT_PRINTABLE, ' ').slice(0, CELL_TEXT_MAX);
    if (cell === '') continue;
    const change = pen.moveTo(cellStyle(wide, x));
    if (change !== '') isStyled = true;
    text += change + cell;
  }
  return isStyled ? `${text}\x1b[m` : text;
}

function widened(row: Row, columns: number): Row {
  const wide = blankRow(columns);
  wide.words.set(row.words);
  wide.clusters = row.clusters;
  wide.extended = row.extended;
  return wide;
}
