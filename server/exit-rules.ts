import type { ModelEvent, Registry } from './model/registry.ts';

/** A server that was to take over and found nothing ends after this unless somebody makes a session, ms. */
const EMPTY_AFTER_MS = 2000;

export interface ExitRulesContext {
  readonly registry: Registry;
  readonly after: (delayMs: number, run: () => void) => () => void;
  readonly nextTurn: (run: () => void) => void;
  readonly shutdown: () => void;
}

/** When a server ends by itself: exit-empty and exit-unattached, as sessions close and clients leave. */
export class ExitRules {
  readonly #context: ExitRulesContext;

  constructor(context: ExitRulesContext) {
    this.#context = context;
    context.registry.events.subscribe((event) => this.#modelChanged(event));
  }

  /** Looks once, in a while: nobody may have come to a server that was started to take over. */
  checkLater(): void {
    this.#context.after(EMPTY_AFTER_MS, () => this.#check());
  }

  #modelChanged({ name }: ModelEvent): void {
    if (name === 'session-closed' || name === 'client-detached') this.#context.nextTurn(() => this.#check());
  }

  #check(): void {
    const { registry, shutdown } = this.#context;
    const { serverOptions, sessions, clients } = registry;
    if (serverOptions.flag('exit-empty') && sessions.size === 0) shutdown();
    else if (serverOptions.flag('exit-unattached') && clients.size === 0) shutdown();
  }
}
