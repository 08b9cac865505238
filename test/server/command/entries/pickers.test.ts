import { beforeEach, describe, expect, it } from 'vitest';
import { blankRow, rowText } from '../../../../protocol/cell.ts';
import type { ClientSession } from '../../../../server/model/client-session.ts';
import type { Pane } from '../../../../server/model/pane.ts';
import { ModelServer } from '../../../support/model-server.ts';

let server: ModelServer;
let client: ClientSession;
let pane: Pane;

beforeEach(async () => {
  server = new ModelServer();
  await server.run('new-session', '-d', '-s', 's', '-n', 'w', '-x', '60', '-y', '24', 'cat');
  await server.run('new-window', '-d', '-t', 's:', '-n', 'second', 'cat');
  await server.run('split-window', '-d', '-t', 's:1', 'cat');
  await server.run('new-session', '-d', '-s', 'other', '-n', 'ow', '-x', '60', '-y', '24', 'cat');
  client = server.addClient(server.session('s'), { cols: 60, rows: 25 });
  pane = server.pane(server.session('s'));
});

/** What the pane shows, blanks at the ends of rows cut off. */
function shown(): string[] {
  return Array.from({ length: pane.size.rows }, (_, y) => {
    const row = blankRow(pane.size.cols);
    pane.drawRow(y, row);
    return rowText(row).trimEnd();
  });
}

function list(): string[] {
  const rows = shown();
  const end = rows.findIndex((row) => row === '' || row.startsWith('┌'));
  return end < 0 ? rows : rows.slice(0, end);
}

/** Presses keys at the prompt or menu that is open, else in the pane's mode; then lets commands run. */
async function press(...keys: string[]): Promise<void> {
  for (const key of keys) {
    if (client.overlay) client.overlay.input({ kind: 'key', key });
    else pane.mode?.key(key, client);
    await new Promise<void>((done) => server.services.queueOf(client).whenIdle(done));
  }
}

function type(text: string): Promise<void> {
  return press(...[...text].map((character) => (character === ' ' ? 'Space' : character)), 'Enter');
}

describe('choose-tree', () => {
  it('lists sessions, windows and panes as a tree and stands on the pane it was opened in', async () => {
    await server.run('choose-tree', '-t', 's:');
    expect(list()).toEqual([
      '(0) - s: 2 windows (attached)',
      '(1) ├─>   0: w*',
      '(2) └─> - 1: second',
      '(3)     ├─> 0: sh*',
      '(4)     └─> 1: sh',
      '(5) - other: 1 windows',
      '(6) └─> 0: ow*',
    ]);
    expect(pane.cursor()).toMatchObject({ x: 0, y: 1, visible: true });
    expect((await server.run('display-message', '-p', '-t', 's:0', '#{pane_mode}')).stdout).toBe('tree-mode\n');
    expect(shown().find((row) => row.startsWith('┌'))).toMatch(/^┌ 0 \(sort: index\) ─+┐$/);
  });

  it('begins with windows or sessions closed, opens and closes them', async () => {
    await server.run('choose-tree', '-w', '-t', 's:');
    expect(list()).toHaveLength(5);
    await press('q');
    await server.run('choose-tree', '-s', '-t', 's:');
    expect(list()).toEqual(['(0) + s: 2 windows (attached)', '(1) + other: 1 windows']);
    await press('Right');
    expect(list()).toHaveLength(4);
    await press('M-+');
    expect(list()).toHaveLength(7);
    await press('M--');
    expect(list()).toHaveLength(2);
  });

  it('switches the client to what is chosen and ends', async () => {
    await server.run('choose-tree', '-t', 's:');
    await press('5');
    expect(client.session?.name).toBe('other');
    expect(pane.mode).toBeUndefined();
    await server.run('choose-tree', '-t', 's:');
    await press('Down', 'Down', 'Down', 'Enter');
    expect(client.session?.name).toBe('s');
    expect(server.session('s').current.index).toBe(1);
    expect(server.session('s').current.window.active.place).toBe(1);
  });

  it('runs its own template with a target that means the same place everywhere', async () => {
    await server.run('choose-tree', '-t', 's:', "set-buffer -b chosen '%%'");
    await press('4');
    expect((await server.run('show-buffer', '-b', 'chosen')).stdout).toBe('=s:1.%2');
  });

  it('kills what is tagged after asking', async () => {
    await server.run('choose-tree', '-t', 's:');
    await press('G', 't', 'Up', 'Up', 't');
    expect(list()[6]).toBe('(6) └─> 0*: ow*');
    expect(list()[4]).toBe('(4)     └─> 1*: sh');
    await press('X', 'n');
    expect(server.registry.sessions.size).toBe(2);
    await press('X', 'y');
    expect([...server.registry.sessions.values()].map(({ name }) => name)).toEqual(['s']);
    expect(server.session('s').at(1)?.window.panes).toHaveLength(1);
  });

  it('runs a command for each tagged item', async () => {
    await server.run('choose-tree', '-w', '-t', 's:');
    await press('t', 't');
    await press(':');
    await type('rename-window -t "%%" renamed');
    expect(server.session('s').winlinks.map(({ window }) => window.name)).toEqual(['renamed', 'renamed']);
  });

  it('shows what a filter lets through, or all if that is nothing', async () => {
    await server.run('choose-tree', '-t', 's:', '-f', '#{==:#{session_name},other}');
    expect(list()).toEqual(['(0) - other: 1 windows', '(1) └─> 0: ow*']);
    expect(shown().find((row) => row.startsWith('┌'))).toContain('(filter: active)');
    await press('f', 'C-u', '0', 'Enter');
    expect(list()).toHaveLength(7);
    expect(shown().find((row) => row.startsWith('┌'))).toContain('(filter: no matches)');
  });

  it('sorts by another field, reverses and searches', async () => {
    await server.run('choose-tree', '-s', '-t', 's:', '-O', 'name');
    expect(list()[0]).toContain('other');
    await press('r');
    expect(list()[0]).toContain('s: 2 windows');
    await press('C-s');
    await type('oth');
    expect(pane.cursor().y).toBe(1);
  });

  it('follows what happens meanwhile', async () => {
    await server.run('choose-tree', '-w', '-t', 's:');
    await server.run('new-window', '-d', '-t', 's:', '-n', 'fresh', 'cat');
    server.clock.advance(100);
    expect(list()[3]).toBe('(3) └─>   2: fresh');
  });

  it('has keys and lines of its own with -K and -F, and all the rows with -N', async () => {
    await server.run('choose-tree', '-N', '-s', '-t', 's:', '-K', 'F#{line}', '-F', '<#{session_name}>');
    expect(list()).toEqual(['(F0) + s: <s>', '(F1) + other: <other>']);
    expect(shown().some((row) => row.startsWith('┌'))).toBe(false);
  });

  it('zooms its pane while it lasts with -Z', async () => {
    await server.run('split-window', '-d', '-t', 's:0', 'cat');
    await server.run('choose-tree', '-Z', '-t', 's:0.0');
    expect(pane.window.zoomed).toBe(pane);
    await press('q');
    expect(pane.window.zoomed).toBeUndefined();
  });

  it('is moved in by the wheel and chosen from by a double click; the right button opens a menu', async () => {
    await server.run('choose-tree', '-t', 's:');
    const at = (y: number) => ({ x: 6, y, clientX: 6, clientY: y });
    const event = { kind: 'mouse', action: 'press', ctrl: false, meta: false, shift: false, x: 6, y: 5 } as const;
    pane.mode?.mouse?.({ ...event, button: 'wheel-down' }, at(5), client);
    expect(pane.cursor().y).toBe(2);
    pane.mode?.mouse?.({ ...event, button: 'right' }, at(5), client);
    expect(client.overlay?.purpose).toBe('menu');
    await press('Escape');
    pane.mode?.mouse?.({ ...event, button: 'left' }, at(5), client);
    pane.mode?.mouse?.({ ...event, button: 'left' }, at(5), client);
    await press();
    await new Promise<void>((done) => server.services.queueOf(client).whenIdle(done));
    expect(client.session?.name).toBe('other');
  });
});

describe('choose-buffer', () => {
  beforeEach(async () => {
    await server.run('set-buffer', '-b', 'named', 'line one\nline two');
    await server.run('set-buffer', 'automatic');
  });

  it('lists the buffers, newest first, with the text of the current one', async () => {
    await server.run('choose-buffer', '-t', 's:');
    expect(list().map((row) => row.replace(/\d\d:\d\d/, 'TIME'))).toEqual([
      '(0) buffer0: TIME: automatic',
      '(1) named: TIME: line one\\nline two',
    ]);
    await press('Down');
    const rows = shown();
    const top = rows.findIndex((row) => row.startsWith('┌'));
    expect(rows.slice(top + 1, top + 3).map((row) => row.slice(2, -2).trim())).toEqual(['line one', 'line two']);
  });

  it('pastes what is chosen, and deletes', async () => {
    await server.run('choose-buffer', '-t', 's:');
    await press('1');
    expect(server.asked.filter(({ kind }) => kind === 'paste')).toMatchObject([
      { text: 'line one\rline two', bracketed: true },
    ]);
    await server.run('choose-buffer', '-t', 's:');
    await press('d');
    expect(list()).toHaveLength(1);
    await press('d');
    expect(pane.mode).toBeUndefined();
  });

  it('does nothing without buffers', async () => {
    await server.run('delete-buffer');
    await server.run('delete-buffer');
    await server.run('choose-buffer', '-t', 's:');
    expect(pane.mode).toBeUndefined();
  });
});

describe('choose-client', () => {
  it('lists the clients and detaches the chosen one', async () => {
    const second = server.addClient(server.session('other'));
    await server.run('choose-client', '-t', 's:', '-O', 'name');
    expect(list().map((row) => row.replace(/\d\d:\d\d/, 'TIME'))).toEqual([
      `(0) ${client.name}: TIME: session s`,
      `(1) ${second.name}: TIME: session other`,
    ]);
    await press('1');
    expect(server.asked.filter(({ kind }) => kind === 'detach')).toMatchObject([{ client: second }]);
  });
});

describe('find-window', () => {
  it('offers the windows whose name, title or contents have the text', async () => {
    server.ptys.of(3).emitData('needle in a screen');
    await server.run('find-window', '-t', 's:', 'needle');
    expect(list()).toEqual(['(0) - other: 1 windows', '(1) └─> 0: ow*']);
    await press('q');
    await server.run('find-window', '-N', '-t', 's:', 'seco');
    expect(list()[1]).toBe('(1) └─> - 1: second');
    await press('q');
    await server.run('find-window', '-ri', '-t', 's:', '^SEC');
    expect(list()[1]).toBe('(1) └─> - 1: second');
  });
});

describe('customize-mode', () => {
  it('lists options and keys by where they belong, closed', async () => {
    await server.run('customize-mode', '-t', 's:');
    expect(list().slice(0, 4)).toEqual([
      '(0) + Server Options',
      '(1) + Session Options',
      '(2) + Window & Pane Options',
      '(3) + Key Table - copy-mode',
    ]);
  });

  it('sets an option of the session, globally with S, and takes it back', async () => {
    await server.run('customize-mode', '-t', 's:', '-f', '#{==:#{option_name},base-index}');
    await press('Right', 'Down');
    expect(list()).toEqual(['(0) - Session Options', '(1) └─> base-index: 0']);
    await press('Enter', 'C-u');
    await type('7');
    expect(list()[1]).toBe('(1) └─> base-index: (session s) 7');
    expect((await server.run('show-options', '-t', 's', 'base-index')).stdout).toBe('base-index 7\n');
    await press('S', 'C-u');
    await type('3');
    expect((await server.run('show-options', '-g', 'base-index')).stdout).toBe('base-index 3\n');
    await press('u', 'y');
    expect(list()[1]).toBe('(1) └─> base-index: 3');
    await press('d', 'y');
    expect(list()[1]).toBe('(1) └─> base-index: 0');
  });

  it('turns flags over, goes on with choices and tells what is wrong with a value', async () => {
    await server.run('customize-mode', '-t', 's:', '-f', '#{==:#{option_name},mouse}');
    await press('Right', 'Down', 'Enter');
    expect(list()[1]).toBe('(1) └─> mouse: (session s) on');
    await press('f', 'C-u');
    await type('#{==:#{option_name},history-limit}');
    await press('Enter', 'C-u');
    await type('many');
    expect(server.asked.filter(({ kind }) => kind === 'message').at(-1)).toMatchObject({
      text: 'Value is invalid: many',
    });
  });

  it('shows what a key does, binds it anew, unbinds it and brings the default back', async () => {
    await server.run('customize-mode', '-t', 's:', '-f', '#{==:#{key_note},Create a new window}');
    await press('Right', 'Down', 'Enter');
    expect(list()).toEqual([
      '(0) - Key Table - prefix',
      '(1) └─> - c: Create a new window',
      '(2)     ├─> Command: new-window',
      '(3)     ├─> Note: Create a new window',
      '(4)     └─> Repeat: off',
    ]);
    await press('Down', 's', 'C-u');
    await type('new-window -d');
    expect(server.keys.get('prefix', 'c')?.commands[0]?.args).toEqual(['-d']);
    await press('Up', 'd', 'y');
    expect(server.keys.get('prefix', 'c')?.commands[0]?.args).toEqual([]);
    await press('u', 'y');
    expect(server.keys.get('prefix', 'c')).toBeUndefined();
  });
});
