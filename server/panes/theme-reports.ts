/**
 * Tells programs that asked (DECSET 2031) when the person's terminal turned dark or light. A terminal that changes its
 * mind, or a person who changes terminals, is told of once things are still.
 */
import type { Pane } from '../model/pane.ts';
import type { Registry } from '../model/registry.ts';
import { type HostTerminal, themeReport } from '../terminal/replies.ts';
import { hostTerminalOf } from './host-terminal.ts';

/** Changes within this time are one, ms. */
export const THEME_STILL_MS = 100;
/** After these another client may be a pane's. */
const CAUSES: ReadonlySet<string> = new Set([
  'client-attached',
  'client-detached',
  'client-session-changed',
  'client-dark-theme',
  'client-light-theme',
]);

export interface ThemeReportsContext {
  readonly registry: Registry;
  readonly after: (delayMs: number, run: () => void) => () => void;
}

export class ThemeReports {
  readonly #context: ThemeReportsContext;
  /** What the programs know, or could. */
  readonly #known = new WeakMap<Pane, HostTerminal['theme']>();
  #isWaiting = false;

  constructor(context: ThemeReportsContext) {
    this.#context = context;
    context.registry.events.subscribe(({ name }) => {
      if (CAUSES.has(name)) this.#later();
    });
  }

  #later(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#context.after(THEME_STILL_MS, () => {
      this.#isWaiting = false;
      for (const pane of this.#context.registry.panes.values()) this.#tell(pane);
    });
  }

  #tell(pane: Pane): void {
    const { theme } = hostTerminalOf(this.#context.registry, pane);
    if (theme === undefined || theme === this.#known.get(pane)) return;
    this.#known.set(pane, theme);
    const report = pane.emulator.modes.themeReports ? themeReport(theme) : undefined;
    if (report !== undefined) pane.write(report);
  }
}
