/** zod's issues in the words of a spec's faults. */
import type { z } from 'zod';
import { countCodePoints } from '../../protocol/clean-text.ts';
import type { JsonValue } from '../../protocol/strict-json.ts';
import { nearest } from './nearest.ts';
import { makeFault, type SpecFault, type Steps } from './spec-fault.ts';

type Issue = z.core.$ZodIssue;

const FIELD_TYPES = ['choice', 'text', 'info'] as const;

/** What other tools call them. */
const TYPE_WORDS: Readonly<Record<string, (typeof FIELD_TYPES)[number]>> = {
  select: 'choice',
  radio: 'choice',
  list: 'choice',
  confirm: 'choice',
  boolean: 'choice',
  enum: 'choice',
  input: 'text',
  string: 'text',
  textarea: 'text',
  message: 'info',
  note: 'info',
  label: 'info',
};

/** The faults that one issue of zod stands for, `base` the place of the value that was parsed. */
export function faultsOfIssue(issue: Issue, root: JsonValue, base: Steps = []): SpecFault[] {
  const steps = [...base, ...issue.path.map((step) => (typeof step === 'number' ? step : String(step)))];
  const value = valueAt(root, steps);
  if (issue.code === 'invalid_union') {
    if ('discriminator' in issue && issue.discriminator !== undefined) return [typeFault(steps, root)];
    const branch = branchOf(issue.errors, value);
    if (branch) return branch.flatMap((inner) => faultsOfIssue(inner, root, steps));
  }
  const fault = makeFault(steps, value, { expected: expectedOf(issue, steps) });
  const size = issue.code === 'too_big' ? sizeOf(value) : undefined;
  return [size === undefined ? fault : { ...fault, value: size }];
}

/** What counts of a text or a list that is too long. */
function sizeOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return countOf(countCodePoints(value), 'string');
  return Array.isArray(value) ? countOf(value.length, 'array') : undefined;
}

/** The alternative that the value was probably meant to be: the one whose own type is right. */
function branchOf(branches: readonly (readonly Issue[])[], value: JsonValue | undefined): readonly Issue[] | undefined {
  if (value === undefined) return undefined;
  return branches.find(
    (issues) => issues.length > 0 && issues.every((issue) => issue.path.length > 0 || isOwnFault(issue)),
  );
}

function isOwnFault(issue: Issue): boolean {
  return issue.code !== 'invalid_type' && issue.code !== 'invalid_union' && issue.code !== 'invalid_value';
}

function typeFault(steps: Steps, root: JsonValue): SpecFault {
  // zod names the field or its `type`, as it finds one or the other missing.
  const at = steps.at(-1) === 'type' ? steps : [...steps, 'type'];
  const value = valueAt(root, at);
  const word = typeof value === 'string' ? value : '';
  const known = Object.hasOwn(TYPE_WORDS, word.toLowerCase()) ? TYPE_WORDS[word.toLowerCase()] : undefined;
  return makeFault(at, value, {
    expected: `a field type (${FIELD_TYPES.join(', ')})`,
    suggestion: known ?? nearest(word, FIELD_TYPES),
  });
}

function expectedOf(issue: Issue, steps: Steps): string {
  switch (issue.code) {
    case 'invalid_type':
      return article(issue.expected);
    case 'invalid_value':
      return issue.values.map((value) => JSON.stringify(value)).join(' or ');
    case 'too_big':
      return `at most ${countOf(issue.maximum, issue.origin)}`;
    case 'too_small':
      return `at least ${countOf(issue.minimum, issue.origin)}`;
    case 'invalid_union':
      return UNIONS[placeOf(steps)] ?? 'another value';
    default:
      return issue.message;
  }
}

const SCALAR = 'a string, number, boolean or null';
const UNIONS: Readonly<Record<string, string>> = {
  next: 'a screen id, "$done", "$cancel" or an object of action ids and these',
  options: 'a string or an object with "label" and "value"',
  value: SCALAR,
  show_if: `${SCALAR}, or a list of these`,
};

/** The word of the spec that a place belongs to. */
function placeOf(steps: Steps): string {
  const last = steps.at(-1);
  if (typeof last === 'string' && steps.at(-2) !== 'show_if' && last in UNIONS) return last;
  const words = steps.filter((step) => typeof step === 'string' && step in UNIONS);
  return String(words.at(-1) ?? '');
}

function article(type: string): string {
  if (type === 'int') return 'a whole number';
  if (type === 'array') return 'a list';
  if (type === 'record') return 'an object';
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

function countOf(count: number | bigint, origin: string): string {
  const unit = origin === 'array' ? 'item' : origin === 'string' ? 'character' : undefined;
  if (unit === undefined) return String(count);
  return Number(count) === 1 ? `1 ${unit}` : `${count} ${unit}s`;
}

function valueAt(root: JsonValue, steps: Steps): JsonValue | undefined {
  let found: JsonValue | undefined = root;
  for (const step of steps) {
    if (typeof found !== 'object' || found === null) return undefined;
    // Objects of the strict reader have no prototype, and an array is asked for its items only.
    found = (found as { readonly [key: string | number]: JsonValue })[step];
  }
  return found;
}
