/** The end of a flow as text for its caller: JSON, bare values, or assignments. */
import { MplexError } from '../../protocol/errors.ts';
import { reportOf } from '../../src/flow/flow-report.ts';
import type { FlowRun } from '../../src/flow/flow-runner.ts';
import type { FlowSpec, Scalar } from '../../src/flow/flow-spec.ts';
import type { AskCall, PrintForm } from './ask-options.ts';

export interface PrintRequest {
  readonly form: PrintForm;
  readonly meta: boolean;
  readonly backend: string;
}

/** What goes to standard output, '' for nothing. A flow without an answer has no value. */
export function printRun(run: FlowRun, { form, meta, backend }: PrintRequest): string {
  const { outcome } = run;
  switch (form) {
    case 'json':
      return `${JSON.stringify(jsonOf(run, meta ? backend : undefined))}\n`;
    case 'value':
      return hasAnswers(run)
        ? Object.values(outcome.answers)
            .map((value) => `${textOf(value)}\n`)
            .join('')
        : '';
    case 'lines':
      return hasAnswers(run)
        ? Object.entries(outcome.answers)
            .map(([id, value]) => `${id}=${escapeLine(textOf(value))}\n`)
            .join('')
        : '';
    case 'sh':
      return assignments(run)
        .map(([name, value]) => `${name}=${quoteShell(value)}\n`)
        .join('');
    case 'env':
      return assignments(run)
        .map(([name, value]) => `${name.toUpperCase()}=${quoteEnv(value)}\n`)
        .join('');
  }
}

/** The report, and the fields that have their stated default because nobody answered. */
function jsonOf(run: FlowRun, metaOf: string | undefined): object {
  return { ...reportOf(run, metaOf), ...(run.defaulted && { defaults: run.defaulted }) };
}

function hasAnswers({ outcome, defaulted }: FlowRun): boolean {
  return outcome.status === 'done' || defaulted !== undefined;
}

function textOf(value: Scalar): string {
  return value === null ? '' : String(value);
}

/** One line for each answer, whatever was typed. */
function escapeLine(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r');
}

function assignments({ outcome }: FlowRun): [name: string, value: string][] {
  const rest: [string, string][] = [['ask_status', outcome.status]];
  if (outcome.status === 'done') rest.push(['ask_action', outcome.action ?? '']);
  else rest.push(['ask_at', outcome.at]);
  if (outcome.status === 'error') rest.push(['ask_error', outcome.error]);
  for (const [id, value] of Object.entries(outcome.answers)) rest.push([variableName(id), textOf(value)]);
  return rest;
}

const RESERVED = ['ask_status', 'ask_action', 'ask_at', 'ask_error'];

/** `ask_` before the id: no answer can set PATH. */
function variableName(id: string): string {
  return `ask_${id.replaceAll(/[^A-Za-z0-9_]/g, '_')}`;
}

/** Before anything is asked: field ids that would become one variable. Throws MplexError 'usage'. */
export function checkNames(spec: FlowSpec, form: PrintForm): void {
  if (form !== 'sh' && form !== 'env') return;
  const names = new Map<string, string>(RESERVED.map((name) => [name.toUpperCase(), 'mplex itself']));
  for (const { fields } of spec.screens) {
    for (const field of fields ?? []) {
      if (field.type === 'info') continue;
      const name = variableName(field.id);
      const key = form === 'env' ? name.toUpperCase() : name;
      const other = names.get(key) ?? (RESERVED.includes(name) ? 'mplex itself' : undefined);
      if (other !== undefined)
        throw new MplexError(
          'usage',
          `--print ${form}: ${name} of field ${JSON.stringify(field.id)} is taken by ${other}`,
        );
      names.set(key, `field ${JSON.stringify(field.id)}`);
    }
  }
}

function quoteShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Bare where every reader of env files agrees, else in double quotes. */
function quoteEnv(text: string): string {
  if (/^[A-Za-z0-9_@%+=:,./-]*$/.test(text)) return text;
  return `"${text
    .replaceAll(/[\\"$`]/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')}"`;
}

/** Confirmations and messages answer by their exit code alone, unless a form was asked for. */
export function isSilent({ source, print }: AskCall): boolean {
  return print === 'value' && source.kind === 'quick' && (source.shape === 'confirm' || source.shape === 'message');
}
