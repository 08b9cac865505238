/** Every default key of the prefix table, pressed at a terminal: what it does, not that it is bound. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENTRIES } from '../../server/command/entries/command-table.ts';
import { DEFAULT_BINDINGS } from '../../server/keys/default-bindings.ts';
import { Control } from '../support/control.ts';
import { NOT_YET } from '../support/not-yet.ts';
import { type TerminalProgram, World, waitFor } from '../support/program.ts';

interface Press {
  /** After the prefix; further words are pressed at once, `'text'` is typed. */
  readonly keys: string;
  /** Command lines before, in a session of one window of one pane, 80x23; blanks between words, `_` for a blank. */
  readonly setup?: readonly string[];
  /** Before the keys are pressed this holds: a format and its value. */
  readonly ready?: readonly [format: string, value: string | RegExp];
  /** A format and what it is afterwards. */
  readonly after?: readonly [format: string, value: string | RegExp];
  /** What the screen shows afterwards. */
  readonly shows?: string | RegExp;
  /** What closes that again. */
  readonly leave?: string;
}

const PLACES = '#{P:#{pane_left}.#{pane_top} }';
const ROTATED = ['split-window -d cat_-uu', 'split-window -d cat_-u'];
const THREE = ['split-window cat', 'split-window cat'];

const PRESSES: readonly Press[] = [
  { keys: 'C-b', shows: /\^B/ },
  { keys: 'C-o', setup: ROTATED, after: ['#{P:#{pane_start_command} }', '"cat -u" "cat -uu" cat '] },
  { keys: 'M-o', setup: ROTATED, after: ['#{P:#{pane_start_command} }', '"cat -uu" cat "cat -u" '] },
  { keys: 'Space', shows: /─ mplex · \d+ ─/, leave: 'C-c' },
  { keys: 'C-Space', setup: ['split-window cat'], after: [PLACES, '0.0 40.0 '] },
  { keys: '!', setup: ['split-window cat'], after: ['#{session_windows} #{window_index} #{window_panes}', '2 1 1'] },
  { keys: '"', after: [PLACES, '0.0 0.12 '] },
  { keys: '%', after: [PLACES, '0.0 41.0 '] },
  { keys: '#', setup: ['set-buffer -b kept some_text'], shows: 'kept: 9 bytes: "some text"' },
  { keys: "$ C-u 'renamed' Enter", after: ['#{session_name}', 'renamed'] },
  { keys: '& y', setup: ['new-window cat'], after: ['#{session_windows} #{window_index}', '1 0'] },
  { keys: '& n', setup: ['new-window cat'], after: ['#{session_windows} #{window_index}', '2 1'] },
  { keys: "' '5' Enter", setup: ['new-window -d -t :5 cat'], after: ['#{window_index}', '5'] },
  { keys: ", C-u 'renamed_window' Enter", after: ['#{window_name}', 'renamed window'] },
  { keys: '-', setup: ['set-buffer -b gone text'], after: ['#{buffer_name}', /^(?:kept)?$/] },
  { keys: ". '7' Enter", after: ['#{window_index}', '7'] },
  { keys: '/ c', shows: /^C-b c +Create a new window/m },
  ...Array.from({ length: 10 }, (_, n): Press => {
    const other = n === 0 ? 'new-window -t :3 cat' : `new-window -d -t :${n} cat`;
    return { keys: String(n), setup: [other], after: ['#{window_index}', String(n)] };
  }),
  { keys: ": 'rename-window_typed' Enter", after: ['#{window_name}', 'typed'] },
  { keys: ';', setup: ['split-window cat'], after: ['#{pane_index}', '0'] },
  { keys: '<', shows: /Swap Left/, leave: 'q' },
  { keys: '< w', after: ['#{session_windows} #{window_index}', '2 1'] },
  { keys: '>', shows: /Horizontal Split/, leave: 'q' },
  { keys: '> h', after: [PLACES, '0.0 41.0 '] },
  {
    keys: '=',
    setup: ['set-buffer -b listed listed_text'],
    after: ['#{pane_mode}', 'buffer-mode'],
    shows: /listed text/,
  },
  { keys: 'D', after: ['#{pane_mode}', 'client-mode'], shows: /\/dev\/pts\// },
  { keys: 's', after: ['#{pane_mode}', 'tree-mode'], shows: /first: 1 windows/ },
  { keys: 'w', after: ['#{pane_mode}', 'tree-mode'], shows: /0: cat/ },
  { keys: "f 'cat' Enter", after: ['#{pane_mode}', 'tree-mode'], shows: /0: cat/ },
  { keys: '?', shows: /C-b C-o +Rotate through the panes/, leave: 'q' },
  { keys: 'E', setup: [...THREE, 'resize-pane -y 2'], after: ['#{P:#{pane_height} }', '7 7 7 '] },
  { keys: 'M', setup: ['select-pane -m'], ready: ['#{pane_marked}', '1'], after: ['#{pane_marked_set}', '0'] },
  { keys: '[', after: ['#{pane_mode}', 'copy-mode'] },
  {
    keys: 'O',
    setup: [
      String.raw`respawn-pane -k printf_'\033]133;A\007$_\033]133;B\007\n\033]133;C\007out\n\033]133;D;0\007\033]133;A\007$_\033]133;B\007';_exec_cat`,
    ],
    ready: ['#{cursor_y}', '2'],
    after: ['#{pane_mode} #{selection_present}', 'copy-mode 1'],
  },
  { keys: ']', setup: ['set-buffer pasted_text'], shows: 'pasted text' },
  { keys: 'c', after: ['#{session_windows} #{window_index}', '2 1'] },
  { keys: 'i', shows: /current pane 0/ },
  { keys: 'l', setup: ['new-window cat'], after: ['#{window_index}', '0'] },
  { keys: 'm', after: ['#{pane_marked}', '1'] },
  { keys: 'n', setup: ['new-window -d cat', 'new-window -d cat'], after: ['#{window_index}', '1'] },
  { keys: 'o', setup: ['split-window -d cat'], after: ['#{pane_index}', '1'] },
  { keys: 'p', setup: ['new-window -d cat', 'new-window -d cat'], after: ['#{window_index}', '2'] },
  { keys: 'C', after: ['#{pane_mode}', 'options-mode'], shows: /\(0\) \+ Server Options/, leave: 'q' },
  { keys: "F 'nowhere' Enter", shows: /No pane has: nowhere/ },
  { keys: 'q', shows: /80x23/, leave: 'q' },
  { keys: 'q 0', setup: ['split-window cat'], after: ['#{pane_index}', '0'] },
  { keys: 't', after: ['#{pane_mode}', 'clock-mode'] },
  { keys: 'x y', setup: ['split-window cat'], after: ['#{window_panes}', '1'] },
  { keys: 'z', setup: ['split-window cat'], after: ['#{window_zoomed_flag}', '1'] },
  { keys: '{', setup: ['split-window cat'], after: ['#{pane_index}', '0'] },
  { keys: '}', setup: ['split-window -b cat'], after: ['#{pane_index}', '1'] },
  { keys: '~', setup: ['display-message kept_message'], after: ['#{pane_mode}', 'view-mode'] },
  {
    keys: 'PPage',
    setup: ['respawn-pane -k seq_100;exec_cat'],
    ready: ['#{history_size}', '78'],
    after: ['#{pane_mode} #{scroll_position}', 'copy-mode 21'],
  },
  { keys: 'Up', setup: ['split-window cat'], after: ['#{pane_index}', '0'] },
  { keys: 'Down', setup: ['split-window -b cat'], after: ['#{pane_index}', '1'] },
  { keys: 'Left', setup: ['split-window -h cat'], after: ['#{pane_index}', '0'] },
  { keys: 'Right', setup: ['split-window -h -b cat'], after: ['#{pane_index}', '1'] },
  { keys: 'M-1', setup: THREE, after: ['#{P:#{pane_top}.#{pane_height} }', '0.23 0.23 0.23 '] },
  {
    keys: 'M-2',
    setup: ['split-window -h cat', 'split-window cat'],
    after: ['#{P:#{pane_left}.#{pane_width} }', '0.80 0.80 0.80 '],
  },
  { keys: 'M-3', setup: THREE, after: ['#{P:#{pane_width} }', '80 39 40 '] },
  { keys: 'M-4', setup: THREE, after: ['#{P:#{pane_height} }', '23 11 11 '] },
  { keys: 'M-5', setup: THREE, after: [PLACES, '0.0 40.0 0.12 '] },
  {
    keys: 'M-n',
    setup: ['new-window -d cat', 'new-window -d printf_"\\a";exec_cat'],
    ready: ['#{W:#{window_flags}}', /!/],
    after: ['#{window_index}', '2'],
  },
  {
    keys: 'M-p',
    setup: ['new-window -d printf_"\\a";exec_cat', 'new-window -d cat'],
    ready: ['#{W:#{window_flags}}', /!/],
    after: ['#{window_index}', '1'],
  },
  { keys: 'M-Up', setup: ['split-window cat'], after: ['#{pane_height}', '16'] },
  { keys: 'M-Down', setup: ['split-window cat'], after: ['#{pane_height}', '6'] },
  { keys: 'M-Left', setup: ['split-window -h cat'], after: ['#{pane_width}', '44'] },
  { keys: 'M-Right', setup: ['split-window -h cat'], after: ['#{pane_width}', '34'] },
  { keys: 'C-Up', setup: ['split-window cat'], after: ['#{pane_height}', '12'] },
  { keys: 'C-Down C-Down', setup: ['split-window cat'], after: ['#{pane_height}', '9'] },
  { keys: 'C-Left', setup: ['split-window -h cat'], after: ['#{pane_width}', '40'] },
  { keys: 'C-Right', setup: ['split-window -h cat'], after: ['#{pane_width}', '38'] },
];

let world: World;
let control: Control;
let client: TerminalProgram;
let clientName: string;
let sessions = 0;

beforeAll(async () => {
  world = new World();
  client = world.attach(['-f', '/dev/null', 'new-session', '-s', 'first', 'cat']);
  await client.until('[first]');
  control = await Control.open(world.controlPath);
  clientName = await control.run('list-clients', '-F', '#{client_name}');
});

afterAll(async () => {
  control.close();
  await world.close();
});

/** A fresh session of one pane on the client; gives its id. */
async function freshSession(): Promise<string> {
  sessions += 1;
  const name = `s${sessions}`;
  const id = await control.run(
    'new-session',
    '-d',
    '-s',
    name,
    '-x',
    '80',
    '-y',
    '23',
    '-P',
    '-F',
    '#{session_id}',
    'cat',
  );
  await control.run('switch-client', '-c', clientName, '-t', id);
  await client.until(`[${name}]`);
  return id;
}

async function holds(
  session: string,
  [format, value]: readonly [string, string | RegExp],
  name: string,
): Promise<void> {
  let last = '';
  await waitFor(
    async () => {
      last = await control.run('display-message', '-p', '-t', `${session}:`, format);
      return typeof value === 'string' ? last === value : value.test(last);
    },
    { ms: 5000, name: `${name}: ${format} to be ${value}`, onTimeout: () => `it is ${last}\n${client.screen.text()}` },
  );
}

function press(keys: string): void {
  client.press('C-b');
  for (const word of keys.split(' ')) {
    const text = /^'(.+)'$/.exec(word)?.[1];
    if (text === undefined) client.press(word);
    else client.type(text.replaceAll('_', ' '));
  }
}

describe('the default prefix key', () => {
  it.each(PRESSES)('$keys', async ({ keys, setup = [], ready, after, shows, leave }) => {
    const session = await freshSession();
    for (const line of setup) {
      const [name = '', ...args] = line.split(' ').map((word) => word.replaceAll('_', ' '));
      const hasTarget = /^(set-buffer|display-message)$/.test(name) || args.includes('-t');
      const target = args.find((arg) => arg.startsWith(':'));
      const placed = args.map((arg) => (arg === target ? `${session}${arg}` : arg));
      await control.run(name, ...(hasTarget ? placed : ['-t', `${session}:`, ...args]));
    }
    if (ready) await holds(session, ready, 'before');
    press(keys);
    if (after) await holds(session, after, 'after');
    if (shows) await client.until(shows, { ms: 5000 });
    expect(after ?? shows).toBeDefined();
    if (leave) client.press(leave);
    await leaveAll(session);
  });

  it('( and ) go to the session before and after', async () => {
    const session = await freshSession();
    const name = `s${sessions}`;
    await control.run('new-session', '-d', '-s', `${name}z`, 'cat');
    press(')');
    await client.until(`[${name}z]`);
    press('(');
    await client.until(`[${name}] `);
    await control.run('kill-session', '-t', `${name}z`);
    await leaveAll(session);
  });

  it('L goes to the session that was shown before', async () => {
    const before = await freshSession();
    const name = `[s${sessions}]`;
    await freshSession();
    press('L');
    await client.until(name);
    await leaveAll(before);
  });

  it('h puts a question aside, a lists it, Enter brings it back', async () => {
    const session = await freshSession();
    const flow = await control.show({ kind: 'message', title: 'Aside' });
    await client.until('Aside');
    press('h');
    await client.until((rows) => !rows.join().includes('Aside'));
    press('a');
    await client.until((rows) => rows.join().includes('Questions') && rows.join().includes('Aside'));
    client.press('Enter');
    await client.until((rows) => !rows.join().includes('Questions') && rows.join().includes('Aside'));
    expect(await control.result(flow)).toMatchObject({ done: false, state: 'shown' });
    await control.cancel(flow);
    await client.until((rows) => !rows.join().includes('Aside'));
    await leaveAll(session);
  });

  it('e opens the scrollback in the editor, over the panes', async () => {
    const session = await freshSession();
    press('e');
    await client.until(/mplex-\w+.scrollback/);
    client.type(':q!\r');
    await client.until((rows) => !rows.join().includes('┌'));
    await leaveAll(session);
  });

  it('r draws everything again', async () => {
    const session = await freshSession();
    client.screen.write('\x1b[5;5Hscribble\x1b[24;1Hscribble');
    await client.until('scribble');
    press('r');
    await client.until((rows) => !rows.join().includes('scribble') && (rows[23] ?? '').startsWith('[s'));
    await leaveAll(session);
  });

  it('S-Up, S-Down, S-Left, S-Right move the view of a window that is bigger, DC lets it follow the cursor', async () => {
    const session = await freshSession();
    await control.run('resize-window', '-t', `${session}:`, '-x', '160', '-y', '60');
    const wide = 'for i in $(seq 59); do printf "%-100s%s\\n" "left $i" "right $i"; done; exec cat';
    await control.run('respawn-pane', '-k', '-t', `${session}:`, wide);
    await client.until('left 59');
    expect(client.screen.text()).not.toContain('left 30');
    press('S-Up');
    await client.until('left 28');
    press('S-Right');
    press('S-Right');
    press('S-Right');
    await client.until('right 30');
    press('S-Left');
    press('S-Left');
    press('S-Left');
    await client.until('left 30');
    press('S-Up');
    await client.until('left 20');
    press('S-Down');
    await client.until((rows) => !rows.join().includes('left 20'));
    press('DC');
    await client.until('left 59');
    await leaveAll(session);
  });

  it('C-z suspends and d detaches: see attach.test.ts', () => {
    expect(DEFAULT_BINDINGS.some((line) => / C-z suspend-client$/.test(line))).toBe(true);
  });

  it.each(DEFAULT_BINDINGS.filter(isNotYet))('%s says that it is not available yet', async (line) => {
    const session = await freshSession();
    const command = NOT_YET.find((name) => line.includes(` ${name}`));
    press(keyOf(line));
    await client.until(`${command} is not available yet`);
    await leaveAll(session);
  });

  it('is pressed here, whichever it is', () => {
    const pressed = new Set([...PRESSES.map(({ keys }) => keys.split(' ')[0]), ...SINGLE]);
    const missing = DEFAULT_BINDINGS.filter((line) => line.includes('-T prefix') && !isNotYet(line))
      .map(keyOf)
      .filter((key) => !pressed.has(key));
    expect(missing).toEqual([]);
  });

  it('is missing its command only where NOT_YET says so', () => {
    const names = new Set(ENTRIES.map((entry) => entry.name));
    expect(NOT_YET.filter((name) => names.has(name))).toEqual([]);
  });
});

/** Pressed in tests of their own. */
const SINGLE = ['a', 'e', '(', ')', 'L', 'r', 'S-Up', 'S-Down', 'S-Left', 'S-Right', 'DC', 'C-z', 'd'];

function isNotYet(line: string): boolean {
  return line.includes('-T prefix') && NOT_YET.some((name) => line.includes(` ${name}`));
}

/** The key of a binding in the prefix table, its backslash dropped. */
function keyOf(line: string): string {
  return (/-T prefix (\S+)/.exec(line)?.[1] ?? '').replace(/^\\/, '');
}

/** Back to where no mode, prompt or menu is open, with one session less. */
async function leaveAll(session: string): Promise<void> {
  await control.run('switch-client', '-c', clientName, '-t', 'first');
  await control.run('kill-session', '-t', session);
  await client.until((rows) => rows.at(-1)?.startsWith('[first]') ?? false, { name: 'the first session again' });
}
