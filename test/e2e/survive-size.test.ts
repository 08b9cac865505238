/** Terminals of any size, and sizes that change faster than anybody can follow. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Size } from '../../protocol/geometry.ts';
import { Control } from '../support/control.ts';
import { type TerminalProgram, World, waitFor } from '../support/program.ts';

/** The sizes that are taken seriously: docs/mplex.md, Limits. */
const COLS_MAX = 1000;
const ROWS_MAX = 500;

let world: World;
let control: Control;

beforeEach(() => {
  world = new World();
});

afterEach(async () => {
  control?.close();
  await world.close();
});

async function attach(command: string, shown: string): Promise<TerminalProgram> {
  const client = world.attach(['-f', '/dev/null', 'new-session', '-s', '0', command]);
  await client.until(shown);
  control = await Control.open(world.controlPath);
  return client;
}

async function shows(format: string, value: string): Promise<void> {
  let last = '';
  await waitFor(
    async () => {
      last = await control.run('display-message', '-p', '-t', '0:', format);
      return last === value;
    },
    { name: `${format} to be ${value}`, onTimeout: () => `it is ${last}` },
  );
}

describe('a terminal', () => {
  it('of any size from 1x1 to 65535x65535 is served, and shows the same afterwards', async () => {
    const client = await attach('echo top left; exec cat', 'top left');
    await control.run('split-window', '-h', 'cat');
    await control.run('split-window', '-v', 'cat');
    await control.run('select-pane', '-t', ':.0');
    const sizes: Size[] = [
      [1, 1],
      [2, 1],
      [1, 2],
      [2, 2],
      [1, 24],
      [80, 1],
      [80, 2],
      [3, 3],
      [7, 300],
      [300, 7],
      [999, 499],
      [1000, 500],
      [1001, 501],
      [65_535, 1],
      [1, 65_535],
      [65_535, 65_535],
      [80, 24],
    ].map(([cols = 0, rows = 0]) => ({ cols, rows }));
    for (const size of sizes) {
      client.resizePty(size);
      const cols = Math.min(size.cols, COLS_MAX);
      const rows = Math.min(size.rows, ROWS_MAX);
      await shows('#{client_width}x#{client_height}', `${cols}x${rows}`);
      const panes = (await control.run('list-panes', '-F', '#{pane_width} #{pane_height}')).split('\n');
      expect(panes).toHaveLength(3);
      for (const pane of panes) expect(pane).toMatch(/^[1-9]\d* [1-9]\d*$/);
    }
    await shows('#{window_width}x#{window_height}', '80x23');
    await control.run('refresh-client');
    await client.until('top left');
    // Three panes on one column push each other about; what they hold is still there.
    await control.run('select-layout', 'main-vertical');
    await control.run('kill-pane', '-a');
    await client.until((rows) => rows[0] === 'top left');
  });

  it('of 1x1 at the start is served, too', async () => {
    const client = world.attach(['-f', '/dev/null', 'new-session', '-s', '0', 'exec cat'], {
      size: { cols: 1, rows: 1 },
    });
    await waitFor(async () => (await world.call(['list-clients'])).stdout.includes('1x1'), { name: 'a client of 1x1' });
    client.resize({ cols: 80, rows: 24 });
    client.type('here\r');
    await client.until((rows) => rows[0] === 'here' && rows[1] === 'here');
  });
});

describe('text', () => {
  const lines = Array.from({ length: 300 }, (_, n) => `${n} ${'abcdefghij'.repeat(n % 13)}`);

  it.each([
    { cols: 10, rows: 5 },
    { cols: 1, rows: 1 },
    { cols: 3, rows: 40 },
    { cols: 200, rows: 3 },
    { cols: 1000, rows: 500 },
  ])('is all there after $cols x $rows and back', async (small) => {
    const file = join(world.directory, 'lines');
    writeFileSync(file, `${lines.join('\n')}\n`);
    const client = await attach(`cat ${file}; exec cat`, '299');
    const captured = () => control.run('capture-pane', '-p', '-J', '-S', '-', '-t', '0:');
    const before = await captured();
    expect(before.split('\n').slice(0, 300)).toEqual(lines);
    const picture = client.screen.cells({ height: 23 });
    for (let n = 0; n < 3; n++) {
      client.resizePty(small);
      await shows('#{client_width}', String(small.cols));
      client.resizePty({ cols: 80, rows: 24 });
      await shows('#{client_width}x#{client_height}', '80x24');
    }
    expect(await captured()).toBe(before);
    await client.untilCells(picture, { height: 23 });
  });
});

describe('a storm of sizes', () => {
  it('settles to the last one, told to the program once', async () => {
    const log = join(world.directory, 'sizes');
    writeFileSync(log, '');
    const client = await attach(
      `trap 'stty size >>${log}' WINCH; echo ready; while :; do sleep 60 & wait; done`,
      'ready',
    );
    const told = () => readFileSync(log, 'utf8').trim().split('\n');
    for (let storm = 0; storm < 3; storm++) {
      for (let n = 0; n < 200; n++) {
        client.resizePty({ cols: 20 + ((n * 37) % 150), rows: 5 + ((n * 17) % 60) });
        if (n % 20 === 0) await new Promise((next) => setImmediate(next));
      }
      const final = { cols: 90 + storm, rows: 30 + storm };
      client.resize(final);
      await waitFor(() => told().at(-1) === `${final.rows - 1} ${final.cols}`, {
        name: `the program to know ${final.cols}x${final.rows}`,
        onTimeout: () => told().slice(-3).join(' | '),
      });
      const count = await quietCount(told);
      expect(told().at(-1)).toBe(`${final.rows - 1} ${final.cols}`);
      expect(
        told()
          .slice(0, count)
          .filter((line) => line === told().at(-1)),
      ).toHaveLength(1);
      await shows('#{pane_width}x#{pane_height}', `${final.cols}x${final.rows - 1}`);
      await client.until((rows) => (rows.at(-1) ?? '').startsWith('[0] 0:'));
    }
  });
});

/** The number of lines once no further one has come for a while. */
async function quietCount(lines: () => string[]): Promise<number> {
  let count = lines().length;
  let since = performance.now();
  await waitFor(
    () => {
      if (lines().length !== count) {
        count = lines().length;
        since = performance.now();
      }
      return performance.now() - since > 400;
    },
    { name: 'no more sizes' },
  );
  return count;
}
