/**
 * Formats (tmux(1) FORMATS), read: a text becomes a list of parts, a `#{...}` its modifiers and the text they work on.
 * Nothing inside `#{...}` is read until it is needed, since what a modifier does with it decides how. What was read is
 * kept, as the same few formats are expanded again and again.
 */

export type FormatPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'replacement'; readonly replacement: Replacement }
  | { readonly kind: 'job'; readonly command: string };

/** `#{E;=10:status-left}`: the modifiers E and =10, and the body `status-left`. */
export interface Replacement {
  /** All that stands between the braces; for `#S` and the like what it stands for. */
  readonly source: string;
  /** The letter of `#S` and the like. */
  readonly alias?: string | undefined;
  readonly modifiers: readonly Modifier[];
  readonly body: string;
}

/** `name` is one of MODIFIER_NAMES. Arguments are formats themselves. */
export interface Modifier {
  readonly name: string;
  readonly args: readonly string[];
}

/** The formats kept in read form, and the longest one kept (UTF-16 units). */
const CACHE_ENTRIES_MAX = 2000;
const CACHED_LENGTH_MAX = 16_384;

/** `#S` and the like. */
const FORMAT_ALIASES: Readonly<Record<string, string>> = {
  D: 'pane_id',
  F: 'window_flags',
  H: 'host',
  I: 'window_index',
  P: 'pane_index',
  S: 'session_name',
  T: 'pane_title',
  W: 'window_name',
  h: 'host_short',
};

const cache = new Map<string, readonly FormatPart[]>();

/** Reads a format. A format that is cut off in the middle of a `#{` or `#(` ends there. */
export function parseFormat(text: string): readonly FormatPart[] {
  const known = cache.get(text);
  if (known) return known;
  const parts = readParts(text);
  if (text.length > CACHED_LENGTH_MAX) return parts;
  if (cache.size >= CACHE_ENTRIES_MAX) {
    const [oldest] = cache.keys();
    if (oldest !== undefined) cache.delete(oldest);
  }
  cache.set(text, parts);
  return parts;
}

function readParts(text: string): FormatPart[] {
  const parts: FormatPart[] = [];
  let literal = '';
  /** Where the `#[` that was met last ends; no alias is replaced before that, or `#[fg=#F0F0F0]` would lose its F. */
  let styleEnd = -1;
  let at = 0;
  const push = (part: FormatPart) => {
    if (literal !== '') parts.push({ kind: 'text', text: literal });
    literal = '';
    parts.push(part);
  };
  while (at < text.length) {
    const hash = text.indexOf('#', at);
    if (hash < 0) {
      literal += text.slice(at);
      break;
    }
    literal += text.slice(at, hash);
    const next = text[hash + 1];
    if (next === '{') {
      const end = skipFormat(text, hash, '}');
      if (end < 0) break;
      push({ kind: 'replacement', replacement: parseReplacement(text.slice(hash + 2, end)) });
      at = end + 1;
    } else if (next === '(') {
      const end = closingParenthesis(text, hash + 2);
      if (end < 0) break;
      push({ kind: 'job', command: text.slice(hash + 2, end) });
      at = end + 1;
    } else if (next === '[' || next === '#') {
      let bracket = hash + 1;
      while (text[bracket] === '#') bracket++;
      if (text[bracket] === '[') {
        // A style, escaped or not, is left for whoever draws it.
        styleEnd = skipFormat(text, hash, ']');
        at = bracket + 1;
        literal += text.slice(hash, at);
      } else {
        literal += '#';
        at = hash + 2;
      }
    } else if (next === ',' || next === '}') {
      literal += next;
      at = hash + 2;
    } else {
      const name = next !== undefined && hash + 2 > styleEnd ? FORMAT_ALIASES[next] : undefined;
      at = hash + 2;
      if (name !== undefined)
        push({ kind: 'replacement', replacement: { source: name, alias: next, modifiers: [], body: name } });
      else literal += text.slice(hash, at);
    }
  }
  if (literal !== '') parts.push({ kind: 'text', text: literal });
  return parts;
}

function closingParenthesis(text: string, from: number): number {
  let depth = 1;
  for (let at = from; at < text.length; at++) {
    if (text[at] === '(') depth++;
    else if (text[at] === ')' && --depth === 0) return at;
  }
  return -1;
}

const ESCAPABLE = ',#{}:';

/** The index of the first of `ends` that is outside any `#{...}` and not escaped by `#`, or -1. */
export function skipFormat(text: string, from: number, ends: string): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const character = text[at] ?? '';
    if (character === '#') {
      const next = text[at + 1];
      if (next !== undefined && ESCAPABLE.includes(next)) {
        if (next === '{') depth++;
        at++;
        continue;
      }
    }
    if (character === '}') depth--;
    if (depth === 0 && ends.includes(character)) return at;
  }
  return -1;
}

/** Splits at the first comma that is not inside `#{...}`; undefined if there is none. */
export function splitChoice(text: string): readonly [left: string, right: string] | undefined {
  const comma = skipFormat(text, 0, ',');
  return comma < 0 ? undefined : [text.slice(0, comma), text.slice(comma + 1)];
}

const PLAIN_MODIFIERS = 'labcdnwETSWPN<>';
const DOUBLE_MODIFIERS = ['||', '&&', '!=', '==', '<=', '>='];
const MODIFIERS_WITH_ARGUMENTS = 'mCNst=peq';

function endsModifier(character: string | undefined): boolean {
  return character === ';' || character === ':';
}

/** Reads the inside of a `#{...}`. What does not begin with well-formed modifiers and a colon has none. */
function parseReplacement(source: string): Replacement {
  const modifiers: Modifier[] = [];
  let at = 0;
  while (at < source.length && source[at] !== ':') {
    if (source[at] === ';') at++;
    const read = readModifier(source, at);
    if (!read) break;
    modifiers.push(read.modifier);
    at = read.end;
  }
  return source[at] === ':'
    ? { source, modifiers, body: source.slice(at + 1) }
    : { source, modifiers: [], body: source };
}

function readModifier(body: string, at: number): { modifier: Modifier; end: number } | undefined {
  const first = body[at];
  if (first === undefined) return undefined;
  const plain = (name: string) => ({ modifier: { name, args: [] }, end: at + name.length });
  if (PLAIN_MODIFIERS.includes(first) && endsModifier(body[at + 1])) return plain(first);
  const double = body.slice(at, at + 2);
  if (DOUBLE_MODIFIERS.includes(double) && endsModifier(body[at + 2])) return plain(double);
  if (!MODIFIERS_WITH_ARGUMENTS.includes(first)) return undefined;
  const wrapper = body[at + 1];
  if (wrapper === undefined) return undefined;
  if (endsModifier(wrapper)) return plain(first);
  if (wrapper === '-' || !/[!-/:-@[-`{-~]/.test(wrapper)) {
    const end = skipFormat(body, at + 1, ':;');
    return end < 0 ? undefined : { modifier: { name: first, args: [body.slice(at + 1, end)] }, end };
  }
  return readWrappedArguments(body, at, wrapper);
}

/** Arguments between a wrapper character: `s/a/b/i:`. The last may lack it. */
function readWrappedArguments(body: string, at: number, wrapper: string): { modifier: Modifier; end: number } {
  const args: string[] = [];
  let position = at + 1;
  do {
    if (body[position] === wrapper && endsModifier(body[position + 1])) {
      position++;
      break;
    }
    const end = skipFormat(body, position + 1, `${wrapper};:`);
    if (end < 0) break;
    args.push(body.slice(position + 1, end));
    position = end;
  } while (!endsModifier(body[position]));
  return { modifier: { name: body[at] ?? '', args }, end: position };
}
