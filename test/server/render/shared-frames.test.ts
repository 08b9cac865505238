import { beforeEach, describe, expect, test } from 'vitest';
import { rowText } from '../../../protocol/cell.ts';
import { applyDamage } from '../../../protocol/damage.ts';
import { blankFrame } from '../../../protocol/frame.ts';
import { FRAME_INTERVAL_MS, FrameScheduler } from '../../../server/render/frame-scheduler.ts';
import { Scene } from '../../../server/render/scene.ts';
import { ManualClock } from '../../support/manual-delay.ts';
import { RenderWorld, screenOf, type TestClient } from '../../support/render-world.ts';

const SIZE = { cols: 12, rows: 4 };
let world: RenderWorld;
let clock: ManualClock;
let turns: (() => void)[];
let scheduler: FrameScheduler;
/** How often each client's scene drew output or all. */
let draws: Map<TestClient['client'], number>;

class CountingScene extends Scene {
  onDraw: () => void = () => {};

  override draw(...args: Parameters<Scene['draw']>): void {
    this.onDraw();
    super.draw(...args);
  }

  override drawOutput(...args: Parameters<Scene['drawOutput']>): boolean {
    this.onDraw();
    return super.drawOutput(...args);
  }
}

beforeEach(() => {
  world = new RenderWorld({ cols: SIZE.cols, rows: SIZE.rows - 1 });
  clock = new ManualClock();
  turns = [];
  draws = new Map();
  scheduler = new FrameScheduler({
    registry: world.registry,
    now: () => clock.now,
    after: clock.delay,
    nextTurn: (run) => turns.push(run),
    meanwhile: (run) => turns.push(run),
    createScene: (client) => {
      const scene = new CountingScene(client, { registry: world.registry, expand: () => 'status' });
      scene.onDraw = () => draws.set(client, (draws.get(client) ?? 0) + 1);
      return scene;
    },
    failed: (_client, error) => {
      throw error;
    },
  });
});

function attach(size = SIZE): TestClient {
  const client = world.addClient(size);
  scheduler.add(client.client);
  settle(client);
  return client;
}

function endTurn(): void {
  for (const run of turns.splice(0)) run();
}

/** Everything is drawn, and these clients say that they have it. */
function settle(...clients: TestClient[]): void {
  endTurn();
  for (const { client, frames } of clients) scheduler.acknowledged(client, frames.at(-1)?.seq ?? 0);
  clock.advance(100);
  endTurn();
}

function print(...lines: string[]): void {
  screenOf(world.window.active).lines = lines;
  world.registry.markPane(world.window.active);
}

function shown({ frames }: TestClient): string[] {
  let frame = blankFrame({ cols: 0, rows: 0 });
  for (const { damage } of frames) frame = applyDamage(frame, damage);
  return frame.rows.map((row) => rowText(row).trimEnd());
}

describe('clients that show the same', () => {
  test('are drawn once, and get one damage', () => {
    const [a, b, c] = [attach(), attach(), attach()];
    draws.clear();
    for (let i = 0; i < 5; i++) {
      print('hello', `line ${i}`);
      settle(a, b, c);
    }
    expect([...draws.values()]).toEqual([5]);
    expect(b.frames.at(-1)?.damage).toBe(a.frames.at(-1)?.damage);
    for (const client of [a, b, c]) expect(shown(client)).toEqual(['hello', 'line 4', '', 'status']);
  });

  test('part when one is slow, which then gets the newest, and come together again', () => {
    const [a, b] = [attach(), attach()];
    print('one');
    settle(a);
    print('one', 'two');
    settle(a);
    print('one', 'two', 'three');
    settle(a);
    expect(shown(b)).toEqual(['one', '', '', 'status']);
    settle(a, b);
    expect(shown(b)).toEqual(['one', 'two', 'three', 'status']);
    settle(a, b);
    draws.clear();
    print('four');
    settle(a, b);
    expect([...draws.values()]).toEqual([1]);
    expect(shown(b)).toEqual(shown(a));
  });

  test('stay together when one of them types', () => {
    const [a, b] = [attach(), attach()];
    print('one');
    settle(a, b);
    const { length } = a.frames;
    scheduler.typed(a.client, world.window.active);
    draws.clear();
    endTurn();
    // The rehearsal of what will be drawn.
    expect([...draws.keys()]).toEqual([a.client]);
    expect(a.frames).toHaveLength(length);
    draws.clear();
    print('two');
    settle(a, b);
    expect([...draws.values()]).toEqual([1]);
    expect(shown(a)).toEqual(['two', '', '', 'status']);
    expect(shown(b)).toEqual(shown(a));
  });

  test('are drawn each by itself while one has a message', () => {
    const [a, b] = [attach(), attach()];
    b.client.message = { text: 'note', until: undefined };
    world.registry.markClient(b.client);
    settle(a, b);
    print('x');
    settle(a, b);
    expect(shown(a)).toEqual(['x', '', '', 'status']);
    expect(shown(b)).toEqual(['x', '', '', 'note']);
  });
});

test('what one client shows stays as it is while another goes on', () => {
  const [a, b] = [attach(), attach()];
  print('start');
  settle(a, b);
  for (let i = 0; i < 10; i++) {
    print(`${i}`, `${i * 2}`, `${i * 3}`);
    clock.advance(FRAME_INTERVAL_MS);
    settle(a);
  }
  b.client.message = { text: 'note', until: undefined };
  world.registry.markClient(b.client);
  settle(a, b);
  settle(a, b);
  expect(shown(b)).toEqual(['9', '18', '27', 'note']);
  expect(shown(a)).toEqual(['9', '18', '27', 'status']);
});

test('clients of other sizes are no company', () => {
  const [a, b] = [attach(), attach({ cols: 10, rows: 4 })];
  print('hello');
  settle(a, b);
  expect(shown(a)[0]).toBe('hello');
  expect(shown(b)[0]).toBe('hello');
  expect(b.frames.at(-1)?.damage).not.toBe(a.frames.at(-1)?.damage);
});
