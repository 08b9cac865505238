/**
 * The control socket's requests and replies, version 1: one JSON object a line each way. Requests are checked here, at
 * the door; what is wrong is told by code, words and JSON pointer. docs/mplex.md is the page for people who call it.
 */
import { z } from 'zod';
import type { Access } from './access.ts';
import { countCodePoints } from './clean-text.ts';
import {
  ANSWER_MAX,
  type DialogResult,
  faultOfOptionKeys,
  LABEL_MAX,
  OPTIONS_MAX,
  TEXT_MAX,
  TIMEOUT_MAX_S,
  TITLE_MAX,
  WAIT_MAX_S,
} from './dialog.ts';
import type { ErrorCode } from './errors.ts';
import { MplexError } from './errors.ts';
import { quoteBrief } from './quote-brief.ts';
import { type JsonValue, pointerPart } from './strict-json.ts';

const ID_MAX = 128;
const ARGV_MAX = 1000;
const NAME_MAX = 256;
const CWD_MAX = 4096;

/** Text of at most `max` Unicode code points. */
function text(max: number) {
  return z.string().superRefine((value, context) => {
    const length = countCodePoints(value);
    if (length <= max) return;
    context.addIssue({ code: 'custom', message: `is ${length} characters long, at most ${max} are allowed` });
  });
}

/** Text that reaches the operating system. */
const argument = z.string().refine((value) => !value.includes('\0'), 'must not hold a NUL character');
const id = z.union([text(ID_MAX), z.number()]).optional();
const flow = z.string().min(1).max(NAME_MAX);
const token = z.string().min(1).max(NAME_MAX);
const pane = z.string().regex(/^%\d{1,10}$/, 'must be a pane id such as "%3"');
const seconds = z.number().gt(0).max(TIMEOUT_MAX_S);

const showFields = {
  id,
  op: z.literal('show'),
  pane: pane.optional(),
  client: text(NAME_MAX).optional(),
  title: text(TITLE_MAX).optional(),
  body: text(TEXT_MAX).optional(),
  label: text(LABEL_MAX).optional(),
  timeout: seconds.optional(),
  queue: z.boolean().optional(),
  wait_client: z.boolean().optional(),
  after: flow.optional(),
  expires: seconds.optional(),
  meta: z.boolean().optional(),
};

const showSchema = z.discriminatedUnion('kind', [
  z
    .strictObject({
      ...showFields,
      kind: z.literal('choice'),
      options: z.array(text(LABEL_MAX)).min(1).max(OPTIONS_MAX),
      default: z.int().min(0).optional(),
      keys: z.array(z.string()).max(OPTIONS_MAX).optional(),
    })
    .superRefine(({ default: preset, keys, options }, context) => {
      if (preset !== undefined && preset >= options.length) {
        context.addIssue({ code: 'custom', path: ['default'], message: `must be below ${options.length}` });
      }
      const fault = keys && faultOfOptionKeys(keys, options.length);
      if (fault) {
        const path = fault.index === undefined ? ['keys'] : ['keys', fault.index];
        context.addIssue({ code: 'custom', path, message: fault.message, params: { showsValue: true } });
      }
    }),
  z.strictObject({ ...showFields, kind: z.literal('text'), initial: text(ANSWER_MAX).optional() }),
  z.strictObject({ ...showFields, kind: z.literal('message') }),
]);

const requestSchema = z.discriminatedUnion('op', [
  z.strictObject({ id, op: z.literal('hello'), token: token.optional() }),
  z.strictObject({ id, op: z.literal('doctor') }),
  showSchema,
  z.strictObject({
    id,
    op: z.literal('result'),
    flow,
    wait: z.number().min(0).max(WAIT_MAX_S).optional(),
    // The state that the asker knows of: another one is told at once.
    state: z.enum(['shown', 'queued', 'waiting_client']).optional(),
  }),
  z.strictObject({ id, op: z.literal('cancel'), flow }),
  z.strictObject({
    id,
    op: z.literal('command'),
    argv: z.array(argument).min(1).max(ARGV_MAX),
    pane: pane.optional(),
    cwd: argument.max(CWD_MAX).startsWith('/').optional(),
  }),
]);

export type ControlRequest = z.infer<typeof requestSchema>;
export type RequestId = string | number;

/** What is in `features` of a hello. */
export const FEATURES = [
  'choice',
  'text',
  'message',
  'queue',
  'wait_client',
  'after',
  'expires',
  'keys',
  'long_poll',
  'command',
  'meta',
  'state',
  'access',
  'doctor',
] as const;

/** One line of `mplex doctor`. */
export interface HealthCheck {
  readonly name: string;
  readonly status: 'pass' | 'warn' | 'fail';
  /** What was found, on one line. */
  readonly text: string;
  /** What to do about it. */
  readonly advice?: string;
}

export interface HelloReply {
  readonly ok: true;
  readonly server: 'mplex';
  readonly version: string;
  readonly protocol: number;
  readonly features: readonly string[];
  readonly access: Access;
  readonly limits: { readonly flow_max: number; readonly flow_keep: number };
}

export interface ErrorReply {
  readonly ok: false;
  readonly error: { readonly code: ErrorCode; readonly message: string; readonly path?: string };
}

export type ControlReply =
  | HelloReply
  | { readonly ok: true; readonly flow: string }
  | { readonly ok: true; readonly checks: readonly HealthCheck[] }
  | ({ readonly ok: true } & DialogResult)
  | { readonly ok: true }
  | { readonly ok: true; readonly code: number; readonly stdout: string; readonly stderr: string }
  | ErrorReply;

/** The reply that tells an error. */
export function errorReply(error: MplexError): ErrorReply {
  const { code, message, path } = error;
  return { ok: false, error: path === undefined ? { code, message } : { code, message, path } };
}

/** The `id` of a request, if it carries a usable one, valid or not. */
export function requestId(value: JsonValue): RequestId | undefined {
  if (typeof value !== 'object' || value === null || !('id' in value)) return undefined;
  const found = value.id;
  if (typeof found === 'number') return found;
  return typeof found === 'string' && countCodePoints(found) <= ID_MAX ? found : undefined;
}

/** Checks a parsed line. Throws MplexError 'bad_request' that points at the first thing wrong. */
export function parseRequest(value: JsonValue): ControlRequest {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new MplexError('bad_request', `a request must be an object, not ${quoteBrief(value)}`, '');
  }
  const parsed = requestSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw requestFault(parsed.error.issues[0], value);
}

function requestFault(issue: z.core.$ZodIssue | undefined, request: JsonValue): MplexError {
  if (!issue) return new MplexError('bad_request', 'the request is not valid', '');
  const steps = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
  if (issue.code === 'unrecognized_keys') {
    const key = issue.keys[0] ?? '';
    return new MplexError('bad_request', `unknown field ${quoteBrief(key)}`, pointer([...steps, key]));
  }
  const name = steps.at(-1) ?? '';
  const found = valueAt(request, steps);
  if (found === undefined) return new MplexError('bad_request', `field "${name}" is missing`, pointer(steps));
  const what = typeof name === 'number' ? `item ${name} of "${steps.at(-2) ?? ''}"` : `"${name}"`;
  return new MplexError('bad_request', `${what} ${faultText(issue, found)}`, pointer(steps));
}

/** What is wrong with a value; a value that says nothing (it is too long, or a list) is not said again. */
function faultText(issue: z.core.$ZodIssue, found: JsonValue): string {
  if (issue.code === 'too_big' || issue.code === 'too_small') return sizeFault(issue, found);
  const isSaid = issue.code === 'custom' && issue.params?.showsValue !== true && typeof found === 'string';
  return isSaid ? issue.message : `${kindFault(issue)}: ${quoteBrief(found)}`;
}

/** Of lists and texts their size is told, of numbers the value. */
function sizeFault(issue: z.core.$ZodIssueTooBig | z.core.$ZodIssueTooSmall, found: JsonValue): string {
  const isTooBig = issue.code === 'too_big';
  const limit = isTooBig ? issue.maximum : issue.minimum;
  if (typeof found === 'string' || Array.isArray(found)) {
    if (found.length === 0) return 'must not be empty';
    const size = typeof found === 'string' ? `is ${found.length} characters long` : `has ${found.length} items`;
    return `${size}, ${isTooBig ? `at most ${limit} are allowed` : `at least ${limit} are needed`}`;
  }
  const bound = isTooBig ? 'at most' : issue.inclusive === false ? 'above' : 'at least';
  return `must be ${bound} ${limit}: ${quoteBrief(found)}`;
}

function kindFault(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${article(issue.expected)}`;
    case 'invalid_value':
      return `must be one of ${issue.values.join(', ')}`;
    case 'invalid_union': {
      const options = 'options' in issue ? issue.options : undefined;
      return Array.isArray(options) ? `must be one of ${options.join(', ')}` : 'must be a string or a number';
    }
    case 'invalid_format':
      return issue.format === 'starts_with' ? 'must be an absolute path' : issue.message;
    default:
      return issue.message;
  }
}

function article(type: string): string {
  if (type === 'int') return 'a whole number';
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

function pointer(steps: readonly (string | number)[]): string {
  return steps.map((step) => `/${pointerPart(step)}`).join('');
}

function valueAt(value: JsonValue, steps: readonly (string | number)[]): JsonValue | undefined {
  let found: JsonValue | undefined = value;
  for (const step of steps) {
    if (typeof found !== 'object' || found === null) return undefined;
    // Objects of the strict reader have no prototype, and an array is asked for its items only.
    found = (found as { readonly [key: string | number]: JsonValue })[step];
  }
  return found;
}
