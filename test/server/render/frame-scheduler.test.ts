import { beforeEach, describe, expect, test } from 'vitest';
import { DEFAULT_STYLE, rowText, setCell } from '../../../protocol/cell.ts';
import { applyDamage } from '../../../protocol/damage.ts';
import { blankFrame, type Frame } from '../../../protocol/frame.ts';
import type { Point } from '../../../protocol/geometry.ts';
import type { MousePlace } from '../../../server/keys/mouse-keys.ts';
import type { ClientSession } from '../../../server/model/client-session.ts';
import type { Pane } from '../../../server/model/pane.ts';
import type { NextRows } from '../../../server/render/frame-pair.ts';
import {
  ANSWER_INTERVAL_MS,
  type ClientScene,
  FLOOD_INTERVAL_MS,
  FRAME_INTERVAL_MS,
  FrameScheduler,
  SYNC_HOLD_MS,
  TYPING_INTERVAL_MS,
} from '../../../server/render/frame-scheduler.ts';
import { ManualClock } from '../../support/manual-delay.ts';
import { RenderWorld, screenOf, type TestClient } from '../../support/render-world.ts';

/** Shows the first line of each pane, one a row; a held pane's row stays. */
class LinesScene implements ClientScene {
  draws = 0;
  refreshes = 0;
  statusIntervalMs = 0;
  breaks = false;
  readonly client: ClientSession;

  constructor(client: ClientSession) {
    this.client = client;
  }

  draw(into: Frame, { shown, isHeld }: { shown: Frame; isHeld: (pane: Pane) => boolean }): void {
    this.draws++;
    if (this.breaks) throw new Error('broken scene');
    this.client.session?.current.window.panes.forEach((pane, y) => {
      const row = into.rows[y];
      const text = isHeld(pane) ? (shown.rows[y] ? rowText(shown.rows[y]) : '') : (screenOf(pane).lines[0] ?? '');
      if (!row) return;
      for (const [x, char] of [...text.padEnd(into.size.cols)].entries()) setCell(row, x, char, 1, DEFAULT_STYLE);
    });
  }

  drawn: undefined;
  /** Whether panes are drawn one by one. */
  drawsPanes = false;
  readonly #lines = new Map<Pane, string>();

  drawOutput(into: Frame, rows: NextRows, isHeld: (pane: Pane) => boolean): boolean {
    if (!this.drawsPanes) return false;
    for (const pane of this.#behind(isHeld)) {
      const text = screenOf(pane).lines[0] ?? '';
      this.#lines.set(pane, text);
      const row = rows.ownRow(pane.window.panes.indexOf(pane));
      for (const [x, char] of [...text.padEnd(into.size.cols)].entries()) setCell(row, x, char, 1, DEFAULT_STYLE);
    }
    return true;
  }

  isBehind(isHeld: (pane: Pane) => boolean): boolean {
    return this.#behind(isHeld).length > 0;
  }

  #behind(isHeld: (pane: Pane) => boolean): Pane[] {
    const panes = this.drawsPanes ? (this.client.session?.current.window.panes ?? []) : [];
    return panes.filter((pane) => !isHeld(pane) && this.#lines.get(pane) !== screenOf(pane).lines[0]);
  }

  wouldDraw(): boolean {
    return false;
  }

  refreshStatus(): void {
    this.refreshes++;
  }

  placeAt({ x, y }: Point): MousePlace {
    return { area: 'StatusDefault', pane: undefined, winlink: undefined, x, y };
  }
}

const SIZE = { cols: 8, rows: 4 };
let world: RenderWorld;
let clock: ManualClock;
let turns: (() => void)[];
let scheduler: FrameScheduler;
let scenes: Map<ClientSession, LinesScene>;
let failures: unknown[];

beforeEach(() => {
  world = new RenderWorld(SIZE);
  clock = new ManualClock();
  clock.now = 1000;
  turns = [];
  scenes = new Map();
  failures = [];
  scheduler = new FrameScheduler({
    registry: world.registry,
    now: () => clock.now,
    after: clock.delay,
    nextTurn: (run) => turns.push(run),
    createScene: (client) => {
      const scene = new LinesScene(client);
      scenes.set(client, scene);
      return scene;
    },
    failed: (_client, error) => failures.push(error),
  });
});

/** Runs what waits for the end of the turn. */
function endTurn(): void {
  for (const run of turns.splice(0)) run();
}

function attach(): TestClient {
  const client = world.addClient(SIZE);
  scheduler.add(client.client);
  endTurn();
  acknowledge(client);
  clock.advance(100);
  return client;
}

function acknowledge(client: TestClient): void {
  scheduler.acknowledged(client.client, client.frames.at(-1)?.seq ?? -1);
}

function print(pane: Pane, text: string): void {
  screenOf(pane).lines = [text];
  world.registry.markPane(pane);
}

/** What the client shows after all the frames it got. */
function shown(client: TestClient): string[] {
  let frame = blankFrame({ cols: 0, rows: 0 });
  for (const { damage } of client.frames) frame = applyDamage(frame, damage);
  return frame.rows.map((row) => rowText(row).trimEnd());
}

const sceneOf = (client: TestClient) => scenes.get(client.client)!;

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
