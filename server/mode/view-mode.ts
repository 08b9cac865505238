/** View mode: the output of a command in place of a pane's screen (tmux(1) WINDOWS AND PANES), with copy mode's keys. */
import type { Size } from '../../protocol/geometry.ts';
import type { Pane } from '../model/pane.ts';
import { Emulator } from '../terminal/emulator.ts';
import { viewOf } from '../terminal/history.ts';
import { CopyMode, type CopyModeServices, enterMode } from './copy-mode.ts';
import { FrozenGrid } from './frozen-grid.ts';

/** Lines of output kept. */
const LINES_MAX = 100_000;

/** A terminal of its own that output is printed on: styles, tabs and wide characters are as programs mean them. */
class OutputScreen {
  readonly #emulator: Emulator;
  #isEmpty = true;

  constructor(size: Size) {
    this.#emulator = new Emulator({ size, scrollback: LINES_MAX, now: () => 0, handlers: { reply: () => {} } });
  }

  print(text: string): void {
    const lines = text.replace(/\n$/, '').replace(/\r?\n/g, '\r\n');
    this.#emulator.write(Buffer.from(this.#isEmpty ? lines : `\r\n${lines}`));
    this.#isEmpty = false;
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

class ViewMode extends CopyMode {
  readonly #screen: OutputScreen;

  constructor(services: CopyModeServices, pane: Pane, screen: OutputScreen) {
    super({ services, pane, name: 'view-mode', grid: screen.copy() });
    this.#screen = screen;
    const { cursor } = this.state;
    cursor.offset = cursor.historyLength;
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

/** Shows text in a pane; if it shows the output of a command already, it is added there. */
export function openViewMode({ services, pane, text }: { services: CopyModeServices; pane: Pane; text: string }): void {
  const front = pane.mode;
  if (front instanceof ViewMode) front.append(text);
  else {
    const screen = new OutputScreen(pane.size);
    screen.print(text);
    enterMode(services.registry, pane, new ViewMode(services, pane, screen));
  }
  services.registry.markPane(pane);
}
