/** A frame scheduler over a model, with clients that take frames, a clock that is turned by hand and turns that end by hand. */
import { DEFAULT_STYLE, rowText, setCell } from '../../protocol/cell.ts';
import { applyDamage } from '../../protocol/damage.ts';
import { blankFrame, type Frame } from '../../protocol/frame.ts';
import type { Point } from '../../protocol/geometry.ts';
import type { MousePlace } from '../../server/keys/mouse-keys.ts';
import type { ClientSession } from '../../server/model/client-session.ts';
import type { Pane } from '../../server/model/pane.ts';
import type { NextRows } from '../../server/render/frame-pair.ts';
import { type ClientScene, FrameScheduler } from '../../server/render/frame-scheduler.ts';
import { ManualClock } from './manual-delay.ts';
import { RenderWorld, screenOf, type TestClient } from './render-world.ts';

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

/** The size of window and clients. */
export const SIZE = { cols: 8, rows: 4 };

export class SchedulerWorld {
  readonly world = new RenderWorld(SIZE);
  readonly clock = new ManualClock();
  readonly failures: unknown[] = [];
  readonly scheduler: FrameScheduler;
  readonly #turns: (() => void)[] = [];
  readonly #rehearsals: (() => void)[] = [];
  readonly #scenes = new Map<ClientSession, LinesScene>();

  constructor() {
    this.clock.now = 1000;
    this.scheduler = new FrameScheduler({
      registry: this.world.registry,
      now: () => this.clock.now,
      after: this.clock.delay,
      nextTurn: (run) => this.#turns.push(run),
      meanwhile: (run) => this.#rehearsals.push(run),
      createScene: (client) => {
        const scene = new LinesScene(client);
        this.#scenes.set(client, scene);
        return scene;
      },
      failed: (_client, error) => this.failures.push(error),
    });
  }

  /** Runs what waits for the end of the turn. */
  readonly endTurn = (): void => {
    for (const run of this.#turns.splice(0)) run();
  };

  /** Runs what may run while a key is with its program. */
  readonly rehearse = (): void => {
    for (const run of this.#rehearsals.splice(0)) run();
  };

  /** A client that has its first frame. */
  readonly attach = (): TestClient => {
    const client = this.world.addClient(SIZE);
    this.scheduler.add(client.client);
    this.endTurn();
    this.acknowledge(client);
    this.clock.advance(100);
    return client;
  };

  readonly acknowledge = (client: TestClient): void => {
    this.scheduler.acknowledged(client.client, client.frames.at(-1)?.seq ?? -1);
  };

  readonly print = (pane: Pane, text: string): void => {
    screenOf(pane).lines = [text];
    this.world.registry.markPane(pane);
  };

  readonly sceneOf = (client: TestClient): LinesScene => {
    const scene = this.#scenes.get(client.client);
    if (!scene) throw new Error('the client has no scene');
    return scene;
  };
}

/** What the client shows after all the frames it got. */
export function shown(client: TestClient): string[] {
  let frame = blankFrame({ cols: 0, rows: 0 });
  for (const { damage } of client.frames) frame = applyDamage(frame, damage);
  return frame.rows.map((row) => rowText(row).trimEnd());
}
