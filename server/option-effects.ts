/**
 * What changes at once when an option is set: sizes, layouts, key tables. Everything else that an option decides is read
 * when it is needed, so a redraw is enough. history-limit holds for panes made afterwards.
 */
import type { Registry } from './model/registry.ts';
import { fitWindows } from './model/window-size.ts';
import type { OptionChange, OptionSet } from './options/option-set.ts';

type Effect = (registry: Registry, change: OptionChange) => void;

/** By the option's name. */
const EFFECTS: Readonly<Record<string, Effect>> = {
  status: (registry) => fitWindows(registry),
  'window-size': (registry) => fitWindows(registry),
  'aggressive-resize': (registry) => fitWindows(registry),
  'pane-border-status': (registry, { set }) => placePanes(registry, set),
  'key-table': (registry, { set }) => leaveKeyTables(registry, set),
  'message-limit': (registry) => trimMessages(registry),
};

/** Follows every option of a registry, wherever it is set: by a command, the config or a hook. */
export class OptionEffects {
  readonly #registry: Registry;
  readonly #unsubscribe: readonly (() => void)[];

  constructor(registry: Registry) {
    this.#registry = registry;
    const sets = [registry.serverOptions, registry.sessionOptions, registry.windowOptions];
    this.#unsubscribe = sets.map((set) => set.onTreeChange((change) => this.#apply(change)));
  }

  dispose(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
  }

  #apply(change: OptionChange): void {
    EFFECTS[change.name]?.(this.#registry, change);
    // User options too: the formats of a theme read them.
    this.#registry.markAll();
  }
}

/** The row that pane-border-status takes comes or goes in the windows that the set holds for. */
function placePanes(registry: Registry, set: OptionSet): void {
  for (const window of registry.windows.values()) {
    if (window.panes.length > 0 && isWithin(window.options, set)) window.placePanes();
  }
}

/** Clients go back to the session's key table. */
function leaveKeyTables(registry: Registry, set: OptionSet): void {
  for (const client of registry.attachedClients()) {
    if (!client.session || !isWithin(client.session.options, set)) continue;
    client.keyTable = undefined;
    client.repeatUntil = 0;
  }
}

function trimMessages(registry: Registry): void {
  registry.messages.trim(registry.serverOptions.number('message-limit'));
}

function isWithin(set: OptionSet | undefined, ancestor: OptionSet): boolean {
  for (let at = set; at; at = at.parent) if (at === ancestor) return true;
  return false;
}
