/**
 * A flow from start to end on a backend: one ask after the other, one budget, one outcome. Whatever happens (a backend
 * that fails, a clock that jumps, a caller that gives up) the promise resolves once.
 */
import type { ErrorCode } from '../../protocol/errors.ts';
import { MplexError } from '../../protocol/errors.ts';
import type { AskMeta, AskState, BackendReply, FlowBackend } from './backend.ts';
import { type FlowAsk, FlowDriver } from './driver.ts';
import type { DefaultedEnd, DefaultsPolicy } from './flow-defaults.ts';
import { answerByDefaults } from './flow-defaults.ts';
import type { FlowSpec } from './flow-spec.ts';
import type { FlowEnd } from './outcome.ts';

/** How long a backend may take to take an ask away, ms. */
const WITHDRAW_MS = 2000;
/** Longest delay that a Node timer takes, ms. */
const TIMER_MAX_MS = 2_147_483_647;

export interface RunClock {
  /** ms, monotonic. */
  readonly now: () => number;
  readonly after: (delayMs: number, run: () => void) => () => void;
}

export interface RunOptions {
  readonly backend: FlowBackend;
  readonly clock: RunClock;
  /** Aborted when the caller gives up: the outcome is `cancelled`. */
  readonly signal?: AbortSignal;
  /** How the present ask stands, each time that it changes. */
  readonly onState?: (state: AskState, at: string) => void;
  /** When the defaults that the spec states take the place of answers. */
  readonly defaults?: DefaultsPolicy;
}

/** Provenance of one ask. */
export interface AskRecord extends AskMeta {
  readonly at: string;
  readonly kind: FlowAsk['kind'];
}

export interface FlowRun extends FlowEnd {
  /** Why a backend could not ask. */
  readonly code: ErrorCode | undefined;
  readonly asks: readonly AskRecord[];
  /** Fields that have their stated default because nobody answered, by the caller's policy. */
  readonly defaulted: readonly string[] | undefined;
}

/** Runs a checked spec. Never rejects. */
export async function runFlow(spec: FlowSpec, options: RunOptions): Promise<FlowRun> {
  const { backend, defaults } = options;
  const driver = new FlowDriver(spec, monotonic(options.clock.now));
  const asks: AskRecord[] = [];
  const runOf = (end: FlowEnd, rest: Pick<FlowRun, 'code' | 'defaulted'>): FlowRun => ({ ...end, asks, ...rest });
  let code: ErrorCode | undefined;
  let instead: DefaultedEnd | undefined;
  let step = driver.start();
  while (step.kind === 'ask') {
    const { ask } = step;
    try {
      const { meta, ...reply } = await askOnce(ask, driver, options);
      asks.push({ at: ask.at, kind: ask.kind, ...meta });
      if (reply.kind === 'timeout' && defaults?.timeout) instead = answerByDefaults(driver, reply);
      step = driver.reply(reply);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      code = error instanceof MplexError ? error.code : undefined;
      if (code === 'no_client' && defaults?.unattended) {
        instead = answerByDefaults(driver, { kind: 'failed', error: message });
      }
      step = driver.fail(message);
    }
  }
  await closeQuietly(backend);
  return instead
    ? runOf(instead, { code, defaulted: instead.defaulted })
    : runOf(step.end, { code, defaulted: undefined });
}

async function closeQuietly(backend: FlowBackend): Promise<void> {
  try {
    await backend.close();
  } catch {
    // How the flow ended is known already.
  }
}

/** A clock that never goes back, whatever the one below does. */
function monotonic(now: () => number): () => number {
  let latest = Number.NEGATIVE_INFINITY;
  return () => {
    latest = Math.max(latest, now());
    return latest;
  };
}

/** One ask on the backend, ended by its reply, the budget or the caller, whatever comes first. */
async function askOnce(ask: FlowAsk, driver: FlowDriver, options: RunOptions): Promise<BackendReply> {
  const { backend, signal } = options;
  if (signal?.aborted) return BY_ASKER;
  const end = deferred<BackendReply>();
  const givenUp = new AbortController();
  const onAbort = () => end.resolve(BY_ASKER);
  signal?.addEventListener('abort', onAbort, { once: true });
  const watch = new AskClock(driver, options, { at: ask.at, expired: () => end.resolve({ kind: 'timeout' }) });
  try {
    const asked = backend.ask(ask, { signal: givenUp.signal, state: (state) => watch.state(state) });
    const first = await Promise.race([asked.then((reply) => ({ reply, isEnded: false })), endedBy(end.promise)]);
    if (!first.isEnded) return first.reply;
    givenUp.abort();
    return await withdrawn(asked, first.reply, options);
  } finally {
    watch.stop();
    signal?.removeEventListener('abort', onAbort);
  }
}

const BY_ASKER: BackendReply = { kind: 'cancelled', by: 'asker' };

async function endedBy(
  end: Promise<BackendReply>,
): Promise<{ readonly reply: BackendReply; readonly isEnded: boolean }> {
  return { reply: await end, isEnded: true };
}

/** Waits a little until the ask is taken away. An answer that was given in time counts against the clock. */
async function withdrawn(
  asked: Promise<BackendReply>,
  end: BackendReply,
  { clock }: RunOptions,
): Promise<BackendReply> {
  const late = deferred<undefined>();
  const stop = clock.after(WITHDRAW_MS, () => late.resolve(undefined));
  const reply = await Promise.race([asked.catch(() => undefined), late.promise]);
  stop();
  return end.kind === 'timeout' && reply?.kind === 'ok' ? reply : end;
}

/** The budget's timer during one ask: runs from the first time that anything is shown. */
class AskClock {
  readonly #driver: FlowDriver;
  readonly #options: RunOptions;
  readonly #ask: { readonly at: string; readonly expired: () => void };
  #state: AskState | undefined;
  #stopTimer = () => {};
  #isOver = false;

  constructor(driver: FlowDriver, options: RunOptions, ask: { readonly at: string; readonly expired: () => void }) {
    this.#driver = driver;
    this.#options = options;
    this.#ask = ask;
    if (driver.isShown) this.#start();
  }

  state(state: AskState): void {
    if (this.#isOver || state === this.#state) return;
    this.#state = state;
    if (state === 'shown' && !this.#driver.isShown) {
      this.#driver.shown();
      this.#start();
    }
    this.#options.onState?.(state, this.#ask.at);
  }

  stop(): void {
    this.#isOver = true;
    this.#stopTimer();
  }

  #start(): void {
    const { backend, clock } = this.#options;
    const delayMs = Math.min(TIMER_MAX_MS, Math.ceil(this.#driver.remainingS * 1000) + backend.slackMs);
    this.#stopTimer = clock.after(delayMs, this.#ask.expired);
  }
}

interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
}

function deferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
