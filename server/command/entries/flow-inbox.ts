/**
 * The list of waiting questions on a client: narrowed by typing, Enter answers one before all others, C-x dismisses it.
 * It follows the queue while it is open, and closes with the last question.
 */
import type { InputEvent } from '../../../protocol/key.ts';
import type { WaitingFlow } from '../../../src/flow/flow.ts';
import type { FlowQueue } from '../../../src/flow/flow-queue.ts';
import {
  createFilterList,
  type FilterItem,
  type FilterListModel,
  inView,
  matching,
  updateFilterList,
} from '../../../src/overlay/filter-list.ts';
import type { OverlayModel } from '../../../src/overlay/overlay.ts';
import type { ClientOverlay, ClientSession } from '../../model/client-session.ts';
import type { OverlayServices } from './context.ts';

const TITLE = 'Questions · Enter: answer · C-x: dismiss · Esc: close';
const DISMISS_KEY = 'C-x';

export interface InboxRequest {
  readonly overlays: OverlayServices;
  readonly queue: FlowQueue<ClientSession>;
  readonly client: ClientSession;
  /** It is closed. Called once. */
  readonly done: () => void;
}

export class FlowInbox implements ClientOverlay {
  readonly purpose = 'flow-inbox';
  readonly mouseTracking = 'drag';
  readonly #request: InboxRequest;
  readonly #unsubscribe: () => void;
  #model: FilterListModel;
  #isDone = false;

  constructor(request: InboxRequest) {
    this.#request = request;
    this.#model = createFilterList(TITLE, this.#items());
    this.#unsubscribe = request.queue.subscribe(() => this.#follow());
  }

  models(): readonly OverlayModel[] {
    return [inView(this.#model, this.#request.client.size)];
  }

  input(event: InputEvent): 'consumed' {
    const { client, queue, overlays } = this.#request;
    if (event.kind === 'key' && event.key === DISMISS_KEY) {
      const serial = this.#highlighted();
      if (serial !== undefined) queue.dismiss(client, serial);
      return 'consumed';
    }
    const { model, outcome } = updateFilterList(this.#model, event, client.size);
    this.#model = model;
    if (outcome.kind === 'accept') this.#pull(Number(outcome.value));
    else if (outcome.kind === 'dismiss') this.#finish();
    else overlays.refresh(client);
    return 'consumed';
  }

  resize(): void {
    this.#request.overlays.refresh(this.#request.client);
  }

  close(): void {
    this.#finish();
  }

  #pull(serial: number): void {
    const { client, queue } = this.#request;
    this.#finish();
    queue.pull(client, serial);
  }

  #highlighted(): number | undefined {
    return this.#model.items[this.#model.matches[this.#model.highlight] ?? -1]?.id;
  }

  /** The queue changed: the same filter over what waits now, the highlight where it was. */
  #follow(): void {
    if (this.#isDone) return;
    const before = this.#highlighted();
    const items = this.#items();
    if (items.length === 0) {
      this.#finish();
      return;
    }
    const matches = matching(items, this.#model.editor.text);
    const at = matches.findIndex((place) => items[place]?.id === before);
    const highlight = at >= 0 ? at : Math.max(0, Math.min(this.#model.highlight, matches.length - 1));
    const counts = { itemCount: items.length, matchCount: matches.length };
    this.#model = { ...this.#model, items, matches, highlight, ...counts };
    this.#request.overlays.refresh(this.#request.client);
  }

  #items(): FilterItem[] {
    const { queue, client } = this.#request;
    return queue.list(client).map((flow) => itemOf(flow, client));
  }

  #finish(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#unsubscribe();
    this.#request.overlays.close(this.#request.client, this);
    this.#request.done();
  }
}

const STATES: Readonly<Record<WaitingFlow<ClientSession>['state'], string>> = {
  shown: 'open',
  queued: 'waiting',
  waiting_client: 'waiting',
  hidden: 'put aside',
};

function itemOf(flow: WaitingFlow<ClientSession>, client: ClientSession): FilterItem {
  const who = [flow.program, flow.pane ?? ''].filter((part) => part !== '').join(' ');
  const where = flow.client && flow.client !== client ? `at ${flow.client.name}` : STATES[flow.state];
  const detail = [who, where, ageText(flow.ageMs)].filter((part) => part !== '').join(' · ');
  return { id: flow.serial, text: `${flow.serial} ${flow.text}`, detail, words: flow.kind };
}

function ageText(ageMs: number): string {
  const seconds = Math.floor(ageMs / 1000);
  if (seconds < 60) return `${seconds}s`;
  return seconds < 3600 ? `${Math.floor(seconds / 60)}m` : `${Math.floor(seconds / 3600)}h`;
}
