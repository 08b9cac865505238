/**
 * Recorded programs, seen through the built program and directly: the same picture, cell by cell, with its attributes
 * and the cursor. The recordings are remade with `node test/fixtures/programs/record.mjs`.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Size } from '../../protocol/geometry.ts';
import { World, waitFor } from '../support/program.ts';
import { VirtualTerminal } from '../support/virtual-terminal.ts';

const PROGRAMS = resolve(import.meta.dirname, '../fixtures/programs');

interface Recording extends Size {
  readonly file: string;
  readonly stops: readonly number[];
}

const RECORDINGS: readonly Recording[] = JSON.parse(readFileSync(join(PROGRAMS, 'corpus.json'), 'utf8'));

/** How the pane gets the size of the recording: alone, or beside another. */
const ARRANGEMENTS: readonly { name: string; split: readonly string[] | undefined; client: (size: Size) => Size }[] = [
  { name: 'unsplit', split: undefined, client: ({ cols, rows }) => ({ cols, rows: rows + 1 }) },
  { name: 'above another pane', split: ['-v'], client: ({ cols, rows }) => ({ cols, rows: 2 * rows + 2 }) },
  {
    name: 'right of another pane',
    split: ['-h', '-b'],
    client: ({ cols, rows }) => ({ cols: 2 * cols + 1, rows: rows + 1 }),
  },
];

let world: World;

beforeAll(async () => {
  world = new World({ COLORTERM: 'truecolor', LANG: 'C.UTF-8' });
  await world.output('-f', '/dev/null', 'new-session', '-d', 'cat');
});

afterAll(() => world.close());

describe.each(ARRANGEMENTS)('$name, the client shows what the program drew', ({ name, split, client }) => {
  it.each(RECORDINGS)('$file', async ({ file, cols, rows, stops }) => {
    const session = `${name} ${file}`.replaceAll(/\W+/g, '-');
    const path = join(PROGRAMS, file);
    const replay = `stty raw -echo; exec ${process.execPath} ${join(PROGRAMS, 'replay.mjs')} ${path} ${stops.join(' ')}`;
    const terminal = world.attach(['new-session', '-s', session, split ? 'echo other; exec cat' : replay], {
      size: client({ cols, rows }),
    });
    if (split) {
      await terminal.until('other');
      await world.output('split-window', ...split, '-d', '-t', `${session}:`, 'echo other; exec cat');
      const pane = split.includes('-b') ? 'right' : 'left';
      await world.output('select-pane', '-t', `${session}:.{${pane}}`);
      await world.output('respawn-pane', '-k', replay);
    }
    await terminal.until('ready');
    const area = { x: split?.includes('-b') ? cols + 1 : 0, y: 0, width: cols, height: rows };
    const bytes = readFileSync(path);
    const direct = new VirtualTerminal({ cols, rows });
    direct.write('ready');
    let from = 0;
    for (const to of stops) {
      terminal.press('C-n');
      direct.write(bytes.toString('utf8', from, to));
      from = to;
      await direct.settled();
      await terminal.untilCells(direct.cells(), area);
      await waitFor(() => cursorOf(terminal.screen, area.x) === cursorOf(direct, 0), {
        name: `the cursor: ${cursorOf(direct, 0)}`,
        onTimeout: () => cursorOf(terminal.screen, area.x),
      });
    }
    expect(from).toBe(bytes.length);
    await world.output('kill-session', '-t', session);
  });
});

/** The cursor's place in the pane; a hidden one is nowhere. One behind the last column stands on it. */
function cursorOf(screen: VirtualTerminal, left: number): string {
  const { x, y } = screen.cursor;
  return screen.isCursorHidden ? 'hidden' : `${Math.min(x - left, screen.terminal.cols - 1)},${y}`;
}
