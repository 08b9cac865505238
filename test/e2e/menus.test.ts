/** Menus, popups and pickers of the built program by the mouse, at 80x24 and at 40x10. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TerminalProgram, World } from '../support/program.ts';

let world: World;
let client: TerminalProgram;

beforeEach(async () => {
  world = new World();
  client = world.attach(['-f', '/dev/null', 'new-session', '-s', 's', '-n', 'w', 'cat']);
  await client.until('[s] 0:w');
  await world.output('set-option', '-g', 'mouse', 'on');
});

afterEach(() => world.close());

/** SGR mouse reports; cells from 0. */
function mouse(kind: 'press' | 'release' | 'drag', x: number, y: number, button = 0): void {
  const code = kind === 'drag' ? button + 32 : button;
  client.type(`\x1b[<${code};${x + 1};${y + 1}${kind === 'release' ? 'm' : 'M'}`);
}

function rowOf(text: string): number {
  return client.screen.rows().findIndex((row) => row.includes(text));
}

describe('by the mouse', () => {
  it('the right button opens a menu of the pane, and dragging to an item takes it', async () => {
    mouse('press', 40, 5, 2);
    await client.until('Horizontal Split');
    const y = rowOf('Horizontal Split');
    mouse('drag', 40, y, 2);
    mouse('release', 40, y, 2);
    await client.until((rows) => rows.some((row) => row.includes('│') && !row.includes('Split')));
    expect(await world.output('list-panes', '-F', '#{pane_width}')).toBe('40\n39');
  });

  it('the right button on a window in the status line opens a menu of it that a click leaves open', async () => {
    mouse('press', 5, 23, 2);
    mouse('release', 5, 23, 2);
    await client.until('New At End');
    client.type('W');
    await client.until((rows) => /0:w- 1:/.test(rows[23] ?? ''));
  });

  it('a popup is moved by its border and takes keys', async () => {
    client.press('C-b :');
    client.type('display-popup -x 10 -y 12 -w 30 -h 6 cat\r');
    await client.until('┌────');
    const top = rowOf('┌────');
    client.type('typed\r');
    await client.until((rows) => rows.filter((row) => row.includes('│typed')).length === 2);
    mouse('press', 15, top);
    mouse('drag', 20, top + 4);
    mouse('release', 20, top + 4);
    await client.until((rows) => (rows[top + 4] ?? '').startsWith(`${' '.repeat(15)}┌`));
    client.press('C-c');
    await client.until((rows) => !rows.join().includes('┌'));
  });

  it('a popup is made larger by its corner, its program with it', async () => {
    client.press('C-b :');
    client.type("display-popup -x 10 -y 12 -w 30 -h 6 'while :; do stty size; sleep 0.1; done'\r");
    await client.until('│4 28');
    const bottom = rowOf('└────');
    mouse('press', 39, bottom);
    mouse('drag', 49, bottom + 3);
    mouse('release', 49, bottom + 3);
    await client.until('│7 38');
    expect(client.screen.rows()[bottom + 3]).toMatch(/^ {10}└─+┘$/);
  });

  it('a double click in choose-tree chooses', async () => {
    await world.output('new-window', '-d', '-t', 's:', '-n', 'other', 'cat');
    client.press('C-b w');
    await client.until('1: other');
    const y = rowOf('1: other');
    for (let i = 0; i < 2; i++) {
      mouse('press', 12, y);
      mouse('release', 12, y);
    }
    await client.until((rows) => /1:other\*/.test(rows[23] ?? ''));
  });
});

describe('on 40x10', () => {
  it('menus, trees and the palette can be read, the cursor on their line', async () => {
    client.resize({ cols: 40, rows: 10 });
    await client.until((rows) => (rows[9] ?? '').startsWith('[s] 0:w'));
    client.press('C-b >');
    await client.until('Horizontal Split');
    const row = client.screen.rows()[client.screen.cursor.y];
    expect(row).toMatch(/│ .*\(.\)/);
    client.press('q');
    await client.until((rows) => !rows.join().includes('┌'));
    client.press('C-b s');
    await client.until('(0) + s: 1 windows');
    expect(client.screen.cursor).toEqual({ x: 0, y: 0 });
    client.press('q');
    await client.until((rows) => !rows.join().includes('(0)'));
    client.press('C-b Space');
    await client.until('mplex ·');
    client.type('kill-session');
    await client.until('> kill-session');
    client.press('C-c');
    await client.until((rows) => !rows.join().includes('mplex ·'));
  });
});
