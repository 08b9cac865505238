import { describe, expect, it } from 'vitest';
import { HostRevival } from '../../../server/pty-host/host-revival.ts';

function revivalWorld() {
  const world = { now: 5000, isLost: true, begun: 0, commands: [] as string[][], lost: 0, pauses: [] as number[] };
  let resume = () => {};
  const revival = new HostRevival({
    host: {
      get isLost() {
        return world.isLost;
      },
      begin: () => {
        world.begun++;
      },
      setRestartCommand: (command) => world.commands.push([...command]),
    },
    restartCommand: ['node', 'mplexd.js'],
    now: () => world.now,
    after: (delayMs, run) => {
      world.pauses.push(delayMs);
      resume = run;
      return () => {};
    },
    lost: () => {
      world.lost++;
    },
  });
  return { world, revival, resume: () => resume() };
}

describe('a pty host that died', () => {
  it('is followed by another, which is told how to start a server', () => {
    const { world, revival } = revivalWorld();
    expect(revival.revive()).toBe(true);
    expect(world).toMatchObject({ begun: 1, commands: [['node', 'mplexd.js']], pauses: [] });
  });

  it('is not started again when somebody did already', () => {
    const { world, revival } = revivalWorld();
    world.isLost = false;
    expect(revival.revive()).toBe(true);
    expect(world).toMatchObject({ begun: 0, commands: [['node', 'mplexd.js']] });
  });

  it('is followed only after a pause when it lived for less than a second', () => {
    const { world, revival, resume } = revivalWorld();
    revival.revive();
    world.now += 999;
    expect(revival.revive()).toBe(false);
    expect(world).toMatchObject({ begun: 1, lost: 0, pauses: [1000] });
    world.now += 1000;
    resume();
    expect(world.lost).toBe(1);
    expect(revival.revive()).toBe(true);
    expect(world.begun).toBe(2);
  });

  it('is followed at once when it lived for a second', () => {
    const { world, revival } = revivalWorld();
    revival.revive();
    world.now += 1000;
    expect(revival.revive()).toBe(true);
    expect(world.begun).toBe(2);
  });
});
