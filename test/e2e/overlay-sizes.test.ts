/** Every picker, prompt, menu and mode on tiny terminals, through changes of the size, and when its pane goes away. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { firstLeak } from '../support/output-grammar.ts';
import { type TerminalProgram, World, waitFor } from '../support/program.ts';

let world: World;
let client: TerminalProgram;
let pid: string;

const HOSTILE = 'x\x1b]0;owned\x07\x1b[2J\u202egnp\u200b\u009b31m日本\u0301';

beforeAll(async () => {
  world = new World();
  client = world.attach(['-f', '/dev/null', 'new-session', '-s', 'main', '-n', 'keeper', 'seq 100; exec cat'], {
    keepBytes: true,
  });
  await client.until(/^100$/m);
  await world.output('set-option', '-s', 'escape-time', '10', ';', 'set-option', '-g', 'prefix-hints', 'off');
  await world.output('set-option', '-g', 'display-panes-time', '60000', ';', 'set-option', '-g', 'mouse', 'on');
  await world.call(['load-buffer', '-b', 'hostile', '-'], { input: HOSTILE });
  pid = await world.output('display-message', '-p', '#{pid}');
});

afterAll(() => world.close());

/** What a test that failed has left is none of the next one's. */
afterEach(async () => {
  await world.call(['kill-window', '-a', '-t', 'main:keeper']);
});

interface Opened {
  readonly name: string;
  readonly keys: string;
  readonly typed?: string;
  /** What is on the screen while it is open. */
  readonly shows: string | RegExp;
}

/** In a window of its own with two panes. */
const OPENED: readonly Opened[] = [
  { name: 'choose-tree', keys: 'C-b w', shows: '(sort: index)' },
  { name: 'choose-buffer', keys: 'C-b =', shows: 'hostile (sort: time)' },
  { name: 'choose-client', keys: 'C-b D', shows: 'session main' },
  { name: 'customize-mode', keys: 'C-b C', shows: 'Server Options' },
  { name: 'display-panes', keys: 'C-b q', shows: /80x1[12]/ },
  // Its digits are colours.
  { name: 'clock-mode', keys: 'C-b t', shows: 'tried*' },
  { name: 'copy-mode', keys: 'C-b [', shows: '[0/' },
  { name: 'the list of keys', keys: 'C-b ?', shows: 'Rotate through' },
  { name: 'list-keys', keys: 'C-b :', typed: 'list-keys\r', shows: 'bind-key' },
  { name: 'the command palette', keys: 'C-b Space', shows: 'mplex ·' },
  { name: 'the command prompt', keys: 'C-b :', typed: 'a rather long line', shows: ':a rather long line' },
  { name: 'confirm-before', keys: 'C-b &', shows: '(y/n)' },
  { name: 'a menu', keys: 'C-b >', shows: 'Horizontal Split' },
  { name: 'a popup', keys: 'C-b :', typed: 'display-popup cat\r', shows: '┌──' },
  { name: 'search-panes', keys: 'C-b F', typed: '9\r', shows: '9 in main' },
  { name: 'find-window', keys: 'C-b f', typed: 'keeper\r', shows: '(filter: active)' },
];

async function open({ keys, typed = '', shows }: Opened): Promise<string> {
  await world.output(
    'new-window',
    '-t',
    'main:',
    '-n',
    'tried',
    'seq 50; exec cat',
    ';',
    'split-window',
    '-t',
    'main:',
    'cat',
  );
  await client.until('tried*');
  client.press(keys);
  if (typed !== '') client.type(typed);
  await client.until(shows);
  return world.output('display-message', '-p', '-t', 'main:', '#{window_id}');
}

/** Nothing lies over the panes and the server is the one it was. */
async function isWell(): Promise<void> {
  await world.output('kill-window', '-a', '-t', 'main:keeper');
  for (let i = 0; i < 3; i++) {
    await waitFor(async () => (await world.output('list-windows', '-F', '#{window_name}')).includes('keeper'), {
      name: 'the window',
    });
    client.press('Escape');
  }
  await world.output('copy-mode', '-q', '-t', 'main:keeper');
  client.press('C-u');
  await client.until((rows) => rows[23]?.startsWith('[main] 0:keeper*') === true && !/[┌┐]/.test(rows.join('')), {
    name: 'a plain screen',
  });
  expect(await world.output('display-message', '-p', '#{pid}')).toBe(pid);
}

describe.each(OPENED)('$name', (opened) => {
  it('is drawn at any size, 5x2 and 1x1 included, and is there when the terminal is large again', async () => {
    await open(opened);
    for (const size of [
      { cols: 5, rows: 2 },
      { cols: 1, rows: 1 },
      { cols: 40, rows: 10 },
      { cols: 200, rows: 3 },
      { cols: 3, rows: 60 },
      { cols: 80, rows: 24 },
    ]) {
      client.resize(size);
      await waitFor(
        async () =>
          (await world.output('list-clients', '-F', '#{client_width}x#{client_height}')) ===
          `${size.cols}x${size.rows}`,
        { name: `${size.cols}x${size.rows}` },
      );
    }
    await client.until(opened.shows);
    await isWell();
  });

  it('may lose its pane', async () => {
    const window = await open(opened);
    await world.output('kill-pane', '-t', window);
    await world.output('kill-window', '-t', window);
    await isWell();
  });
});

describe('what programs and askers call things', () => {
  it('is no order to the terminal in any picker', async () => {
    const program = `printf '\\033]2;%s\\033\\\\' '${HOSTILE.replace(/[\x07]/g, '')}'; exec cat`;
    await world.output('new-window', '-t', 'main:', '-n', HOSTILE, program);
    await world.output('set-option', '-g', '@hostile', HOSTILE);
    await world.output('set-option', '-g', 'pane-border-status', 'top', ';', 'set-option', '-g', 'set-titles', 'on');
    for (const [keys, text] of [
      ['C-b w', 'main: 2 windows'],
      ['C-b =', 'hostile'],
      ['C-b D', 'session main'],
      ['C-b C', 'Server Options'],
      ['C-b Space', 'mplex ·'],
      ['C-b >', 'Horizontal Split'],
    ] as const) {
      client.press(keys);
      await client.until(text);
      client.press('End Down Escape');
      await client.until((rows) => !rows.join('\n').includes(text), { name: `no ${text}` });
    }
    expect(client.screen.title).not.toBe('owned');
    expect(firstLeak(client.screen.bytes)).toBeUndefined();
    expect(client.screen.bytes).not.toMatch(/[\u202e\u200b\u009b]/);
  });
});
