import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanText, countCodePoints, isControl, isInvisibleFormat } from '../../protocol/clean-text.ts';

const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '\x1b]0;x\x07',
        '\u009b',
        '\u202e',
        '\u2066',
        '\u200b',
        '\ufeff',
        '\ud800',
        '\udc00',
        '\r\n',
        '\t',
        '\x7f',
        '\u{e0041}',
      ),
    ),
  )
  .map((parts) => parts.join(''));

describe('clean text', () => {
  it('drops controls, bidi controls and what never shows', () => {
    expect(cleanText('a\x1b[31mb\x07\x9c\x9d\x7f\u202e\u2066\u2069\u200b\ufeffc', { max: 100 })).toBe('a[31mbc');
  });

  it('makes line breaks and tabs spaces, or keeps the breaks', () => {
    expect(cleanText('a\r\nb\tc\rd\n', { max: 100 })).toBe('a b c d ');
    expect(cleanText('a\r\nb\tc\rd\n', { max: 100, lines: true })).toBe('a\nb c\nd\n');
  });

  it('keeps what emoji and scripts are made of, and replaces lone surrogates', () => {
    expect(cleanText('👨‍👩‍👧❤️\u200c', { max: 100 })).toBe('👨‍👩‍👧❤️\u200c');
    expect(cleanText('a\ud800b\udc00', { max: 100 })).toBe('a\ufffdb\ufffd');
  });

  it('counts and cuts in code points', () => {
    expect(countCodePoints('a😀\ud800')).toBe(3);
    expect(cleanText('😀😀😀', { max: 2 })).toBe('😀😀');
  });

  it('leaves nothing dangerous in any text and does nothing the second time', () => {
    fc.assert(
      fc.property(hostile, fc.boolean(), (text, lines) => {
        const cleaned = cleanText(text, { max: 40, lines });
        expect(countCodePoints(cleaned)).toBeLessThanOrEqual(40);
        expect(countCodePoints(cleaned)).toBe([...cleaned].length);
        for (const character of cleaned) {
          const codePoint = character.codePointAt(0) ?? 0;
          expect(isInvisibleFormat(codePoint)).toBe(false);
          expect(isControl(codePoint) && !(lines && character === '\n')).toBe(false);
        }
        expect(cleanText(cleaned, { max: 40, lines })).toBe(cleaned);
      }),
    );
  });
});
