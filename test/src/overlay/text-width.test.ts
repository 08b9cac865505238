import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CLUSTER_MAX, graphemes, padToWidth, textWidth, truncateToWidth } from '../../../src/overlay/text-width.ts';

const pieces = fc.constantFrom(
  'a',
  ' ',
  '日',
  '👨‍👩‍👧',
  '❤️',
  '1️⃣',
  '🇩🇪',
  'e\u0301',
  '\u0301',
  '\u200b',
  '한',
  '\u202e',
  '😀',
  '\x1b',
  '─',
);
const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(pieces).map((list) => list.join('')),
);

describe('text width', () => {
  it.each([
    ['abc', 3],
    ['日本', 4],
    ['👨‍👩‍👧', 2],
    ['👍🏽', 2],
    ['❤️', 2],
    ['1️⃣', 2],
    ['🇩🇪🇫🇷', 4],
    ['e\u0301x', 2],
    ['한국', 4],
    ['\u1112\u1161\u11ab', 2],
    ['─│', 2],
    ['', 0],
  ])('of %j is %i columns', (text, columns) => {
    expect(textWidth(text)).toBe(columns);
  });

  it('counts no column for what never shows: bidi controls, zero width space, controls, a mark without a base', () => {
    expect(textWidth('a\u202eb\u2066\u200b\ufeff')).toBe(2);
    expect(textWidth('\u0301')).toBe(0);
    expect(textWidth('\x1b\x07\x9c')).toBe(0);
  });

  it('keeps a cluster together and leaves invisible format characters out', () => {
    expect(graphemes('e\u0301\u202e👨‍👩‍👧x')).toEqual([
      { text: 'e\u0301', width: 1 },
      { text: '👨‍👩‍👧', width: 2 },
      { text: 'x', width: 1 },
    ]);
  });

  it('bounds a cluster of a thousand accents', () => {
    const [first, ...rest] = graphemes(`e${'\u0301'.repeat(1000)}x`);
    expect([...(first?.text ?? '')].length).toBe(CLUSTER_MAX);
    expect(rest).toEqual([{ text: 'x', width: 1 }]);
  });

  it('never cuts a wide character in half', () => {
    expect(truncateToWidth('日本', 3)).toBe('日');
    expect(padToWidth('日本', 3)).toBe('日 ');
    expect(padToWidth('ab', 4)).toBe('ab  ');
    expect(truncateToWidth('abc', -1)).toBe('');
  });

  it('is the sum of the widths of the graphemes', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const parts = graphemes(text);
        expect(textWidth(text)).toBe(parts.reduce((sum, part) => sum + part.width, 0));
        for (const part of parts) expect(textWidth(part.text)).toBe(part.width);
      }),
    );
  });

  it('pads and cuts to exactly the columns asked for', () => {
    fc.assert(
      fc.property(texts, fc.nat(30), (text, columns) => {
        expect(textWidth(truncateToWidth(text, columns))).toBeLessThanOrEqual(columns);
        expect(textWidth(padToWidth(text, columns))).toBe(columns);
      }),
    );
  });
});
