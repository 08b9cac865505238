import { describe, expect, it } from 'vitest';
import { parseColorSpec, printColorSpec } from '../../protocol/color-spec.ts';

describe('colours of OSC 4, 10, 11 and 12', () => {
  it.each([
    ['rgb:12/34/56', 0x123456],
    ['rgb:f/0/8', 0xff0088],
    ['#ff8000', 0xff8000],
    ['red', 0xff0000],
    ['Orange', 0xffa500],
    ['dark slate gray', 0x2f4f4f],
    ['DarkSlateGrey', 0x2f4f4f],
    ['grey50', 0x7f7f7f],
    ['gray100', 0xffffff],
    ['gray101', undefined],
    ['nosuch', undefined],
    ['', undefined],
  ])('%j', (text, color) => {
    expect(parseColorSpec(text)).toBe(color);
  });

  it('are answered as xterm writes them', () => {
    expect(printColorSpec(0x123456)).toBe('rgb:1212/3434/5656');
  });
});
