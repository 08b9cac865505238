/**
 * Resizing without losing text or the cursor's place. The history is packed and wraps by itself when somebody looks; only
 * the screen's lines are wrapped anew here, with the rest of the line that begins above it. xterm's own way of doing this
 * takes time in proportion to the history and leaves the cursor where it was.
 */
import {
  BLANK_CONTENT,
  blankRow,
  CELL_WORDS,
  CONTENT_CODEPOINT_MASK,
  CONTENT_IS_CLUSTER,
  copyCells,
  type Row,
  rowColumns,
} from '../../protocol/cell.ts';
import type { Size } from '../../protocol/geometry.ts';
import type { XtermBuffer, XtermCore } from './emulator-internals.ts';
import { contentColumns, endsEmpty, startsWide } from './history-chunk.ts';
import type { HistoryWindow } from './history-window.ts';
import type { PackedRow } from './row-codec.ts';
import { lastAtMost } from './wrap-layout.ts';

/** The content of a cell that holds a space. */
const SPACE = BLANK_CONTENT | 0x20;

/** Rows of the screen from the top, and places that keep to their characters. */
interface Picture {
  readonly rows: PackedRow[];
  readonly places: { x: number; y: number }[];
}

/** Brings the terminal to `size` with `resize`; the lines of the normal buffer and its cursors follow. */
export function resizeWithHistory(core: XtermCore, size: Size, history: HistoryWindow, resize: () => void): void {
  const { buffers, cols, rows } = core._bufferService;
  const { normal } = buffers;
  history.packAll();
  const cursor = { x: normal.x, y: normal.y };
  const saved = { x: normal.savedX, y: Math.max(0, normal.savedY - normal.ybase) };
  const picture: Picture = { rows: [], places: [cursor, saved] };
  for (let y = 0; y < rows; y++) {
    const line = normal.lines.get(normal.ybase + y);
    picture.rows.push({ row: history.rowOf(line, cols), isWrapped: line?.isWrapped ?? false });
  }
  // Fewer rows come first: blank ones below the cursor are gone before lines that wrap need room. A wider screen needs less
  // of it: nothing is to go that would have had its place.
  const least = size.cols > cols ? rows : Math.min(rows, size.rows);
  fitRows(picture, least, { cols, history, keepsBelow: false });
  const wrapped = size.cols === cols ? picture : rewrap(picture, { from: cols, to: size.cols }, history);
  // A screen that gets narrower and higher has the new rows for what wraps.
  const meanwhile = size.cols < cols ? size.rows : least;
  if (size.cols !== cols) fitRows(wrapped, meanwhile, { cols: size.cols, history, keepsBelow: true });
  fitRows(wrapped, size.rows, { cols: size.cols, history, keepsBelow: false });
  install(normal, wrapped, history);
  const flags = wrapped.rows.map(({ isWrapped }) => isWrapped);
  // xterm must find nothing to wrap.
  for (let y = 0; y < size.rows; y++) setWrapped(normal, y, false);
  const active = { x: buffers.active.x };
  resize();
  for (const [y, isWrapped] of flags.entries()) setWrapped(normal, y, isWrapped);
  // xterm moves a cursor that waits to wrap into the last column.
  if (buffers.active !== normal) buffers.active.x = Math.min(active.x, size.cols);
  normal.x = Math.min(cursor.x, size.cols);
  normal.y = Math.min(cursor.y, size.rows - 1);
  normal.savedX = Math.min(saved.x, size.cols - 1);
  normal.savedY = Math.min(saved.y, size.rows - 1);
}

/** Drops the rows below the cursor and shows as many rows of the history above instead. */
export function trimBelowCursor(core: XtermCore, history: HistoryWindow): void {
  const { rows } = core._bufferService;
  const { normal } = core._bufferService.buffers;
  history.packAll();
  const above = history.takeLast(rows - 1 - normal.y);
  const kept: PackedRow[] = [];
  for (let y = 0; y < rows - above.length; y++) {
    const line = normal.lines.get(y);
    kept.push({ row: history.rowOf(line, core._bufferService.cols), isWrapped: line?.isWrapped ?? false });
  }
  install(normal, { rows: [...above, ...kept], places: [] }, history);
  normal.y += above.length;
}

function setWrapped(buffer: XtermBuffer, y: number, isWrapped: boolean): void {
  const line = buffer.lines.get(y);
  if (line) line.isWrapped = isWrapped;
}

/** Makes the buffer hold these rows and nothing above them. */
function install(buffer: XtermBuffer, { rows }: Picture, history: HistoryWindow): void {
  const { lines } = buffer;
  const made = rows.map((one) => history.lineOf(one));
  lines.trimStart(lines.length);
  lines.maxLength = Math.max(lines.maxLength, made.length);
  for (const line of made) lines.push(line);
  buffer.ybase = 0;
  buffer.ydisp = 0;
}

/** Wraps the rows at another width. */
function rewrap({ rows, places }: Picture, width: { from: number; to: number }, history: HistoryWindow): Picture {
  const out: PackedRow[] = [];
  const moved = places.map((place) => ({ ...place }));
  for (let first = 0; first < rows.length; ) {
    let end = first + 1;
    while (end < rows.length && goesOn(rows[end])) end++;
    const pieces = rows.slice(first, end);
    const head = first === 0 && goesOn(pieces[0]) ? takeHead(history, pieces, width.to) : undefined;
    const line = joinRows(head ? [head, ...pieces] : pieces);
    const starts = rowStarts(line.row, width.to);
    for (const [i, place] of places.entries()) {
      if (place.y < first || place.y >= end) continue;
      const column = (line.starts[place.y - first + (head ? 1 : 0)] ?? 0) + place.x;
      const row = lastAtMost(starts, column);
      const x = column - (starts[row] ?? 0);
      // Behind the text a cursor that does not fit does not wait to wrap either.
      const most = column > contentColumns(line.row) ? width.to - 1 : width.to;
      moved[i] = { x: Math.min(x, most), y: out.length + row };
    }
    const isFirstWrapped = head ? head.isWrapped : first === 0 && (pieces[0]?.isWrapped ?? false);
    for (const [i, from] of starts.entries()) {
      const to = Math.min(starts[i + 1] ?? rowColumns(line.row), from + width.to);
      const row = blankRow(width.to);
      if (to > from) copyCells(line.row, from, row, 0, to - from);
      if (i + 1 < starts.length) fillGaps(row, to - from);
      out.push({ row, isWrapped: i > 0 || isFirstWrapped });
    }
    first = end;
  }
  for (const [i, place] of moved.entries()) Object.assign(places[i] ?? {}, place);
  return { rows: out, places };
}

/** What nobody wrote in the midst of a line becomes spaces: a row of nothing else still belongs to it. */
function fillGaps({ words }: Row, columns: number): void {
  for (let at = 0; at < columns * CELL_WORDS; at += CELL_WORDS) if (words[at] === BLANK_CONTENT) words[at] = SPACE;
}

/** The same for rows that come back from the history, which end empty where a wide character did not fit. */
function fillGapsOf(rows: readonly PackedRow[], after: PackedRow | undefined): void {
  for (const [i, { row }] of rows.entries()) {
    const next = rows[i + 1] ?? after;
    if (next?.isWrapped) fillGaps(row, rowColumns(row) - (startsWide(next.row) ? 1 : 0));
  }
}

/** A wrapped row with nothing in it is a line of its own: there is no telling where in the line it would be. */
function goesOn(one: PackedRow | undefined): boolean {
  return one?.isWrapped === true && contentColumns(one.row) > 0;
}

/** What the history has of the line that goes on in the first row, as far as it does not fill rows of the new width. */
function takeHead(history: HistoryWindow, [first]: readonly PackedRow[], cols: number): PackedRow | undefined {
  return first && history.store.takeUnfinished(cols, startsWide(first.row));
}

/** One row of a whole line, and the column that each piece begins at. All but the last piece count with all their columns. */
function joinRows(pieces: readonly PackedRow[]): { readonly row: Row; readonly starts: readonly number[] } {
  const starts: number[] = [];
  let total = 0;
  for (const [i, { row }] of pieces.entries()) {
    starts.push(total);
    const next = pieces[i + 1];
    total += next && endsEmpty(row) && startsWide(next.row) ? rowColumns(row) - 1 : rowColumns(row);
  }
  const whole = blankRow(total);
  for (const [i, { row }] of pieces.entries()) {
    const start = starts[i] ?? 0;
    copyCells(row, 0, whole, start, (starts[i + 1] ?? total) - start);
  }
  return { row: whole, starts };
}

/** Columns at which the rows of a line begin; colours behind its text do not wrap. */
function rowStarts(line: Row, cols: number): number[] {
  const columns = contentColumns(line);
  const starts = [0];
  for (let next = cols; next < columns; next = (starts.at(-1) ?? 0) + cols) {
    starts.push(line.words[next * CELL_WORDS] === 0 && cols > 1 ? next - 1 : next);
  }
  return starts;
}

/**
 * Makes the picture `count` rows high. Too many: rows below the cursor go first (with `keepsBelow` only blank ones), then
 * the top goes to the history. Too few: what scrolled off comes back (with `keepsBelow` only where the last row is used),
 * then blank rows follow.
 */
function fitRows(
  { rows, places }: Picture,
  count: number,
  { cols, history, keepsBelow }: { cols: number; history: HistoryWindow; keepsBelow: boolean },
): void {
  const [cursor] = places;
  while (rows.length > count && rows.length - 1 > (cursor?.y ?? 0)) {
    if (keepsBelow && !isBlank(rows.at(-1)?.row)) break;
    rows.pop();
  }
  const lacking = count - rows.length;
  let moved = 0;
  if (lacking < 0) {
    for (const { row, isWrapped } of rows.splice(0, -lacking)) history.append(row, isWrapped);
    moved = lacking;
    history.scrolled -= lacking;
  } else if (lacking > 0 && !(keepsBelow && (cursor?.y ?? 0) < rows.length - 1 && isBlank(rows.at(-1)?.row))) {
    const above = history.store.takeLast(Math.min(lacking, history.scrolled), cols);
    fillGapsOf(above, rows[0]);
    rows.unshift(...above);
    moved = above.length;
    history.scrolled -= moved;
  }
  while (rows.length < count) rows.push({ row: blankRow(cols), isWrapped: false });
  for (const place of places) {
    place.y += moved;
    // Its row went to the history: as tmux, the top left.
    if (place.y < 0) Object.assign(place, { x: 0, y: 0 });
  }
}

function isBlank(row: Row | undefined): boolean {
  if (!row) return true;
  for (let at = 0; at < row.words.length; at += CELL_WORDS) {
    const content = row.words[at] ?? BLANK_CONTENT;
    if (content & (CONTENT_CODEPOINT_MASK | CONTENT_IS_CLUSTER) || row.words[at + 2] !== 0) return false;
  }
  return true;
}
