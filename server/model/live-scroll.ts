/**
 * A pane's view scrolled back while the pane stays live (option live-scroll, command scroll-pane): no mode is entered, the
 * program goes on and gets what is typed. The view stays on its text while output comes; an indicator tells how far
 * back it is. The alternate screen has nothing to scroll back to.
 */
import type { Row } from '../../protocol/cell.ts';
import { type Cursor, HIDDEN_CURSOR } from '../../protocol/frame.ts';
import type { OptionSet } from '../options/option-set.ts';
import { DEFAULT_STYLE_VALUE, textStyleToCell } from '../options/style.ts';
import type { Emulator } from '../terminal/emulator.ts';
import { type GridView, viewOf } from '../terminal/history.ts';
import { drawCornerText } from './corner-text.ts';

export class LiveScroll {
  readonly #emulator: Emulator;
  readonly #options: OptionSet;
  readonly #view: GridView;
  /** The row at the top of the view, counted from the first that the pane ever had; undefined at the bottom. */
  #top: number | undefined;

  constructor(emulator: Emulator, options: OptionSet) {
    this.#emulator = emulator;
    this.#options = options;
    this.#view = viewOf(emulator);
  }

  /** Rows between the view and the screen; 0 when the screen itself is shown. */
  get offset(): number {
    if (this.#top === undefined || this.#emulator.modes.alternateScreen) return 0;
    const { historyLength, historyTrimmed } = this.#emulator;
    return Math.min(Math.max(0, historyTrimmed + historyLength - this.#top), historyLength);
  }

  /** Scrolls to so many rows above the screen; more than there are is the oldest text, 0 the screen. */
  set offset(rows: number) {
    const { historyLength, historyTrimmed } = this.#emulator;
    const offset = Math.min(Math.max(0, Math.trunc(rows)), historyLength);
    this.#top = offset > 0 ? historyTrimmed + historyLength - offset : undefined;
  }

  /** The row at the top of the view by its name (Emulator.historyTrimmed); undefined at the bottom. */
  get top(): number | undefined {
    return this.#top;
  }

  /** Puts the view on a row again that `top` gave. */
  restore(top: number | undefined): void {
    this.#top = top;
  }

  /** Copies row `y` of the view, with the indicator; only while `offset` is not 0. */
  drawRow(y: number, into: Row): void {
    const { offset } = this;
    const { historyLength } = this.#emulator;
    this.#view.row(historyLength - offset + y, into);
    if (y > 0) return;
    const style = textStyleToCell(this.#options.style('mode-style') ?? DEFAULT_STYLE_VALUE);
    drawCornerText(into, `[${offset}/${historyLength} live]`, style);
  }

  /** The program's cursor where it is in view. */
  cursor(): Cursor {
    const { cursor, size } = this.#emulator;
    const y = cursor.y + this.offset;
    return y < size.rows ? { ...cursor, y } : HIDDEN_CURSOR;
  }
}
