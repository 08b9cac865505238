/**
 * `mplex ask`: puts one question to the person at the terminal and turns the outcome into output and exit code. Never
 * reads standard input and draws nothing: the dialog is the multiplexer's. An ask is data (AskCall); whatever runs a
 * whole conversation takes the place of `pose`.
 */
import type { DialogOutcome } from '../protocol/dialog.ts';
import { MplexError } from '../protocol/errors.ts';
import type { AskCall } from './ask-options.ts';
import { ASK_USAGE, parseAskArgs } from './ask-options.ts';
import type { ControlAnswer, ControlClient } from './control-client.ts';
import { connectControl } from './control-client.ts';

/** Exit codes of `mplex ask`. */
export const ASK_EXIT = {
  answered: 0,
  no: 1,
  usage: 2,
  dismissed: 4,
  nobody: 5,
  busy: 6,
  cancelled: 7,
  timeout: 124,
  failure: 125,
  interrupted: 130,
} as const;

/** Seconds that one `result` request is held. */
const WAIT_S = 25;

export interface AskIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  /** The control socket, already chosen from flags and environment. */
  readonly controlPath: string;
  /** Calls back when the process is told to stop; the question is taken back then. */
  readonly onSignal: (handler: (signal: 'SIGINT' | 'SIGTERM') => void) => void;
}

/** How an ask ended for its caller. */
type Ending =
  | { readonly kind: 'outcome'; readonly outcome: DialogOutcome }
  | { readonly kind: 'error'; readonly error: MplexError }
  | { readonly kind: 'signal'; readonly signal: 'SIGINT' | 'SIGTERM' };

/** Runs `mplex ask` with the arguments after the word and gives its exit code. */
export async function runAsk(argv: readonly string[], io: AskIo): Promise<number> {
  let call: AskCall | 'help';
  try {
    call = parseAskArgs(argv, io.env);
  } catch (error) {
    io.stderr.write(`mplex ask: ${messageOf(error)}\n${ASK_USAGE}\n`);
    return ASK_EXIT.usage;
  }
  if (call === 'help') {
    io.stdout.write(`${ASK_USAGE}\n`);
    return ASK_EXIT.answered;
  }
  const ending = await pose(call, io);
  print(call, ending, io);
  return exitCode(call, ending);
}

/** Asks, and waits for the end. */
async function pose(call: AskCall, io: AskIo): Promise<Ending> {
  const stopped = new Promise<Ending>((resolve) => io.onSignal((signal) => resolve({ kind: 'signal', signal })));
  let client: ControlClient;
  try {
    client = await connectControl(io.controlPath);
  } catch (error) {
    return endingOf(error);
  }
  try {
    const { flow } = accepted(await client.request({ op: 'show', ...call.ask }));
    if (typeof flow !== 'string') throw new MplexError('protocol', 'the server gave no flow id');
    const ending = await Promise.race([stopped, waitForOutcome(client, flow)]);
    await release(client, flow);
    return ending;
  } catch (error) {
    return endingOf(error);
  } finally {
    client.close();
  }
}

/** Takes the question back, or says that no other follows, so that the answered dialog goes at once. */
async function release(client: ControlClient, flow: string): Promise<void> {
  try {
    await client.request({ op: 'cancel', flow });
  } catch {
    // The server is gone, and the question with it; how the ask ended is known already.
  }
}

async function waitForOutcome(client: ControlClient, flow: string): Promise<Ending> {
  try {
    for (;;) {
      const answer = accepted(await client.request({ op: 'result', flow, wait: WAIT_S }));
      if (answer.done === true) return { kind: 'outcome', outcome: readOutcome(answer) };
    }
  } catch (error) {
    return endingOf(error);
  }
}

/** The reply if it says ok; throws the MplexError that it tells otherwise. */
function accepted(answer: ControlAnswer): ControlAnswer {
  if (answer.ok === true) return answer;
  const error: unknown = answer.error;
  if (typeof error !== 'object' || error === null) throw new MplexError('protocol', 'the server sent no error');
  const code = 'code' in error ? KNOWN_CODES.find((known) => known === error.code) : undefined;
  const message = 'message' in error && typeof error.message === 'string' ? error.message : 'unknown error';
  throw new MplexError(code ?? 'protocol', message);
}

const KNOWN_CODES = ['bad_request', 'busy', 'no_client', 'no_pane', 'too_many', 'not_found', 'forbidden'] as const;
const CANCELLERS = ['escape', 'interrupt', 'asker', 'pane_closed', 'server'] as const;

function readOutcome(answer: ControlAnswer): DialogOutcome {
  const { outcome, value } = answer;
  if (outcome === 'timeout') return { outcome: 'timeout', by: 'timeout' };
  const by = CANCELLERS.find((known) => known === answer.by);
  if (outcome === 'cancelled' && by !== undefined) return { outcome: 'cancelled', by };
  const isValue = typeof value === 'number' || typeof value === 'string' || value === null;
  if (outcome === 'ok' && isValue) return { outcome: 'ok', value, by: 'key' };
  throw new MplexError('protocol', 'the server sent an outcome that is not known here');
}

function endingOf(error: unknown): Ending {
  if (error instanceof MplexError) return { kind: 'error', error };
  return { kind: 'error', error: new MplexError('protocol', messageOf(error)) };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

// ---- what the caller sees ----

type Answer = string | boolean | null;

/** The answer in the caller's terms: the option's or the typed text, yes or no, null for a message. */
function answerOf(call: AskCall, value: number | string | null): Answer {
  if (call.shape === 'confirm') return value === 0;
  if (call.ask.kind === 'choice') return typeof value === 'number' ? (call.ask.options[value] ?? '') : '';
  return value === null ? null : String(value);
}

function print(call: AskCall, ending: Ending, io: AskIo): void {
  if (call.json) io.stdout.write(`${JSON.stringify(jsonOf(call, ending))}\n`);
  if (ending.kind === 'error') io.stderr.write(`mplex ask: ${ending.error.message}\n`);
  if (call.json || ending.kind !== 'outcome' || ending.outcome.outcome !== 'ok') return;
  const answer = answerOf(call, ending.outcome.value);
  if (typeof answer === 'string') io.stdout.write(`${answer}\n`);
}

/** The id of the one screen and its one field, as in a uiflow of that shape. */
const SCREEN_ID = 'ask';
const FIELD_ID = 'answer';

/** uiflow's outcome object. */
function jsonOf(call: AskCall, ending: Ending): object {
  if (ending.kind === 'error') {
    const { code, message } = ending.error;
    return { status: 'error', error: message, code, at: SCREEN_ID, answers: {} };
  }
  if (ending.kind === 'signal') return { status: 'cancelled', at: SCREEN_ID, answers: {} };
  const { outcome } = ending;
  if (outcome.outcome !== 'ok') return { status: outcome.outcome, at: SCREEN_ID, answers: {} };
  const answer = answerOf(call, outcome.value);
  return { status: 'done', answers: answer === null ? {} : { [FIELD_ID]: answer }, action: null };
}

function exitCode(call: AskCall, ending: Ending): number {
  switch (ending.kind) {
    case 'signal':
      return ending.signal === 'SIGINT' ? ASK_EXIT.interrupted : ASK_EXIT.cancelled;
    case 'error':
      return errorExit(ending.error);
    case 'outcome':
      return outcomeExit(call, ending.outcome);
  }
}

function outcomeExit(call: AskCall, outcome: DialogOutcome): number {
  switch (outcome.outcome) {
    case 'ok':
      return answerOf(call, outcome.value) === false ? ASK_EXIT.no : ASK_EXIT.answered;
    case 'timeout':
      return ASK_EXIT.timeout;
    case 'cancelled':
      return CANCELLED_EXIT[outcome.by];
  }
}

const CANCELLED_EXIT = {
  escape: ASK_EXIT.dismissed,
  interrupt: ASK_EXIT.interrupted,
  asker: ASK_EXIT.cancelled,
  pane_closed: ASK_EXIT.dismissed,
  server: ASK_EXIT.nobody,
} as const;

function errorExit(error: MplexError): number {
  switch (error.code) {
    case 'bad_request':
    case 'no_pane':
    case 'usage':
      return ASK_EXIT.usage;
    case 'busy':
    case 'too_many':
      return ASK_EXIT.busy;
    case 'no_client':
    case 'forbidden':
      return ASK_EXIT.nobody;
    default:
      return ASK_EXIT.failure;
  }
}
