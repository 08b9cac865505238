import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ControlOutput } from '../../../server/control-mode/control-output.ts';
import type { Pane } from '../../../server/model/pane.ts';

/** Output with a reader that can be slow, and a clock. */
class Reader {
  now = 0;
  text = '';
  unsent = 0;
  isGivenUp = false;
  isBusy = false;
  readonly output = new ControlOutput({
    sink: {
      write: (bytes) => {
        this.text += Buffer.from(bytes).toString('latin1');
      },
      unsent: () => this.unsent,
    },
    now: () => this.now,
    seconds: () => 7,
    tooFarBehind: () => {
      this.isGivenUp = true;
    },
    isBusy: () => this.isBusy,
  });

  /** What has come since the last look. */
  take(): string[] {
    const lines = this.text.split('\n').filter((line) => line !== '');
    this.text = '';
    return lines;
  }
}

// Only its id is looked at.
const pane = (id: number) => ({ id }) as Pane;
const bytes = (text: string) => Buffer.from(text);
const FULL = 1 << 20;

describe('what a control client reads', () => {
  it('is all of it at the end, however slow the reader was', () => {
    const reader = new Reader();
    reader.unsent = FULL;
    reader.output.begin(1, true);
    reader.output.reply('hello\n');
    reader.output.end(false);
    reader.output.reply('%exit\n');
    expect(reader.take()).toEqual([]);
    reader.output.flush();
    expect(reader.take()).toEqual(['%begin 7 1 1', 'hello', '%end 7 1 1', '%exit']);
  });

  it('tells what a line of commands brought about after all its replies', () => {
    const reader = new Reader();
    reader.isBusy = true;
    for (const number of [1, 2]) {
      reader.output.begin(number, true);
      reader.output.notify(`%notice ${number}`);
      reader.output.end(false);
    }
    reader.output.notify('%between');
    expect(reader.take()).toEqual(['%begin 7 1 1', '%end 7 1 1', '%begin 7 2 1', '%end 7 2 1']);
    reader.isBusy = false;
    reader.output.commandsDone();
    expect(reader.take()).toEqual(['%notice 1', '%notice 2', '%between']);
  });

  it('frames a reply and holds back what comes meanwhile', () => {
    const reader = new Reader();
    reader.output.begin(1, true);
    reader.output.notify('%sessions-changed');
    reader.output.paneOutput(pane(0), bytes('x'));
    reader.output.reply('hello\n');
    reader.output.end(false);
    expect(reader.take()).toEqual(['%begin 7 1 1', 'hello', '%end 7 1 1', '%sessions-changed', '%output %0 x']);
  });

  it('has no notification within a block, whatever the order of things', () => {
    const step = fc.constantFrom('begin', 'reply', 'end', 'notify', 'output', 'slow', 'fast');
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const reader = new Reader();
        let isOpen = false;
        for (const what of steps) {
          if (what === 'begin' && !isOpen) reader.output.begin(1, true);
          if (what === 'reply' && isOpen) reader.output.reply('reply\n');
          if (what === 'end' && isOpen) reader.output.end(false);
          if (what === 'begin' || what === 'end') isOpen = what === 'begin';
          if (what === 'notify') reader.output.notify('%sessions-changed');
          if (what === 'output') reader.output.paneOutput(pane(1), bytes('o'));
          if (what === 'slow') reader.unsent = FULL;
          if (what === 'fast') {
            reader.unsent = 0;
            reader.output.pump();
          }
        }
        reader.unsent = 0;
        if (isOpen) reader.output.end(false);
        reader.output.pump();
        let inBlock = false;
        let notified = 0;
        for (const line of reader.take()) {
          if (line.startsWith('%begin')) inBlock = true;
          else if (line.startsWith('%end')) inBlock = false;
          else if (inBlock) expect(line).toBe('reply');
          else notified += 1;
        }
        expect(notified).toBe(steps.filter((what) => what === 'notify' || what === 'output').length);
      }),
    );
  });

  it('writes control characters and backslashes in octal and leaves UTF-8 alone', () => {
    const reader = new Reader();
    reader.output.paneOutput(pane(3), bytes('a\\\x1b[m\r\né'));
    expect(Buffer.from(reader.text, 'latin1').toString('utf8')).toBe('%output %3 a\\134\\033[m\\015\\012é\n');
  });

  it('pauses a pane whose output waits for longer than pause-after, and goes on when told', () => {
    const reader = new Reader();
    reader.output.pauseAfterMs = 1000;
    reader.unsent = FULL;
    const late = pane(0);
    reader.output.paneOutput(late, bytes('lost'));
    reader.now = 999;
    reader.output.checkAge();
    reader.now = 1000;
    reader.output.checkAge();
    reader.output.paneOutput(late, bytes('also lost'));
    reader.unsent = 0;
    reader.output.pump();
    expect(reader.take()).toEqual(['%pause %0']);
    reader.output.setPane(late, 'continue');
    reader.output.paneOutput(late, bytes('new'));
    expect(reader.take()).toEqual(['%continue %0', '%extended-output %0 0 : new']);
  });

  it('says how old output is with pause-after', () => {
    const reader = new Reader();
    reader.output.pauseAfterMs = 5000;
    reader.unsent = FULL;
    reader.output.paneOutput(pane(0), bytes('x'));
    reader.now = 1500;
    reader.unsent = 0;
    reader.output.pump();
    expect(reader.take()).toEqual(['%extended-output %0 1500 : x']);
  });

  it('pauses, goes on, and is silent for a pane as refresh-client -A says', () => {
    const reader = new Reader();
    const one = pane(1);
    const say = (text: string) => reader.output.paneOutput(one, bytes(text));
    reader.output.setPane(one, 'pause');
    say('a');
    reader.output.setPane(one, 'continue');
    say('b');
    reader.output.setPane(one, 'off');
    say('c');
    reader.output.setPane(one, 'on');
    say('d');
    expect(reader.take()).toEqual(['%pause %1', '%continue %1', '%output %1 b', '%output %1 d']);
  });

  it('gives a client up that has not read for five minutes', () => {
    const reader = new Reader();
    reader.unsent = FULL;
    reader.output.paneOutput(pane(0), bytes('x'));
    reader.now = 299_999;
    reader.output.checkAge();
    expect(reader.isGivenUp).toBe(false);
    reader.now = 300_000;
    reader.output.checkAge();
    expect(reader.isGivenUp).toBe(true);
  });

  it('gives a client up for which too much waits', () => {
    const reader = new Reader();
    reader.unsent = FULL;
    for (let i = 0; i < 20; i++) reader.output.paneOutput(pane(0), new Uint8Array(1 << 20));
    expect(reader.isGivenUp).toBe(true);
  });
});
