/** Variables of sessions, their groups, and clients. */
import { featureNames } from '../../protocol/terminal-features.ts';
import type { ClientSession } from '../model/client-session.ts';
import type { Registry } from '../model/registry.ts';
import type { Alert, Session, Winlink } from '../model/session.ts';
import { type CellPixels, DEFAULT_CELL_PIXELS } from '../terminal/replies.ts';
import { type FormatPlace, type FormatVariable, rowsAbout } from './format-context.ts';
import { serverUser } from './server-variables.ts';

/** Mark of each alert in `window_flags` and `session_alerts`, in the order they are shown. */
export const ALERT_MARKS: readonly (readonly [alert: Alert, mark: string])[] = [
  ['activity', '#'],
  ['bell', '!'],
  ['silence', '~'],
];

/** A cell of the client's terminal in pixels. */
export function cellPixelsOf(client: ClientSession | undefined): CellPixels {
  return client?.capabilities?.cellPixels ?? DEFAULT_CELL_PIXELS;
}

export const SESSION_VARIABLES: readonly FormatVariable[] = rowsAbout(
  ({ session }) => session,
  [
    ['active_window_index', 'index of the current window', (session) => currentOf(session)?.index],
    ['last_window_index', 'highest index of a window', (session) => session.winlinks.at(-1)?.index],
    ['session_activity', 'when the session was last used', (session) => session.activity],
    ['session_alerts', 'indexes of windows with alerts', alertsOf],
    ['session_attached', 'number of clients', (session, { registry }) => registry.clientsOf(session).length],
    ['session_attached_list', 'names of the clients', (session, { registry }) => names(registry.clientsOf(session))],
    ['session_created', 'when the session was made', (session) => session.created],
    ['session_format', '1 if the format is for a session', (_session, { kind }) => kind === 'session'],
    ['session_group', 'name of the group', (session) => session.group],
    ['session_grouped', '1 if in a group', (session) => session.group !== undefined],
    ['session_group_attached', 'number of clients of the group', groupAttached((clients) => clients.length)],
    ['session_group_attached_list', 'names of the clients of the group', groupAttached(names)],
    ['session_group_list', 'names of the sessions of the group', ofGroup((group) => names(group))],
    [
      'session_group_many_attached',
      '1 if the group has several clients',
      groupAttached((clients) => clients.length > 1),
    ],
    ['session_group_size', 'number of sessions in the group', ofGroup((group) => group.length)],
    ['session_id', 'id of the session', (session) => `$${session.id}`],
    ['session_last_attached', 'when a client last attached', (session) => session.lastAttached],
    [
      'session_many_attached',
      '1 if several clients are attached',
      (session, { registry }) => registry.clientsOf(session).length > 1,
    ],
    [
      'session_marked',
      '1 if the marked pane is in the session',
      (session, { registry }) => isMarked(session, registry),
    ],
    ['session_name', 'name of the session', (session) => session.name],
    ['session_path', 'working directory of the session', (session) => session.cwd],
    [
      'session_stack',
      'indexes of windows, most recent first',
      (session) =>
        stackOf(session)
          .map(({ index }) => index)
          .join(','),
    ],
    ['session_windows', 'number of windows', (session) => session.winlinks.length],
  ],
);

function currentOf(session: Session): Winlink | undefined {
  return session.isEmpty ? undefined : session.current;
}

/** The current window, then those shown before it. */
export function stackOf(session: Session): readonly Winlink[] {
  return session.isEmpty ? [] : [session.current, ...session.previous];
}

function alertsOf(session: Session): string {
  const marks = ({ alerts }: Winlink) => ALERT_MARKS.map(([alert, mark]) => (alerts.has(alert) ? mark : '')).join('');
  return session.winlinks
    .filter(({ alerts }) => alerts.size > 0)
    .map((winlink) => `${winlink.index}${marks(winlink)}`)
    .join(',');
}

function isMarked(session: Session, { mark }: Registry): boolean {
  return mark?.winlink.session === session;
}

/** Names with commas between. */
export function names(things: readonly { readonly name: string }[]): string {
  return things.map(({ name }) => name).join(',');
}

type SessionGet = (session: Session, place: FormatPlace) => string | number | boolean | undefined;

function ofGroup(get: (group: readonly Session[]) => string | number): SessionGet {
  return (session, { registry }) => (session.group === undefined ? undefined : get(registry.groupOf(session)));
}

function groupAttached(get: (clients: readonly ClientSession[]) => string | number | boolean): SessionGet {
  return (session, { registry }) => {
    if (session.group === undefined) return undefined;
    return get(registry.groupOf(session).flatMap((member) => registry.clientsOf(member)));
  };
}

export const CLIENT_VARIABLES: readonly FormatVariable[] = rowsAbout(
  ({ client }) => client,
  [
    ['client_activity', 'when the client was last used', (client) => client.activity],
    ['client_cell_height', 'height of a cell in pixels', (client) => cellPixelsOf(client).height],
    ['client_cell_width', 'width of a cell in pixels', (client) => cellPixelsOf(client).width],
    ['client_control_mode', '1 if in control mode', ({ control }) => control !== undefined],
    ['client_created', 'when the client started', (client) => client.created],
    ['client_discarded', 'bytes discarded when the client was behind', () => 0],
    ['client_flags', 'flags of the client', flagsOf],
    // As in tmux, a client without a terminal has a width alone.
    ['client_height', 'height of the client', (client) => (client.control ? '' : client.size.rows)],
    ['client_key_table', 'key table in use', (client) => client.keyTable ?? ownTable(client)],
    ['client_last_session', 'name of the session shown before', lastSessionOf],
    ['client_name', 'name of the client', (client) => client.name],
    ['client_pid', "the client's process", (client) => client.pid],
    ['client_prefix', '1 if the prefix was pressed', hasPrefix],
    ['client_readonly', '1 if read-only', (client) => client.readOnly],
    ['client_session', "name of the client's session", (client) => client.session?.name],
    ['client_termfeatures', 'what the terminal can do', featuresOf],
    ['client_termname', 'name of the terminal', (client) => client.term],
    ['client_termtype', 'what the terminal calls itself', (client) => client.capabilities?.name ?? ''],
    ['client_theme', 'dark or light, where the terminal told', (client) => client.capabilities?.theme ?? ''],
    ['client_tty', 'terminal of the client', (client) => (client.control ? '' : client.name)],
    ['client_uid', "the client's user, as a number", () => process.getuid?.()],
    ['client_user', "the client's user", () => serverUser().name],
    ['client_utf8', '1 if the client supports UTF-8', () => true],
    ['client_width', 'width of the client', (client) => client.size.cols],
    ['client_written', 'bytes written to the client', () => 0],
  ],
);

function ownTable(client: ClientSession): string {
  return client.session?.options.string('key-table') ?? 'root';
}

function hasPrefix(client: ClientSession): boolean {
  return client.keyTable !== undefined && client.keyTable !== ownTable(client);
}

function lastSessionOf({ lastSession }: ClientSession, { registry }: FormatPlace): string | undefined {
  return lastSession && registry.sessions.has(lastSession.id) ? lastSession.name : undefined;
}

function flagsOf(client: ClientSession): string {
  const { control } = client;
  const flags = [
    client.session ? 'attached' : undefined,
    client.focused ? 'focused' : undefined,
    control ? 'control-mode' : undefined,
    client.ignoreSize ? 'ignore-size' : undefined,
    control?.noOutput ? 'no-output' : undefined,
    control?.waitExit ? 'wait-exit' : undefined,
    control?.pauseAfterMs === undefined ? undefined : `pause-after=${control.pauseAfterMs / 1000}`,
    client.readOnly ? 'read-only' : undefined,
    'UTF-8',
  ];
  return flags.filter((flag) => flag !== undefined).join(',');
}

/** The names of option terminal-features that fit the terminal's answers. */
function featuresOf({ capabilities }: ClientSession): string {
  return capabilities ? featureNames(capabilities).join(',') : '';
}
