import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { Pane } from '../../../server/model/pane.ts';
import { PaneResizes } from '../../../server/panes/pane-resizes.ts';

function resizesWorld() {
  const told: string[] = [];
  const turns: (() => void)[] = [];
  const timers: { readonly delayMs: number; readonly run: () => void }[] = [];
  const world = { now: 1000, told, timers, turn: () => turns.splice(0).map((run) => run()) };
  const resizes = new PaneResizes({
    now: () => world.now,
    after: (delayMs, run) => {
      timers.push({ delayMs, run });
      return () => {};
    },
    nextTurn: (run) => {
      turns.push(run);
    },
  });
  const pane = {
    size: { cols: 80, rows: 24 },
    pty: { resize: ({ cols, rows }: { cols: number; rows: number }) => told.push(`${cols}x${rows}`) },
  };
  const resize = (cols: number) => {
    pane.size = { cols, rows: 24 };
    // Of a pane nothing else is used.
    resizes.tellSoon(pane as unknown as Pane);
  };
  return { world, resize };
}

describe('a pane that is resized', () => {
  it('tells its program at the end of the turn, once, the last size', () => {
    const { world, resize } = resizesWorld();
    resize(79);
    resize(78);
    expect(world.told).toEqual([]);
    world.turn();
    expect(world.told).toEqual(['78x24']);
  });

  it('tells further sizes 50 ms apart, the last one always', () => {
    const { world, resize } = resizesWorld();
    resize(79);
    world.turn();
    world.now += 20;
    resize(78);
    resize(77);
    world.turn();
    expect(world.told).toEqual(['79x24']);
    expect(world.timers.map(({ delayMs }) => delayMs)).toEqual([30]);
    world.now += 30;
    world.timers[0]?.run();
    expect(world.told).toEqual(['79x24', '77x24']);
  });

  it('is kept by nobody here once it is gone, though its size was told', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const resizes = new PaneResizes({ now: () => 0, after: () => () => {}, nextTurn: (run) => run() });
    const tellOne = () => {
      const pane = { size: { cols: 80, rows: 24 }, pty: undefined };
      resizes.tellSoon(pane as unknown as Pane);
      return new WeakRef(pane);
    };
    const panes = Array.from({ length: 8 }, tellOne);
    // A WeakRef holds what it is of until the turn is over.
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    expect(panes.filter((pane) => pane.deref() !== undefined)).toEqual([]);
    // It is there to the end.
    resizes.tellSoon({ size: { cols: 1, rows: 1 } } as unknown as Pane);
  });
});
