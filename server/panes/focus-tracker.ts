/** Which panes have the focus: the active pane of a window that a focused client shows. Tells programs and hooks. */
import type { Pane } from '../model/pane.ts';
import type { Registry } from '../model/registry.ts';
import { encodeFocus } from '../terminal/input-encoder.ts';

/** Events after which another pane may have the focus. */
const CAUSES = new Set([
  'client-session-changed',
  'client-detached',
  'client-focus-in',
  'client-focus-out',
  'session-window-changed',
  'window-pane-changed',
  'pane-closed',
]);

export class FocusTracker {
  readonly #registry: Registry;
  #focused = new Set<Pane>();

  constructor(registry: Registry) {
    this.#registry = registry;
    registry.events.subscribe(({ name }) => {
      if (CAUSES.has(name)) this.#update();
    });
  }

  #update(): void {
    const before = this.#focused;
    const now = new Set<Pane>();
    for (const client of this.#registry.attachedClients()) {
      const { session, focused } = client;
      if (focused && session && !session.isEmpty) now.add(session.current.window.active);
    }
    this.#focused = now;
    for (const pane of before) if (!now.has(pane) && this.#registry.panes.has(pane.id)) this.#tell(pane, false);
    for (const pane of now) if (!before.has(pane)) this.#tell(pane, true);
  }

  #tell(pane: Pane, isFocused: boolean): void {
    const bytes = encodeFocus(isFocused, pane.emulator.modes);
    if (bytes !== '') pane.write(bytes);
    this.#registry.emit(isFocused ? 'pane-focus-in' : 'pane-focus-out', { pane, window: pane.window });
  }
}
