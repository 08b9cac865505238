import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AttachOutcome } from '../../../client/attach/attach.ts';
import { runAttachedClient } from '../../../client/attach/attach.ts';
import { connectServer } from '../../../client/connect.ts';
import { encodeFrame } from '../../../protocol/call-codec.ts';
import { COLOR_RGB, DEFAULT_STYLE, setCell } from '../../../protocol/cell.ts';
import { diffFrames } from '../../../protocol/damage.ts';
import type { Frame } from '../../../protocol/frame.ts';
import { blankFrame, NO_MODES } from '../../../protocol/frame.ts';
import type { Size } from '../../../protocol/geometry.ts';
import type { InputEvent } from '../../../protocol/key.ts';
import type { ExitReason } from '../../../protocol/message.ts';
import { changesOf, NO_CHANGES, overrideWords } from '../../../protocol/terminal-features.ts';
import { createPrompt } from '../../../src/overlay/prompt.ts';
import { FakeServer } from '../../support/fake-server.ts';
import { openFakeTty } from '../../support/fake-tty.ts';
import { firstLeak } from '../../support/output-grammar.ts';
import { internalsOf } from '../../support/screen-of.ts';
import { waitUntil } from '../../support/wait-until.ts';

const SIZE = { cols: 30, rows: 6 };
const ENV = { TERM: 'xterm-256color', PATH: process.env.PATH };

let server: FakeServer;
beforeEach(async () => {
  server = await FakeServer.open();
});
afterEach(() => server.close());

function textFrame(lines: readonly string[], size: Size = SIZE): Frame {
  const frame = blankFrame(size);
  for (const [y, line] of lines.entries()) {
    for (const [x, character] of [...line].entries()) setCell(frame.rows[y]!, x, character, 1, DEFAULT_STYLE);
  }
  return { ...frame, cursor: { ...frame.cursor, visible: true, x: 2, y: 1 } };
}

const blank = blankFrame({ cols: 1, rows: 1 });

async function attach() {
  const tty = openFakeTty(SIZE);
  const result = await connectServer(server.path, { version: 'test', pid: 1 });
  if (result.kind !== 'connected') throw new Error(result.message);
  let outcome: AttachOutcome | undefined;
  const ended = runAttachedClient({
    connection: result.connection,
    token: 'tok',
    env: ENV,
    stdin: tty.stdin,
    stdout: tty.stdout,
    process: tty.process,
  }).then((value) => {
    outcome = value;
    return value;
  });
  await waitUntil('the attach message', () => server.sent('attach').length === 1);
  return { tty, ended, outcome: () => outcome };
}

const keys = () =>
  server
    .sent('input')
    .flatMap((message) => message.events)
    .map((event: InputEvent) => (event.kind === 'key' ? event.key : event.kind));

describe('an attached client', () => {
  it('tells its size and what the terminal says of itself', async () => {
    const { tty, ended } = await attach();
    expect(server.sent('attach')[0]).toMatchObject({ token: 'tok', size: SIZE, capabilities: { colors: 256 } });
    expect(tty.state.isRaw).toBe(true);
    // xterm.js answers DA1 and DECRPM; it knows no XTVERSION.
    tty.stdin.write('\x1bP>|ghostty 1.0\x1b\\');
    const last = () => server.sent('capabilities').at(-1)?.capabilities;
    await waitUntil('the terminal’s name', () => last()?.name === 'ghostty 1.0');
    expect(last()).toMatchObject({ colors: 'rgb', synchronizedOutput: true });
    expect(keys()).toEqual([]);
    server.send({ kind: 'exit', reason: { kind: 'exited' } });
    await ended;
  });

  it('shows frames and acknowledges each after its write', async () => {
    const { tty, ended } = await attach();
    const first = textFrame(['$ ls', 'a b']);
    server.send({ kind: 'frame', seq: 1, damage: diffFrames(blank, first)! });
    await waitUntil('the first frame', () => tty.text()[0] === '$ ls');
    const second = textFrame(['$ ls -l', 'a b']);
    server.send({ kind: 'frame', seq: 2, damage: diffFrames(first, second)! });
    await waitUntil('the second acknowledgement', () => server.sent('frame-ack').length === 2);
    expect(tty.text().slice(0, 2)).toEqual(['$ ls -l', 'a b']);
    expect(tty.screen.buffer.active.type).toBe('alternate');
    expect(firstLeak(tty.state.output)).toBeUndefined();
    server.send({ kind: 'exit', reason: { kind: 'exited' } });
    await ended;
    expect(firstLeak(tty.state.output)).toBeUndefined();
  });

  it('writes a frame in one piece', async () => {
    const { tty, ended } = await attach();
    server.send({ kind: 'frame', seq: 1, damage: diffFrames(blank, textFrame(['a', 'b', 'c']))! });
    await waitUntil('the acknowledgement', () => server.sent('frame-ack').length === 1);
    const before = tty.state.writes;
    const next = textFrame(['x', 'y', 'z', 'w']);
    server.send({ kind: 'frame', seq: 2, damage: diffFrames(textFrame(['a', 'b', 'c']), next)! });
    await waitUntil('the next acknowledgement', () => server.sent('frame-ack').length === 2);
    expect(tty.state.writes - before).toBe(1);
    server.send({ kind: 'exit', reason: { kind: 'exited' } });
    await ended;
  });

  it('lays overlays over the frame, acknowledges their paint and takes them away', async () => {
    const { tty, ended } = await attach();
    const overlay = createPrompt({ purpose: 'test', mode: 'text', label: 'really?' });
    server.send({ kind: 'overlay', seq: 3, overlays: [overlay] });
    server.send({ kind: 'frame', seq: 1, damage: diffFrames(blank, textFrame(['behind']))! });
    await waitUntil('the overlay’s acknowledgement', () => server.sent('overlay-ack').length === 1);
    expect(tty.text().join('\n')).toContain('really?');
    server.send({ kind: 'overlay', seq: 4, overlays: [] });
    await waitUntil('the second acknowledgement', () => server.sent('overlay-ack').length === 2);
    expect(tty.text().join('\n').trim()).toBe('behind');
    server.send({ kind: 'exit', reason: { kind: 'exited' } });
    await ended;
  });

  it('sends keys, pastes and mouse events in their order', async () => {
    const { tty, ended } = await attach();
    tty.stdin.write('ab\x02\x1b[A\x1b[200~pasted\x1b[201~\x1b[<0;1;1Mc');
    await waitUntil('all events', () => keys().length === 7);
    expect(keys()).toEqual(['a', 'b', 'C-b', 'Up', 'paste', 'mouse', 'c']);
    server.send({ kind: 'exit', reason: { kind: 'exited' } });
    await ended;
  });

  it('sends a lone Escape after the escape-time that the server has told', async () => {
    const { tty, ended } = await attach();
    server.send(
      { kind: 'settings', escapeTimeMs: 20, features: NO_CHANGES },
      { kind: 'frame', seq: 1, damage: { size: SIZE, rows: [] } },
    );
    await waitUntil('the frame', () => server.sent('frame-ack').length === 1);
    tty.stdin.write('\x1b');
    await waitUntil('Escape', () => keys().includes('Escape'), { timeoutMs: 400 });
    server.send({ kind: 'exit', reason: { kind: 'exited' } });
    await ended;
  });

  it('draws with the features that the server says the terminal has, and tells it', async () => {
    const { tty, ended } = await attach();
    const frame = blankFrame(SIZE);
    setCell(frame.rows[0]!, 0, 'x', 1, { fg: COLOR_RGB | 0x123456, bg: 0 });
    server.send(
      { kind: 'settings', escapeTimeMs: 500, features: changesOf(overrideWords('Tc@:Ms@')) },
      { kind: 'frame', seq: 1, damage: diffFrames(blank, frame)! },
    );
    await waitUntil('the frame', () => server.sent('frame-ack').length === 1);
    expect(tty.state.output).not.toContain('38;2;18;52;86');
    const told = () => server.sent('capabilities').at(-1);
    expect(told()).toMatchObject({ capabilities: { colors: 256, clipboard: false } });
    server.send({ kind: 'settings', escapeTimeMs: 500, features: changesOf(overrideWords('Tc')) });
    await waitUntil('the cell in its own colour', () => tty.state.output.includes('38;2;18;52;86'));
    // The terminal and the server are told on ways of their own.
    await waitUntil('the word of it', () => told()?.capabilities.colors === 'rgb');
    expect(told()).toMatchObject({ capabilities: { colors: 'rgb', clipboard: true } });
    server.send({ kind: 'exit', reason: { kind: 'exited' } });
    await ended;
  });

  it('takes a burst of typed text larger than one message', async () => {
    const { tty, ended } = await attach();
    tty.stdin.write('x'.repeat(10_000));
    await waitUntil('all keys', () => keys().length === 10_000);
    server.send({ kind: 'exit', reason: { kind: 'exited' } });
    await ended;
  });

  it('tells a new size once and draws the frame of that size', async () => {
    const { tty, ended } = await attach();
    server.send({ kind: 'frame', seq: 1, damage: diffFrames(blank, textFrame(['one']))! });
    await waitUntil('the frame', () => tty.text()[0] === 'one');
    const size = { cols: 20, rows: 4 };
    tty.resize(size);
    tty.process.emit('SIGWINCH');
    await waitUntil('the resize', () => server.sent('resize').length > 0);
    server.send({ kind: 'frame', seq: 2, damage: { rows: [] } });
    server.send({ kind: 'frame', seq: 3, damage: diffFrames(blank, textFrame(['two'], size))! });
    await waitUntil('the frame of the new size', () => tty.text()[0] === 'two');
    expect(server.sent('resize')).toEqual([{ kind: 'resize', size }]);
    server.send({ kind: 'exit', reason: { kind: 'exited' } });
    await ended;
  });

  it.each<[ExitReason, string, number]>([
    [{ kind: 'detached', session: 'work' }, '[detached (from session work)]', 0],
    [{ kind: 'detached', session: '' }, '[detached]', 0],
    [{ kind: 'exited' }, '[exited]', 0],
    [{ kind: 'server-exited' }, '[server exited]', 0],
    [{ kind: 'terminated' }, '[terminated]', 1],
    [{ kind: 'error', message: 'no\x1b]0;x\x07 such thing' }, '[no]0;x such thing]', 1],
  ])('ends with %j as tmux does: %s, code %i', async (reason, line, code) => {
    const { tty, ended } = await attach();
    server.send({ kind: 'frame', seq: 1, damage: diffFrames(blank, textFrame(['x']))! }, { kind: 'exit', reason });
    expect(await ended).toEqual({ reason, line, code });
    await expectRestored(tty);
  });

  async function expectRestored(tty: ReturnType<typeof openFakeTty>): Promise<void> {
    await waitUntil('the normal screen', () => tty.screen.buffer.active.type === 'normal');
    expect(tty.state.isRaw).toBe(false);
    const modes = tty.screen.modes;
    expect(modes).toMatchObject({
      applicationCursorKeysMode: false,
      applicationKeypadMode: false,
      bracketedPasteMode: false,
      mouseTrackingMode: 'none',
      sendFocusMode: false,
      wraparoundMode: true,
    });
    expect(internalsOf(tty.screen).coreService.isCursorHidden).toBe(false);
    expect(tty.process.eventNames()).toEqual([]);
  }

  it('ends by itself when the server is gone, with code 1', async () => {
    const { tty, ended } = await attach();
    server.dropClient();
    expect(await ended).toMatchObject({ line: '[server exited unexpectedly]', code: 1 });
    await expectRestored(tty);
  });

  it('restores every mode that a frame had set', async () => {
    const { tty, ended } = await attach();
    const frame: Frame = { ...textFrame(['x']), modes: { ...NO_MODES, mouse: 'motion', focus: true } };
    const cursor = { ...frame.cursor, visible: false, shape: 'bar' as const, color: '#ff0000' };
    server.send({ kind: 'frame', seq: 1, damage: diffFrames(blank, { ...frame, cursor })! });
    await waitUntil('the mouse mode', () => tty.screen.modes.mouseTrackingMode === 'any');
    server.send({ kind: 'exit', reason: { kind: 'exited' } });
    await ended;
    await expectRestored(tty);
  });

  it.each(['SIGTERM', 'SIGHUP', 'SIGINT'])('says goodbye and ends on %s', async (signal) => {
    const { tty, ended } = await attach();
    tty.process.emit(signal);
    expect(await ended).toMatchObject({ line: '[terminated]', code: 1 });
    await waitUntil('the goodbye', () => server.sent('bye').length === 1);
    await expectRestored(tty);
  });

  it('ends when its terminal is gone', async () => {
    const { tty, ended } = await attach();
    tty.stdin.end();
    expect(await ended).toMatchObject({ line: '[lost tty]', code: 1 });
    await waitUntil('the goodbye', () => server.sent('bye').length === 1);
    expect(tty.state.isRaw).toBe(false);
  });

  it('restores the terminal when the process dies of an exception', async () => {
    const { tty, ended } = await attach();
    tty.process.emit('uncaughtExceptionMonitor', new Error('bug'));
    await waitUntil('the normal screen', () => tty.screen.buffer.active.type === 'normal');
    expect(tty.state.isRaw).toBe(false);
    server.send({ kind: 'exit', reason: { kind: 'exited' } });
    await ended;
  });

  it('gives the terminal back while suspended and draws everything after it is continued', async () => {
    const { tty, ended } = await attach();
    server.send({ kind: 'frame', seq: 1, damage: diffFrames(blank, textFrame(['hello']))! });
    await waitUntil('the frame', () => tty.text()[0] === 'hello');
    server.send({ kind: 'suspend' });
    await waitUntil('the stop signal', () => tty.state.killed.includes('SIGTSTP'));
    await waitUntil('the normal screen', () => tty.screen.buffer.active.type === 'normal');
    expect(tty.state.isRaw).toBe(false);
    expect(tty.process.listenerCount('SIGTSTP')).toBe(0);
    tty.process.emit('SIGCONT');
    await waitUntil(
      'the frame again',
      () => tty.screen.buffer.active.type === 'alternate' && tty.text()[0] === 'hello',
    );
    expect(tty.state.isRaw).toBe(true);
    server.send({ kind: 'exit', reason: { kind: 'exited' } });
    await ended;
    await expectRestored(tty);
  });

  it('lets another program have the terminal and goes on afterwards', async () => {
    const { tty, ended } = await attach();
    server.send({ kind: 'frame', seq: 1, damage: diffFrames(blank, textFrame(['hello']))! });
    await waitUntil('the frame', () => tty.text()[0] === 'hello');
    server.send({ kind: 'exec', shell: '/bin/sh', command: 'exit 3' });
    await waitUntil('the terminal back', () => server.sent('resize').length === 1);
    await waitUntil('the frame again', () => tty.text()[0] === 'hello');
    await waitUntil('the word that somebody is there', () => server.sent('input').length === 1);
    server.send(
      { kind: 'exec', shell: '/bin/sh', command: 'sleep 0.1; exit 3' },
      { kind: 'exec', shell: '/bin/sh', command: 'exit 4' },
      { kind: 'exit', reason: { kind: 'exited' } },
    );
    expect(await ended).toMatchObject({ line: '', code: 3 });
    await expectRestored(tty);
  });

  it('ends with a word when the server sends nonsense', async () => {
    const { tty, ended } = await attach();
    server.sendRaw(encodeFrame(16, Buffer.from([0xc1])));
    expect((await ended).line).toMatch(/^\[bad message from the server: malformed message/);
    await expectRestored(tty);
  });

  it('never lets an answer of the terminal become a key, however it is cut', async () => {
    const { tty, ended } = await attach();
    for (const answer of ['\x1b[?62;22c', '\x1b[>1;2;3c', '\x1b]11;rgb:0/0/0\x07', '\x1bP>|xterm(380)\x1b\\']) {
      for (let cut = 1; cut < answer.length; cut++) {
        tty.stdin.write(answer.slice(0, cut));
        await new Promise((resolve) => setImmediate(resolve));
        tty.stdin.write(answer.slice(cut));
      }
    }
    tty.stdin.write('q');
    await waitUntil('the key after them', () => keys().includes('q'));
    expect(keys()).toEqual(['q']);
    server.send({ kind: 'exit', reason: { kind: 'exited' } });
    await ended;
  });
});
