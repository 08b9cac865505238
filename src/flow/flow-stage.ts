/**
 * Dialogs on clients: what is up where, when it takes keys, what happens to keys until then. A client has a slot while
 * something of a flow is on it:
 *
 *   unpainted  the dialog was sent, its paint is not acknowledged
 *   settling   painted; armed after a time without a key (or a fixed time for a question that follows another)
 *   armed      takes keys
 *   gap        answered; stays, dimmed, for the asker's next question; keys typed meanwhile are held
 *
 * Until a dialog is armed keys pass to the pane, except for one that follows another question or that the person asked
 * to see: there they are typed ahead into a text prompt and dropped otherwise.
 */
import type { Asker, DialogOutcome } from '../../protocol/dialog.ts';
import type { Size } from '../../protocol/geometry.ts';
import type { InputEvent, Key } from '../../protocol/key.ts';
import type { MplexFlowScreen } from '../overlay/flow-screen.ts';
import { typeAhead, updateFlowScreen } from '../overlay/flow-screen.ts';
import type { OverlayOutcome } from '../overlay/overlay.ts';
import type { PromptPlace } from '../overlay/prompt.ts';
import type { Flow } from './flow.ts';

/** Time without a key before a dialog takes keys, ms. */
export const ARM_QUIET_MS = 500;
/** The same for a question that follows another, counted from its paint, ms. */
const ARM_FOLLOW_MS = 150;
/** How long an answered dialog waits for the asker's next question, ms. */
export const GAP_MS = 1000;
/** The key that ended a dialog, pressed again within this time, is a double press, ms. */
export const REPEAT_MS = 300;
/** Events held in a gap; later ones are dropped. */
const HELD_MAX = 256;

/** What the queue needs of the server. `C` is a client, compared by identity. */
export interface FlowHost<C> {
  /** Attached writable clients that may show the question, the most recently used first. */
  clientsFor(target: { readonly pane: string | undefined; readonly client: string | undefined }): readonly C[];
  /** Something else of the server's (prompt, menu, popup) is open there. Dialogs of this queue do not count. */
  isBusy(client: C): boolean;
  /** Draws the dialog in place of the flow's picture before; the client's paint comes back by `painted`. */
  show(client: C, screen: MplexFlowScreen): void;
  hide(client: C): void;
  size(client: C): Size;
  isPaneAlive(pane: string): boolean;
  /** The client's name, which is its terminal's path. */
  nameOf(client: C): string;
  /** Who runs in the pane, for the dialog's frame. */
  askerOf(pane: string | undefined): Asker | undefined;
  /** The keys that arm at once, `C-b Enter`. */
  armKeys(client: C): string;
  /** The keys that put a dialog aside, `C-b h`; '' for none. */
  hideKeys(client: C): string;
  promptPlace(client: C): PromptPlace;
  /** Types events into the client's pane that were held back for a question that did not come. */
  forward(client: C, events: readonly InputEvent[]): void;
}

export interface FlowClock {
  /** ms, monotonic. */
  now(): number;
  /** ms since the epoch, for what is told of times. */
  wall(): number;
  /** Runs once after a time and gives the means to call it off. */
  schedule(delayMs: number, run: () => void): () => void;
}

/** What the stage tells its owner. */
export interface StageListener<C> {
  painted(flow: Flow<C>, client: C): void;
  /** The person ended a dialog; the owner says what becomes of the slot (`startGap` or `clear`). */
  ended(flow: Flow<C>, outcome: DialogOutcome): void;
  /** A gap is over: the client is free. */
  freed(client: C): void;
}

/** quiet: armed after a time without a key · follow: after a fixed time, keys are the dialog's from the start. */
export type Arming = 'quiet' | 'follow';

interface DialogSlot<C> {
  readonly kind: 'unpainted' | 'settling' | 'armed';
  readonly flow: Flow<C>;
  readonly arming: Arming;
  readonly cancelTimer: () => void;
}

interface GapSlot<C> {
  readonly kind: 'gap';
  readonly flow: Flow<C>;
  readonly held: InputEvent[];
  /** To be run when the gap is over, however it ends. */
  readonly waiting: (() => void)[];
  readonly cancelTimer: () => void;
}

const NOTHING = () => {};

export class FlowStage<C> {
  readonly #host: FlowHost<C>;
  readonly #clock: FlowClock;
  readonly #listener: StageListener<C>;
  readonly #slots = new Map<C, DialogSlot<C> | GapSlot<C>>();
  /** The key that ended a dialog, and until when (ms) the same one is a double press: it is for nobody. */
  readonly #endKeys = new Map<C, { readonly key: Key; readonly until: number }>();

  constructor(host: FlowHost<C>, clock: FlowClock, listener: StageListener<C>) {
    this.#host = host;
    this.#clock = clock;
    this.#listener = listener;
  }

  /** Whether a dialog can be put up on the client. */
  isFree(client: C): boolean {
    return !this.#slots.has(client) && !this.#host.isBusy(client);
  }

  /** What is on the client: a dialog, or an answered one in its gap. */
  flowOn(client: C): { readonly flow: Flow<C>; readonly isGap: boolean } | undefined {
    const slot = this.#slots.get(client);
    return slot && { flow: slot.flow, isGap: slot.kind === 'gap' };
  }

  /** Whether a key at the client may be none of the panes'. */
  takesKeys(client: C): boolean {
    if (this.#slots.has(client)) return true;
    const end = this.#endKeys.get(client);
    return end !== undefined && this.#clock.now() < end.until;
  }

  /** The client that is kept for what follows an answered flow. */
  clientKeptFor(before: Flow<C>): C | undefined {
    for (const [client, slot] of this.#slots) {
      if (slot.kind === 'gap' && slot.flow === before && !this.#host.isBusy(client)) return client;
    }
    return undefined;
  }

  /** Puts a flow's dialog on a client, unarmed. What was typed in the gap before it goes into a text prompt. */
  putUp(client: C, flow: Flow<C>, arming: Arming): void {
    const before = this.#slots.get(client);
    before?.cancelTimer();
    flow.place = { kind: 'up', client };
    flow.screen = {
      ...atPlace(flow.screen, this.#host.promptPlace(client)),
      phase: 'unarmed',
      armKeys: this.#host.armKeys(client),
      hideKeys: this.#host.hideKeys(client),
    };
    if (before?.kind === 'gap' && arming === 'follow') {
      const size = this.#host.size(client);
      for (const event of before.held) flow.screen = typeAhead(flow.screen, event, size);
    }
    this.#slots.set(client, { kind: 'unpainted', flow, arming, cancelTimer: NOTHING });
    this.#host.show(client, flow.screen);
    runWaiting(before);
  }

  /** The client has painted the newest picture of its dialog. */
  painted(client: C): void {
    const slot = this.#slots.get(client);
    if (slot?.kind !== 'unpainted') return;
    this.#settle(client, slot);
    this.#listener.painted(slot.flow, client);
  }

  key(client: C, event: InputEvent): 'consumed' | 'pass' {
    const slot = this.#slots.get(client);
    if ((!slot || slot.kind === 'gap') && this.#isEndAgain(client, event)) return 'consumed';
    if (!slot || event.kind === 'focus') return 'pass';
    switch (slot.kind) {
      case 'gap':
        if (isAct(event) && slot.held.length < HELD_MAX) slot.held.push(event);
        return 'consumed';
      case 'armed':
        this.#update(client, slot.flow, event);
        return 'consumed';
      case 'unpainted':
      case 'settling':
        return this.#keyBeforeArmed(client, slot, event);
    }
  }

  /**
   * The person did something at the client: the time without a key starts again. In a gap in which something was typed it
   * goes to the pane first: a key of the server's may take the client elsewhere.
   */
  noteKey(client: C): void {
    const slot = this.#slots.get(client);
    if (slot?.kind === 'settling' && slot.arming === 'quiet') this.#settle(client, slot);
    else if (slot?.kind === 'gap' && slot.held.length > 0) this.clear(client);
  }

  /** Arms the client's dialog now. False if there is none that was painted and waits for it. */
  arm(client: C): boolean {
    const slot = this.#slots.get(client);
    if (slot?.kind !== 'settling') return false;
    slot.cancelTimer();
    slot.flow.screen = { ...slot.flow.screen, phase: 'armed' };
    this.#slots.set(client, { ...slot, kind: 'armed', cancelTimer: NOTHING });
    this.#host.show(client, slot.flow.screen);
    return true;
  }

  /** Leaves an answered dialog in view, dimmed, and keeps the client for the question that follows it. */
  startGap(client: C, flow: Flow<C>): void {
    this.#slots.get(client)?.cancelTimer();
    const cancelTimer = this.#clock.schedule(GAP_MS, () => this.clear(client));
    this.#slots.set(client, { kind: 'gap', flow, held: [], waiting: [], cancelTimer });
    flow.screen = { ...flow.screen, phase: 'dimmed' };
    this.#host.show(client, flow.screen);
  }

  /** Runs when the gap on a client is over; false, and nothing to come, if there is none. */
  afterGap(client: C, run: () => void): boolean {
    const slot = this.#slots.get(client);
    if (slot?.kind !== 'gap') return false;
    slot.waiting.push(run);
    return true;
  }

  /** Takes what is on the client away. After a gap without a question, what was typed meanwhile was for the pane. */
  clear(client: C): void {
    const slot = this.#slots.get(client);
    if (!slot) return;
    slot.cancelTimer();
    this.#slots.delete(client);
    this.#host.hide(client);
    if (slot.kind !== 'gap') return;
    if (slot.held.length > 0) this.#host.forward(client, slot.held);
    this.#listener.freed(client);
    runWaiting(slot);
  }

  /** Takes a flow away from wherever it is. */
  clearFlow(flow: Flow<C>): void {
    for (const [client, slot] of [...this.#slots]) if (slot.flow === flow) this.clear(client);
  }

  /** The client is gone: nothing is drawn there any more. */
  forget(client: C): void {
    const slot = this.#slots.get(client);
    slot?.cancelTimer();
    this.#slots.delete(client);
    this.#endKeys.delete(client);
    runWaiting(slot);
  }

  /** Starts, or starts again, the time until the dialog is armed. */
  #settle(client: C, slot: DialogSlot<C>): void {
    slot.cancelTimer();
    const delayMs = slot.arming === 'quiet' ? ARM_QUIET_MS : ARM_FOLLOW_MS;
    const cancelTimer = this.#clock.schedule(delayMs, () => this.arm(client));
    this.#slots.set(client, { ...slot, kind: 'settling', cancelTimer });
  }

  /**
   * Whether it is the key that ended a dialog once more. One that is held down goes on: each counts from the one
   * before.
   */
  #isEndAgain(client: C, event: InputEvent): boolean {
    const end = this.#endKeys.get(client);
    const now = this.#clock.now();
    if (end === undefined || now >= end.until || event.kind !== 'key') return false;
    if (event.key !== end.key) {
      // Somebody goes on typing: the same key again is meant.
      this.#endKeys.delete(client);
      return false;
    }
    this.#endKeys.set(client, { ...end, until: now + REPEAT_MS });
    return true;
  }

  #keyBeforeArmed(client: C, slot: DialogSlot<C>, event: InputEvent): 'consumed' | 'pass' {
    if (slot.arming === 'quiet') {
      if (isAct(event)) this.noteKey(client);
      return 'pass';
    }
    const { flow } = slot;
    const screen = typeAhead(flow.screen, event, this.#host.size(client));
    if (screen !== flow.screen) {
      flow.screen = screen;
      this.#host.show(client, screen);
    }
    return 'consumed';
  }

  #update(client: C, flow: Flow<C>, event: InputEvent): void {
    const { model, outcome } = updateFlowScreen(flow.screen, event, this.#host.size(client));
    const hasChanged = model !== flow.screen;
    flow.screen = model;
    const end = endOf(outcome);
    if (end) {
      // A letter may well begin what is typed next.
      if (event.kind === 'key' && event.key.length > 1)
        this.#endKeys.set(client, { key: event.key, until: this.#clock.now() + REPEAT_MS });
      this.#listener.ended(flow, end);
    } else if (hasChanged) this.#host.show(client, model);
  }
}

function runWaiting<C>(slot: DialogSlot<C> | GapSlot<C> | undefined): void {
  if (slot?.kind === 'gap') for (const run of slot.waiting) run();
}

/** Whether a person did something on purpose: a moving mouse does not count. */
function isAct(event: InputEvent): boolean {
  return event.kind === 'key' || event.kind === 'paste' || (event.kind === 'mouse' && event.action === 'press');
}

function endOf(outcome: OverlayOutcome): DialogOutcome | undefined {
  switch (outcome.kind) {
    case 'open':
    case 'change':
      return undefined;
    case 'accept':
      return { outcome: 'ok', value: outcome.value, by: 'key' };
    case 'dismiss':
      return { outcome: 'cancelled', by: outcome.by };
  }
}

function atPlace(screen: MplexFlowScreen, place: PromptPlace): MplexFlowScreen {
  const { content } = screen;
  return content.kind === 'text'
    ? { ...screen, content: { ...content, prompt: { ...content.prompt, place } } }
    : screen;
}
