import { describe, expect, it } from 'vitest';
import { startEmulator } from './terminal-support.ts';

function cursorAfter(text: string): string {
  const { emulator, write } = startEmulator(20, 8);
  write(text);
  const { x, y } = emulator.cursor;
  return `${x},${y}`;
}

describe('the cursor moves in origin mode', () => {
  const start = '\x1b[3;6r\x1b[?6h\x1b[2;10H';
  it.each([
    ['stands where it was put', '', '9,3'],
    ['up one row', '\x1b[A', '9,2'],
    ['up to the top of the region', '\x1b[99A', '9,2'],
    ['down one row', '\x1b[B', '9,4'],
    ['down to the bottom of the region', '\x1b[99B', '9,5'],
    ['to the line before', '\x1b[F', '0,2'],
    ['to the next line', '\x1b[E', '0,4'],
    ['to a column', '\x1b[5G', '4,3'],
    ['to a column by HPA', '\x1b[5`', '4,3'],
    ['left and right', '\x1b[2D\x1b[C', '8,3'],
  ])('%s', (_title, move, place) => {
    expect(cursorAfter(start + move)).toBe(place);
  });

  it('to a column from behind the last one', () => {
    expect(cursorAfter(`${'x'.repeat(20)}\x1b[5G`)).toBe('4,0');
  });
});

describe('DECALN', () => {
  it('fills the screen with E without colours, clears the margins and goes home', () => {
    const { emulator, write, lines } = startEmulator(4, 3);
    write('\x1b[2;3r\x1b[?6h\x1b[44m\x1b#8');
    expect(lines()).toEqual(['EEEE', 'EEEE', 'EEEE']);
    expect(emulator.cursor).toMatchObject({ x: 0, y: 0 });
    expect(emulator.scrollRegion).toEqual({ top: 0, bottom: 2 });
  });
});

describe('inserting and deleting lines', () => {
  it.each(['\x1b[L', '\x1b[2M'])('%j leaves the cursor in its column, as in tmux', (lines) => {
    expect(cursorAfter(`\x1b[3;8H${lines}`)).toBe('7,2');
  });
});

describe('the cursor of the normal screen', () => {
  it('waits where it was while the alternate screen is used', () => {
    const { emulator, write } = startEmulator(20, 8);
    expect(emulator.normalCursor).toBeUndefined();
    write('abc\x1b[?1049h\x1b[5;5H');
    expect(emulator.normalCursor).toEqual({ x: 3, y: 0 });
  });
});
