/** The notifications of tmux(1) CONTROL MODE that model events cause, as each client is told of them. */
import { printLayout } from '../layout/layout-string.ts';
import type { ClientSession } from '../model/client-session.ts';
import type { ModelEvent } from '../model/registry.ts';
import type { Window } from '../model/window.ts';

/** Expands a format about a window of the client's session. */
export type ExpandAboutWindow = (format: string, client: ClientSession, window: Window) => string;

type Notice = (event: ModelEvent, client: ClientSession, expand: ExpandAboutWindow) => string | undefined;

/** By event. A client hears of windows that its session does not show under other names. */
const NOTICES: Readonly<Record<string, Notice>> = {
  'pane-mode-changed': ({ pane }) => pane && `%pane-mode-changed %${pane.id}`,
  'window-layout-changed': ({ window }, client, expand) => window && layoutChange(window, client, expand),
  'window-pane-changed': ({ window }) =>
    window && window.panes.length > 0 ? `%window-pane-changed @${window.id} %${window.active.id}` : undefined,
  'window-linked': ({ window }, client) =>
    window && `%${isShown(window, client) ? '' : 'unlinked-'}window-add @${window.id}`,
  'window-unlinked': ({ window }, client) =>
    window && `%${isShown(window, client) ? '' : 'unlinked-'}window-close @${window.id}`,
  'window-renamed': ({ window }, client) =>
    window && `%${isShown(window, client) ? '' : 'unlinked-'}window-renamed @${window.id} ${window.name}`,
  'session-created': () => '%sessions-changed',
  'session-closed': () => '%sessions-changed',
  'session-renamed': ({ session }) => session && `%session-renamed $${session.id} ${session.name}`,
  'session-window-changed': ({ session }) =>
    session && !session.isEmpty ? `%session-window-changed $${session.id} @${session.current.window.id}` : undefined,
  'client-session-changed': ({ client: changed, session }, client) => {
    if (!changed || !session) return undefined;
    const place = `$${session.id} ${session.name}`;
    return changed === client ? `%session-changed ${place}` : `%client-session-changed ${changed.name} ${place}`;
  },
  'client-detached': ({ client: detached }, client) =>
    detached && detached !== client ? `%client-detached ${detached.name}` : undefined,
};

/** The line for a client, undefined if it is told nothing. */
export function noticeFor(event: ModelEvent, client: ClientSession, expand: ExpandAboutWindow): string | undefined {
  return NOTICES[event.name]?.(event, client, expand);
}

function isShown(window: Window, client: ClientSession): boolean {
  return client.session?.find(window) !== undefined;
}

function layoutChange(window: Window, client: ClientSession, expand: ExpandAboutWindow): string | undefined {
  if (!isShown(window, client) || window.panes.length === 0) return undefined;
  const layouts = `${printLayout(window.layout)} ${printLayout(window.visibleLayout)}`;
  return `%layout-change @${window.id} ${layouts} ${expand('#{window_raw_flags}', client, window)}`;
}
