/** Everything the server holds: sessions, windows, panes, clients, buffers, options, environment. */
import { Emitter } from '../events.ts';
import { OptionSet } from '../options/option-set.ts';
import type { ClientSession } from './client-session.ts';
import type { Environ } from './environ.ts';
import { MessageLog } from './message-log.ts';
import type { Pane } from './pane.ts';
import { PasteBuffers } from './paste-buffers.ts';
import { Session, type Winlink } from './session.ts';
import { Window } from './window.ts';

/** Something happened to the model. `name` is the hook's name in tmux(1) HOOKS where there is one. */
export interface ModelEvent {
  readonly name: string;
  readonly session?: Session | undefined;
  readonly window?: Window | undefined;
  readonly pane?: Pane | undefined;
  readonly client?: ClientSession | undefined;
}

/** What has to be drawn again. */
export type DirtyMark =
  | { readonly kind: 'all' }
  | { readonly kind: 'session'; readonly session: Session }
  | { readonly kind: 'window'; readonly window: Window }
  | { readonly kind: 'pane'; readonly pane: Pane }
  | { readonly kind: 'client'; readonly client: ClientSession };

/** A question of a program, as marks in the status line tell it. */
export interface OpenQuestion {
  /** The asking pane; undefined for a program outside any pane, or a pane that is gone. */
  readonly pane: Pane | undefined;
  /** The client that shows it. */
  readonly client: ClientSession | undefined;
}

export interface RegistryCounters {
  readonly session: number;
  readonly window: number;
  readonly pane: number;
  readonly use: number;
}

/** The marked pane (tmux(1) select-pane -m) and where it was marked: one window can be in several sessions. */
export interface Mark {
  readonly pane: Pane;
  readonly winlink: Winlink;
}

function isInPlace({ pane, winlink }: Mark): boolean {
  const { window, session } = winlink;
  return window.panes.includes(pane) && session.winlinks.includes(winlink);
}

export class Registry {
  readonly sessions = new Map<number, Session>();
  readonly windows = new Map<number, Window>();
  readonly panes = new Map<number, Pane>();
  readonly clients = new Set<ClientSession>();
  readonly buffers: PasteBuffers;
  readonly serverOptions: OptionSet;
  readonly sessionOptions: OptionSet;
  readonly windowOptions: OptionSet;
  readonly environ: Environ;
  readonly events = new Emitter<ModelEvent>();
  readonly dirty = new Emitter<DirtyMark>();
  /** A pane printed something. */
  readonly outputs = new Emitter<Pane>();
  /** Windows that were made with a program of their own, once they are linked. */
  readonly newWindows = new Emitter<Window>();
  /** Windows that came back without any event: of the server before, or out of a journal. */
  readonly restoredWindows = new Emitter<Window>();
  /** What it printed; valid while it is told. */
  readonly bytes = new Emitter<{ readonly pane: Pane; readonly bytes: Uint8Array }>();
  readonly messages = new MessageLog();
  /** Seconds since the epoch when the server started; a take-over does not count as a start. */
  startTime: number;
  #mark: Mark | undefined;
  /** Questions of programs that nobody has answered, oldest first. */
  questions: readonly OpenQuestion[] = [];
  configFiles: readonly string[] = [];
  /** Seconds since the epoch, with fraction. */
  readonly now: () => number;
  #nextSession = 0;
  #nextWindow = 0;
  #nextPane = 0;
  #nextUse = 1;

  constructor(init: {
    environ: Environ;
    now: () => number;
    options: { server: OptionSet; session: OptionSet; window: OptionSet };
  }) {
    this.environ = init.environ;
    this.now = init.now;
    this.startTime = Math.floor(init.now());
    this.serverOptions = init.options.server;
    this.sessionOptions = init.options.session;
    this.windowOptions = init.options.window;
    this.buffers = new PasteBuffers(init.now);
  }

  /** The marked pane; a pane that has left its window, or a window that has left its session, is marked no more. */
  get mark(): Mark | undefined {
    const mark = this.#mark;
    if (mark && isInPlace(mark) && this.sessions.has(mark.winlink.session.id)) return mark;
    this.#mark = undefined;
    return undefined;
  }

  get markedPane(): Pane | undefined {
    return this.mark?.pane;
  }

  /** Marks a pane in place of the one before; without a winlink in the first session that has it. */
  setMark(pane: Pane | undefined, winlink: Winlink | undefined = pane && [...pane.window.winlinks][0]): void {
    this.#mark = pane && winlink && { pane, winlink };
  }

  /** Seconds since the epoch, whole. */
  seconds(): number {
    return Math.floor(this.now());
  }

  /** What the next session, window, pane and use get. */
  get counters(): RegistryCounters {
    return { session: this.#nextSession, window: this.#nextWindow, pane: this.#nextPane, use: this.#nextUse };
  }

  restoreCounters(counters: RegistryCounters): void {
    this.#nextSession = counters.session;
    this.#nextWindow = counters.window;
    this.#nextPane = counters.pane;
    this.#nextUse = counters.use;
  }

  /** The id that the next session gets. */
  get nextSessionId(): number {
    return this.#nextSession;
  }

  /** The id that the next pane gets. */
  get freePaneId(): number {
    return this.#nextPane;
  }

  nextPaneId(): number {
    return this.#nextPane++;
  }

  /** Without a name it gets its id, after the group's name and a dash where there is a group. */
  addSession(init: { name?: string | undefined; cwd: string; environ?: Environ; group?: string | undefined }): Session {
    const ownName = (id: number) => (init.group === undefined ? String(id) : `${init.group}-${id}`);
    // As in tmux, an id whose name is taken is passed over.
    if (init.name === undefined) while (this.sessionNamed(ownName(this.#nextSession))) this.#nextSession++;
    const id = this.#nextSession++;
    const session = new Session({
      id,
      name: init.name ?? ownName(id),
      cwd: init.cwd,
      options: new OptionSet(this.sessionOptions),
      created: this.seconds(),
      group: init.group,
      ...(init.environ ? { environ: init.environ } : {}),
    });
    this.sessions.set(id, session);
    this.touch(session);
    return session;
  }

  sessionNamed(name: string): Session | undefined {
    for (const session of this.sessions.values()) if (session.name === name) return session;
    return undefined;
  }

  /** Sessions in the order of their names, as tmux lists them. */
  sessionsByName(): Session[] {
    return [...this.sessions.values()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  }

  /** Takes a session out with its winlinks; windows left without a session are closed by the caller (`windowsToClose`). */
  removeSession(session: Session): Window[] {
    const orphans: Window[] = [];
    for (const winlink of session.winlinks) {
      session.unlink(winlink);
      if (winlink.window.winlinks.size === 0) orphans.push(winlink.window);
    }
    this.sessions.delete(session.id);
    return orphans;
  }

  /** Sessions that share their windows with this one, itself included. */
  groupOf(session: Session): Session[] {
    if (session.group === undefined) return [session];
    return [...this.sessions.values()].filter((other) => other.group === session.group);
  }

  /** Passes over the ids of a window and a pane, as tmux does for the ones that a session of a group never shows. */
  skipWindow(): void {
    this.#nextWindow++;
    this.#nextPane++;
  }

  addWindow(init: { name: string; size: { cols: number; rows: number } }): Window {
    const window = new Window({
      id: this.#nextWindow++,
      name: init.name,
      size: init.size,
      options: new OptionSet(this.windowOptions),
      created: this.seconds(),
    });
    this.windows.set(window.id, window);
    return window;
  }

  /** Marks a session, and the client through which it was used, as the most recent. */
  touch(session: Session | undefined, client?: ClientSession): void {
    const order = this.#nextUse++;
    if (session) {
      session.useOrder = order;
      session.activity = this.seconds();
    }
    if (client) {
      client.useOrder = order;
      client.activity = this.seconds();
    }
  }

  /** Clients that show a session, most recently used first. */
  clientsOf(session: Session): ClientSession[] {
    return [...this.clients].filter((client) => client.session === session).sort((a, b) => b.useOrder - a.useOrder);
  }

  /** Whether a client in control mode is there: such a one is told of every pane's output. */
  get hasControlClient(): boolean {
    for (const { control } of this.clients) if (control) return true;
    return false;
  }

  /** Attached clients, most recently used first. */
  attachedClients(): ClientSession[] {
    return [...this.clients].filter((client) => client.session !== undefined).sort((a, b) => b.useOrder - a.useOrder);
  }

  /** The first of them. */
  get latestClient(): ClientSession | undefined {
    let latest: ClientSession | undefined;
    for (const client of this.clients) {
      if (client.session && !(latest && latest.useOrder >= client.useOrder)) latest = client;
    }
    return latest;
  }

  emit(name: string, about: Omit<ModelEvent, 'name'> = {}): void {
    this.events.emit({ name, ...about });
  }

  markAll(): void {
    this.dirty.emit({ kind: 'all' });
  }

  markSession(session: Session): void {
    this.dirty.emit({ kind: 'session', session });
  }

  markWindow(window: Window): void {
    this.dirty.emit({ kind: 'window', window });
  }

  markPane(pane: Pane): void {
    this.dirty.emit({ kind: 'pane', pane });
  }

  markClient(client: ClientSession): void {
    this.dirty.emit({ kind: 'client', client });
  }

  /** A text that was shown, for show-messages. */
  logMessage(text: string): void {
    this.messages.add({ time: this.seconds(), text }, { limit: this.serverOptions.number('message-limit') });
  }

  /** What a caller did or was told, for show-messages of this process. */
  logCall(text: string): void {
    const limit = this.serverOptions.number('message-limit');
    this.messages.add({ time: this.seconds(), text }, { limit, isPassing: true });
  }
}
