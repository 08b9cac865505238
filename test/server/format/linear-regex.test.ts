import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LinearRegex, linearRegex } from '../../../server/format/linear-regex.ts';
import { compilePosix } from '../../../server/format/posix-regex.ts';
import { compileProgram } from '../../../server/format/regex-program.ts';

const EDGES = {
  '^': (before: number | undefined) => before === undefined,
  $: (_: number | undefined, next: number | undefined) => next === undefined,
};

function compileLinear(source: string): LinearRegex | undefined {
  const program = compileProgram(source, 'su', EDGES);
  return program && linearRegex(program);
}

/** The longest match of the leftmost start, by trying all pieces in JavaScript's engine. */
function byTrying(source: string, text: string): { start: number; end: number } | undefined {
  for (let start = 0; start <= text.length; start++) {
    for (let end = text.length; end >= start; end--) {
      const rest = [...text.slice(end)].length;
      const whole = new RegExp(`(?:${source})(?=[^]{${rest}}$)`, 'suy');
      whole.lastIndex = start;
      const found = whole.exec(text);
      if (found?.index === start && found[0].length === end - start) return { start, end };
    }
  }
  return undefined;
}

describe('linearRegex', () => {
  it('finds the longest of the leftmost matches, as trying all pieces does', () => {
    const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\.', 'ü', '^', '$');
    const expression = fc.letrec<{ node: string }>((tie) => ({
      node: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        atom,
        fc.tuple(tie('node'), tie('node')).map(([a, b]) => a + b),
        fc.tuple(tie('node'), tie('node')).map(([a, b]) => `(?:${a}|${b})`),
        fc
          .tuple(tie('node'), fc.constantFrom('*', '+', '?', '{2}', '{1,}', '{0,2}'))
          .map(([a, operator]) => `(?:${a})${operator}`),
      ),
    })).node;
    const text = fc.array(fc.constantFrom('a', 'b', '.', 'ü', '😀'), { maxLength: 6 }).map((all) => all.join(''));
    fc.assert(
      fc.property(expression, text, (source, subject) => {
        const found = compileLinear(source)?.find(subject);
        expect(found).toEqual(byTrying(source, subject));
      }),
      { numRuns: 1500 },
    );
  });

  it('refuses more repetitions than it has room for', () => {
    expect(compileProgram('(?:a{1000}){1000}', 'su', EDGES)).toBeUndefined();
  });

  it('has as many states as there may be, and forgets them', () => {
    const regex = compileLinear('a.{12}b$');
    let seed = 1;
    const next = () => {
      seed = (seed * 1103515245 + 12345) & 0x7fffffff;
      return seed & 0x10000 ? 'a' : 'b';
    };
    const text = Array.from({ length: 20_000 }, next).join('');
    expect(regex?.find(`${text}a${'b'.repeat(13)}`)?.end).toBe(20_014);
  });
});

describe('an expression that backtracking takes for ever with', () => {
  // Were one of them tried by JavaScript's engine, the test would not end.
  it.each([
    '(a+)+$',
    '(a|aa)+$',
    '(a|a)*c',
    '(.*)(.*)(.*)(.*)(.*)c',
    '((a?){20}){2}a{40}c',
    'a*a*a*a*a*a*c',
    '(\\w+\\s?)+$',
  ])('%s finds nothing at once', (pattern) => {
    const text = `${'a'.repeat(5000)}b!`;
    expect(compilePosix(pattern)?.locate(text)).toBeUndefined();
    expect(compilePosix(pattern)?.find(text)).toBeUndefined();
  });

  it.each(['((a+)+b|a+)', '((a|aa)*c|a)+', '((a*)*b|a*)b', '(a?){30}(a*)*'])('%s has its groups at once', (pattern) => {
    expect(compilePosix(pattern)?.find(`${'a'.repeat(5000)}b!`)?.groups[0]).toMatch(/^a{5000}b?$/);
  });

  it.each(['(.*)(.*)(.*)(.*)\\1c', '(a*)*\\1c', '((a|aa)*)\\1\\1c', '(a*)*(a*)*\\2\\1$'])(
    '%s with back references gives up after many steps',
    (pattern) => {
      expect(compilePosix(pattern)?.locate(`${'a'.repeat(5000)}b!`)).toBeUndefined();
    },
  );

  it('has its groups where it matches', () => {
    expect(compilePosix('(a|ab)(c|bcd)')?.find('😀abcd')).toEqual({ start: 2, groups: ['abcd', 'a', 'bcd'] });
    expect(compilePosix('((a+)|b)+c')?.find('xxaabbaac!')).toEqual({ start: 2, groups: ['aabbaac', 'aa', 'aa'] });
  });

  it('has groups that glibc has', () => {
    expect(compilePosix('(x*[$.]+)')?.find('$ba')?.groups).toEqual(['$', '$']);
    expect(compilePosix('(.{0}_)\\B')?.find(']_11')?.groups).toEqual(['_', '_']);
    expect(compilePosix('((a)|b)*')?.find('abab')?.groups).toEqual(['abab', 'b', 'a']);
    expect(compilePosix('(a)|(b)')?.find('b')?.groups).toEqual(['b', undefined, 'b']);
  });

  it('has back references, the longest of the leftmost matches and whatever the case', () => {
    expect(compilePosix('(a*)b\\1')?.locate('xaabaa')).toEqual({ start: 1, length: 5 });
    expect(compilePosix('(a|ab)(c|bcd)?\\1')?.find('😀aba abab')).toEqual({
      start: 6,
      groups: ['abab', 'ab', undefined],
    });
    expect(compilePosix('(é+)-\\1', { ignoreCase: true })?.locate('éÉ-Éé')).toEqual({ start: 0, length: 5 });
    expect(compilePosix('(a)|b\\1')?.locate('b')).toBeUndefined();
    expect(compilePosix('(a*)*\\1c')?.locate('xaac')).toEqual({ start: 1, length: 3 });
  });
});
