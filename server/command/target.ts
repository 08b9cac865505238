/**
 * Targets as tmux(1) COMMANDS describes them: `$1`, `@2`, `%3`, `name`, `=exact`, `sess:win.pane`, `:win`, `.pane`, indexes,
 * offsets, `{last}`, `{up-of}`, `{marked}`, `{mouse}`. One resolver serves every command; a row declares what it wants.
 */
import type { Rect } from '../../protocol/geometry.ts';
import type { ClientSession } from '../model/client-session.ts';
import { globMatcher } from '../model/environ.ts';
import type { Pane } from '../model/pane.ts';
import type { Registry } from '../model/registry.ts';
import type { Session, Winlink } from '../model/session.ts';
import type { Window } from '../model/window.ts';

export type TargetKind = 'session' | 'window' | 'pane';

/** A resolved place. `window` and `pane` follow from `winlink` unless the target named them. */
export interface Target {
  readonly session: Session;
  readonly winlink: Winlink;
  readonly window: Window;
  readonly pane: Pane;
  /** A window index that was asked for and may be free (new-window -t 5, move-window). */
  readonly index: number | undefined;
}

/** Where a command comes from: what an absent target means. */
export interface CurrentState {
  readonly session: Session | undefined;
  readonly winlink: Winlink | undefined;
  readonly pane: Pane | undefined;
  /** The pane under the mouse event that ran the command. */
  readonly mousePane: Pane | undefined;
  /** Nothing says where the command comes from: it is the session used last. */
  readonly isGuess?: boolean;
  /** The session of the client whose key or call it is, for `{active}`. */
  readonly clientSession?: Session | undefined;
  /** The window whose name in the status line was under the mouse. */
  readonly mouseWinlink?: Winlink | undefined;
}

export interface TargetWish {
  readonly kind: TargetKind;
  /** A target with one of these characters means a pane, whatever `kind` says (attach-session, switch-client). */
  readonly paneMarks?: RegExp;
  /** Without a target the marked pane is taken, if there is one (join-pane -s, swap-pane). */
  readonly defaultMarked?: boolean;
  /** A window index that does not exist is an answer, not a failure. */
  readonly allowFreeIndex?: boolean;
  /** attach-session without a target: a session nobody shows comes first. */
  readonly preferUnattached?: boolean;
}

export type TargetResult =
  | { readonly ok: true; readonly target: Target }
  /** `found` is how far it went: display-message shows that. Its window was asked for if only the pane is missing. */
  | { readonly ok: false; readonly error: string; readonly found?: PartialTarget; readonly lacksPane?: true };

export type PartialTarget = { readonly [Part in 'session' | 'winlink' | 'window' | 'pane']: Target[Part] | undefined };

const WINDOW_WORDS: Readonly<Record<string, string>> = {
  '{start}': '^',
  '{last}': '!',
  '{end}': '$',
  '{next}': '+',
  '{previous}': '-',
};
const PANE_WORDS: Readonly<Record<string, string>> = {
  '{last}': '!',
  '{next}': '+',
  '{previous}': '-',
  '{top}': 'top',
  '{bottom}': 'bottom',
  '{left}': 'left',
  '{right}': 'right',
  '{top-left}': 'top-left',
  '{top-right}': 'top-right',
  '{bottom-left}': 'bottom-left',
  '{bottom-right}': 'bottom-right',
  '{up-of}': '{up-of}',
  '{down-of}': '{down-of}',
  '{left-of}': '{left-of}',
  '{right-of}': '{right-of}',
  '{active}': '@',
};
const PLACES = new Set(['top', 'bottom', 'left', 'right', 'top-left', 'top-right', 'bottom-left', 'bottom-right']);

export function resolveTarget(
  registry: Registry,
  text: string | undefined,
  wish: TargetWish & { readonly current: CurrentState },
): TargetResult {
  return new Resolver(registry, wish).resolve(text);
}

/** The target a session means: its current window and that window's active pane. */
export function targetOfSession(session: Session): Target {
  return targetOfWinlink(session.current);
}

export function targetOfWinlink(winlink: Winlink): Target {
  return {
    session: winlink.session,
    winlink,
    window: winlink.window,
    pane: winlink.window.active,
    index: winlink.index,
  };
}

/** The state of commands that follow one which went to a window, or to a pane of it. */
export function currentOf(winlink: Winlink, pane: Pane = winlink.window.active): CurrentState {
  return { session: winlink.session, winlink, pane, mousePane: undefined };
}

/** The pane in the session given, or in the most recent session that has it. */
export function targetOfPane(registry: Registry, pane: Pane, preferred?: Session): Target | undefined {
  const winlink = winlinkOf(registry, pane.window, preferred);
  return winlink && { session: winlink.session, winlink, window: pane.window, pane, index: winlink.index };
}

/** A client by name, tty path or the path's last part; undefined text means the current one. */
export function findClient(registry: Registry, name: string): ClientSession | undefined {
  const wanted = name.endsWith(':') ? name.slice(0, -1) : name;
  for (const client of registry.clients) {
    if (client.session === undefined) continue;
    if (client.name === wanted || client.name === `/dev/${wanted}` || client.name.replace(/^\/dev\//, '') === wanted)
      return client;
  }
  return undefined;
}

/** The session used last; with `preferUnattached` one without clients before one with. */
export function bestSession(sessions: Iterable<Session>, preferUnattached = false): Session | undefined {
  let best: Session | undefined;
  for (const session of sessions) {
    if (!best) best = session;
    else if (preferUnattached && best.attached > 0 !== session.attached > 0) {
      if (session.attached === 0) best = session;
    } else if (session.useOrder > best.useOrder) best = session;
  }
  return best;
}

function winlinkOf(registry: Registry, window: Window, preferred?: Session): Winlink | undefined {
  if (preferred) {
    const current = preferred.isEmpty ? undefined : preferred.current;
    if (current?.window === window) return current;
    const own = preferred.find(window);
    if (own) return own;
  }
  const sessions = [...window.winlinks].map((winlink) => winlink.session);
  const session = bestSession(sessions.filter((candidate) => registry.sessions.has(candidate.id)));
  if (!session) return undefined;
  return session.current.window === window ? session.current : session.find(window);
}

/** One part of a target: a session, a window or a pane. */
interface TargetPart {
  /** Without `=`, a word in braces as the sign that it stands for. */
  readonly text: string;
  /** `=`: no beginning of a name, no pattern. */
  readonly isExact: boolean;
  /** A colon or period says what it is: nothing else is tried. */
  readonly isMarked: boolean;
}

function partOf(
  text: string,
  {
    words = {},
    canBeExact = false,
    isMarked = false,
  }: { readonly words?: Readonly<Record<string, string>>; readonly canBeExact?: boolean; readonly isMarked?: boolean },
): TargetPart | undefined {
  const isExact = canBeExact && text.startsWith('=');
  const bare = isExact ? text.slice(1) : text;
  return bare === '' ? undefined : { text: words[bare] ?? bare, isExact, isMarked };
}

type TargetParts = { readonly [Part in TargetKind]?: TargetPart | undefined };

class Resolver {
  readonly #registry: Registry;
  readonly #wish: TargetWish & { readonly current: CurrentState };
  /** The first of several windows that a name could mean. */
  #ambiguous: Winlink | undefined;

  constructor(registry: Registry, wish: TargetWish & { readonly current: CurrentState }) {
    this.#registry = registry;
    this.#wish = wish;
  }

  resolve(text: string | undefined): TargetResult {
    if (text === undefined || text === '' || this.#registry.sessions.size === 0) return this.#default();
    if (text === '=' || text === '{mouse}') return this.#mouse();
    if (text === '~' || text === '{marked}') return this.#marked();
    if (text === '@' || text === '{active}' || text === '{current}') {
      const { clientSession } = this.#wish.current;
      return clientSession && !clientSession.isEmpty ? ok(targetOfSession(clientSession)) : fail('no current client');
    }
    const { session, window, pane } = this.#split(text);
    if (pane && this.#wish.allowFreeIndex) return fail("can't specify pane here");
    if (session) return this.#inSession(session, window, pane);
    if (window) return this.#inWindow(window, pane);
    if (pane) return this.#paneOnly(pane);
    return this.#default();
  }

  #split(text: string): TargetParts {
    const colon = text.indexOf(':');
    const period = text.indexOf('.', colon < 0 ? 0 : colon + 1);
    const end = period < 0 ? text.length : period;
    const pane = period < 0 ? undefined : partOf(text.slice(period + 1), { words: PANE_WORDS, isMarked: true });
    if (colon >= 0) {
      const window = partOf(text.slice(colon + 1, end), { words: WINDOW_WORDS, canBeExact: true, isMarked: true });
      return { session: partOf(text.slice(0, colon), { canBeExact: true }), window, pane };
    }
    if (period >= 0) return { window: partOf(text.slice(0, end), { words: WINDOW_WORDS, canBeExact: true }), pane };
    const kind = this.#kindOf(text);
    if (kind === 'session') return { session: partOf(text, { canBeExact: true }) };
    if (kind === 'window') return { window: partOf(text, { words: WINDOW_WORDS, canBeExact: true }) };
    return { pane: partOf(text, { words: PANE_WORDS }) };
  }

  /** What a target without a colon and a period names. */
  #kindOf(text: string): TargetKind {
    if (text.startsWith('$')) return 'session';
    if (text.startsWith('@')) return 'window';
    if (text.startsWith('%')) return 'pane';
    return this.#wish.kind === 'session' && this.#wish.paneMarks?.test(text) ? 'pane' : this.#wish.kind;
  }

  #default(): TargetResult {
    if (this.#wish.defaultMarked && this.#registry.mark) return this.#marked();
    const { session, winlink, pane, isGuess } = this.#wish.current;
    if (this.#wish.preferUnattached && (isGuess || !session)) {
      const best = bestSession(this.#registry.sessions.values(), true);
      return best ? ok(targetOfSession(best)) : fail('no sessions');
    }
    if (session && winlink && pane) return ok({ session, winlink, window: winlink.window, pane, index: undefined });
    if (session) return ok({ ...targetOfSession(session), index: undefined });
    const best = bestSession(this.#registry.sessions.values());
    return best ? ok({ ...targetOfSession(best), index: undefined }) : fail('no current target');
  }

  #marked(): TargetResult {
    const { mark } = this.#registry;
    if (!mark) return fail('no marked target');
    const target = { ...targetOfWinlink(mark.winlink), pane: mark.pane };
    // Where an index is meant it names a session alone.
    return ok(this.#wish.allowFreeIndex ? { ...target, index: undefined } : target);
  }

  #mouse(): TargetResult {
    const { mousePane, mouseWinlink } = this.#wish.current;
    return mouseWinlink ? ok(targetOfWinlink(mouseWinlink)) : this.#paneResult(mousePane, 'no mouse target');
  }

  #paneResult(pane: Pane | undefined, error: string): TargetResult {
    const target = pane && targetOfPane(this.#registry, pane, this.#wish.current.session);
    return target ? ok(target) : fail(error);
  }

  #inSession(name: TargetPart, window: TargetPart | undefined, pane: TargetPart | undefined): TargetResult {
    const session = this.#findSession(name.text, name.isExact);
    if (!session) return fail(`can't find session: ${name.text}`);
    if (!window && !pane) return ok({ ...targetOfSession(session), index: undefined });
    if (!window) return this.#withPane(session.current, pane, session);
    const found = this.#findWindowIn(window, session);
    if (found === undefined) return this.#noWindow(window.text, session);
    return this.#withPane(found, pane, session);
  }

  #withPane(found: Winlink | number, wanted: TargetPart | undefined, session: Session): TargetResult {
    if (typeof found === 'number') return ok({ ...targetOfSession(session), index: found });
    if (!wanted) return ok(targetOfWinlink(found));
    const pane = this.#findPaneIn(wanted.text, found.window);
    return pane
      ? ok({ ...targetOfWinlink(found), pane })
      : { ok: false, error: `can't find pane: ${wanted.text}`, found: targetOfWinlink(found), lacksPane: true };
  }

  #noWindow(text: string, session: Session | undefined): TargetResult {
    const error = `can't find window: ${text}`;
    const near = this.#ambiguous ?? (session && !session.isEmpty ? session.current : undefined);
    return fail(error, near && targetOfWinlink(near));
  }

  /** A window of the current session, else the current window of the session of that name. */
  #inWindow(window: TargetPart, pane: TargetPart | undefined): TargetResult {
    const found = this.#findWindow(window);
    if (found !== undefined) {
      const session = typeof found === 'number' ? this.#currentSession() : found.session;
      if (session) return this.#withPane(found, pane, session);
    }
    if (window.isMarked) return this.#noWindow(window.text, this.#currentSession());
    const session = this.#findSession(window.text, false);
    if (!session) return fail(`can't find window: ${window.text}`);
    if (pane) return this.#withPane(session.current, pane, session);
    return ok({ ...targetOfSession(session), index: undefined });
  }

  /** A pane of the current window, else the active pane of what the text means as a window or session. */
  #paneOnly(wanted: TargetPart): TargetResult {
    const { text } = wanted;
    if (text.startsWith('%')) {
      const pane = /^%\d+$/.test(text) ? this.#registry.panes.get(Number(text.slice(1))) : undefined;
      return this.#paneResult(pane, `can't find pane: ${text}`);
    }
    const session = this.#currentSession();
    const winlink = this.#wish.current.winlink ?? (session && !session.isEmpty ? session.current : undefined);
    if (winlink) {
      const found = this.#withPane(winlink, wanted, winlink.session);
      if (found.ok || wanted.isMarked) return found;
    }
    const asWindow = this.#inWindow(wanted, undefined);
    return asWindow.ok ? asWindow : fail(`can't find pane: ${text}`);
  }

  #currentSession(): Session | undefined {
    return this.#wish.current.session ?? bestSession(this.#registry.sessions.values());
  }

  #findSession(name: string, exact: boolean): Session | undefined {
    if (/^\$\d+$/.test(name)) return this.#registry.sessions.get(Number(name.slice(1)));
    const all = [...this.#registry.sessions.values()];
    const same = all.find((session) => session.name === name);
    if (same) return same;
    const client = findClient(this.#registry, name);
    if (client?.session) return client.session;
    if (exact) return undefined;
    return (
      onlyOne(all.filter((session) => session.name.startsWith(name))) ??
      onlyOne(all.filter((session) => globMatcher(name).test(session.name)))
    );
  }

  #findWindow(wanted: TargetPart): Winlink | number | undefined {
    const { text } = wanted;
    if (/^@\d+$/.test(text)) {
      const window = this.#registry.windows.get(Number(text.slice(1)));
      return window && winlinkOf(this.#registry, window, this.#wish.current.session);
    }
    const session = this.#currentSession();
    return session && this.#findWindowIn(wanted, session);
  }

  #findWindowIn({ text, isExact }: TargetPart, session: Session): Winlink | number | undefined {
    if (/^@\d+$/.test(text)) {
      return session.winlinks.find((winlink) => winlink.window.id === Number(text.slice(1)));
    }
    if (!isExact && /^[+-]\d*$/.test(text)) return this.#windowByOffset(text, session);
    if (!isExact && text === '!') return session.last;
    if (!isExact && text === '^') return session.winlinks[0];
    if (!isExact && text === '$') return session.winlinks.at(-1);
    if (/^\d+$/.test(text)) {
      const found = session.at(Number(text));
      if (found) return found;
      if (this.#wish.allowFreeIndex && Number(text) <= 2147483647) return Number(text);
    }
    const all = session.winlinks;
    const named = all.filter((winlink) => winlink.window.name === text);
    if (named.length > 0) return onlyOne(named);
    if (isExact) return undefined;
    const prefixed = all.filter((winlink) => winlink.window.name.startsWith(text));
    if (prefixed.length > 1) this.#ambiguous = prefixed[0];
    if (prefixed.length > 0) return onlyOne(prefixed);
    return onlyOne(all.filter((winlink) => globMatcher(text).test(winlink.window.name)));
  }

  #windowByOffset(text: string, session: Session): Winlink | number | undefined {
    const step = Number(text.slice(1) || '1') * (text[0] === '-' ? -1 : 1);
    if (this.#wish.allowFreeIndex) {
      const index = session.current.index + step;
      return index < 0 ? undefined : index;
    }
    const all = session.winlinks;
    const at = all.indexOf(session.current);
    return all[(((at + step) % all.length) + all.length) % all.length];
  }

  #findPaneIn(text: string, window: Window): Pane | undefined {
    if (/^%\d+$/.test(text)) return window.panes.find((pane) => pane.id === Number(text.slice(1)));
    if (text === '@') return window.active;
    if (text === '!') return window.lastPane;
    if (text === '{up-of}') return window.neighbour(window.active, 'up');
    if (text === '{down-of}') return window.neighbour(window.active, 'down');
    if (text === '{left-of}') return window.neighbour(window.active, 'left');
    if (text === '{right-of}') return window.neighbour(window.active, 'right');
    if (PLACES.has(text)) return paneAtPlace(window, text);
    if (/^[+-]\d*$/.test(text)) {
      const step = Number(text.slice(1) || '1') * (text[0] === '-' ? -1 : 1);
      const count = window.panes.length;
      return window.panes[(((window.active.place + step) % count) + count) % count];
    }
    if (/^\d+$/.test(text)) return window.panes[Number(text) - window.options.number('pane-base-index')];
    return undefined;
  }
}

/** The pane at an edge or corner of the window. */
function paneAtPlace(window: Window, place: string): Pane | undefined {
  const { cols, rows } = window.size;
  const x = place.includes('left') ? 0 : place.includes('right') ? cols - 1 : Math.floor(cols / 2);
  const y = place.includes('top') ? 0 : place.includes('bottom') ? rows - 1 : Math.floor(rows / 2);
  const holds = (rect: Rect) => x >= rect.x && x <= rect.x + rect.width && y >= rect.y && y <= rect.y + rect.height;
  return window.visiblePanes.find((pane) => holds(pane.rect));
}

function onlyOne<T>(items: readonly T[]): T | undefined {
  return items.length === 1 ? items[0] : undefined;
}

const ok = (target: Target): TargetResult => ({ ok: true, target });
const fail = (error: string, found?: PartialTarget): TargetResult => ({
  ok: false,
  error,
  ...(found ? { found } : {}),
});
