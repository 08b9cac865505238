/**
 * The model as plain data and back: sessions, windows, panes, clients, options, environments, key tables, buffers,
 * messages. Each section is a blob of its own, so that a change costs the section it is in. MessagePack; STATE_VERSION
 * changes with any change of what is in it that an older or newer server could not read.
 */

import type { Rect, Size } from '../../protocol/geometry.ts';
import { STATE_VERSION } from '../../protocol/version.ts';
import type { Services } from '../command/entries/context.ts';
import { PopupOverlay, type PopupShape } from '../command/entries/popup-overlay.ts';
import { PROMPT_TYPES, type PromptHistory } from '../command/prompt-history.ts';
import type { SavedChannels } from '../command/wait-channels.ts';
import type { LayoutCell } from '../layout/layout-cell.ts';
import type { PresetName } from '../layout/layout-presets.ts';
import type { ClientSession } from '../model/client-session.ts';
import type { Environ, EnvironEntry } from '../model/environ.ts';
import type { Pane, PaneCommand, PaneExit, PaneState, PipeCommand } from '../model/pane.ts';
import type { PasteBuffer } from '../model/paste-buffers.ts';
import type { Registry, RegistryCounters } from '../model/registry.ts';
import type { Reopening } from '../model/reopening.ts';
import type { Alert, Session, Winlink } from '../model/session.ts';
import type { Window } from '../model/window.ts';
import type { OptionSet } from '../options/option-set.ts';
import type { OptionValue } from '../options/option-value.ts';
import { type SavedMode, saveModes } from './mode-state.ts';

/** Own values of an option set; an array option's as pairs of index and value. */
export type SavedOptions = readonly (readonly [
  name: string,
  value: OptionValue | readonly (readonly [number, OptionValue])[],
])[];
export type SavedEnviron = readonly (readonly [name: string, entry: EnvironEntry])[];

export interface SavedWinlink {
  readonly index: number;
  readonly window: number;
  readonly alerts: readonly Alert[];
}

export interface SavedSession {
  readonly id: number;
  readonly name: string;
  readonly cwd: string;
  readonly created: number;
  readonly activity: number;
  readonly useOrder: number;
  readonly lastAttached: number | undefined;
  readonly group: string | undefined;
  readonly environ: SavedEnviron;
  readonly winlinks: readonly SavedWinlink[];
  readonly current: number;
  readonly previous: readonly number[];
}

export interface SavedWindow {
  readonly id: number;
  readonly name: string;
  readonly created: number;
  readonly activity: number;
  readonly size: Size;
  readonly manualSize: Size | undefined;
  readonly panes: readonly number[];
  readonly layout: LayoutCell;
  readonly zoomed: number | undefined;
  readonly active: number;
  readonly last: number | undefined;
  readonly nextActiveOrder: number;
  readonly lastPreset: PresetName | undefined;
  readonly oldLayout: string | undefined;
}

export interface SavedPane {
  readonly id: number;
  readonly command: PaneCommand;
  readonly title: string;
  readonly path: string;
  readonly state: PaneState;
  readonly rect: Rect;
  readonly scrollback: number;
  readonly inputOff: boolean;
  readonly activeOrder: number;
  readonly lastExit: PaneExit | undefined;
  readonly hadPipe: boolean;
  /** Absent in the state of a server that did not know of it, and where no pipe is. */
  readonly pipe?: PipeCommand | undefined;
  readonly modes: readonly SavedMode[];
  /** LiveScroll.top; absent in the state of a server that did not know of it. */
  readonly scrollTop?: number | undefined;
  /** Offset in the output up to which this is what the output led to. */
  readonly knownTo: number;
}

export interface SavedClient {
  readonly token: string;
  readonly name: string;
  readonly pid: number;
  readonly size: Size;
  readonly term: string;
  readonly environ: SavedEnviron;
  readonly cwd: string;
  readonly readOnly: boolean;
  readonly ignoreSize: boolean;
  readonly created: number;
  readonly activity: number;
  readonly useOrder: number;
  readonly keyTable: string | undefined;
  /** Absent in what earlier versions kept. */
  readonly hasFocus?: boolean | undefined;
  readonly session: number | undefined;
  readonly lastSession: number | undefined;
  /** Absent in the state of a server that did not know of it. */
  readonly popup?: SavedPopup | undefined;
}

/** A popup: its program is with the pty host as a pane's. */
export interface SavedPopup {
  readonly pane: SavedPane;
  readonly window: number;
  readonly shape: PopupShape;
}

export interface ModelState {
  readonly version: number;
  readonly counters: RegistryCounters;
  readonly startTime: number;
  readonly configFiles: readonly string[];
  readonly marked: number | undefined;
  /** In the order in which they were made. */
  readonly sessions: readonly SavedSession[];
  readonly windows: readonly SavedWindow[];
  readonly panes: readonly SavedPane[];
  readonly clients: readonly SavedClient[];
}

export interface OptionsState {
  readonly server: SavedOptions;
  readonly session: SavedOptions;
  readonly window: SavedOptions;
  readonly sessions: readonly (readonly [id: number, options: SavedOptions])[];
  readonly windows: readonly (readonly [id: number, options: SavedOptions])[];
  readonly panes: readonly (readonly [id: number, options: SavedOptions])[];
}

/** Small things that change rarely. */
export interface OtherState {
  readonly environ: SavedEnviron;
  readonly prompts: readonly (readonly string[])[];
  /** Absent in the state of a server that did not know of it. */
  readonly channels?: SavedChannels;
  /** Name of the journal that this server writes; its sessions live on and are not lost. */
  readonly journal?: string | undefined;
}

/** Prompts, menus and lists that lie over clients, by the words by which the clients find back. */
export type OverlaysState = readonly (readonly [token: string, overlay: Reopening])[];

export function saveOverlays(clients: ModelSource['clients']): OverlaysState {
  return [...clients()].flatMap(([token, { overlay }]) => {
    const reopening = overlay?.reopening?.();
    return reopening ? [[token, reopening] as const] : [];
  });
}

export interface BuffersState {
  readonly counters: { readonly number: number; readonly order: number };
  /** Without the texts, which are blobs of their own by order number. */
  readonly buffers: readonly Omit<PasteBuffer, 'text' | 'raw'>[];
}

export interface ModelSource {
  readonly registry: Registry;
  /** Attached clients with the words by which they find back. */
  readonly clients: () => Iterable<readonly [token: string, client: ClientSession]>;
  readonly parsedTo: (pane: Pane) => number;
}

export function saveModel({ registry, clients, parsedTo }: ModelSource): ModelState {
  return {
    version: STATE_VERSION,
    counters: registry.counters,
    startTime: registry.startTime,
    configFiles: registry.configFiles,
    marked: registry.markedPane?.id,
    sessions: [...registry.sessions.values()].filter((session) => !session.isEmpty).map(saveSession),
    windows: [...registry.windows.values()].filter((window) => window.panes.length > 0).map(saveWindow),
    panes: [...registry.panes.values()].map((pane) => savePane(pane, parsedTo(pane))),
    clients: [...clients()].map(([token, client]) => ({
      ...saveClient(token, client),
      popup: savePopup(client, parsedTo),
    })),
  };
}

function saveSession(session: Session): SavedSession {
  const { id, name, cwd, created, activity, useOrder, lastAttached, group } = session;
  return {
    id,
    name,
    cwd,
    created,
    activity,
    useOrder,
    lastAttached,
    group,
    environ: session.environ.entries(),
    winlinks: session.winlinks.map(saveWinlink),
    current: session.current.index,
    previous: session.previous.map((winlink) => winlink.index),
  };
}

function saveWinlink({ index, window, alerts }: Winlink): SavedWinlink {
  return { index, window: window.id, alerts: [...alerts] };
}

function saveWindow(window: Window): SavedWindow {
  const { id, name, created, activity, size, manualSize, layout, nextActiveOrder, lastPreset, oldLayout } = window;
  return {
    id,
    name,
    created,
    activity,
    size,
    manualSize,
    panes: window.panes.map((pane) => pane.id),
    layout,
    zoomed: window.zoomed?.id,
    active: window.active.id,
    last: window.lastPane?.id,
    nextActiveOrder,
    lastPreset,
    oldLayout,
  };
}

function savePane(pane: Pane, knownTo: number): SavedPane {
  const { id, command, title, path, state, rect, inputOff, activeOrder, lastExit } = pane;
  return {
    id,
    command,
    title,
    path,
    state,
    rect,
    scrollback: pane.emulator.historyLimit,
    inputOff,
    activeOrder,
    lastExit,
    hadPipe: pane.pipe !== undefined,
    pipe: pane.pipe?.command,
    modes: saveModes(pane),
    scrollTop: pane.scroll.top,
    knownTo,
  };
}

function savePopup({ overlay }: ClientSession, parsedTo: (pane: Pane) => number): SavedPopup | undefined {
  if (!(overlay instanceof PopupOverlay)) return undefined;
  const { pane, shape } = overlay;
  return { pane: savePane(pane, parsedTo(pane)), window: pane.window.id, shape };
}

function saveClient(token: string, client: ClientSession): SavedClient {
  const { name, pid, size, term, cwd, readOnly, ignoreSize, created, activity, useOrder, keyTable, hasFocus } = client;
  return {
    token,
    name,
    pid,
    size,
    term,
    environ: client.environ.entries(),
    cwd,
    readOnly,
    ignoreSize,
    created,
    activity,
    useOrder,
    keyTable,
    hasFocus,
    session: client.session?.id,
    lastSession: client.lastSession?.id,
  };
}

export function saveOptions(registry: Registry): OptionsState {
  const own = (holders: Iterable<{ readonly id: number; readonly options: OptionSet }>) =>
    [...holders].map(({ id, options }) => [id, saveSet(options)] as const).filter(([, options]) => options.length > 0);
  return {
    server: saveSet(registry.serverOptions),
    session: saveSet(registry.sessionOptions),
    window: saveSet(registry.windowOptions),
    sessions: own(registry.sessions.values()),
    windows: own(registry.windows.values()),
    panes: own(registry.panes.values()),
  };
}

function saveSet(set: OptionSet): SavedOptions {
  return [...set.ownValues].map(([name, value]) => [name, typeof value === 'object' ? [...value] : value] as const);
}

/** Sets every option as it was; of a global set, what the earlier server did not know keeps its default. */
export function restoreSet(set: OptionSet, saved: SavedOptions): void {
  for (const [name, value] of saved) set.setValue(name, typeof value === 'object' ? new Map(value) : value);
}

export function saveOther(registry: Registry, { promptHistory, channels }: Services, journal: string): OtherState {
  return {
    journal,
    environ: registry.environ.entries(),
    prompts: PROMPT_TYPES.map((type) => promptHistory.lines(type)),
    channels: channels.save(),
  };
}

export function restoreEnviron(environ: Environ, saved: SavedEnviron): void {
  for (const [name] of environ.entries()) environ.unset(name);
  for (const [name, { value, hidden }] of saved) {
    if (value === undefined) environ.clear(name);
    else environ.set(name, value, hidden);
  }
}

export function restorePrompts(prompts: PromptHistory, saved: OtherState['prompts']): void {
  for (const [i, type] of PROMPT_TYPES.entries()) {
    for (const line of saved[i] ?? []) prompts.add(type, line, Number.POSITIVE_INFINITY);
  }
}
