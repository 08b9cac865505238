/** Clock mode: the time in large digits in place of a pane's screen; any key leaves. */
import {
  blankRow,
  type CellStyle,
  copyCells,
  DEFAULT_STYLE,
  type Row,
  rowColumns,
  setCell,
} from '../../protocol/cell.ts';
import { type Cursor, HIDDEN_CURSOR } from '../../protocol/frame.ts';
import type { Size } from '../../protocol/geometry.ts';
import { bigRows, bigWidth, DIGIT_SIZE } from '../../src/overlay/big-digits.ts';
import type { Pane } from '../model/pane.ts';
import type { PaneMode } from '../model/pane-mode.ts';
import type { Registry } from '../model/registry.ts';
import type { Reopening } from '../model/reopening.ts';
import { colorToCell } from '../options/color.ts';
import { enterMode, leaveMode } from './copy-mode.ts';

export interface ClockServices {
  readonly registry: Registry;
  after(delayMs: number, callback: () => void): () => void;
  /** How the next server opens it again. */
  readonly reopening?: () => Reopening | undefined;
}

const SECONDS_A_MINUTE = 60;

class ClockMode implements PaneMode {
  readonly name = 'clock-mode';
  /** It takes every key itself. */
  readonly keyTable = undefined;
  readonly #services: ClockServices;
  readonly #pane: Pane;
  #stop: () => void = () => {};

  constructor(services: ClockServices, pane: Pane) {
    this.#services = services;
    this.#pane = pane;
    this.#tickLater();
  }

  drawRow(y: number, into: Row): void {
    const cols = rowColumns(into);
    copyCells(blankRow(cols), 0, into, 0, cols);
    const { rows } = this.#pane.size;
    const text = this.#text();
    const color = colorToCell(this.#pane.options.color('clock-mode-colour'));
    const isLarge = cols > bigWidth(text) && rows > DIGIT_SIZE;
    const lines = isLarge ? bigRows(text) : [text];
    const line = lines[y - Math.max(0, Math.floor(rows / 2) - (isLarge ? Math.ceil(DIGIT_SIZE / 2) : 0))];
    if (line === undefined) return;
    const left = Math.max(
      0,
      Math.floor(cols / 2) - (isLarge ? Math.ceil(line.length / 2) : Math.floor(line.length / 2)),
    );
    for (const [x, mark] of [...line].entries()) {
      if (left + x >= cols || mark === ' ') continue;
      const style: CellStyle = isLarge ? { ...DEFAULT_STYLE, bg: color } : { ...DEFAULT_STYLE, fg: color };
      setCell(into, left + x, isLarge ? ' ' : mark, 1, style);
    }
  }

  /** `14:05`, or ` 2:05 PM` with option clock-mode-style 12: as wide at each hour, as in tmux. */
  #text(): string {
    const now = new Date(this.#services.registry.now() * 1000);
    const minutes = String(now.getMinutes()).padStart(2, '0');
    const hours = now.getHours();
    if (this.#pane.options.choice('clock-mode-style') !== '12') return `${String(hours).padStart(2, '0')}:${minutes}`;
    return `${String(hours % 12 || 12).padStart(2)}:${minutes} ${hours < 12 ? 'AM' : 'PM'}`;
  }

  #tickLater(): void {
    const seconds = this.#services.registry.now();
    const wait = SECONDS_A_MINUTE - (seconds % SECONDS_A_MINUTE);
    this.#stop = this.#services.after(Math.ceil(wait * 1000), () => {
      this.#services.registry.markPane(this.#pane);
      this.#tickLater();
    });
  }

  cursor(): Cursor {
    return HIDDEN_CURSOR;
  }

  resize(_size: Size): void {
    // Everything is drawn from the pane's size.
  }

  key(): void {
    leaveMode(this.#services.registry, this.#pane, this);
  }

  command(): string | undefined {
    return 'not in a mode';
  }

  variable(): string | undefined {
    return undefined;
  }

  reopening(): Reopening | undefined {
    return this.#services.reopening?.();
  }

  close(): void {
    this.#stop();
  }
}

/** Shows the clock in a pane, unless it does so already. */
export function openClockMode(services: ClockServices, pane: Pane): void {
  if (pane.mode?.name !== 'clock-mode') enterMode(services.registry, pane, new ClockMode(services, pane));
}
