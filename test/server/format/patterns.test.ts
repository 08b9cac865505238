import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { fnmatch } from '../../../server/format/fnmatch.ts';
import { compilePosix, substitutePosix } from '../../../server/format/posix-regex.ts';
import { TmuxReference } from '../../support/tmux-reference.ts';

const tmux = TmuxReference.start();
afterAll(() => tmux?.stop());

const sample = (pieces: readonly string[], max: number, seed: number) =>
  fc
    .sample(fc.array(fc.constantFrom(...pieces), { maxLength: max }), { numRuns: 250, seed })
    .map((parts) => parts.join(''));
const TEXT = ['a', 'b', 'ab', 'A', '-', ']', '1', ' ', '*', '\\', 'é'];

/** What tmux makes of a format for each pattern and text, both given as options so that nothing needs escaping. */
async function reference(
  pairs: readonly (readonly [pattern: string, text: string])[],
  format: string,
): Promise<string[]> {
  const blocks = await tmux?.batch(
    pairs.flatMap(([pattern, text]) => [
      ['set', '-g', '--', '@p', pattern],
      ['set', '-g', '--', '@t', text],
      ['display-message', '-p', '--', `<${format}>`],
    ]),
  );
  return pairs.map((_, index) => (blocks?.[index * 3 + 2]?.out ?? '').slice(1, -1));
}

const show = (pairs: readonly (readonly [string, string])[], results: readonly string[]) =>
  pairs.map(([pattern, text], index) => `${pattern} ~ ${text} => ${results[index]}`);

describe.skipIf(!tmux)('patterns compared with tmux 3.3a', () => {
  it('matches shell patterns as fnmatch(3)', async () => {
    const pieces = [
      '*',
      '?',
      'a',
      'b',
      '[',
      ']',
      '!',
      '^',
      '-',
      '[a-b]',
      '[!a]',
      '\\',
      '[[:alpha:]]',
      '[]a]',
      '1',
      'é',
    ];
    const patterns = sample(pieces, 5, 1);
    const texts = sample(TEXT, 4, 2);
    const pairs = patterns.map((pattern, index) => [pattern, texts[index] ?? ''] as const);
    const ours = pairs.map(([pattern, text]) => (fnmatch(pattern, text) ? '1' : '0'));
    expect(show(pairs, ours)).toEqual(show(pairs, await reference(pairs, '#{m:#{@p},#{@t}}')));
  });

  it('searches for extended regular expressions as regex(3)', async () => {
    const pieces = [
      'a',
      'b',
      '.',
      '*',
      '+',
      '?',
      '|',
      '(',
      ')',
      '^',
      '$',
      '[ab]',
      '[^a]',
      '\\.',
      '\\b',
      'a{2}',
      '(a|ab)',
    ];
    const patterns = sample(pieces, 5, 3);
    const texts = sample(TEXT, 5, 4);
    const pairs = patterns.map((pattern, index) => [pattern, texts[index] ?? ''] as const);
    const ours = pairs.map(([pattern, text]) => (compilePosix(pattern)?.find(text) ? '1' : '0'));
    expect(show(pairs, ours)).toEqual(show(pairs, await reference(pairs, '#{m/r:#{@p},#{@t}}')));
  });

  it('replaces matches, the longest ones', async () => {
    const pieces = ['a', 'b', '.', 'a*', 'b+', 'a?', '(a|ab)', '(b)', '|', '^', '$', '[ab]', '[^a]', '(a|b|ab)(1|A)?'];
    const patterns = sample(pieces, 4, 5).filter((pattern) => !/^$|^\^|\^.*\^|\$./.test(pattern));
    const texts = sample(
      TEXT.filter((text) => text !== 'é'),
      5,
      6,
    );
    const pairs = patterns.map((pattern, index) => [pattern, texts[index] ?? ''] as const);
    const ours = pairs.map(([pattern, text]) => substitutePosix(text, pattern, { replacement: '{\\0}' }));
    expect(show(pairs, ours)).toEqual(show(pairs, await reference(pairs, '#{s/#{@p}/{\\0#}/:@t}')));
  });
});

describe('patterns', () => {
  it('takes the longest of several alternatives and keeps its groups', () => {
    expect(compilePosix('a|ab|abc')?.find('xabcd')).toEqual({ start: 1, groups: ['abc'] });
    expect(compilePosix('(a|ab)(c|bcd)$')?.find('abcd')).toEqual({ start: 0, groups: ['abcd', 'a', 'bcd'] });
  });

  it('answers "no such expression" instead of throwing, whatever the pattern', () => {
    const pieces = fc.constantFrom(
      ...'ab()[]{}|*+?.^$\\-:=,0129<>éß日',
      '[:alpha:]',
      '[[.a.]]',
      '(?',
      '\\1',
      '\\u',
      '{,3}',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), fc.string({ maxLength: 8 }), (parts, text) => {
        compilePosix(parts.join(''))?.find(text);
        fnmatch(parts.join(''), text);
        substitutePosix(text, parts.join(''), { replacement: '\\1\\\\x' });
      }),
      { numRuns: 2000 },
    );
  });

  it('matches a pattern of many stars in little time', () => {
    expect(fnmatch('*a'.repeat(30), 'a'.repeat(5000).concat('b'))).toBe(false);
  });
});
