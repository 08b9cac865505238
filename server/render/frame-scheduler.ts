/**
 * Decides when each client's terminal is drawn again.
 *
 * Marks of the model make clients dirty. The first mark after quiet is drawn in the same turn of the event loop; then
 * frames are FRAME_INTERVAL_MS apart, and FLOOD_INTERVAL_MS once output has gone on without a pause. What answers a
 * client's own key does not wait for the interval, and goes without what other panes print. One frame is on its way at a
 * time, two when the second answers a key: a client that does not acknowledge is not drawn at all, and gets the newest
 * picture when it comes back. In a flood a client that keeps up is asked to acknowledge every fourth frame alone
 * (UNASKED_FRAMES_MAX): so many more may then be on their way. Output between the start and the end of a synchronised
 * update (DECSET 2026) is not painted, SYNC_HOLD_MS at most.
 */
import { encodeServerMessage } from '../../protocol/codec.ts';
import { applyDamage, type Damage, diffFrames } from '../../protocol/damage.ts';
import type { Frame } from '../../protocol/frame.ts';
import type { Point } from '../../protocol/geometry.ts';
import { NO_ACK } from '../../protocol/message.ts';
import { characterDamage } from '../../protocol/rehearsal.ts';
import type { MousePlace } from '../keys/mouse-keys.ts';
import type { ClientSession } from '../model/client-session.ts';
import type { Pane } from '../model/pane.ts';
import type { DirtyMark, Registry } from '../model/registry.ts';
import { CommonTicks, TICK_MS } from './common-ticks.ts';
import { FramePair, type NextRows } from './frame-pair.ts';
import { RowStore } from './row-store.ts';
import { SharedFrames, type SharedScene, type Viewer } from './shared-frames.ts';

/** Least time between two frames of a client, ms. */
export const FRAME_INTERVAL_MS = TICK_MS;
/** The same once output has gone on for a while, ms: parsing gets the time that drawing would take. */
export const FLOOD_INTERVAL_MS = 2 * TICK_MS;
/** The same while the person types, ms: a terminal that takes in a flood's picture is late for the key. */
export const TYPING_INTERVAL_MS = 6 * TICK_MS;
/** Frames in a row without a pause that make a flood. */
const FLOOD_FRAMES = 30;
/** Longest time from a frame to the next output that is no pause, ms; while the person types, twice the interval. */
const PAUSE_MS = 2 * FLOOD_INTERVAL_MS;
/** Frames on their way when one of them answers a key. */
const ECHO_FRAMES_MAX = 2;
/** Frames in a row of a flood that ask for no acknowledgement. */
export const UNASKED_FRAMES_MAX = 3;
/** Longest time that an unfinished synchronised update is held back, ms. */
export const SYNC_HOLD_MS = 1000;
/** Output of a pane counts as the answer to a key for this long, ms. */
const ECHO_MS = 250;
/** Frames are this far apart while a pane goes on answering a key, ms: what ^C leads to comes after the ^C itself. */
export const ANSWER_INTERVAL_MS = 5;

export interface DrawState {
  /** What the client shows now: the cells of held panes are taken from it. */
  readonly shown: Frame;
  readonly isHeld: (pane: Pane) => boolean;
}

/** The picture of one client; scene.ts has the real one. */
export interface ClientScene extends SharedScene {
  /** Draws all of the client's terminal. `into` has the client's size and any content. */
  draw(into: Frame, state: DrawState): void;
  /**
   * Draws what panes printed since the last drawing. `into` looks as that one; its rows are changed by way of `rows`. False
   * where that is not enough, and then all is to be drawn.
   */
  drawOutput(into: Frame, rows: NextRows, isHeld: (pane: Pane) => boolean): boolean;
  /** Whether panes have printed since they were drawn. */
  isBehind(isHeld: (pane: Pane) => boolean): boolean;
  /** Something that the status lines and titles may tell has changed: expand their formats at the next draw. */
  refreshStatus(): void;
  /** Option status-interval in ms, 0 for never. */
  readonly statusIntervalMs: number;
  /** What the mouse means at a cell of the terminal as last drawn. */
  placeAt(point: Point): MousePlace | undefined;
}

export interface SchedulerContext {
  readonly registry: Registry;
  /** ms, monotonic. */
  readonly now: () => number;
  /** Runs once after a time; the returned function calls it off. */
  readonly after: (delayMs: number, run: () => void) => () => void;
  /** Runs at the end of this turn of the event loop (setImmediate). */
  readonly nextTurn: (run: () => void) => void;
  readonly createScene: (client: ClientSession) => ClientScene;
  /**
   * Runs something that only makes the next frame come sooner, where there is time for that; without it nothing does.
   */
  readonly meanwhile?: (run: () => void) => void;
  /** Drawing threw, which is a bug; the client keeps its old picture. */
  readonly failed: (client: ClientSession, error: unknown) => void;
}

/** When a view is drawn next: not planned, at the end of the turn, or by a timer that can be called off. */
type Plan = 'none' | 'turn' | { readonly cancel: () => void };

/**
 * What the next frame waits for: the interval of frames, a shorter one, the end of the turn, and, if it is the first answer
 * to a key, not even for the frame before it. In rising order.
 */
const URGENCIES = ['none', 'answer', 'turn', 'echo'] as const;
type Urgency = (typeof URGENCIES)[number];

interface View extends Viewer {
  readonly client: ClientSession;
  readonly scene: ClientScene;
  seq: number;
  /** Frames on their way that are to be acknowledged, oldest first. */
  inFlight: number[];
  /** Frames since the last of those. */
  unasked: number;
  /** The last acknowledgement came before there was more to draw. */
  keepsUp: boolean;
  isDirty: boolean;
  /** When it became so last, ms. */
  dirtyAt: number;
  urgency: Urgency;
  plan: Plan;
  /** When something was drawn last, and when all of it was, ms. */
  drawnAt: number;
  wholeAt: number;
  /** Whole frames since the last pause. */
  streak: number;
  /** The pane that got this client's key, and until when its output is the answer. */
  echo: { readonly pane: Pane; readonly until: number; isAnswered: boolean } | undefined;
  statusTimer: { readonly intervalMs: number; readonly cancel: () => void } | undefined;
}

export class FrameScheduler {
  readonly #context: SchedulerContext;
  readonly #views = new Map<ClientSession, View>();
  readonly #rows = new RowStore();
  readonly #shared = new SharedFrames();
  readonly #ticks: CommonTicks;
  #isRehearsing = false;
  /** Panes inside a synchronised update, with the time it was first seen, ms. */
  readonly #holds = new Map<Pane, { readonly since: number; readonly cancel: () => void }>();
  readonly #unsubscribe: readonly (() => void)[];
  readonly #isHeld = (pane: Pane): boolean => {
    const hold = this.#holds.get(pane);
    return hold !== undefined && isUpdating(pane) && this.#context.now() - hold.since < SYNC_HOLD_MS;
  };

  constructor(context: SchedulerContext) {
    this.#context = context;
    this.#ticks = new CommonTicks(context);
    const { registry } = context;
    this.#unsubscribe = [
      registry.dirty.subscribe((mark) => this.#mark(mark)),
      registry.events.subscribe(() => this.#refresh(() => true)),
    ];
  }

  /** Begins to draw a client that has attached, from a blank screen. */
  add(client: ClientSession): void {
    this.remove(client);
    const view: View = {
      client,
      scene: this.#context.createScene(client),
      frames: new FramePair(this.#rows),
      seq: 0,
      inFlight: [],
      unasked: 0,
      keepsUp: false,
      isDirty: false,
      dirtyAt: Number.NEGATIVE_INFINITY,
      isStale: true,
      urgency: 'none',
      plan: 'none',
      drawnAt: Number.NEGATIVE_INFINITY,
      wholeAt: Number.NEGATIVE_INFINITY,
      streak: 0,
      echo: undefined,
      statusTimer: undefined,
    };
    this.#views.set(client, view);
    this.#plan(view);
  }

  /** Forgets a client that has detached. */
  remove(client: ClientSession): void {
    const view = this.#views.get(client);
    if (!view) return;
    this.#views.delete(client);
    cancelPlan(view);
    view.statusTimer?.cancel();
    view.frames.forget();
  }

  /** The client's key went to this pane: its next output is drawn at once for this client. */
  typed(client: ClientSession, pane: Pane): void {
    const view = this.#views.get(client);
    if (!view) return;
    view.echo = { pane, until: this.#context.now() + ECHO_MS, isAnswered: false };
    if (!this.#context.meanwhile || this.#isRehearsing) return;
    this.#isRehearsing = true;
    this.#context.meanwhile(() => {
      this.#isRehearsing = false;
      try {
        this.#rehearse(view);
      } catch (error) {
        this.#context.failed(client, error);
      }
    });
  }

  /** Goes through what drawing the answer will go through, and leaves everything as it was (protocol/rehearsal.ts). */
  #rehearse(view: View): void {
    const { client, frames, scene, isStale, isDirty } = view;
    if (this.#views.get(client) !== view || !client.session) return;
    if (isStale || isDirty || !isFree(view) || scene.isBehind(this.#isHeld) || !frames.keep(client.size)) return;
    const { drawn } = scene;
    scene.drawOutput(frames.next, frames, this.#isHeld);
    scene.drawn = drawn;
    const { shown } = frames;
    const damage = characterDamage(shown);
    const changed = damage && diffFrames(shown, applyDamage(shown, damage));
    if (changed) encodeServerMessage({ kind: 'frame', seq: NO_ACK, damage: changed });
  }

  /** The client has written frame `seq` to its terminal. Numbers of no frame on its way are ignored. */
  acknowledged(client: ClientSession, seq: number): void {
    const view = this.#views.get(client);
    if (!view?.inFlight.includes(seq)) return;
    view.inFlight = view.inFlight.filter((other) => other > seq);
    view.keepsUp = !view.isDirty || this.#waitMs(view) > 0;
    if (view.isDirty) this.#plan(view);
  }

  /** Draws everything again: the client's terminal is taken for blank (after a resize, refresh-client). */
  redrawAll(client: ClientSession): void {
    const view = this.#views.get(client);
    if (!view) return;
    view.frames.forget();
    view.scene.refreshStatus();
    view.isStale = true;
    hurry(view, 'turn');
    this.#plan(view);
  }

  /** Expands the client's status lines and titles again at the next draw (refresh-client -S). */
  refreshStatus(client: ClientSession): void {
    this.#refresh((other) => other === client);
  }

  /** Whether any client shows the pane. */
  isShown(pane: Pane): boolean {
    for (const { client } of this.#views.values()) if (shows(client, pane)) return true;
    return false;
  }

  /** What the mouse means at a cell of the client's terminal; undefined for nothing. */
  placeAt(client: ClientSession, point: Point): MousePlace | undefined {
    return this.#views.get(client)?.scene.placeAt(point);
  }

  dispose(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    for (const client of [...this.#views.keys()]) this.remove(client);
    for (const pane of [...this.#holds.keys()]) this.#release(pane);
  }

  #mark(mark: DirtyMark): void {
    switch (mark.kind) {
      case 'pane':
        this.#markPane(mark.pane);
        return;
      case 'window':
        this.#refresh(({ session }) => session?.find(mark.window) !== undefined);
        return;
      case 'session':
        this.#refresh(({ session }) => session === mark.session);
        return;
      case 'client':
        this.#refresh((client) => client === mark.client);
        return;
      case 'all':
        this.#refresh(() => true);
        return;
    }
  }

  /** Status lines and all of the clients that are concerned. */
  #refresh(concerns: (client: ClientSession) => boolean): void {
    for (const view of this.#views.values()) {
      if (!concerns(view.client)) continue;
      view.scene.refreshStatus();
      view.isStale = true;
      this.#plan(view);
    }
  }

  #markPane(pane: Pane): void {
    const hasEnded = this.#followUpdate(pane);
    if (this.#isHeld(pane)) return;
    const now = this.#context.now();
    for (const view of this.#views.values()) {
      if (!shows(view.client, pane)) continue;
      const { echo } = view;
      if (echo?.pane === pane) {
        if (now > echo.until) view.echo = undefined;
        else {
          hurry(view, echo.isAnswered ? 'answer' : 'echo');
          echo.isAnswered = true;
        }
      }
      // The next update may begin before the turn ends, so a finished one is drawn here and now, if one is due.
      if (hasEnded && isFree(view) && this.#waitMs(view) <= 0) this.#draw(view);
      else this.#plan(view);
    }
  }

  /** Notes that a synchronised update of the pane began or ended; true if it ended. */
  #followUpdate(pane: Pane): boolean {
    if (!isUpdating(pane)) return this.#release(pane);
    if (this.#holds.has(pane)) return false;
    const { panes } = this.#context.registry;
    for (const held of this.#holds.keys()) if (!panes.has(held.id)) this.#release(held);
    const cancel = this.#context.after(SYNC_HOLD_MS, () => {
      if (panes.has(pane.id)) this.#markPane(pane);
    });
    this.#holds.set(pane, { since: this.#context.now(), cancel });
    return false;
  }

  #release(pane: Pane): boolean {
    this.#holds.get(pane)?.cancel();
    return this.#holds.delete(pane);
  }

  /** Several clients are drawn at common times while output goes on; one alone has times of its own. */
  #isTogether(view: View): boolean {
    return this.#views.size > 1 && view.streak > 0 && this.#isWithoutPause(view);
  }

  #waitMs(view: View): number {
    if (view.urgency === 'turn' || view.urgency === 'echo') return 0;
    if (view.urgency === 'answer') return view.drawnAt + ANSWER_INTERVAL_MS - this.#context.now();
    const interval = this.#intervalMs(view);
    if (this.#isTogether(view)) return this.#ticks.waitMs(view.wholeAt, interval / TICK_MS);
    return view.wholeAt + interval - this.#context.now();
  }

  #intervalMs({ streak, echo }: View): number {
    if (streak < FLOOD_FRAMES) return FRAME_INTERVAL_MS;
    return echo && this.#context.now() <= echo.until ? TYPING_INTERVAL_MS : FLOOD_INTERVAL_MS;
  }

  /** A frame that comes late, where this process or the client was busy, makes no pause: output has gone on. */
  #isWithoutPause(view: View): boolean {
    const outputAt = view.isDirty ? view.dirtyAt : this.#context.now();
    return outputAt - view.wholeAt <= Math.max(PAUSE_MS, 2 * this.#intervalMs(view));
  }

  #plan(view: View): void {
    if (!view.isDirty) view.dirtyAt = this.#context.now();
    view.isDirty = true;
    if (!isFree(view) || view.plan === 'turn') return;
    const wait = this.#waitMs(view);
    if (wait > 0) {
      const timers = this.#isTogether(view) && view.urgency === 'none' ? this.#ticks : this.#context;
      if (view.plan === 'none') view.plan = { cancel: timers.after(wait, () => this.#draw(view)) };
      return;
    }
    cancelPlan(view);
    view.plan = 'turn';
    this.#context.nextTurn(() => {
      if (view.plan === 'turn') this.#draw(view);
    });
  }

  #draw(view: View): void {
    cancelPlan(view);
    if (this.#views.get(view.client) !== view || !isFree(view)) return;
    const answering = view.isStale ? undefined : answeringPane(view);
    const now = this.#context.now();
    view.drawnAt = now;
    if (!answering) {
      view.streak = this.#isWithoutPause(view) ? view.streak + 1 : 0;
      view.wholeAt = now;
    }
    view.isDirty = false;
    view.urgency = 'none';
    if (!view.client.session) return;
    const isHeld = answering ? (pane: Pane) => pane !== answering || this.#isHeld(pane) : this.#isHeld;
    try {
      this.#send(view, isHeld);
    } catch (error) {
      this.#context.failed(view.client, error);
    }
    this.#armStatusTimer(view);
    if (answering && view.scene.isBehind(this.#isHeld)) this.#plan(view);
  }

  #send(view: View, isHeld: (pane: Pane) => boolean): void {
    const { damage } = this.#shared.follow(view, isHeld) ?? this.#drawNext(view, isHeld);
    if (!damage) return;
    view.client.send({ kind: 'frame', seq: nextSequence(view), damage });
  }

  /** Draws the client's next frame, without what held panes print; gives what is new in it. */
  #drawNext(view: View, isHeld: (pane: Pane) => boolean): { readonly damage: Damage | undefined } {
    const { client, frames, scene } = view;
    const { shown } = frames;
    const { drawn } = scene;
    const isStale = view.isStale || !frames.keep(client.size);
    // Whatever goes wrong here, the next frame is drawn from the start.
    view.isStale = true;
    const isOutput = !isStale && scene.drawOutput(frames.next, frames, isHeld);
    if (!isOutput) scene.draw(frames.renew(client.size), { shown, isHeld: this.#isHeld });
    view.isStale = false;
    const damage = diffFrames(shown, frames.next);
    if (damage) frames.swap();
    if (this.#views.size > 1) {
      if (isOutput) this.#shared.note(shown, drawn, view, damage);
      this.#shared.join(view, this.#views.values());
    }
    return { damage };
  }

  /** Keeps the timer of option status-interval, which may change at any time. */
  #armStatusTimer(view: View): void {
    const intervalMs = view.scene.statusIntervalMs;
    if (intervalMs === (view.statusTimer?.intervalMs ?? 0)) return;
    view.statusTimer?.cancel();
    view.statusTimer = undefined;
    if (intervalMs === 0) return;
    const cancel = this.#context.after(intervalMs, () => {
      view.statusTimer = undefined;
      view.scene.refreshStatus();
      view.isStale = true;
      this.#armStatusTimer(view);
      this.#plan(view);
    });
    view.statusTimer = { intervalMs, cancel };
  }
}

function cancelPlan(view: View): void {
  if (typeof view.plan === 'object') view.plan.cancel();
  view.plan = 'none';
}

/** Makes the next frame at least that urgent. A timer that was set for later is called off. */
function hurry(view: View, urgency: Urgency): void {
  if (URGENCIES.indexOf(urgency) <= URGENCIES.indexOf(view.urgency)) return;
  view.urgency = urgency;
  if (typeof view.plan === 'object') cancelPlan(view);
}

/** The pane whose output is the answer to a key, if the next frame is for that alone. */
function answeringPane({ urgency, echo }: View): Pane | undefined {
  return urgency === 'echo' || urgency === 'answer' ? echo?.pane : undefined;
}

/** The number of the frame that is sent now; NO_ACK for none in a flood, as long as the client keeps up. */
function nextSequence(view: View): number {
  const isSpared = view.streak >= FLOOD_FRAMES && view.keepsUp && view.inFlight.length === 0;
  if (isSpared && view.unasked < UNASKED_FRAMES_MAX) {
    view.unasked += 1;
    return NO_ACK;
  }
  view.unasked = 0;
  view.seq += 1;
  view.inFlight.push(view.seq);
  return view.seq;
}

/** Whether another frame may be sent: an echo does not wait for the frame before it to arrive. */
function isFree({ inFlight, urgency }: View): boolean {
  return inFlight.length < (urgency === 'echo' ? ECHO_FRAMES_MAX : 1);
}

/** Whether the pane's own screen is shown and its program is in the middle of an update. */
function isUpdating(pane: Pane): boolean {
  return pane.showsScreen && pane.emulator.modes.synchronizedOutput;
}

function shows(client: ClientSession, pane: Pane): boolean {
  if (client.overlay?.pane === pane) return true;
  const { session } = client;
  if (!session || session.isEmpty) return false;
  const { window } = session.current;
  return window === pane.window && (window.zoomed === undefined || window.zoomed === pane);
}
