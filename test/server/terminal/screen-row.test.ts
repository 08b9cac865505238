import { describe, expect, it } from 'vitest';
import { blankRow, COLOR_PALETTE16, cellStyle, cellText, rowText } from '../../../protocol/cell.ts';
import { startEmulator } from './terminal-support.ts';

describe('a copied row', () => {
  it('may be wider or narrower than the screen; a wide character that is cut is blank', () => {
    const terminal = startEmulator(6, 1);
    terminal.write('ab日e\u0301');
    const texts = [2, 3, 4, 6, 9].map((cols) => {
      const row = blankRow(cols);
      terminal.emulator.screenRow(0, row);
      return rowText(row);
    });
    expect(texts).toEqual(['ab', 'ab ', 'ab日', 'ab日e\u0301 ', 'ab日e\u0301    ']);
  });

  it('holds nothing of what the row held before', () => {
    const terminal = startEmulator(6, 2);
    terminal.write('e\u0301\x1b[4:3mx\x1b[m\r\nplain');
    const row = blankRow(6);
    terminal.emulator.screenRow(0, row);
    expect([row.clusters?.size, row.extended?.size]).toEqual([1, 1]);
    terminal.emulator.screenRow(1, row);
    expect([row.clusters?.size ?? 0, row.extended?.size ?? 0]).toEqual([0, 0]);
    expect(rowText(row)).toBe('plain ');
  });

  it('beyond the screen is blank', () => {
    const terminal = startEmulator(3, 1);
    terminal.write('abc');
    const row = blankRow(3);
    for (const y of [-1, 1, 99]) {
      terminal.emulator.screenRow(y, row);
      expect(rowText(row)).toBe('   ');
    }
    terminal.emulator.historyRow(0, row);
    expect(rowText(row)).toBe('   ');
  });

  it('has one form for a look: no bits of an earlier colour, no extension for a plain underline', () => {
    const terminal = startEmulator(6, 1);
    terminal.write('\x1b[38;2;200;100;50m\x1b[31ma\x1b[4mb\x1b[58;5;3mc\x1b[24md');
    const row = blankRow(6);
    terminal.emulator.screenRow(0, row);
    expect(cellStyle(row, 0).fg).toBe(COLOR_PALETTE16 | 1);
    expect(cellStyle(row, 1).extension).toBeUndefined();
    expect(cellStyle(row, 2).extension).toMatchObject({ underlineStyle: 1 });
    expect(cellStyle(row, 3).extension).toBeUndefined();
    expect(cellText(row, 3)).toBe('d');
  });
});
