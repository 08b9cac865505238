import { describe, expect, it } from 'vitest';
import { glyphAt, mostColumns } from '../../../client/terminal/glyph.ts';
import { blankRow, CONTENT_IS_CLUSTER, CONTENT_WIDTH_SHIFT, DEFAULT_STYLE, setCell } from '../../../protocol/cell.ts';

function glyphOf(text: string, width: 1 | 2) {
  const row = blankRow(4);
  setCell(row, 1, text, width, DEFAULT_STYLE);
  return glyphAt(row, 1);
}

describe('glyphAt', () => {
  it.each(['a', '~', 'é', 'ж', '─', '│', '█', '⠿', '…', '→'])('trusts the width of %s', (text) => {
    expect(glyphOf(text, 1)).toEqual({ text, width: 1, doubtful: false });
  });

  it.each(['漢', '글', 'か', '！'])('trusts the two columns of %s', (text) => {
    expect(glyphOf(text, 2)).toEqual({ text, width: 2, doubtful: false });
  });

  it.each(['😀', '👩‍👩‍👧', '🇩', '❤\ufe0f', '☎', '\u1100'])('doubts %s', (text) => {
    expect(glyphOf(text, 2)).toMatchObject({ text, doubtful: true });
  });

  it('doubts marks and letters that carry them', () => {
    expect(glyphOf('e\u0301', 1)?.doubtful).toBe(true);
    expect(glyphOf('\u0301', 1)?.doubtful).toBe(true);
  });

  it('gives nothing for the right half of a wide character and a blank for half of one', () => {
    const row = blankRow(3);
    setCell(row, 0, '漢', 2, DEFAULT_STYLE);
    expect(glyphAt(row, 1)).toBeUndefined();
    row.words[0] = blankRow(1).words[0]!;
    expect(glyphAt(row, 1)).toMatchObject({ text: ' ', width: 1 });
    const edge = blankRow(1);
    edge.words[0] = 0x6f22 | (2 << CONTENT_WIDTH_SHIFT);
    expect(glyphAt(edge, 0)).toMatchObject({ text: ' ', width: 1 });
  });

  it.each([0x07, 0x1b, 0x7f, 0x9b, 0x202e, 0x2066, 0x200b])('shows a blank in place of U+%s', (codePoint) => {
    const row = blankRow(1);
    row.words[0] = codePoint | (1 << CONTENT_WIDTH_SHIFT);
    expect(glyphAt(row, 0)).toMatchObject({ text: ' ' });
  });

  it('survives numbers that are no code points', () => {
    for (const number of [0xd800, 0x110000, 0x1fffff]) {
      const row = blankRow(1);
      row.words[0] = number | (1 << CONTENT_WIDTH_SHIFT);
      expect(glyphAt(row, 0)?.text).toBe('\ufffd');
    }
  });

  it('takes what must not get out from clusters too', () => {
    const row = blankRow(1);
    row.words[0] = CONTENT_IS_CLUSTER | (1 << CONTENT_WIDTH_SHIFT);
    row.clusters = new Map([[0, 'a\u001b]0;x\u0007\u202e\u0301']]);
    expect(glyphAt(row, 0)?.text).toBe('a]0;x\u0301');
    row.clusters = undefined;
    expect(glyphAt(row, 0)?.text).toBe(' ');
  });
});

describe('mostColumns', () => {
  it('is what a terminal without clusters may take at most', () => {
    expect(mostColumns('e\u0301')).toBeGreaterThanOrEqual(1);
    expect(mostColumns('👩‍👩‍👧')).toBeGreaterThanOrEqual(6);
  });
});
