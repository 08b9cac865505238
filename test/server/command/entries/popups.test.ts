import { beforeEach, describe, expect, it } from 'vitest';
import { rowText } from '../../../../protocol/cell.ts';
import { blankFrame } from '../../../../protocol/frame.ts';
import type { InputEvent, MouseButton } from '../../../../protocol/key.ts';
import type { ClientSession } from '../../../../server/model/client-session.ts';
import { ModelServer } from '../../../support/model-server.ts';

let server: ModelServer;
let client: ClientSession;

beforeEach(async () => {
  server = new ModelServer();
  await server.run('new-session', '-d', '-s', 's', '-n', 'w', '-x', '40', '-y', '11', 'cat');
  client = server.addClient(server.session(), { cols: 40, rows: 12 });
});

/** What is drawn over a blank screen, blanks at the ends of rows cut off. */
function drawn(): string[] {
  const frame = blankFrame(client.size);
  client.overlay?.draw?.(frame);
  return frame.rows.map((row) => rowText(row).trimEnd());
}

/** Opens a popup; the call ends with it. */
async function open(...words: string[]) {
  const call = server.run('display-popup', ...words);
  await Promise.resolve();
  const pane = client.overlay?.pane;
  if (!pane) throw new Error('no popup');
  return { call, pane, pty: server.ptys.of(pane.id) };
}

function mouse(action: 'press' | 'release' | 'motion', x: number, y: number, button: MouseButton = 'left'): void {
  const event: InputEvent = { kind: 'mouse', action, button, x, y, ctrl: false, meta: false, shift: false };
  client.overlay?.input(event);
}

describe('display-popup', () => {
  it('is a box of half the screen in its middle, with the program inside', async () => {
    const { pty } = await open('-T', 'title', 'cat');
    expect(pty.options.size).toEqual({ cols: 18, rows: 4 });
    pty.emitData('hello');
    expect(drawn().slice(1, 8)).toEqual([
      '',
      `${' '.repeat(9)}┌─title────────────┐`.padStart(29),
      `${' '.repeat(9)}│hello             │`,
      `${' '.repeat(9)}│                  │`,
      `${' '.repeat(9)}│                  │`,
      `${' '.repeat(9)}│                  │`,
      `${' '.repeat(9)}└──────────────────┘`,
    ]);
  });

  it('gives keys and pastes to the program, which is in no pane of the server', async () => {
    const { pty } = await open('cat');
    client.overlay?.input({ kind: 'key', key: 'C-b' });
    client.overlay?.input({ kind: 'paste', text: 'two\nlines' });
    expect(pty.written).toBe('\x02two\rlines');
    expect((await server.run('list-panes', '-a', '-F', '#{pane_id}')).stdout).toBe('%0\n');
    expect(pty.options.env.MPLEX_PANE).toBeUndefined();
  });

  it('with -E ends with its program, and the call has its exit status', async () => {
    const { call, pty } = await open('-E', 'false');
    client.overlay?.input({ kind: 'key', key: 'Escape' });
    expect(pty.written).toBe('\x1b');
    pty.emitExit({ code: 3, signal: null });
    expect(await call).toMatchObject({ code: 3 });
    expect(client.overlay).toBeUndefined();
  });

  it('with -EE stays after a failure until a key closes it', async () => {
    const { call, pty } = await open('-EE', 'false');
    pty.emitExit({ code: 1, signal: null });
    expect(client.overlay?.purpose).toBe('popup');
    client.overlay?.input({ kind: 'key', key: 'Escape' });
    expect(await call).toMatchObject({ code: 1 });
  });

  it('without -E is closed by Escape or C-c, and by -C from elsewhere', async () => {
    const first = await open('cat');
    client.overlay?.input({ kind: 'key', key: 'C-c' });
    expect(await first.call).toMatchObject({ code: 129 });
    const second = await open('cat');
    await server.run('display-popup', '-C');
    await second.call;
    expect(client.overlay).toBeUndefined();
  });

  it('is moved by its upper border and resized by its lower one', async () => {
    const { pane } = await open('-x', '5', '-y', '8', '-w', '12', '-h', '5', 'cat');
    mouse('press', 8, 3);
    mouse('motion', 10, 5);
    mouse('release', 10, 5);
    expect(drawn()[5]).toBe(`${' '.repeat(7)}┌──────────┐`);
    mouse('press', 18, 9);
    mouse('motion', 22, 10);
    mouse('release', 22, 10);
    expect(pane.size).toEqual({ cols: 14, rows: 4 });
    expect(drawn()[10]).toBe(`${' '.repeat(7)}└──────────────┘`);
  });

  it.each(['single', 'none'])('keeps a cursor within a terminal that has become tiny, lines %s', async (lines) => {
    const { pty } = await open('-b', lines, 'cat');
    pty.emitData('typed');
    for (const rows of [1, 2, 3, 4]) {
      for (const cols of [1, 2, 3, 4]) {
        client.size = { cols, rows };
        const frame = blankFrame(client.size);
        client.overlay?.draw?.(frame);
        expect(frame.cursor.x, `column at ${cols}x${rows}`).toSatisfy((x: number) => x >= 0 && x < cols);
        expect(frame.cursor.y, `row at ${cols}x${rows}`).toSatisfy((y: number) => y >= 0 && y < rows);
      }
    }
  });

  it('becomes a pane of the window from its menu', async () => {
    const { call, pane, pty } = await open('-w', '20', '-h', '6', 'cat');
    mouse('press', 11, 2, 'right');
    mouse('release', 11, 2, 'right');
    client.overlay?.input({ kind: 'key', key: 'h' });
    await call;
    expect(client.overlay).toBeUndefined();
    expect((await server.run('list-panes', '-F', '#{pane_id} #{pane_active}')).stdout).toBe(`%0 0\n%${pane.id} 1\n`);
    pty.emitData('still here');
    expect((await server.run('capture-pane', '-p', '-t', `%${pane.id}`)).stdout).toContain('still here');
  });

  it('is no activity of the window below, whatever its program prints', async () => {
    const seen: string[] = [];
    server.registry.outputs.subscribe((pane) => seen.push(`%${pane.id}`));
    server.registry.events.subscribe(({ name }) => seen.push(name));
    const { pane, pty } = await open('cat');
    pty.emitData('\x1b]2;popup title\x07text');
    expect(pane.title).toBe('popup title');
    expect(seen.filter((name) => name.startsWith('%') || name === 'pane-title-changed')).toEqual([]);
  });

  it.each([
    [['-b', 'foo'], 'popup-border-lines unknown value: foo'],
    [['-w', 'foo'], 'width invalid'],
    [['-h', '0'], 'height too small'],
    [['-w', '200'], 'width too large'],
  ])('says what is wrong with %j as tmux does', async (words, message) => {
    expect(await server.run('display-popup', ...words, 'cat')).toMatchObject({ code: 1, stderr: `${message}\n` });
  });
});

describe('the mouse over a popup', () => {
  it('is the terminal’s own with option mouse off, unless the program asks for it', async () => {
    const { pty } = await open('cat');
    expect(client.overlay?.mouseTracking).toBe('off');
    pty.emitData('\x1b[?1000h');
    expect(client.overlay?.mouseTracking).toBe('click');
    await server.run('set-option', '-g', 'mouse', 'on');
    expect(client.overlay?.mouseTracking).toBe('drag');
  });
});
