import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blankRow, COLOR_RGB, rowText } from '../../../protocol/cell.ts';
import { FrozenGrid } from '../../../server/mode/frozen-grid.ts';
import { viewOf } from '../../../server/terminal/history.ts';
import { startEmulator } from '../terminal/terminal-support.ts';

function linesOf(grid: { cols: number; length: number; row: FrozenGrid['row'] }): string[] {
  const row = blankRow(grid.cols);
  return Array.from({ length: grid.length }, (_, index) => {
    grid.row(index, row);
    return rowText(row).trimEnd();
  });
}

/** Text with wide characters and emoji, long enough to be wrapped. */
const text = fc.array(fc.constantFrom('a', 'b ', ' ', '日', '👍🏽', 'é', 'word', '\r\n'), { maxLength: 120 });

describe('a frozen grid', () => {
  it('shows what the terminal showed', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 20 }), (pieces, cols) => {
        const { emulator, write } = startEmulator(cols, 4);
        write(pieces.join(''));
        const grid = FrozenGrid.copyOf(viewOf(emulator));
        expect(linesOf(grid)).toEqual(linesOf(viewOf(emulator)));
        emulator.dispose();
      }),
      { numRuns: 60 },
    );
  });

  it('has the same text after any changes of width', () => {
    fc.assert(
      fc.property(text, fc.array(fc.integer({ min: 2, max: 30 }), { minLength: 1, maxLength: 4 }), (pieces, widths) => {
        const { emulator, write } = startEmulator(12, 4);
        write(pieces.join(''));
        let grid = FrozenGrid.copyOf(viewOf(emulator));
        emulator.dispose();
        const whole = textOf(grid);
        for (const cols of widths) {
          ({ grid } = grid.resized({ cols, rows: 4 }, { x: 0, line: 0 }));
          expect(textOf(grid)).toBe(whole);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('the colours of a frozen grid', () => {
  it('are those that the pane had then, in the history and on the screen', () => {
    const { emulator, write } = startEmulator(10, 2);
    write('\x1b]4;1;#102030\x07\x1b[31mold\r\n\r\nnew');
    while (emulator.tidy());
    const grid = FrozenGrid.copyOf(viewOf(emulator));
    write('\x1b]4;1;#ffffff\x07');
    const row = blankRow(10);
    for (const index of [0, 2]) {
      grid.row(index, row);
      expect(row.words[1]).toBe(COLOR_RGB | 0x102030);
    }
    emulator.dispose();
  });
});

/** All text, a line for each line that was not wrapped; blanks do not count, since wide characters leave some at edges. */
function textOf(grid: FrozenGrid): string {
  return linesOf(grid)
    .map((line, index) => (index > 0 && !grid.isWrapped(index) ? '\n' : '') + line.replaceAll(' ', ''))
    .join('')
    .trimEnd();
}
