/** Copy mode, the mouse in it, pasting and the pickers around them, as a person at a terminal has them. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TerminalProgram, World, waitFor } from '../support/program.ts';

let world: World;
let client: TerminalProgram;

beforeEach(async () => {
  world = new World();
  client = world.attach(
    ['-f', '/dev/null', 'set-option', '-s', 'escape-time', '10', ';', 'new-session', '-s', 'work', 'seq 200; exec cat'],
    { size: { cols: 60, rows: 14 } },
  );
  await client.until(/^200$/m);
});

afterEach(() => world.close());

async function buffer(text: string): Promise<void> {
  await waitFor(async () => (await world.call(['show-buffer'])).stdout === text, {
    name: `the buffer ${JSON.stringify(text)}`,
    onTimeout: () => client.screen.text(),
  });
}

async function isOut(): Promise<void> {
  await waitFor(async () => (await world.output('display-message', '-p', '#{pane_in_mode}')) === '0', {
    name: 'no mode',
  });
}

/** Waits until a program that nobody sees has printed that. */
async function printed(pane: string, what: RegExp): Promise<void> {
  await waitFor(async () => what.test(await world.output('capture-pane', '-p', '-t', pane)), {
    name: `${what} in ${pane}`,
  });
}

/** Puts other text into the pane. */
async function shows(command: string, last: string | RegExp): Promise<void> {
  await world.output('respawn-pane', '-k', `${command}; exec cat`);
  await client.until(last);
}

describe('copy mode', () => {
  it('with vi keys: counts, search with the number of matches, a line, a rectangle', async () => {
    await world.output('set-option', '-g', 'mode-keys', 'vi');
    client.press('C-b [');
    await client.until('[0/188]');
    client.press('g');
    await client.until('[188/188]');
    client.press('1');
    await client.until('(repeat)');
    client.type('2\r');
    client.press('j');
    await client.until((rows) => rows[client.screen.cursor.y] === '13');
    client.type('?');
    await client.until('(search up)');
    client.type('2\r');
    await client.until('(41 results)');
    client.press('V');
    client.press('Enter');
    await buffer('12\n');
    await isOut();
    client.press('C-b [');
    client.press('g');
    await client.until('[188/188]');
    client.press('C-v');
    client.press('Space');
    client.type('jjl');
    client.press('Enter');
    await waitFor(async () => (await world.call(['show-buffer'])).stdout.trimEnd() === '1\n2\n3', {
      name: 'a rectangle',
    });
  });

  it('with emacs keys: an incremental search that follows what is typed, a selection copied by M-w', async () => {
    client.press('C-b [');
    await client.until('[0/188]');
    client.press('C-r');
    await client.until('(search up)');
    client.type('1');
    await client.until('(140 results)');
    client.type('99');
    await client.until('(1 results)');
    client.press('Enter');
    client.press('C-Space');
    client.press('C-e');
    client.press('M-w');
    await buffer('199');
  });

  it('keeps the selection on its text while output goes on, and loses nothing of it', async () => {
    client.press('C-b [');
    client.press('Up');
    await client.until('[0/188]');
    client.press('C-a');
    client.press('C-Space');
    client.press('C-e');
    await world.output('send-keys', '-t', 'work', '-l', 'x');
    await world.output('respawn-pane', '-k', 'seq 1000 1400; exec cat');
    await isOut();
    await client.until(/^1400$/m);
    expect(
      (await world.output('capture-pane', '-p', '-S', '-')).split('\n').filter((row) => /^1\d\d\d$/.test(row)),
    ).toHaveLength(401);
    client.press('C-b [');
    await client.until(/\[0\/\d+\]/);
    client.press('C-p');
    client.press('C-a');
    client.press('C-Space');
    client.press('C-e');
    const tty = await world.output('display-message', '-p', '#{pane_tty}');
    await world.output('run-shell', `for i in $(seq 50); do echo later $i; done >${tty}`);
    await waitFor(async () => (await world.output('capture-pane', '-p')).includes('later 50'), {
      name: 'later output',
    });
    await client.until(/^1400$/m);
    client.press('M-w');
    await buffer('1400');
    await client.until('later 50');
  });

  it('copies wrapped and wide text as it was printed', async () => {
    const line = `start ${'日本語テキスト-'.repeat(12)}e\u0301nd`;
    await shows(`printf '%s\\n' '${line}'`, 'nd');
    client.press('C-b [');
    client.press('C-r');
    client.type('start\r');
    client.press('C-Space');
    client.press('C-e');
    client.press('M-w');
    await buffer(line);
  });

  it('pipes what is copied to a command', async () => {
    const file = join(world.directory, 'piped');
    await world.output('set-option', '-s', 'copy-command', `cat >${file}`);
    client.press('C-b [');
    client.press('Up');
    client.press('C-a');
    client.press('C-Space');
    client.press('C-e');
    client.press('C-w');
    await waitFor(() => existsSync(file) && readFileSync(file, 'utf8') === '200', {
      name: 'the text in the file',
      onTimeout: () => client.screen.text(),
    });
  });

  it('begins as its flags say: -u a page up, -e left at the end, -H without position, -q leaves', async () => {
    await world.output('copy-mode', '-u');
    await client.until('[11/188]');
    await world.output('copy-mode', '-q');
    await isOut();
    await world.output('copy-mode', '-eu');
    await client.until('[11/188]');
    client.press('NPage');
    await isOut();
    await world.output('copy-mode', '-H');
    client.press('PPage');
    await client.until((rows) => rows[0] === '178');
    expect(client.screen.text()).not.toContain('/188]');
  });
});

describe('what users of tmux ask for', () => {
  it('the selection stays after the button is released, with mouse-keep-selection', async () => {
    await world.output('set-option', '-g', 'mouse', 'on', ';', 'set-option', '-g', 'mouse-keep-selection', 'on');
    client.mouse('press', { x: 0, y: 3 });
    client.mouse('drag', { x: 2, y: 3 });
    client.mouse('drag', { x: 3, y: 4 });
    client.mouse('release', { x: 3, y: 4 });
    await buffer('192\n193');
    expect(await world.output('display-message', '-p', '#{pane_mode} #{selection_present}')).toBe('copy-mode 1');
  });

  it('one prompt searches all panes, and Enter goes to the line', async () => {
    await world.output('new-window', '-d', '-n', 'logs', 'seq 500 900; exec cat');
    await printed(':logs', /^900$/m);
    client.press('C-b F');
    client.type('77\r');
    await client.until('77 in work');
    client.type('777');
    await client.until((rows) => /│ 777 +1.0 logs │/.test(rows.join('\n')) && rows.join().includes('· 1 ─'));
    client.press('Enter');
    await client.until(/1:logs\*/);
    expect(await world.output('display-message', '-p', '#{copy_cursor_line}')).toBe('777');
  });

  it('what is typed right behind the text to look for narrows the list', async () => {
    await world.output('new-window', '-d', '-n', 'logs', 'seq 500 900; exec cat');
    await printed(':logs', /^900$/m);
    client.press('C-b F');
    client.type('77\r777\r');
    await client.until(/1:logs\*/);
    expect(await world.output('display-message', '-p', '#{copy_cursor_line}')).toBe('777');
    client.type('q');
    await client.until((rows) => rows.includes('900'));
    expect(await world.output('capture-pane', '-p', '-t', ':logs')).toMatch(/^900$/m);
    expect(await world.output('capture-pane', '-p', '-t', ':0')).not.toMatch(/^777?$/m);
  });

  it('a copy with the mouse stays in place when it is told to', async () => {
    await world.output('set-option', '-g', 'mouse', 'on', ';', 'set-option', '-g', 'mouse-keep-selection', 'on');
    client.mouse('press', { x: 5, y: 5 }, 64);
    client.mouse('press', { x: 5, y: 5 }, 64);
    await client.until('[5/188]');
    client.mouse('press', { x: 0, y: 3 });
    client.mouse('drag', { x: 1, y: 3 });
    client.mouse('drag', { x: 3, y: 3 });
    client.mouse('release', { x: 3, y: 3 });
    await buffer('187');
    expect(await world.output('display-message', '-p', '#{scroll_position} #{selection_present}')).toBe('5 1');
  });

  it('the editor opens the scrollback at the line that is looked at', async () => {
    const file = join(world.directory, 'edited');
    await world.output(
      'set-option',
      '-s',
      'editor',
      `sh -c 'echo "$1" >${file}; sed -n "\${1#+}p" "$2" >>${file}; sleep 100' --`,
    );
    client.press('C-b [');
    client.press('C-r');
    client.type('^123$\r');
    await client.until('(search up)');
    client.press('C-g');
    await world.output('send-keys', '-X', 'search-backward', '^123$');
    client.press('C-b e');
    await waitFor(() => existsSync(file) && readFileSync(file, 'utf8') === '+123\n123\n', {
      name: 'the line',
      onTimeout: () => (existsSync(file) ? readFileSync(file, 'utf8') : client.screen.text()),
    });
  });
});

describe('a paste', () => {
  it('is bracketed where the program asked, and cannot end its bracket or send controls', async () => {
    const file = join(world.directory, 'typed');
    await shows(`stty raw -echo; printf '\\033[?2004hready'; cat >${file}`, 'ready');
    await world.call(['load-buffer', '-'], { input: 'one\n\x1b[201~rm -rf\x03 two\x07' });
    client.press('C-b ]');
    await waitFor(() => existsSync(file) && readFileSync(file, 'latin1').endsWith('\x1b[201~'), { name: 'the paste' });
    const typed = readFileSync(file, 'latin1');
    expect(typed.startsWith('\x1b[200~one')).toBe(true);
    expect(typed.slice(6, -6)).not.toMatch(/[\x00-\x08\x0b\x0c\x0e-\x1f]/);
  });
});

describe('a history', () => {
  it('is searched, captured, wrapped anew and cleared over its packed part and the screen alike', async () => {
    await world.output('set-option', '-g', 'history-limit', '50000');
    await world.output('new-window', 'seq 30000 | sed "s/$/ $(printf %044d 0)/"; exec cat');
    await client.until(/^30000 /m);
    const lines = async () =>
      (await world.output('capture-pane', '-pJ', '-S', '-')).split('\n').filter((row) => / 0{44}$/.test(row));
    expect(await lines()).toHaveLength(30_000);
    client.resize({ cols: 33, rows: 9 });
    await client.until((rows) => rows.some((row) => row === '0'.repeat(17)));
    expect(await lines()).toHaveLength(30_000);
    await world.output('copy-mode');
    await world.output('send-keys', '-X', 'search-backward', '^17 0');
    expect(await world.output('display-message', '-p', '#{copy_cursor_line}')).toMatch(/^17 0/);
    await world.output('send-keys', '-X', 'cancel', ';', 'clear-history');
    expect(await world.output('display-message', '-p', '#{history_size}')).toBe('0');
  });
});
