import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CELL_WORDS, cellWidth, type Row, rowColumns } from '../../../protocol/cell.ts';
import { applyDamage } from '../../../protocol/damage.ts';
import { blankFrame, type Frame } from '../../../protocol/frame.ts';
import { sameRow } from '../../../protocol/scroll.ts';
import { FrameScheduler } from '../../../server/render/frame-scheduler.ts';
import { Scene } from '../../../server/render/scene.ts';
import { ManualClock } from '../../support/manual-delay.ts';
import { RenderWorld, screenOf, type TestClient } from '../../support/render-world.ts';

type Step =
  | { readonly kind: 'print'; readonly pane: number; readonly y: number; readonly text: string }
  | { readonly kind: 'split'; readonly axis: 'row' | 'column' }
  | { readonly kind: 'zoom' | 'select' | 'sync'; readonly pane: number }
  | { readonly kind: 'resize'; readonly client: number; readonly cols: number; readonly rows: number }
  | { readonly kind: 'set'; readonly option: readonly [string, string] }
  | { readonly kind: 'message'; readonly client: number; readonly text: string | undefined }
  | { readonly kind: 'ack' | 'redraw' | 'leave'; readonly client: number }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'type'; readonly client: number; readonly pane: number }
  | { readonly kind: 'rehearse' };

const OPTIONS = [
  ['status', 'off'],
  ['status', 'on'],
  ['status', '3'],
  ['status-position', 'top'],
  ['pane-border-status', 'top'],
  ['pane-border-status', 'bottom'],
  ['pane-border-status', 'off'],
  ['pane-border-lines', 'number'],
  ['window-style', 'bg=red'],
  ['mouse', 'on'],
] as const;

const text = fc
  .array(fc.constantFrom('a', 'b', ' ', '漢', '字', 'e\u0301', '\u{1f3f3}\ufe0f\u200d\u{1f308}'), { maxLength: 12 })
  .map((parts) => parts.join(''));
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('print' as const), pane: fc.nat(5), y: fc.nat(8), text }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('split' as const), axis: fc.constantFrom('row', 'column') }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('zoom', 'select', 'sync'), pane: fc.nat(5) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('resize' as const),
      client: fc.nat(2),
      cols: fc.integer({ min: 1, max: 30 }),
      rows: fc.integer({ min: 1, max: 12 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('set' as const), option: fc.constantFrom(...OPTIONS) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('message' as const),
      client: fc.nat(2),
      text: fc.option(text, { nil: undefined }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom('ack' as const, 'ack' as const, 'ack' as const, 'ack' as const, 'redraw' as const),
      client: fc.nat(2),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('leave' as const), client: fc.nat(2) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(40) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('type' as const), client: fc.nat(2), pane: fc.nat(5) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('rehearse' as const) }) },
);

/** Wide characters have their right half, and no half is without its other one. */
function hasHalves(row: Row): boolean {
  for (let x = 0; x < rowColumns(row); x++) {
    const width = cellWidth(row.words[x * CELL_WORDS] ?? 0);
    if (width !== 2) {
      if (width === 0) return true;
      continue;
    }
    x += 1;
    if (x >= rowColumns(row) || cellWidth(row.words[x * CELL_WORDS] ?? 0) !== 0) return true;
  }
  return false;
}

/** A client, and what it shows from what it was sent. */
class Watcher {
  readonly test: TestClient;
  shown: Frame = blankFrame({ cols: 0, rows: 0 });
  #applied = 0;

  constructor(test: TestClient) {
    this.test = test;
  }

  follow(): void {
    for (const { damage } of this.test.frames.slice(this.#applied)) this.shown = applyDamage(this.shown, damage);
    this.#applied = this.test.frames.length;
  }
}

/** A world and its three clients. */
class Rig {
  readonly world = new RenderWorld({ cols: 20, rows: 8 });
  readonly watchers = [0, 1, 2].map(() => new Watcher(this.world.addClient({ cols: 20, rows: 9 })));
  readonly clock = new ManualClock();
  readonly failures: unknown[] = [];
  readonly #turns: (() => void)[] = [];
  readonly #rehearsals: (() => void)[] = [];
  readonly #expand = (format: string) => format.slice(0, 40);
  readonly scheduler = new FrameScheduler({
    registry: this.world.registry,
    now: () => this.clock.now,
    after: this.clock.delay,
    nextTurn: (run) => this.#turns.push(run),
    meanwhile: (run) => this.#rehearsals.push(run),
    createScene: (client) => new Scene(client, { registry: this.world.registry, expand: this.#expand }),
    failed: (_client, error) => this.failures.push(error),
  });

  constructor() {
    for (const { test } of this.watchers) this.scheduler.add(test.client);
  }

  endTurn(): void {
    for (const run of this.#turns.splice(0)) run();
    for (const watcher of this.watchers) watcher.follow();
  }

  acknowledge({ test }: Watcher): void {
    this.scheduler.acknowledged(test.client, test.frames.at(-1)?.seq ?? 0);
  }

  /** Lets everything come to rest. */
  settle(): void {
    for (const pane of this.world.window.panes) {
      screenOf(pane).modes.synchronizedOutput = false;
      this.world.registry.markPane(pane);
    }
    for (let i = 0; i < 4; i++) {
      this.endTurn();
      for (const watcher of this.watchers) this.acknowledge(watcher);
      this.clock.advance(100);
    }
  }

  /** What a scene without a past draws. */
  fresh({ test, shown }: Watcher): Frame {
    const frame = blankFrame(test.client.size);
    const scene = new Scene(test.client, { registry: this.world.registry, expand: this.#expand });
    scene.draw(frame, { shown, isHeld: () => false });
    return frame;
  }

  run(step: Step): void {
    const { world } = this;
    const { window, registry } = world;
    const watcher = this.watchers['client' in step ? step.client : 0]!;
    const { client } = watcher.test;
    const pane = 'pane' in step ? window.panes[step.pane % window.panes.length] : undefined;
    if (step.kind === 'print' && pane) {
      screenOf(pane).lines[step.y] = step.text;
      registry.markPane(pane);
    } else if (step.kind === 'sync' && pane) {
      screenOf(pane).modes.synchronizedOutput = !screenOf(pane).modes.synchronizedOutput;
      registry.markPane(pane);
    } else if (step.kind === 'split') {
      if (window.active.rect.width < 5 || window.active.rect.height < 5 || window.zoomed) return;
      world.split(step.axis);
      registry.markWindow(window);
    } else if (step.kind === 'zoom' && pane) {
      if (!window.unzoom()) window.zoom(pane);
      registry.markWindow(window);
    } else if (step.kind === 'select' && pane) {
      if (!window.zoomed) window.setActive(pane);
      registry.markWindow(window);
    } else if (step.kind === 'resize') {
      client.size = { cols: step.cols, rows: step.rows };
      registry.markClient(client);
    } else if (step.kind === 'set') {
      world.set(...step.option);
      registry.markAll();
    } else if (step.kind === 'message') {
      client.message = step.text === undefined ? undefined : { text: step.text, until: undefined };
      registry.markClient(client);
    } else if (step.kind === 'ack') this.acknowledge(watcher);
    else if (step.kind === 'redraw') this.scheduler.redrawAll(client);
    else if (step.kind === 'leave') this.scheduler.add(client);
    else if (step.kind === 'wait') this.clock.advance(step.ms);
    else if (step.kind === 'type' && pane) this.scheduler.typed(client, pane);
    else if (step.kind === 'rehearse') for (const run of this.#rehearsals.splice(0)) run();
    this.endTurn();
  }
}

test('whatever happens, the damages add up to the picture, and no wide character is ever halved', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const rig = new Rig();
      for (const next of steps) {
        rig.run(next);
        for (const { shown } of rig.watchers) expect(shown.rows.some(hasHalves)).toBe(false);
      }
      rig.settle();
      expect(rig.failures).toEqual([]);
      for (const watcher of rig.watchers) {
        const { shown } = watcher;
        const fresh = rig.fresh(watcher);
        expect(shown.size).toEqual(fresh.size);
        expect(shown.cursor).toEqual(fresh.cursor);
        expect(shown.modes).toEqual(fresh.modes);
        const differing = fresh.rows.flatMap((row, y) => (sameRow(row, shown.rows[y] as Row) ? [] : [y]));
        expect(differing).toEqual([]);
      }
    }),
    { numRuns: 150 },
  );
});
