import type { OptionSet } from '../options/option-set.ts';
import { Environ } from './environ.ts';
import type { Window } from './window.ts';

/** A window in a session at an index. One window may be linked into several sessions. */
export interface Winlink {
  readonly session: Session;
  index: number;
  readonly window: Window;
  /** Alerts that the person has not seen yet (tmux(1) `window_flags`: #, !, ~). */
  readonly alerts: Set<Alert>;
}

export type Alert = 'activity' | 'bell' | 'silence';

export interface SessionInit {
  readonly id: number;
  readonly name: string;
  readonly cwd: string;
  readonly options: OptionSet;
  readonly environ?: Environ;
  /** Seconds since the epoch. */
  readonly created: number;
  /** Name of the session group, if it shares its windows with others. */
  readonly group?: string | undefined;
}

/** A named set of winlinks with a current one; clients show it. */
export class Session {
  readonly id: number;
  name: string;
  cwd: string;
  readonly options: OptionSet;
  readonly environ: Environ;
  readonly created: number;
  /** Seconds since the epoch of the last activity and attach. */
  activity: number;
  /** Grows with each use, so that the most recent of two is known within a second. */
  useOrder = 0;
  lastAttached: number | undefined;
  /** Number of clients that show it; kept by the registry. */
  attached = 0;
  group: string | undefined;

  readonly #winlinks = new Map<number, Winlink>();
  #current: Winlink | undefined;
  /** Winlinks shown before, most recent first. */
  #previous: Winlink[] = [];

  constructor(init: SessionInit) {
    this.id = init.id;
    this.name = init.name;
    this.cwd = init.cwd;
    this.options = init.options;
    this.environ = init.environ ?? new Environ();
    this.created = init.created;
    this.activity = init.created;
    this.group = init.group;
  }

  /** Winlinks by ascending index. */
  get winlinks(): readonly Winlink[] {
    return [...this.#winlinks.values()].sort((a, b) => a.index - b.index);
  }

  get current(): Winlink {
    if (!this.#current) throw new Error(`session ${this.name} has no window`);
    return this.#current;
  }

  get isEmpty(): boolean {
    return this.#winlinks.size === 0;
  }

  /** The winlink shown before the current one (`!`, `{last}`). */
  get last(): Winlink | undefined {
    return this.#previous[0];
  }

  /** Winlinks shown before, most recent first. */
  get previous(): readonly Winlink[] {
    return this.#previous;
  }

  /** Puts the current winlink and those shown before, most recent first, back as they were; by index. */
  restoreOrder(current: number, previous: readonly number[]): void {
    this.#current = this.#winlinks.get(current) ?? this.#current;
    this.#previous = previous.flatMap((index) => this.#winlinks.get(index) ?? []);
  }

  at(index: number): Winlink | undefined {
    return this.#winlinks.get(index);
  }

  find(window: Window): Winlink | undefined {
    return this.winlinks.find((winlink) => winlink.window === window);
  }

  /** The first free index from `from` on (option base-index). */
  freeIndex(from: number): number {
    let index = from;
    while (this.#winlinks.has(index)) index += 1;
    return index;
  }

  /** Links a window at a free index; the first one becomes current. */
  link(window: Window, index: number): Winlink {
    if (this.#winlinks.has(index)) throw new Error(`index ${index} is in use`);
    const winlink: Winlink = { session: this, index, window, alerts: new Set() };
    this.#winlinks.set(index, winlink);
    window.winlinks.add(winlink);
    this.#current ??= winlink;
    return winlink;
  }

  /** Takes a winlink out; if it was current, the last shown, else the previous by index (before the first comes the last), becomes current. */
  unlink(winlink: Winlink): void {
    const before = this.winlinks;
    const at = before.indexOf(winlink);
    this.#winlinks.delete(winlink.index);
    winlink.window.winlinks.delete(winlink);
    this.#previous = this.#previous.filter((other) => other !== winlink);
    if (this.#current !== winlink) return;
    const next = this.#previous.shift() ?? before[at - 1] ?? before.at(-1);
    this.#current = next === winlink ? undefined : next;
    this.#current?.alerts.clear();
  }

  /** Shows a winlink; the one shown before becomes the last. Returns whether anything changed. */
  select(winlink: Winlink): boolean {
    if (winlink === this.#current) return false;
    const before = this.#current;
    this.#previous = this.#previous.filter((other) => other !== winlink && other !== before);
    if (before) this.#previous.unshift(before);
    this.#current = winlink;
    winlink.alerts.clear();
    return true;
  }

  /** Moves a winlink to a free index. */
  move(winlink: Winlink, index: number): void {
    if (winlink.index === index) return;
    if (this.#winlinks.has(index)) throw new Error(`index ${index} is in use`);
    this.#winlinks.delete(winlink.index);
    winlink.index = index;
    this.#winlinks.set(index, winlink);
  }

  /** Puts another window at a winlink's place; current and last follow the place. */
  replace(winlink: Winlink, window: Window): Winlink {
    const fresh: Winlink = { session: this, index: winlink.index, window, alerts: new Set() };
    winlink.window.winlinks.delete(winlink);
    window.winlinks.add(fresh);
    this.#winlinks.set(fresh.index, fresh);
    this.#previous = this.#previous.map((other) => (other === winlink ? fresh : other));
    if (this.#current === winlink) this.#current = fresh;
    return fresh;
  }

  /** Shows another session's windows at their indexes, as sessions of a group do; current and last stay at their places. */
  mirror(other: Session): void {
    const currentIndex = this.#current?.index ?? 0;
    const previous = this.#previous.map(({ index }) => index);
    const before = new Map(this.#winlinks);
    for (const winlink of before.values()) winlink.window.winlinks.delete(winlink);
    this.#winlinks.clear();
    for (const { index, window } of other.winlinks) {
      const own = before.get(index);
      const winlink: Winlink =
        own?.window === window ? own : { session: this, index, window, alerts: own?.alerts ?? new Set() };
      this.#winlinks.set(index, winlink);
      window.winlinks.add(winlink);
    }
    const left = previous.flatMap((index) => this.#winlinks.get(index) ?? []);
    const all = this.winlinks;
    this.#current =
      this.#winlinks.get(currentIndex) ??
      left[0] ??
      all.filter(({ index }) => index < currentIndex).at(-1) ??
      all.at(-1);
    this.#previous = left.filter((winlink) => winlink !== this.#current);
  }

  /** Frees an index by moving the winlink there and those right behind it up by one. */
  makeRoom(index: number): void {
    let last = index;
    while (this.#winlinks.has(last)) last += 1;
    for (let at = last - 1; at >= index; at--) {
      const winlink = this.#winlinks.get(at);
      if (winlink) this.move(winlink, at + 1);
    }
  }

  /** Numbers the windows from `base` on without gaps (renumber-windows, move-window -r). */
  renumber(base: number): void {
    const ordered = this.winlinks;
    this.#winlinks.clear();
    for (const [i, winlink] of ordered.entries()) {
      winlink.index = base + i;
      this.#winlinks.set(winlink.index, winlink);
    }
  }

  /** The winlink `step` places away by index, around the ends; with `withAlert` only those that have one. */
  neighbour(step: 1 | -1, withAlert = false): Winlink | undefined {
    const all = this.winlinks;
    const at = this.#current ? all.indexOf(this.#current) : -1;
    for (let i = 1; i <= all.length; i++) {
      const winlink = all[(((at + step * i) % all.length) + all.length) % all.length];
      if (winlink && winlink !== this.#current && (!withAlert || winlink.alerts.size > 0)) return winlink;
    }
    return undefined;
  }
}
