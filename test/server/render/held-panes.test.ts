import { expect, test } from 'vitest';
import { rowText } from '../../../protocol/cell.ts';
import { applyDamage } from '../../../protocol/damage.ts';
import { blankFrame, type Frame } from '../../../protocol/frame.ts';
import { FrameScheduler } from '../../../server/render/frame-scheduler.ts';
import { Scene } from '../../../server/render/scene.ts';
import { ManualClock } from '../../support/manual-delay.ts';
import { RenderWorld, screenOf } from '../../support/render-world.ts';

test('what lay over a pane in a synchronised update is gone with it', () => {
  const world = new RenderWorld({ cols: 20, rows: 8 });
  world.set('status', 'off');
  const tester = world.addClient({ cols: 20, rows: 8 });
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
  let shown: Frame = blankFrame({ cols: 0, rows: 0 });
  let applied = 0;
  const settle = () => {
    for (let i = 0; i < 4; i++) {
      for (const run of turns.splice(0)) run();
      for (const { damage } of tester.frames.slice(applied)) shown = applyDamage(shown, damage);
      applied = tester.frames.length;
      scheduler.acknowledged(client, tester.frames.at(-1)?.seq ?? 0);
      clock.advance(100);
    }
  };
  const pane = world.window.active;
  screenOf(pane).lines = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  scheduler.add(client);
  settle();
  client.message = { text: 'message', until: undefined };
  world.registry.markClient(client);
  settle();
  screenOf(pane).modes.synchronizedOutput = true;
  world.registry.markPane(pane);
  client.message = undefined;
  world.registry.markClient(client);
  settle();
  screenOf(pane).modes.synchronizedOutput = false;
  world.registry.markPane(pane);
  settle();
  expect(shown.rows.map(rowText).join('').replaceAll(' ', '')).toBe('abcdefgh');
});
