/** A backend without any terminal: the overlay engine alone, its keys pressed by a test. */
import type { InputEvent } from '../../protocol/key.ts';
import type { AskWatch, BackendReply, FlowBackend } from '../../src/flow/backend.ts';
import type { FlowAsk } from '../../src/flow/driver.ts';
import { createFlowScreen, updateFlowScreen } from '../../src/overlay/flow-screen.ts';
import { textOfAsk, type VectorAsk } from './flow-vectors.ts';
import type { ManualClock } from './manual-delay.ts';

const SIZE = { cols: 80, rows: 24 };

export class EngineBackend implements FlowBackend {
  readonly name = 'engine';
  readonly slackMs = 0;
  /** Every ask, in order. */
  readonly asks: FlowAsk[] = [];
  closed = 0;
  readonly #keys: VectorAsk[];
  readonly #clock: ManualClock;

  constructor(keys: readonly VectorAsk[], clock: ManualClock) {
    this.#keys = [...keys];
    this.#clock = clock;
  }

  get unused(): number {
    return this.#keys.length;
  }

  async ask(ask: FlowAsk, watch: AskWatch): Promise<BackendReply> {
    this.asks.push(ask);
    watch.state('shown');
    const act = this.#keys.shift();
    if (!act) throw new Error(`nothing to do at:\n${textOfAsk(ask)}`);
    if (!textOfAsk(ask).includes(act.sees)) throw new Error(`not seen: ${act.sees}\n${textOfAsk(ask)}`);
    if (act.wait !== undefined) {
      this.#clock.advance(act.wait * 1000);
      return new Promise((resolve) => {
        watch.signal.addEventListener('abort', () => resolve({ kind: 'cancelled', by: 'asker' }));
      });
    }
    return answerWithKeys(ask, act);
  }

  async close(): Promise<void> {
    this.closed++;
  }
}

/** What the armed dialog of an ask makes of typed text and keys; throws if it is still open afterwards. */
function answerWithKeys(ask: FlowAsk, { type = '', press = '' }: Pick<VectorAsk, 'type' | 'press'>): BackendReply {
  let model = { ...createFlowScreen(ask), phase: 'armed' as const };
  const events: InputEvent[] = [...type].map((key) => ({ kind: 'key', key: key === ' ' ? 'Space' : key }));
  for (const key of press.split(' ').filter((name) => name !== '')) events.push({ kind: 'key', key });
  for (const event of events) {
    const { model: next, outcome } = updateFlowScreen(model, event, SIZE);
    model = { ...next, phase: 'armed' };
    if (outcome.kind === 'accept') return { kind: 'ok', value: outcome.value };
    if (outcome.kind === 'dismiss') return { kind: 'cancelled', by: outcome.by };
  }
  throw new Error(`still open after ${type} ${press}`);
}
