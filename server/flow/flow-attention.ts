/**
 * Calls the person when a program asks something (option flow-notify) and takes the call back when it is settled; keeps
 * the model's list of open questions, which marks windows, panes and the status line.
 */
import { NOTICE_KINDS } from '../../protocol/message.ts';
import type { WaitingFlow } from '../../src/flow/flow.ts';
import type { FlowEvent, FlowQueue } from '../../src/flow/flow-queue.ts';
import type { ClientSession } from '../model/client-session.ts';
import type { Pane } from '../model/pane.ts';
import type { OpenQuestion, Registry } from '../model/registry.ts';

export interface FlowAttentionContext {
  readonly registry: Registry;
  readonly queue: FlowQueue<ClientSession>;
  /** Clients that may be asked, the first is the one that will be. */
  readonly clientsFor: (target: {
    readonly pane: string | undefined;
    readonly client: string | undefined;
  }) => readonly ClientSession[];
  readonly paneNamed: (name: string) => Pane | undefined;
}

export class FlowAttention {
  readonly #context: FlowAttentionContext;
  /** Who was called for which question. */
  readonly #called = new Map<number, ClientSession>();

  constructor(context: FlowAttentionContext) {
    this.#context = context;
    context.queue.subscribe((event) => this.#changed(event));
  }

  /** Brings the marks up to date. */
  refresh(): void {
    const { registry, queue } = this.#context;
    const questions = queue.list().map((flow) => this.#questionOf(flow));
    if (sameQuestions(questions, registry.questions)) return;
    registry.questions = questions;
    registry.markAll();
  }

  #changed(event: FlowEvent<ClientSession>): void {
    switch (event.kind) {
      case 'queued':
      case 'shown':
        this.#call(event);
        break;
      case 'answered':
      case 'removed':
        this.#settle(event.serial);
        break;
      case 'hidden':
        break;
    }
    this.refresh();
  }

  /** Once for each question: when it is asked, or when the first client is there to be called. */
  #call({ serial, pane, client, ask, asker, isFollowUp }: FlowEvent<ClientSession>): void {
    if (isFollowUp || this.#called.has(serial)) return;
    const called = client ?? this.#context.clientsFor({ pane, client: ask.client })[0];
    if (!called) return;
    this.#called.set(serial, called);
    const choice = called.session?.options.choice('flow-notify');
    const how = NOTICE_KINDS.find((kind) => kind === choice);
    if (how === undefined) return;
    const who = [asker.program, pane ?? ''].filter((part) => part !== '').join(' in ');
    called.send({ kind: 'notice', serial, how, title: who, body: ask.title || ask.label || ask.body || '' });
  }

  #settle(serial: number): void {
    const called = this.#called.get(serial);
    this.#called.delete(serial);
    if (called && this.#context.registry.clients.has(called)) called.send({ kind: 'notice-end', serial });
  }

  #questionOf(flow: WaitingFlow<ClientSession>): OpenQuestion {
    return { pane: flow.pane === undefined ? undefined : this.#context.paneNamed(flow.pane), client: flow.client };
  }
}

function sameQuestions(a: readonly OpenQuestion[], b: readonly OpenQuestion[]): boolean {
  return a.length === b.length && a.every(({ pane, client }, at) => pane === b[at]?.pane && client === b[at]?.client);
}
