import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AskReply, type FlowAsk, FlowDriver, type FlowStep } from '../../../src/flow/driver.ts';
import { PLEXER_FLOW_ANSWER_MAX, PLEXER_FLOW_TEXT_MAX, PLEXER_FLOW_VISITS_MAX } from '../../../src/flow/flow-caps.ts';
import { runFlow } from '../../../src/flow/flow-runner.ts';
import type { FlowSpec } from '../../../src/flow/flow-spec.ts';
import type { FlowEnd } from '../../../src/flow/outcome.ts';
import { checkSpec } from '../../../src/flow/spec.ts';
import { anySpec } from '../../support/arbitrary-spec.ts';
import { EngineBackend } from '../../support/engine-backend.ts';
import { loadVectors } from '../../support/flow-vectors.ts';
import { ManualClock } from '../../support/manual-delay.ts';

function good(spec: unknown): FlowSpec {
  const checked = checkSpec(spec);
  if (!checked.ok) throw new Error(JSON.stringify(checked.faults));
  return checked.spec;
}

function clockOf(manual: ManualClock) {
  return { now: () => manual.now, after: manual.delay };
}

function askOf(step: FlowStep): FlowAsk {
  if (step.kind !== 'ask') throw new Error(`ended: ${JSON.stringify(step.end)}`);
  return step.ask;
}

function endOf(step: FlowStep): FlowEnd {
  if (step.kind !== 'end') throw new Error(`asked: ${JSON.stringify(step.ask)}`);
  return step.end;
}

const OK = (value: number | string | null): AskReply => ({ kind: 'ok', value });

describe('a flow', () => {
  it.each(loadVectors())('$name', async ({ spec, keys, outcome }) => {
    const clock = new ManualClock();
    const backend = new EngineBackend(keys, clock);
    const run = await runFlow(good(spec), { backend, clock: clockOf(clock) });
    expect(run.outcome).toEqual(outcome);
    expect([backend.unused, backend.closed, clock.waiting]).toEqual([0, 1, 0]);
    for (const [index, { shows }] of keys.entries()) {
      if (!shows) continue;
      const { title, body, label } = backend.asks[index] as FlowAsk;
      expect({ ...(title && { title }), ...(body && { body }), ...(label && { label }) }).toEqual(shows);
    }
  });
});

const TWO = good({
  timeout: 100,
  screens: [
    { id: 'one', fields: [{ id: 'a', type: 'choice', options: ['x', 'y'] }] },
    { id: 'two', fields: [{ id: 'b', type: 'text' }] },
  ],
});

describe('the driver', () => {
  it('gives each ask what is left of the budget, which runs from the first time that something is shown', () => {
    const clock = new ManualClock();
    const driver = new FlowDriver(TWO, () => clock.now);
    expect(askOf(driver.start()).timeoutS).toBe(100);
    clock.advance(50_000);
    driver.shown();
    clock.advance(30_000);
    expect(askOf(driver.reply(OK(0))).timeoutS).toBe(70);
    clock.advance(70_000);
    expect(endOf(driver.reply(OK('late but given'))).outcome).toEqual({
      status: 'done',
      answers: { a: 'x', b: 'late but given' },
      action: null,
    });
  });

  it('ends with a timeout when nothing is left for the next ask', () => {
    const clock = new ManualClock();
    const driver = new FlowDriver(TWO, () => clock.now);
    driver.start();
    driver.shown();
    clock.advance(100_000);
    expect(endOf(driver.reply(OK(1))).outcome).toEqual({ status: 'timeout', at: 'two', answers: { a: 'y' } });
  });

  it('has 300 seconds if the spec does not say', () => {
    const driver = new FlowDriver(good({ screens: [{ id: 's', body: 'x' }] }), () => 0);
    expect(askOf(driver.start()).timeoutS).toBe(300);
  });

  it('goes on after 64 visits and ends at the 65th', () => {
    const spec = good({
      screens: [{ id: 's', body: 'x', actions: [{ id: 'again', label: 'Again' }], next: { again: 's' } }],
    });
    const driver = new FlowDriver(spec, () => 0);
    let step = driver.start();
    for (let visit = 1; visit <= PLEXER_FLOW_VISITS_MAX; visit++) {
      expect(step.kind).toBe('ask');
      step = driver.reply(OK(0));
    }
    expect(endOf(step)).toMatchObject({
      outcome: { status: 'error', error: 'more than 64 screen visits', at: 's', answers: {} },
      cause: 'visits',
    });
  });

  it('cuts a typed answer at 2000 characters and the text of an ask at 2000', () => {
    const info = (n: number) => ({ id: `i${n}`, type: 'info', text: '世'.repeat(1500) });
    const driver = new FlowDriver(
      good({ screens: [{ id: 's', fields: [info(1), info(2), { id: 't', type: 'text' }] }] }),
      () => 0,
    );
    const { body } = askOf(driver.start());
    expect([...(body ?? '')].length).toBe(PLEXER_FLOW_TEXT_MAX);
    expect(body?.endsWith('…')).toBe(true);
    const { answers } = endOf(driver.reply(OK('😀'.repeat(3000)))).outcome;
    expect([...String(answers.t)].length).toBe(PLEXER_FLOW_ANSWER_MAX);
  });

  it('ends with an error when a backend answers what was not offered', () => {
    for (const value of [2, -1, 0.5, 'x', null, Number.NaN]) {
      const driver = new FlowDriver(TWO, () => 0);
      driver.start();
      expect(endOf(driver.reply(OK(value))).outcome.status).toBe('error');
    }
  });

  it('stays ended, whatever comes afterwards', () => {
    const driver = new FlowDriver(TWO, () => 0);
    driver.start();
    const end = endOf(driver.reply({ kind: 'cancelled', by: 'escape' }));
    expect(endOf(driver.reply(OK(0)))).toBe(end);
    expect(endOf(driver.fail('later'))).toBe(end);
  });

  it('takes no id for a property of every object', () => {
    const ids = ['constructor', 'toString', 'hasOwnProperty'];
    const fields = ids.map((id) => ({ id, type: 'text', show_if: {} }));
    const action = { id: 'valueOf', label: 'Go' };
    const driver = new FlowDriver(good({ screens: [{ id: 's', fields, actions: [action], next: {} }] }), () => 0);
    driver.start();
    for (const id of ids) driver.reply(OK(id));
    expect(endOf(driver.reply(OK(0))).outcome).toEqual({
      status: 'done',
      answers: Object.fromEntries(ids.map((id) => [id, id])),
      action: 'valueOf',
    });
  });

  it('shows nothing of a screen whose fields are all left out and that says nothing', () => {
    const hidden = { id: 'a', type: 'text', show_if: { b: 1 } };
    const b = { id: 'b', type: 'choice', options: ['x'] };
    const driver = new FlowDriver(
      good({
        screens: [
          { id: 'one', fields: [hidden] },
          { id: 'two', fields: [b] },
        ],
      }),
      () => 0,
    );
    expect(askOf(driver.start()).at).toBe('two');
  });

  it('tells its path: screens that were shown, in order', () => {
    const spec = good({
      screens: [
        { id: 'one', body: 'x', next: 'three' },
        { id: 'two', body: 'x' },
        { id: 'three', body: 'x', show_if: { t: 1 } },
        { id: 'four', fields: [{ id: 't', type: 'text' }] },
      ],
    });
    const driver = new FlowDriver(spec, () => 0);
    driver.start();
    driver.reply(OK(null));
    expect(endOf(driver.reply(OK('x'))).path).toEqual(['one', 'four']);
  });

  it('always ends, with exactly one outcome of the four, whatever is answered and however the clock jumps', () => {
    const runs = process.env.MPLEX_TEST_FULL ? 10_000 : 2000;
    const reply = fc.oneof(
      { weight: 12, arbitrary: fc.constant<'ok'>('ok') },
      { weight: 1, arbitrary: fc.constantFrom<AskReply>({ kind: 'cancelled', by: 'escape' }, { kind: 'timeout' }) },
    );
    const jumps = fc.array(fc.oneof(fc.constant(10), fc.integer({ min: -1e6, max: 1e5 })), { minLength: 1 });
    fc.assert(
      fc.property(
        anySpec(),
        fc.infiniteStream(reply),
        fc.infiniteStream(fc.nat()),
        jumps,
        (spec, replies, picks, by) => {
          let now = 0;
          let calls = 0;
          const driver = new FlowDriver(good(spec), () => {
            now += by[calls++ % by.length] ?? 0;
            return now;
          });
          let step = driver.start();
          let asks = 0;
          while (step.kind === 'ask') {
            // 64 visits of at most 12 fields and an action each.
            expect(++asks).toBeLessThanOrEqual(64 * 13);
            const { ask } = step;
            const pick = picks.next().value ?? 0;
            const answer = replies.next().value;
            driver.shown();
            const value = ask.kind === 'choice' ? pick % ask.options.length : ask.kind === 'text' ? `t${pick}` : null;
            step = driver.reply(answer === 'ok' || answer === undefined ? { kind: 'ok', value } : answer);
          }
          const { outcome } = step.end;
          expect(['done', 'cancelled', 'timeout', 'error']).toContain(outcome.status);
          const keys = Object.keys(outcome).sort().join();
          const expected = { done: 'action,answers,status', error: 'answers,at,error,status' }[
            outcome.status as string
          ];
          expect(keys).toBe(expected ?? 'answers,at,status');
          expect(endOf(driver.fail('again')).outcome).toBe(outcome);
        },
      ),
      { numRuns: runs },
    );
  }, 120_000);
});
