/**
 * Locks the clients of sessions that nobody has used for option lock-after-time. One timer is for the session that is due
 * first; what people do meanwhile is looked at when it fires, so that a key costs nothing.
 */
import { lockClient } from '../model/lock.ts';
import type { Registry } from '../model/registry.ts';
import type { Session } from '../model/session.ts';

const OPTION = 'lock-after-time';
/** Sessions are due to a second; longer waits than a timer takes are made in steps, ms. */
const WAIT_MAX_MS = 2 ** 31 - 1;

export interface IdleLocksContext {
  readonly registry: Registry;
  readonly after: (delayMs: number, run: () => void) => () => void;
}

export class IdleLocks {
  readonly #context: IdleLocksContext;
  /** When a session was locked, in seconds of the registry's clock: it is idle from there. */
  readonly #locked = new WeakMap<Session, number>();
  #stopTimer: (() => void) | undefined;

  constructor(context: IdleLocksContext) {
    this.#context = context;
    const { registry } = context;
    registry.sessionOptions.onTreeChange(({ name }) => {
      if (name === OPTION) this.#look();
    });
    registry.events.subscribe(({ name }) => {
      if (name === 'client-attached' || name === 'client-session-changed') this.#look();
    });
  }

  /** Locks what is due and waits for what is due next. */
  #look(): void {
    const { registry, after } = this.#context;
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    const now = registry.seconds();
    let next = Number.POSITIVE_INFINITY;
    for (const session of registry.sessions.values()) {
      const idleMax = session.options.number(OPTION);
      if (idleMax === 0 || session.attached === 0) continue;
      if (this.#usedAt(session) + idleMax <= now) this.#lock(session, now);
      next = Math.min(next, this.#usedAt(session) + idleMax);
    }
    if (next === Number.POSITIVE_INFINITY) return;
    this.#stopTimer = after(Math.min((next - now) * 1000, WAIT_MAX_MS), () => this.#look());
  }

  #usedAt(session: Session): number {
    return Math.max(session.activity, this.#locked.get(session) ?? 0);
  }

  #lock(session: Session, now: number): void {
    this.#locked.set(session, now);
    for (const client of this.#context.registry.clientsOf(session)) lockClient(client);
  }
}
