/** View mode: the output of a command in place of a pane's screen (tmux(1) WINDOWS AND PANES), with copy mode's keys. */
import type { Pane } from '../model/pane.ts';
import { CopyMode, type CopyModeServices, enterMode } from './copy-mode.ts';
import { FrozenGrid } from './frozen-grid.ts';

/** Longest text kept for a view, characters. */
const TEXT_MAX = 1 << 22;

class ViewMode extends CopyMode {
  #text: string;
  readonly #shownOn: Pane;

  constructor(services: CopyModeServices, pane: Pane, text: string) {
    super({ services, pane, name: 'view-mode', grid: FrozenGrid.ofText(text, pane.size) });
    this.#text = text;
    this.#shownOn = pane;
    this.#showTop();
  }

  append(text: string): void {
    const gap = this.#text === '' || this.#text.endsWith('\n') ? '' : '\n';
    this.#text = `${this.#text}${gap}${text}`.slice(0, TEXT_MAX);
    const { cursor } = this.state;
    const { top } = cursor;
    this.state.refresh(FrozenGrid.ofText(this.#text, this.#shownOn.size));
    cursor.offset = cursor.historyLength - Math.min(top, cursor.historyLength);
  }

  #showTop(): void {
    const { cursor } = this.state;
    cursor.offset = cursor.historyLength;
    cursor.moveTo(0, 0);
  }
}

/** Shows text in a pane; if it shows the output of a command already, it is added there. */
export function openViewMode({ services, pane, text }: { services: CopyModeServices; pane: Pane; text: string }): void {
  const front = pane.mode;
  const shown = text.slice(0, TEXT_MAX);
  if (front instanceof ViewMode) front.append(shown);
  else enterMode(services.registry, pane, new ViewMode(services, pane, shown));
  services.registry.markPane(pane);
}
