/** The flows of a queue, and how each stands: to its asker, in a list, and beside the others. */
import type { Ask, DialogMeta, DialogResult, DialogState } from '../../protocol/dialog.ts';
import { MplexError } from '../../protocol/errors.ts';
import type { Flow, WaitingFlow } from './flow.ts';
import type { FlowHost } from './flow-stage.ts';

/** `C` is a client, compared by identity. */
export class FlowBook<C> {
  readonly #host: Pick<FlowHost<C>, 'clientsFor'>;
  /** Oldest first. */
  readonly #flows = new Map<string, Flow<C>>();

  constructor(host: Pick<FlowHost<C>, 'clientsFor'>) {
    this.#host = host;
  }

  add(flow: Flow<C>): void {
    this.#flows.set(flow.id, flow);
  }

  delete(flow: Flow<C>): void {
    this.#flows.delete(flow.id);
  }

  get(id: string): Flow<C> | undefined {
    return this.#flows.get(id);
  }

  /** The flow of an id; throws MplexError 'not_found' that names the field of the request (a JSON pointer). */
  find(id: string, path: string): Flow<C> {
    const flow = this.#flows.get(id);
    // The id is not repeated: it may be somebody's capability in another server.
    if (!flow) throw new MplexError('not_found', 'no such flow, or it was reclaimed', path);
    return flow;
  }

  /** All flows, oldest first. */
  all(): Flow<C>[] {
    return [...this.#flows.values()];
  }

  /** Those that nobody has answered, oldest first. */
  unanswered(): Flow<C>[] {
    return this.all().filter(({ place }) => place.kind !== 'answered');
  }

  /** The answered ones, oldest first. */
  answered(): Flow<C>[] {
    return this.all().filter(({ place }) => place.kind === 'answered');
  }

  /** The client that a question would be put to now; undefined if none may have it. */
  clientOf(ask: Ask): C | undefined {
    return this.#host.clientsFor({ pane: ask.pane, client: ask.client })[0];
  }

  /** How a flow stands, as its asker is told. */
  resultOf(flow: Flow<C>): DialogResult {
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
        return this.clientOf(flow.ask) === undefined ? 'waiting_client' : 'queued';
    }
  }

  /** The state in the asker's words: a hidden question is one that waits for its turn again. */
  #dialogState(flow: Flow<C>): DialogState {
    const state = this.#stateOf(flow);
    return state === 'hidden' ? 'queued' : state;
  }

  /** Whether a flow stands otherwise than its asker knows. */
  isNews(flow: Flow<C>, known: DialogState | undefined): boolean {
    return known !== undefined && this.#dialogState(flow) !== known;
  }

  /** Whether the question may be asked at the client: one for a named client may nowhere else. */
  mayShow(flow: Flow<C>, client: C): boolean {
    const { client: named } = flow.ask;
    return named === undefined || this.#host.clientsFor({ pane: undefined, client: named }).includes(client);
  }

  /** All questions without an answer at `now` (ms), oldest first; of those that may be asked at a client, if one is given. */
  list(now: number, at?: C): readonly WaitingFlow<C>[] {
    const flows = this.unanswered().filter((flow) => at === undefined || this.mayShow(flow, at));
    return flows.map((flow) => ({
      serial: flow.serial,
      kind: flow.ask.kind,
      text: flow.ask.title || flow.ask.label || flow.ask.body || '',
      pane: flow.ask.pane,
      program: flow.screen.asker.program,
      state: this.#stateOf(flow),
      client: flow.place.kind === 'up' ? flow.place.client : undefined,
      ageMs: now - flow.createdAt,
    }));
  }

  /** 1 for the next in line at its client. */
  #positionOf(flow: Flow<C>): number {
    const client = this.clientOf(flow.ask);
    const line = this.unanswered().filter(
      (other) => other === flow || (other.place.kind === flow.place.kind && this.clientOf(other.ask) === client),
    );
    return line.indexOf(flow) + 1;
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
