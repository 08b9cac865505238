/** Exit codes of `mplex ask`: one for each way to end, each to be changed by the environment. */
import type { ErrorCode } from '../../protocol/errors.ts';
import { MplexError } from '../../protocol/errors.ts';
import type { FlowRun } from '../../src/flow/flow-runner.ts';
import { FIELD_ID } from './quick-spec.ts';

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

export type AskEnd = keyof typeof ASK_EXIT;
export type ExitCodes = Readonly<Record<AskEnd, number>>;

/** Reads MPLEX_ASK_EXIT_ANSWERED and so on. Throws MplexError 'usage' for a value that is no exit code. */
export function readExitCodes(env: Readonly<Record<string, string | undefined>>): ExitCodes {
  const codes: Record<AskEnd, number> = { ...ASK_EXIT };
  // Object.keys does not know the names that the table has.
  for (const end of Object.keys(ASK_EXIT) as AskEnd[]) {
    const name = `MPLEX_ASK_EXIT_${end.toUpperCase()}`;
    const text = env[name];
    if (text === undefined || text === '') continue;
    if (!/^\d{1,3}$/.test(text) || Number(text) > 255) {
      throw new MplexError('usage', `${name} must be a number from 0 to 255, not ${JSON.stringify(text.slice(0, 40))}`);
    }
    codes[end] = Number(text);
  }
  return codes;
}

/** The code for an answer that cannot be printed; the default where the environment's is no exit code. */
export function failureCode(env: Readonly<Record<string, string | undefined>>): number {
  try {
    return readExitCodes(env).failure;
  } catch {
    return ASK_EXIT.failure;
  }
}

/** Signals that take the question back. */
export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** How a flow ended for a script. */
export function endOfRun(run: FlowRun, signal: StopSignal | undefined): AskEnd {
  if (run.defaulted) return answered(run);
  if (run.code !== undefined) return endOfError(run.code);
  switch (run.cause) {
    case 'finished':
      return answered(run);
    case 'route':
      return 'no';
    case 'escape':
    case 'pane_closed':
      return 'dismissed';
    case 'interrupt':
      return 'interrupted';
    case 'asker':
      return signal === 'SIGINT' ? 'interrupted' : 'cancelled';
    case 'server':
      return 'nobody';
    case 'timeout':
      return 'timeout';
    case 'visits':
    case 'failed':
      return 'failure';
  }
}

/** A confirmation that was denied is a no; its field alone has that id and a boolean. */
function answered({ outcome }: FlowRun): AskEnd {
  return outcome.answers[FIELD_ID] === false ? 'no' : 'answered';
}

export function endOfError(code: ErrorCode): AskEnd {
  switch (code) {
    case 'bad_request':
    case 'no_pane':
    case 'usage':
      return 'usage';
    case 'busy':
    case 'too_many':
      return 'busy';
    case 'no_client':
    case 'forbidden':
      return 'nobody';
    default:
      return 'failure';
  }
}
