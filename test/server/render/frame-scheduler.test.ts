import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Pane } from '../../../server/model/pane.ts';
import { FRAME_INTERVAL_MS, SYNC_HOLD_MS } from '../../../server/render/frame-scheduler.ts';
import { screenOf } from '../../support/render-world.ts';
import { SchedulerWorld, SIZE, shown } from '../../support/scheduler-world.ts';

let world: SchedulerWorld['world'];
let clock: SchedulerWorld['clock'];
let failures: SchedulerWorld['failures'];
let scheduler: SchedulerWorld['scheduler'];
let endTurn: SchedulerWorld['endTurn'];
let attach: SchedulerWorld['attach'];
let acknowledge: SchedulerWorld['acknowledge'];
let print: SchedulerWorld['print'];
let sceneOf: SchedulerWorld['sceneOf'];
let rehearse: SchedulerWorld['rehearse'];

beforeEach(() => {
  ({ world, clock, failures, scheduler, endTurn, attach, acknowledge, print, sceneOf, rehearse } =
    new SchedulerWorld());
});

describe('who is drawn', () => {
  test('a pane that nobody sees costs nothing', () => {
    const client = attach();
    const hidden = world.addWindow('hidden', SIZE);
    print(hidden.active, 'x');
    endTurn();
    expect(sceneOf(client).draws).toBe(1);
  });

  test('a pane behind a zoomed one costs nothing', () => {
    world.split('column');
    const client = attach();
    world.window.zoom(world.window.panes[0]!);
    print(world.window.panes[1]!, 'x');
    endTurn();
    expect(sceneOf(client).draws).toBe(1);
  });

  test('output leaves the status lines alone; changes of the model expand them again', () => {
    const client = attach();
    print(world.window.active, 'x');
    expect(sceneOf(client).refreshes).toBe(0);
    world.registry.markWindow(world.addWindow('other', SIZE));
    world.registry.markSession(world.session);
    world.registry.markClient(client.client);
    world.registry.markAll();
    world.registry.emit('window-renamed', { window: world.window });
    expect(sceneOf(client).refreshes).toBe(5);
    endTurn();
    expect(sceneOf(client).draws).toBe(2);
  });

  test('marks of another session or client leave a client alone', () => {
    const client = attach();
    const other = world.registry.addSession({ name: 'other', cwd: '/' });
    world.registry.markSession(other);
    world.registry.markClient(world.addClient(SIZE).client);
    endTurn();
    expect(sceneOf(client).draws).toBe(1);
    expect(sceneOf(client).refreshes).toBe(0);
  });

  test('a client that has detached is forgotten, its timers with it', () => {
    const client = attach();
    sceneOf(client).statusIntervalMs = 1000;
    print(world.window.active, '1');
    endTurn();
    acknowledge(client);
    print(world.window.active, '2');
    expect(clock.waiting).toBe(2);
    scheduler.remove(client.client);
    expect(clock.waiting).toBe(0);
    endTurn();
    clock.advance(5000);
    expect(client.frames).toHaveLength(2);
  });

  test('after dispose no mark draws', () => {
    const client = attach();
    scheduler.dispose();
    world.registry.markAll();
    endTurn();
    expect(client.frames).toHaveLength(1);
  });

  test('a client without a session is not drawn', () => {
    const client = attach();
    client.client.session = undefined;
    world.registry.markAll();
    endTurn();
    expect(sceneOf(client).draws).toBe(1);
  });
});

describe('acknowledgements', () => {
  test('one frame is on its way at a time; the next has the newest picture', () => {
    const client = attach();
    print(world.window.active, '1');
    endTurn();
    for (let i = 2; i < 50; i++) {
      print(world.window.active, String(i));
      endTurn();
      clock.advance(20);
    }
    expect(client.frames).toHaveLength(2);
    expect(sceneOf(client).draws).toBe(2);
    acknowledge(client);
    endTurn();
    expect(client.frames).toHaveLength(3);
    expect(shown(client)[0]).toBe('49');
  });

  test('an acknowledgement of another frame counts for nothing', () => {
    const client = attach();
    print(world.window.active, '1');
    endTurn();
    clock.advance(100);
    print(world.window.active, '2');
    scheduler.acknowledged(client.client, 1);
    scheduler.acknowledged(client.client, 77);
    endTurn();
    expect(client.frames).toHaveLength(2);
  });

  test('a slow client does not slow another one', () => {
    const slow = attach();
    const fast = attach();
    for (let i = 0; i < 10; i++) {
      print(world.window.active, String(i));
      endTurn();
      acknowledge(fast);
      clock.advance(2 * FRAME_INTERVAL_MS);
    }
    expect(slow.frames).toHaveLength(2);
    expect(fast.frames).toHaveLength(11);
  });
});

describe('redrawAll', () => {
  test('starts from a blank screen and does not wait', () => {
    const client = attach();
    print(world.window.active, 'text');
    endTurn();
    acknowledge(client);
    scheduler.redrawAll(client.client);
    endTurn();
    expect(client.frames).toHaveLength(3);
    expect(client.frames[2]?.damage.size).toEqual(SIZE);
    expect(shown(client)[0]).toBe('text');
  });

  test('waits for the frame on its way', () => {
    const client = attach();
    print(world.window.active, 'text');
    endTurn();
    scheduler.redrawAll(client.client);
    endTurn();
    expect(client.frames).toHaveLength(2);
    acknowledge(client);
    endTurn();
    expect(client.frames[2]?.damage.size).toEqual(SIZE);
  });

  test('a new size starts from a blank screen by itself', () => {
    const client = attach();
    client.client.size = { cols: 5, rows: 2 };
    world.registry.markClient(client.client);
    endTurn();
    expect(client.frames[1]?.damage.size).toEqual({ cols: 5, rows: 2 });
    acknowledge(client);
    clock.advance(100);
    print(world.window.active, 'abc');
    endTurn();
    expect(client.frames[2]?.damage.size).toBeUndefined();
    expect(shown(client)).toEqual(['abc', '']);
  });
});

describe('synchronised output', () => {
  function begin(pane: Pane, text: string): void {
    screenOf(pane).modes.synchronizedOutput = true;
    print(pane, text);
  }
  function finish(pane: Pane, text: string): void {
    screenOf(pane).modes.synchronizedOutput = false;
    print(pane, text);
  }

  test('an unfinished update is not drawn, its end is drawn without waiting for the turn', () => {
    const client = attach();
    begin(world.window.active, 'half');
    endTurn();
    expect(sceneOf(client).draws).toBe(1);
    finish(world.window.active, 'whole');
    expect(shown(client)[0]).toBe('whole');
  });

  test('holds back that pane only', () => {
    const other = world.split('column');
    const held = world.window.panes[0]!;
    const client = attach();
    begin(held, 'half');
    print(other, 'free');
    endTurn();
    expect(shown(client).slice(0, 2)).toEqual(['', 'free']);
  });

  test('is held for a second at most', () => {
    const client = attach();
    begin(world.window.active, 'half');
    clock.advance(SYNC_HOLD_MS - 1);
    endTurn();
    expect(shown(client)[0]).toBe('');
    clock.advance(1);
    endTurn();
    expect(shown(client)[0]).toBe('half');
    acknowledge(client);
    clock.advance(100);
    begin(world.window.active, 'more');
    endTurn();
    expect(shown(client)[0]).toBe('more');
  });

  test('updates one after another are each drawn whole', () => {
    const client = attach();
    for (let i = 0; i < 5; i++) {
      begin(world.window.active, `half${i}`);
      endTurn();
      finish(world.window.active, `whole${i}`);
      expect(shown(client)[0]).toBe(`whole${i}`);
      acknowledge(client);
      clock.advance(20);
    }
  });

  test('a pane that is closed in the middle of an update leaves nothing behind', () => {
    const client = attach();
    begin(world.window.active, 'half');
    world.registry.panes.delete(world.window.active.id);
    clock.advance(SYNC_HOLD_MS);
    endTurn();
    expect(sceneOf(client).draws).toBe(1);
    expect(clock.waiting).toBe(0);
  });
});

describe('status interval', () => {
  test('expands the status lines again and again', () => {
    const client = attach();
    sceneOf(client).statusIntervalMs = 2000;
    world.registry.markClient(client.client);
    endTurn();
    const before = sceneOf(client).refreshes;
    for (let i = 0; i < 3; i++) {
      clock.advance(2000);
      endTurn();
    }
    expect(sceneOf(client).refreshes).toBe(before + 3);
  });

  test('follows the option', () => {
    const client = attach();
    sceneOf(client).statusIntervalMs = 2000;
    world.registry.markClient(client.client);
    endTurn();
    expect(clock.waiting).toBe(1);
    sceneOf(client).statusIntervalMs = 0;
    clock.advance(100);
    world.registry.markClient(client.client);
    endTurn();
    expect(clock.waiting).toBe(0);
  });
});

test('a refresh of the status is for one client', () => {
  const [client, other] = [attach(), attach()];
  scheduler.refreshStatus(client.client);
  endTurn();
  expect([sceneOf(client).refreshes, sceneOf(other).refreshes]).toEqual([1, 0]);
  expect([sceneOf(client).draws, sceneOf(other).draws]).toEqual([2, 1]);
});

test("what the mouse means is asked of the client's scene", () => {
  const client = attach();
  expect(scheduler.placeAt(client.client, { x: 3, y: 2 })).toMatchObject({ area: 'StatusDefault', x: 3, y: 2 });
  scheduler.remove(client.client);
  expect(scheduler.placeAt(client.client, { x: 3, y: 2 })).toBeUndefined();
});

test('a scene that throws is told, and the client is drawn again later', () => {
  const client = attach();
  sceneOf(client).breaks = true;
  print(world.window.active, 'x');
  endTurn();
  expect(failures).toHaveLength(1);
  sceneOf(client).breaks = false;
  clock.advance(100);
  print(world.window.active, 'y');
  endTurn();
  expect(shown(client)[0]).toBe('y');
});

describe('while a key is with its program', () => {
  test('what will draw its answer is gone through once for all keys, and nothing comes of it', () => {
    const client = attach();
    const scene = sceneOf(client);
    scene.drawsPanes = true;
    print(world.window.active, 'one');
    endTurn();
    acknowledge(client);
    const calls = vi.spyOn(scene, 'drawOutput');
    const { length } = client.frames;
    scheduler.typed(client.client, world.window.active);
    scheduler.typed(client.client, world.window.active);
    rehearse();
    expect(calls).toHaveBeenCalledTimes(1);
    expect(client.frames).toHaveLength(length);
    print(world.window.active, 'two');
    endTurn();
    expect(shown(client)[0]).toBe('two');
  });

  test('nothing is gone through where a frame is due anyway, or for a client that has left', () => {
    const client = attach();
    const scene = sceneOf(client);
    scene.drawsPanes = true;
    const calls = vi.spyOn(scene, 'drawOutput');
    scheduler.typed(client.client, world.window.active);
    print(world.window.active, 'one');
    rehearse();
    endTurn();
    acknowledge(client);
    calls.mockClear();
    scheduler.typed(client.client, world.window.active);
    scheduler.remove(client.client);
    rehearse();
    expect(calls).not.toHaveBeenCalled();
  });

  test('a mistake in drawing is told, and costs nobody anything', () => {
    const client = attach();
    const scene = sceneOf(client);
    vi.spyOn(scene, 'drawOutput').mockImplementationOnce(() => {
      throw new Error('broken scene');
    });
    scheduler.typed(client.client, world.window.active);
    rehearse();
    expect(failures).toEqual([new Error('broken scene')]);
    print(world.window.active, 'one');
    endTurn();
    expect(shown(client)[0]).toBe('one');
  });
});
