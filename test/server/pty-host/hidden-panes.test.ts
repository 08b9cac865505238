import { beforeEach, describe, expect, it } from 'vitest';
import { HiddenPanes, REST_MS } from '../../../server/pty-host/hidden-panes.ts';
import { ManualClock } from '../../support/manual-delay.ts';

/** A pane whose program has printed `waiting` bytes that are not read. */
class FakePane {
  waiting = 0;
  isResting = false;
  reads = 0;

  readWaiting(): number {
    const count = this.waiting;
    this.waiting = 0;
    this.reads++;
    if (count > 0) hidden.printed(this, count);
    return count;
  }

  setResting(isResting: boolean): void {
    this.isResting = isResting;
  }
}

let clock: ManualClock;
let hidden: HiddenPanes<FakePane>;
/** Times at which panes were read together. */
let readings: number[];

beforeEach(() => {
  clock = new ManualClock();
  readings = [];
  hidden = new HiddenPanes({
    delay: clock.delay,
    together: (read) => {
      readings.push(clock.now);
      read();
    },
  });
});

/** A hidden pane that rests. */
function restingPane(): FakePane {
  const pane = new FakePane();
  hidden.setHidden(pane, true);
  for (let i = 0; i < 100 && !pane.isResting; i++) hidden.printed(pane, 80);
  expect(pane.isResting).toBe(true);
  return pane;
}

describe('hidden panes', () => {
  it('rest as long as they go on printing, all read at the same times', () => {
    const panes = [restingPane(), restingPane(), restingPane()];
    for (let n = 1; n <= 3; n++) {
      for (const pane of panes) pane.waiting = 240;
      clock.advance(REST_MS);
      expect(panes.map(({ reads, isResting }) => [reads, isResting])).toEqual(panes.map(() => [n, true]));
    }
    expect(readings).toEqual([REST_MS, 2 * REST_MS, 3 * REST_MS]);
  });

  it('are read as they print once nothing had come during a rest, and no timer goes on', () => {
    const pane = restingPane();
    clock.advance(REST_MS);
    expect(pane.isResting).toBe(false);
    expect(clock.waiting).toBe(0);
    hidden.printed(pane, 80);
    expect(pane.isResting).toBe(true);
  });

  it('do not slow down a program that prints without end in small pieces', () => {
    const pane = restingPane();
    pane.waiting = 64 << 10;
    clock.advance(REST_MS);
    expect(pane.isResting).toBe(false);
    for (let i = 0; i < 1000; i++) hidden.printed(pane, 80);
    expect(pane.isResting).toBe(false);
    clock.advance(2000);
    hidden.printed(pane, 80);
    expect(pane.isResting).toBe(true);
  });

  it('do not rest after a large piece, nor while they may answer input', () => {
    const pane = restingPane();
    hidden.answering(pane);
    expect(pane.isResting).toBe(false);
    hidden.printed(pane, 80);
    expect(pane.isResting).toBe(false);
    for (let i = 0; i < 100; i++) hidden.printed(pane, 4096);
    expect(pane.isResting).toBe(false);
  });

  it('are read when somebody asks, whether they rest or not yet', () => {
    const pane = new FakePane();
    hidden.setHidden(pane, true);
    pane.waiting = 10;
    hidden.catchUp();
    expect(pane.waiting).toBe(0);
    const resting = restingPane();
    resting.waiting = 20;
    hidden.catchUp();
    expect(resting.waiting).toBe(0);
  });

  it('are no longer touched once they are forgotten', () => {
    const pane = restingPane();
    hidden.forget(pane);
    clock.advance(REST_MS);
    hidden.catchUp();
    expect(pane.reads).toBe(0);
  });
});
