/** Programs that people run all day, inside the built program. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TerminalProgram, World, waitFor } from '../support/program.ts';
import { differences, VirtualTerminal } from '../support/virtual-terminal.ts';

const PICTURE = resolve(import.meta.dirname, '../fixtures/programs/picture.mjs');

let world: World;

beforeEach(() => {
  world = new World({ COLORTERM: 'truecolor' });
});

afterEach(() => world.close());

/** Whether a program is here; says so if not. */
function has(name: string): boolean {
  const found = spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;
  if (!found) console.warn(`skipped: ${name} is not installed`);
  return found;
}

function attach(command: string, size = { cols: 80, rows: 24 }): TerminalProgram {
  return world.attach(['-f', '/dev/null', 'new-session', command], { size });
}

describe('programs in a pane', () => {
  it.skipIf(!has('vim'))('vim edits a file and saves it', async () => {
    const file = join(world.directory, 'notes.txt');
    writeFileSync(file, 'first\nsecond\nthird\n');
    const client = attach(`vim -u NONE -N -i NONE ${file}`);
    await client.until((rows) => rows[0] === 'first' && rows[3] === '~');
    client.type('jA line');
    await client.until((rows) => rows[1] === 'second line' && /-- INSERT --/.test(rows.join('\n')));
    await waitFor(() => client.screen.cursor.x === 'second line'.length && client.screen.cursor.y === 1, {
      name: 'the cursor behind the text',
      onTimeout: () => JSON.stringify(client.screen.cursor),
    });
    client.press('Escape');
    await client.until((rows) => !rows.join().includes('-- INSERT --'));
    client.type('Gyyp:%s/third/last/g\r');
    await client.until((rows) => rows[3] === 'last');
    client.type('ggdd:wq\r');
    expect((await client.exit).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe('second line\nlast\nlast\n');
  });

  it.skipIf(!has('vim'))('vim in a split is redrawn when its pane changes size', async () => {
    const file = join(world.directory, 'long.txt');
    writeFileSync(file, Array.from({ length: 100 }, (_, n) => `line ${n + 1}\n`).join(''));
    const client = attach(`vim -u NONE -N -i NONE ${file}`);
    await client.until((rows) => rows[21] === 'line 22');
    client.press('C-b "');
    await client.until((rows) => rows[9] === 'line 10' && (rows[11] ?? '').startsWith('─'), { name: 'half of vim' });
    client.press('C-b o');
    client.press('C-b z');
    await client.until((rows) => rows[21] === 'line 22');
    client.type('G');
    await client.until((rows) => rows[21] === 'line 100');
  });

  it.skipIf(!has('less'))('less pages, searches and gives the screen back', async () => {
    const file = join(world.directory, 'long.txt');
    writeFileSync(file, Array.from({ length: 500 }, (_, n) => `line ${n + 1}\n`).join(''));
    const client = attach(`echo before; less ${file}; echo after; exec cat`);
    await client.until((rows) => rows[0] === 'line 1' && rows[21] === 'line 22');
    client.press('Space');
    await client.until((rows) => rows[0] === 'line 23' && rows[21] === 'line 44');
    client.type('G');
    await client.until((rows) => rows[21] === 'line 500');
    client.type('g/line 250\r');
    await client.until((rows) => rows[0] === 'line 250');
    client.press('PPage');
    await client.until((rows) => rows[0] === 'line 228');
    client.press('q');
    await client.until((rows) => rows[0] === 'before' && rows[1] === 'after');
  });

  it.skipIf(!has('top'))('top redraws', async () => {
    const client = attach('top -d 0.3');
    await client.until(/load average/);
    await client.until(/PID .*COMMAND/);
    const seen = new Set<string>();
    await waitFor(
      () => {
        seen.add(client.screen.rows().slice(2, 5).join('\n'));
        return seen.size >= 3;
      },
      { name: 'three different pictures', onTimeout: () => client.screen.text() },
    );
    client.press('q');
    expect((await client.exit).code).toBe(0);
  });

  it('a picture in 24-bit colours survives splits and zoom', async () => {
    const size = { cols: 200, rows: 51 };
    const client = attach(`${process.execPath} ${PICTURE} 200 40; echo done; exec cat`, size);
    await client.until((rows) => rows[40] === 'done');
    const picture = await drawnDirectly(200, 40);
    await client.untilCells(picture, { height: 40 });
    // Side by side the lines wrap; stacked the top of the picture leaves the screen.
    for (const split of ['-h', '-v']) {
      await world.output('split-window', split, 'echo second; exec cat');
      await client.until('second');
      expect(differences(client.screen.cells({ height: 40 }), picture)).not.toEqual([]);
      client.press('C-b ;');
      client.press('C-b z');
      await client.until(/^\[0\].*\*Z/m);
      await client.untilCells(picture, { height: 40 });
      client.press('C-b z');
      await client.until('second');
      await world.output('kill-pane', '-a');
      await client.untilCells(picture, { height: 40 });
    }
  });
});

async function drawnDirectly(cols: number, rows: number): Promise<string[]> {
  const terminal = new VirtualTerminal({ cols, rows: rows + 1 });
  const { stdout } = spawnSync(process.execPath, [PICTURE, String(cols), String(rows)], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  terminal.write(stdout);
  await terminal.settled();
  return terminal.cells({ height: rows });
}
