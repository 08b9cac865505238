/** The mouse at a terminal: on panes, borders and the status line, and for programs that asked for it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TerminalProgram, World, waitFor } from '../support/program.ts';
import { modesAfter } from '../support/terminal-modes.ts';

let world: World;
let client: TerminalProgram;

beforeEach(async () => {
  world = new World();
  client = world.attach(['-f', '/dev/null', 'new-session', '-s', '0', 'seq 200; exec cat'], { keepBytes: true });
  await client.until('200');
});

afterEach(() => world.close());

async function mouseOn(): Promise<void> {
  await world.output('set-option', '-g', 'mouse', 'on');
  await waitFor(() => modesAfter(client.screen.bytes).decModes.get(1002) === true, { name: 'mouse reports asked for' });
}

async function shows(format: string, value: string): Promise<void> {
  let last = '';
  await waitFor(
    async () => {
      last = await world.output('display-message', '-p', format);
      return last === value;
    },
    { name: `${format} to be ${value}`, onTimeout: () => `it is ${last}\n${client.screen.text()}` },
  );
}

/** A pane beside the first whose program writes what it gets into a file. */
async function listener(modes: string): Promise<() => string> {
  const file = join(world.directory, 'events');
  const command = `stty raw -echo; printf '${modes}listening'; exec cat >${file}`;
  await world.output('split-window', '-h', command);
  await client.until('listening');
  return () => (existsSync(file) ? readFileSync(file, 'utf8').replaceAll('\x1b', 'ESC') : '');
}

describe('with mouse on', () => {
  beforeEach(mouseOn);

  it('a click selects a pane, a click on a window name selects the window', async () => {
    await world.output('split-window', '-h', 'cat');
    await shows('#{pane_index}', '1');
    client.click(5, 5);
    await shows('#{pane_index}', '0');
    client.click(60, 5);
    await shows('#{pane_index}', '1');
    await world.output('new-window', '-n', 'second', 'cat');
    await client.until('1:second*');
    client.click(client.screen.rows()[23]?.indexOf('0:') ?? 0, 23);
    await client.until(/0:\S+\* 1:second/);
    client.click((client.screen.rows()[23]?.indexOf('second') ?? 0) + 2, 23);
    await client.until('1:second*');
  });

  it('dragging a border resizes the panes beside and above it', async () => {
    await world.output('split-window', '-h', 'cat');
    await client.until((rows) => rows[5]?.charAt(40) === '│');
    client.mouse('press', { x: 40, y: 5 });
    for (let x = 41; x <= 60; x++) client.mouse('drag', { x, y: 5 });
    client.mouse('release', { x: 60, y: 5 });
    await shows('#{P:#{pane_width} }', '60 19 ');
    await client.until((rows) => rows[5]?.charAt(60) === '│');
    await world.output('split-window', '-v', 'cat');
    await client.until((rows) => rows[11]?.charAt(70) === '─');
    client.mouse('press', { x: 70, y: 11 });
    client.mouse('drag', { x: 70, y: 8 });
    client.mouse('drag', { x: 70, y: 4 });
    client.mouse('release', { x: 70, y: 4 });
    await shows('#{P:#{pane_height} }', '23 4 18 ');
  });

  it('the wheel enters copy mode and scrolls, and leaves it at the bottom', async () => {
    client.mouse('press', { x: 5, y: 5 }, 64);
    await shows('#{pane_mode}', 'copy-mode');
    for (let n = 0; n < 4; n++) client.mouse('press', { x: 5, y: 5 }, 64);
    await shows('#{scroll_position}', '20');
    await client.until((rows) => rows[0]?.startsWith('159') ?? false);
    for (let n = 0; n < 4; n++) client.mouse('press', { x: 5, y: 5 }, 65);
    await shows('#{pane_mode}', '');
  });

  it('the wheel on the status line goes through the windows', async () => {
    await world.output('new-window', '-d', 'cat');
    await client.until('1:cat');
    client.mouse('press', { x: 6, y: 23 }, 65);
    await shows('#{window_index}', '1');
    client.mouse('press', { x: 6, y: 23 }, 64);
    await shows('#{window_index}', '0');
  });

  it('a drag in a pane copies what it covers', async () => {
    client.mouse('press', { x: 0, y: 3 });
    client.mouse('drag', { x: 1, y: 3 });
    client.mouse('drag', { x: 2, y: 4 });
    await shows('#{pane_mode}', 'copy-mode');
    client.mouse('release', { x: 2, y: 4 });
    await waitFor(async () => (await world.call(['show-buffer'])).stdout === '182\n18', { name: 'two lines' });
    await shows('#{pane_mode}', '');
  });

  it('a double click copies a word, a triple click a line', async () => {
    await world.output('respawn-pane', '-k', 'echo one two_three four; exec cat');
    await client.until('two_three');
    client.click(6, 0);
    client.click(6, 0);
    await waitFor(async () => (await world.call(['show-buffer'])).stdout === 'two_three', { name: 'a word' });
    await shows('#{pane_mode}', '');
    for (let n = 0; n < 3; n++) client.click(6, 0);
    await waitFor(async () => (await world.call(['show-buffer'])).stdout.trimEnd() === 'one two_three four', {
      name: 'a line',
    });
  });

  it('a drag takes whole characters, with vi keys, whichever half of a wide one it begins or ends on', async () => {
    await world.output('respawn-pane', '-k', "printf 'a日本語e\\314\\201z\\n'; exec cat");
    await client.until('日本語');
    await world.output('set-option', '-g', 'mode-keys', 'vi');
    const drag = async (from: number, to: number, wanted: string) => {
      await world.call(['delete-buffer']);
      client.mouse('press', { x: from, y: 0 });
      client.mouse('drag', { x: to > from ? from + 1 : from - 1, y: 0 });
      client.mouse('drag', { x: to, y: 0 });
      client.mouse('release', { x: to, y: 0 });
      let last = '';
      await waitFor(
        async () => {
          last = (await world.call(['show-buffer'])).stdout;
          return last === wanted;
        },
        { name: `${from} to ${to} to be ${wanted}`, onTimeout: () => `it is ${last}` },
      );
      await shows('#{pane_mode}', '');
    };
    await drag(1, 5, '日本語');
    await drag(2, 4, '日本');
    await drag(7, 1, '日本語e\u0301');
    await drag(6, 2, '日本語');
    // Behind the end of the line vi keys take its end too.
    await drag(0, 79, 'a日本語e\u0301z\n');
  });

  it('a right click opens the menu of the pane, and a click takes an entry', async () => {
    client.click(10, 5, 2);
    await client.until('Vertical Split');
    const y = client.screen.rows().findIndex((row) => row.includes('Vertical Split'));
    client.click(client.screen.rows()[y]?.indexOf('Vertical') ?? 0, y);
    await shows('#{window_panes}', '2');
  });

  it('a program that asked gets events in its own cells, a program that did not gets none', async () => {
    const events = await listener('\\033[?1000h\\033[?1006h');
    client.click(45, 3);
    await waitFor(() => events() === 'ESC[<0;5;4MESC[<0;5;4m', { name: 'a click', onTimeout: events });
    client.mouse('press', { x: 50, y: 7 }, 64);
    await waitFor(() => events().endsWith('ESC[<64;10;8M'), { name: 'the wheel', onTimeout: events });
    await shows('#{pane_mode}', '');
    client.click(5, 3);
    await shows('#{pane_index}', '0');
    expect(events()).toBe('ESC[<0;5;4MESC[<0;5;4mESC[<64;10;8M');
  });

  it('a wheel that turns to the side is told to the program that asked', async () => {
    const events = await listener('\\033[?1000h\\033[?1006h');
    client.mouse('press', { x: 50, y: 7 }, 66);
    client.mouse('press', { x: 50, y: 7 }, 67);
    await waitFor(() => events() === 'ESC[<66;10;8MESC[<67;10;8M', { name: 'the wheel', onTimeout: events });
  });

  it('a program that asked for pixels (1016) gets its own, of cells as large as the terminal says', async () => {
    const events = await listener('\\033[?1000h\\033[?1016h');
    client.click(45, 3);
    // Cells of 16x32 as long as the terminal has not told.
    await waitFor(() => events() === 'ESC[<0;73;113MESC[<0;73;113m', { name: 'a click', onTimeout: events });
    client.type('\x1b[6;20;10t');
    await shows('#{client_cell_width}x#{client_cell_height}', '10x20');
    client.click(45, 3);
    await waitFor(() => events().endsWith('m' + 'ESC[<0;46;71MESC[<0;46;71m'), { name: 'another', onTimeout: events });
  });

  it.each([
    [1002, ['press', 'drag', 'release'], 'ESC[<0;5;4MESC[<32;6;4MESC[<0;6;4m'],
    [1003, ['press', 'drag', 'release', 'move'], 'ESC[<0;5;4MESC[<32;6;4MESC[<0;6;4mESC[<35;6;4M'],
  ] as const)('a program that asked for %i with 1006 gets motion as it asked', async (mode, actions, expected) => {
    const events = await listener(`\\033[?${mode}h\\033[?1006h`);
    if (mode === 1003) {
      await waitFor(() => modesAfter(client.screen.bytes).decModes.get(1003) === true, {
        name: 'all motion asked for',
      });
    }
    for (const action of actions) client.mouse(action, { x: action === 'press' ? 45 : 46, y: 3 });
    await waitFor(() => events() === expected, { name: expected, onTimeout: events });
  });
});

describe('with mouse off', () => {
  it('the terminal is asked for what the active program asked for, and nothing else', async () => {
    expect(modesAfter(client.screen.bytes).decModes.get(1000) ?? false).toBe(false);
    const events = await listener('\\033[?1000h\\033[?1006h');
    await waitFor(() => modesAfter(client.screen.bytes).decModes.get(1000) === true, { name: 'clicks asked for' });
    client.click(45, 3);
    await waitFor(() => events() === 'ESC[<0;5;4MESC[<0;5;4m', { name: 'a click', onTimeout: events });
    await world.output('select-pane', '-t', ':.0');
    await waitFor(() => modesAfter(client.screen.bytes).decModes.get(1000) === false, { name: 'nothing asked for' });
  });
});
