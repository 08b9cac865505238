/** A flow queue with clients made of nothing, a clock turned by hand and ids that count. */
import type { Ask, Asker, DialogResult } from '../../protocol/dialog.ts';
import type { InputEvent } from '../../protocol/key.ts';
import type { FlowLimits } from '../../src/flow/flow.ts';
import { FlowQueue } from '../../src/flow/flow-queue.ts';
import type { MplexFlowScreen } from '../../src/overlay/flow-screen.ts';
import { BOTTOM_ROW } from '../../src/overlay/prompt.ts';
import { ManualClock } from './manual-delay.ts';

export interface FakeClient {
  readonly name: string;
  /** Panes of the session that it shows. */
  readonly panes: readonly string[];
  isBusy: boolean;
  shown: MplexFlowScreen | undefined;
  /** Pictures that were sent. */
  shows: number;
  readonly forwarded: InputEvent[];
}

/** The wall clock's time when the world begins. */
export const START = Date.UTC(2026, 0, 1);

export class FlowWorld {
  readonly clock = new ManualClock();
  /** Most recently used first. */
  clients: FakeClient[] = [];
  readonly deadPanes = new Set<string>();
  readonly queue: FlowQueue<FakeClient>;
  #ids = 0;

  constructor(limits: FlowLimits = { max: 16, keepS: 300 }) {
    this.queue = new FlowQueue<FakeClient>({
      host: {
        clientsFor: ({ pane, client }) =>
          this.clients.filter(
            (one) => (client === undefined || one.name === client) && (pane === undefined || one.panes.includes(pane)),
          ),
        isBusy: (client) => client.isBusy,
        show: (client, screen) => {
          client.shown = screen;
          client.shows++;
        },
        hide: (client) => {
          client.shown = undefined;
        },
        size: () => ({ cols: 80, rows: 24 }),
        nameOf: (client) => client.name,
        isPaneAlive: (pane) => !this.deadPanes.has(pane),
        askerOf: (pane): Asker | undefined => (pane === undefined ? undefined : { pane, program: 'bash', pid: 7 }),
        armKeys: () => 'C-b Enter',
        hideKeys: () => 'C-b h',
        promptPlace: () => BOTTOM_ROW,
        forward: (client, events) => client.forwarded.push(...events),
      },
      clock: {
        now: () => this.clock.now,
        wall: () => START + this.clock.now,
        schedule: (ms, run) => this.clock.delay(ms, run),
      },
      limits,
      newId: () => `flow-${++this.#ids}`,
    });
  }

  attach(name = 'a', panes: readonly string[] = ['%1', '%2']): FakeClient {
    const client: FakeClient = { name, panes, isBusy: false, shown: undefined, shows: 0, forwarded: [] };
    this.clients.unshift(client);
    this.queue.clientsChanged();
    return client;
  }

  detach(client: FakeClient): void {
    this.clients = this.clients.filter((one) => one !== client);
    client.shown = undefined;
    this.queue.clientGone(client);
  }

  /** Paints what is shown and waits until it is armed. */
  arm(client: FakeClient): void {
    this.queue.painted(client);
    this.clock.advance(500);
  }

  /** Keys at the client, separated by spaces; gives what became of each. */
  keys(client: FakeClient, names: string): string[] {
    return names.split(' ').map((key) => this.queue.key(client, { kind: 'key', key }));
  }

  /** How a flow stands now. */
  result(flow: string): DialogResult {
    let found: DialogResult | undefined;
    this.queue.result(flow, { ms: 0 }, (result) => {
      found = result;
    });
    return found!;
  }

  /** The code of the error that a question is refused with. */
  refusal(ask: Ask): string {
    try {
      this.queue.show(ask);
    } catch (error) {
      return (error as { code: string }).code;
    }
    return 'none';
  }
}

export const CHOICE: Ask = { kind: 'choice', label: 'Where', options: ['staging', 'prod'], pane: '%1' };
export const TEXT: Ask = { kind: 'text', label: 'Tag', pane: '%1' };
export const MESSAGE: Ask = { kind: 'message', body: 'Done', pane: '%1' };
