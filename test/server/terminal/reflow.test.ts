import { describe, expect, it } from 'vitest';
import { captureRange, captureText } from '../../../server/terminal/capture.ts';
import type { Emulator } from '../../../server/terminal/emulator.ts';
import { viewOf } from '../../../server/terminal/history.ts';
import { startEmulator } from './terminal-support.ts';

function joined(emulator: Emulator, end = '-'): string {
  const view = viewOf(emulator);
  return captureText(view, captureRange(view, '-', end), { join: true }).trimEnd();
}

describe('a resized screen', () => {
  it('keeps a gap in a line that is wider than the screen', () => {
    const { emulator, write } = startEmulator(40, 8);
    write('left\x1b[1;36Hright\r\nnext');
    for (const cols of [8, 3, 2, 61, 9, 40]) {
      emulator.resize({ cols, rows: 8 });
      expect(joined(emulator)).toBe(`left${' '.repeat(31)}right\nnext`);
    }
  });

  it('loses nothing below the cursor that has its place on a wider screen with fewer rows', () => {
    const { emulator, write } = startEmulator(8, 15);
    write('one two three four five six seven\r\nhere\x1b[5Gx\x1b7\r\n\r\n\r\nlast\x1b8');
    emulator.resize({ cols: 58, rows: 6 });
    expect(joined(emulator)).toBe('one two three four five six seven\nherex\n\n\nlast');
  });

  it('leaves the cursor on its character when it gets narrower and higher', () => {
    const { emulator, write } = startEmulator(44, 2);
    write('one\r\n\r\n         middle\r\x1b[11C');
    emulator.resize({ cols: 2, rows: 23 });
    expect(joined(emulator, `${emulator.cursor.y}`)).toBe('one\n\n         mid');
    expect(emulator.cursor.x).toBe(1);
    emulator.resize({ cols: 44, rows: 2 });
    expect(emulator.cursor).toMatchObject({ x: 11, y: 1 });
  });
});
