import { describe, expect, it } from 'vitest';
import { RECONNECT_MS, START_AFTER_MS, WayBack } from '../../../client/attach/way-back.ts';
import type { ServerConnection } from '../../../client/connect.ts';

const CONNECTION = {} as ServerConnection;

/** A clock that runs on by itself as soon as everybody waits for it. */
class Clock {
  #now = 0;
  #timers: { at: number; run: () => void }[] = [];

  now = () => this.#now;

  after = (delayMs: number, run: () => void) => {
    const timer = { at: this.#now + delayMs, run };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  };

  async runUntil(promise: Promise<unknown>): Promise<void> {
    let isDone = false;
    const done = () => {
      isDone = true;
    };
    promise.then(done, done);
    for (;;) {
      for (let turn = 0; turn < 20; turn++) await Promise.resolve();
      if (isDone) return;
      const next = this.#timers.sort((a, b) => a.at - b.at).shift();
      if (!next) throw new Error('nothing is waited for');
      this.#now = Math.max(this.#now, next.at);
      next.run();
    }
  }
}

interface World {
  /** When a server is there, ms; after `start` `startedAt` ms later. */
  readonly upAt?: number;
  readonly startedAt?: number;
  readonly isKept?: boolean;
  readonly startError?: string;
}

function setUp({ upAt = Number.POSITIVE_INFINITY, startedAt, isKept = true, startError }: World) {
  const clock = new Clock();
  const notices: string[] = [];
  const starts: number[] = [];
  let up = upAt;
  const wayBack = new WayBack({
    now: clock.now,
    after: clock.after,
    notice: (text) => void notices.push(`${clock.now()} ${text}`),
    finder: {
      connect: () => (clock.now() >= up ? Promise.resolve(CONNECTION) : Promise.reject(new Error('no server running'))),
      isKept: () => Promise.resolve(isKept),
      start: () => {
        starts.push(clock.now());
        if (startError !== undefined) return Promise.reject(new Error(startError));
        if (startedAt !== undefined) up = clock.now() + startedAt;
        return Promise.resolve();
      },
    },
  });
  const find = async () => {
    const begin = clock.now();
    const found = wayBack.find();
    await clock.runUntil(found);
    const result = await found.then(
      (connection) => (connection === CONNECTION ? 'connected' : 'other'),
      (error: Error) => error.message,
    );
    return { result, tookMs: clock.now() - begin };
  };
  return { find, notices, starts, lose: () => (up = upAt) };
}

describe('the way back to a server', () => {
  it('is silent where the next server is there at once, and says so where it takes longer', async () => {
    const quick = setUp({ upAt: 200 });
    expect(await quick.find()).toEqual({ result: 'connected', tookMs: 200 });
    expect(quick.notices).toEqual([]);
    const slow = setUp({ upAt: 1000 });
    expect(await slow.find()).toEqual({ result: 'connected', tookMs: 1000 });
    expect(slow.notices).toEqual(['300 reconnecting…']);
    expect(slow.starts).toEqual([]);
  });

  it('leads by a server that the client starts, where none comes by itself and a pty host waits for one', async () => {
    const { find, notices, starts } = setUp({ startedAt: 400 });
    expect(await find()).toEqual({ result: 'connected', tookMs: START_AFTER_MS + 400 });
    expect(starts).toEqual([START_AFTER_MS]);
    expect(notices.at(-1)).toBe(`${START_AFTER_MS} reconnecting… (starting a server)`);
  });

  it('ends at once where nothing is kept', async () => {
    expect(await setUp({ isKept: false }).find()).toEqual({
      result: 'server exited unexpectedly',
      tookMs: START_AFTER_MS,
    });
  });

  it('ends after half a minute where no server comes up, with a word about the programs', async () => {
    const { find, notices } = setUp({ startError: "can't start the server: EAGAIN" });
    const { result, tookMs } = await find();
    expect(result).toBe('server exited unexpectedly; its programs run on, mplex attach-session tries again');
    expect(tookMs).toBeGreaterThanOrEqual(RECONNECT_MS);
    expect(notices.at(-1)).toContain("reconnecting… (can't start the server: EAGAIN)");
  });

  it('starts at most three servers a minute', async () => {
    const { find, starts, notices, lose } = setUp({ startedAt: 100 });
    for (let i = 0; i < 3; i++) {
      expect((await find()).result).toBe('connected');
      lose();
    }
    expect((await find()).result).toContain('its programs run on');
    expect(starts).toHaveLength(3);
    expect(notices.at(-1)).toContain('servers end as soon as they start');
  });
});
