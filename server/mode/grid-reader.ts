/** Reads a grid as text, by columns. Lines that were read are kept: what is shown in a mode does not change. */
import {
  BG_PROMPT,
  BG_PROMPT_END,
  BLANK_CONTENT,
  blankRow,
  CELL_WORDS,
  cellText,
  type Row,
} from '../../protocol/cell.ts';
import { mayBeMarked } from '../terminal/line-cells.ts';
import type { FrozenGrid } from './frozen-grid.ts';

/** Lines kept; a page up and down again finds them. */
const KEPT_MAX = 4096;
/** Lines of a prompt with its command at most. */
const PROMPT_LINES_MAX = 200;

const hasHighByte = (characters: string) => /[\x80-\xff]/.test(characters);

export class GridReader {
  readonly view: FrozenGrid;
  readonly #row: Row;
  readonly #kept = new Map<number, readonly string[]>();

  constructor(view: FrozenGrid) {
    this.view = view;
    this.#row = blankRow(view.cols);
  }

  get cols(): number {
    return this.view.cols;
  }

  get lastLine(): number {
    return this.view.length - 1;
  }

  /** The text of each column of a line without the spaces at its end; '' for the right half of a wide character. */
  cells(line: number): readonly string[] {
    const kept = this.#kept.get(line);
    if (kept) return kept;
    this.view.row(line, this.#row);
    const cells: string[] = [];
    for (let x = 0; x < this.cols; x++) cells.push(cellText(this.#row, x));
    let end = cells.length;
    while (end > 0 && cells[end - 1] === ' ') end -= 1;
    cells.length = end;
    if (this.#kept.size >= KEPT_MAX) this.#kept.clear();
    this.#kept.set(line, cells);
    return cells;
  }

  /** Columns of a line, the spaces at its end left out. */
  lengthOf(line: number): number {
    return this.cells(line).length;
  }

  /** The text at a place: ' ' beyond the end of the line, '' for the right half of a wide character. */
  at(x: number, line: number): string {
    return this.cells(line)[x] ?? ' ';
  }

  /** Whether the last cell of a line was left empty because a wide character did not fit. */
  isCut(line: number): boolean {
    if (!this.isContinued(line) || this.at(1, line + 1) !== '') return false;
    this.view.row(line, this.#row);
    return this.#row.words[(this.cols - 1) * CELL_WORDS] === BLANK_CONTENT;
  }

  /** Whether a shell's prompt begins on the line (OSC 133). */
  hasPrompt(line: number): boolean {
    return this.#hasMark(line, BG_PROMPT);
  }

  /** The line behind a prompt and its command, as far as the shell has marked them. */
  outputStart(prompt: number): number {
    const end = Math.min(this.lastLine + 1, prompt + PROMPT_LINES_MAX);
    let last = prompt;
    for (let line = prompt + 1; line < end && !this.hasPrompt(line); line++) {
      if (this.#hasMark(line, BG_PROMPT | BG_PROMPT_END)) last = line;
    }
    return this.endOf(last) + 1;
  }

  /** The next line with a prompt from one behind `line` on, in a direction; undefined if there is none. */
  promptFrom(line: number, step: 1 | -1): number | undefined {
    const { view } = this;
    for (let at = line + step; at >= 0 && at <= this.lastLine; ) {
      const own = view.lineAt(at);
      const found = view.lines.findLine(own, step, { mayHave: hasHighByte, visit: mayBeMarked });
      if (found === undefined) return undefined;
      if (found !== own) at = step === 1 ? view.firstRowOf(found) : this.endOf(view.firstRowOf(found));
      for (; at >= 0 && at <= this.lastLine && view.lineAt(at) === found; at += step) if (this.hasPrompt(at)) return at;
    }
    return undefined;
  }

  #hasMark(line: number, mark: number): boolean {
    this.view.row(line, this.#row);
    const { words } = this.#row;
    const bits = BG_PROMPT | BG_PROMPT_END;
    for (let at = 2; at < words.length; at += CELL_WORDS)
      if (((words[at] ?? 0) & bits) >>> 0 === mark >>> 0) return true;
    return false;
  }

  /** Whether the next line goes on this one. */
  isContinued(line: number): boolean {
    return line < this.lastLine && this.view.isWrapped(line + 1);
  }

  /** First line of the wrapped line that this one is part of. */
  startOf(line: number): number {
    let at = line;
    while (at > 0 && this.view.isWrapped(at)) at -= 1;
    return at;
  }

  /** Last line of the wrapped line that this one is part of. */
  endOf(line: number): number {
    let at = line;
    while (this.isContinued(at)) at += 1;
    return at;
  }
}
