import { beforeEach, expect, test } from 'vitest';
import { CELL_WORDS, COLOR_MASK, COLOR_PALETTE16, rowText } from '../../../protocol/cell.ts';
import { applyDamage } from '../../../protocol/damage.ts';
import { blankFrame, type Frame } from '../../../protocol/frame.ts';
import { FrameScheduler } from '../../../server/render/frame-scheduler.ts';
import { Scene } from '../../../server/render/scene.ts';
import { ManualClock } from '../../support/manual-delay.ts';
import { RenderWorld, screenOf, type TestClient } from '../../support/render-world.ts';

const SIZE = { cols: 20, rows: 8 };
let world: RenderWorld;
let tester: TestClient;
let shown: Frame;
let settle: () => void;

beforeEach(() => {
  world = new RenderWorld(SIZE);
  world.set('status', 'off');
  tester = world.addClient(SIZE);
  const { client } = tester;
  const clock = new ManualClock();
  const turns: (() => void)[] = [];
  const scheduler = new FrameScheduler({
    registry: world.registry,
    now: () => clock.now,
    after: clock.delay,
    nextTurn: (run) => turns.push(run),
    createScene: (of) => new Scene(of, { registry: world.registry, expand: (format) => format }),
    failed: (_client, error) => {
      throw error;
    },
  });
  shown = blankFrame({ cols: 0, rows: 0 });
  let applied = 0;
  settle = () => {
    for (let i = 0; i < 4; i++) {
      for (const run of turns.splice(0)) run();
      for (const { damage } of tester.frames.slice(applied)) shown = applyDamage(shown, damage);
      applied = tester.frames.length;
      scheduler.acknowledged(client, tester.frames.at(-1)?.seq ?? 0);
      clock.advance(100);
    }
  };
  screenOf(world.window.active).lines = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  scheduler.add(client);
  settle();
});

/** The active pane's program begins or ends a synchronised update, or prints within none. */
function update(isUpdating: boolean): void {
  const pane = world.window.active;
  screenOf(pane).modes.synchronizedOutput = isUpdating;
  world.registry.markPane(pane);
}

test('what lay over a pane in a synchronised update is gone with it', () => {
  tester.client.message = { text: 'message', until: undefined };
  world.registry.markClient(tester.client);
  settle();
  update(true);
  tester.client.message = undefined;
  world.registry.markClient(tester.client);
  settle();
  update(false);
  settle();
  expect(shown.rows.map(rowText).join('').replaceAll(' ', '')).toBe('abcdefgh');
});

test('new default colours of a pane in a synchronised update come with its end', () => {
  update(true);
  world.set('window-style', 'bg=red');
  world.registry.markAll();
  settle();
  update(false);
  settle();
  const backgrounds = shown.rows.map(({ words }) => (words[CELL_WORDS * 5 + 2] ?? 0) & COLOR_MASK);
  expect(backgrounds).toEqual(Array.from({ length: SIZE.rows }, () => COLOR_PALETTE16 | 1));
});
