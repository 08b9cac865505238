import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as cell from '../../protocol/cell.ts';
import { paletteColor, reduceColor, sgrDiff, sgrFor, underlineStyleOf } from '../../protocol/sgr.ts';
import { startEmulator } from '../server/terminal/terminal-support.ts';

const color = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 0, max: 15 }).map((index) => cell.COLOR_PALETTE16 | index),
  fc.integer({ min: 16, max: 255 }).map((index) => cell.COLOR_PALETTE256 | index),
  fc.integer({ min: 0, max: 0xffffff }).map((value) => cell.COLOR_RGB | value),
);
const flags = (...bits: number[]) => fc.subarray(bits).map((chosen) => chosen.reduce((all, bit) => all | bit, 0));
const style: fc.Arbitrary<cell.CellStyle> = fc
  .record({
    fg: color,
    bg: color,
    fgFlags: flags(cell.FG_BOLD, cell.FG_BLINK, cell.FG_INVERSE, cell.FG_INVISIBLE, cell.FG_STRIKETHROUGH),
    bgFlags: flags(cell.BG_DIM, cell.BG_ITALIC, cell.BG_OVERLINE),
    underlineStyle: fc.constantFrom<cell.UnderlineStyle>(0, 1, 2, 3, 4, 5),
    underlineColor: fc.oneof(
      fc.constant(0),
      fc.integer({ min: 0, max: 255 }).map((index) => cell.COLOR_PALETTE256 | index),
      fc.integer({ min: 0, max: 0xffffff }).map((value) => cell.COLOR_RGB | value),
    ),
  })
  .map(({ fg, bg, fgFlags, bgFlags, underlineStyle, underlineColor }) => {
    const isUnderlined = underlineStyle > 0;
    const isExtended = isUnderlined && (underlineStyle > 1 || underlineColor !== 0);
    return {
      fg: (fg | fgFlags | (isUnderlined ? cell.FG_UNDERLINE : 0)) >>> 0,
      bg: (bg | bgFlags) >>> 0,
      extension: isExtended ? { underlineStyle, underlineColor, link: undefined } : undefined,
    };
  });

/** How the terminal draws after the sequences. */
function drawn(...sequences: string[]): cell.CellStyle {
  const terminal = startEmulator(4, 1);
  terminal.write(`${sequences.join('')}X`);
  const row = cell.blankRow(4);
  terminal.emulator.screenRow(0, row);
  const { fg, bg, extension } = cell.cellStyle(row, 0);
  return { fg, bg: (bg & ~cell.BG_EXTENDED) >>> 0, extension };
}

describe('SGR', () => {
  it('takes a terminal from any style to any other', () => {
    fc.assert(
      fc.property(style, style, (from, to) => {
        expect(drawn(sgrFor(to))).toEqual({ extension: undefined, ...to });
        expect(drawn(sgrFor(from), sgrDiff(from, to))).toEqual({ extension: undefined, ...to });
      }),
      { numRuns: 400 },
    );
  });

  it('says nothing when nothing changes, and no more than is needed', () => {
    const red: cell.CellStyle = { fg: cell.COLOR_PALETTE16 | 1, bg: 0 };
    const boldRed: cell.CellStyle = { fg: red.fg | cell.FG_BOLD, bg: 0 };
    expect(sgrDiff(red, { ...red })).toBe('');
    expect(sgrDiff(cell.DEFAULT_STYLE, red)).toBe('\x1b[31m');
    expect(sgrDiff(red, boldRed)).toBe('\x1b[1m');
    expect(sgrDiff(boldRed, red)).toBe('\x1b[22m');
    expect(sgrDiff(boldRed, cell.DEFAULT_STYLE)).toBe('\x1b[m');
    expect(sgrFor(cell.DEFAULT_STYLE)).toBe('\x1b[0m');
  });

  it('turns bold off and keeps dim, since 22 ends both', () => {
    const both: cell.CellStyle = { fg: cell.FG_BOLD, bg: cell.BG_DIM };
    const dim: cell.CellStyle = { fg: 0, bg: cell.BG_DIM };
    expect(drawn(sgrFor(both), sgrDiff(both, dim))).toEqual({ ...dim, extension: undefined });
  });

  it('is reduced to what the terminal has', () => {
    const to: cell.CellStyle = {
      fg: (cell.COLOR_RGB | 0xff0000 | cell.FG_UNDERLINE) >>> 0,
      bg: cell.COLOR_PALETTE256 | 21,
      extension: { underlineStyle: 3, underlineColor: cell.COLOR_RGB | 0x00ff00, link: undefined },
    };
    expect(sgrFor(to, { colors: 256, styledUnderlines: false })).toBe('\x1b[0;4;38;5;196;48;5;21m');
    expect(sgrFor(to, { colors: 16, styledUnderlines: false })).toBe('\x1b[0;4;91;44m');
    expect(sgrFor(to)).toBe('\x1b[0;4:3;38;2;255;0;0;48;5;21;58:2::0:255:0m');
    expect(underlineStyleOf(to, false)).toBe(1);
    expect(underlineStyleOf(to, true)).toBe(3);
  });
});

describe('colours', () => {
  it('of the palette reduce to themselves', () => {
    for (let index = 16; index < 256; index++) {
      const reduced = reduceColor(cell.COLOR_RGB | paletteColor(index), 256);
      expect(paletteColor(reduced & 0xff)).toBe(paletteColor(index));
    }
    for (let index = 0; index < 16; index++) {
      expect(reduceColor(cell.COLOR_PALETTE256 | index, 16)).toBe(cell.COLOR_PALETTE16 | index);
    }
  });

  it('reduce to the nearest of the palette', () => {
    const distance = (a: number, b: number) =>
      [16, 8, 0].reduce((sum, shift) => sum + (((a >> shift) & 0xff) - ((b >> shift) & 0xff)) ** 2, 0);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffffff }), (rgb) => {
        const found = distance(paletteColor(reduceColor(cell.COLOR_RGB | rgb, 256) & 0xff), rgb);
        let best = Number.POSITIVE_INFINITY;
        for (let index = 16; index < 256; index++) best = Math.min(best, distance(paletteColor(index), rgb));
        // A grey is compared by its average only.
        expect(found).toBeLessThanOrEqual(best * 1.5 + 64);
      }),
    );
  });
});
