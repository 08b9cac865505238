/**
 * A terminal as bytes and back: the lines of both buffers and everything else that decides what the program's next byte
 * does. Only of a terminal at rest (no sequence half read), so that the parser has no state worth keeping.
 *
 *   screen   u8 version, text (JSON of SavedState), tail of the history (history-store.ts), rows of the normal screen, rows
 *            of the alternate one if it is shown
 *   chunk    a full chunk of the history; it has a number and never changes, so that it needs to be written once
 */
import { BG_EXTENDED, blankRow, CELL_WORDS, CONTENT_IS_CLUSTER, type Link } from '../../protocol/cell.ts';
import { MplexError } from '../../protocol/errors.ts';
import { ByteReader, ByteWriter } from './byte-stream.ts';
import type {
  XtermAttributes,
  XtermBuffer,
  XtermCharset,
  XtermCore,
  XtermLine,
  XtermPrivateModes,
} from './emulator-internals.ts';
import { SealedChunk } from './history-chunk.ts';
import type { HistoryWindow } from './history-window.ts';
import type { Hyperlinks, SavedLinks } from './hyperlinks.ts';
import type { ProgramColors } from './program-colors.ts';
import type { PromptMarks, SavedMarks } from './prompt-marks.ts';
import { packRow, unpackRow } from './row-codec.ts';
import { copyLine, type RowSource } from './screen-row.ts';
import type { TerminalModes, TrackedModes } from './terminal-modes.ts';

/** Changes with any change of what is written. */
const VERSION = 3;

/** The parts of an emulator that are kept. */
export interface StateParts {
  readonly core: XtermCore;
  readonly modes: TerminalModes;
  readonly links: Hyperlinks;
  readonly colors: ProgramColors;
  readonly titles: string[];
  readonly options: { convertEol?: boolean | undefined };
  readonly history: HistoryWindow;
  readonly marks: PromptMarks;
}

/** What `Emulator.restore` needs: all that was packed, and what is not in the bytes. */
export interface PackedTerminal {
  /** Full chunks of the history. */
  readonly history: readonly Uint8Array[];
  readonly screen: Uint8Array;
  readonly title: string;
  /** `historyTrimmed`. */
  readonly trimmed: number;
  /** It was packed in the middle of a string whose rest is to be ignored, and which ends like this. */
  readonly cutString: CutString | undefined;
}

/** A string that ends with BEL or ST, or with ST alone. */
export type CutString = 'osc' | 'other';

/** A full chunk of a history. */
export interface HistoryPart {
  /** No other chunk of the terminal ever has it. */
  readonly id: number;
  /** About what it takes packed, bytes. */
  readonly byteLength: number;
  readonly pack: () => Uint8Array;
}

interface SavedPen {
  readonly fg: number;
  readonly bg: number;
  readonly ext: number;
  readonly link: Link | undefined;
}

interface SavedBuffer {
  readonly x: number;
  readonly y: number;
  readonly savedX: number;
  /** Row of the screen; negative: in the history. */
  readonly savedRow: number;
  readonly savedPen: SavedPen;
  readonly savedCharset: XtermCharset | undefined;
  readonly top: number;
  readonly bottom: number;
  readonly tabs: readonly number[];
}

interface SavedState {
  readonly cols: number;
  readonly rows: number;
  readonly isAlternate: boolean;
  readonly normal: SavedBuffer;
  readonly alt: SavedBuffer;
  readonly pen: SavedPen;
  readonly charset: XtermCharset | undefined;
  readonly charsets: readonly (XtermCharset | null | undefined)[];
  readonly glevel: number;
  readonly privateModes: XtermPrivateModes;
  readonly insert: boolean;
  readonly convertEol: boolean;
  readonly isCursorHidden: boolean;
  readonly mouse: XtermCore['coreMouseService']['activeProtocol'];
  readonly mouseEncoding: XtermCore['coreMouseService']['activeEncoding'];
  readonly joinState: number;
  readonly scrolled: number;
  readonly tracked: TrackedModes;
  readonly titles: readonly string[];
  readonly links: SavedLinks;
  readonly foreground: number | undefined;
  readonly background: number | undefined;
  readonly cursor: number | undefined;
  readonly palette: readonly (readonly [number, number])[];
  /** Absent in what a version without it packed. */
  readonly marks?: SavedMarks;
}

/** Everything but the full chunks of the history. */
export function packTerminal(parts: StateParts): Buffer {
  parts.history.packAll();
  const { core } = parts;
  const { buffers, rows } = core._bufferService;
  const writer = new ByteWriter();
  writer.u8(VERSION);
  const state = stateOf(parts);
  writer.text(JSON.stringify(state));
  parts.history.store.packTail(writer);
  packLines(writer, parts, buffers.normal, { from: buffers.normal.ybase, count: rows });
  if (state.isAlternate) packLines(writer, parts, buffers.alt, { from: buffers.alt.ybase, count: rows });
  return writer.finish();
}

/** The full chunks of the history, oldest first, and how each is written. */
export function historyChunks({ history }: StateParts): readonly HistoryPart[] {
  return history.store.chunks.map((chunk) => ({
    id: chunk.id,
    byteLength: chunk.byteLength,
    pack: () => {
      const writer = new ByteWriter();
      writer.u8(VERSION);
      chunk.pack(writer);
      return writer.finish();
    },
  }));
}

/** Throws MplexError `protocol` for what a version packed whose bytes this one does not know. */
export function checkVersion(bytes: Uint8Array): void {
  readVersion(new ByteReader(bytes));
}

/** The size of the terminal that `packTerminal` gave, in xterm's cells. */
export function packedSize(screen: Uint8Array): { readonly cols: number; readonly rows: number } {
  const { cols, rows } = readState(new ByteReader(screen));
  return { cols, rows };
}

/** Puts what was packed into a fresh terminal of the packed size. `history`: its chunks; one that is missing is a gap. */
export function unpackTerminal(
  parts: StateParts,
  packed: { readonly history: readonly Uint8Array[]; readonly screen: Uint8Array },
): void {
  const { core, history } = parts;
  const { buffers, cols, rows } = core._bufferService;
  const reader = new ByteReader(packed.screen);
  const state = readState(reader);
  parts.links.restore(state.links);
  const { normal } = buffers;
  const chunks = new Map(packed.history.map((bytes) => readChunk(bytes)).map((chunk) => [chunk.id, chunk]));
  history.store.restore(reader, (id) => chunks.get(id));
  normal.lines.trimStart(normal.lines.length);
  normal.ybase = 0;
  normal.ydisp = 0;
  for (let y = 0; y < rows; y++) normal.lines.push(unpackLine(history, reader, cols));
  if (state.isAlternate) {
    buffers.activateAltBuffer();
    for (let y = 0; y < rows; y++) buffers.alt.lines.set(y, unpackLine(history, reader, cols));
  }
  restoreBuffer(parts, normal, state.normal);
  restoreBuffer(parts, buffers.alt, state.alt);
  restoreState(parts, state);
}

function packLines(
  writer: ByteWriter,
  { core, links }: StateParts,
  buffer: XtermBuffer,
  { from, count }: { readonly from: number; readonly count: number },
): void {
  // Without the pane's own colours: those are looked up when a row is drawn.
  const source: RowSource = { links, colors: undefined };
  const row = blankRow(core._bufferService.cols);
  for (let index = from; index < from + count; index++) {
    const line = buffer.lines.get(index);
    copyLine(line, row, source);
    packRow(writer, row, line?.isWrapped ?? false);
  }
}

function unpackLine(history: HistoryWindow, reader: ByteReader, cols: number): XtermLine {
  return healed(history.lineOf(unpackRow(reader, cols)), cols);
}

/** Bytes of another version or of a fault must not leave a cell that refers to what is not there. */
function healed(line: XtermLine, cols: number): XtermLine {
  for (let x = 0; x < cols; x++) {
    const at = x * CELL_WORDS;
    const content = line._data[at] ?? 0;
    const bg = line._data[at + 2] ?? 0;
    if (content & CONTENT_IS_CLUSTER && line._combined[x] === undefined) line._combined[x] = ' ';
    if (bg & BG_EXTENDED && !line._extendedAttrs[x]) line._data[at + 2] = bg & ~BG_EXTENDED;
  }
  return line;
}

function stateOf(parts: StateParts): SavedState {
  const { core, modes, links, colors, titles, options } = parts;
  const { buffers, cols, rows } = core._bufferService;
  const input = core._inputHandler;
  return {
    cols,
    rows,
    isAlternate: buffers.active === buffers.alt,
    normal: bufferState(parts, buffers.normal),
    alt: bufferState(parts, buffers.alt),
    pen: penState(parts, input._curAttrData),
    charset: core._charsetService.charset,
    charsets: core._charsetService._charsets,
    glevel: core._charsetService.glevel,
    privateModes: { ...core.coreService.decPrivateModes },
    insert: core.coreService.modes.insertMode,
    convertEol: options.convertEol ?? false,
    isCursorHidden: core.coreService.isCursorHidden,
    mouse: core.coreMouseService.activeProtocol,
    mouseEncoding: core.coreMouseService.activeEncoding,
    joinState: input._parser.precedingJoinState,
    scrolled: parts.history.scrolled,
    tracked: modes.tracked,
    titles,
    links: links.saved,
    foreground: colors.foreground,
    background: colors.background,
    cursor: colors.cursor,
    palette: [...colors.palette],
    marks: parts.marks.saved,
  };
}

function bufferState(parts: StateParts, buffer: XtermBuffer): SavedBuffer {
  return {
    x: buffer.x,
    y: buffer.y,
    savedX: buffer.savedX,
    savedRow: buffer.savedY - buffer.ybase,
    savedPen: penState(parts, buffer.savedCurAttrData),
    savedCharset: buffer.savedCharset,
    top: buffer.scrollTop,
    bottom: buffer.scrollBottom,
    tabs: Object.keys(buffer.tabs).map(Number),
  };
}

function penState({ links }: StateParts, { fg, bg, extended }: XtermAttributes): SavedPen {
  const link = extended.urlId === 0 ? undefined : links.get(extended.urlId);
  return { fg, bg, ext: extended._ext, link };
}

/** A full chunk of a history. Throws MplexError `protocol` for bytes of another version. */
export function readChunk(bytes: Uint8Array): SealedChunk {
  const reader = new ByteReader(bytes);
  readVersion(reader);
  return SealedChunk.unpack(reader);
}

function readVersion(reader: ByteReader): void {
  const version = reader.u8();
  if (version !== VERSION) throw new MplexError('protocol', `screen of version ${version}, not ${VERSION}`);
}

/** What `packTerminal` begins with. Throws MplexError `protocol` for another version. */
export function readState(reader: ByteReader): SavedState {
  readVersion(reader);
  // Written by `packTerminal` of this version.
  return JSON.parse(reader.text()) as SavedState;
}

function restoreBuffer(parts: StateParts, buffer: XtermBuffer, state: SavedBuffer): void {
  buffer.x = state.x;
  buffer.y = state.y;
  buffer.savedX = state.savedX;
  buffer.savedY = Math.max(0, state.savedRow + buffer.ybase);
  restorePen(parts, buffer.savedCurAttrData, state.savedPen);
  buffer.savedCharset = state.savedCharset;
  buffer.scrollTop = state.top;
  buffer.scrollBottom = state.bottom;
  buffer.tabs = Object.fromEntries(state.tabs.map((column) => [column, true]));
}

function restorePen({ links }: StateParts, pen: XtermAttributes, state: SavedPen): void {
  pen.fg = state.fg;
  pen.bg = state.bg;
  pen.extended = pen.extended.clone();
  pen.extended._ext = state.ext;
  pen.extended.urlId = state.link ? links.adopt(state.link) : 0;
}

function restoreState(parts: StateParts, state: SavedState): void {
  const { core, modes, colors, titles, options, marks } = parts;
  if (state.marks) marks.restore(state.marks);
  restorePen(parts, core._inputHandler._curAttrData, state.pen);
  core._charsetService._charsets = state.charsets.map((charset) => charset ?? undefined);
  core._charsetService.glevel = state.glevel;
  core._charsetService.charset = state.charset;
  // JSON leaves out what is undefined: a cursor style that no program chose.
  const unset = { cursorStyle: undefined, cursorBlink: undefined };
  Object.assign(core.coreService.decPrivateModes, unset, state.privateModes);
  core.coreService.modes.insertMode = state.insert;
  core.coreService.isCursorHidden = state.isCursorHidden;
  core.coreMouseService.activeProtocol = state.mouse;
  core.coreMouseService.activeEncoding = state.mouseEncoding;
  core._inputHandler._parser.precedingJoinState = state.joinState;
  parts.history.scrolled = state.scrolled;
  options.convertEol = state.convertEol;
  modes.restore(state.tracked);
  titles.splice(0, titles.length, ...state.titles);
  colors.foreground = state.foreground;
  colors.background = state.background;
  colors.cursor = state.cursor;
  colors.palette.clear();
  for (const [index, color] of state.palette) colors.palette.set(index, color);
}
