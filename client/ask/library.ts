/**
 * `mplex/client`: ask from a program. The same driver and backends as `mplex ask`; types for callers are in
 * client-types.d.ts, which a test holds against this file.
 */
import type { AskState } from '../../src/flow/backend.ts';
import { type FlowReport, reportOf } from '../../src/flow/flow-report.ts';
import { runFlow } from '../../src/flow/flow-runner.ts';
import type { FlowSpec, Scalar } from '../../src/flow/flow-spec.ts';
import { CLOCK } from '../clock.ts';
import { ensureSocketDir } from '../server-socket.ts';
import { type BackendName, chooseBackend, controlPathOf, openBackend } from './backends.ts';
import { connectControl } from './control-client.ts';
import { accepted } from './native-backend.ts';
import { FIELD_ID, quickSpec } from './quick-spec.ts';

export interface ShowOptions {
  /** Default: by where the program stands. */
  readonly backend?: BackendName;
  /** The control socket; default: $MPLEX_CONTROL, else that of the default server. */
  readonly controlPath?: string;
  /** The asking pane, `%3`; default $MPLEX_PANE. */
  readonly pane?: string;
  readonly client?: string;
  readonly queue?: boolean;
  readonly waitClient?: boolean;
  /** Seconds that the first question may wait unseen. */
  readonly expires?: number;
  /** Takes the question back. */
  readonly signal?: AbortSignal;
  readonly onState?: (state: AskState, screen: string) => void;
  /** The outcome tells who answered and when. */
  readonly meta?: boolean;
}

/** A spec that breaks the rules; `faults` are lines with JSON pointers. */
export class SpecError extends Error {
  override readonly name = 'SpecError';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`the spec is not valid:\n${faults.join('\n')}`);
    this.faults = faults;
  }
}

/** Checks a spec, shows the flow and gives its outcome. Rejects with SpecError for a bad spec and for nothing else. */
export async function showFlow(spec: unknown, options: ShowOptions = {}): Promise<FlowReport> {
  return run(await checked(spec), options);
}

/** Throws SpecError. */
async function checked(spec: unknown): Promise<FlowSpec> {
  const { checkSpec, faultLines } = await import('../../src/flow/spec.ts');
  const check = checkSpec(spec);
  if (!check.ok) throw new SpecError(faultLines(check.faults));
  return check.spec;
}

/** Asks one thing: with options a choice, without a text. Undefined if it was not answered. */
export async function ask(
  question: string,
  options: readonly string[] = [],
  show: ShowOptions = {},
): Promise<string | undefined> {
  const answer = await askQuick(options.length > 0 ? 'option' : 'text', { question, options, show });
  return answer === undefined ? undefined : String(answer);
}

/** Yes or no. Undefined if it was not answered: neither silence nor Escape is a no. */
export async function confirm(question: string, show: ShowOptions = {}): Promise<boolean | undefined> {
  const answer = await askQuick('confirm', { question, options: [], show });
  return typeof answer === 'boolean' ? answer : undefined;
}

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command of mplex over the control socket: `command(['list-panes', '-a'])`. */
export async function command(
  argv: readonly string[],
  options: Pick<ShowOptions, 'controlPath' | 'pane'> = {},
): Promise<CommandResult> {
  const client = await connectControl(options.controlPath ?? defaultControlPath());
  try {
    const { pane } = options;
    const answer = accepted(await client.request({ op: 'command', argv, ...(pane !== undefined && { pane }) }));
    return { code: Number(answer.code), stdout: String(answer.stdout), stderr: String(answer.stderr) };
  } finally {
    client.close();
  }
}

interface Quick {
  readonly question: string;
  readonly options: readonly string[];
  readonly show: ShowOptions;
}

async function askQuick(shape: 'option' | 'text' | 'confirm', quick: Quick): Promise<Scalar | undefined> {
  const { question, options, show } = quick;
  const nothing = { title: undefined, body: undefined, preset: undefined, initial: undefined, timeout: undefined };
  const words = ['Yes', 'No'] as const;
  // The schema knows no confirmation: to it, it is a choice of two words.
  const asChoice = shape === 'confirm' ? { shape: 'option' as const, options: words } : { shape, options };
  await checked(quickSpec({ question, words, ...asChoice, ...nothing }));
  const outcome = await run(quickSpec({ shape, question, options, words, ...nothing }), show);
  return outcome.status === 'done' ? outcome.answers[FIELD_ID] : undefined;
}

async function run(spec: FlowSpec, options: ShowOptions): Promise<FlowReport> {
  const { env } = process;
  const { signal, onState, expires, meta = false } = options;
  const standpoint = { env, isServerNamed: options.controlPath !== undefined, isTerminal: false };
  const backend = await openBackend(options.backend ?? chooseBackend(standpoint), {
    controlPath: options.controlPath ?? defaultControlPath(),
    pane: options.pane ?? (env.MPLEX_PANE || undefined),
    client: options.client,
    queue: options.queue ?? false,
    waitClient: options.waitClient ?? false,
    expiresS: expires,
    env,
    now: CLOCK.now,
    after: CLOCK.after,
  });
  const wishes = { ...(signal && { signal }), ...(onState && { onState }) };
  const ended = await runFlow(spec, { backend, clock: CLOCK, ...wishes });
  return reportOf(ended, meta ? backend.name : undefined);
}

function defaultControlPath(): string {
  return controlPathOf(process.env) ?? `${ensureSocketDir(process.env, process.getuid?.() ?? 0)}/default.ctl`;
}
