/**
 * uiflow's spec, version 1: its schema and its check. The shape is zod's work, what one part says of another is
 * spec-rules'; all faults of both are told at once. Only this file of src/flow loads zod.
 */
import { z } from 'zod';
import { countCodePoints } from '../../protocol/clean-text.ts';
import { MplexError } from '../../protocol/errors.ts';
import { quoteBrief } from '../../protocol/quote-brief.ts';
import { JsonSyntaxError, type JsonValue, parseStrictJson } from '../../protocol/strict-json.ts';
import {
  PLEXER_FLOW_ACTIONS_MAX,
  PLEXER_FLOW_ANSWER_MAX,
  PLEXER_FLOW_FIELDS_MAX,
  PLEXER_FLOW_ID_MAX,
  PLEXER_FLOW_LABEL_MAX,
  PLEXER_FLOW_OPTIONS_MAX,
  PLEXER_FLOW_SCREENS_MAX,
  PLEXER_FLOW_TEXT_MAX,
  PLEXER_FLOW_TIMEOUT_DEFAULT,
  PLEXER_FLOW_TIMEOUT_MAX,
  PLEXER_FLOW_TIMEOUT_MIN,
  PLEXER_FLOW_TITLE_MAX,
  PLEXER_FLOW_VERSION,
} from './flow-caps.ts';
import type { FlowSpec } from './flow-spec.ts';
import { faultText, makeFault, type SpecFault } from './spec-fault.ts';
import { faultsOfIssue } from './spec-issues.ts';
import { checkRules } from './spec-rules.ts';

/** Faults that are told; there may be more. */
export const FAULTS_MAX = 100;
/** Characters of a spec's text. */
const SPEC_TEXT_MAX = 1 << 20;

/** Text of at most `max` code points; JSON Schema counts in the same unit. */
function text(max: number) {
  return z
    .string()
    .superRefine((value, context) => {
      if (countCodePoints(value) <= max) return;
      context.addIssue({ code: 'too_big', origin: 'string', maximum: max, inclusive: true });
    })
    .meta({ maxLength: max });
}

const title = text(PLEXER_FLOW_TITLE_MAX);
const label = text(PLEXER_FLOW_LABEL_MAX);
const id = z
  .string()
  .refine(
    (value) => value !== '' && countCodePoints(value) <= PLEXER_FLOW_ID_MAX && !/\s/u.test(value),
    `an id of 1 to ${PLEXER_FLOW_ID_MAX} characters without blanks`,
  )
  .meta({ minLength: 1, maxLength: PLEXER_FLOW_ID_MAX, pattern: '^\\S+$' });
const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const showIf = z
  .record(z.string(), z.union([scalar, z.array(scalar)]))
  .describe('Field ids and the answer, or the answers, that each must have; all must hold.');

const option = z.union([
  label,
  z.object({ label, value: scalar.describe('What is recorded; unique among the options.') }),
]);

const common = { id: id.describe('Unique in the whole flow.'), show_if: showIf.optional() };
const choice = z.object({
  ...common,
  type: z.literal('choice'),
  label: label.optional(),
  options: z.array(option).min(1).max(PLEXER_FLOW_OPTIONS_MAX),
  default: z.int().min(0).describe('Index of the option that is highlighted first.').optional(),
});
const textField = z.object({
  ...common,
  type: z.literal('text'),
  label: label.optional(),
  initial: text(PLEXER_FLOW_ANSWER_MAX).describe('The text to start from.').optional(),
});
const info = z.object({ ...common, type: z.literal('info'), text: text(PLEXER_FLOW_TEXT_MAX) });
const field = z.discriminatedUnion('type', [choice, textField, info]);

const action = z.object({
  id,
  label: label.refine((value) => value !== '', 'a label that is not empty').meta({ minLength: 1 }),
});

const target = z.string().describe('A screen id, "$done" or "$cancel".');
const screen = z.object({
  id: id.describe('Unique among the screens.'),
  title: title.optional(),
  body: text(PLEXER_FLOW_TEXT_MAX).optional(),
  fields: z.array(field).max(PLEXER_FLOW_FIELDS_MAX).optional(),
  actions: z.array(action).max(PLEXER_FLOW_ACTIONS_MAX).optional(),
  next: z
    .union([target, z.record(z.string(), target)])
    .describe('Where to go: one target, or one for each action id. Default: the next screen, $done after the last.')
    .optional(),
  show_if: showIf.optional(),
});

const specSchema = z.object({
  v: z.literal(PLEXER_FLOW_VERSION).optional(),
  title: title.describe('Title of screens without one.').optional(),
  timeout: z
    .number()
    .min(PLEXER_FLOW_TIMEOUT_MIN)
    .max(PLEXER_FLOW_TIMEOUT_MAX)
    .describe(`Seconds for the whole flow, ${PLEXER_FLOW_TIMEOUT_DEFAULT} if absent.`)
    .optional(),
  start: z.string().describe('Id of the first screen; default: the first of the list.').optional(),
  screens: z.array(screen).min(1).max(PLEXER_FLOW_SCREENS_MAX),
});

/** Keys that each part knows, by the part's name. */
const KEYS = {
  spec: Object.keys(specSchema.shape),
  screen: Object.keys(screen.shape),
  choice: Object.keys(choice.shape),
  text: Object.keys(textField.shape),
  info: Object.keys(info.shape),
  option: ['label', 'value'],
  action: Object.keys(action.shape),
} as const;

export type SpecCheck =
  | { readonly ok: true; readonly spec: FlowSpec }
  /** At least one fault, FAULTS_MAX at most, in the order of the spec. */
  | { readonly ok: false; readonly faults: readonly SpecFault[] };

/** Checks a spec's JSON text. Never throws. */
export function checkSpecText(json: string): SpecCheck {
  if (json.length > SPEC_TEXT_MAX) return refused('', `JSON of at most ${SPEC_TEXT_MAX} characters`);
  if (json.trim() === '') return { ok: false, faults: [{ path: '', value: 'nothing', expected: 'JSON' }] };
  let value: JsonValue;
  try {
    value = parseStrictJson(json.trim());
  } catch (error) {
    if (error instanceof JsonSyntaxError) return { ok: false, faults: [syntaxFault(json, error)] };
    if (!(error instanceof MplexError)) return refused('', 'JSON');
    return { ok: false, faults: [{ path: error.path ?? '', value: 'text', expected: `JSON (${error.message})` }] };
  }
  return checkJson(value);
}

/** A person looks for it by line and column. */
function syntaxFault(json: string, { reason, offset }: JsonSyntaxError): SpecFault {
  const at = offset + json.length - json.trimStart().length;
  const lines = json.slice(0, at).split('\n');
  const [rest = ''] = json.slice(at).split('\n', 1);
  const place = `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
  const value = rest.trim() === '' ? 'the end of the line' : quoteBrief(rest.trim());
  return { path: '', value, expected: `JSON (${reason} at ${place})` };
}

/** Checks a spec that is a JavaScript value: what JSON makes of it counts. Never throws. */
export function checkSpec(value: unknown): SpecCheck {
  let json: string | undefined;
  try {
    json = JSON.stringify(value);
  } catch {
    return refused('', 'a value that can be written as JSON');
  }
  return json === undefined ? refused('', 'an object') : checkSpecText(json);
}

function checkJson(value: JsonValue): SpecCheck {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { ok: false, faults: [makeFault([], value, { expected: 'an object with "screens"' })] };
  }
  const parsed = specSchema.safeParse(value);
  const shape = parsed.success ? [] : parsed.error.issues.flatMap((issue) => faultsOfIssue(issue, value));
  // Array.isArray does not rule out a readonly array for the compiler; it was one line above.
  const faults = [...shape, ...checkRules(value as { readonly [key: string]: JsonValue }, KEYS)];
  if (parsed.success && faults.length === 0) return { ok: true, spec: parsed.data };
  return { ok: false, faults: dropRepeats(faults).slice(0, FAULTS_MAX) };
}

/** One fault a place is enough where shape and rules both complain of the same. */
function dropRepeats(faults: readonly SpecFault[]): SpecFault[] {
  const seen = new Set<string>();
  return faults.filter(({ path, expected }) => {
    const key = `${path}\n${expected}`;
    return seen.size < seen.add(key).size;
  });
}

function refused(path: string, expected: string): SpecCheck {
  return { ok: false, faults: [{ path, value: 'something else', expected }] };
}

/** The faults as lines for people. */
export function faultLines(faults: readonly SpecFault[]): string[] {
  return faults.map(faultText);
}

/** JSON Schema (2020-12) of a spec, for editors and models; what one part says of another it cannot tell. */
export function specJsonSchema(): object {
  const schema = z.toJSONSchema(specSchema, {
    io: 'input',
    override: ({ jsonSchema }) => {
      if (jsonSchema.type !== 'object' || jsonSchema.properties === undefined) return;
      jsonSchema.additionalProperties = false;
      jsonSchema.patternProperties = { '^x-': {} };
    },
  });
  return { ...schema, title: 'uiflow spec, version 1' };
}
