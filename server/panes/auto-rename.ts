/** automatic-rename: a window is named after the program in its active pane, looked at only after output and at most twice a second. */
import type { Pane } from '../model/pane.ts';
import type { Registry } from '../model/registry.ts';
import type { Window } from '../model/window.ts';

export const RENAME_INTERVAL_MS = 500;
/** Longest automatic name, characters. */
const NAME_MAX = 256;

export interface AutoRenameContext {
  readonly registry: Registry;
  readonly after: (delayMs: number, run: () => void) => () => void;
  /** Expands automatic-rename-format for a pane. */
  readonly expand: (pane: Pane, format: string) => string;
}

export class AutoRename {
  readonly #context: AutoRenameContext;
  readonly #due = new Set<Window>();
  #timer: (() => void) | undefined;

  constructor(context: AutoRenameContext) {
    this.#context = context;
    const { registry } = context;
    registry.outputs.subscribe((pane) => {
      if (pane.window.panes.length > 0 && pane.window.active === pane) this.look(pane.window);
    });
    registry.events.subscribe((event) => {
      if (event.name === 'window-pane-changed' && event.window) this.look(event.window);
      if (event.name === 'pane-mode-changed' && event.pane) this.look(event.pane.window);
    });
    registry.windowOptions.onTreeChange(({ name, set }) => {
      if (name !== 'automatic-rename' && name !== 'automatic-rename-format') return;
      for (const window of registry.windows.values()) {
        if (set === window.options || set === registry.windowOptions) this.look(window);
      }
    });
  }

  /** Checks the window's name soon. */
  look(window: Window): void {
    if (!window.options.flag('automatic-rename')) return;
    this.#due.add(window);
    this.#timer ??= this.#context.after(RENAME_INTERVAL_MS, () => {
      this.#timer = undefined;
      const due = [...this.#due];
      this.#due.clear();
      for (const one of due) this.#rename(one);
    });
  }

  #rename(window: Window): void {
    const { registry } = this.#context;
    if (!registry.windows.has(window.id) || window.panes.length === 0) return;
    if (!window.options.flag('automatic-rename')) return;
    const format = window.options.string('automatic-rename-format');
    const name = this.#context.expand(window.active, format).slice(0, NAME_MAX);
    if (name === '' || name === window.name) return;
    window.name = name;
    registry.emit('window-renamed', { window });
    registry.markWindow(window);
  }
}
