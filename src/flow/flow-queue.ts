/**
 * All questions of all programs to all clients: who is asked next and how a question ends. What happens on a client's
 * screen is FlowStage's. Time, timers, ids and clients come from outside.
 */
import type { Ask, Asker, DialogOutcome, DialogResult } from '../../protocol/dialog.ts';
import { TIMEOUT_DEFAULT_S } from '../../protocol/dialog.ts';
import { MplexError } from '../../protocol/errors.ts';
import type { InputEvent } from '../../protocol/key.ts';
import { quoteBrief } from '../../protocol/quote-brief.ts';
import { createFlowScreen } from '../overlay/flow-screen.ts';
import type { Flow, FlowLimits, FlowWaiter, ResultWait, WaitingFlow } from './flow.ts';
import { FlowBook } from './flow-book.ts';
import type { FlowClock, FlowHost } from './flow-stage.ts';
import { FlowStage } from './flow-stage.ts';
import { restoreFlow, type SavedFlows, saveFlow } from './saved-flow.ts';

/** Answered flows kept to be read again. */
const ANSWERED_MAX = 64;

export interface FlowQueueOptions<C> {
  readonly host: FlowHost<C>;
  readonly clock: FlowClock;
  readonly limits: FlowLimits;
  /** An unguessable id of at least 122 random bits. */
  readonly newId: () => string;
}

/** Something changed that a status line, a list or a hook may tell. */
export interface FlowEvent<C> {
  readonly kind: 'queued' | 'shown' | 'hidden' | 'answered' | 'removed';
  readonly serial: number;
  readonly pane: string | undefined;
  readonly client: C | undefined;
  readonly ask: Ask;
  readonly asker: Asker;
  /** It goes on with a conversation that the person is in: nobody needs to be called. */
  readonly isFollowUp: boolean;
  /** How it ended (answered). */
  readonly outcome: DialogOutcome | undefined;
}

const NOTHING = () => {};

export class FlowQueue<C> {
  readonly #host: FlowHost<C>;
  readonly #clock: FlowClock;
  readonly #limits: FlowLimits;
  readonly #newId: () => string;
  readonly #book: FlowBook<C>;
  readonly #stage: FlowStage<C>;
  /** Panes whose questions the person does not want; undefined stands for askers outside any pane. */
  readonly #muted = new Set<string | undefined>();
  readonly #listeners = new Set<(event: FlowEvent<C>) => void>();
  #serial = 0;
  #isClosed = false;

  constructor({ host, clock, limits, newId }: FlowQueueOptions<C>) {
    this.#host = host;
    this.#clock = clock;
    this.#limits = limits;
    this.#newId = newId;
    this.#book = new FlowBook(host);
    this.#stage = new FlowStage(host, clock, {
      painted: (flow, client) => this.#firstPainted(flow, client),
      ended: (flow, outcome) => this.#answer(flow, outcome),
      freed: () => this.#pump(),
    });
  }

  get limits(): FlowLimits {
    return this.#limits;
  }

  /** Subscribes to changes and gives the means to end it. */
  subscribe(listener: (event: FlowEvent<C>) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  // ---- the asker's side ----

  /**
   * Runs when it is clear whether `show` takes the question. An answered dialog that keeps its client for what may
   * follow it (GAP_MS at most) is waited for: nobody is busy with it.
   */
  whenDecided(ask: Ask, run: () => void): void {
    const before = ask.after === undefined ? undefined : this.#book.get(ask.after);
    const isKept = before !== undefined && this.#stage.clientKeptFor(before) !== undefined;
    const client = isKept || ask.queue === true ? undefined : this.#book.clientOf(ask);
    if (client === undefined || !this.#stage.afterGap(client, () => this.whenDecided(ask, run))) run();
  }

  /** Takes a question and gives its flow id. Throws MplexError with one of the control socket's codes. */
  show(ask: Ask): string {
    const follow = this.#admit(ask);
    const now = this.#clock.now();
    const flow: Flow<C> = {
      id: this.#newId(),
      serial: ++this.#serial,
      ask,
      createdAt: now,
      place: { kind: 'waiting' },
      screen: createFlowScreen(ask, { asker: this.#host.askerOf(ask.pane) }),
      firstPaintAt: undefined,
      isResumed: false,
      times: { asked: this.#clock.wall(), shown: undefined, seen: undefined, answered: undefined },
      answeredBy: undefined,
      lastContactAt: now,
      waiters: new Set(),
      cancelDeadline: NOTHING,
      deadlineAt: undefined,
      cancelKeep: NOTHING,
    };
    this.#book.add(flow);
    if (ask.expires !== undefined) this.#setDeadline(flow, ask.expires);
    this.#keepAlive(flow, this.#limits.keepS * 1000);
    this.#emit('queued', flow, undefined);
    if (follow === undefined) this.#pump();
    else this.#stage.putUp(follow, flow, 'follow');
    return flow.id;
  }

  /**
   * Tells how a flow stands: at once if it is answered, the wait is 0 or it stands otherwise than the asker knows, else
   * when that is so or the time is up. Gives the means to stop waiting. Throws MplexError 'not_found'.
   */
  result(id: string, { ms, known }: ResultWait, reply: (result: DialogResult) => void): () => void {
    const flow = this.#book.find(id, '/flow');
    flow.lastContactAt = this.#clock.now();
    if (flow.place.kind === 'answered' || ms <= 0 || this.#book.isNews(flow, known)) {
      reply(this.#book.resultOf(flow));
      return NOTHING;
    }
    const leave = () => {
      waiter.cancelTimer();
      flow.waiters.delete(waiter);
      flow.lastContactAt = this.#clock.now();
    };
    const waiter: FlowWaiter = {
      reply,
      known,
      cancelTimer: this.#clock.schedule(ms, () => {
        leave();
        reply(this.#book.resultOf(flow));
      }),
    };
    flow.waiters.add(waiter);
    return leave;
  }

  /** The asker gives up a question, or says that it needs an answered one no longer (nothing follows it). */
  cancel(id: string): void {
    const flow = this.#book.get(id);
    if (!flow) return;
    if (flow.place.kind !== 'answered') {
      this.#answer(flow, { outcome: 'cancelled', by: 'asker' });
      return;
    }
    this.#remove(flow);
    this.#pump();
  }

  // ---- the server's side ----

  /** Clients came, changed sessions or closed what made them busy: whoever waits may be shown. */
  clientsChanged(): void {
    this.#pump();
  }

  /** A client went away: its dialog looks for another one, with its draft. */
  clientGone(client: C): void {
    const up = this.#stage.flowOn(client);
    this.#stage.forget(client);
    if (up && !up.isGap) this.#putBack(up.flow, 'waiting');
    this.#pump();
  }

  /** A pane closed: its questions end. */
  paneClosed(pane: string): void {
    this.#muted.delete(pane);
    for (const flow of this.#book.unanswered()) {
      if (flow.ask.pane === pane) this.#answer(flow, { outcome: 'cancelled', by: 'pane_closed' });
    }
  }

  /** The server ends: every question is answered so, nothing new is taken. */
  close(): void {
    this.#isClosed = true;
    for (const flow of this.#book.unanswered()) this.#answer(flow, { outcome: 'cancelled', by: 'server' });
    for (const flow of this.#book.all()) this.#remove(flow);
  }

  /** The client has painted the newest picture of its dialog. */
  painted(client: C): void {
    this.#stage.painted(client);
  }

  /** Whether a key at the client may be a dialog's: `key` tells. */
  takesKeys(client: C): boolean {
    return this.#stage.takesKeys(client);
  }

  /** Whether something of a flow is on the client. */
  hasDialog(client: C): boolean {
    return this.#stage.flowOn(client) !== undefined;
  }

  /** An event at the client, the prefix key and what follows it apart: those are the server's (see noteKey, armNow). */
  key(client: C, event: InputEvent): 'consumed' | 'pass' {
    if (event.kind !== 'focus') this.#noteSeen(client);
    return this.#stage.key(client, event);
  }

  /** A key that the server used itself: the time without a key starts again. */
  noteKey(client: C): void {
    this.#noteSeen(client);
    this.#stage.noteKey(client);
  }

  /** Arms the client's dialog at once (the prefix key, then Enter). False if there is none that waits for it. */
  armNow(client: C): boolean {
    return this.#stage.arm(client);
  }

  /** Puts the client's dialog aside; it goes on waiting and its clock goes on running. */
  hide(client: C): boolean {
    const up = this.#stage.flowOn(client);
    if (!up || up.isGap) return false;
    this.#putAside(client, up.flow);
    this.#pump();
    return true;
  }

  /** Shows a hidden question again, the oldest if none is named. False if there is none or the client is not free. */
  bringBack(client: C, serial?: number): boolean {
    const flow = this.#book
      .unanswered()
      .find(({ place, serial: own }) => place.kind === 'hidden' && (serial === undefined || own === serial));
    if (!flow || !this.#stage.isFree(client)) return false;
    // The person asked to see it: keys are for it, not for the pane.
    this.#stage.putUp(client, flow, 'follow');
    this.#tellNews();
    return true;
  }

  /**
   * Shows a waiting question here and now, before all others; it may have been put aside or be up at another client.
   * False if there is none of that number that may be asked here, or the client is not free.
   */
  pull(client: C, serial: number): boolean {
    const flow = this.#book.unanswered().find((one) => one.serial === serial);
    if (!flow || !this.#book.mayShow(flow, client)) return false;
    if (this.#stage.flowOn(client)?.isGap) this.#stage.clear(client);
    const up = this.#stage.flowOn(client)?.flow;
    if (up === flow) return true;
    if (this.#host.isBusy(client)) return false;
    if (up) {
      this.#putBack(up, 'waiting');
      this.#emit('hidden', up, client);
    }
    if (flow.place.kind === 'up') this.#stage.clear(flow.place.client);
    // The person asked to see it: keys are for it, not for the pane.
    this.#stage.putUp(client, flow, 'follow');
    // The client that it was taken from is free.
    this.#pump();
    return true;
  }

  /** The person dismisses a question without looking at it again. False if there is none of that number. */
  dismiss(client: C, serial: number): boolean {
    const flow = this.#book.unanswered().find((one) => one.serial === serial);
    if (!flow || !this.#book.mayShow(flow, client)) return false;
    flow.answeredBy = this.#host.nameOf(client);
    this.#answer(flow, { outcome: 'cancelled', by: 'escape' });
    return true;
  }

  /** Dismisses all questions of whoever asks at the client now, and refuses its further ones. */
  mute(client: C): boolean {
    const up = this.#stage.flowOn(client);
    if (!up) return false;
    const { pane } = up.flow.ask;
    this.#muted.add(pane);
    if (up.isGap) this.#stage.clear(client);
    for (const flow of this.#book.unanswered()) {
      if (flow.ask.pane !== pane) continue;
      flow.answeredBy = this.#host.nameOf(client);
      this.#answer(flow, { outcome: 'cancelled', by: 'escape' });
    }
    this.#pump();
    return true;
  }

  /** Takes questions of a pane again (undefined: of askers outside any pane). False if it was not muted. */
  unmute(pane: string | undefined): boolean {
    return this.#muted.delete(pane);
  }

  get mutedPanes(): readonly (string | undefined)[] {
    return [...this.#muted];
  }

  /** All questions without an answer, oldest first; of those that may be asked at a client, if one is given. */
  list(at?: C): readonly WaitingFlow<C>[] {
    return this.#book.list(this.#clock.now(), at);
  }

  // ---- another process ----

  /** All questions and answers, to go on in another process. */
  save(): SavedFlows {
    const now = this.#clock.now();
    return {
      serial: this.#serial,
      muted: [...this.#muted],
      flows: this.#book.all().map((flow) => saveFlow(flow, now)),
    };
  }

  /** Goes on with what another process saved: what was shown waits for its client, with its draft. */
  restore(saved: SavedFlows): void {
    const now = this.#clock.now();
    this.#serial = saved.serial;
    for (const pane of saved.muted) this.#muted.add(pane);
    for (const one of saved.flows) {
      const flow = restoreFlow<C>(one, now);
      this.#book.add(flow);
      if (!one.outcome && one.timeLeft !== undefined) this.#setDeadline(flow, Math.max(0, one.timeLeft) / 1000);
      this.#keepAlive(flow, Math.max(0, this.#limits.keepS * 1000 - one.contactAge));
    }
    this.#pump();
  }

  // ---- taking a question ----

  /** Refuses what must be refused; gives the client that is kept for a question that follows another. */
  #admit(ask: Ask): C | undefined {
    if (this.#isClosed) throw new MplexError('no_client', 'the server is exiting');
    if (this.#book.unanswered().length >= this.#limits.max) {
      throw new MplexError('too_many', `too many questions are open (${this.#limits.max})`);
    }
    if (ask.pane !== undefined && !this.#host.isPaneAlive(ask.pane)) {
      throw new MplexError('no_pane', `can't find pane: ${ask.pane}`, '/pane');
    }
    if (this.#muted.has(ask.pane)) {
      throw new MplexError('forbidden', `questions from ${ask.pane ?? 'outside any pane'} are muted`, '/pane');
    }
    const follow = ask.after === undefined ? undefined : this.#clientKeptFor(ask.after);
    if (follow !== undefined) return follow;
    const client = this.#book.clientOf(ask);
    if (client === undefined && ask.wait_client !== true) throw noClient(ask);
    if (client !== undefined && !this.#stage.isFree(client) && ask.queue !== true) {
      throw new MplexError('busy', `the client ${this.#host.nameOf(client)} is busy with another dialog`);
    }
    return undefined;
  }

  #clientKeptFor(after: string): C | undefined {
    const before = this.#book.find(after, '/after');
    if (before.place.kind !== 'answered') {
      throw new MplexError('bad_request', 'the question that this one follows is not answered yet', '/after');
    }
    return this.#stage.clientKeptFor(before);
  }

  /** Shows whatever waits for a client that is free. */
  #pump(): void {
    if (this.#isClosed) return;
    for (const flow of this.#book.unanswered()) {
      if (flow.place.kind !== 'waiting') continue;
      const client = this.#book.clientOf(flow.ask);
      if (client !== undefined && this.#stage.isFree(client))
        this.#stage.putUp(client, flow, flow.isResumed ? 'follow' : 'quiet');
    }
    this.#tellNews();
  }

  /** Takes a dialog off its client; it waits in the list until the person wants it. */
  #putAside(client: C, flow: Flow<C>): void {
    this.#putBack(flow, 'hidden');
    this.#stage.clear(client);
    this.#emit('hidden', flow, client);
  }

  #putBack(flow: Flow<C>, kind: 'waiting' | 'hidden'): void {
    flow.place = { kind };
    flow.screen = { ...flow.screen, phase: 'unarmed' };
  }

  #firstPainted(flow: Flow<C>, client: C): void {
    if (flow.firstPaintAt !== undefined) return;
    flow.firstPaintAt = this.#clock.now();
    flow.times.shown = this.#clock.wall();
    this.#setDeadline(flow, flow.ask.timeout ?? TIMEOUT_DEFAULT_S);
    this.#emit('shown', flow, client);
  }

  // ---- the end of a flow ----

  #answer(flow: Flow<C>, outcome: DialogOutcome): void {
    const client = flow.place.kind === 'up' ? flow.place.client : undefined;
    const isPersons = outcome.outcome === 'ok' || outcome.by === 'escape' || outcome.by === 'interrupt';
    if (client !== undefined && isPersons) flow.answeredBy ??= this.#host.nameOf(client);
    flow.times.answered = this.#clock.wall();
    flow.place = { kind: 'answered', outcome };
    flow.cancelDeadline();
    flow.deadlineAt = undefined;
    flow.lastContactAt = this.#clock.now();
    if (client !== undefined) {
      if (outcome.outcome === 'ok') this.#stage.startGap(client, flow);
      else this.#stage.clear(client);
    }
    // The listeners first: one of them keeps the answer, and the asker must not know it before it is kept.
    this.#emit('answered', flow, client);
    this.#tellWaiters(flow);
    this.#dropOldAnswers();
    this.#pump();
  }

  #tellWaiters(flow: Flow<C>): void {
    const waiters = [...flow.waiters];
    flow.waiters.clear();
    for (const waiter of waiters) {
      waiter.cancelTimer();
      waiter.reply(this.#book.resultOf(flow));
    }
  }

  #dropOldAnswers(): void {
    const answered = this.#book.answered();
    for (const flow of answered.slice(0, Math.max(0, answered.length - ANSWERED_MAX))) this.#remove(flow);
  }

  #remove(flow: Flow<C>): void {
    flow.cancelDeadline();
    flow.cancelKeep();
    this.#book.delete(flow);
    this.#stage.clearFlow(flow);
    this.#tellWaiters(flow);
    this.#emit('removed', flow, undefined);
  }

  #setDeadline(flow: Flow<C>, seconds: number): void {
    flow.cancelDeadline();
    flow.deadlineAt = this.#clock.now() + seconds * 1000;
    flow.cancelDeadline = this.#clock.schedule(seconds * 1000, () =>
      this.#answer(flow, { outcome: 'timeout', by: 'timeout' }),
    );
  }

  /** Reclaims the flow when nobody has asked about it for the time of grace. */
  #keepAlive(flow: Flow<C>, delayMs: number): void {
    flow.cancelKeep = this.#clock.schedule(delayMs, () => {
      const keepMs = this.#limits.keepS * 1000;
      const idleMs = flow.waiters.size > 0 ? 0 : this.#clock.now() - flow.lastContactAt;
      if (idleMs < keepMs) {
        this.#keepAlive(flow, keepMs - idleMs);
        return;
      }
      this.#remove(flow);
      this.#pump();
    });
  }

  #noteSeen(client: C): void {
    const up = this.#stage.flowOn(client);
    if (up && !up.isGap && up.flow.firstPaintAt !== undefined) up.flow.times.seen ??= this.#clock.wall();
  }

  /** Tells those who wait for a change of state, in every flow: one's turn may change another's. */
  #tellNews(): void {
    for (const flow of this.#book.unanswered()) {
      for (const waiter of [...flow.waiters]) {
        if (!this.#book.isNews(flow, waiter.known)) continue;
        waiter.cancelTimer();
        flow.waiters.delete(waiter);
        flow.lastContactAt = this.#clock.now();
        waiter.reply(this.#book.resultOf(flow));
      }
    }
  }

  #emit(kind: FlowEvent<C>['kind'], flow: Flow<C>, client: C | undefined): void {
    const { ask, serial, screen, place } = flow;
    const isFollowUp = ask.after !== undefined;
    const outcome = place.kind === 'answered' ? place.outcome : undefined;
    const event: FlowEvent<C> = { kind, serial, pane: ask.pane, client, ask, asker: screen.asker, isFollowUp, outcome };
    for (const listener of [...this.#listeners]) listener(event);
  }
}

function noClient({ client, pane }: Ask): MplexError {
  if (client !== undefined) return new MplexError('no_client', `no client ${quoteBrief(client)} can answer`, '/client');
  if (pane === undefined) return new MplexError('no_client', 'no client is attached');
  return new MplexError('no_client', `no client shows the session of ${pane}`, '/pane');
}
