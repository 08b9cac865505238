/**
 * Scrolling, inserting and deleting lines, as tmux does them: what scrolls up out of any scroll region of the normal
 * screen goes to the history, and so does what a whole-screen erase removes. xterm's own loops take time in proportion to
 * `count * history`; these take `min(count, region) * rows`.
 */

import {
  BLANK_CONTENT,
  CELL_WORDS,
  CONTENT_CODEPOINT_MASK,
  CONTENT_IS_CLUSTER,
  CONTENT_WIDTH_SHIFT,
} from '../../protocol/cell.ts';
import type { XtermAttributes, XtermBuffer, XtermCore, XtermInputHandler, XtermLine } from './emulator-internals.ts';
import type { HistoryWindow } from './history-window.ts';

export class LineOperations {
  readonly #core: XtermCore;
  readonly #input: XtermInputHandler;
  readonly #history: HistoryWindow;
  /** An empty line's memory for the present width and erase colour. */
  #blank = new Uint32Array(0);
  #blankBg = -1;

  constructor(core: XtermCore, history: HistoryWindow) {
    this.#core = core;
    this.#history = history;
    this.#input = core._inputHandler;
    core._bufferService.scroll = (erase, isWrapped = false) => {
      const buffer = this.#buffer;
      this.#scrollUpOnce(buffer, { top: buffer.scrollTop, bottom: buffer.scrollBottom }, erase, isWrapped);
      this.#input._dirtyRowTracker.markRangeDirty(buffer.scrollTop, buffer.scrollBottom);
    };
    const parser = this.#input._parser;
    parser.registerCsiHandler({ final: 'L' }, (params) => this.#insertLines(params.params[0] || 1));
    parser.registerCsiHandler({ final: 'M' }, (params) => this.#deleteLines(params.params[0] || 1));
    parser.registerCsiHandler({ final: 'S' }, (params) => this.#scrollUp(params.params[0] || 1));
    parser.registerCsiHandler({ final: 'T' }, (params) => this.#scrollDown(params.params[0] || 1));
    parser.registerCsiHandler({ final: 'K' }, (params) => this.#eraseInLine(params.params[0] ?? 0));
    parser.registerCsiHandler({ final: 'X' }, (params) => this.#eraseCharacters(params.params[0] || 1));
    parser.registerCsiHandler({ final: 'J' }, (params) => this.#eraseScreen(params.params[0] ?? 0));
  }

  /** Moves the screen's lines down to the last used one into the history and leaves the screen blank. */
  clearIntoHistory(): void {
    const buffer = this.#buffer;
    const { rows } = this.#core._bufferService;
    let used = rows;
    while (used > 0 && isBlankLine(buffer.lines.get(buffer.ybase + used - 1))) used--;
    const erase = this.#input._eraseAttrData();
    for (let i = 0; i < used; i++) this.#scrollUpOnce(buffer, { top: 0, bottom: rows - 1 }, erase, false);
    for (let y = 0; y < rows - used; y++) {
      const line = buffer.lines.get(buffer.ybase + y);
      if (line) this.#makeBlank(line, erase, false);
    }
    // As in tmux, a higher screen does not bring back what was cleared.
    this.#history.scrolled = 0;
    this.#input._dirtyRowTracker.markAllDirty();
  }

  get #buffer(): XtermBuffer {
    return this.#input._activeBuffer;
  }

  #hasHistory(buffer: XtermBuffer): boolean {
    return buffer.lines.maxLength > this.#core._bufferService.rows;
  }

  /** ED: what is not a whole screen is left to xterm. */
  #eraseScreen(how: number): boolean {
    if (how === 3) {
      this.#history.clear();
      return true;
    }
    const buffer = this.#buffer;
    const { cols, rows } = this.#core._bufferService;
    if (how === 1 && buffer.y === rows - 1 && buffer.x >= cols - 1) {
      // The whole screen, in place; xterm looks at a line below the last one here, and fails.
      this.#eraseRows(buffer);
      return true;
    }
    const isWhole = how === 2 || (how === 0 && buffer.x === 0 && buffer.y === 0);
    if (!isWhole || !this.#hasHistory(buffer)) return false;
    this.clearIntoHistory();
    return true;
  }

  #eraseRows(buffer: XtermBuffer): void {
    const erase = this.#input._eraseAttrData();
    for (let y = 0; y < this.#core._bufferService.rows; y++) {
      const line = buffer.lines.get(buffer.ybase + y);
      if (line) this.#makeBlank(line, erase, false);
    }
    this.#input._dirtyRowTracker.markAllDirty();
  }

  /** EL. */
  #eraseInLine(how: number): boolean {
    const buffer = this.#buffer;
    const { cols } = this.#core._bufferService;
    const line = buffer.lines.get(buffer.ybase + buffer.y);
    if (!line) return true;
    // At the right edge with a wrap pending nothing is right of the cursor.
    const x = Math.min(buffer.x, cols);
    if (how === 0) this.#eraseCells(line, x, cols);
    else if (how === 1) this.#eraseCells(line, 0, Math.min(x + 1, cols));
    else if (how === 2) this.#eraseCells(line, 0, cols);
    if (how === 2 || (how === 0 && x === 0)) line.isWrapped = false;
    buffer.x = x;
    this.#input._dirtyRowTracker.markDirty(buffer.y);
    return true;
  }

  /** ECH. */
  #eraseCharacters(count: number): boolean {
    this.#input._restrictCursor();
    const buffer = this.#buffer;
    const line = buffer.lines.get(buffer.ybase + buffer.y);
    if (line) this.#eraseCells(line, buffer.x, Math.min(this.#core._bufferService.cols, buffer.x + count));
    return true;
  }

  /** Blanks the cells from `start` up to `end` in the erase colour, and halves of wide characters that this would leave. */
  #eraseCells(line: XtermLine, start: number, end: number): void {
    if (start >= end) return;
    const blank = this.#blankFor(this.#input._eraseAttrData().bg);
    const words = line._data;
    const isCut = (x: number) => (words[x * CELL_WORDS] ?? 0) >>> CONTENT_WIDTH_SHIFT === 0;
    const from = start > 0 && isCut(start) ? start - 1 : start;
    const to = end < this.#core._bufferService.cols && isCut(end) ? end + 1 : end;
    words.set(blank.subarray(from * CELL_WORDS, to * CELL_WORDS), from * CELL_WORDS);
  }

  #scrollUp(count: number): boolean {
    const buffer = this.#buffer;
    const region = { top: buffer.scrollTop, bottom: buffer.scrollBottom };
    const erase = this.#input._eraseAttrData();
    for (let i = Math.min(count, region.bottom - region.top + 1); i > 0; i--) {
      this.#scrollUpOnce(buffer, region, erase, false);
    }
    this.#input._dirtyRowTracker.markRangeDirty(region.top, region.bottom);
    return true;
  }

  #scrollDown(count: number): boolean {
    const buffer = this.#buffer;
    this.#rotate(buffer, { top: buffer.scrollTop, bottom: buffer.scrollBottom }, -count);
    return true;
  }

  #insertLines(count: number): boolean {
    return this.#shiftFromCursor(-count);
  }

  #deleteLines(count: number): boolean {
    return this.#shiftFromCursor(count);
  }

  /** The cursor keeps its column, as in tmux; in xterm it goes to the first. */
  #shiftFromCursor(by: number): boolean {
    this.#input._restrictCursor();
    const buffer = this.#buffer;
    if (buffer.y > buffer.scrollBottom || buffer.y < buffer.scrollTop) return true;
    this.#rotate(buffer, { top: buffer.y, bottom: buffer.scrollBottom }, by);
    return true;
  }

  /** Moves the region's lines up by `by` rows (down if negative); the lines that come in are blank. */
  #rotate(buffer: XtermBuffer, region: Region, by: number): void {
    const height = region.bottom - region.top + 1;
    const count = Math.min(Math.abs(by), height);
    const first = buffer.ybase + region.top;
    const lines: (XtermLine | undefined)[] = [];
    for (let i = 0; i < height; i++) lines.push(buffer.lines.get(first + i));
    const shift = by > 0 ? count : height - count;
    const erase = this.#input._eraseAttrData();
    for (let i = 0; i < height; i++) {
      const line = lines[(i + shift) % height];
      if (!line) continue;
      if (by > 0 ? i >= height - count : i < count) this.#makeBlank(line, erase, false);
      buffer.lines.set(first + i, line);
    }
    this.#input._dirtyRowTracker.markRangeDirty(region.top, region.bottom);
  }

  #scrollUpOnce(buffer: XtermBuffer, region: Region, erase: XtermAttributes, isWrapped: boolean): void {
    const { rows } = this.#core._bufferService;
    if (!this.#hasHistory(buffer)) {
      this.#rotateOne(buffer, region, erase, isWrapped);
      return;
    }
    const recycled = this.#history.makeRoom(buffer);
    if (recycled) this.#makeBlank(recycled, erase, isWrapped);
    else {
      const spare = this.#history.takeSpare();
      if (spare) this.#makeBlank(spare, erase, isWrapped);
      buffer.lines.push(spare ?? buffer.getBlankLine(erase, isWrapped));
      buffer.ybase++;
      buffer.ydisp = buffer.ybase;
      // Absolute in xterm; DECRC goes back to the place on the screen.
      buffer.savedY++;
    }
    // The screen's rows are now one index before `buffer.ybase` on; the blank line stands last.
    const before = buffer.ybase - 1;
    if (region.top === 0 && region.bottom === rows - 1) return;
    moveLine(buffer, before + region.top, before);
    moveLine(buffer, before + rows, before + 1 + region.bottom);
  }

  #rotateOne(buffer: XtermBuffer, region: Region, erase: XtermAttributes, isWrapped: boolean): void {
    const first = buffer.ybase + region.top;
    moveLine(buffer, first, buffer.ybase + region.bottom);
    const line = buffer.lines.get(buffer.ybase + region.bottom);
    if (line) this.#makeBlank(line, erase, isWrapped);
  }

  #makeBlank(line: XtermLine, erase: XtermAttributes, isWrapped: boolean): void {
    const cols = this.#core._bufferService.cols;
    const size = cols * CELL_WORDS;
    const blank = this.#blankFor(erase.bg);
    if (line._data.length === size) line._data.set(blank);
    else line._data = blank.slice();
    line.length = cols;
    for (const _ in line._combined) {
      line._combined = {};
      break;
    }
    for (const _ in line._extendedAttrs) {
      line._extendedAttrs = {};
      break;
    }
    line.isWrapped = isWrapped;
  }

  #blankFor(bg: number): Uint32Array {
    const size = this.#core._bufferService.cols * CELL_WORDS;
    if (this.#blank.length !== size || this.#blankBg !== bg) {
      this.#blank = new Uint32Array(size);
      for (let i = 0; i < size; i += CELL_WORDS) {
        this.#blank[i] = BLANK_CONTENT;
        this.#blank[i + 2] = bg;
      }
      this.#blankBg = bg;
    }
    return this.#blank;
  }
}

interface Region {
  readonly top: number;
  readonly bottom: number;
}

/** Takes the line at `from` out and puts it in at `to`; the lines between move by one. */
function moveLine(buffer: XtermBuffer, from: number, to: number): void {
  const { lines } = buffer;
  const line = lines.get(from);
  if (!line || from === to) return;
  const step = from < to ? 1 : -1;
  for (let i = from; i !== to; i += step) {
    const neighbour = lines.get(i + step);
    if (neighbour) lines.set(i, neighbour);
  }
  lines.set(to, line);
}

function isBlankLine(line: XtermLine | undefined): boolean {
  if (!line) return true;
  for (let i = 0; i < line._data.length; i += CELL_WORDS) {
    if ((line._data[i] ?? 0) & (CONTENT_CODEPOINT_MASK | CONTENT_IS_CLUSTER)) return false;
  }
  return true;
}
