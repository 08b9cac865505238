/**
 * Bell, activity and silence in windows (tmux(1) monitor-bell, monitor-activity, monitor-silence): marks the window in
 * the status line, fires the alert- hooks, and tells the clients by a bell or a message.
 */
import type { ClientSession } from '../model/client-session.ts';
import { printBytes } from '../model/clipboard.ts';
import type { Pane } from '../model/pane.ts';
import type { Registry } from '../model/registry.ts';
import type { Alert, Winlink } from '../model/session.ts';
import type { Window } from '../model/window.ts';

/** Alerts of one window, and bells to one client, are at least so far apart, ms; those between are dropped. */
const ALERT_GAP_MS = 100;

export interface AlertsContext {
  readonly registry: Registry;
  /** ms, monotonic. */
  readonly now: () => number;
  readonly after: (delayMs: number, run: () => void) => () => void;
  readonly showMessage: (client: ClientSession, text: string) => void;
}

const TITLES: Readonly<Record<Alert, string>> = { bell: 'Bell', activity: 'Activity', silence: 'Silence' };

interface WindowState {
  /** When each kind was last told, ms. */
  readonly told: Map<Alert, number>;
  stopSilence: (() => void) | undefined;
  stopListening: () => void;
}

export class Alerts {
  readonly #context: AlertsContext;
  readonly #windows = new Map<Window, WindowState>();
  readonly #limited = new WeakSet<Pane>();
  readonly #lastBell = new WeakMap<ClientSession, number>();

  constructor(context: AlertsContext) {
    this.#context = context;
    const { registry } = context;
    registry.outputs.subscribe((pane) => this.#output(pane.window));
    // A window that comes up behind is an activity, as in tmux.
    registry.newWindows.subscribe((window) => this.#active(window));
    registry.events.subscribe(({ name, window }) => {
      if (name === 'window-linked' && window) this.#watch(window);
      else if (name === 'window-unlinked' && window?.winlinks.size === 0) this.#forget(window);
    });
    registry.windowOptions.onChange(({ name }) => {
      if (name === 'monitor-silence') for (const window of this.#windows.keys()) this.#restartSilence(window);
    });
    registry.restoredWindows.subscribe((window) => this.#watch(window));
  }

  /** A program rang the bell. */
  bell(pane: Pane): void {
    if (pane.window.options.flag('monitor-bell')) this.#alert(pane.window, 'bell');
  }

  /** Marks the pane's window and fires the hook as a bell does; the person is called in another way. */
  mark(pane: Pane): void {
    if (pane.window.options.flag('monitor-bell')) this.#alert(pane.window, 'bell', { tells: false });
  }

  #watch(window: Window): void {
    if (this.#windows.has(window)) return;
    const stopListening = window.options.onChange(({ name }) => {
      if (name === 'monitor-silence') this.#restartSilence(window);
    });
    this.#windows.set(window, { told: new Map(), stopSilence: undefined, stopListening });
    this.#restartSilence(window);
  }

  #forget(window: Window): void {
    const state = this.#windows.get(window);
    state?.stopSilence?.();
    state?.stopListening();
    this.#windows.delete(window);
  }

  #output(window: Window): void {
    this.#restartSilence(window);
    this.#active(window);
  }

  #active(window: Window): void {
    if (window.options.flag('monitor-activity')) this.#alert(window, 'activity');
  }

  /** Counts the silence from now on. */
  #restartSilence(window: Window): void {
    const state = this.#windows.get(window);
    if (!state) return;
    state.stopSilence?.();
    state.stopSilence = undefined;
    const seconds = window.options.number('monitor-silence');
    if (seconds <= 0) return;
    state.stopSilence = this.#context.after(seconds * 1000, () => {
      this.#alert(window, 'silence');
      this.#restartSilence(window);
    });
  }

  #alert(window: Window, kind: Alert, { tells = true } = {}): void {
    if (!this.#mayTell(window, kind)) return;
    const told = new Set<Winlink['session']>();
    for (const winlink of window.winlinks) {
      const { session } = winlink;
      if (kind !== 'bell' && winlink.alerts.has(kind)) continue;
      const isCurrent = session.current === winlink;
      if (!isCurrent || session.attached === 0) this.#mark(winlink, kind);
      if (!actionApplies(session.options.choice(`${kind}-action`), isCurrent)) continue;
      this.#context.registry.emit(`alert-${kind}`, { session, window });
      if (told.has(session)) continue;
      told.add(session);
      if (tells) this.#tell(winlink, kind);
    }
  }

  /** A pane's history lost lines to the limit in bytes: told once, to those whose session has it, and kept in the log. */
  historyLimited(pane: Pane): void {
    if (this.#limited.has(pane)) return;
    this.#limited.add(pane);
    const { registry } = this.#context;
    const limit = printBytes(registry.serverOptions.number('history-bytes-limit'));
    this.#warn(pane, `history-bytes-limit (${limit}) is reached: the oldest lines of pane %${pane.id} are dropped`);
  }

  /** The program of a pane does not read: so many bytes that were typed, pasted or sent are lost. */
  inputRefused(pane: Pane, bytes: number): void {
    this.#warn(pane, `pane %${pane.id} takes no more input: ${printBytes(bytes)} lost`);
  }

  /** Kept in the log, and shown to those whose session has the pane. */
  #warn(pane: Pane, text: string): void {
    const { registry } = this.#context;
    registry.logMessage(text);
    for (const client of registry.attachedClients()) {
      if (client.session?.find(pane.window)) this.#context.showMessage(client, text);
    }
  }

  #mark(winlink: Winlink, kind: Alert): void {
    if (winlink.alerts.has(kind)) return;
    winlink.alerts.add(kind);
    this.#context.registry.markSession(winlink.session);
  }

  #mayTell(window: Window, kind: Alert): boolean {
    const told = this.#windows.get(window)?.told;
    const now = this.#context.now();
    if (now - (told?.get(kind) ?? Number.NEGATIVE_INFINITY) < ALERT_GAP_MS) return false;
    told?.set(kind, now);
    return true;
  }

  #tell(winlink: Winlink, kind: Alert): void {
    const { session } = winlink;
    const visual = session.options.choice(`visual-${kind}`);
    const place = session.current === winlink ? 'current window' : `window ${winlink.index}`;
    for (const client of this.#context.registry.clientsOf(session)) {
      if (visual !== 'on') this.#ring(client);
      if (visual !== 'off') this.#context.showMessage(client, `${TITLES[kind]} in ${place}`);
    }
  }

  #ring(client: ClientSession): void {
    const now = this.#context.now();
    if (now - (this.#lastBell.get(client) ?? Number.NEGATIVE_INFINITY) < ALERT_GAP_MS) return;
    this.#lastBell.set(client, now);
    client.send({ kind: 'bell' });
  }
}

/** Options bell-action, activity-action, silence-action. */
function actionApplies(action: string, isCurrent: boolean): boolean {
  switch (action) {
    case 'any':
      return true;
    case 'current':
      return isCurrent;
    case 'other':
      return !isCurrent;
    default:
      return false;
  }
}
