/** The pickers of the built program by keys: what is chosen, tagged, sorted, narrowed and killed in them. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TerminalProgram, World, waitFor } from '../support/program.ts';

let world: World;
let client: TerminalProgram;

beforeEach(async () => {
  world = new World();
  client = world.attach([
    '-f',
    '/dev/null',
    'new-session',
    '-s',
    'main',
    '-n',
    'editor',
    'echo in the editor; exec cat',
  ]);
  await client.until('in the editor');
  await world.output('set-option', '-s', 'escape-time', '10', ';', 'set-option', '-g', 'prefix-hints', 'off');
  await world.output('new-window', '-d', '-n', 'logs', 'echo in the logs; exec cat');
  await world.output('new-session', '-d', '-s', 'aside', '-n', 'shell', 'echo aside; exec cat');
});

afterEach(() => world.close());

/** The rows of a list, without the lines of its tree: ends at the preview's edge. */
function listed(): string[] {
  const rows = client.screen.rows();
  const edge = rows.findIndex((row) => row.startsWith('┌'));
  return rows
    .slice(0, edge < 0 ? -1 : edge)
    .map((row) => row.replace(/^\(.\) /, '').replace(/^[ │├└─>+-]+/, ''))
    .filter((row) => row !== '');
}

async function lists(...wanted: string[]): Promise<void> {
  const holds = () =>
    listed().length === wanted.length && listed().every((row, at) => row.startsWith(wanted[at] ?? ''));
  await client.until(holds, { name: wanted.join(' | ') });
}

async function cursorOn(text: string): Promise<void> {
  await client.until((rows) => rows[client.screen.cursor.y]?.includes(text) ?? false, {
    name: `the cursor on ${text}`,
  });
}

async function shows(format: string, value: string): Promise<void> {
  let last = '';
  await waitFor(
    async () => {
      const [name = '', session = ''] = (
        await world.output('list-clients', '-F', '#{client_name} #{client_session}')
      ).split(/\s/);
      last = await world.output('display-message', '-c', name, '-t', `=${session}:`, '-p', format);
      return last === value;
    },
    { name: `${format} to be ${value}`, onTimeout: () => `it is ${last}\n${client.screen.text()}` },
  );
}

describe('choose-tree', () => {
  it('shows what the line under the cursor stands for, and goes there', async () => {
    client.press('C-b w');
    await lists('main: 2 windows', '0: editor*', '1: logs', 'aside: 1 windows', '0: shell*');
    await client.until('│ in the editor');
    client.press('Down');
    await client.until('│ in the logs');
    client.press('v');
    await client.until((rows) => !rows.join().includes('in the logs'), { name: 'no preview' });
    client.press('v Enter');
    await shows('#{window_name}', 'logs');
    await client.until((rows) => rows[0] === 'in the logs');
  });

  it('opens and closes sessions, sorts, and turns the order round', async () => {
    client.press('C-b s');
    await lists('main: 2 windows', 'aside: 1 windows');
    client.press('Right');
    await lists('main: 2 windows', '0: editor*', '1: logs', 'aside: 1 windows');
    client.press('Left');
    await lists('main: 2 windows', 'aside: 1 windows');
    client.press('r');
    await lists('aside: 1 windows', 'main: 2 windows');
    client.press('r O');
    await client.until('(sort: name)');
    await lists('aside: 1 windows', 'main: 2 windows');
    client.press('M-+');
    await lists('aside: 1 windows', '0: shell*', 'main: 2 windows', '0: editor*', '1: logs');
    client.press('M--');
    await lists('aside: 1 windows', 'main: 2 windows');
  });

  it('is narrowed by a format, and says so where nothing matches', async () => {
    client.press('C-b w f');
    await client.until('(filter)');
    client.type('#{m:l*,#{window_name}}\r');
    await lists('main: 2 windows', '1: logs');
    client.press('f C-u');
    client.type('#{m:nothing,#{window_name}}\r');
    await client.until('no matches');
    client.press('f C-u Enter');
    await lists('main: 2 windows', '0: editor*', '1: logs', 'aside: 1 windows', '0: shell*');
  });

  it('searches forwards and backwards', async () => {
    client.press('C-b w /');
    await client.until('(search)');
    client.type('shell\r');
    await cursorOn('shell');
    client.press('/');
    await client.until('(search)');
    client.type('o\r');
    await cursorOn('editor');
    client.press('n');
    await cursorOn('logs');
    client.press('N');
    await cursorOn('editor');
  });

  it('kills after a yes: the line, or all that are tagged', async () => {
    await world.output('new-window', '-d', '-t', 'main:', '-n', 'third', 'cat');
    client.press('C-b w');
    await cursorOn('editor');
    client.press('Down x');
    await client.until('Kill window 1?');
    client.press('n');
    await client.until((rows) => !rows.join().includes('Kill window'), { name: 'no question' });
    expect(await world.output('list-windows', '-t', 'main', '-F', '#{window_name}')).toBe('editor\nlogs\nthird');
    client.press('t t X');
    await client.until('Kill 2 tagged?');
    client.press('y');
    await lists('main: 1 windows', '0: editor*', 'aside: 1 windows', '0: shell*');
    client.press('q');
    await client.until((rows) => rows[0] === 'in the editor');
  });

  it('runs a command on each that is tagged', async () => {
    client.press('C-b w');
    await cursorOn('editor');
    client.press('t t :');
    await client.until('(2 tagged)');
    client.type("set-option -w -t '%%' @seen yes\r");
    await waitFor(async () => (await world.output('list-windows', '-t', 'main', '-F', '#{@seen}')) === 'yes\nyes', {
      name: 'both windows seen',
    });
  });

  it('follows the mouse: a click moves, the wheel moves, the right button opens a menu, a click on the preview chooses', async () => {
    await world.output('set-option', '-g', 'mouse', 'on');
    client.press('C-b w');
    await cursorOn('editor');
    const rowOf = (text: string) => client.screen.rows().findIndex((row) => row.includes(text));
    client.click(14, rowOf('1: logs'));
    await cursorOn('logs');
    client.mouse('press', { x: 14, y: 1 }, 64);
    await cursorOn('editor');
    client.click(14, rowOf('1: logs'), 2);
    await client.until('Tag');
    client.press('Escape');
    await client.until((rows) => !rows.join().includes('Tag'), { name: 'no menu' });
    client.click(14, rowOf('aside'));
    await client.until('│ 0:shell │');
    client.click(40, rowOf('0:shell │') - 1);
    await shows('#{client_session}', 'aside');
  });

  it('stays usable with three thousand windows', async () => {
    const more = Array.from({ length: 30 }, () => 'new-window -d -t many: sleep 1000');
    await world.output('new-session', '-d', '-s', 'many', 'sleep 1000');
    const [first = ''] = (await world.output('list-windows', '-t', 'many', '-F', '#{window_id}')).split('\n');
    expect(first).toMatch(/^@/);
    // Linked windows count as much for a list as windows with programs of their own do.
    const links = Array.from({ length: 2970 }, (_, at) => `link-window -d -s ${first} -t many:${at + 100}`);
    for (const lines of [more, links]) {
      const { code, stderr } = await world.call(['source-file', '-'], { input: lines.join('\n') });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    }
    client.press('C-b w');
    await cursorOn('editor');
    client.press('End');
    await cursorOn('3069: sleep');
    client.press('Home');
    await cursorOn('main: 2 windows');
    client.press('/');
    await client.until('(search)');
    client.type('2500\r');
    await cursorOn('2500: sleep');
    client.press('Enter');
    await shows('#{client_session}:#{window_index}', 'many:2500');
  });
});

describe('choose-buffer', () => {
  beforeEach(async () => {
    await world.output('set-buffer', '-b', 'apple', 'the apple', ';', 'set-buffer', '-b', 'pear', 'the pear');
    client.press('C-b =');
    await lists('pear: ', 'apple: ');
  });

  it('pastes the one that is chosen, and shows its text meanwhile', async () => {
    await client.until('│ the pear');
    client.press('Down');
    await client.until('│ the apple');
    client.press('Enter');
    await client.until((rows) => rows[1] === 'the apple');
  });

  it('deletes the one under the cursor, or all that are tagged', async () => {
    client.press('d');
    await lists('apple: ');
    await world.output('set-buffer', '-b', 'plum', 'x', ';', 'set-buffer', '-b', 'quince', 'y');
    await lists('quince: ', 'plum: ', 'apple: ');
    client.press('g t t D');
    await lists('apple: ');
    expect(await world.output('list-buffers', '-F', '#{buffer_name}')).toBe('apple');
  });

  it('opens one in the editor and keeps what was changed', async () => {
    await world.output('set-option', '-s', 'editor', 'sh -c \'echo changed >>"$1"\' --');
    client.press('e');
    await waitFor(async () => (await world.output('show-buffer', '-b', 'pear')).includes('changed'), {
      name: 'the edited buffer',
    });
  });
});

describe('choose-client', () => {
  it('shows what another client shows, and detaches the one that is chosen', async () => {
    const other = world.attach(['attach-session', '-t', 'aside'], { size: { cols: 60, rows: 20 } });
    await other.until('aside');
    client.press('C-b D');
    await client.until((rows) => rows.join('\n').includes('session aside') && rows.join('\n').includes('session main'));
    for (let at = 0; at < 2 && !client.screen.rows()[client.screen.cursor.y]?.includes('session aside'); at++) {
      client.press(at === 0 ? 'Home' : 'End');
      await client.until((rows) => /session (?:main|aside)/.test(rows[client.screen.cursor.y] ?? ''));
    }
    await cursorOn('session aside');
    client.press('Enter');
    await other.exit;
    expect(other.screen.text()).toContain('[detached (from session aside)]');
  });
});

describe('customize-mode', () => {
  it('opens a group, changes an option and a key, and sets them back', async () => {
    client.press('C-b C');
    await cursorOn('Server Options');
    client.press('/');
    await client.until('(search)');
    client.type('Session Options\r');
    await cursorOn('Session Options');
    client.press('Right /');
    await client.until('(search)');
    client.type('status-left-length\r');
    await cursorOn('status-left-length');
    client.press('Enter');
    await client.until('(status-left-length, for session main)');
    client.press('C-u');
    client.type('33\r');
    await waitFor(async () => (await world.output('show-options', '-t', 'main', '-v', 'status-left-length')) === '33', {
      name: 'the option',
    });
    await client.until((rows) => rows[client.screen.cursor.y]?.includes('33') ?? false, { name: 'the new value' });
    client.press('u');
    await client.until(/[uU]nset/);
    client.press('y');
    await client.until((rows) => !rows[client.screen.cursor.y]?.includes('33'), { name: 'the default' });
  });
});

describe('find-window', () => {
  it('lists the windows that have a text, and goes to the one that is chosen', async () => {
    client.press('C-b f');
    await client.until('(find-window)');
    client.type('in the logs\r');
    await lists('main: 2 windows', '1: logs');
    client.press('Down Enter');
    await shows('#{window_name}', 'logs');
  });
});

describe('display-panes', () => {
  beforeEach(async () => {
    await world.output('split-window', '-t', 'main:', '-h', 'cat', ';', 'split-window', '-t', 'main:', '-v', 'cat');
    await world.output('set-option', '-g', 'display-panes-time', '20000');
    await shows('#{pane_index}', '2');
  });

  it('shows the number and the size of each pane, and a number selects', async () => {
    client.press('C-b q');
    await client.until((rows) => rows.join('\n').includes('39x11') && rows.join('\n').includes('40x23'));
    client.press('0');
    await shows('#{pane_index}', '0');
    await client.until((rows) => !rows.join('\n').includes('40x23'), { name: 'no numbers' });
  });

  it('any other key takes the numbers away and goes nowhere', async () => {
    client.press('C-b q');
    await client.until('40x23');
    client.press('x');
    await client.until((rows) => !rows.join('\n').includes('40x23'), { name: 'no numbers' });
    expect(await world.output('capture-pane', '-p')).not.toContain('x');
  });
});

describe('clock-mode', () => {
  it('shows the time in large digits until a key is pressed', async () => {
    const isClock = () => client.screen.cells({}).some((row) => /4|b/.test(row)) && client.screen.rows()[0] === '';
    client.press('C-b t');
    await shows('#{pane_mode}', 'clock-mode');
    await client.until(isClock, { name: 'a clock' });
    client.press('x');
    await shows('#{pane_mode}', '');
    await client.until((rows) => rows[0] === 'in the editor');
    expect(await world.output('capture-pane', '-p')).not.toContain('x');
  });
});
