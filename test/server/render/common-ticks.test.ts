import { beforeEach, expect, test } from 'vitest';
import { CommonTicks, TICK_MS } from '../../../server/render/common-ticks.ts';
import { ManualClock } from '../../support/manual-delay.ts';

let clock: ManualClock;
let ticks: CommonTicks;
let ran: string[];

beforeEach(() => {
  clock = new ManualClock();
  clock.now = 100 * TICK_MS;
  ran = [];
  ticks = new CommonTicks({ now: () => clock.now, after: clock.delay });
});

const start = (tick: number) => tick * TICK_MS;

test('a wait ends at the start of a tick', () => {
  expect(ticks.waitMs(clock.now, 1)).toBe(TICK_MS);
  clock.now += 5;
  expect(ticks.waitMs(start(100), 1)).toBe(TICK_MS - 5);
  expect(ticks.waitMs(start(100) + 3, 2)).toBe(2 * TICK_MS - 5);
  expect(ticks.waitMs(start(90), 1)).toBe(TICK_MS - 5);
});

test('waits of one length end at common ticks, whenever they began', () => {
  for (const since of [start(96), start(97), start(98) + 5, start(99)]) {
    expect(start(100) + ticks.waitMs(since, 4), `since ${since}`).toBe(start(100));
  }
  for (const since of [start(100), start(101) + 3, start(103)]) {
    clock.now = since;
    expect(since + ticks.waitMs(since, 4), `since ${since}`).toBe(start(104));
  }
});

test('what a timer did a little early happened in the tick that it was for', () => {
  clock.now = start(100) - 1;
  expect(ticks.waitMs(clock.now, 2)).toBe(2 * TICK_MS + 1);
});

test('what is due in the same tick is done by one timer', () => {
  ticks.after(ticks.waitMs(clock.now, 1), () => ran.push('a'));
  clock.advance(7);
  ticks.after(ticks.waitMs(start(100), 1), () => ran.push('b'));
  expect(clock.waiting).toBe(1);
  clock.advance(TICK_MS - 8);
  expect(ran).toEqual([]);
  clock.advance(1);
  expect(ran).toEqual(['a', 'b']);
  expect(clock.waiting).toBe(0);
});

test('what is called off does not happen, the rest does', () => {
  const cancel = ticks.after(TICK_MS, () => ran.push('a'));
  ticks.after(TICK_MS, () => ran.push('b'));
  cancel();
  clock.advance(TICK_MS);
  expect(ran).toEqual(['b']);
});

test('what is set for a later tick during one waits for it', () => {
  ticks.after(TICK_MS, () => ticks.after(TICK_MS, () => ran.push('later')));
  clock.advance(TICK_MS);
  expect(ran).toEqual([]);
  clock.advance(TICK_MS);
  expect(ran).toEqual(['later']);
});
