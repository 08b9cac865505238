/**
 * Asks through mplex's control socket: `show`, a held `result`, `cancel`. The asks of a flow follow each other without a
 * gap (`after`). A lost connection is looked for again: a server that was replaced knows its questions.
 */
import type { DialogMeta, DialogState } from '../../protocol/dialog.ts';
import { MplexError } from '../../protocol/errors.ts';
import type { AskWatch, BackendReply, FlowBackend } from '../../src/flow/backend.ts';
import type { FlowAsk } from '../../src/flow/driver.ts';
import type { ControlAnswer, ControlClient } from './control-client.ts';
import { connectControl } from './control-client.ts';

/** Seconds that one `result` request is held. */
const WAIT_S = 25;
/** The server keeps the time; this is for one that does not answer any more, ms. */
const SLACK_MS = 2000;
/** How long a lost server is looked for, and how often, ms. */
const RECONNECT_MS = 5000;
const RECONNECT_STEP_MS = 100;
/** How often a server that is waited for is looked for, ms. */
const SERVER_STEP_MS = 250;

export interface NativeOptions {
  readonly controlPath: string;
  /** Says on each connection what it may do ($MPLEX_TOKEN). */
  readonly token?: string | undefined;
  /** The asking pane, `%3`. */
  readonly pane?: string | undefined;
  /** A client's name: nobody else is asked. */
  readonly client?: string | undefined;
  /** Wait for a busy client. */
  readonly queue?: boolean;
  /** Wait for a client to attach. */
  readonly waitClient?: boolean;
  /** Seconds that the first ask may wait unseen. */
  readonly expiresS?: number | undefined;
  readonly after: (delayMs: number, run: () => void) => () => void;
}

export class NativeBackend implements FlowBackend {
  readonly name = 'native';
  readonly slackMs = SLACK_MS;
  readonly #options: NativeOptions;
  #connection: ControlClient | undefined;
  /** The ask before, whose dialog stays until this one is up. */
  #before: string | undefined;
  /** How long there was no server, ms. */
  #waitedMs = 0;

  constructor(options: NativeOptions) {
    this.#options = options;
  }

  async ask(ask: FlowAsk, watch: AskWatch): Promise<BackendReply> {
    const connection = await this.#connectOrWait(watch);
    if ('kind' in connection) return connection;
    const { flow } = accepted(await connection.request(this.#request(ask)));
    if (typeof flow !== 'string') throw new MplexError('protocol', 'the server gave no flow id');
    this.#before = flow;
    const cancel = () => void this.#cancel(flow);
    watch.signal.addEventListener('abort', cancel, { once: true });
    if (watch.signal.aborted) cancel();
    try {
      return await this.#wait(flow, watch);
    } finally {
      watch.signal.removeEventListener('abort', cancel);
    }
  }

  async close(): Promise<void> {
    const flow = this.#before;
    this.#before = undefined;
    // Says that no other ask follows, so that the answered dialog goes at once.
    if (flow !== undefined) await this.#cancel(flow);
    this.#connection?.close();
    this.#connection = undefined;
  }

  #request({ timeoutS, at: _at, ...shown }: FlowAsk): object {
    const { pane, client, queue, waitClient, expiresS } = this.#options;
    const before = this.#before;
    // A flow that has begun waits for its person, who may detach and come back, as long as its budget lasts.
    const waits = before === undefined ? {} : { after: before, queue: true, wait_client: true, expires: timeoutS };
    return {
      op: 'show',
      ...shown,
      timeout: timeoutS,
      meta: true,
      ...(pane !== undefined && { pane }),
      ...(client !== undefined && { client }),
      ...(queue && { queue }),
      ...(waitClient && { wait_client: true }),
      ...(expiresS !== undefined && { expires: Math.max(1, expiresS - this.#waitedMs / 1000) }),
      ...waits,
    };
  }

  async #wait(flow: string, watch: AskWatch): Promise<BackendReply> {
    let state: DialogState | undefined;
    let wait = 0;
    for (;;) {
      const answer = await this.#result({ op: 'result', flow, wait, ...(state !== undefined && { state }) });
      if (answer.done === true) return readReply(answer);
      state = readState(answer);
      watch.state(state);
      wait = WAIT_S;
    }
  }

  /** A `result`, asked again over a new connection when the old one breaks. */
  async #result(request: object): Promise<ControlAnswer> {
    try {
      const connection = await this.#connect();
      return accepted(await connection.request(request));
    } catch (error) {
      if (!(error instanceof MplexError) || error.code !== 'io') throw lostQuestion(error);
      const connection = await this.#reconnect();
      try {
        return accepted(await connection.request(request));
      } catch (again) {
        throw lostQuestion(again);
      }
    }
  }

  /** Whoever waits for a client waits for its server as well: the connection, or how the wait ended. */
  async #connectOrWait(watch: AskWatch): Promise<ControlClient | BackendReply> {
    const { waitClient, expiresS = Number.POSITIVE_INFINITY, after } = this.#options;
    for (;;) {
      try {
        return await this.#connect();
      } catch (error) {
        const isNobody = error instanceof MplexError && error.code === 'no_client';
        if (!isNobody || !waitClient || this.#before !== undefined) throw error;
      }
      if (this.#waitedMs >= expiresS * 1000) return { kind: 'timeout' };
      watch.state('waiting_client');
      await new Promise<void>((resolve) => after(SERVER_STEP_MS, resolve));
      this.#waitedMs += SERVER_STEP_MS;
      if (watch.signal.aborted) return { kind: 'cancelled', by: 'asker' };
    }
  }

  async #connect(): Promise<ControlClient> {
    if (this.#connection?.isOpen) return this.#connection;
    this.#connection = this.#connection === undefined ? await this.#open() : await this.#reconnect();
    return this.#connection;
  }

  async #open(): Promise<ControlClient> {
    const { controlPath, token } = this.#options;
    const connection = await connectControl(controlPath);
    if (token) accepted(await connection.request({ op: 'hello', token }));
    return connection;
  }

  async #reconnect(): Promise<ControlClient> {
    for (let waitedMs = 0; waitedMs < RECONNECT_MS; waitedMs += RECONNECT_STEP_MS) {
      await new Promise<void>((resolve) => this.#options.after(RECONNECT_STEP_MS, resolve));
      try {
        this.#connection = await this.#open();
        return this.#connection;
      } catch {
        // Not yet there.
      }
    }
    throw new MplexError('io', 'the server closed the connection');
  }

  async #cancel(flow: string): Promise<void> {
    const connection = this.#connection;
    if (!connection?.isOpen) return;
    try {
      await connection.request({ op: 'cancel', flow });
    } catch {
      // The server is gone, and the question with it.
    }
  }
}

/** A question that was asked and is not known any more: the server ended, or is a new one. */
function lostQuestion(error: unknown): unknown {
  const isLost = error instanceof MplexError && error.code === 'not_found';
  return isLost ? new MplexError('no_client', 'the server has lost the question') : error;
}

/** The reply if it says ok; throws the MplexError that it tells otherwise. */
export function accepted(answer: ControlAnswer): ControlAnswer {
  if (answer.ok === true) return answer;
  const error: unknown = answer.error;
  if (typeof error !== 'object' || error === null) throw new MplexError('protocol', 'the server sent no error');
  const code = 'code' in error ? KNOWN_CODES.find((known) => known === error.code) : undefined;
  const message = 'message' in error && typeof error.message === 'string' ? error.message : 'unknown error';
  throw new MplexError(code ?? 'protocol', message);
}

const KNOWN_CODES = ['bad_request', 'busy', 'no_client', 'no_pane', 'too_many', 'not_found', 'forbidden'] as const;
const CANCELLERS = ['escape', 'interrupt', 'asker', 'pane_closed', 'server'] as const;
const STATES = ['shown', 'queued', 'waiting_client'] as const;

function readState(answer: ControlAnswer): (typeof STATES)[number] {
  const state = STATES.find((known) => known === answer.state);
  if (state === undefined) throw new MplexError('protocol', 'the server sent a state that is not known here');
  return state;
}

function readReply(answer: ControlAnswer): BackendReply {
  const { outcome, value } = answer;
  const meta = readMeta(answer.meta);
  if (outcome === 'timeout') return { kind: 'timeout', ...meta };
  const by = CANCELLERS.find((known) => known === answer.by);
  if (outcome === 'cancelled' && by !== undefined) return { kind: 'cancelled', by, ...meta };
  const isValue = typeof value === 'number' || typeof value === 'string' || value === null;
  if (outcome === 'ok' && isValue) return { kind: 'ok', value, ...meta };
  throw new MplexError('protocol', 'the server sent an outcome that is not known here');
}

const META_KEYS = [
  'client',
  'tty',
  'asked_at',
  'shown_at',
  'seen_at',
  'answered_at',
] as const satisfies readonly (keyof DialogMeta)[];

function readMeta(value: unknown): { readonly meta?: Record<string, string> } {
  if (typeof value !== 'object' || value === null) return {};
  const found = new Map<string, unknown>(Object.entries(value));
  const texts = META_KEYS.flatMap((key) => {
    const text = found.get(key);
    return typeof text === 'string' ? [[key, text] as const] : [];
  });
  return { meta: Object.fromEntries(texts) };
}
