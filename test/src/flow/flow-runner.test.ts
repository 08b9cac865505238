import { describe, expect, it } from 'vitest';
import { MplexError } from '../../../protocol/errors.ts';
import type { AskWatch, BackendReply, FlowBackend } from '../../../src/flow/backend.ts';
import type { FlowAsk } from '../../../src/flow/driver.ts';
import { reportOf } from '../../../src/flow/flow-report.ts';
import { type FlowRun, type RunOptions, runFlow } from '../../../src/flow/flow-runner.ts';
import type { FlowSpec } from '../../../src/flow/flow-spec.ts';
import { ManualClock } from '../../support/manual-delay.ts';

const SPEC: FlowSpec = {
  timeout: 60,
  screens: [
    { id: 'one', fields: [{ id: 'a', type: 'choice', options: ['x', 'y'], default: 1 }] },
    { id: 'two', fields: [{ id: 'b', type: 'text', initial: 'b0' }] },
  ],
};

/** A backend whose asks a test answers by hand. */
class HandBackend implements FlowBackend {
  readonly name = 'hand';
  readonly slackMs: number = 0;
  readonly asks: FlowAsk[] = [];
  watch: AskWatch | undefined;
  answer: (reply: BackendReply) => void = () => {};
  fail: (error: unknown) => void = () => {};
  closed = 0;
  #asked = () => {};

  ask(ask: FlowAsk, watch: AskWatch): Promise<BackendReply> {
    this.asks.push(ask);
    this.watch = watch;
    return new Promise((resolve, reject) => {
      this.answer = resolve;
      this.fail = reject;
      this.#asked();
    });
  }

  /** Resolves with the next ask. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#asked = resolve;
    });
  }

  async close(): Promise<void> {
    this.closed++;
  }
}

function start(options: Partial<RunOptions> = {}, spec = SPEC) {
  const clock = new ManualClock();
  const backend = new HandBackend();
  const ends: FlowRun[] = [];
  const run = runFlow(spec, { backend, clock: { now: () => clock.now, after: clock.delay }, ...options });
  void run.then((end) => ends.push(end));
  return { clock, backend, run, ends };
}

const X: BackendReply = { kind: 'ok', value: 0 };

describe('a run of a flow', () => {
  it('counts one budget from the first sight of the first ask', async () => {
    const { clock, backend, run } = start();
    clock.advance(1_000_000);
    backend.watch?.state('queued');
    backend.watch?.state('shown');
    clock.advance(20_000);
    const asked = backend.next();
    backend.answer(X);
    await asked;
    expect(backend.asks.map(({ timeoutS }) => timeoutS)).toEqual([60, 40]);
    // Nobody has seen the second ask: the budget runs on all the same.
    clock.advance(40_000);
    await new Promise(setImmediate);
    expect(backend.watch?.signal.aborted).toBe(true);
    clock.advance(2000);
    expect((await run).outcome).toEqual({ status: 'timeout', at: 'two', answers: { a: 'x' } });
    expect([backend.closed, clock.waiting]).toEqual([1, 0]);
  });

  it('takes an answer that was given in time and arrives while the ask is taken away', async () => {
    const { clock, backend, run } = start({}, { timeout: 60, screens: SPEC.screens.slice(0, 1) });
    backend.watch?.state('shown');
    backend.watch?.signal.addEventListener('abort', () => backend.answer(X));
    clock.advance(60_000);
    expect((await run).outcome).toEqual({ status: 'done', answers: { a: 'x' }, action: null });
  });

  it('is cancelled when its caller gives up, before and during an ask', async () => {
    const gone = AbortSignal.abort();
    expect((await start({ signal: gone }).run).outcome).toEqual({ status: 'cancelled', at: 'one', answers: {} });
    const stop = new AbortController();
    const { clock, backend, run } = start({ signal: stop.signal });
    stop.abort();
    await new Promise(setImmediate);
    expect(backend.watch?.signal.aborted).toBe(true);
    clock.advance(2000);
    expect(await run).toMatchObject({ outcome: { status: 'cancelled', at: 'one' }, cause: 'asker' });
  });

  it('ends with an error and its code when the backend cannot ask', async () => {
    const { backend, run } = start();
    backend.fail(new MplexError('busy', 'the client is busy'));
    expect(await run).toMatchObject({
      outcome: { status: 'error', error: 'the client is busy', at: 'one', answers: {} },
      code: 'busy',
    });
  });

  it('ends once, though the backend answers, fails and times out at the same moment', async () => {
    for (const slack of [0, 1000]) {
      const { clock, backend, run, ends } = start({}, { timeout: 60, screens: SPEC.screens.slice(0, 1) });
      Object.assign(backend, { slackMs: slack });
      backend.watch?.state('shown');
      backend.answer(X);
      backend.fail(new Error('late'));
      clock.advance(100_000);
      backend.watch?.state('queued');
      backend.answer({ kind: 'timeout' });
      await run;
      await new Promise(setImmediate);
      expect(ends).toHaveLength(1);
    }
  });

  it('outlives a backend that fails to close', async () => {
    const { backend, run } = start({}, { screens: [{ id: 'm', body: 'x' }] });
    backend.close = () => Promise.reject(new Error('broken'));
    backend.answer({ kind: 'ok', value: null });
    expect((await run).outcome.status).toBe('done');
  });

  it('has one outcome though the clock jumps back and ahead', async () => {
    for (const jump of [-1e9, 1e9]) {
      let skew = 0;
      const clock = new ManualClock();
      const backend = new HandBackend();
      const ends: string[] = [];
      const run = runFlow(SPEC, { backend, clock: { now: () => clock.now + skew, after: clock.delay } });
      void run.then(({ outcome }) => ends.push(outcome.status));
      backend.watch?.state('shown');
      skew = jump;
      const second = jump < 0 ? backend.next() : Promise.resolve();
      backend.answer(X);
      await second;
      if (jump < 0) {
        expect(backend.asks[1]?.timeoutS).toBe(60);
        backend.answer({ kind: 'ok', value: 'b' });
      }
      await run;
      expect(ends).toEqual([jump < 0 ? 'done' : 'timeout']);
    }
  });

  it('tells who answered what and when, if that is wanted', async () => {
    const { backend, run } = start({}, { screens: [{ id: 'm', body: 'x' }] });
    backend.answer({ kind: 'ok', value: null, meta: { client: '/dev/pts/3', seen_at: '2026-01-01T00:00:00.000Z' } });
    expect(reportOf(await run, 'hand')).toEqual({
      status: 'done',
      answers: {},
      action: null,
      meta: {
        backend: 'hand',
        cause: 'finished',
        path: ['m'],
        asks: [{ at: 'm', kind: 'message', client: '/dev/pts/3', seen_at: '2026-01-01T00:00:00.000Z' }],
      },
    });
  });
});

describe('a policy of defaults', () => {
  const both = { timeout: true, unattended: true };

  it('completes the answers after a time-out and still says that time ran out', async () => {
    const { backend, run } = start({ defaults: both });
    const asked = backend.next();
    backend.answer(X);
    await asked;
    backend.answer({ kind: 'timeout' });
    expect(await run).toMatchObject({
      outcome: { status: 'timeout', at: 'two', answers: { a: 'x', b: 'b0' } },
      defaulted: ['b'],
    });
  });

  it('completes them where nobody can be asked', async () => {
    const { backend, run } = start({ defaults: both });
    backend.fail(new MplexError('no_client', 'no client is attached'));
    expect(await run).toMatchObject({
      outcome: { status: 'error', error: 'no client is attached', at: 'one', answers: { a: 'y', b: 'b0' } },
      code: 'no_client',
      defaulted: ['a', 'b'],
    });
  });

  it('is not followed unasked', async () => {
    const { backend, run } = start();
    backend.answer({ kind: 'timeout' });
    expect(await run).toMatchObject({ outcome: { status: 'timeout', answers: {} }, defaulted: undefined });
  });

  it.each<[string, FlowSpec]>([
    ['a choice without a default', { screens: [{ id: 's', fields: [{ id: 'a', type: 'choice', options: ['x'] }] }] }],
    ['a text without one', { screens: [{ id: 's', fields: [{ id: 'a', type: 'text' }] }] }],
    ['an action', { screens: [{ id: 's', body: 'x', actions: [{ id: 'go', label: 'Go' }] }] }],
    ['a message', { screens: [{ id: 's', body: 'x' }] }],
    [
      'a yes',
      {
        screens: [
          { id: 's', fields: [{ id: 'a', type: 'choice', options: [{ label: 'Yes', value: true }], default: 0 }] },
        ],
      },
    ],
  ])('never answers %s', async (_what, spec) => {
    const { backend, run } = start({ defaults: both }, spec);
    backend.answer({ kind: 'timeout' });
    expect(await run).toMatchObject({ outcome: { status: 'timeout', answers: {} }, defaulted: undefined });
  });
});
