/** Variables of windows and their places in sessions. */
import { printLayout } from '../layout/layout-string.ts';
import type { ClientSession } from '../model/client-session.ts';
import type { Registry } from '../model/registry.ts';
import type { Session, Winlink } from '../model/session.ts';
import type { Window } from '../model/window.ts';
import { windowAreaOf } from '../model/window-size.ts';
import { type FormatPlace, type FormatVariable, rowsAbout } from './format-context.ts';
import { ALERT_MARKS, cellPixelsOf, names, stackOf } from './session-variables.ts';

export const WINLINK_VARIABLES: readonly FormatVariable[] = rowsAbout(
  ({ winlink }) => winlink,
  [
    ['window_active', '1 if it is the current window', isCurrent],
    ['window_activity_flag', '1 if there was activity', ({ alerts }) => alerts.has('activity')],
    ['window_bell_flag', '1 if there was a bell', ({ alerts }) => alerts.has('bell')],
    ['window_end_flag', '1 if it has the highest index', (winlink) => winlink.session.winlinks.at(-1) === winlink],
    ['window_flags', 'flags, # written as ##', (winlink, place) => flagsOf(winlink, place).replace('#', '##')],
    ['window_index', 'index of the window', ({ index }) => index],
    ['window_last_flag', '1 if it was shown before', isLast],
    ['window_raw_flags', 'flags as they are', flagsOf],
    ['window_silence_flag', '1 if there was silence', ({ alerts }) => alerts.has('silence')],
    [
      'window_stack_index',
      'place among the most recent',
      (winlink) => Math.max(0, stackOf(winlink.session).indexOf(winlink)),
    ],
    ['window_start_flag', '1 if it has the lowest index', (winlink) => winlink.session.winlinks[0] === winlink],
  ],
);

export const WINDOW_VARIABLES: readonly FormatVariable[] = rowsAbout(
  ({ window }) => window,
  [
    ['window_active_clients', 'number of clients that show it', (window, place) => clientsOf(window, place).length],
    [
      'window_active_clients_list',
      'names of the clients that show it',
      (window, place) => names(clientsOf(window, place)),
    ],
    [
      'window_active_sessions',
      'number of sessions whose current window it is',
      (window) => activeSessions(window).length,
    ],
    ['window_active_sessions_list', 'names of those sessions', (window) => names(activeSessions(window))],
    ['window_activity', 'when the window was last active', ({ activity }) => activity],
    [
      'window_bigger',
      '1 if larger than the client',
      (window, { client }) => (client ? isBigger(window, client) : undefined),
    ],
    ['window_cell_height', 'height of a cell in pixels', (_window, { client }) => cellPixelsOf(client).height],
    ['window_cell_width', 'width of a cell in pixels', (_window, { client }) => cellPixelsOf(client).width],
    ['window_format', '1 if the format is for a window', (_window, { kind }) => kind === 'window'],
    ['window_height', 'height of the window', ({ size }) => size.rows],
    ['window_id', 'id of the window', ({ id }) => `@${id}`],
    ['window_layout', 'layout, as if no pane were zoomed', (window) => hasPanes(window) && printLayout(window.layout)],
    [
      'window_linked',
      '1 if linked into several sessions',
      (window, { session, registry }) => isLinked(window, session, registry),
    ],
    ['window_linked_sessions', 'number of links', (window) => window.winlinks.size],
    [
      'window_linked_sessions_list',
      'names of the sessions',
      (window) => names([...window.winlinks].map(({ session }) => session)),
    ],
    [
      'window_marked_flag',
      '1 if the marked pane is in it',
      (window, { registry, winlink }) => isMarked(window, { registry, winlink }),
    ],
    ['window_name', 'name of the window', ({ name }) => name],
    ['window_offset_x', 'first column that the client shows', (window, place) => offsetOf(window, place)?.x],
    ['window_offset_y', 'first row that the client shows', (window, place) => offsetOf(window, place)?.y],
    ['window_panes', 'number of panes', ({ panes }) => panes.length],
    [
      'window_visible_layout',
      'layout as it is seen',
      (window) => hasPanes(window) && printLayout(window.visibleLayout),
    ],
    ['window_width', 'width of the window', ({ size }) => size.cols],
    ['window_zoomed_flag', '1 if a pane is zoomed', ({ zoomed }) => zoomed !== undefined],
  ],
);

function isCurrent(winlink: Winlink): boolean {
  return winlink.session.current === winlink;
}

function isLast(winlink: Winlink): boolean {
  return winlink.session.last === winlink;
}

/** The sessions of a group count as one. */
function isLinked(window: Window, session: Session | undefined, registry: Registry): boolean {
  const own = session?.group === undefined ? 1 : registry.groupOf(session).length;
  return window.winlinks.size !== own;
}

function hasPanes(window: Window): '' | true {
  return window.panes.length > 0 ? true : '';
}

/** In the session where it was marked. */
function isMarked(window: Window, { registry, winlink }: Pick<FormatPlace, 'registry' | 'winlink'>): boolean {
  const { mark } = registry;
  return winlink ? mark?.winlink === winlink : mark?.pane.window === window;
}

function flagsOf(winlink: Winlink, { registry }: FormatPlace): string {
  const alerts = ALERT_MARKS.map(([alert, mark]) => (winlink.alerts.has(alert) ? mark : '')).join('');
  const asks = registry.questions.some(({ pane }) => pane?.window === winlink.window);
  const flags = [
    isCurrent(winlink) ? '*' : '',
    isLast(winlink) ? '-' : '',
    isMarked(winlink.window, { registry, winlink }) ? 'M' : '',
    winlink.window.zoomed ? 'Z' : '',
    // mplex's own: a program in it asks something.
    asks ? '?' : '',
  ];
  return alerts + flags.join('');
}

function clientsOf(window: Window, { registry }: FormatPlace): ClientSession[] {
  return registry
    .attachedClients()
    .filter(({ session }) => session && !session.isEmpty && session.current.window === window);
}

function activeSessions(window: Window) {
  return [...window.winlinks].filter(isCurrent).map(({ session }) => session);
}

function isBigger(window: Window, client: ClientSession): boolean {
  if (!client.session) return false;
  const area = windowAreaOf(client, client.session);
  return window.size.cols > area.cols || window.size.rows > area.rows;
}

function offsetOf(window: Window, { client, viewOffset }: FormatPlace): { x: number; y: number } | undefined {
  if (!client || !isBigger(window, client)) return undefined;
  return viewOffset?.(client) ?? (client.pan?.window === window ? client.pan : { x: 0, y: 0 });
}
