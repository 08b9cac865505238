import { beforeEach, describe, expect, test } from 'vitest';
import { NO_ACK } from '../../../protocol/message.ts';
import type { Pane } from '../../../server/model/pane.ts';
import {
  ANSWER_INTERVAL_MS,
  FLOOD_INTERVAL_MS,
  FRAME_INTERVAL_MS,
  TYPING_INTERVAL_MS,
  UNASKED_FRAMES_MAX,
} from '../../../server/render/frame-scheduler.ts';
import type { TestClient } from '../../support/render-world.ts';
import { SchedulerWorld, SIZE, shown } from '../../support/scheduler-world.ts';

let world: SchedulerWorld['world'];
let clock: SchedulerWorld['clock'];
let scheduler: SchedulerWorld['scheduler'];
let endTurn: SchedulerWorld['endTurn'];
let attach: SchedulerWorld['attach'];
let acknowledge: SchedulerWorld['acknowledge'];
let print: SchedulerWorld['print'];
let sceneOf: SchedulerWorld['sceneOf'];

beforeEach(() => {
  ({ world, clock, scheduler, endTurn, attach, acknowledge, print, sceneOf } = new SchedulerWorld());
});

describe('pace', () => {
  test('a client that attaches is drawn from a blank screen in the same turn', () => {
    const client = world.addClient(SIZE);
    scheduler.add(client.client);
    expect(client.frames).toHaveLength(0);
    endTurn();
    expect(client.frames).toHaveLength(1);
    expect(client.frames[0]?.damage.size).toEqual(SIZE);
  });

  test('the first output after quiet is drawn in the same turn, all of it', () => {
    const client = attach();
    print(world.window.active, 'on');
    print(world.window.active, 'one');
    endTurn();
    expect(client.frames).toHaveLength(2);
    expect(shown(client)[0]).toBe('one');
    expect(clock.waiting).toBe(0);
  });

  test('frames are an interval apart, and the last one has the newest output', () => {
    const client = attach();
    print(world.window.active, '1');
    endTurn();
    acknowledge(client);
    print(world.window.active, '2');
    print(world.window.active, '3');
    endTurn();
    expect(client.frames).toHaveLength(2);
    clock.advance(FRAME_INTERVAL_MS - 1);
    expect(client.frames).toHaveLength(2);
    clock.advance(1);
    expect(client.frames).toHaveLength(3);
    expect(shown(client)[0]).toBe('3');
  });

  function flood(client: TestClient, ms: number): number {
    const before = client.frames.length;
    for (let i = 0; i < ms; i++) {
      print(world.window.active, String(i));
      endTurn();
      acknowledge(client);
      clock.advance(1);
    }
    return client.frames.length - before;
  }

  test('a flood is drawn more slowly, and at once again after a pause', () => {
    const client = attach();
    flood(client, 600);
    const steady = flood(client, 990);
    expect(steady).toBeGreaterThanOrEqual(Math.floor(990 / FLOOD_INTERVAL_MS) - 1);
    expect(steady).toBeLessThanOrEqual(Math.ceil(990 / FLOOD_INTERVAL_MS) + 1);
    clock.advance(500);
    expect(flood(client, 160)).toBeGreaterThanOrEqual(9);
  });

  test('output that changes nothing on the screen sends nothing', () => {
    const client = attach();
    world.registry.markPane(world.window.active);
    endTurn();
    expect(client.frames).toHaveLength(1);
    expect(sceneOf(client).draws).toBe(2);
  });

  test('the answer to a typed key does not wait for the interval, what follows waits a little', () => {
    const client = attach();
    print(world.window.active, 'a');
    endTurn();
    acknowledge(client);
    clock.advance(1);
    scheduler.typed(client.client, world.window.active);
    print(world.window.active, 'ab');
    endTurn();
    expect(shown(client)[0]).toBe('ab');
    acknowledge(client);
    print(world.window.active, 'abc');
    endTurn();
    expect(shown(client)[0]).toBe('ab');
    clock.advance(ANSWER_INTERVAL_MS);
    expect(shown(client)[0]).toBe('abc');
    acknowledge(client);
    clock.advance(1000);
    print(world.window.active, 'late');
    endTurn();
    acknowledge(client);
    print(world.window.active, 'later');
    clock.advance(ANSWER_INTERVAL_MS);
    endTurn();
    expect(shown(client)[0]).toBe('late');
    clock.advance(FRAME_INTERVAL_MS);
    expect(shown(client)[0]).toBe('later');
  });

  test('a pane that goes on answering is drawn at a short interval, also in a flood', () => {
    const client = attach();
    for (let i = 0; i < 40; i++) {
      print(world.window.active, `flood ${i}`);
      endTurn();
      acknowledge(client);
      clock.advance(FLOOD_INTERVAL_MS);
    }
    print(world.window.active, 'flood');
    endTurn();
    acknowledge(client);
    print(world.window.active, 'more');
    endTurn();
    scheduler.typed(client.client, world.window.active);
    print(world.window.active, '^C');
    endTurn();
    acknowledge(client);
    expect(shown(client)[0]).toBe('^C');
    clock.advance(1);
    print(world.window.active, '$');
    endTurn();
    expect(shown(client)[0]).toBe('^C');
    clock.advance(ANSWER_INTERVAL_MS);
    expect(shown(client)[0]).toBe('$');
  });

  test('the answer to a typed key does not wait for the frame before it, a second one does', () => {
    const client = attach();
    print(world.window.active, 'flood');
    endTurn();
    scheduler.typed(client.client, world.window.active);
    print(world.window.active, 'k');
    endTurn();
    expect(client.frames).toHaveLength(3);
    scheduler.typed(client.client, world.window.active);
    print(world.window.active, 'ke');
    endTurn();
    expect(client.frames).toHaveLength(3);
    const [first] = client.frames.slice(1);
    scheduler.acknowledged(client.client, first!.seq);
    endTurn();
    expect(client.frames).toHaveLength(4);
    expect(shown(client)[0]).toBe('ke');
  });

  test('only output of the pane that got the key is an answer to it, and only in time', () => {
    const other = world.split('column');
    const client = attach();
    const typedInto = world.window.panes[0]!;
    print(other, 'x');
    endTurn();
    acknowledge(client);
    scheduler.typed(client.client, typedInto);
    print(other, 'xy');
    endTurn();
    expect(shown(client)[1]).toBe('x');
    clock.advance(1000);
    acknowledge(client);
    print(other, 'xyz');
    endTurn();
    acknowledge(client);
    print(typedInto, 'late');
    endTurn();
    expect(shown(client)[0]).toBe('');
  });
});

describe('acknowledgements in a flood', () => {
  /** Prints for a while; acknowledgements that are asked for come after `ackMs`. Gives the frames' numbers. */
  function flood(client: TestClient, { frames, ackMs }: { frames: number; ackMs: number }): number[] {
    const before = client.frames.length;
    let isAcknowledged = false;
    let sentAt = clock.now;
    for (let count = client.frames.length; client.frames.length < before + frames; clock.advance(1)) {
      print(world.window.active, String(clock.now));
      endTurn();
      if (client.frames.length > count) {
        count = client.frames.length;
        sentAt = clock.now;
        isAcknowledged = false;
      }
      if (!isAcknowledged && clock.now >= sentAt + ackMs) {
        isAcknowledged = true;
        acknowledge(client);
      }
    }
    return client.frames.slice(before).map(({ seq }) => seq);
  }
  const asked = (numbers: readonly number[]) => numbers.filter((seq) => seq !== NO_ACK).length;

  test('are asked for with every frame at first, with every fourth in the long run', () => {
    const client = attach();
    expect(asked(flood(client, { frames: 25, ackMs: 1 }))).toBe(25);
    flood(client, { frames: 10, ackMs: 1 });
    const steady = flood(client, { frames: 4 * (UNASKED_FRAMES_MAX + 1), ackMs: 1 });
    expect(asked(steady)).toBe(4);
    expect(steady.map((seq) => (seq === NO_ACK ? '.' : 'a')).join('')).toMatch(/^\.{0,3}(a\.{3}){3}a\.{0,3}$/);
  });

  test('are asked for with every frame again after a pause', () => {
    const client = attach();
    flood(client, { frames: 50, ackMs: 1 });
    clock.advance(1000);
    acknowledge(client);
    expect(asked(flood(client, { frames: 25, ackMs: 1 }))).toBe(25);
  });

  test('a frame that comes late is no pause, where output has gone on', () => {
    const client = attach();
    flood(client, { frames: 50, ackMs: 1 });
    const wait = (ms: number) => {
      for (let i = 0; i < ms; i++) {
        print(world.window.active, String(clock.now));
        endTurn();
        clock.advance(1);
      }
    };
    wait(500);
    acknowledge(client);
    endTurn();
    acknowledge(client);
    const before = client.frames.length;
    wait(FLOOD_INTERVAL_MS - 1);
    expect(client.frames).toHaveLength(before);
  });

  test('a client that stops gets a few frames more, and the newest picture when it goes on', () => {
    const client = attach();
    flood(client, { frames: 50, ackMs: 1 });
    const before = client.frames.length;
    for (let i = 0; i < 1000; i++) {
      print(world.window.active, String(i));
      endTurn();
      clock.advance(1);
    }
    expect(client.frames.length).toBeLessThanOrEqual(before + UNASKED_FRAMES_MAX + 1);
    acknowledge(client);
    endTurn();
    expect(shown(client)[0]).toBe('999');
  });

  test('are asked for with every frame of a client that holds frames up', () => {
    const client = attach();
    flood(client, { frames: 50, ackMs: 1 });
    flood(client, { frames: 8, ackMs: 2 * FLOOD_INTERVAL_MS });
    expect(asked(flood(client, { frames: 20, ackMs: 2 * FLOOD_INTERVAL_MS }))).toBe(20);
  });
});

describe('beside a flood', () => {
  /** A client that has seen another pane flood for a while, all of it acknowledged. */
  function floodBeside(): { client: TestClient; typedInto: Pane; other: Pane } {
    const other = world.split('column');
    const client = attach();
    sceneOf(client).drawsPanes = true;
    for (let i = 0; i < 40; i++) {
      print(other, `flood ${i}`);
      endTurn();
      acknowledge(client);
      clock.advance(FLOOD_INTERVAL_MS);
    }
    return { client, typedInto: world.window.panes[0]!, other };
  }

  test('the answer to a typed key goes without the flood, which is drawn at its own time', () => {
    const { client, typedInto, other } = floodBeside();
    print(other, 'flood');
    endTurn();
    acknowledge(client);
    print(other, 'more');
    endTurn();
    scheduler.typed(client.client, typedInto);
    print(typedInto, 'k');
    endTurn();
    expect(shown(client).slice(0, 2)).toEqual(['k', 'flood']);
    acknowledge(client);
    clock.advance(TYPING_INTERVAL_MS);
    expect(shown(client).slice(0, 2)).toEqual(['k', 'more']);
  });

  test('the flood is drawn more rarely while somebody types, and never less for it', () => {
    const { client, typedInto, other } = floodBeside();
    let seen = 0;
    for (let ms = 0; ms < 10 * TYPING_INTERVAL_MS; ms += 4) {
      const before = shown(client)[1];
      if (ms % 40 === 0) {
        scheduler.typed(client.client, typedInto);
        print(typedInto, `${ms}`);
        endTurn();
        expect(shown(client)[0]).toBe(`${ms}`);
      }
      print(other, `${ms}`);
      endTurn();
      clock.advance(4);
      acknowledge(client);
      if (shown(client)[1] !== before) seen++;
    }
    expect(seen).toBeGreaterThanOrEqual(9);
    expect(seen).toBeLessThanOrEqual(11);
  });
});
