/**
 * What lets sessions outlive the server: everything that a new server needs is with the pty host, in memory, at most a
 * moment old; before a command's caller gets its reply it is there for sure.
 *
 * `flush` stages what changed and commits it as one: model and screens always fit together. A screen that is stored lets
 * the host forget the output before it.
 */
import { Packr } from 'msgpackr/pack';
import { MplexError } from '../../protocol/errors.ts';
import { STATE_VERSION } from '../../protocol/version.ts';

import type { FlowQueue } from '../../src/flow/flow-queue.ts';
import type { SavedFlows } from '../../src/flow/saved-flow.ts';
import { printCommands } from '../command/command-print.ts';
import { PopupOverlay } from '../command/entries/popup-overlay.ts';
import type { Emitter } from '../events.ts';
import type { KeyTables } from '../keys/key-table.ts';
import type { ClientSession } from '../model/client-session.ts';
import type { LoggedMessage } from '../model/message-log.ts';
import type { Pane } from '../model/pane.ts';
import { bytesOf, contentOf, type PasteBuffer } from '../model/paste-buffers.ts';
import type { Registry } from '../model/registry.ts';
import type { Reopening } from '../model/reopening.ts';
import type { HostClient } from '../pty-host/host-client.ts';
import { type SavedMode, viewTexts } from './mode-state.ts';
import { attempt, type ComingPane, type RestoreContext, restoreWorld } from './model-restore.ts';
import {
  type BuffersState,
  type ModelSource,
  type ModelState,
  type OptionsState,
  type OtherState,
  type OverlaysState,
  saveModel,
  saveOptions,
  saveOther,
  saveOverlays,
} from './model-state.ts';
import type { Reopener } from './reopen.ts';
import { QUIET_MS, ScreenStore } from './screen-store.ts';

/** Changes are gathered for so long after a flush, ms. */
const FLUSH_GAP_MS = 20;
/** A take-over waits this long at most for the screens to be as they were, ms. */
const CATCH_UP_MS = 3000;

/** A key binding as text: the flags and the printed commands. */
export interface SavedBinding {
  readonly table: string;
  readonly key: string;
  readonly repeat: boolean;
  readonly note: string | undefined;
  readonly commands: string;
}

export interface SurvivalContext extends Omit<RestoreContext, 'host'>, Reopener, Pick<ModelSource, 'parsedTo'> {
  readonly host: HostClient;
  readonly registry: Registry;
  readonly keys: KeyTables;
  readonly flows: FlowQueue<ClientSession>;
  /** Goes on with saved questions. */
  readonly restoreFlows: (saved: SavedFlows) => void;
  /** Binds keys in place of all that are bound. */
  readonly bindKeys: (bindings: readonly SavedBinding[]) => void;
  /** Runs something that no hook sees. */
  readonly silently: (run: () => void) => void;
  /** A client whose overlay was opened, changed or closed. */
  readonly overlayChanges: Pick<Emitter<ClientSession>, 'subscribe'>;
  readonly closePane: (pane: Pane) => void;
  /** Of this server's journal. */
  readonly journalName: string;
  /** ms, monotonic. */
  readonly now: () => number;
  readonly after: (delayMs: number, run: () => void) => () => void;
  readonly nextTurn: (run: () => void) => void;
}

export class Survival {
  readonly #context: SurvivalContext;
  readonly #packr = new Packr({ useRecords: false });
  #screens: ScreenStore;
  /** The bytes of each section as stored last. */
  readonly #sections = new Map<string, Buffer>();
  /** Texts of view modes as stored last, by their keys. */
  #views = new Map<string, string>();
  /** Where the view of each pane was when it was stored last. */
  readonly #scrollTops = new WeakMap<Pane, number | undefined>();
  #buffers: readonly PasteBuffer[] = [];
  #messages: readonly LoggedMessage[] | undefined;
  #keysVersion = 0;
  #optionsChanged = true;
  #isRunning = false;
  #isScheduled = false;
  #isQuietTimerSet = false;
  #lastFlush = Number.NEGATIVE_INFINITY;
  #hasStaged = false;
  #journalBefore: string | undefined;

  constructor(context: SurvivalContext) {
    this.#context = context;
    this.#screens = this.#newStore();
  }

  /** Name of the journal of the server before; undefined if there was none. */
  get journalBefore(): string | undefined {
    return this.#journalBefore;
  }

  #newStore(): ScreenStore {
    const { host, now, parsedTo } = this.#context;
    return new ScreenStore({
      now,
      parsedTo,
      sink: {
        stage: (key, bytes) => this.#stage(key, bytes),
        drop: (key) => {
          this.#hasStaged = true;
          host.drop(key);
        },
      },
    });
  }

  /** Keeps everything from here on. */
  start(): void {
    const { registry, flows } = this.#context;
    this.#isRunning = true;
    registry.events.subscribe(({ name, pane }) => {
      if (name === 'pane-closed' && pane) this.#screens.forget(pane);
      this.changed();
    });
    registry.dirty.subscribe((mark) => {
      // Output alone changes no model; the place of a mode or of a view that is scrolled back does.
      if (mark.kind !== 'pane' || mark.pane.mode) this.changed();
      else if (mark.pane.scroll.top !== this.#scrollTops.get(mark.pane)) this.changed();
      else if (this.#screens.hasOtherChange(mark.pane)) this.changed();
    });
    for (const set of [registry.serverOptions, registry.sessionOptions, registry.windowOptions]) {
      set.onTreeChange(() => {
        this.#optionsChanged = true;
        this.changed();
      });
    }
    this.#context.overlayChanges.subscribe(({ overlay }) => {
      // A dialog is stored with its flow.
      if (!overlay || overlay.reopening) this.#keepOverlays();
    });
    flows.subscribe(({ kind }) => {
      // Before the asker hears of it.
      if (kind === 'shown' || kind === 'hidden') this.changed();
      else this.flush();
    });
    this.changed();
  }

  /** Something changed: it is stored in this turn or soon after the last flush. */
  changed(): void {
    if (!this.#isRunning || this.#isScheduled) return;
    this.#isScheduled = true;
    const { now, after, nextTurn } = this.#context;
    const wait = this.#lastFlush + FLUSH_GAP_MS - now();
    if (wait <= 0) nextTurn(() => this.flush());
    else after(wait, () => this.flush());
  }

  /** A pane printed something. */
  parsed(pane: Pane): void {
    if (!this.#isRunning) return;
    if (this.#screens.parsed(pane)) this.flush();
    this.#setQuietTimer();
  }

  /** A popup's pane is gone. */
  discarded(pane: Pane): void {
    if (this.#isRunning) this.#screens.forget(pane);
  }

  /** The host was lost and another one has nothing yet: all is stored anew. */
  hostLost(): void {
    this.#sections.clear();
    this.#views.clear();
    this.#buffers = [];
    this.#messages = undefined;
    this.#keysVersion = 0;
    this.#optionsChanged = true;
    this.#screens = this.#newStore();
    this.changed();
  }

  /** Stores all that changed, now. */
  flush(options: { readonly all?: boolean } = {}): void {
    if (!this.#isRunning) return;
    this.#isScheduled = false;
    const { registry } = this.#context;
    const panes = [...registry.panes.values(), ...popupPanes(registry)];
    const screens = this.#screens.stage(panes, { all: options.all ?? false });
    this.#stageModel();
    this.#commit();
    this.#lastFlush = this.#context.now();
    for (const [pane, offset] of screens) pane.pty?.release(offset);
  }

  /** Stores what is in the dialogs, now, and nothing else: cheap enough for every key typed into one. */
  keepFlows(): void {
    if (!this.#isRunning) return;
    this.#stageFlows(this.#context.flows);
    this.#commit();
  }

  /** As `keepFlows`, for prompts and what else lies over clients. */
  #keepOverlays(): void {
    this.#stageOverlays();
    this.#commit();
  }

  /**
   * Takes over what an earlier server left with the host; false if that is nothing. Resolves when the screens are what they
   * were. Throws MplexError `protocol` for the state of a version that cannot be read; programs are left alone then.
   */
  async takeOver(): Promise<boolean> {
    const { host, registry, keys } = this.#context;
    const [blobs, held] = await Promise.all([host.load(), host.list()]);
    const model = this.#read<ModelState>(blobs, 'model');
    const options = this.#read<OptionsState>(blobs, 'options');
    const other = this.#read<OtherState>(blobs, 'other');
    if (!model || !options || !other) {
      for (const { id } of held) host.closePane(id);
      return false;
    }
    if (model.version !== STATE_VERSION) {
      throw new MplexError('protocol', `can't take over the state of version ${model.version}, only ${STATE_VERSION}`);
    }
    this.#journalBefore = other.journal;
    this.#restorePart<readonly LoggedMessage[]>(blobs, 'messages', (messages) => {
      for (const message of messages) registry.messages.add(message, { limit: messages.length });
    });
    const { coming, ended } = restoreWorld(this.#context, { model, options, other, blobs, held });
    attempt(registry, 'buffers', () => this.#readBuffers(blobs));
    // What was stored under keys that are no more goes with the first flush.
    if (!blobs.has('keys')) this.#keysVersion = keys.version;
    this.#restorePart<SavedBinding[]>(blobs, 'keys', (bindings) => this.#context.bindKeys(bindings));
    await this.#caughtUp(coming);
    const overlays = this.#readOverlays(blobs);
    const check = await loadCheck(model, overlays);
    this.#context.silently(() => {
      for (const pane of ended) {
        if (registry.panes.has(pane.id)) this.#context.closePane(pane);
        this.#screens.forget(pane);
      }
      for (const { id, modes } of model.panes) {
        const pane = registry.panes.get(id);
        if (!pane) continue;
        this.#openModes(pane, { modes, blobs, check });
      }
      this.#openOverlays(overlays, check);
    });
    this.#restorePart<SavedFlows>(blobs, 'flows', (saved) => this.#context.restoreFlows(saved));
    return true;
  }

  #openModes(pane: Pane, { modes, blobs, check }: SavedModes): void {
    const { registry, openMode } = this.#context;
    let views = 0;
    for (const mode of modes) {
      const text = mode.name === 'view-mode' ? (blobs.get(viewKey(pane, views++))?.toString() ?? '') : '';
      attempt(registry, `${mode.name} of %${pane.id}`, () => {
        openMode(pane, 'reopening' in mode ? { ...mode, reopening: check(mode.reopening) } : mode, text);
      });
    }
  }

  #readOverlays(blobs: ReadonlyMap<string, Buffer>): OverlaysState {
    let read: OverlaysState = [];
    this.#restorePart<OverlaysState>(blobs, 'overlays', (overlays) => {
      read = overlays;
    });
    return read;
  }

  #openOverlays(overlays: OverlaysState, check: ReopeningCheck): void {
    const { registry, clients, openOverlay } = this.#context;
    const expected = new Map(clients.tokens());
    for (const [token, overlay] of overlays) {
      const client = expected.get(token);
      if (client) attempt(registry, `what lay over ${client.name}`, () => openOverlay(client, check(overlay)));
    }
  }

  /** One that cannot be read is told and left out. */
  #restorePart<T>(blobs: ReadonlyMap<string, Buffer>, key: string, restore: (value: T) => void): void {
    attempt(this.#context.registry, key, () => {
      const value = this.#read<T>(blobs, key);
      if (value !== undefined) restore(value);
    });
  }

  #setQuietTimer(): void {
    if (this.#isQuietTimerSet) return;
    this.#isQuietTimerSet = true;
    this.#context.after(QUIET_MS, () => {
      this.#isQuietTimerSet = false;
      if (this.#screens.hasQuiet()) this.flush();
      if (this.#screens.isWaiting) this.#setQuietTimer();
    });
  }

  async #caughtUp(coming: readonly ComingPane[]): Promise<void> {
    const { now, nextTurn, parsedTo, registry } = this.#context;
    const end = now() + CATCH_UP_MS;
    const isBehind = () => coming.some(({ pane, end: to }) => registry.panes.has(pane.id) && parsedTo(pane) < to);
    while (isBehind() && now() < end) await new Promise<void>((resolve) => nextTurn(resolve));
  }

  #commit(): void {
    if (this.#hasStaged) this.#context.host.commit();
    this.#hasStaged = false;
  }

  #stage(key: string, bytes: Uint8Array): void {
    this.#hasStaged = true;
    this.#context.host.stage(key, bytes);
  }

  #stageModel(): void {
    const { registry, flows, services, keys } = this.#context;
    const { clients, parsedTo } = this.#context;
    this.#stageSection('model', saveModel({ registry, parsedTo, clients: () => clients.tokens() }));
    this.#stageViews();
    this.#stageOverlays();
    this.#stageSection('other', saveOther(registry, services, this.#context.journalName));
    if (registry.messages.lasting !== this.#messages) this.#stageSection('messages', registry.messages.lasting);
    this.#messages = registry.messages.lasting;
    this.#stageFlows(flows);
    if (this.#optionsChanged) this.#stageSection('options', saveOptions(registry));
    this.#optionsChanged = false;
    if (keys.version !== this.#keysVersion) this.#stageSection('keys', saveBindings(keys));
    this.#keysVersion = keys.version;
    this.#stageBuffers();
  }

  #stageOverlays(): void {
    const { clients } = this.#context;
    this.#stageSection(
      'overlays',
      saveOverlays(() => clients.tokens()),
    );
  }

  /** The texts are large and change rarely. */
  #stageViews(): void {
    const { registry, host } = this.#context;
    const views = new Map<string, string>();
    for (const pane of registry.panes.values()) {
      this.#scrollTops.set(pane, pane.scroll.top);
      for (const [at, text] of viewTexts(pane).entries()) views.set(viewKey(pane, at), text);
    }
    for (const [key, text] of views) if (this.#views.get(key) !== text) this.#stage(key, Buffer.from(text));
    for (const key of this.#views.keys()) {
      if (views.has(key)) continue;
      this.#hasStaged = true;
      host.drop(key);
    }
    this.#views = views;
  }

  /** Ages of flows grow all the time: only what else is in them makes them be stored. */
  #stageFlows(flows: FlowQueue<ClientSession>): void {
    const saved = flows.save();
    const lasting = saved.flows.map(({ screen, isHidden, outcome, id, paintAge }) => [
      id,
      screen,
      isHidden,
      outcome,
      paintAge === undefined,
    ]);
    const bytes = this.#packr.pack([saved.serial, saved.muted, lasting]);
    if (this.#sections.get('flows')?.equals(bytes)) return;
    this.#sections.set('flows', bytes);
    this.#stage('flows', this.#packr.pack(saved));
  }

  #stageSection(key: string, value: unknown): void {
    const bytes = this.#packr.pack(value);
    if (this.#sections.get(key)?.equals(bytes)) return;
    this.#sections.set(key, bytes);
    this.#stage(key, bytes);
  }

  #stageBuffers(): void {
    const { buffers } = this.#context.registry;
    const list = buffers.list();
    const before = this.#buffers;
    if (list.length === before.length && list.every((buffer, i) => buffer === before[i])) return;
    const known = new Set(before);
    const orders = new Set(list.map((buffer) => buffer.order));
    for (const buffer of before) if (!orders.has(buffer.order)) this.#context.host.drop(`buffer/${buffer.order}`);
    for (const buffer of list)
      if (!known.has(buffer)) this.#stage(`buffer/${buffer.order}`, Buffer.from(bytesOf(buffer)));
    this.#buffers = list;
    const state: BuffersState = {
      counters: buffers.counters,
      buffers: list.map(({ text: _, raw: __, ...rest }) => rest),
    };
    this.#stageSection('buffers', state);
  }

  #readBuffers(blobs: ReadonlyMap<string, Buffer>): void {
    const state = this.#read<BuffersState>(blobs, 'buffers');
    if (!state) return;
    const held = (order: number) => contentOf(blobs.get(`buffer/${order}`) ?? Buffer.alloc(0));
    const buffers = state.buffers.map((buffer) => ({ ...buffer, ...held(buffer.order) }));
    this.#context.registry.buffers.restore(buffers, state.counters);
    // They are with the host as they are.
    this.#buffers = this.#context.registry.buffers.list();
  }

  /** Packed by a server of the same STATE_VERSION: the shapes are those of model-state.ts. */
  #read<T>(blobs: ReadonlyMap<string, Buffer>, key: string): T | undefined {
    const bytes = blobs.get(key);
    return bytes && (this.#packr.unpack(bytes) as T);
  }
}

/** Under the pane's own key, which goes with it. */
function viewKey({ id }: Pane, at: number): string {
  return `pane/${id}/view/${at}`;
}

function saveBindings(keys: KeyTables): SavedBinding[] {
  return keys.tables().flatMap(([table, bindings]) =>
    bindings.map(({ key, repeat, note, commands }) => ({
      table,
      key,
      repeat,
      note,
      commands: printCommands(commands, 'nested'),
    })),
  );
}

interface SavedModes {
  readonly modes: readonly SavedMode[];
  readonly blobs: ReadonlyMap<string, Buffer>;
  readonly check: ReopeningCheck;
}

/** Throws where the data is not what this server keeps. */
type ReopeningCheck = (data: unknown) => Reopening;

/** The check of what is to be reopened, loaded only where there is something: zod takes its time. */
async function loadCheck({ panes }: ModelState, overlays: OverlaysState): Promise<ReopeningCheck> {
  const isNeeded = overlays.length > 0 || panes.some(({ modes }) => modes.some((mode) => 'reopening' in mode));
  if (isNeeded) return (await import('./reopening-schema.ts')).readReopening;
  return () => {
    throw new Error('nothing was to be reopened');
  };
}

/** The panes of popups, which no window holds. */
function popupPanes(registry: Registry): Pane[] {
  return [...registry.clients].flatMap(({ overlay }) => (overlay instanceof PopupOverlay ? [overlay.pane] : []));
}
