/**
 * Tells programs that asked (DECSET 2031) when the person's terminal turned dark or light. A terminal that changes its
 * mind, or a person who changes terminals, is told of once things are still.
 */
import type { ClientSession } from '../model/client-session.ts';
import type { Pane } from '../model/pane.ts';
import type { Registry } from '../model/registry.ts';
import { type HostTerminal, themeReport } from '../terminal/replies.ts';
import { clientOfWindow } from './host-terminal.ts';

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
  /** What the clients' terminals were when that was last looked at: what a pane knows that is newer. */
  readonly #seen = new WeakMap<ClientSession, HostTerminal['theme']>();
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
      const { registry } = this.#context;
      for (const pane of registry.panes.values()) this.#tell(pane);
      for (const client of registry.clients) this.#seen.set(client, client.capabilities?.theme);
    });
  }

  #tell(pane: Pane): void {
    const client = clientOfWindow(this.#context.registry, pane.window);
    const theme = client?.capabilities?.theme;
    if (!client || theme === undefined) return;
    const known = this.#known.has(pane) ? this.#known.get(pane) : this.#seen.get(client);
    this.#known.set(pane, theme);
    if (theme === known) return;
    const report = pane.emulator.modes.themeReports ? themeReport(theme) : undefined;
    if (report !== undefined) pane.write(report);
  }
}
