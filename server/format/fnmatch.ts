/** fnmatch(3) without flags but case folding: `*`, `?`, `[...]` with ranges and classes, backslash escapes. */

const CLASSES: Readonly<Record<string, (character: string) => boolean>> = {
  alnum: (character) => /[\p{L}\p{N}]/u.test(character),
  alpha: (character) => /\p{L}/u.test(character),
  blank: (character) => /[ \t]/.test(character),
  cntrl: (character) => /[\u0000-\u001f\u007f]/.test(character),
  digit: (character) => /[0-9]/.test(character),
  graph: (character) => /[^\s\u0000-\u001f\u007f]/.test(character),
  lower: (character) => /\p{Ll}/u.test(character),
  print: (character) => /[^\u0000-\u001f\u007f]/.test(character),
  punct: (character) => /[!-/:-@[-`{-~]/.test(character),
  space: (character) => /\s/.test(character),
  upper: (character) => /\p{Lu}/u.test(character),
  xdigit: (character) => /[0-9a-fA-F]/.test(character),
};

type Matcher = { readonly kind: 'star' } | { readonly kind: 'one'; readonly accepts: (character: string) => boolean };

/** Whether a whole text fits a pattern. Takes time proportional to both lengths at worst. */
export function fnmatch(pattern: string, text: string, { ignoreCase = false }: { ignoreCase?: boolean } = {}): boolean {
  const fold = (value: string) => (ignoreCase ? value.toLowerCase() : value);
  const matchers = compile([...fold(pattern)]);
  const characters = [...fold(text)];
  let at = 0;
  let next = 0;
  let star = -1;
  let starAt = 0;
  while (at < characters.length) {
    const matcher = matchers[next];
    if (matcher?.kind === 'star') {
      star = next++;
      starAt = at;
    } else if (matcher?.kind === 'one' && matcher.accepts(characters[at] ?? '')) {
      next++;
      at++;
    } else if (star >= 0) {
      next = star + 1;
      at = ++starAt;
    } else return false;
  }
  while (matchers[next]?.kind === 'star') next++;
  return next === matchers.length;
}

function compile(pattern: readonly string[]): Matcher[] {
  const matchers: Matcher[] = [];
  const literal = (wanted: string): Matcher => ({ kind: 'one', accepts: (character) => character === wanted });
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at] ?? '';
    if (character === '*') {
      if (matchers.at(-1)?.kind !== 'star') matchers.push({ kind: 'star' });
    } else if (character === '?') matchers.push({ kind: 'one', accepts: () => true });
    else if (character === '\\') {
      const escaped = pattern[++at];
      matchers.push(escaped === undefined ? { kind: 'one', accepts: () => false } : literal(escaped));
    } else if (character === '[') {
      const bracket = compileBracket(pattern, at);
      matchers.push(bracket?.matcher ?? literal('['));
      if (bracket) at = bracket.end;
    } else matchers.push(literal(character));
  }
  return matchers;
}

/** `[...]` from `start` on; undefined if it is not closed. `end` is the closing bracket. */
function compileBracket(pattern: readonly string[], start: number): { matcher: Matcher; end: number } | undefined {
  let at = start + 1;
  const negated = pattern[at] === '!' || pattern[at] === '^';
  if (negated) at++;
  const tests: ((character: string) => boolean)[] = [];
  for (let first = true; at < pattern.length; first = false) {
    const character = pattern[at] ?? '';
    if (character === ']' && !first) {
      const accepts = (wanted: string) => tests.some((test) => test(wanted)) !== negated;
      return { matcher: { kind: 'one', accepts }, end: at };
    }
    if (character === '[' && pattern[at + 1] === ':') {
      const close = pattern.indexOf(']', at);
      const name = pattern.slice(at + 2, close - 1).join('');
      const accepts = close > at + 3 && pattern[close - 1] === ':' ? CLASSES[name] : undefined;
      if (!accepts) return undefined;
      tests.push(accepts);
      at = close + 1;
      continue;
    }
    const low = character === '\\' ? (pattern[++at] ?? '') : character;
    at++;
    if (pattern[at] === '-' && pattern[at + 1] !== undefined && pattern[at + 1] !== ']') {
      const high = pattern[at + 1] === '\\' ? (pattern[++at + 1] ?? '') : (pattern[at + 1] ?? '');
      at += 2;
      tests.push((wanted) => compareCode(wanted, low) >= 0 && compareCode(wanted, high) <= 0);
    } else tests.push((wanted) => wanted === low);
  }
  return undefined;
}

function compareCode(a: string, b: string): number {
  return (a.codePointAt(0) ?? 0) - (b.codePointAt(0) ?? 0);
}
