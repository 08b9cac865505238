/**
 * Formats (tmux(1) FORMATS), expanded. The engine knows of sessions and panes only what a FormatSource tells it, and
 * asks for a variable when the format comes to it, not before. A value is text: it is expanded again only where the
 * format says so (`E:`, `T:`), so that what a program wrote into a title stays text.
 */
import { COLOR_NONE, colorToRgb, parseColor } from '../options/color.ts';
import { fnmatch } from './fnmatch.ts';
import { type FormatPlan, type LoopKind, type MatchFlags, planModifiers } from './format-modifiers.ts';
import { calculate } from './format-number.ts';
import { type Modifier, parseFormat, type Replacement, skipFormat, splitChoice } from './format-parser.ts';
import {
  baseName,
  directoryName,
  drawnWidth,
  padFormat,
  quoteForShell,
  quoteForStyle,
  trimToEnd,
  trimToStart,
} from './format-text.ts';
import { compilePosix, substitutePosix } from './posix-regex.ts';
import { formatTime } from './strftime.ts';

/** What a format can ask about. One source stands for one place: a pane, a window, a session, or none of them. */
export interface FormatSource {
  /** Now; shown in local time. */
  readonly now: Date;
  /** An option, a variable or an environment variable by name; undefined if there is none. Times are seconds. */
  variable(name: string): string | undefined;
  /** Each session, window or pane to loop over; undefined where there is nothing to loop over. */
  loop(kind: LoopKind): Iterable<{ readonly source: FormatSource; readonly active: boolean }> | undefined;
  /** What the shell command printed last; starts it if need be and does not wait. */
  job(command: string): string;
  /** The line (1 is the top) of the pane's screen that has a pattern, 0 for none; undefined where there is no pane. */
  search(pattern: string, flags: MatchFlags): number | undefined;
  sessionNameExists(name: string): boolean;
  /** Undefined where there is no session. */
  windowNameExists(name: string): boolean | undefined;
}

export interface ExpandOptions {
  /** Expand strftime(3) conversions first, in the text and in each format inside it. */
  readonly time?: boolean;
  /** `#()` gives nothing and starts nothing. */
  readonly noJobs?: boolean;
  /** Is told each step, as `display-message -v` prints it; `depth` counts formats inside formats, from 1. */
  readonly trace?: Trace | undefined;
}

export type Trace = (depth: number, step: string) => void;

/** Formats inside formats: how deep, how many in all, and how long a result may get (UTF-16 units). */
const DEPTH_MAX = 100;
const EXPANSIONS_MAX = 100_000;
const RESULT_MAX = 1 << 20;

/** One call's state. `budget` is shared by all that the call leads to. */
interface Expansion {
  readonly source: FormatSource;
  readonly time: boolean;
  readonly noJobs: boolean;
  readonly trace: Trace | undefined;
  readonly depth: number;
  readonly budget: { left: number; characters: number };
}

/** The text that a format stands for. Never throws; what is malformed ends the text there, as in tmux. */
export function expandFormat(text: string, source: FormatSource, options: ExpandOptions = {}): string {
  return expand(text, {
    source,
    time: options.time ?? false,
    noJobs: options.noJobs ?? false,
    trace: options.trace,
    depth: 0,
    budget: { left: EXPANSIONS_MAX, characters: RESULT_MAX * 4 },
  });
}

/** Whether a value counts as true: not empty and not `0`. */
export function isTrue(value: string): boolean {
  return value !== '' && value !== '0';
}

function expand(text: string, outer: Expansion): string {
  if (text === '' || outer.depth >= DEPTH_MAX || outer.budget.left-- <= 0 || outer.budget.characters <= 0) return '';
  const state: Expansion = { ...outer, depth: outer.depth + 1 };
  state.trace?.(state.depth, `expanding format: ${text}`);
  const format = state.time && text.includes('%') ? formatTime(text, state.source.now) : text;
  if (format !== text) state.trace?.(state.depth, `after time expanded: ${format}`);
  const result = format.includes('#') ? replaceParts(format, state) : format;
  state.trace?.(state.depth, `result is: ${result}`);
  return result;
}

function replaceParts(format: string, state: Expansion): string {
  let result = '';
  for (const part of parseFormat(format)) {
    if (part.kind === 'text') result += part.text;
    else if (part.kind === 'job') result += runJob(part.command, state);
    else {
      const value = expandReplacement(part.replacement, state);
      if (value === undefined) break;
      result += value;
    }
    if (result.length > RESULT_MAX) break;
  }
  const limited = result.length > RESULT_MAX ? result.slice(0, RESULT_MAX) : result;
  state.budget.characters -= limited.length;
  return limited;
}

function runJob(command: string, state: Expansion): string {
  if (state.noJobs) return '';
  const inner: Expansion = { ...state, noJobs: true, time: false };
  state.trace?.(state.depth, `found #(): ${command}`);
  const output = state.source.job(expand(command, inner));
  state.trace?.(state.depth, `#() result: ${output}`);
  return expand(output, inner);
}

/** Undefined if the replacement is malformed. */
function expandReplacement(replacement: Replacement, state: Expansion): string | undefined {
  const { source, alias = '{}', body } = replacement;
  state.trace?.(state.depth, `found #${alias}: ${source}`);
  const modifiers = replacement.modifiers.map(({ name, args }) => ({
    name,
    args: args.map((argument) => expand(argument, state)),
  }));
  traceModifiers(modifiers, state);
  const plan = planModifiers(modifiers);
  // The body of a literal is not even looked at.
  const value = plan.literal ? body : evaluate(body, plan, state);
  const result = value === undefined ? undefined : finish(value, plan, state);
  state.trace?.(state.depth, result === undefined ? `failed ${source}` : `replaced '${source}' with '${result}'`);
  return result;
}

function traceModifiers(modifiers: readonly Modifier[], { trace, depth }: Expansion): void {
  if (!trace) return;
  for (const [at, { name, args }] of modifiers.entries()) {
    trace(depth, `modifier ${at} is ${name}`);
    for (const [i, argument] of args.entries()) trace(depth, `modifier ${at} argument ${i}: ${argument}`);
  }
}

/** What the body stands for. Undefined if it is malformed. */
function evaluate(body: string, plan: FormatPlan, state: Expansion): string | undefined {
  if (plan.character) return characterOf(expand(body, state));
  if (plan.colour) return hexadecimalOf(expand(body, state));
  if (plan.loop) return expandLoop(plan.loop, body, state);
  if (plan.exists) return nameExists(plan.exists, expand(body, state), state.source);
  if (plan.search) {
    const pattern = expand(body, state);
    state.trace?.(state.depth, `search '${pattern}' pane ${state.source.variable('pane_id')}`);
    return String(state.source.search(pattern, plan.search) ?? 0);
  }
  if (plan.compare) return compare(plan.compare, body, state);
  if (body.startsWith('?')) return expandCondition(body.slice(1), plan, state);
  if (plan.expression) {
    const sides = splitChoice(body);
    if (!sides) return '';
    const result = calculate([expand(sides[0], state), expand(sides[1], state)], plan.expression) ?? '';
    state.trace?.(state.depth, `expression result is ${result}`);
    return result;
  }
  if (body.includes('#{')) {
    state.trace?.(state.depth, `expanding inner format '${body}'`);
    return expand(body, state);
  }
  const value = findVariable(body, plan, state.source);
  state.trace?.(state.depth, value === undefined ? `format '${body}' not found` : `format '${body}' found: ${value}`);
  return value ?? '';
}

function characterOf(text: string): string {
  const code = /^\s*\+?\d+$/.test(text) ? Number(text) : 0;
  return code >= 32 && code <= 126 ? String.fromCharCode(code) : '';
}

function hexadecimalOf(text: string): string {
  const rgb = colorToRgb(parseColor(text) ?? COLOR_NONE);
  return rgb === undefined ? '' : rgb.toString(16).padStart(6, '0');
}

function expandLoop(kind: LoopKind, body: string, state: Expansion): string | undefined {
  const items = state.source.loop(kind);
  if (!items) return undefined;
  const [all, active] = (kind === 'S' ? undefined : splitChoice(body)) ?? [body, undefined];
  let result = '';
  for (const item of items) {
    if (state.trace) traceLoop(kind, item.source, state);
    const format = item.active && active !== undefined ? active : all;
    result += expand(format, { ...state, source: item.source });
    if (result.length > RESULT_MAX) break;
  }
  return result;
}

const LOOPS = { S: ['session', 'session_id'], W: ['window', 'window_id'], P: ['pane', 'pane_id'] } as const;

function traceLoop(kind: LoopKind, source: FormatSource, { trace, depth }: Expansion): void {
  const [name, id] = LOOPS[kind];
  const index = kind === 'W' ? `${source.variable('window_index')} ` : '';
  trace?.(depth, `${name} loop: ${index}${source.variable(id)}`);
}

function nameExists(kind: 'window' | 'session', name: string, source: FormatSource): string | undefined {
  const exists = kind === 'window' ? source.windowNameExists(name) : source.sessionNameExists(name);
  return exists === undefined ? undefined : exists ? '1' : '0';
}

function compare(
  { operator, flags }: NonNullable<FormatPlan['compare']>,
  body: string,
  state: Expansion,
): string | undefined {
  const sides = splitChoice(body);
  if (!sides) {
    state.trace?.(state.depth, `compare ${operator} syntax error: ${body}`);
    return undefined;
  }
  const left = expand(sides[0], state);
  const right = expand(sides[1], state);
  state.trace?.(state.depth, `compare ${operator} left is: ${left}`);
  state.trace?.(state.depth, `compare ${operator} right is: ${right}`);
  return holds() ? '1' : '0';

  function holds(): boolean {
    switch (operator) {
      case '==':
        return left === right;
      case '!=':
        return left !== right;
      case '<':
        return compareBytes(left, right) < 0;
      case '>':
        return compareBytes(left, right) > 0;
      case '<=':
        return compareBytes(left, right) <= 0;
      case '>=':
        return compareBytes(left, right) >= 0;
      case '||':
        return isTrue(left) || isTrue(right);
      case '&&':
        return isTrue(left) && isTrue(right);
      case 'm':
        return matches(left, right, flags);
    }
  }
}

/** strcmp(3) of the UTF-8 forms. */
function compareBytes(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}

/** Whether a text has a pattern: all of it for fnmatch(3), any part for a regular expression. */
export function matches(pattern: string, text: string, { regex, ignoreCase }: MatchFlags): boolean {
  if (!regex) return fnmatch(pattern, text, { ignoreCase });
  return compilePosix(pattern, { ignoreCase })?.locate(text) !== undefined;
}

/** `#{?condition,yes,no}`; the condition is a variable's name or a format. */
function expandCondition(body: string, plan: FormatPlan, state: Expansion): string | undefined {
  const comma = skipFormat(body, 0, ',');
  const branches = comma < 0 ? undefined : splitChoice(body.slice(comma + 1));
  if (!branches) {
    state.trace?.(state.depth, `condition syntax error: ${body}`);
    return undefined;
  }
  const condition = body.slice(0, comma);
  state.trace?.(state.depth, `condition is: ${condition}`);
  const holds = isTrue(conditionValue(condition, plan, state));
  state.trace?.(state.depth, `condition '${condition}' is ${holds}`);
  return expand(holds ? branches[0] : branches[1], state);
}

function conditionValue(condition: string, plan: FormatPlan, state: Expansion): string {
  const found = findVariable(condition, plan, state.source);
  if (found === undefined) return changedByExpansion(condition, state);
  state.trace?.(state.depth, `condition '${condition}' found: ${found}`);
  return found;
}

/** A condition that stands for nothing but itself is false. */
function changedByExpansion(condition: string, state: Expansion): string {
  const expanded = expand(condition, state);
  if (expanded !== condition) return expanded;
  state.trace?.(state.depth, `condition '${condition}' not found; assuming false`);
  return '';
}

function findVariable(name: string, plan: FormatPlan, source: FormatSource): string | undefined {
  let value = source.variable(name);
  if (value === undefined) return undefined;
  if (plan.time) return writeTime(value, plan.time, source.now);
  if (plan.baseName) value = baseName(value);
  if (plan.directoryName) value = directoryName(value);
  if (plan.quoteShell) value = quoteForShell(value);
  if (plan.quoteStyle) value = quoteForStyle(value);
  return value;
}

/** A time's greatest number of seconds: what Date can hold. */
const SECONDS_MAX = 8_640_000_000_000;

function writeTime(value: string, form: NonNullable<FormatPlan['time']>, now: Date): string | undefined {
  const seconds = /^\s*\+?\d+$/.test(value) ? Number(value) : 0;
  if (seconds <= 0 || seconds > SECONDS_MAX) return undefined;
  const date = new Date(seconds * 1000);
  switch (form.kind) {
    case 'plain':
      return formatTime('%a %b %e %H:%M:%S %Y', date);
    case 'custom':
      return formatTime(form.format, date);
    case 'short':
      return formatTime(shortTimeFormat(date, now), date);
  }
}

const DAY_SECONDS = 24 * 3600;

/** The shorter the longer ago: today, this month, this year, before. */
function shortTimeFormat(date: Date, now: Date): string {
  const age = Math.floor(now.getTime() / 1000) - date.getTime() / 1000;
  if (age < DAY_SECONDS) return '%H:%M';
  const months = (now.getFullYear() - date.getFullYear()) * 12 + now.getMonth() - date.getMonth();
  if (months === 0 || age < 28 * DAY_SECONDS) return '%a%d';
  return months < 12 ? '%d%b' : '%h%y';
}

/** Carries out the rest of a plan on a value. */
function finish(start: string, plan: FormatPlan, state: Expansion): string {
  let value = start;
  if (plan.expand === 'format') value = expand(value, state);
  else if (plan.expand === 'time') value = expand(value, { ...state, time: true });
  for (const { pattern, replacement, ignoreCase } of plan.substitutions) {
    const [from, to] = [expand(pattern, state), expand(replacement, state)];
    value = substitutePosix(value, from, { replacement: to, ignoreCase });
    state.trace?.(state.depth, `substitute '${from}' to '${to}': ${value}`);
  }
  if (plan.limit > 0) {
    const trimmed = trimToStart(value, plan.limit);
    value = plan.marker !== undefined && trimmed !== value ? trimmed + plan.marker : trimmed;
  } else if (plan.limit < 0) {
    const trimmed = trimToEnd(value, -plan.limit);
    value = plan.marker !== undefined && trimmed !== value ? plan.marker + trimmed : trimmed;
  }
  if (plan.limit !== 0) state.trace?.(state.depth, `applied length limit ${plan.limit}: ${value}`);
  if (plan.pad !== 0) {
    value = padFormat(value, plan.pad);
    state.trace?.(state.depth, `applied padding width ${plan.pad}: ${value}`);
  }
  if (plan.length) {
    value = String(Buffer.byteLength(value));
    state.trace?.(state.depth, `replacing with length: ${value}`);
  }
  if (plan.width) {
    value = String(drawnWidth(value));
    state.trace?.(state.depth, `replacing with width: ${value}`);
  }
  return value;
}
