import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blankRow, CELL_WORDS, type Row } from '../../../protocol/cell.ts';
import type { Emulator } from '../../../server/terminal/emulator.ts';
import { type Harness, startEmulator } from './terminal-support.ts';

/** Pieces of output that reach every part of the state. */
const PIECES = [
  'plain text ',
  'a long line that wraps around the edge of the screen. ',
  '\r\n',
  '\n\n\n',
  'ÄÖ 漢字 e\u0301 👩‍💻 ',
  '\x1b[1;31;48;5;20m',
  '\x1b[4:3;58;2;1;2;3m',
  '\x1b[0m',
  '\x1b[38;2;9;8;7m',
  '\x1b]8;id=a;https://example.org/\x1b\\link\x1b]8;;\x1b\\',
  '\x1b]8;;https://example.org/open\x1b\\',
  '\x1b[2;4r',
  '\x1b[r',
  '\x1b[3;5H',
  '\x1b7',
  '\x1b8',
  '\x1b[?1049h',
  '\x1b[?1049l',
  '\x1b[?6h',
  '\x1b[?6l',
  '\x1b[?7l',
  '\x1b[?7h',
  '\x1b[4h',
  '\x1b[4l',
  '\x1b[20h',
  '\x1b(0qqx',
  '\x1b(B',
  '\x0e',
  '\x1b)0',
  '\x0f',
  '\x1bH',
  '\x1b[3g',
  '\t',
  '\x1b[?1;25;1000;1006;2004h',
  '\x1b[?25;1002h',
  '\x1b[?25;1003l',
  '\x1b[?1004;1007;12h',
  '\x1b=',
  '\x1b[>4;2m',
  '\x1b[3 q',
  '\x1b[?2026h',
  '\x1b[?2026l',
  '\x1b]2;a title\x07',
  '\x1b[22t\x1b]2;another\x07',
  '\x1b[23t',
  '\x1b]4;1;#102030\x07',
  '\x1b]11;#405060\x07',
  '\x1b]12;#708090\x07',
  '\x1b[2J',
  '\x1b[3J',
  '\x1b[K',
  '\x1b[5P',
  '\x1b[2L',
  '\x1bM',
  '\x1bc',
  '\x1b[5b',
] as const;

const output = fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map((pieces) => pieces.join(''));

function rowsOf(count: number, cols: number, read: (index: number, into: Row) => void): object[] {
  return Array.from({ length: count }, (_, index) => {
    const row = blankRow(cols);
    read(index, row);
    return {
      words: Buffer.from(row.words.buffer).toString('hex', 0, cols * CELL_WORDS * 4),
      clusters: [...(row.clusters ?? [])],
      extended: [...(row.extended ?? [])],
    };
  });
}

/** All that can be seen of an emulator. */
function lookOf(emulator: Emulator): object {
  const { cols, rows } = emulator.size;
  return {
    size: emulator.size,
    screen: rowsOf(rows, cols, (y, into) => emulator.screenRow(y, into)),
    normal: rowsOf(rows, cols, (y, into) => emulator.normalRow(y, into)),
    history: rowsOf(emulator.historyLength, cols, (index, into) => emulator.historyRow(index, into)),
    wrapped: Array.from({ length: rows }, (_, y) => emulator.rowIsWrapped(y)),
    historyWrapped: Array.from({ length: emulator.historyLength }, (_, y) => emulator.historyIsWrapped(y)),
    cursor: emulator.cursor,
    isWrapPending: emulator.isWrapPending,
    modes: emulator.modes,
    region: emulator.scrollRegion,
    title: emulator.title,
    trimmed: emulator.historyTrimmed,
  };
}

function copyOf(from: Emulator, scrollback: number): Harness {
  const copy = startEmulator(5, 5, { scrollback });
  const screen = from.packScreen();
  copy.emulator.restore({
    history: from.historyChunks.map(({ pack }) => pack()),
    screen,
    title: from.title,
    trimmed: from.historyTrimmed,
    cutString: from.openString,
  });
  return copy;
}

describe('a terminal taken apart and put together', () => {
  it('looks the same, and goes on as if nothing had been', () => {
    fc.assert(
      fc.property(output, output, fc.constantFrom(0, 3, 50), (before, after, scrollback) => {
        const original = startEmulator(24, 6, { scrollback });
        original.write(before);
        const copy = copyOf(original.emulator, scrollback);
        expect(copy.failures).toEqual([]);
        expect(lookOf(copy.emulator)).toEqual(lookOf(original.emulator));
        original.write(after);
        copy.write(after);
        expect(lookOf(copy.emulator)).toEqual(lookOf(original.emulator));
        const size = { cols: 17, rows: 8 };
        original.emulator.resize(size);
        copy.emulator.resize(size);
        expect(lookOf(copy.emulator)).toEqual(lookOf(original.emulator));
      }),
      { numRuns: 300 },
    );
  });

  it('is at rest only between sequences and characters', () => {
    const { emulator, write } = startEmulator(10, 2);
    const rest = (bytes: Uint8Array | string) => {
      write(bytes);
      return emulator.isAtRest;
    };
    expect(rest('text')).toBe(true);
    expect(rest('\x1b[')).toBe(false);
    expect(rest('m')).toBe(true);
    expect(rest(Uint8Array.of(0xe2, 0x82))).toBe(false);
    expect(rest(Uint8Array.of(0xac))).toBe(true);
    expect(rest('\x1b]2;a')).toBe(false);
    expect(rest('\x07')).toBe(true);
  });

  it.each([
    ['\x1b]2;', '\x07'],
    ['\x1b]52;c;', '\x1b\\'],
    ['\x1bP', '\x1b\\'],
    ['\x1b_', '\x1b\\'],
  ])('ignores the rest of a string %j that it was cut in', (start, end) => {
    const original = startEmulator(20, 2);
    original.write(`shown${start}never`);
    const copy = copyOf(original.emulator, 100);
    copy.write(`ending${end} again`);
    expect(copy.lines()[0]).toBe('shown again');
  });

  it('counts what happens to it beside its output', () => {
    const { emulator, write } = startEmulator(10, 2);
    const before = emulator.revision;
    write('some\r\noutput\r\n');
    expect(emulator.revision).toBe(before);
    emulator.clearHistory();
    expect(emulator.revision).toBeGreaterThan(before);
  });

  it('refuses bytes of another version', () => {
    const { emulator } = startEmulator(10, 2);
    const screen = emulator.packScreen();
    screen[0] = 99;
    const packed = { history: [], screen, title: '', trimmed: 0, cutString: undefined };
    expect(() => startEmulator(10, 2).emulator.restore(packed)).toThrow('screen of version 99');
  });
});
