import type { ModelEvent, Registry } from './model/registry.ts';

/** A server without sessions that took over nothing and that nobody called has this long until it ends, ms. */
const EMPTY_AFTER_MS = 2000;

export interface ExitRulesContext {
  readonly registry: Registry;
  readonly after: (delayMs: number, run: () => void) => () => void;
  readonly nextTurn: (run: () => void) => void;
  /** Whether the config is being loaded or somebody's commands run: they may make a session yet. */
  readonly isBusy: () => boolean;
  /** Ends what waits for a signal or a lock, which nobody may be left to give. */
  readonly wakeWaiters: () => void;
  readonly shutdown: () => void;
}

/**
 * When a server ends by itself: exit-empty and exit-unattached, as sessions close and clients leave. Commands that run go on
 * to their end first.
 */
export class ExitRules {
  readonly #context: ExitRulesContext;
  /** It was to end, and somebody's commands ran. */
  #isPutOff = false;

  constructor(context: ExitRulesContext) {
    this.#context = context;
    context.registry.events.subscribe((event) => this.#modelChanged(event));
  }

  /** Looks once, in a while: nobody may have come to a server that was started to take over. */
  checkLater(): void {
    this.#context.after(EMPTY_AFTER_MS, () => this.#check());
  }

  /** Somebody's commands came to their end, or the config did. */
  recheck(): void {
    if (this.#isPutOff) this.#context.nextTurn(() => this.#check());
  }

  /** A call came to its end: one that made no session (`start-server`) leaves no server behind. */
  callEnded(): void {
    this.recheck();
    const { registry, nextTurn } = this.#context;
    if (registry.sessions.size > 0) return;
    nextTurn(() => {
      if (registry.sessions.size === 0) this.#check();
    });
  }

  #modelChanged({ name }: ModelEvent): void {
    if (name === 'session-closed' || name === 'client-detached') this.#context.nextTurn(() => this.#check());
  }

  #check(): void {
    const { isBusy, wakeWaiters, shutdown } = this.#context;
    this.#isPutOff = false;
    if (!this.#isOver()) return;
    if (!isBusy()) {
      shutdown();
      return;
    }
    this.#isPutOff = true;
    wakeWaiters();
  }

  #isOver(): boolean {
    const { serverOptions, sessions, clients } = this.#context.registry;
    if (serverOptions.flag('exit-empty') && sessions.size === 0) return true;
    return serverOptions.flag('exit-unattached') && clients.size === 0;
  }
}
