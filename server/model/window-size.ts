/** How large a window is: tmux(1) `window-size`, `aggressive-resize`, `default-size`. */
import type { Size } from '../../protocol/geometry.ts';
import { layoutSize } from '../layout/layout-cell.ts';
import { resizeLayout } from '../layout/layout-resize.ts';
import type { ClientSession } from './client-session.ts';
import type { Registry } from './registry.ts';
import type { Session } from './session.ts';
import type { Window } from './window.ts';

/** Lines that the status takes from a client that shows the session: option `status` off, on, 2 to 5. */
export function statusLines(session: Session): number {
  const status = session.options.choice('status');
  if (status === 'off') return 0;
  return status === 'on' ? 1 : Number(status);
}

/** The cells that a client has for a window, at least 1x1. */
export function windowAreaOf(client: ClientSession, session: Session): Size {
  return { cols: Math.max(1, client.size.cols), rows: Math.max(1, client.size.rows - statusLines(session)) };
}

/** The size that the clients give a window; undefined when none counts and the size stays. */
function sizeFromClients(registry: Registry, window: Window): Size | undefined {
  const policy = window.options.choice('window-size');
  if (policy === 'manual' || window.manualSize) return window.manualSize;
  if (policy !== 'latest') return extremeSize(registry, window, policy === 'smallest' ? 'smallest' : 'largest');
  const areas = areasFor(registry, window);
  const [first] = areas;
  return first && areas.reduce((best, next) => (next.order > best.order ? next : best), first).area;
}

/** The largest or smallest width and height that clients have for a window; undefined without clients. */
export function extremeSize(registry: Registry, window: Window, which: 'largest' | 'smallest'): Size | undefined {
  const areas = areasFor(registry, window).map(({ area }) => area);
  if (areas.length === 0) return undefined;
  const pick = which === 'smallest' ? Math.min : Math.max;
  return { cols: pick(...areas.map(({ cols }) => cols)), rows: pick(...areas.map(({ rows }) => rows)) };
}

/** A client in control mode has the size that it gave, for the window or for all, and no status line. */
function areaOf(client: ClientSession, session: Session, window: Window): Size | undefined {
  const { control } = client;
  if (!control) return windowAreaOf(client, session);
  return control.windowSizes.get(window) ?? (control.hasSize ? client.size : undefined);
}

/** What the clients that count for a window have for it. */
function areasFor(registry: Registry, window: Window): { readonly area: Size; readonly order: number }[] {
  const aggressive = window.options.flag('aggressive-resize');
  return registry.attachedClients().flatMap((client) => {
    const { session } = client;
    if (!session || client.ignoreSize || session.isEmpty) return [];
    if (aggressive ? session.current.window !== window : !session.find(window)) return [];
    const area = areaOf(client, session, window);
    return area ? [{ area, order: client.useOrder }] : [];
  });
}

/** Whether a client has a say in the sizes of windows. */
function hasSay({ ignoreSize, control }: ClientSession): boolean {
  return !ignoreSize && (!control || control.hasSize);
}

/**
 * What the client used last has for the windows of its own session, which is what a new session that nobody shows gets
 * where `window-size` is `latest`; undefined without such a client.
 */
export function latestArea(registry: Registry): Size | undefined {
  if (registry.windowOptions.choice('window-size') !== 'latest') return undefined;
  const client = registry.attachedClients().find(hasSay);
  if (!client?.session) return undefined;
  return client.control ? client.size : windowAreaOf(client, client.session);
}

/** The size for a new window of a session: its clients', its own default-size, the latest client's, default-size. */
export function sizeForSession(registry: Registry, session: Session): Size {
  const client = registry.clientsOf(session).find(hasSay);
  if (client) return client.control ? client.size : windowAreaOf(client, session);
  const latest = session.options.own('default-size') === undefined ? latestArea(registry) : undefined;
  if (latest) return latest;
  const match = /^(\d+)x(\d+)$/.exec(session.options.string('default-size'));
  return match ? { cols: Number(match[1]), rows: Number(match[2]) } : { cols: 80, rows: 24 };
}

/** Gives a window a size, its layout with it. Returns whether it changed. */
export function resizeWindow(registry: Registry, window: Window, size: Size): boolean {
  if (window.size.cols === size.cols && window.size.rows === size.rows) return false;
  const layout = resizeLayout(window.layout, size, window.borderStatus);
  // Panes have a least size.
  const least = layoutSize(layout);
  const [cols, rows] = [Math.max(size.cols, least.cols), Math.max(size.rows, least.rows)];
  if (window.size.cols === cols && window.size.rows === rows) return false;
  window.size = { cols, rows };
  window.setLayout(layout);
  registry.markWindow(window);
  registry.emit('window-resized', { window });
  registry.emit('window-layout-changed', { window });
  return true;
}

/**
 * Applies `sizeFromClients` to every window that somebody sees, the others keep their size until then (as tmux); call it
 * after anything that could change the answer. `unseen`: to the others too, for a client in control mode shows all;
 * as in tmux the layouts are told again where nothing changes.
 */
export function fitWindows(registry: Registry, { unseen = false }: { readonly unseen?: boolean } = {}): void {
  for (const window of registry.windows.values()) {
    const isSeen = [...window.winlinks].some(
      ({ session }) => session.attached > 0 && session.current.window === window,
    );
    if (!isSeen && !window.manualSize && !unseen) continue;
    const size = sizeFromClients(registry, window);
    if (size && !resizeWindow(registry, window, size) && unseen) registry.emit('window-layout-changed', { window });
  }
}
