/**
 * POSIX extended regular expressions (regex(7), with glibc's \w \s \b and back references). Matches are found in linear time
 * (linear-regex.ts), and so are the groups of one (regex-walk.ts). JavaScript's engine, which can take for ever, has only
 * expressions that it cannot be slow with.
 */
import { linearRegex } from './linear-regex.ts';
import { type Assertions, compileProgram, type RegexProgram } from './regex-program.ts';
import { findByWalking, groupsOfMatch, type Slots } from './regex-walk.ts';

const CLASSES: Readonly<Record<string, string>> = {
  alnum: '\\p{L}\\p{N}',
  alpha: '\\p{L}',
  blank: ' \\t',
  cntrl: '\\u0000-\\u001f\\u007f',
  digit: '0-9',
  graph: '\\u0021-\\u007e\\u00a1-\\u{10ffff}',
  lower: '\\p{Ll}',
  print: '\\u0020-\\u007e\\u00a0-\\u{10ffff}',
  punct: '!-\\/:-@\\[-`\\{-~',
  space: '\\s',
  upper: '\\p{Lu}',
  xdigit: '0-9a-fA-F',
};

/** The longest subject that is searched (UTF-16 units); what is longer is cut off there. */
const SUBJECT_MAX = 16_384;

/** Where a match is and what its groups hold; `groups[0]` is the whole. */
export interface PosixMatch {
  readonly start: number;
  readonly groups: readonly (string | undefined)[];
}

export interface PosixRegex {
  /** Where the leftmost match is, the longest of those. */
  readonly locate: (text: string) => { readonly start: number; readonly length: number } | undefined;
  /** The same match with its groups. */
  readonly find: (text: string) => PosixMatch | undefined;
}

/** Compiles an expression; undefined if it is not one. */
export function compilePosix(
  pattern: string,
  { ignoreCase = false }: { ignoreCase?: boolean } = {},
): PosixRegex | undefined {
  const source = translate(pattern);
  if (source === undefined) return undefined;
  const flags = ignoreCase ? 'sui' : 'su';
  let search: RegExp;
  try {
    search = new RegExp(source, flags);
  } catch {
    return undefined;
  }
  if (isHarmless(source)) return harmless(search);
  const program = compileProgram(source, flags, ASSERTIONS);
  if (!program) return undefined;
  return program.references.length > 0 ? walking(program, { ignoreCase }) : inTime(program);
}

/** Of an expression that JavaScript's engine has no choice with. */
function harmless(search: RegExp): PosixRegex {
  const find = (text: string) => {
    const match = search.exec(text.slice(0, SUBJECT_MAX));
    return match ? { start: match.index, groups: [...match] } : undefined;
  };
  return { find, locate: (text) => rangeOf(find(text)) };
}

/** Of an expression with back references. */
function walking(program: RegexProgram, options: { readonly ignoreCase: boolean }): PosixRegex {
  const find = (text: string) => {
    const subject = text.slice(0, SUBJECT_MAX);
    const slots = findByWalking(program, subject, options);
    return slots && { start: slots[0] ?? 0, groups: groupsIn(subject, slots) };
  };
  return { find, locate: (text) => rangeOf(find(text)) };
}

function inTime(program: RegexProgram): PosixRegex {
  const linear = linearRegex(program);
  const hasGroups = program.instructions.some(({ op }) => op === 'save');
  return {
    locate: (text) => {
      const range = linear.find(text.slice(0, SUBJECT_MAX));
      return range && { start: range.start, length: range.end - range.start };
    },
    find: (text) => {
      const subject = text.slice(0, SUBJECT_MAX);
      const range = linear.find(subject);
      if (!range) return undefined;
      const slots = hasGroups ? groupsOfMatch(program, subject, range) : undefined;
      return { start: range.start, groups: groupsIn(subject, slots ?? [range.start, range.end]) };
    },
  };
}

function groupsIn(text: string, slots: Slots): (string | undefined)[] {
  return Array.from({ length: Math.ceil(slots.length / 2) }, (_, group) => {
    const [start, end] = [slots[2 * group], slots[2 * group + 1]];
    return start === undefined || end === undefined ? undefined : text.slice(start, end);
  });
}

function rangeOf(match: PosixMatch | undefined): { readonly start: number; readonly length: number } | undefined {
  return match && { start: match.start, length: match.groups[0]?.length ?? 0 };
}

/** At most one repetition, and of a single character: nothing to try again that would grow with more than the text. */
function isHarmless(source: string): boolean {
  const atoms = source.replace(/\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\[^1-9]|\[(?:\\.|[^\]\\])*\]/gsu, 'x');
  return !/[|)\\]/.test(atoms) && (atoms.match(/[*+?{]/g)?.length ?? 0) <= 1;
}

/** The JavaScript spelling of an expression (flag u), or undefined if it is malformed. */
function translate(pattern: string): string | undefined {
  const characters = [...pattern];
  let text = '';
  let depth = 0;
  /** Where the last atom begins in `text`; -1 if a repetition has nothing to repeat. */
  let atom = -1;
  let repeated = false;
  const opened: number[] = [];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? '';
    const interval = character === '{' ? /^\{\d*(?:,\d*)?\}/.exec(characters.slice(at).join(''))?.[0] : undefined;
    if ('*+?'.includes(character) || (interval && interval !== '{}' && interval !== '{,}')) {
      const operator = interval ? interval.replace('{,', '{0,') : character;
      if (atom < 0) return undefined;
      if (repeated) text = `${text.slice(0, atom)}(?:${text.slice(atom)})`;
      text += operator;
      repeated = true;
      if (interval) at += interval.length - 1;
      continue;
    }
    const start = text.length;
    repeated = false;
    atom = start;
    if (character === '(') {
      depth++;
      opened.push(start);
      text += '(';
      atom = -1;
    } else if (character === ')' && depth > 0) {
      depth--;
      text += ')';
      atom = opened.pop() ?? start;
    } else if (character === '|') {
      text += '|';
      atom = -1;
    } else if (character === '^' || character === '$') {
      text += character;
      atom = -1;
    } else if (character === '[') {
      const bracket = translateBracket(characters, at);
      if (!bracket) return undefined;
      text += bracket.text;
      at = bracket.end;
    } else if (character === '\\') {
      const next = characters[++at];
      const escaped = translateEscape(next);
      if (escaped === undefined) return undefined;
      text += escaped;
      // A place between characters cannot be repeated.
      if (next !== undefined && "bB<>`'".includes(next)) atom = -1;
    } else text += character === '.' ? '.' : quote(character);
  }
  return depth === 0 ? text : undefined;
}

function quote(character: string): string {
  return /[\\^$.*+?()[\]{}|/-]/.test(character) ? `\\${character}`.replace('\\-', '-') : character;
}

const WORD = '[\\p{L}\\p{N}_]';
const [WORD_START, WORD_END] = [`(?<!${WORD})(?=${WORD})`, `(?<=${WORD})(?!${WORD})`];

/** glibc's escapes for words; JavaScript's own know ASCII only. */
const WORD_ESCAPES: Readonly<Record<string, string>> = {
  w: WORD,
  W: '[^\\p{L}\\p{N}_]',
  b: `(?:${WORD_START}|${WORD_END})`,
  B: `(?:(?<=${WORD})(?=${WORD})|(?<!${WORD})(?!${WORD}))`,
  '<': WORD_START,
  '>': WORD_END,
};

const isWord = (codePoint: number | undefined) =>
  codePoint !== undefined && /[\p{L}\p{N}_]/u.test(String.fromCodePoint(codePoint));

/** What the expressions made here assert between characters. */
const ASSERTIONS: Assertions = {
  '^': (before) => before === undefined,
  $: (_, next) => next === undefined,
  '(?<![\\s\\S])': (before) => before === undefined,
  '(?![\\s\\S])': (_, next) => next === undefined,
  [`(?<!${WORD})`]: (before) => !isWord(before),
  [`(?<=${WORD})`]: (before) => isWord(before),
  [`(?=${WORD})`]: (_, next) => isWord(next),
  [`(?!${WORD})`]: (_, next) => !isWord(next),
};

function translateEscape(character: string | undefined): string | undefined {
  if (character === undefined) return undefined;
  if (/[sS1-9]/.test(character)) return `\\${character}`;
  const wordPart = WORD_ESCAPES[character];
  if (wordPart !== undefined) return wordPart;
  if (character === '`') return '(?<![\\s\\S])';
  if (character === "'") return '(?![\\s\\S])';
  return quote(character);
}

function translateBracket(characters: readonly string[], start: number): { text: string; end: number } | undefined {
  let at = start + 1;
  const negated = characters[at] === '^';
  if (negated) at++;
  let text = '';
  for (let first = true; at < characters.length; first = false, at++) {
    const character = characters[at] ?? '';
    if (character === ']' && !first) return { text: `[${negated ? '^' : ''}${text}]`, end: at };
    const kind = character === '[' ? characters[at + 1] : undefined;
    if (kind === ':' || kind === '.' || kind === '=') {
      const close = characters.findIndex(
        (other, index) => index > at + 2 && other === ']' && characters[index - 1] === kind,
      );
      if (close < 0) return undefined;
      const name = characters.slice(at + 2, close - 1).join('');
      const set = kind === ':' ? CLASSES[name] : quoteInBracket(name);
      if (set === undefined) return undefined;
      text += set;
      at = close;
    } else if (characters[at + 1] === '-' && characters[at + 2] !== undefined && characters[at + 2] !== ']') {
      const high = characters[at + 2] ?? '';
      if ((high.codePointAt(0) ?? 0) < (character.codePointAt(0) ?? 0)) return undefined;
      text += `${quoteInBracket(character)}-${quoteInBracket(high)}`;
      at += 2;
    } else text += quoteInBracket(character);
  }
  return undefined;
}

function quoteInBracket(text: string): string {
  return text.replace(/[\\\]^[-]/g, '\\$&');
}

/**
 * Replaces every match; `\0` to `\9` in the replacement are groups. An empty match right where the last one ended is
 * passed over, and a pattern that begins with `^` is replaced once, as tmux(1) does.
 */
export function substitutePosix(
  text: string,
  pattern: string,
  { replacement, ignoreCase = false }: { replacement: string; ignoreCase?: boolean },
): string {
  const regex = compilePosix(pattern, { ignoreCase });
  if (!regex || text === '') return text;
  let result = '';
  let start = 0;
  let last = 0;
  let passedEmpty = false;
  const anchored = pattern.startsWith('^');
  while (start <= text.length) {
    const match = regex.find(text.slice(start));
    if (!match) break;
    const whole = match.groups[0] ?? '';
    const from = start + match.start;
    const counts: boolean = anchored || passedEmpty || from !== last || whole !== '';
    result += text.slice(last, from);
    last = from + whole.length;
    start = last;
    if (counts) result += expandGroups(replacement, match.groups);
    else start += (text.codePointAt(last) ?? 0) > 0xffff ? 2 : 1;
    passedEmpty = !counts;
    if (anchored) break;
  }
  return result + text.slice(last);
}

function expandGroups(replacement: string, groups: readonly (string | undefined)[]): string {
  return replacement.replace(/\\([\s\S])?/gu, (_whole, escaped: string | undefined) => {
    if (escaped === undefined) return '';
    const group = /[0-9]/.test(escaped) ? groups[Number(escaped)] : undefined;
    return group ? group : escaped;
  });
}
