import { describe, expect, it } from 'vitest';
import {
  RESTART_DELAY_MS,
  RESTART_WINDOW_MS,
  RESTARTS_MAX,
  ServerRestart,
} from '../../../server/pty-host/server-restart.ts';
import { ManualClock } from '../../support/manual-delay.ts';

function setUp() {
  const clock = new ManualClock();
  const endings: (() => void)[] = [];
  const restart = new ServerRestart({
    delay: clock.delay,
    now: () => clock.now,
    start: (ended) => endings.push(ended),
    log: () => {},
  });
  return { clock, endings, restart };
}

describe('ServerRestart', () => {
  it('starts the server a second after it was lost', () => {
    const { clock, endings, restart } = setUp();
    restart.found();
    restart.lost();
    clock.advance(RESTART_DELAY_MS - 1);
    expect(endings).toHaveLength(0);
    clock.advance(1);
    expect(endings).toHaveLength(1);
  });

  it('leaves it to whoever was quicker', () => {
    const { clock, endings, restart } = setUp();
    restart.lost();
    clock.advance(RESTART_DELAY_MS - 1);
    restart.found();
    clock.advance(10_000);
    expect(endings).toHaveLength(0);
  });

  it('gives up after ten starts within a minute, and tries again later', () => {
    const { clock, endings, restart } = setUp();
    restart.lost();
    for (let i = 0; i < 10; i++) {
      clock.advance(RESTART_DELAY_MS);
      endings[i]?.();
    }
    expect(endings).toHaveLength(RESTARTS_MAX);
    clock.advance(RESTART_WINDOW_MS);
    restart.lost();
    clock.advance(RESTART_DELAY_MS);
    expect(endings).toHaveLength(RESTARTS_MAX + 1);
  });

  it('does not care about the end of a process when a server is connected', () => {
    const { clock, endings, restart } = setUp();
    restart.lost();
    clock.advance(RESTART_DELAY_MS);
    restart.found();
    endings[0]!();
    clock.advance(10_000);
    expect(endings).toHaveLength(1);
  });
});
