/**
 * Prints text into the active buffer: xterm's own `print` replaced by one that writes runs of ASCII straight into a line's
 * memory, keeps clusters bounded and leaves invisible format characters out. Everything else (wrapping, wide characters
 * at the edge, insert mode, charsets) has the same result as xterm's.
 */
import {
  BG_EXTENDED,
  CELL_WORDS,
  CONTENT_CODEPOINT_MASK,
  CONTENT_IS_CLUSTER,
  CONTENT_WIDTH_MASK,
  CONTENT_WIDTH_SHIFT,
} from '../../protocol/cell.ts';
import { countCodePoints, isInvisibleFormat } from '../../protocol/clean-text.ts';
import { CLUSTER_MAX, charProperties, joinsPreceding, stateWidth } from '../../src/overlay/text-width.ts';
import type { XtermBuffer, XtermCore, XtermInputHandler, XtermLine } from './emulator-internals.ts';

const NARROW = 1 << CONTENT_WIDTH_SHIFT;
/**
 * A simple character has a width and never joins one before it, unless that is of a kind that joins what follows: break
 * kinds other (0), Hangul LV and LVT (8, 9), pictograph (11) and, as the one that follows, Hangul L (5).
 */
const SIMPLE_KINDS = (1 << 0) | (1 << 5) | (1 << 8) | (1 << 9) | (1 << 11);
/** Kinds after which a simple character is a cluster of its own. */
const JOINS_NOTHING_SIMPLE = SIMPLE_KINDS & ~(1 << 5);

/** Class of a code point: SIMPLE with break kind and width, or COMPLEX; 0 where it is not known yet. */
const SIMPLE = 0x80;
const COMPLEX = 0x40;
/** The planes that have nearly all text; the rest is looked up each time. */
const classes = new Uint8Array(0x20000);

function classOf(code: number): number {
  return classes[code] || classify(code);
}

function classify(code: number): number {
  const state = charProperties(code, 0);
  const kind = (state >> 3) & 0xf;
  const width = stateWidth(state);
  const isSimple = (SIMPLE_KINDS >> kind) & 1 && width > 0 && !isInvisibleFormat(code);
  const result = isSimple ? SIMPLE | (kind << 2) | width : COMPLEX;
  if (code < classes.length) classes[code] = result;
  return result;
}

/** The join state after a simple character. */
function stateOfClass(kind: number): number {
  return (((kind >> 2) & 0xf) << 3) | ((kind & 3) << 1);
}

export class Printer {
  readonly #core: XtermCore;
  readonly #input: XtermInputHandler;

  constructor(core: XtermCore) {
    this.#core = core;
    this.#input = core._inputHandler;
    this.#input._parser.setPrintHandler((data, start, end) => this.print(data, start, end));
  }

  /** Prints code points `start` to `end` (no controls among them) at the cursor. */
  print(data: Uint32Array, start: number, end: number): void {
    if (start >= end) return;
    const input = this.#input;
    const buffer = input._activeBuffer;
    const parser = input._parser;
    const charset = this.#core._charsetService.charset;
    const insert = this.#core.coreService.modes.insertMode;
    input._dirtyRowTracker.markDirty(buffer.y);
    this.#healLeft(buffer);
    let state = parser.precedingJoinState;
    let position = start;
    while (position < end) {
      if (!charset && !insert && (JOINS_NOTHING_SIMPLE >> ((state >> 3) & 0xf)) & 1) {
        const stop = this.#printSimple(data, position, end);
        if (stop > position) {
          position = stop;
          state = stateOfClass(classOf(data[position - 1] ?? 0));
          continue;
        }
      }
      const code = data[position++] ?? 0;
      state = this.#printOne(charset && code < 0x7f ? mapCharset(charset, code) : code, state, insert);
    }
    parser.precedingJoinState = state;
    this.#healRight(buffer);
    input._dirtyRowTracker.markDirty(buffer.y);
  }

  /** Writes simple characters up to the end of the row, the run or the data; returns where it stopped. */
  #printSimple(data: Uint32Array, start: number, end: number): number {
    const cols = this.#core._bufferService.cols;
    const buffer = this.#input._activeBuffer;
    if (buffer.x >= cols && classOf(data[start] ?? 0) !== COMPLEX) this.#passEdge(buffer, 1);
    const line = this.#currentLine(buffer);
    const { fg, bg, extended } = this.#input._curAttrData;
    const words = line._data;
    let { x } = buffer;
    let at = x * CELL_WORDS;
    let position = start;
    while (position < end) {
      const code = data[position] ?? 0;
      if (code < 0x7f && x < cols) {
        words[at] = code | NARROW;
        words[at + 1] = fg;
        words[at + 2] = bg;
        at += CELL_WORDS;
        x++;
        position++;
        continue;
      }
      const kind = classOf(code);
      if (kind === COMPLEX) break;
      const width = kind & 3;
      if (x + width > cols) break;
      words[at] = code | (width << CONTENT_WIDTH_SHIFT);
      words[at + 1] = fg;
      words[at + 2] = bg;
      if (width === 2) {
        words[at + 3] = 0;
        words[at + 4] = fg;
        words[at + 5] = bg;
        at += 2 * CELL_WORDS;
      } else at += CELL_WORDS;
      x += width;
      position++;
    }
    if (bg & BG_EXTENDED) {
      for (let column = buffer.x; column < x; column++) line._extendedAttrs[column] = extended;
    }
    buffer.x = x;
    return position;
  }

  /** Prints one code point and returns the join state after it. */
  #printOne(code: number, state: number, insert: boolean): number {
    if (isInvisibleFormat(code)) return state;
    const next = charProperties(code, state);
    if (joinsPreceding(next)) {
      this.#join(code, state, next);
      return state === 0 ? 0 : next;
    }
    const buffer = this.#input._activeBuffer;
    const cols = this.#core._bufferService.cols;
    const width = stateWidth(next) === 2 ? 2 : 1;
    if (buffer.x + width > cols && !this.#passEdge(buffer, width)) return next;
    const line = this.#currentLine(buffer);
    if (insert) this.#shiftRight(line, buffer, width);
    this.#setCell(line, buffer.x, code | (width << CONTENT_WIDTH_SHIFT));
    if (width === 2) this.#setCell(line, buffer.x + 1, 0);
    buffer.x += width;
    return next;
  }

  /** Adds a code point to the cluster left of the cursor; it may grow from one column to two. */
  #join(code: number, state: number, next: number): void {
    const buffer = this.#input._activeBuffer;
    if (buffer.x === 0) return;
    const cols = this.#core._bufferService.cols;
    const before = stateWidth(state);
    // A mark after a cursor move (state 0) joins what stands left of the cursor and keeps its width.
    const grow = state === 0 ? 0 : stateWidth(next) - before;
    let line = this.#currentLine(buffer);
    if (grow > 0 && buffer.x + grow > cols) {
      if (!this.#core.coreService.decPrivateModes.wraparound) return;
      line = this.#moveToNextRow(line, buffer, before);
    }
    const last = buffer.x - 1;
    const base = widthAt(line, last) === 0 && last > 0 ? last - 1 : last;
    addToCluster(line, base, String.fromCodePoint(code));
    if (grow > 0) {
      const at = base * CELL_WORDS;
      line._data[at] = ((line._data[at] ?? 0) & ~CONTENT_WIDTH_MASK) | (2 << CONTENT_WIDTH_SHIFT);
      this.#setCell(line, buffer.x, 0);
      buffer.x++;
    }
  }

  /** A cluster in the last column became wide: it goes to the start of the next row. */
  #moveToNextRow(line: XtermLine, buffer: XtermBuffer, width: number): XtermLine {
    const from = buffer.x - width;
    const at = from * CELL_WORDS;
    const cell = [line._data[at] ?? 0, line._data[at + 1] ?? 0, line._data[at + 2] ?? 0];
    const cluster = line._combined[from];
    const extended = line._extendedAttrs[from];
    for (let x = from; x < this.#core._bufferService.cols; x++) this.#setCell(line, x, NARROW);
    this.#wrap(buffer);
    const target = this.#currentLine(buffer);
    target._data.set(cell, 0);
    if (cluster !== undefined) target._combined[0] = cluster;
    if (extended) target._extendedAttrs[0] = extended;
    buffer.x = width;
    return target;
  }

  /** The cursor is too far right for `width` columns: wraps, or stays in the last column; false if it does not fit. */
  #passEdge(buffer: XtermBuffer, width: 1 | 2): boolean {
    const cols = this.#core._bufferService.cols;
    if (!this.#core.coreService.decPrivateModes.wraparound) {
      buffer.x = cols - 1;
      return width === 1;
    }
    const line = this.#currentLine(buffer);
    for (let x = buffer.x; x < cols; x++) this.#setCell(line, x, NARROW);
    this.#wrap(buffer);
    return true;
  }

  #wrap(buffer: XtermBuffer): void {
    buffer.x = 0;
    buffer.y++;
    if (buffer.y === buffer.scrollBottom + 1) {
      buffer.y--;
      this.#core._bufferService.scroll(this.#input._eraseAttrData(), true);
      return;
    }
    const { rows } = this.#core._bufferService;
    if (buffer.y >= rows) buffer.y = rows - 1;
    this.#currentLine(buffer).isWrapped = true;
    this.#input._dirtyRowTracker.markDirty(buffer.y);
  }

  #shiftRight(line: XtermLine, buffer: XtermBuffer, width: number): void {
    const { _curAttrData: pen } = this.#input;
    const cols = this.#core._bufferService.cols;
    line.insertCells(buffer.x, width, buffer.getNullCell(pen));
    if (widthAt(line, cols - 1) === 2) this.#setCell(line, cols - 1, NARROW);
  }

  #setCell(line: XtermLine, x: number, content: number): void {
    const { fg, bg, extended } = this.#input._curAttrData;
    const at = x * CELL_WORDS;
    if (bg & BG_EXTENDED) line._extendedAttrs[x] = extended;
    line._data[at] = content;
    line._data[at + 1] = fg;
    line._data[at + 2] = bg;
  }

  /** Printing over the right half of a wide character leaves no left half. */
  #healLeft(buffer: XtermBuffer): void {
    if (buffer.x === 0) return;
    const line = this.#currentLine(buffer);
    if (widthAt(line, buffer.x - 1) === 2) this.#setCell(line, buffer.x - 1, NARROW);
  }

  /** Printing over the left half of a wide character leaves no right half. */
  #healRight(buffer: XtermBuffer): void {
    if (buffer.x >= this.#core._bufferService.cols) return;
    const line = this.#currentLine(buffer);
    const content = line._data[buffer.x * CELL_WORDS] ?? NARROW;
    if ((content & (CONTENT_WIDTH_MASK | CONTENT_IS_CLUSTER | CONTENT_CODEPOINT_MASK)) === 0) {
      this.#setCell(line, buffer.x, NARROW);
    }
  }

  #currentLine(buffer: XtermBuffer): XtermLine {
    const line = buffer.lines.get(buffer.ybase + buffer.y);
    if (!line) throw new Error('the cursor is on no line');
    return line;
  }
}

function mapCharset(charset: Readonly<Record<string, string>>, code: number): number {
  return charset[String.fromCharCode(code)]?.codePointAt(0) ?? code;
}

function widthAt(line: XtermLine, x: number): number {
  return (line._data[x * CELL_WORDS] ?? 0) >>> CONTENT_WIDTH_SHIFT;
}

function addToCluster(line: XtermLine, x: number, mark: string): void {
  const at = x * CELL_WORDS;
  const content = line._data[at] ?? 0;
  const codePoint = content & CONTENT_CODEPOINT_MASK;
  const before = content & CONTENT_IS_CLUSTER ? (line._combined[x] ?? ' ') : String.fromCodePoint(codePoint || 0x20);
  // A cluster of CLUSTER_MAX units cannot have more code points than that; counting is for the rare long one.
  if (before.length >= CLUSTER_MAX && countCodePoints(before) >= CLUSTER_MAX) return;
  line._combined[x] = before + mark;
  line._data[at] = (content & CONTENT_WIDTH_MASK) | CONTENT_IS_CLUSTER;
}
