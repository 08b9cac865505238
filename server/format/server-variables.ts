/** Variables of the server, of paste buffers and of the moment. */
import { userInfo } from 'node:os';
import type { PasteBuffer } from '../model/paste-buffers.ts';
import type { Registry } from '../model/registry.ts';
import { type FormatPlace, type FormatVariable, rowsAbout } from './format-context.ts';

/** The most of a buffer that `buffer_sample` shows, in characters. */
const SAMPLE_MAX = 200;

let user: { readonly uid: number; readonly name: string } | undefined;

/** The user that the server runs as; it cannot change while it runs. */
export function serverUser(): { readonly uid: number; readonly name: string } {
  if (user) return user;
  try {
    const info = userInfo();
    user = { uid: info.uid, name: info.username };
  } catch {
    // No entry in the password file.
    user = { uid: process.getuid?.() ?? 0, name: '' };
  }
  return user;
}

export const SERVER_VARIABLES: readonly FormatVariable[] = rowsAbout(
  (place) => place,
  [
    ['config_files', 'list of configuration files loaded', ({ registry }) => registry.configFiles.join(',')],
    ['flow_count', 'number of questions that wait for an answer', ({ registry }) => registry.questions.length],
    ['flow_panes', 'panes that ask them', ({ registry }) => askingPanes(registry).join(',')],
    ['host', 'hostname', ({ host }) => host],
    ['host_short', 'hostname without its domain', ({ host }) => host.split('.')[0]],
    ['next_session_id', 'id of the next new session', ({ registry }) => `$${registry.nextSessionId}`],
    ['pid', "the server's process", ({ pid }) => pid],
    ['server_sessions', 'number of sessions', ({ registry }) => registry.sessions.size],
    ['socket_path', 'path of the socket', ({ socketPath }) => socketPath],
    ['start_time', 'when the server started', ({ registry }) => registry.startTime],
    ['uid', "the server's user, as a number", () => serverUser().uid],
    ['user', "the server's user", () => serverUser().name],
    ['mplex_version', "mplex's own version", ({ ownVersion }) => ownVersion],
    ['version', 'the version of tmux whose language is spoken', ({ version }) => version],
  ],
);

export const BUFFER_VARIABLES: readonly FormatVariable[] = rowsAbout(
  ({ buffer, registry }: FormatPlace): PasteBuffer | undefined => buffer ?? registry.buffers.newest(),
  [
    ['buffer_created', 'when the buffer was made', ({ created }) => created],
    ['buffer_name', 'name of the buffer', ({ name }) => name],
    ['buffer_sample', 'start of the buffer', ({ text }) => sampleOf(text)],
    ['buffer_size', 'size of the buffer in bytes', ({ text, raw }) => raw?.length ?? Buffer.byteLength(text)],
  ],
);

function askingPanes({ questions }: Registry): string[] {
  return [...new Set(questions.flatMap(({ pane }) => (pane ? [`%${pane.id}`] : [])))];
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\u000b': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '\\': '\\\\',
};

/** The first characters with control characters written out, as vis(3) does. */
function sampleOf(text: string): string {
  const escaped = text.slice(0, SAMPLE_MAX).replace(/[\u0000-\u001f\u007f\\]/g, (character) => {
    return ESCAPES[character] ?? `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`;
  });
  const isCut = text.length > SAMPLE_MAX || escaped.length > SAMPLE_MAX;
  return isCut ? `${escaped.slice(0, SAMPLE_MAX)}...` : escaped;
}

/** Variables that whoever expands a format gives with it; without one they are empty. */
export const MOMENT_VARIABLES: readonly FormatVariable[] = (
  [
    ['command', 'name of the command that runs'],
    ['command_list_alias', 'alias of the command listed'],
    ['command_list_name', 'name of the command listed'],
    ['command_list_usage', 'usage of the command listed'],
    ['current_file', 'the configuration file that is read'],
    ['hook', 'name of the hook that runs'],
    ['hook_client', 'client of the hook'],
    ['hook_pane', 'pane of the hook'],
    ['hook_session', 'session of the hook'],
    ['hook_session_name', "name of the hook's session"],
    ['hook_window', 'window of the hook'],
    ['hook_window_name', "name of the hook's window"],
    ['line', 'number in the list'],
  ] as const
).map(([name, help]) => ({ name, help, get: ({ extra }) => extra?.[name] }));
