/**
 * How sessions, windows and panes come and go. Commands and exits of programs both end here, so that the rules
 * (what becomes current, what is closed with it, which hooks fire) stand once.
 */
import { cleanText } from '../../protocol/clean-text.ts';
import type { Size } from '../../protocol/geometry.ts';
import { mapPanes, singleLayout } from '../layout/layout-cell.ts';
import { closePane, NO_SPACE, type SplitOptions, splitPane } from '../layout/layout-split.ts';
import type { Environ } from './environ.ts';
import type { Pane, PaneCommand, PaneExit } from './pane.ts';
import type { Registry } from './registry.ts';
import type { Session, Winlink } from './session.ts';
import type { Window } from './window.ts';
import { fitWindows, sizeForSession } from './window-size.ts';

/** What a new pane is made from. */
export interface PaneRequest {
  readonly id: number;
  readonly session: Session;
  readonly window: Window;
  readonly command: PaneCommand;
  /** `-e NAME=value`, on top of the session's environment. */
  readonly environ?: Environ | undefined;
  /** No program: the pane is written to by a command (split-window -I, ''). */
  readonly empty?: boolean;
}

/** What is told of a program that no window holds. */
export interface FloatingHandlers {
  /** All of its output is on the screen; the pane is dead. */
  readonly ended: (exit: PaneExit) => void;
  readonly bell: () => void;
}

/** Makes panes and starts programs; the server gives the one that knows the pty host. */
export interface PaneFactory {
  /** A pane that is in no window: a popup's. `Lifecycle.adopt` puts it into one, `discard` ends it. */
  createFloating(request: PaneRequest, size: Size, handlers: FloatingHandlers): Pane;
  /** Ends the program of a floating pane and its screen. */
  discard(pane: Pane): void;
  /** A floating pane was adopted: it is like any other from here on. */
  settle(pane: Pane): void;
  create(request: PaneRequest, size: Size): Pane;
  /** Starts another program in an existing pane. */
  respawn(pane: Pane, request: PaneRequest): void;
}

export interface NewWindowRequest {
  readonly session: Session;
  /** Index to take; undefined: the first free one from base-index. */
  readonly index?: number | undefined;
  readonly name?: string | undefined;
  readonly command: PaneCommand;
  readonly environ?: Environ | undefined;
  /** Leave the current window current. */
  readonly detached?: boolean;
  readonly size?: Size | undefined;
}

/** Stands for a pane in a layout that still has its old cell. */
const JOINED = -1;

export class Lifecycle {
  readonly #registry: Registry;
  readonly #factory: PaneFactory;

  constructor(registry: Registry, factory: PaneFactory) {
    this.#registry = registry;
    this.#factory = factory;
  }

  /** Makes a window with one pane and links it into the session and the sessions of its group. */
  newWindow(request: NewWindowRequest): Winlink {
    const { session } = request;
    const registry = this.#registry;
    const index = request.index ?? session.freeIndex(session.options.number('base-index'));
    const size = request.size ?? sizeForSession(registry, session);
    const window = registry.addWindow({ name: request.name ?? initialName(session, request.command), size });
    if (request.name !== undefined) window.options.setValue('automatic-rename', false);
    const id = registry.nextPaneId();
    const pane = this.#factory.create(
      { id, session, window, command: request.command, environ: request.environ },
      size,
    );
    registry.panes.set(pane.id, pane);
    window.insertPane(pane);
    window.setLayout(singleLayout(pane.id, size));
    const winlink = this.link(window, session, index, { select: !request.detached });
    registry.newWindows.emit(window);
    return winlink;
  }

  /** Splits a pane's cell and starts a program in the new half; an error message if there is no space. */
  split(
    pane: Pane,
    options: SplitOptions & { detached?: boolean; insertBefore?: boolean },
    request: Omit<PaneRequest, 'window' | 'id'>,
  ): { ok: true; pane: Pane } | { ok: false; error: string } {
    const { window } = pane;
    window.unzoom();
    // An id is taken only where there is space.
    const id = this.#registry.freePaneId;
    const layout = splitPane(window.layout, pane.id, id, { ...options, status: window.borderStatus });
    if (!layout) return { ok: false, error: NO_SPACE };
    this.#registry.nextPaneId();
    const created = this.#factory.create({ ...request, id, window }, window.size);
    this.#registry.panes.set(created.id, created);
    window.insertPane(created, options.full ? undefined : pane, options.before ?? false);
    window.setLayout(layout);
    if (!options.detached) this.selectPane(created);
    this.layoutChanged(window);
    return { ok: true, pane: created };
  }

  /** Puts a pane that no window holds into the half of another's cell; false if there is no space. */
  adopt(pane: Pane, beside: Pane, options: SplitOptions): boolean {
    const { window } = beside;
    window.unzoom();
    const layout = splitPane(window.layout, beside.id, pane.id, { ...options, status: window.borderStatus });
    if (!layout) return false;
    this.#factory.settle(pane);
    this.#registry.panes.set(pane.id, pane);
    window.insertPane(pane, beside, options.before ?? false);
    window.setLayout(layout);
    this.selectPane(pane);
    this.layoutChanged(window);
    return true;
  }

  /** Links a window at an index of a session, and of the others of its group; `select` shows it there. */
  link(window: Window, session: Session, index: number, options: { readonly select?: boolean } = {}): Winlink {
    const winlink = session.link(window, index);
    if (options.select) this.selectWindow(winlink);
    this.#registry.emit('window-linked', { session, window });
    this.syncGroup(session);
    this.#registry.markSession(session);
    return winlink;
  }

  /** Takes a winlink (and its fellows of the group) away; a window without winlinks is closed, so are empty sessions. */
  unlink(winlink: Winlink): void {
    const { session, window } = winlink;
    const wasCurrent = session.current === winlink;
    session.unlink(winlink);
    if (wasCurrent && !session.isEmpty) {
      this.#registry.emit('session-window-changed', { session, window: session.current.window });
    }
    this.#registry.emit('window-unlinked', { session, window });
    if (!session.isEmpty && session.options.flag('renumber-windows')) {
      session.renumber(session.options.number('base-index'));
    }
    this.syncGroup(session);
    for (const member of this.#registry.groupOf(session)) {
      if (member.isEmpty) this.#closeSession(member);
      else this.#registry.markSession(member);
    }
    if (window.winlinks.size === 0) this.#disposeWindow(window);
    fitWindows(this.#registry);
  }

  /** After a change of a session's winlinks: the others of its group show the same windows at the same places. */
  syncGroup(session: Session): void {
    for (const other of this.#registry.groupOf(session)) {
      if (other === session) continue;
      other.mirror(session);
      this.#registry.markSession(other);
    }
  }

  /** Closes a window in every session. */
  closeWindow(window: Window): void {
    for (const session of this.#registry.sessionsByName()) {
      for (const winlink of session.winlinks) if (winlink.window === window) this.unlink(winlink);
    }
  }

  /** Closes a pane; the last one takes its window with it. */
  closePane(pane: Pane): void {
    const { window } = pane;
    if (window.panes.length <= 1) {
      this.closeWindow(window);
      return;
    }
    const wasActive = window.active === pane;
    this.takePaneOut(pane);
    this.layoutChanged(window);
    if (wasActive) this.#activeChanged(window);
    this.disposePane(pane);
  }

  /**
   * Moves a pane into a split of another; false if there is no space. A window left empty is closed, after `placed` has
   * selected what is to be selected.
   */
  joinPane(pane: Pane, beside: Pane, { placed, ...options }: SplitOptions & { readonly placed: () => void }): boolean {
    const window = beside.window;
    const from = pane.window;
    const split = splitPane(window.layout, beside.id, JOINED, { ...options, status: window.borderStatus });
    if (!split) return false;
    // Its old cell closes after the split, as in tmux: cells may stay nested.
    const layout = from === window ? (closePane(split, pane.id) ?? split) : split;
    const trial = mapPanes(layout, (id) => (id === JOINED ? pane.id : id));
    const wasActive = from.active === pane;
    this.takePaneOut(pane);
    if (wasActive && from.panes.length > 0) this.#activeChanged(from);
    window.insertPane(pane, beside, options.before ?? false);
    window.setLayout(trial);
    placed();
    if (from.panes.length === 0) this.closeWindow(from);
    else if (from !== window) this.layoutChanged(from);
    this.layoutChanged(window);
    return true;
  }

  /** Moves a pane into a window of its own in a session; the only pane of a window takes its window along. */
  breakPane(
    pane: Pane,
    to: {
      readonly from: Winlink;
      readonly session: Session;
      readonly index: number | undefined;
      /** Those at the index and right behind it move up. */
      readonly insert: boolean;
      readonly name: string | undefined;
      readonly detached: boolean;
    },
  ): { ok: true; winlink: Winlink; isNew: boolean } | { ok: false; error: string } {
    const registry = this.#registry;
    const { session } = to;
    if (to.insert && to.index !== undefined) session.makeRoom(to.index);
    const index = to.index ?? session.freeIndex(session.options.number('base-index'));
    const taken = session.at(index);
    const from = pane.window;
    if (taken) {
      const isItself = taken.window === from && from.panes.length === 1;
      return { ok: false, error: `${isItself ? 'same index' : 'index in use'}: ${index}` };
    }
    let window = from;
    if (from.panes.length > 1) {
      const wasActive = from.active === pane;
      this.takePaneOut(pane);
      if (wasActive) this.#activeChanged(from);
      window = registry.addWindow({ name: to.name ?? initialName(session, pane.command), size: from.size });
      window.insertPane(pane);
      window.setLayout(singleLayout(pane.id, window.size));
      this.layoutChanged(from);
      registry.emit('window-renamed', { window });
    } else if (to.name !== undefined) window.name = to.name;
    if (to.name !== undefined) window.options.setValue('automatic-rename', false);
    const winlink = this.link(window, session, index);
    if (!to.detached) this.selectWindow(winlink);
    if (window === from) this.unlink(to.from);
    return { ok: true, winlink, isNew: window !== from };
  }

  /** Exchanges the windows of two winlinks, in one session or across two; with `select` both places become current. */
  swapWindows(a: Winlink, b: Winlink, options: { readonly select: boolean }): void {
    const [first, second] = [a.session, b.session];
    const [windowA, windowB] = [a.window, b.window];
    const newA = first.replace(a, windowB);
    const newB = second.replace(b, windowA);
    if (options.select) {
      this.selectWindow(newB);
      if (first !== second) this.selectWindow(newA);
    }
    for (const session of new Set([first, second])) {
      this.syncGroup(session);
      this.#registry.markSession(session);
    }
    fitWindows(this.#registry);
  }

  /** Takes a pane out of its window and gives its space to the neighbours; the pane lives on (break-pane, join-pane). */
  takePaneOut(pane: Pane): void {
    const { window } = pane;
    if (this.#registry.markedPane === pane) this.#registry.setMark(undefined);
    window.unzoom();
    const layout = closePane(window.layout, pane.id);
    window.removePane(pane);
    if (layout) window.setLayout(layout);
  }

  #activeChanged(window: Window): void {
    this.#registry.emit('window-pane-changed', { window, pane: window.active });
  }

  disposePane(pane: Pane): void {
    if (this.#registry.markedPane === pane) this.#registry.setMark(undefined);
    this.#registry.panes.delete(pane.id);
    if (pane.mode) this.#registry.emit('pane-mode-changed', { pane, window: pane.window });
    pane.dispose();
    this.#registry.emit('pane-closed', { pane, window: pane.window });
  }

  /** Ends a session; windows that no other session shows are closed. */
  closeSession(session: Session): void {
    const windows = session.winlinks.map(({ window }) => window);
    const orphans = this.#registry.removeSession(session);
    this.#registry.emit('session-closed', { session });
    for (const window of windows) this.#registry.emit('window-unlinked', { session, window });
    for (const window of orphans) this.#disposeWindow(window);
    fitWindows(this.#registry);
  }

  #closeSession(session: Session): void {
    this.#registry.sessions.delete(session.id);
    this.#registry.emit('session-closed', { session });
  }

  #disposeWindow(window: Window): void {
    this.#registry.windows.delete(window.id);
    for (const pane of [...window.panes]) this.disposePane(pane);
    this.#registry.emit('window-closed', { window });
  }

  /** Shows a window in its session. */
  selectWindow(winlink: Winlink): void {
    const { session, window } = winlink;
    if (!session.select(winlink)) return;
    fitWindows(this.#registry);
    this.#registry.emit('session-window-changed', { session, window });
    this.#registry.markSession(session);
  }

  /** Makes a pane the active one of its window. */
  selectPane(pane: Pane): void {
    const { window } = pane;
    if (!window.setActive(pane)) return;
    this.#registry.emit('window-pane-changed', { window, pane });
    this.#registry.markWindow(window);
  }

  layoutChanged(window: Window): void {
    this.#registry.emit('window-layout-changed', { window });
    this.#registry.markWindow(window);
  }
}

/** A window's name before its program is seen: the command's first word, else the shell, as tmux picks it. */
function initialName(session: Session, command: PaneCommand): string {
  const line =
    command.argv.join(' ') || session.options.string('default-command') || session.options.string('default-shell');
  const word =
    line
      .replace(/^"/, '')
      .replace(/^exec /, '')
      .replace(/^[\s-]+/, '')
      .split(' ')[0] ?? '';
  const name = word.startsWith('/') ? word.slice(word.lastIndexOf('/') + 1) : word;
  // Most names end plainly, and this expression takes a millisecond to compile.
  const end = /[!-~]$/.test(name) ? name : name.replace(/[^\p{L}\p{N}\p{P}\p{S}]+$/u, '');
  return cleanText(end, { max: 256 });
}
