/** View mode: the output of a command in place of a pane's screen (tmux(1) WINDOWS AND PANES), with copy mode's keys. */
import type { Size } from '../../protocol/geometry.ts';
import type { Pane } from '../model/pane.ts';
import { Emulator } from '../terminal/emulator.ts';
import { viewOf } from '../terminal/history.ts';
import { CopyMode, type CopyModeServices, enterMode } from './copy-mode.ts';
import { FrozenGrid } from './frozen-grid.ts';

/** Lines of output kept. */
const LINES_MAX = 100_000;
/** Characters of the text that the next server is given, the newest; what is longer loses its beginning there. */
const TEXT_MAX = 1 << 20;

/** A terminal of its own that output is printed on: styles, tabs and wide characters are as programs mean them. */
class OutputScreen {
  readonly #emulator: Emulator;
  #text = '';

  constructor(size: Size) {
    this.#emulator = new Emulator({ size, scrollback: LINES_MAX, now: () => 0, handlers: { reply: () => {} } });
  }

  print(text: string): void {
    const lines = text.replace(/\n$/, '').replace(/\r?\n/g, '\r\n');
    this.#emulator.write(Buffer.from(this.#text === '' ? lines : `\r\n${lines}`));
    this.#text = newestLines(`${this.#text}${text.replace(/\n$/, '')}\n`);
  }

  /** What was printed, the newest lines of it. */
  get text(): string {
    return this.#text;
  }

  copy(): FrozenGrid {
    return FrozenGrid.copyOf(viewOf(this.#emulator));
  }

  resize(size: Size): void {
    this.#emulator.resize(size);
  }

  dispose(): void {
    this.#emulator.dispose();
  }
}

/** The last lines of a text, at most TEXT_MAX characters. */
function newestLines(text: string): string {
  if (text.length <= TEXT_MAX) return text;
  return text.slice(text.indexOf('\n', text.length - TEXT_MAX - 1) + 1);
}

export class ViewMode extends CopyMode {
  readonly #screen: OutputScreen;

  constructor(services: CopyModeServices, pane: Pane, screen: OutputScreen) {
    super({ services, pane, name: 'view-mode', grid: screen.copy() });
    this.#screen = screen;
    const { cursor } = this.state;
    cursor.offset = cursor.historyLength;
  }

  /** What was printed, the newest lines of it: printed to a fresh one it shows the same. */
  get text(): string {
    return this.#screen.text;
  }

  append(text: string): void {
    const { cursor } = this.state;
    const { top } = cursor;
    this.#screen.print(text);
    this.state.refresh(this.#screen.copy());
    cursor.offset = cursor.historyLength - Math.min(top, cursor.historyLength);
  }

  override resize(size: Size): void {
    this.#screen.resize(size);
    super.resize(size);
  }

  override close(): void {
    this.#screen.dispose();
    super.close();
  }
}

export interface OpenViewMode {
  readonly services: CopyModeServices;
  readonly pane: Pane;
  readonly text: string;
}

/** Shows text in a pane; if it shows the output of a command already, it is added there. */
export function openViewMode({ services, pane, text }: OpenViewMode): void {
  const front = pane.mode;
  if (front instanceof ViewMode) front.append(text);
  else pushViewMode({ services, pane, text });
  services.registry.markPane(pane);
}

/** Shows text in a pane, in front of whatever it shows. */
export function pushViewMode({ services, pane, text }: OpenViewMode): ViewMode {
  const screen = new OutputScreen(pane.size);
  screen.print(text);
  const mode = new ViewMode(services, pane, screen);
  enterMode(services.registry, pane, mode);
  return mode;
}
