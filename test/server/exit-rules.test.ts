import { describe, expect, it } from 'vitest';
import { ExitRules } from '../../server/exit-rules.ts';
import { ModelServer } from '../support/model-server.ts';

function exitWorld(server: ModelServer) {
  const world = { ends: 0, wakes: 0, isBusy: false, later: [] as (() => void)[] };
  const rules = new ExitRules({
    registry: server.registry,
    after: (_delayMs, run) => {
      world.later.push(run);
      return () => {};
    },
    nextTurn: (run) => {
      world.later.push(run);
    },
    isBusy: () => world.isBusy,
    wakeWaiters: () => {
      world.wakes++;
    },
    shutdown: () => {
      world.ends++;
    },
  });
  const settle = () => {
    for (const run of world.later.splice(0)) run();
  };
  return { world, rules, settle };
}

describe('a server ends by itself', () => {
  it('when its last session has closed', async () => {
    const server = new ModelServer();
    const { world, settle } = exitWorld(server);
    await server.run('new-session', '-d', '-s', 'a');
    await server.run('new-session', '-d', '-s', 'b');
    await server.run('kill-session', '-t', 'a');
    settle();
    expect(world.ends).toBe(0);
    await server.run('kill-session', '-t', 'b');
    expect(world.ends).toBe(0);
    settle();
    expect(world.ends).toBe(1);
  });

  it('after a call that made no session, unless another makes one', async () => {
    const server = new ModelServer();
    const { world, rules, settle } = exitWorld(server);
    settle();
    expect(world.ends).toBe(0);
    rules.callEnded();
    await server.run('new-session', '-d', '-s', 'a');
    settle();
    expect(world.ends).toBe(0);
    const empty = new ModelServer();
    const other = exitWorld(empty);
    other.rules.callEnded();
    other.settle();
    expect(other.world.ends).toBe(1);
  });

  it('not without exit-empty', async () => {
    const server = new ModelServer();
    const { world, settle } = exitWorld(server);
    await server.run('set-option', '-s', 'exit-empty', 'off');
    await server.run('new-session', '-d', '-s', 'a');
    await server.run('kill-session', '-t', 'a');
    settle();
    expect(world.ends).toBe(0);
  });

  it('with exit-unattached when a session closes and no client is left', async () => {
    const server = new ModelServer();
    const { world, settle } = exitWorld(server);
    await server.run('set-option', '-s', 'exit-unattached', 'on');
    await server.run('new-session', '-d', '-s', 'a');
    await server.run('new-session', '-d', '-s', 'b');
    await server.run('kill-session', '-t', 'a');
    settle();
    expect(world.ends).toBe(1);
  });

  it('a while after it took over, if there was nothing', () => {
    const { world, rules, settle } = exitWorld(new ModelServer());
    rules.checkLater();
    expect(world.ends).toBe(0);
    settle();
    expect(world.ends).toBe(1);
  });

  it('not before the commands that run have ended, and only if they made no session', async () => {
    const server = new ModelServer();
    const { world, rules, settle } = exitWorld(server);
    await server.run('new-session', '-d', '-s', 'a');
    world.isBusy = true;
    await server.run('kill-session', '-t', 'a');
    settle();
    expect([world.ends, world.wakes]).toEqual([0, 1]);
    await server.run('new-session', '-d', '-s', 'b');
    world.isBusy = false;
    rules.recheck();
    settle();
    expect(world.ends).toBe(0);
    world.isBusy = true;
    await server.run('kill-session', '-t', 'b');
    settle();
    world.isBusy = false;
    rules.recheck();
    settle();
    expect(world.ends).toBe(1);
  });
});
