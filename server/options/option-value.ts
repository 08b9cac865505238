/**
 * One option value: from the text that `set-option` takes to what is kept, and back to what `show-options` prints
 * (tmux(1) OPTIONS; the messages are tmux 3.3a's).
 *
 * What is kept: a string for string, style, key, choice and command options; a number for number and colour; a boolean
 * for flags.
 */
import { parseKey } from '../../protocol/key.ts';
import { COLOR_NONE, parseColor, printColor } from './color.ts';
import type { OptionEntry } from './option-table.ts';
import { DEFAULT_STYLE_VALUE, DEFAULT_TEXT_STYLE, parseStyle } from './style.ts';

export type OptionValue = string | number | boolean;

export type ParsedOption =
  | { readonly ok: true; readonly value: OptionValue }
  | { readonly ok: false; readonly error: string };

/** What this layer cannot know by itself. */
export interface OptionChecks {
  /** Whether a path names a program that can be a login shell. */
  readonly isShell: (path: string) => boolean;
  /** The printed form of a command sequence, or the parser's complaint. */
  readonly normalizeCommand: (
    text: string,
  ) => { readonly ok: true; readonly text: string } | { readonly ok: false; readonly error: string };
}

/** Takes every value as it is. */
export const LENIENT_CHECKS: OptionChecks = {
  isShell: () => true,
  normalizeCommand: (text) => ({ ok: true, text }),
};

function parsed(value: OptionValue): ParsedOption {
  return { ok: true, value };
}

function refused(error: string): ParsedOption {
  return { ok: false, error };
}

/**
 * Parses a value. `text` is undefined if none was given: flags and choices toggle from `current` then, everything else
 * refuses.
 */
export function parseOptionValue(
  entry: OptionEntry,
  text: string | undefined,
  { current, checks }: { current: OptionValue | undefined; checks: OptionChecks },
): ParsedOption {
  if (text === undefined && entry.type !== 'flag' && entry.type !== 'choice') return refused('empty value');
  const given = text ?? '';
  switch (entry.type) {
    case 'string':
      if (entry.shell && !checks.isShell(given)) return refused(`not a suitable shell: ${given}`);
      if (entry.pattern && !entry.pattern.test(given)) return refused(`value is invalid: ${given}`);
      return parsed(given);
    case 'number':
      return parseNumber(given, entry.min, entry.max);
    case 'key':
      return parseKeyValue(given);
    case 'colour':
      return parseColorValue(given);
    case 'flag':
      return parseFlag(text, current);
    case 'choice':
      return parseChoice(text, entry.choices, current);
    case 'style':
      return isStyle(given) ? parsed(given) : refused(`invalid style: ${given}`);
    case 'command': {
      const result = checks.normalizeCommand(given);
      return result.ok ? parsed(result.text) : refused(result.error);
    }
  }
}

/** A decimal number within limits, as strtonum(3): leading blanks and a sign are allowed. */
function parseNumber(text: string, min: number, max: number): ParsedOption {
  if (!/^\s*[-+]?\d+$/.test(text)) return refused(`value is invalid: ${text}`);
  const value = Number(text);
  if (value < min) return refused(`value is too small: ${text}`);
  if (value > max) return refused(`value is too large: ${text}`);
  return parsed(value === 0 ? 0 : value);
}

function parseKeyValue(text: string): ParsedOption {
  if (text.toLowerCase() === 'none') return parsed('None');
  const code = /^0x([0-9a-f]{1,6})$/i.exec(text)?.[1];
  const key = code === undefined ? parseKey(text) : keyOfCode(Number.parseInt(code, 16));
  return key === undefined ? refused(`bad key: ${text}`) : parsed(key);
}

/** The key of a code point, as in `0x41`. */
function keyOfCode(code: number): string | undefined {
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return undefined;
  const character = String.fromCodePoint(code);
  return parseKey(character) ?? parseKey(`C-${String.fromCharCode(code + (code > 0 && code <= 26 ? 0x60 : 0x40))}`);
}

function parseColorValue(text: string): ParsedOption {
  const color = parseColor(text);
  return color === undefined ? refused(`bad colour: ${text}`) : parsed(color);
}

const FLAG_WORDS: Readonly<Record<string, boolean>> = {
  '1': true,
  on: true,
  yes: true,
  '0': false,
  off: false,
  no: false,
};

function parseFlag(text: string | undefined, current: OptionValue | undefined): ParsedOption {
  if (text === undefined || text === '') return parsed(current !== true);
  const lower = text.toLowerCase();
  const flag = Object.hasOwn(FLAG_WORDS, lower) ? FLAG_WORDS[lower] : undefined;
  return flag === undefined ? refused(`bad value: ${text}`) : parsed(flag);
}

/** Without a value the first two choices toggle and any other stays. */
function parseChoice(
  text: string | undefined,
  choices: readonly string[],
  current: OptionValue | undefined,
): ParsedOption {
  if (text !== undefined) return choices.includes(text) ? parsed(text) : refused(`unknown value: ${text}`);
  const index = typeof current === 'string' ? choices.indexOf(current) : -1;
  const next = index === 0 ? choices[1] : index === 1 ? choices[0] : choices[index];
  return next === undefined ? refused('empty value') : parsed(next);
}

/** Whether a text is a style, or has a format in it and so cannot be judged before it is expanded. */
function isStyle(text: string): boolean {
  return text.includes('#{') || parseStyle(text, DEFAULT_STYLE_VALUE, DEFAULT_TEXT_STYLE) !== undefined;
}

/** The default of an option that is no array, as it is kept. */
export function defaultValue(entry: OptionEntry): OptionValue {
  if (entry.type === 'colour') return colorDefault(entry.default);
  return typeof entry.default === 'object' ? '' : entry.default;
}

/** The members of an array option's default. */
export function defaultMembers(entry: OptionEntry): OptionValue[] {
  if (typeof entry.default !== 'object') return [];
  return entry.type === 'colour' ? entry.default.map(colorDefault) : [...entry.default];
}

function colorDefault(text: string | readonly string[]): number {
  if (typeof text !== 'string') return COLOR_NONE;
  return parseColor(text) ?? COLOR_NONE;
}

/** The text of a value as `show-options -v` prints it. */
export function printOptionValue(entry: OptionEntry | undefined, value: OptionValue): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value === 'number') return entry?.type === 'colour' ? printColor(value) : String(value);
  return value;
}

/** The text of a value inside a format: flags are 1 and 0 there. */
export function formatOptionValue(entry: OptionEntry | undefined, value: OptionValue): string {
  if (typeof value === 'boolean') return value ? '1' : '0';
  return printOptionValue(entry, value);
}

/** Whether `show-options` quotes values of this type. */
export function isQuotedType(entry: OptionEntry | undefined): boolean {
  return entry === undefined || entry.type === 'string' || entry.type === 'style';
}

const NEEDS_DOUBLE_QUOTES = /[ #';${}%]/;
const CONTROL_NAMES: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\u000b': '\\v',
  '\f': '\\f',
  '\r': '\\r',
};

/** A string in the form that the command parser reads back as that string, quoted only where it must be. */
export function quoteValue(text: string): string {
  if (text === '') return "''";
  const inDouble = NEEDS_DOUBLE_QUOTES.test(text);
  const inSingle = !inDouble && text.includes('"');
  if (text !== ' ' && text.length === 1 && (inDouble || inSingle || text === '~')) return `\\${text}`;
  const escaped = escapeText(text, inDouble);
  if (inSingle) return `'${escaped}'`;
  const whole = escaped.startsWith('~') ? `\\${escaped}` : escaped;
  return inDouble ? `"${whole}"` : whole;
}

function escapeText(text: string, inDouble: boolean): string {
  return text.replace(/[\u0000-\u001f\u007f\\"]|\$(?=[A-Za-z_{])/g, (character, at: number) => {
    if (character === '$') return '\\$';
    if (character === '\\') return '\\\\';
    if (character === '"') return inDouble ? '\\"' : '"';
    if (character === '\u0000') return /[0-7]/.test(text[at + 1] ?? '') ? '\\000' : '\\0';
    const name = CONTROL_NAMES[character];
    return name ?? `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`;
  });
}
