/**
 * The marks that shells make around prompts, commands and output (OSC 133, as FinalTerm began it and kitty, iTerm2 and
 * WezTerm go on): A, N or P before a prompt, B or I after it, C before the output of the command, D with its exit code.
 * Few shells make all of them: A alone is enough to find prompts, C tells where the output of a longer command begins.
 *
 * A mark is a flag of a cell, so that it goes wherever its line does: BG_PROMPT on a line where a prompt begins, with
 * BG_PROMPT_END on a later one, behind which output begins. When A comes there is no cell yet; the line is marked when the
 * cursor leaves it by a line feed, when the next mark comes, or when somebody looks (`settle`).
 *
 * Exit codes are kept with the prompt that follows, until the lines are wrapped anew.
 */
import {
  BG_PROMPT,
  BG_PROMPT_END,
  CELL_WORDS,
  CONTENT_CODEPOINT_MASK,
  CONTENT_IS_CLUSTER,
} from '../../protocol/cell.ts';
import type { XtermBuffer, XtermCore } from './emulator-internals.ts';
import type { HistoryWindow } from './history-window.ts';

/** Prompts whose code is kept; the oldest are forgotten first. */
const KEPT_MAX = 10_000;
/** Fields of a mark that are looked at. */
const FIELDS_MAX = 16;
/** Prompts that go on: of a second line of a command, of a continued one, and at the right (kitty, `k=`). */
const MINOR_PROMPT = /^k=[scr]$/;

/**
 * What the shell is about: `begun` after A, as long as its line is not marked; `placed` when it is; `prompted` after B;
 * `entered` after B and a line feed; `running` after C.
 */
type Phase = 'unknown' | 'begun' | 'placed' | 'prompted' | 'entered' | 'running';

/** What is stored with the terminal beside the flags of its cells. */
export interface SavedMarks {
  /** Rows and exit codes by turns, each row as its distance from the one before, which need not be above it. */
  readonly codes: readonly number[];
  readonly phase: Phase;
  readonly told: number | undefined;
  readonly marksOutput: boolean;
}

export class PromptMarks {
  readonly #core: XtermCore;
  readonly #history: HistoryWindow;
  /** By the row of the prompt, counted from the first that the pane ever had. */
  readonly #codes = new Map<number, number>();
  #phase: Phase = 'unknown';
  /** Exit code of the command before the prompt that comes next, or that may be printed anew yet. */
  #told: number | undefined;
  /** The shell has marked where output begins: as long as it has not, the cursor is in the prompt or in the command. */
  #marksOutput = false;

  constructor(core: XtermCore, history: HistoryWindow) {
    this.#core = core;
    this.#history = history;
  }

  /** A mark: what stands behind `133;`. */
  take(payload: string): void {
    const [kind, ...fields] = payload.split(';', FIELDS_MAX);
    switch (kind) {
      case 'A':
      case 'N':
      case 'P':
        if (!fields.some((field) => MINOR_PROMPT.test(field))) this.#begin();
        break;
      case 'B':
      case 'I':
        this.#endPrompt();
        break;
      case 'C':
        this.#startOutput();
        break;
      case 'D':
        if (this.#phase === 'begun') this.#markLine();
        this.#enter('unknown');
        this.#told = exitCode(fields[0]);
        break;
    }
  }

  /** Marks the line of a prompt that is begun, for who looks now; it may be printed anew yet. */
  settle(): void {
    if (this.#phase === 'begun') this.#markLine();
    else if (this.#phase === 'placed' && this.#marksOutput) this.#markEnd();
  }

  /** Another program begins; what is marked stays. */
  reset(): void {
    this.#enter('unknown');
    this.#marksOutput = false;
  }

  /** Exit codes by the row's index in the history with the screen behind it. */
  exitsByRow(): ReadonlyMap<number, number> {
    const { trimmed } = this.#history;
    return new Map([...this.#codes].map(([row, code]) => [row - trimmed, code]));
  }

  /** What `restore` needs. */
  get saved(): SavedMarks {
    const codes: number[] = [];
    let before = 0;
    for (const [row, code] of this.#codes) {
      codes.push(row - before, code);
      before = row;
    }
    return { codes, phase: this.#phase, told: this.#told, marksOutput: this.#marksOutput };
  }

  /** Goes on where another one was, on the same rows. */
  restore({ codes, phase, told, marksOutput }: SavedMarks): void {
    let row = 0;
    for (let at = 0; at + 1 < codes.length; at += 2) {
      row += codes[at] ?? 0;
      this.#codes.set(row, codes[at + 1] ?? 0);
    }
    this.#enter(phase);
    this.#told = told;
    this.#marksOutput = marksOutput;
  }

  /** Rows have other numbers now. */
  forgetExits(): void {
    this.#codes.clear();
  }

  #begin(): void {
    if (this.#phase === 'begun') this.#markLine();
    this.#enter('begun');
  }

  #endPrompt(): void {
    if (this.#phase === 'begun') {
      // An empty prompt is marked with the command.
      if (this.#markLine()) this.#enter('prompted');
    } else if (this.#phase === 'placed') {
      this.#markEnd();
      this.#enter('prompted');
    } else {
      // Nothing was said where it began.
      const buffer = this.#buffer;
      const cell = buffer && lastUsed(buffer, buffer.ybase + buffer.y, buffer.x);
      if (cell) this.#markStart(cell);
      this.#enter('prompted');
    }
  }

  #startOutput(): void {
    this.#marksOutput = true;
    if (this.#phase === 'begun') this.#markLine();
    else if (this.#phase !== 'unknown' && this.#phase !== 'running') this.#markEnd();
    if (this.#phase !== 'unknown') this.#enter('running');
  }

  /** Output is made of line feeds: they are listened to only where one means something. */
  #enter(phase: Phase): void {
    const { _inputHandler: input } = this.#core;
    if (phase !== 'begun' && phase !== 'prompted') this.#told = undefined;
    this.#phase = phase;
    input._parser.setExecuteHandler('\n', () => {
      if (phase === 'begun' && this.#markLine()) this.#enter('placed');
      else if (phase === 'prompted') this.#enter('entered');
      return input.lineFeed();
    });
  }

  /** The normal screen's, if it is shown: nothing else has prompts. */
  get #buffer(): XtermBuffer | undefined {
    const { normal } = this.#core._bufferService.buffers;
    return this.#core._inputHandler._activeBuffer === normal ? normal : undefined;
  }

  /** Marks the whole line that the cursor is on; false if there is nothing on it yet. */
  #markLine(): boolean {
    const buffer = this.#buffer;
    if (!buffer) return false;
    let row = buffer.ybase + buffer.y;
    while (row > 0 && buffer.lines.get(row)?.isWrapped) row--;
    const data = buffer.lines.get(row)?._data;
    if (!data) return false;
    for (let x = 0; x < data.length / CELL_WORDS; x++) {
      if (!isUsed(data, x)) continue;
      this.#markStart({ row, x });
      return true;
    }
    return false;
  }

  #markStart({ row, x }: Cell): void {
    const buffer = this.#buffer;
    const data = buffer?.lines.get(row)?._data;
    if (!buffer || !data) return;
    const at = x * CELL_WORDS + 2;
    data[at] = ((data[at] ?? 0) | BG_PROMPT) & ~BG_PROMPT_END;
    this.#keepCode(this.#history.trimmed + this.#history.length - buffer.ybase + row);
  }

  /** Marks the last character before the cursor. */
  #markEnd(): void {
    const buffer = this.#buffer;
    if (!buffer) return;
    let end = buffer.x;
    for (let row = buffer.ybase + buffer.y; row >= buffer.ybase; row--, end = Number.POSITIVE_INFINITY) {
      const cell = lastUsed(buffer, row, end);
      if (!cell) continue;
      const data = buffer.lines.get(row)?._data;
      const at = cell.x * CELL_WORDS + 2;
      if (data && !((data[at] ?? 0) & BG_PROMPT)) data[at] = (data[at] ?? 0) | BG_PROMPT | BG_PROMPT_END;
      return;
    }
  }

  #keepCode(row: number): void {
    // Another prompt may have been there before the screen was cleared.
    this.#codes.delete(row);
    if (this.#told === undefined) return;
    this.#codes.set(row, this.#told);
    const [oldest] = this.#codes.keys();
    if (this.#codes.size > KEPT_MAX && oldest !== undefined) this.#codes.delete(oldest);
  }
}

/** A cell of a buffer; rows counted from its first line. */
interface Cell {
  readonly row: number;
  readonly x: number;
}

/** The last cell before column `end` that is neither empty nor blank. */
function lastUsed(buffer: XtermBuffer, row: number, end: number): Cell | undefined {
  const data = buffer.lines.get(row)?._data;
  if (!data) return undefined;
  for (let x = Math.min(end, data.length / CELL_WORDS) - 1; x >= 0; x--) if (isUsed(data, x)) return { row, x };
  return undefined;
}

/** Blanks stay blanks: they are not marked. */
function isUsed(data: Uint32Array, x: number): boolean {
  const character = (data[x * CELL_WORDS] ?? 0) & (CONTENT_CODEPOINT_MASK | CONTENT_IS_CLUSTER);
  return character !== 0 && character !== 0x20;
}

function exitCode(field: string | undefined): number | undefined {
  return field !== undefined && /^\d{1,3}$/.test(field) ? Number(field) : undefined;
}
