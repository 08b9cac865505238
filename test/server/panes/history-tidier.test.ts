import { describe, expect, it } from 'vitest';
import type { Pane } from '../../../server/model/pane.ts';
import { HistoryTidier, QUIET_MS } from '../../../server/panes/history-tidier.ts';

/** Timers that run when the test says so. */
function world(steps: number, limitBytes = 0) {
  let now = 0;
  let timers: { at: number; run: () => void }[] = [];
  const turns: (() => void)[] = [];
  let left = steps;
  const tidied: number[] = [];
  // All that the tidier asks of a pane.
  const pane = {
    emulator: {
      tidy: () => {
        tidied.push(now);
        return --left > 0;
      },
    },
  } as unknown as Pane;
  const tidier = new HistoryTidier({
    now: () => now,
    after: (delayMs, run) => {
      const timer = { at: now + delayMs, run };
      timers.push(timer);
      return () => {
        timers = timers.filter((one) => one !== timer);
      };
    },
    nextTurn: (run) => turns.push(run),
    limitBytes: () => limitBytes,
  });
  const pass = (ms: number) => {
    now += ms;
    const due = timers.filter((one) => one.at <= now);
    timers = timers.filter((one) => one.at > now);
    for (const { run } of due) run();
    for (let turn = turns.shift(); turn; turn = turns.shift()) turn();
  };
  return { tidier, pane, tidied, pass, waiting: () => timers.length };
}

describe('tidying of histories', () => {
  it('begins when a pane is quiet, goes on step by step, and leaves no timer', () => {
    const { tidier, pane, tidied, pass, waiting } = world(3);
    tidier.printed(pane);
    pass(QUIET_MS - 1);
    tidier.printed(pane);
    pass(1);
    expect(tidied).toEqual([]);
    pass(QUIET_MS);
    expect(tidied).toHaveLength(3);
    expect(waiting()).toBe(0);
  });

  it('starts anew with the next output', () => {
    const { tidier, pane, tidied, pass } = world(1);
    tidier.printed(pane);
    pass(QUIET_MS);
    tidier.printed(pane);
    pass(QUIET_MS);
    expect(tidied).toHaveLength(2);
  });

  it('forgets a pane that is gone', () => {
    const { tidier, pane, tidied, pass, waiting } = world(1);
    tidier.printed(pane);
    tidier.forget(pane);
    expect(waiting()).toBe(0);
    pass(QUIET_MS);
    expect(tidied).toEqual([]);
  });

  it('brings the limit in bytes into force', () => {
    const { tidier, pane, pass } = world(1, 1000);
    let bytes = 5000;
    tidier.budget.join({
      get byteLength() {
        return bytes;
      },
      dropOldest: () => {
        bytes -= 1500;
        tidier.budget.changed(-1500);
        return bytes > 0;
      },
    });
    tidier.budget.changed(bytes);
    tidier.printed(pane);
    pass(QUIET_MS);
    expect(bytes).toBe(500);
  });
});
