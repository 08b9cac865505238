import { describe, expect, it } from 'vitest';
import { expectTerminal, HANDOVER_MS, LOOK_MS } from '../../../server/clients/expected-terminal.ts';

/** A clock that is turned by hand, and a process that may end. */
class World {
  running = true;
  forgottenAt: number | undefined;
  #now = 0;
  #timers: { at: number; run: () => void }[] = [];

  expect(): () => void {
    return expectTerminal({
      pid: 7,
      isRunning: (pid) => pid === 7 && this.running,
      after: (delayMs, run) => {
        const timer = { at: this.#now + delayMs, run };
        this.#timers.push(timer);
        return () => {
          this.#timers = this.#timers.filter((other) => other !== timer);
        };
      },
      forget: () => {
        this.forgottenAt = this.#now;
      },
    });
  }

  pass(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const next = this.#timers.find(({ at }) => at <= end);
      if (!next) break;
      this.#timers = this.#timers.filter((other) => other !== next);
      this.#now = next.at;
      next.run();
    }
    this.#now = end;
  }
}

describe('a client whose terminal is to come', () => {
  it('is forgotten soon after its process has ended', () => {
    const world = new World();
    world.expect();
    world.pass(1200);
    expect(world.forgottenAt).toBeUndefined();
    world.running = false;
    world.pass(LOOK_MS);
    expect(world.forgottenAt).toBe(1500);
    world.pass(HANDOVER_MS);
    expect(world.forgottenAt).toBe(1500);
  });

  it('is forgotten after a while where its process runs and does not come, or was never seen', () => {
    for (const running of [true, false]) {
      const world = new World();
      world.running = running;
      world.expect();
      world.pass(2 * HANDOVER_MS);
      expect(world.forgottenAt).toBe(HANDOVER_MS);
    }
  });

  it('is not forgotten once it has come', () => {
    const world = new World();
    const stop = world.expect();
    world.pass(LOOK_MS);
    stop();
    world.running = false;
    world.pass(2 * HANDOVER_MS);
    expect(world.forgottenAt).toBeUndefined();
  });
});
