import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blankRow, rowText } from '../../../protocol/cell.ts';
import { sameRow } from '../../../protocol/scroll.ts';
import { captureText } from '../../../server/terminal/capture.ts';
import { viewOf } from '../../../server/terminal/history.ts';
import { writeLastRow } from '../../../server/terminal/own-lines.ts';
import { SYNC_MAX_MS } from '../../../server/terminal/terminal-modes.ts';
import { type Harness, startEmulator } from './terminal-support.ts';

/** All text, history and screen, wrapped lines joined and blank lines at the end left out. */
function allText(terminal: Harness): string {
  const view = viewOf(terminal.emulator);
  return captureText(view, { first: 0, last: view.length - 1 }, { join: true }).replace(/\n+$/, '');
}

/** The character under the cursor. */
function underCursor(terminal: Harness): string {
  const { x, y } = terminal.emulator.cursor;
  const row = blankRow(terminal.emulator.size.cols);
  terminal.emulator.screenRow(y, row);
  return rowText(row).slice(x, x + 1);
}

describe('writing', () => {
  it('is on the screen when the call returns', () => {
    const terminal = startEmulator(10, 2);
    terminal.write('héllo');
    expect(terminal.lines()).toEqual(['héllo', '']);
    expect(terminal.emulator.cursor).toMatchObject({ x: 5, y: 0, visible: true, shape: 'default' });
  });

  it('tells when the next character wraps', () => {
    const terminal = startEmulator(3, 2);
    terminal.write('abc');
    expect(terminal.emulator.isWrapPending).toBe(true);
    expect(terminal.emulator.cursor.x).toBe(2);
    terminal.write('d');
    expect(terminal.emulator.isWrapPending).toBe(false);
    expect(terminal.emulator.rowIsWrapped(1)).toBe(true);
  });

  it('after dispose does nothing', () => {
    const terminal = startEmulator(3, 2);
    terminal.emulator.dispose();
    terminal.write('abc');
    expect(terminal.failures).toEqual([]);
  });
});

describe('rows that changed', () => {
  const changedSince = ({ emulator }: ReturnType<typeof startEmulator>, since: number): number[] =>
    Array.from({ length: emulator.size.rows }, (_, y) => y).filter((y) => emulator.stamps.hasChanged(y, since));

  it('are those that were written to', () => {
    const terminal = startEmulator(10, 6);
    expect(changedSince(terminal, 0)).toEqual([0, 1, 2, 3, 4, 5]);
    const { stamp } = terminal.emulator.stamps;
    expect(changedSince(terminal, stamp)).toEqual([]);
    terminal.write('\x1b[3;1Hx\x1b[5;1Hy');
    expect(changedSince(terminal, stamp)).toEqual(expect.arrayContaining([2, 4]));
    expect(changedSince(terminal, stamp)).not.toContain(5);
  });

  it('are all when the screen moves up, and when the buffer or the size changes', () => {
    const terminal = startEmulator(10, 3);
    for (const change of [
      () => terminal.write('1\r\n2\r\n3\r\n4\r\n5'),
      () => terminal.write('\x1b[?1049h'),
      () => terminal.write('\x1b[?1049l'),
      () => terminal.emulator.resize({ cols: 11, rows: 3 }),
      () => terminal.write('\x1bc'),
      () => terminal.emulator.reset(),
    ]) {
      const { stamp } = terminal.emulator.stamps;
      change();
      expect(changedSince(terminal, stamp)).toEqual([0, 1, 2]);
    }
  });

  it('have stamps by which several viewers know what to draw again', () => {
    const pieces = fc.constantFrom(
      ...['a', '\r\n', '\n', '\x1b[2;1H', '\x1b[4;3H', '\x1b[K', '\x1b[1K', '\x1b[J', '\x1b[1J', '\x1b[2J', '\x1b[3J'],
      ...[
        '\x1b[2L',
        '\x1b[M',
        '\x1b[S',
        '\x1b[2T',
        '\x1bM',
        '\x1bD',
        '\x1bE',
        '\x1b[P',
        '\x1b[@',
        '\x1b[2X',
        '\x1b[3b',
      ],
      ...[
        '日',
        'e\u0301',
        '\x1b[2;4r',
        '\x1b[r',
        '\x1b#8',
        '\x1b[31;44m',
        '\x1b[m',
        '\x1b[4:3m',
        '\x1b[?1049h',
        '\x1b[?1049l',
      ],
      ...[
        '\x1b[?6h',
        '\x1b[?7l',
        '\x1b[4h',
        '\x1b7',
        '\x1b8',
        '\x1bc',
        '\x1b[!p',
        '\t',
        '\b',
        '\x1b[Z',
        '\x1b[2"q',
        '\x1b[?2J',
      ],
      ...[
        '\x1b]4;1;#123456\x07',
        '\x1b]11;#abcdef\x07',
        '\x1b]104\x07',
        '\x1b]8;;http://a\x07',
        "\x1b[2'}",
        "\x1b[2'~",
        '\x1b[2 @',
      ],
      ...['\x1b[2 A', '\x1b[?5h', 'xxxxxxxxxxxx', '\x1b[2;3H\x1b[X\x1bM', '\n\x1b[X\x1bM'],
    );
    const step = fc.record({
      text: fc.array(pieces, { maxLength: 4 }).map((parts) => parts.join('')),
      looks: fc.boolean(),
    });
    const rowsOf = (terminal: ReturnType<typeof startEmulator>) =>
      Array.from({ length: 5 }, (_, y) => {
        const row = blankRow(8);
        terminal.emulator.screenRow(y, row);
        return row;
      });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const terminal = startEmulator(8, 5);
        let stamp = terminal.emulator.stamps.stamp;
        let seen = rowsOf(terminal);
        for (const { text, looks } of steps) {
          terminal.write(text);
          if (!looks) continue;
          const { stamps } = terminal.emulator;
          const now = rowsOf(terminal);
          const missed = now.flatMap((row, y) =>
            sameRow(row, seen[y]!) || (stamps.stamp !== stamp && stamps.hasChanged(y, stamp)) ? [] : [y],
          );
          expect(missed).toEqual([]);
          [stamp, seen] = [stamps.stamp, now];
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('modes', () => {
  it('are those that the program set', () => {
    const terminal = startEmulator(10, 3);
    expect(terminal.emulator.modes).toEqual({
      appCursor: false,
      appKeypad: false,
      bracketedPaste: false,
      focusEvents: false,
      mouseTracking: 'off',
      mouseEncoding: 'default',
      alternateScreen: false,
      alternateScroll: false,
      synchronizedOutput: false,
      insert: false,
      wrap: true,
      origin: false,
      modifyOtherKeys: 0,
      keyFlags: 0,
      themeReports: false,
    });
    terminal.write('\x1b[?1;6;1002;1004;1006;1007;1049;2004;2026h\x1b[?7l\x1b[4h\x1b=\x1b[>4;2m');
    expect(terminal.emulator.modes).toEqual({
      appCursor: true,
      appKeypad: true,
      bracketedPaste: true,
      focusEvents: true,
      mouseTracking: 'drag',
      mouseEncoding: 'sgr',
      alternateScreen: true,
      alternateScroll: true,
      synchronizedOutput: true,
      insert: true,
      wrap: false,
      origin: true,
      modifyOtherKeys: 2,
      keyFlags: 0,
      themeReports: false,
    });
    terminal.write('\x1bc');
    expect(terminal.emulator.modes).toEqual(startEmulator(10, 3).emulator.modes);
  });

  it.each([
    ['\x1b[?9h', 'x10', 'default'],
    ['\x1b[?1000h\x1b[?1005h', 'click', 'utf8'],
    ['\x1b[?1003h\x1b[?1015h', 'motion', 'urxvt'],
    ['\x1b[?1003h\x1b[?1006h\x1b[?1006l', 'motion', 'default'],
    ['\x1b[?1003h\x1b[?1003l', 'off', 'default'],
  ])('of the mouse: %j', (output, tracking, encoding) => {
    const terminal = startEmulator(10, 3);
    terminal.write(output);
    expect(terminal.emulator.modes).toMatchObject({ mouseTracking: tracking, mouseEncoding: encoding });
  });

  it.each([
    ['\x1b[>4;1m', 1],
    ['\x1b[>4;2m\x1b[>4m', 0],
    ['\x1b[>4;2m\x1b[>4n', 0],
    ['\x1b[>4;3m', 0],
    ['\x1b[>1;2m', 0],
  ])('of other keys: %j', (output, level) => {
    const terminal = startEmulator(10, 3);
    terminal.write(output);
    expect(terminal.emulator.modes.modifyOtherKeys).toBe(level);
  });

  it.each([
    ['\x1b[0 q', 'default', false],
    ['\x1b[1 q', 'block', true],
    ['\x1b[4 q', 'underline', false],
    ['\x1b[5 q', 'bar', true],
    ['\x1b[?12h', 'default', true],
    ['\x1b[?12h\x1b[6 q', 'bar', false],
    ['\x1b[?12h\x1b[?12l', 'default', false],
  ])('of the cursor: %j', (output, shape, blink) => {
    const terminal = startEmulator(10, 3);
    terminal.write(output);
    expect(terminal.emulator.cursor).toMatchObject({ shape, blink });
  });

  it('of a synchronised update end after a second, however often it is begun again', () => {
    const terminal = startEmulator(10, 3);
    expect(terminal.emulator.nextExpiry()).toBeUndefined();
    terminal.write('\x1b[?2026h');
    terminal.clock.now += SYNC_MAX_MS - 1;
    terminal.write('shown in the model\x1b[?2026h');
    terminal.emulator.expire();
    expect(terminal.emulator.modes.synchronizedOutput).toBe(true);
    expect(terminal.emulator.nextExpiry()).toBe(1);
    expect(terminal.lines()[0]).toBe('shown in t');
    terminal.clock.now += 1;
    terminal.emulator.expire();
    expect(terminal.emulator.modes.synchronizedOutput).toBe(false);
    expect(terminal.emulator.nextExpiry()).toBeUndefined();
  });
});

describe('history', () => {
  it('keeps lines in order and drops the oldest', () => {
    const terminal = startEmulator(10, 2, { scrollback: 3 });
    terminal.write(Array.from({ length: 10 }, (_, i) => `line ${i}`).join('\r\n'));
    expect(terminal.history()).toEqual(['line 5', 'line 6', 'line 7']);
    expect(terminal.emulator.historyTrimmed).toBe(5);
  });

  it('gets what scrolls out of any region and what a whole erase removes, as in tmux', () => {
    const terminal = startEmulator(10, 6);
    terminal.write('1\r\n2\r\n3\r\n4\r\n5\r\n6\x1b[2;4r\x1b[2S');
    expect(terminal.history()).toEqual(['2', '3']);
    expect(terminal.lines()).toEqual(['1', '4', '', '', '5', '6']);
    terminal.write('\x1b[r\x1b[2J');
    expect(terminal.history()).toEqual(['2', '3', '1', '4', '', '', '5', '6']);
    terminal.write('\x1b[Hagain\x1b[H\x1b[J');
    expect(terminal.history().at(-1)).toBe('again');
  });

  it('of the alternate screen is none', () => {
    const terminal = startEmulator(10, 2);
    terminal.write('\x1b[?1049h1\r\n2\r\n3\r\n4\x1b[2J');
    expect(terminal.emulator.historyLength).toBe(0);
  });

  it('is cleared by CSI 3 J and by hand, and its limit can change', () => {
    const terminal = startEmulator(10, 2);
    terminal.write('1\r\n2\r\n3\r\n4\x1b[3J');
    expect(terminal.history()).toEqual([]);
    expect(terminal.lines()).toEqual(['3', '4']);
    terminal.write('\r\n5\r\n6');
    terminal.emulator.clearHistory();
    expect(terminal.history()).toEqual([]);
    terminal.write('\r\n7\r\n8\r\n9');
    terminal.emulator.setScrollback(1);
    expect(terminal.history()).toEqual(['7']);
    expect(terminal.lines()).toEqual(['8', '9']);
  });

  it('survives ED 1 at the last cell, which erases the screen in place', () => {
    const terminal = startEmulator(10, 3);
    terminal.write('a\r\nb\r\nc\r\nd\r\ne');
    // Packed, as it is in a pane that was quiet.
    expect(terminal.emulator.historyBytes).toBeGreaterThan(0);
    terminal.write('\x1b[3;10H\x1b[1J');
    expect(terminal.emulator.historyLength).toBe(2);
    expect(allText(terminal)).toBe('a\nb');
  });

  it('survives RIS, which sends the screen there', () => {
    const terminal = startEmulator(10, 3);
    terminal.write('1\r\n2\r\n3\r\n4\x1b[31m\x1b[?25l\x1bc');
    expect(terminal.history()).toEqual(['1', '2', '3', '4']);
    expect(terminal.lines()).toEqual(['', '', '']);
    expect(terminal.emulator.cursor).toMatchObject({ x: 0, y: 0, visible: true });
    terminal.write('new\r\n1\r\n2\r\n3');
    expect(terminal.history().at(-1)).toBe('new');
  });

  it('names lines by what was dropped: index plus dropped stays', () => {
    const terminal = startEmulator(10, 2, { scrollback: 4 });
    for (let i = 0; i < 20; i++) {
      terminal.write(`${i}\r\n`);
      terminal.history().forEach((line, index) => {
        expect(Number(line)).toBe(index + terminal.emulator.historyTrimmed);
      });
    }
  });
});

describe('saving the cursor', () => {
  it('is for a place on the screen, whatever scrolls', () => {
    const terminal = startEmulator(10, 4);
    terminal.write('\x1b[3;5H\x1b7\x1b[4;1H\n\n\n\x1b8X');
    expect(terminal.lines()[2]).toBe('    X');
  });
});

describe('resizing', () => {
  it('keeps the text of the cursor’s line and the cursor on its character', () => {
    const terminal = startEmulator(10, 3);
    terminal.write('ABCDEFGHI\x1b[1;4H');
    terminal.emulator.resize({ cols: 5, rows: 3 });
    expect(terminal.lines()).toEqual(['ABCDE', 'FGHI', '']);
    expect(underCursor(terminal)).toBe('D');
    terminal.emulator.resize({ cols: 10, rows: 3 });
    expect(terminal.lines()).toEqual(['ABCDEFGHI', '', '']);
    expect(underCursor(terminal)).toBe('D');
  });

  it('keeps the cursor behind the prompt', () => {
    const terminal = startEmulator(20, 4);
    terminal.write('some long output of twenty and more columns\r\n$ ');
    terminal.emulator.resize({ cols: 7, rows: 4 });
    terminal.write('ls');
    expect(terminal.lines().at(terminal.emulator.cursor.y)).toBe('$ ls');
    terminal.emulator.resize({ cols: 40, rows: 4 });
    expect(terminal.lines().at(terminal.emulator.cursor.y)).toBe('$ ls');
  });

  it('goes down to one column and one row and up again', () => {
    const terminal = startEmulator(10, 3);
    terminal.write('ab日本\r\nxyz');
    for (const [cols, rows] of [
      [1, 1],
      [2, 1],
      [80, 1],
      [1, 50],
      [1000, 500],
      [10, 3],
    ] as const) {
      terminal.emulator.resize({ cols, rows });
      expect(terminal.emulator.size).toEqual({ cols, rows });
      expect(terminal.lines()).toHaveLength(rows);
    }
    expect(allText(terminal)).toBe('ab日本\nxyz');
  });

  it('brings back what scrolled off when it gets higher, as tmux, but not what was cleared', () => {
    const terminal = startEmulator(10, 3);
    terminal.write('1\r\n2\r\n3\r\n4\r\n5\x1b[1;1H');
    terminal.emulator.resize({ cols: 10, rows: 5 });
    expect(terminal.lines()).toEqual(['1', '2', '3', '4', '5']);
    expect(terminal.emulator.cursor).toMatchObject({ x: 0, y: 2 });
    terminal.write('\x1b[2J\x1b[H$');
    terminal.emulator.resize({ cols: 10, rows: 7 });
    expect(terminal.lines()).toEqual(['$', '', '', '', '', '', '']);
    expect(terminal.history()).toEqual(['1', '2', '3', '4', '5']);
  });

  it('takes the room of blank rows below the cursor before text leaves the screen', () => {
    const terminal = startEmulator(10, 4);
    terminal.write('abcdefghij\r\n$ ');
    terminal.emulator.resize({ cols: 5, rows: 4 });
    expect(terminal.lines()).toEqual(['abcde', 'fghij', '$', '']);
    expect(terminal.history()).toEqual([]);
    terminal.emulator.resize({ cols: 5, rows: 2 });
    expect(terminal.lines()).toEqual(['fghij', '$']);
    expect(terminal.history()).toEqual(['abcde']);
  });

  it('keeps text below the cursor when it gets narrower', () => {
    const terminal = startEmulator(10, 3);
    terminal.write('abcdefghij\r\nABCDEFGHIJ\r\n0123456789\x1b[1;4H');
    terminal.emulator.resize({ cols: 5, rows: 3 });
    expect([...terminal.history(), ...terminal.lines()].join('')).toBe('abcdefghijABCDEFGHIJ0123456789');
    expect(terminal.emulator.cursor).toMatchObject({ x: 0, y: 0 });
  });

  it('clamps what is no size', () => {
    const terminal = startEmulator(10, 3);
    terminal.emulator.resize({ cols: 0, rows: Number.NaN });
    expect(terminal.emulator.size).toEqual({ cols: 1, rows: 1 });
    terminal.emulator.resize({ cols: 65535, rows: 65535 });
    expect(terminal.emulator.size).toEqual({ cols: 1000, rows: 500 });
  });

  it('loses no text, however it goes', () => {
    const line = fc.oneof(
      fc.stringMatching(/^[a-z ]{0,30}[a-z]$/),
      fc.constantFrom('', '日本語テキスト', 'e\u0301e\u0301', 'x'.repeat(40)),
    );
    const sizes = fc.array(
      fc.record({ cols: fc.integer({ min: 2, max: 40 }), rows: fc.integer({ min: 1, max: 12 }) }),
      { minLength: 1, maxLength: 6 },
    );
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 8 }), sizes, (lines, steps) => {
        const terminal = startEmulator(12, 5, { scrollback: 1000 });
        terminal.write(`${lines.join('\r\n')}!`);
        const before = allText(terminal);
        for (const size of steps) {
          terminal.emulator.resize(size);
          expect(allText(terminal)).toBe(before);
          const { x, y } = terminal.emulator.cursor;
          expect(x < size.cols && y < size.rows).toBe(true);
        }
        terminal.write('?');
        expect(allText(terminal)).toBe(`${before}?`);
        expect(terminal.failures).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('on the alternate screen keeps the normal one’s text and cursor', () => {
    const terminal = startEmulator(10, 3);
    terminal.write('ABCDEFGHI\x1b[?1049h\x1b[Hfull');
    terminal.emulator.resize({ cols: 5, rows: 3 });
    terminal.emulator.resize({ cols: 10, rows: 3 });
    terminal.write('\x1b[?1049lJ');
    expect(terminal.lines()[0]).toBe('ABCDEFGHIJ');
  });
});

describe('a fault inside', () => {
  it('resets this terminal only, and it goes on', () => {
    const terminal = startEmulator(10, 3);
    const other = startEmulator(10, 3);
    other.write('other');
    // Stands for a bug of the emulator's.
    const original = Uint32Array.prototype.set;
    Uint32Array.prototype.set = () => {
      throw new Error('fault');
    };
    try {
      terminal.write('x\r\n\x1b[2J\x1b[K');
    } finally {
      Uint32Array.prototype.set = original;
    }
    expect(terminal.failures).toHaveLength(1);
    terminal.write('OK');
    expect(terminal.lines()[0]).toBe('OK');
    expect(other.lines()[0]).toBe('other');
  });
});

describe('a line of our own', () => {
  it('stands in the last row, the rest moved up, even in the middle of a string', () => {
    const terminal = startEmulator(20, 3);
    terminal.write('1\r\n2\r\n3\x1b]2;never ends');
    writeLastRow(terminal.emulator, 'Pane is dead');
    expect(terminal.lines()).toEqual(['2', '3', 'Pane is dead']);
    expect(terminal.history()).toEqual(['1']);
    expect(terminal.emulator.cursor.visible).toBe(false);
  });
});

describe('unfinished sequences', () => {
  it('can be asked for', () => {
    const terminal = startEmulator(20, 3);
    const pending = () => Buffer.from(terminal.emulator.pendingBytes).toString();
    terminal.write('ab\x1b[');
    expect(pending()).toBe('\x1b[');
    terminal.write('1;');
    expect(pending()).toBe('\x1b[1;');
    terminal.write('1H');
    expect(pending()).toBe('');
  });
});

describe('trimming below the cursor', () => {
  it('shows history in place of the rows below, as resize-pane -T', () => {
    const terminal = startEmulator(10, 4);
    terminal.write('1\r\n2\r\n3\r\n4\r\n5\r\n6\x1b[2;1H');
    terminal.emulator.trimBelowCursor();
    expect(terminal.lines()).toEqual(['1', '2', '3', '4']);
    expect(terminal.emulator.cursor).toMatchObject({ x: 0, y: 3 });
    expect(terminal.history()).toEqual([]);
    terminal.emulator.trimBelowCursor();
    terminal.write('\x1b[1;1H');
    terminal.emulator.trimBelowCursor();
    expect(terminal.lines()).toEqual(['1', '2', '3', '4']);
  });
});
