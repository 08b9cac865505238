import { describe, expect, it } from 'vitest';
import { HostRevival } from '../../../server/pty-host/host-revival.ts';

function revivalWorld() {
  const world = { now: 5000, isLost: true, begun: 0, pauses: [] as number[] };
  let resume = () => {};
  const revival = new HostRevival({
    host: {
      get isLost() {
        return world.isLost;
      },
      begin: () => {
        world.begun++;
      },
    },
    now: () => world.now,
    after: (delayMs, run) => {
      world.pauses.push(delayMs);
      resume = run;
      return () => {};
    },
  });
  return { world, revival, resume: () => resume() };
}

describe('a pty host that died', () => {
  it('is followed by another', () => {
    const { world, revival } = revivalWorld();
    revival.lost();
    expect(world).toMatchObject({ begun: 1, pauses: [] });
  });

  it('is not started again when somebody did already', () => {
    const { world, revival } = revivalWorld();
    world.isLost = false;
    revival.lost();
    expect(world).toMatchObject({ begun: 0, pauses: [] });
  });

  it('is followed only after a pause when it lived for less than a second', () => {
    const { world, revival, resume } = revivalWorld();
    revival.lost();
    world.now += 999;
    revival.lost();
    expect(world).toMatchObject({ begun: 1, pauses: [1000] });
    world.now += 1000;
    resume();
    expect(world.begun).toBe(2);
  });

  it('is not started again after the pause when a spawn did not wait for it', () => {
    const { world, revival, resume } = revivalWorld();
    revival.lost();
    world.now += 1;
    revival.lost();
    world.isLost = false;
    resume();
    expect(world.begun).toBe(1);
  });

  it('is followed at once when it lived for a second', () => {
    const { world, revival } = revivalWorld();
    revival.lost();
    world.now += 1000;
    revival.lost();
    expect(world.begun).toBe(2);
  });
});
