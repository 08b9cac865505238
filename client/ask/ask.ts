/**
 * `mplex ask`: runs one question or a whole flow and turns its end into output and exit code. Reads standard input only
 * when told to (`--spec -`) and draws nothing on its own output.
 */
import { readFile } from 'node:fs/promises';
import { MplexError } from '../../protocol/errors.ts';
import { systemReason } from '../../protocol/system-reason.ts';
import type { FlowRun, RunClock } from '../../src/flow/flow-runner.ts';
import { runFlow } from '../../src/flow/flow-runner.ts';
import type { FlowSpec } from '../../src/flow/flow-spec.ts';

import {
  ASK_EXIT,
  type AskEnd,
  type ExitCodes,
  endOfError,
  endOfRun,
  readExitCodes,
  type StopSignal,
} from './ask-exit.ts';
import type { AskCall } from './ask-options.ts';
import { ASK_USAGE, parseAskArgs } from './ask-options.ts';
import { checkNames, isSilent, printRun } from './ask-print.ts';
import { chooseBackend, openBackend } from './backends.ts';

export interface AskIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  /** All of standard input, for `--spec -`. */
  readonly readStdin: () => Promise<string>;
  /** The control socket, already chosen from flags and environment. */
  readonly controlPath: string;
  /** -L or -S named a server. */
  readonly isServerNamed: boolean;
  /** The caller stands on a terminal of its own. */
  readonly isTerminal: boolean;
  readonly clock: RunClock;
  /** Calls back when the process is told to stop; the question is taken back then. */
  readonly onSignal: (handler: (signal: StopSignal) => void) => void;
}

/** Runs `mplex ask` with the arguments after the word and gives its exit code. */
export async function runAsk(argv: readonly string[], io: AskIo): Promise<number> {
  let codes: ExitCodes = ASK_EXIT;
  try {
    codes = readExitCodes(io.env);
    const call = parseAskArgs(argv, io.env);
    if (call === 'help') {
      io.stdout.write(`${ASK_USAGE}\n`);
      return codes.answered;
    }
    const spec = call.source.kind === 'quick' ? call.source.spec : await readSpec(call.source.path, io);
    if (spec === undefined) return codes.usage;
    checkNames(spec, call.print);
    return codes[await pose(spec, call, io)];
  } catch (error) {
    const isUsage = error instanceof MplexError && error.code === 'usage';
    io.stderr.write(`mplex ask: ${messageOf(error)}\n${isUsage ? 'mplex ask --help lists the flags\n' : ''}`);
    return codes[error instanceof MplexError ? endOfError(error.code) : 'failure'];
  }
}

/** Reads and checks a spec; undefined after its faults were told. The schema is loaded for this only. */
async function readSpec(path: string, io: AskIo): Promise<FlowSpec | undefined> {
  const text = await readText(path, io);
  const { checkSpecText, faultLines } = await import('../../src/flow/spec.ts');
  const checked = checkSpecText(text);
  if (checked.ok) return checked.spec;
  const name = path === '-' ? 'standard input' : path;
  for (const line of faultLines(checked.faults)) io.stderr.write(`mplex ask: ${name}: ${line}\n`);
  return undefined;
}

async function readText(path: string, io: AskIo): Promise<string> {
  if (path === '-') return io.readStdin();
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new MplexError('bad_request', `can't read ${path}: ${systemReason(error)}`);
  }
}

/** Asks, tells how it ended, and gives the end in a word. */
async function pose(spec: FlowSpec, call: AskCall, io: AskIo): Promise<AskEnd> {
  const stop = new AbortController();
  let signal: StopSignal | undefined;
  io.onSignal((name) => {
    signal = name;
    stop.abort();
  });
  const backend = await openBackend(call.backend ?? chooseBackend(io), {
    controlPath: io.controlPath,
    pane: call.pane,
    client: call.client,
    queue: call.queue,
    waitClient: call.waitClient,
    expiresS: call.expiresS,
    env: io.env,
    now: io.clock.now,
    after: io.clock.after,
  });
  const run = await runFlow(spec, { backend, clock: io.clock, signal: stop.signal, defaults: call.defaults });
  tell(run, call, { io, backend: backend.name });
  return endOfRun(run, signal);
}

function tell(run: FlowRun, call: AskCall, { io, backend }: { readonly io: AskIo; readonly backend: string }): void {
  if (run.outcome.status === 'error') io.stderr.write(`mplex ask: ${run.outcome.error}\n`);
  const text = isSilent(call) ? '' : printRun(run, { form: call.print, meta: call.meta, backend });
  if (text !== '') io.stdout.write(text);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
