/**
 * All questions of all programs to all clients: who is asked next and how a question ends. What happens on a client's
 * screen is FlowStage's. Time, timers, ids and clients come from outside.
 */
import type { Ask, Asker, DialogMeta, DialogOutcome, DialogResult, DialogState } from '../../protocol/dialog.ts';
import { TIMEOUT_DEFAULT_S } from '../../protocol/dialog.ts';
import { MplexError } from '../../protocol/errors.ts';
import type { InputEvent } from '../../protocol/key.ts';
import { createFlowScreen } from '../overlay/flow-screen.ts';
import type { Flow, FlowLimits, FlowWaiter, ResultWait, SavedFlow, SavedFlows, WaitingFlow } from './flow.ts';
import type { FlowClock, FlowHost } from './flow-stage.ts';
import { FlowStage } from './flow-stage.ts';

/** Answered flows kept to be read again. */
export const ANSWERED_MAX = 64;

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
  /** Oldest first. */
  readonly #flows = new Map<string, Flow<C>>();
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
    this.#flows.set(flow.id, flow);
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
    const flow = this.#find(id, '/flow');
    flow.lastContactAt = this.#clock.now();
    if (flow.place.kind === 'answered' || ms <= 0 || this.#isNews(flow, known)) {
      reply(this.#resultOf(flow));
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
        reply(this.#resultOf(flow));
      }),
    };
    flow.waiters.add(waiter);
    return leave;
  }

  /** The asker gives up a question, or says that it needs an answered one no longer (nothing follows it). */
  cancel(id: string): void {
    const flow = this.#flows.get(id);
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
    for (const flow of this.#unanswered()) {
      if (flow.ask.pane === pane) this.#answer(flow, { outcome: 'cancelled', by: 'pane_closed' });
    }
  }

  /** The server ends: every question is answered so, nothing new is taken. */
  close(): void {
    this.#isClosed = true;
    for (const flow of this.#unanswered()) this.#answer(flow, { outcome: 'cancelled', by: 'server' });
    for (const flow of [...this.#flows.values()]) this.#remove(flow);
  }

  /** The client has painted the newest picture of its dialog. */
  painted(client: C): void {
    this.#stage.painted(client);
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
    const flow = this.#unanswered().find(
      ({ place, serial: own }) => place.kind === 'hidden' && (serial === undefined || own === serial),
    );
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
    const flow = this.#unanswered().find((one) => one.serial === serial);
    if (!flow || !this.#mayShow(flow, client)) return false;
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
    const flow = this.#unanswered().find((one) => one.serial === serial);
    if (!flow || !this.#mayShow(flow, client)) return false;
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
    for (const flow of this.#unanswered()) {
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
    const flows = this.#unanswered().filter((flow) => at === undefined || this.#mayShow(flow, at));
    return flows.map((flow) => ({
      serial: flow.serial,
      kind: flow.ask.kind,
      text: flow.ask.title || flow.ask.label || flow.ask.body || '',
      pane: flow.ask.pane,
      program: flow.screen.asker.program,
      state: this.#stateOf(flow),
      client: flow.place.kind === 'up' ? flow.place.client : undefined,
      ageMs: this.#clock.now() - flow.createdAt,
    }));
  }

  // ---- another process ----

  /** All questions and answers, to go on in another process. */
  save(): SavedFlows {
    const now = this.#clock.now();
    const saveFlow = (flow: Flow<C>): SavedFlow => ({
      id: flow.id,
      serial: flow.serial,
      ask: flow.ask,
      screen: flow.screen,
      isHidden: flow.place.kind === 'hidden',
      wasArmed: flow.place.kind === 'up' && flow.screen.phase === 'armed',
      outcome: flow.place.kind === 'answered' ? flow.place.outcome : undefined,
      age: now - flow.createdAt,
      times: flow.times,
      answeredBy: flow.answeredBy,
      paintAge: flow.firstPaintAt === undefined ? undefined : now - flow.firstPaintAt,
      contactAge: now - flow.lastContactAt,
      timeLeft: flow.deadlineAt === undefined ? undefined : flow.deadlineAt - now,
    });
    return { serial: this.#serial, muted: [...this.#muted], flows: [...this.#flows.values()].map(saveFlow) };
  }

  /** Goes on with what another process saved: what was shown waits for its client, with its draft. */
  restore(saved: SavedFlows): void {
    const now = this.#clock.now();
    this.#serial = saved.serial;
    for (const pane of saved.muted) this.#muted.add(pane);
    for (const one of saved.flows) {
      const { id, serial, ask, outcome } = one;
      const flow: Flow<C> = {
        id,
        serial,
        ask,
        createdAt: now - one.age,
        place: outcome ? { kind: 'answered', outcome } : { kind: one.isHidden ? 'hidden' : 'waiting' },
        screen: { ...one.screen, phase: 'unarmed' },
        isResumed: one.wasArmed,
        times: { ...one.times },
        answeredBy: one.answeredBy,
        firstPaintAt: one.paintAge === undefined ? undefined : now - one.paintAge,
        lastContactAt: now - one.contactAge,
        waiters: new Set(),
        cancelDeadline: NOTHING,
        deadlineAt: undefined,
        cancelKeep: NOTHING,
      };
      this.#flows.set(id, flow);
      if (!outcome && one.timeLeft !== undefined) this.#setDeadline(flow, Math.max(0, one.timeLeft) / 1000);
      this.#keepAlive(flow, Math.max(0, this.#limits.keepS * 1000 - one.contactAge));
    }
    this.#pump();
  }

  // ---- taking a question ----

  /** Refuses what must be refused; gives the client that is kept for a question that follows another. */
  #admit(ask: Ask): C | undefined {
    if (this.#isClosed) throw new MplexError('no_client', 'the server is exiting');
    if (this.#unanswered().length >= this.#limits.max) {
      throw new MplexError('too_many', `too many questions are open (${this.#limits.max})`);
    }
    if (ask.pane !== undefined && !this.#host.isPaneAlive(ask.pane)) {
      throw new MplexError('no_pane', `can't find pane: ${ask.pane}`, '/pane');
    }
    if (this.#muted.has(ask.pane)) {
      throw new MplexError('forbidden', `questions from ${ask.pane ?? 'outside any pane'} are muted`);
    }
    const follow = ask.after === undefined ? undefined : this.#clientKeptFor(ask.after);
    if (follow !== undefined) return follow;
    const client = this.#clientOf(ask);
    if (client === undefined && ask.wait_client !== true) throw new MplexError('no_client', noClientText(ask));
    if (client !== undefined && !this.#stage.isFree(client) && ask.queue !== true) {
      throw new MplexError('busy', 'the client is busy with another dialog');
    }
    return undefined;
  }

  #clientKeptFor(after: string): C | undefined {
    const before = this.#find(after, '/after');
    if (before.place.kind !== 'answered') {
      throw new MplexError('bad_request', 'the question that this one follows is not answered yet', '/after');
    }
    return this.#stage.clientKeptFor(before);
  }

  #clientOf(ask: Ask): C | undefined {
    return this.#host.clientsFor({ pane: ask.pane, client: ask.client })[0];
  }

  /** Shows whatever waits for a client that is free. */
  #pump(): void {
    if (this.#isClosed) return;
    for (const flow of this.#unanswered()) {
      if (flow.place.kind !== 'waiting') continue;
      const client = this.#clientOf(flow.ask);
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
      waiter.reply(this.#resultOf(flow));
    }
  }

  #dropOldAnswers(): void {
    const answered = [...this.#flows.values()].filter(({ place }) => place.kind === 'answered');
    for (const flow of answered.slice(0, Math.max(0, answered.length - ANSWERED_MAX))) this.#remove(flow);
  }

  #remove(flow: Flow<C>): void {
    flow.cancelDeadline();
    flow.cancelKeep();
    this.#flows.delete(flow.id);
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

  // ---- looking ----

  #find(id: string, path: string): Flow<C> {
    const flow = this.#flows.get(id);
    // The id is not repeated: it may be somebody's capability in another server.
    if (!flow) throw new MplexError('not_found', 'no such flow, or it was reclaimed', path);
    return flow;
  }

  #unanswered(): Flow<C>[] {
    return [...this.#flows.values()].filter(({ place }) => place.kind !== 'answered');
  }

  #resultOf(flow: Flow<C>): DialogResult {
    if (flow.place.kind === 'answered') {
      return { done: true, ...flow.place.outcome, ...(flow.ask.meta && { meta: metaOf(flow) }) };
    }
    const state = this.#dialogState(flow);
    if (state === 'shown' || state === 'waiting_client') return { done: false, state };
    return { done: false, state: 'queued', position: this.#positionOf(flow) };
  }

  #stateOf(flow: Flow<C>): WaitingFlow<C>['state'] {
    switch (flow.place.kind) {
      case 'up':
      case 'answered':
        return 'shown';
      case 'hidden':
        return 'hidden';
      case 'waiting':
        return this.#clientOf(flow.ask) === undefined ? 'waiting_client' : 'queued';
    }
  }

  /** The state in the asker's words: a hidden question is one that waits for its turn again. */
  #dialogState(flow: Flow<C>): DialogState {
    const state = this.#stateOf(flow);
    return state === 'hidden' ? 'queued' : state;
  }

  #isNews(flow: Flow<C>, known: DialogState | undefined): boolean {
    return known !== undefined && this.#dialogState(flow) !== known;
  }

  /** Whether the question may be asked at the client: one for a named client may nowhere else. */
  #mayShow(flow: Flow<C>, client: C): boolean {
    const { client: named } = flow.ask;
    return named === undefined || this.#host.clientsFor({ pane: undefined, client: named }).includes(client);
  }

  #noteSeen(client: C): void {
    const up = this.#stage.flowOn(client);
    if (up && !up.isGap && up.flow.firstPaintAt !== undefined) up.flow.times.seen ??= this.#clock.wall();
  }

  /** Tells those who wait for a change of state, in every flow: one's turn may change another's. */
  #tellNews(): void {
    for (const flow of this.#unanswered()) {
      for (const waiter of [...flow.waiters]) {
        if (!this.#isNews(flow, waiter.known)) continue;
        waiter.cancelTimer();
        flow.waiters.delete(waiter);
        flow.lastContactAt = this.#clock.now();
        waiter.reply(this.#resultOf(flow));
      }
    }
  }

  /** 1 for the next in line at its client. */
  #positionOf(flow: Flow<C>): number {
    const client = this.#clientOf(flow.ask);
    const line = this.#unanswered().filter(
      (other) => other === flow || (other.place.kind === flow.place.kind && this.#clientOf(other.ask) === client),
    );
    return line.indexOf(flow) + 1;
  }

  #emit(kind: FlowEvent<C>['kind'], flow: Flow<C>, client: C | undefined): void {
    const { ask, serial, screen, place } = flow;
    const isFollowUp = ask.after !== undefined;
    const outcome = place.kind === 'answered' ? place.outcome : undefined;
    const event: FlowEvent<C> = { kind, serial, pane: ask.pane, client, ask, asker: screen.asker, isFollowUp, outcome };
    for (const listener of [...this.#listeners]) listener(event);
  }
}

function metaOf<C>({ times, answeredBy }: Flow<C>): DialogMeta {
  const iso = (ms: number) => new Date(ms).toISOString();
  return {
    ...(answeredBy !== undefined && { client: answeredBy, tty: answeredBy }),
    asked_at: iso(times.asked),
    ...(times.shown !== undefined && { shown_at: iso(times.shown) }),
    ...(times.seen !== undefined && { seen_at: iso(times.seen) }),
    answered_at: iso(times.answered ?? times.asked),
  };
}

function noClientText(ask: Ask): string {
  if (ask.client !== undefined) return 'no such client that can answer';
  return ask.pane === undefined ? 'no client is attached' : `no client shows the session of ${ask.pane}`;
}
