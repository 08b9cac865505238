import { describe, expect, it } from 'vitest';
import { CHOICE, FlowWorld, MESSAGE, TEXT } from '../../support/flow-world.ts';

/** The questions of a world in another one, as if the process had been replaced; its clock begins anew. */
function moved(world: FlowWorld): FlowWorld {
  const next = new FlowWorld();
  next.queue.restore(structuredClone(world.queue.save()));
  return next;
}

describe('questions in another process', () => {
  it('go on with their drafts; keys are for them from the start, and nothing leaks to the pane', () => {
    const world = new FlowWorld();
    const client = world.attach();
    const flow = world.queue.show(TEXT);
    world.arm(client);
    world.keys(client, 'h a l f');
    const next = moved(world);
    expect(next.result(flow)).toEqual({ done: false, state: 'waiting_client' });
    const back = next.attach();
    expect(next.result(flow)).toEqual({ done: false, state: 'shown' });
    expect(next.keys(back, '2')).toEqual(['consumed']);
    next.queue.painted(back);
    next.clock.advance(150);
    next.keys(back, 'Enter');
    expect(next.result(flow)).toMatchObject({ outcome: 'ok', value: 'half2' });
  });

  it('that took no keys yet wait for quiet again', () => {
    const world = new FlowWorld();
    world.attach();
    world.queue.show(CHOICE);
    const next = moved(world);
    const back = next.attach();
    expect(next.keys(back, 'x')).toEqual(['pass']);
    next.arm(back);
    expect(back.shown?.phase).toBe('armed');
  });

  it('keep answers, hidden places, muted panes, order and what is left of their time', () => {
    const world = new FlowWorld();
    const client = world.attach();
    const answered = world.queue.show(MESSAGE);
    world.arm(client);
    world.keys(client, 'Enter');
    world.clock.advance(1000);
    const hidden = world.queue.show({ ...CHOICE, timeout: 100 });
    world.arm(client);
    world.queue.hide(client);
    const limited = world.queue.show({ ...CHOICE, pane: '%2', timeout: 60 });
    world.arm(client);
    world.queue.hide(client);
    const muted = world.queue.show({ ...CHOICE, pane: '%3', wait_client: true });
    world.detach(client);
    world.attach('b', ['%3']);
    world.queue.mute(world.clients[0]!);
    world.clock.advance(20_000);
    const next = moved(world);
    expect(next.result(answered)).toMatchObject({ done: true, outcome: 'ok' });
    expect(next.queue.list().map(({ serial, state }) => [serial, state])).toEqual([
      [2, 'hidden'],
      [3, 'hidden'],
    ]);
    expect(next.result(muted)).toMatchObject({ done: true, by: 'escape' });
    expect(next.queue.mutedPanes).toEqual(['%3']);
    next.clock.advance(39_000);
    expect(next.result(limited)).toMatchObject({ done: false });
    next.clock.advance(1000);
    expect(next.result(limited)).toMatchObject({ done: true, outcome: 'timeout' });
    expect(next.result(hidden)).toMatchObject({ done: false });
    expect(next.queue.show({ ...TEXT, wait_client: true })).toBeTypeOf('string');
    expect(next.queue.list().map(({ serial }) => serial)).toContain(5);
  });
});
