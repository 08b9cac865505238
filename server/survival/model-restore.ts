/** Makes the model of saved data again: no hook runs, no config is loaded, nothing is told to anybody. */
import type { Clients } from '../clients/clients.ts';
import type { Services } from '../command/entries/context.ts';
import { finishEdit } from '../command/entries/editor-popup.ts';
import { PopupOverlay } from '../command/entries/popup-overlay.ts';
import { reopenPipe } from '../jobs/pane-pipe.ts';
import { sessionOf } from '../mode/copy-mode.ts';
import { ClientSession } from '../model/client-session.ts';
import { Environ } from '../model/environ.ts';
import type { FloatingHandlers } from '../model/lifecycle.ts';
import type { Pane, PaneState } from '../model/pane.ts';
import type { Registry } from '../model/registry.ts';
import { Session } from '../model/session.ts';
import { Window } from '../model/window.ts';
import { OptionSet } from '../options/option-set.ts';
import type { PaneIo } from '../panes/pane-io.ts';
import type { HostClient } from '../pty-host/host-client.ts';
import type { HostPaneInfo } from '../pty-host/host-protocol.ts';
import {
  type ModelState,
  type OptionsState,
  type OtherState,
  restoreEnviron,
  restorePrompts,
  restoreSet,
  type SavedClient,
  type SavedEnviron,
  type SavedOptions,
  type SavedPane,
  type SavedPopup,
  type SavedSession,
  type SavedWindow,
} from './model-state.ts';
import { readScreen, type StoredScreen } from './screen-store.ts';

export interface RestoreContext {
  readonly registry: Registry;
  readonly panes: PaneIo;
  readonly clients: Clients;
  readonly host: Pick<HostClient, 'attach' | 'closePane'>;
  readonly services: Services;
}

export interface SavedWorld {
  readonly model: ModelState;
  readonly options: OptionsState;
  readonly other: OtherState;
  readonly blobs: ReadonlyMap<string, Buffer>;
  readonly held: readonly HostPaneInfo[];
}

/** A pane whose output is on its way, and where it was when the take-over began. */
export interface ComingPane {
  readonly pane: Pane;
  readonly end: number;
}

export interface RestoredWorld {
  readonly coming: readonly ComingPane[];
  /** Panes whose end the server before had dealt with: they are to be closed without a word. */
  readonly ended: readonly Pane[];
}

export function restoreWorld(context: RestoreContext, world: SavedWorld): RestoredWorld {
  const { registry } = context;
  const { model, options, other } = world;
  restoreSet(registry.serverOptions, options.server);
  restoreSet(registry.sessionOptions, options.session);
  restoreSet(registry.windowOptions, options.window);
  restoreEnviron(registry.environ, other.environ);
  restorePrompts(context.services.promptHistory, other.prompts);
  if (other.channels) context.services.channels.restore(other.channels);
  registry.restoreCounters(model.counters);
  registry.startTime = model.startTime;
  registry.configFiles = model.configFiles;
  const windowOptions = new Map(options.windows);
  for (const saved of model.windows) addWindow(registry, saved, windowOptions.get(saved.id) ?? []);
  const panes = restorePanes(context, world);
  for (const saved of model.windows) fillWindow(registry, saved);
  const sessionOptions = new Map(options.sessions);
  for (const saved of model.sessions) addSession(registry, saved, sessionOptions.get(saved.id) ?? []);
  if (model.marked !== undefined) registry.setMark(registry.panes.get(model.marked));
  for (const saved of model.clients)
    attempt(registry, `client ${saved.name}`, () => restoreClient(context, world, saved));
  // Now that each pane is in a session, and before the first byte of its output is read.
  for (const saved of model.panes) attempt(registry, `pipe of %${saved.id}`, () => restorePipe(context, saved));
  return panes;
}

/** What fails here is told and left out: a server without it is better than none. */
export function attempt(registry: Registry, name: string, restore: () => void): void {
  try {
    restore();
  } catch (error) {
    registry.logMessage(`lost in the take-over: ${name}: ${error instanceof Error ? error.message : error}`);
  }
}

/** Makes a window without panes. */
export function addWindow(registry: Registry, saved: SavedWindow, options: SavedOptions): Window {
  const { id, name, size, created } = saved;
  const window = new Window({ id, name, size, created, options: new OptionSet(registry.windowOptions) });
  restoreSet(window.options, options);
  window.activity = saved.activity;
  window.manualSize = saved.manualSize;
  window.lastPreset = saved.lastPreset;
  window.oldLayout = saved.oldLayout;
  registry.windows.set(id, window);
  registry.restoredWindows.emit(window);
  return window;
}

/** Puts the panes of a window, which are there, at their places. */
export function fillWindow(registry: Registry, saved: SavedWindow): void {
  const window = registry.windows.get(saved.id);
  const pane = (id: number | undefined) => (id === undefined ? undefined : registry.panes.get(id));
  window?.restoreFocus({
    layout: saved.layout,
    zoomed: pane(saved.zoomed),
    active: pane(saved.active),
    last: pane(saved.last),
    nextActiveOrder: saved.nextActiveOrder,
  });
}

/** Makes a session of windows that are there. */
export function addSession(registry: Registry, saved: SavedSession, options: SavedOptions): Session {
  const { id, name, cwd, created, group } = saved;
  const environ = environOf(saved.environ);
  const session = new Session({
    id,
    name,
    cwd,
    created,
    group,
    environ,
    options: new OptionSet(registry.sessionOptions),
  });
  restoreSet(session.options, options);
  session.activity = saved.activity;
  session.useOrder = saved.useOrder;
  session.lastAttached = saved.lastAttached;
  for (const { index, window: windowId, alerts } of saved.winlinks) {
    const window = registry.windows.get(windowId);
    if (!window) continue;
    const winlink = session.link(window, index);
    for (const alert of alerts) winlink.alerts.add(alert);
  }
  session.restoreOrder(saved.current, saved.previous);
  registry.sessions.set(id, session);
  return session;
}

function environOf(saved: SavedEnviron): Environ {
  const environ = new Environ();
  restoreEnviron(environ, saved);
  return environ;
}

function restorePanes(context: RestoreContext, world: SavedWorld): RestoredWorld {
  const { registry } = context;
  const held = new Map(world.held.map((info) => [info.id, info]));
  const options = new Map(world.options.panes);
  const saved = new Map(world.model.panes.map((pane) => [pane.id, pane]));
  const coming: ComingPane[] = [];
  const ended: Pane[] = [];
  for (const { id: windowId, panes } of world.model.windows) {
    const window = registry.windows.get(windowId);
    for (const id of panes) {
      const one = saved.get(id);
      if (!window || !one) continue;
      const info = hasProgram(one.state) ? held.get(id) : undefined;
      const pane = restorePane(context, world, { saved: one, info, window, options: options.get(id) ?? [] });
      registry.panes.set(id, pane);
      window.insertPane(pane);
      if (info) {
        held.delete(id);
        coming.push({ pane, end: info.end });
      } else if (hasProgram(one.state)) ended.push(pane);
    }
  }
  // Popups' come with their clients.
  for (const { popup } of world.model.clients) if (popup) held.delete(popup.pane.id);
  // Programs that no stored pane knows: started or left in the moment when the server was lost.
  for (const id of held.keys()) context.host.closePane(id);
  return { coming, ended };
}

function hasProgram(state: PaneState): boolean {
  return state.kind === 'running' || state.kind === 'starting';
}

interface RestoredPane {
  readonly saved: SavedPane;
  /** Its program, if there is one. */
  readonly info: HostPaneInfo | undefined;
  readonly window: Window;
  readonly options: SavedOptions;
  readonly floating?: FloatingHandlers;
}

function restorePane(
  context: RestoreContext,
  world: SavedWorld,
  { saved, info, window, options, floating }: RestoredPane,
): Pane {
  // Another program than the stored one: the pane was respawned in the moment when the server was lost.
  const isOther = info !== undefined && saved.state.kind === 'running' && saved.state.pid !== info.pid;
  const screen = isOther ? undefined : storedScreen(context.registry, world.blobs, saved.id);
  const from = screen?.offset ?? info?.releasedTo ?? 0;
  const set = new OptionSet(window.options);
  restoreSet(set, options);
  const pane = context.panes.adopt({
    id: saved.id,
    window,
    options: set,
    command: saved.command,
    title: saved.title,
    size: { cols: saved.rect.width, rows: saved.rect.height },
    scrollback: saved.scrollback,
    screen: screen?.terminal,
    floating,
    start: { from, knownTo: isOther ? 0 : saved.knownTo, handledTo: info?.handledTo ?? 0 },
    attach: info && ((events) => context.host.attach({ id: saved.id, from, retain: true }, events)),
  });
  pane.rect = saved.rect;
  pane.path = saved.path;
  pane.inputOff = saved.inputOff;
  pane.activeOrder = saved.activeOrder;
  pane.lastExit = saved.lastExit;
  if (!isOther) pane.scroll.restore(saved.scrollTop);
  pane.state = info ? { kind: 'running', pid: info.pid, tty: info.tty } : saved.state;
  return pane;
}

/** A screen that cannot be read costs what was on it and no more: its pane begins with the output that the host still has. */
function storedScreen(registry: Registry, blobs: ReadonlyMap<string, Buffer>, pane: number): StoredScreen | undefined {
  try {
    return readScreen(blobs, pane);
  } catch (error) {
    registry.logMessage(`lost in the take-over: screen of %${pane}: ${error instanceof Error ? error.message : error}`);
    return undefined;
  }
}

function restorePipe({ registry, services }: RestoreContext, { id, hadPipe, pipe }: SavedPane): void {
  const pane = registry.panes.get(id);
  if (!pane || !hadPipe) return;
  const session = sessionOf(pane);
  const ended = (why: string) => registry.logMessage(`pipe-pane of %${id} ended ${why}`);
  const isOpen =
    pipe !== undefined &&
    pane.pty !== undefined &&
    reopenPipe(pane, {
      command: pipe,
      shell: (session?.options ?? registry.sessionOptions).string('default-shell'),
      startJob: (request) => services.startJob({ ...request, session }),
      ended: (code) => {
        if (code !== 0) ended(`with ${code ?? 'a signal'} after the take-over: ${pipe.line}`);
      },
    });
  if (!isOpen) ended('with the server before');
}

function restoreClient(context: RestoreContext, world: SavedWorld, saved: SavedClient): void {
  const { registry, clients, host } = context;
  const session = saved.session === undefined ? undefined : registry.sessions.get(saved.session);
  if (!session) {
    if (saved.popup) host.closePane(saved.popup.pane.id);
    return;
  }
  const { name, pid, size, term, cwd, readOnly, ignoreSize, created } = saved;
  const environ = environOf(saved.environ);
  const client = new ClientSession({ name, pid, size, term, environ, cwd, readOnly, ignoreSize, created });
  client.activity = saved.activity;
  client.useOrder = saved.useOrder;
  client.keyTable = saved.keyTable;
  client.hasFocus = saved.hasFocus ?? undefined;
  client.session = session;
  client.lastSession = saved.lastSession === undefined ? undefined : registry.sessions.get(saved.lastSession);
  clients.expectBack(saved.token, client);
  if (saved.popup) restorePopup(context, world, { client, popup: saved.popup });
}

/** Shows a popup again. One whose end the server before had dealt with is gone. */
function restorePopup(
  context: RestoreContext,
  world: SavedWorld,
  { client, popup }: { readonly client: ClientSession; readonly popup: SavedPopup },
): void {
  const { registry, host, services } = context;
  const { pane: saved, shape } = popup;
  const info = world.held.find(({ id }) => id === saved.id);
  const window = registry.windows.get(popup.window) ?? client.session?.current.window;
  const { edits } = shape;
  if (!window || (hasProgram(saved.state) && !info)) {
    if (info) host.closePane(saved.id);
    if (edits) finishEdit(registry, edits, undefined);
    return;
  }
  const overlay = new PopupOverlay(services, client, {
    ...shape,
    exit: hasProgram(saved.state) ? undefined : saved.lastExit,
    start: (_size, floating) => restorePane(context, world, { saved, info, window, options: [], floating }),
    done: (exit) => {
      if (edits) finishEdit(registry, edits, exit);
    },
  });
  services.overlays.open(client, overlay);
}
