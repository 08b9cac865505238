/**
 * The exit codes that shells tell (OSC 133;D), each kept with the prompt that follows (133;B). They are known until the
 * lines are wrapped anew, and by this process only.
 */
import type { XtermCore } from './emulator-internals.ts';
import type { HistoryWindow } from './history-window.ts';
import type { ProgramHandlers } from './program-strings.ts';

/** Prompts whose code is kept; the oldest are forgotten first. */
const KEPT_MAX = 10_000;

export class PromptExits {
  readonly #core: XtermCore;
  readonly #history: HistoryWindow;
  /** By the row of the prompt, counted from the first that the pane ever had. */
  readonly #codes = new Map<number, number>();
  /** Told since the last prompt. */
  #told: number | undefined;

  constructor(core: XtermCore, history: HistoryWindow) {
    this.#core = core;
    this.#history = history;
  }

  /** The handlers with this one in front of theirs. */
  watch(handlers: ProgramHandlers): ProgramHandlers {
    return {
      ...handlers,
      promptMark: (mark) => {
        if (mark.kind === 'end') this.#told = mark.exitCode;
        else if (mark.kind === 'command') this.#place();
        handlers.promptMark?.(mark);
      },
    };
  }

  /** By the row's index in the history with the screen behind it. */
  byRow(): ReadonlyMap<number, number> {
    const { trimmed } = this.#history;
    return new Map([...this.#codes].map(([row, code]) => [row - trimmed, code]));
  }

  /** Rows have other numbers now. */
  forget(): void {
    this.#codes.clear();
  }

  #place(): void {
    const code = this.#told;
    this.#told = undefined;
    const { normal } = this.#core._bufferService.buffers;
    if (this.#core._inputHandler._activeBuffer !== normal) return;
    const row = this.#history.trimmed + this.#history.length + normal.y;
    // Another prompt may have been there before the screen was cleared.
    this.#codes.delete(row);
    if (code === undefined) return;
    this.#codes.set(row, code);
    const [oldest] = this.#codes.keys();
    if (this.#codes.size > KEPT_MAX && oldest !== undefined) this.#codes.delete(oldest);
  }
}
