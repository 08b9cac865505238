import { describe, expect, it } from 'vitest';
import { OuterModes } from '../../../client/attach/outer-modes.ts';
import { Presenter } from '../../../client/attach/presenter.ts';
import { DEFAULT_STYLE, setCell } from '../../../protocol/cell.ts';
import { diffFrames } from '../../../protocol/damage.ts';
import type { Frame } from '../../../protocol/frame.ts';
import { blankFrame } from '../../../protocol/frame.ts';
import { type ClientMessage, NO_ACK } from '../../../protocol/message.ts';
import { POOR_TERMINAL } from '../../support/capabilities.ts';

const NONE = blankFrame({ cols: 1, rows: 1 });

function textFrame(text: string, cols = 20): Frame {
  const frame = blankFrame({ cols, rows: 2 });
  for (const [x, character] of [...text].entries()) setCell(frame.rows[0]!, x, character, 1, DEFAULT_STYLE);
  return frame;
}

/** A presenter whose writes are finished by hand. */
function setUp(size = { cols: 20, rows: 2 }) {
  const writes: string[] = [];
  const sent: ClientMessage[] = [];
  const state = { size, now: 0, finish: undefined as (() => void) | undefined };
  const presenter = new Presenter({
    modes: new OuterModes(),
    capabilities: { ...POOR_TERMINAL, clipboard: true },
    write: (text, done) => {
      if (state.finish) throw new Error('a second write was begun');
      writes.push(text);
      state.finish = () => {
        state.finish = undefined;
        done();
      };
    },
    send: (message) => sent.push(message),
    terminalSize: () => state.size,
    now: () => state.now,
  });
  return { presenter, writes, sent, state };
}

describe('Presenter', () => {
  it('acknowledges a frame when its write is done, not before', () => {
    const { presenter, writes, sent, state } = setUp();
    presenter.applyFrame(1, diffFrames(NONE, textFrame('hello'))!);
    presenter.paint();
    expect(writes).toHaveLength(1);
    expect(writes[0]).toContain('hello');
    expect(sent).toEqual([]);
    state.finish?.();
    expect(sent).toEqual([{ kind: 'frame-ack', seq: 1 }]);
  });

  it('skips to the newest state when several came during a write', () => {
    const { presenter, writes, sent, state } = setUp();
    let last = textFrame('one');
    presenter.applyFrame(1, diffFrames(NONE, last)!);
    presenter.paint();
    for (const [i, text] of ['two', 'six', 'ten'].entries()) {
      const next = textFrame(text);
      presenter.applyFrame(i + 2, diffFrames(last, next)!);
      presenter.paint();
      last = next;
    }
    expect(writes).toHaveLength(1);
    state.finish?.();
    expect(writes).toHaveLength(2);
    expect(writes[1]).toContain('en');
    expect(writes[1]).not.toContain('six');
    state.finish?.();
    expect(sent.map((message) => message.kind === 'frame-ack' && message.seq)).toEqual([1, 2, 3, 4]);
  });

  it('draws a frame that asks for no acknowledgement and says nothing', () => {
    const { presenter, writes, sent, state } = setUp();
    presenter.applyFrame(NO_ACK, diffFrames(NONE, textFrame('hello'))!);
    presenter.paint();
    expect(writes[0]).toContain('hello');
    state.finish?.();
    expect(sent).toEqual([]);
  });

  it('goes through what shows a character, and neither shows nor says anything', () => {
    const { presenter, writes, sent, state } = setUp();
    presenter.rehearse();
    presenter.applyFrame(1, diffFrames(NONE, textFrame('one'))!);
    presenter.paint();
    presenter.rehearse();
    state.finish?.();
    presenter.rehearse();
    expect(writes).toHaveLength(1);
    expect(sent).toHaveLength(1);
    presenter.applyFrame(2, diffFrames(textFrame('one'), textFrame('onx'))!);
    presenter.paint();
    const other = setUp();
    other.presenter.applyFrame(1, diffFrames(NONE, textFrame('one'))!);
    other.presenter.paint();
    other.state.finish?.();
    other.presenter.applyFrame(2, diffFrames(textFrame('one'), textFrame('onx'))!);
    other.presenter.paint();
    expect(writes).toEqual(other.writes);
  });

  it('acknowledges at once what changes nothing that can be seen', () => {
    const { presenter, writes, sent, state } = setUp();
    presenter.applyFrame(1, diffFrames(NONE, textFrame('x'))!);
    presenter.paint();
    state.finish?.();
    presenter.applyFrame(2, { rows: [] });
    presenter.paint();
    expect(writes).toHaveLength(1);
    expect(sent.at(-1)).toEqual({ kind: 'frame-ack', seq: 2 });
  });

  it('does not draw a frame larger than the terminal, acknowledges it and keeps overlays for later', () => {
    const { presenter, writes, sent, state } = setUp({ cols: 10, rows: 2 });
    presenter.applyFrame(1, diffFrames(NONE, textFrame('wide', 20))!);
    presenter.setOverlays(7, []);
    presenter.paint();
    expect(writes).toEqual([]);
    expect(sent).toEqual([{ kind: 'frame-ack', seq: 1 }]);
    presenter.applyFrame(2, diffFrames(NONE, textFrame('fits', 10))!);
    presenter.paint();
    expect(writes[0]).toContain('fits');
    state.finish?.();
    expect(sent).toEqual([
      { kind: 'frame-ack', seq: 1 },
      { kind: 'overlay-ack', seq: 7 },
      { kind: 'frame-ack', seq: 2 },
    ]);
  });

  it('draws everything again after invalidate and when the colours turn out to be others', () => {
    const { presenter, writes, state } = setUp();
    presenter.applyFrame(1, diffFrames(NONE, textFrame('hello'))!);
    presenter.paint();
    state.finish?.();
    presenter.invalidate();
    presenter.paint();
    state.finish?.();
    presenter.setCapabilities({ ...POOR_TERMINAL, colors: 'rgb' });
    presenter.paint();
    state.finish?.();
    presenter.setCapabilities({ ...POOR_TERMINAL, colors: 'rgb', synchronizedOutput: true });
    presenter.paint();
    expect(writes).toHaveLength(3);
    for (const text of writes) expect(text).toContain('hello');
  });

  it('gives a write up that another program on the terminal cut off, and draws everything', () => {
    const { presenter, writes, sent, state } = setUp();
    presenter.applyFrame(1, diffFrames(NONE, textFrame('first'))!);
    presenter.paint();
    const lateDone = state.finish!;
    state.finish = undefined;
    presenter.takeBack();
    expect(sent).toEqual([{ kind: 'frame-ack', seq: 1 }]);
    presenter.paint();
    expect(writes).toHaveLength(2);
    expect(writes[1]).toContain('first');
    const finishSecond = state.finish as (() => void) | undefined;
    lateDone();
    presenter.applyFrame(2, diffFrames(textFrame('first'), textFrame('second'))!);
    state.finish = finishSecond;
    presenter.paint();
    expect(writes).toHaveLength(2);
    finishSecond?.();
    expect(writes).toHaveLength(3);
    expect(sent.filter(({ kind }) => kind === 'frame-ack')).toHaveLength(1);
  });

  it('rings at most ten times a second', () => {
    const { presenter, writes, state } = setUp();
    for (let ms = 0; ms < 1000; ms++) {
      state.now = ms;
      presenter.bell();
      presenter.paint();
      state.finish?.();
    }
    expect(writes.join('')).toBe('\x07'.repeat(10));
  });

  it('puts text into the clipboard, encoded, if it is not too long and the selection has a name', () => {
    const { presenter, writes, state } = setUp();
    presenter.setClipboard('c', 'héllo\x07');
    presenter.paint();
    state.finish?.();
    presenter.setClipboard('c', 'x'.repeat(600_000));
    presenter.setClipboard('c;\x1b', 'x');
    presenter.paint();
    expect(writes).toEqual([`\x1b]52;c;${Buffer.from('héllo\x07').toString('base64')}\x1b\\`]);
  });
});
