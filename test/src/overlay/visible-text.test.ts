import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isControl, isInvisibleFormat } from '../../../protocol/clean-text.ts';
import { textWidth } from '../../../src/overlay/text-width.ts';
import { visibleLines, visibleText } from '../../../src/overlay/visible-text.ts';
import { wrapText } from '../../../src/overlay/word-wrap.ts';

const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(
      fc.constantFrom(
        '\x1b',
        '\u202e',
        '\u200b',
        '\u200d',
        '\ufe0f',
        '\u0301',
        '\ufeff',
        '世',
        '👩',
        'é',
        'a',
        ' ',
        '\n',
        '\ud800',
      ),
    )
    .map((parts) => parts.join('')),
);

describe('visible text', () => {
  it('shows what would be obeyed or hidden', () => {
    const cases: readonly (readonly [string, string])[] = [
      ['plain', 'plain'],
      ['\x1b]0;x\x07', '␛]0;x␇'],
      ['a\nb\tc\x7f', 'a␤b␉c␡'],
      ['\u0085\u009b31m', '<U+0085><U+009B>31m'],
      ['a\u202eb\u2066c', 'a<U+202E>b<U+2066>c'],
      ['zero\u200bwidth\ufeff', 'zero<U+200B>width<U+FEFF>'],
      ['a\u200db', 'a\u200db'],
      ['1\u200d2', '1<U+200D>2'],
      ['\u{e0041}', '<U+E0041>'],
      ['x\ufe0fy\ufe00', 'x\ufe0fy<U+FE00>'],
      ['\u0301alone', '<U+0301>alone'],
      ['\ud800', '<U+D800>'],
      ['\u3164\u115f', '<U+3164><U+115F>'],
    ];
    for (const [text, shown] of cases) expect(visibleText(text)).toBe(shown);
  });

  it('keeps accents, emoji sequences and several scripts whole', () => {
    for (const text of ['é世界', 'e\u0301', '👩‍👩‍👧', '❤️', '👍🏽', 'क्‍ष', 'می‌خواهم'])
      expect(visibleText(text)).toBe(text);
  });

  it('shows the marks of a pile that would run over other rows', () => {
    expect(visibleText(`e${'\u0301'.repeat(6)}`)).toBe('e\u0301\u0301\u0301\u0301<U+0301><U+0301>');
  });

  it('holds nothing that a terminal obeys, and is left alone by a second pass', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const shown = visibleText(text);
        for (const character of shown) {
          const codePoint = character.codePointAt(0)!;
          expect(isControl(codePoint) || isInvisibleFormat(codePoint) || /\p{Cs}/u.test(character)).toBe(false);
        }
        expect(visibleText(shown)).toBe(shown);
      }),
    );
  });

  it('splits lines and widens tabs', () => {
    expect(visibleLines('a\r\nb\rc\n\td')).toEqual(['a', 'b␍c', '    d']);
  });
});

describe('wrapping', () => {
  it('breaks at spaces, else inside the word, and keeps empty lines', () => {
    const cases: readonly (readonly [string, number, readonly string[]])[] = [
      ['', 10, []],
      ['one two three', 8, ['one two', 'three']],
      ['one two', 7, ['one two']],
      ['abcdefgh', 3, ['abc', 'def', 'gh']],
      ['a\n\nb', 5, ['a', '', 'b']],
      ['世界世界', 5, ['世界', '世界']],
      ['xx  yy', 3, ['xx', 'yy']],
    ];
    for (const [text, columns, lines] of cases) expect(wrapText(text, columns)).toEqual(lines);
  });

  it('never gives a line wider than asked (but for a wide character in one column), and loses no letter', () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 2, max: 30 }), (text, columns) => {
        const lines = wrapText(text, columns);
        for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(columns);
        const letters = (all: readonly string[]) => all.join('').replaceAll(/\s/g, '');
        expect(letters(lines)).toBe(letters(text === '' ? [] : visibleLines(text)));
      }),
    );
  });
});
