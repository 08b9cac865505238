/** Lists, prompts and popups on a terminal of 40 x 10 cells with 16 colours: readable, the cursor where the focus is. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningCall, type TerminalProgram, World } from '../support/program.ts';

let world: World;
let client: TerminalProgram;
const asking: RunningCall[] = [];

beforeAll(async () => {
  world = new World({ TERM: 'xterm', COLORTERM: '' });
  client = world.attach(
    ['-f', '/dev/null', 'new-session', '-s', 'work', '-n', 'editor', 'printf "alpha beta\\nalpha gamma\\n"; exec cat'],
    { size: { cols: 40, rows: 10 }, keepBytes: true },
  );
  await client.until('alpha gamma');
  await world.output('set-option', '-s', 'escape-time', '10', ';', 'set-option', '-g', 'prefix-hints', 'off');
  await world.output('new-window', '-d', '-n', 'logs', 'cat', ';', 'new-session', '-d', '-s', 'other', 'cat');
  await world.output('set-buffer', 'first buffer', ';', 'set-buffer', 'second buffer');
  for (const question of ['First question?', 'Second question?']) {
    asking.push(world.spawn(['ask', '--queue', question, 'a', 'b']));
    await client.until(question);
    client.press('C-b h');
    await client.until((rows) => !rows.join().includes('▸'));
  }
});

afterAll(async () => {
  for (const call of asking) call.kill('SIGTERM');
  await world.close();
});

/** Waits until the row that the cursor is on has a text. */
async function cursorOn(text: string): Promise<void> {
  const holds = (rows: string[]) =>
    !client.screen.isCursorHidden && (rows[client.screen.cursor.y]?.includes(text) ?? false);
  await client.until(holds, { name: `the cursor on ${text}` });
}

/** Nothing is over the pane. */
const isPlain = (rows: string[]) => rows[0] === 'alpha beta' && rows[1] === 'alpha gamma' && !/[┌┏]/.test(rows.join());

const LISTS: readonly (readonly [name: string, open: string, first: string, second: string, close: string])[] = [
  ['choose-tree of windows', 'C-b w', 'editor', 'logs', 'q'],
  ['choose-tree of sessions', 'C-b s', 'work', 'other', 'q'],
  ['choose-buffer', 'C-b =', 'second buffer', 'first buffer', 'q'],
  ['choose-client', 'C-b D', 'session work', 'session work', 'q'],
  ['customize-mode', 'C-b C', 'Server Options', 'Session Options', 'q'],
  ['command-palette', 'C-b Space', 'other:0', 'work:0 editor', 'Escape'],
  ['flow-queue -i', 'C-b a', 'First question?', 'Second question?', 'Escape'],
  ['a menu', 'C-b >', 'Horizontal Split', 'Vertical Split', 'q'],
];

describe('on 40 x 10 cells with 16 colours', () => {
  it.each(LISTS)('the cursor is on the focused row of %s', async (_name, open, first, second, close) => {
    client.press(open);
    await cursorOn(first);
    client.press('Down');
    await cursorOn(second);
    client.press(close);
    await client.until(isPlain);
  });

  it('the cursor is on the focused row of a search over all panes', async () => {
    client.press('C-b F');
    client.type('alpha\r');
    await cursorOn('alpha gamma');
    client.press('Down');
    await cursorOn('alpha beta');
    client.press('Escape');
    await client.until(isPlain);
  });

  it('the cursor is on the focused option of a dialog', async () => {
    client.press('C-b a Enter');
    await client.until('First question?');
    client.press('C-b Enter');
    await cursorOn('1 a');
    client.press('Down');
    await cursorOn('2 b');
    client.press('C-b h');
    await client.until((rows) => !rows.join().includes('▸'));
  });

  it.each([
    ['C-b :', ':'],
    ['C-b ,', '(rename-window) editor'],
    ['C-b x', 'kill-pane 0? (y/n)'],
  ])('a prompt opened by %s has the cursor in it', async (open, text) => {
    client.press(open);
    await cursorOn(text);
    client.press('Escape');
    await client.until(/^\[work\]/m);
  });

  it('a popup shows its program and its cursor', async () => {
    client.press('C-b :');
    client.type('display-popup -E cat\r');
    await client.until('┐');
    client.type('typed');
    await cursorOn('typed');
    client.type('\r\x04');
    await client.until((rows) => !rows.join().includes('┐'));
  });

  it('no more than 16 colours are ever used', () => {
    expect(client.screen.bytes).not.toMatch(/\x1b\[(?:[\d;:]*[;:])?[34]8[;:]/);
  });
});
