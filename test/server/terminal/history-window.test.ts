import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BLANK_CONTENT, blankRow, CELL_WORDS, cellText } from '../../../protocol/cell.ts';
import { captureRange, captureText } from '../../../server/terminal/capture.ts';
import type { Emulator } from '../../../server/terminal/emulator.ts';
import { type GridView, viewOf } from '../../../server/terminal/history.ts';
import { HistoryBudget } from '../../../server/terminal/history-budget.ts';
import { ALL_WINDOWS_BYTES, WINDOW_LINES, windowsBytes } from '../../../server/terminal/history-window.ts';
import { startEmulator } from './terminal-support.ts';

/** The lines of a view as they were printed, rows that go on joined; blank ones left out. */
function printedLines(view: GridView): string[] {
  const lines: string[] = [];
  const row = blankRow(view.cols);
  let isCut = false;
  for (let index = 0; index < view.length; index++) {
    view.row(index, row);
    const cells = Array.from({ length: view.cols }, (_, x) => cellText(row, x));
    const startsWide = view.cols > 1 && row.words[CELL_WORDS] === 0;
    if (view.isWrapped(index) && lines.length > 0) {
      const before = lines.pop()!;
      lines.push((isCut && startsWide ? before.slice(0, -1) : before) + cells.join(''));
    } else lines.push(cells.join(''));
    isCut = row.words[(view.cols - 1) * CELL_WORDS] === BLANK_CONTENT;
  }
  return lines.map((line) => line.trimEnd()).filter((line) => line !== '');
}

/** Whether `read` are the newest of the lines; the first may have lost its beginning. */
function expectNewest(read: readonly string[], printed: readonly string[]): void {
  const rest = printed.slice(printed.length - read.length);
  expect(read.slice(1)).toEqual(rest.slice(1));
  if (read.length > 0) expect(rest[0]!.endsWith(read[0]!.trimStart())).toBe(true);
}

function finishTidying(emulator: Emulator): void {
  while (emulator.tidy());
}

const word = fc.oneof(
  fc.stringMatching(/^[a-z]{1,12}$/),
  fc.constantFrom('日本語テキスト', '한', 'e\u0301', '👍🏽', 'naïve', '\x1b[31mred\x1b[m', '\x1b[44mblue', '─'),
);
const line = fc.oneof(
  fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => words.join(' ')),
  fc.integer({ min: 100, max: 2000 }).map((length) => 'abcdefghij'.repeat(length / 10)),
  fc.integer({ min: 30, max: 300 }).map((length) => `${'日本x'.repeat(length)}`),
);
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('print' as const),
      lines: fc.array(line, { minLength: 1, maxLength: 6 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('resize' as const),
      cols: fc.integer({ min: 2, max: 300 }),
      rows: fc.integer({ min: 1, max: 100 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('tidy' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('clear' as const) }) },
);

function withoutStyles(text: string): string {
  return text.replaceAll(/\x1b\[\d*m/g, '');
}

describe('history and screen', () => {
  it('give the lines that were printed, whatever happens between', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 14 }), fc.constantFrom(15, 200, 100_000), (steps, scrollback) => {
        const { emulator, write, failures } = startEmulator(80, 24, { scrollback });
        const view = viewOf(emulator);
        let printed: string[] = [];
        for (const one of steps) {
          if (one.kind === 'print') {
            for (const text of one.lines) {
              write(`${text}\x1b[m\r\n`);
              printed.push(withoutStyles(text));
            }
          } else if (one.kind === 'resize') emulator.resize(one);
          else if (one.kind === 'tidy') finishTidying(emulator);
          else {
            emulator.clearHistory();
            const kept = printedLines(view);
            expectNewest(kept, printed);
            printed = kept;
          }
          const read = printedLines(view);
          expectNewest(read, printed);
          if (emulator.historyTrimmed === 0) expect(read).toEqual(printed);
          // A narrower screen has more rows of the same text: as in tmux, the limit counts when the next ones come.
          if (one.kind === 'print') expect(emulator.historyLength).toBeLessThanOrEqual(scrollback);
        }
        expect(failures).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('share one line that begins in the packed part and ends on the screen, at every width', () => {
    const text = Array.from({ length: 300 }, (_, i) => `${i}日`).join('');
    const { emulator, write } = startEmulator(40, 5, { scrollback: 10_000 });
    write(`before\r\n${text}`);
    finishTidying(emulator);
    for (const cols of [2, 3, 7, 40, 41, 99, 300, 80, 17]) {
      emulator.resize({ cols, rows: 5 });
      expect(printedLines(viewOf(emulator))).toEqual(['before', text]);
      write('!\x1b[D\x1b[K');
    }
  });

  it('lose nothing when one write scrolls thousands of rows off', () => {
    const { emulator } = startEmulator(10, 3, { scrollback: 50_000 });
    const count = 4 * WINDOW_LINES + 17;
    emulator.write(Buffer.from(Array.from({ length: count }, (_, i) => `${i}`).join('\r\n')));
    expect(emulator.historyLength).toBe(count - 3);
    const expected = `${Array.from({ length: count }, (_, i) => i).join('\n')}\n`;
    const view = viewOf(emulator);
    expect(captureText(view, captureRange(view, '-', '-'))).toBe(expected);
    finishTidying(emulator);
    expect(captureText(view, captureRange(view, '-', '-'))).toBe(expected);
  });

  it('are the same before and after tidying: colours, links, clusters, wrapping', () => {
    const { emulator, write } = startEmulator(20, 3, { scrollback: 1000 });
    write('\x1b[4:3;58:5:9mcurly\x1b[m \x1b]8;;https://example.org/\x1b\\link\x1b]8;;\x1b\\ 👨‍👩‍👧\r\n');
    write(`\x1b[38;2;1;2;3;48;5;7m${'wrapped '.repeat(9)}\x1b[K\r\n\x1b[m${'\r\n'.repeat(5)}`);
    write('\x1b]4;7;#102030\x07');
    const view = viewOf(emulator);
    const all = () => captureText(view, captureRange(view, '-', '-'), { styles: true, join: true });
    const before = all();
    finishTidying(emulator);
    expect(all()).toBe(before);
    expect(before).toContain('48;2;16;32;48');
    const row = blankRow(20);
    view.row(0, row);
    expect(row.extended?.get(6)?.link?.uri).toBe('https://example.org/');
  });

  it('keep to a limit that changes, exactly', () => {
    const { emulator, write } = startEmulator(10, 2, { scrollback: 100 });
    write(Array.from({ length: 60 }, (_, i) => `${i}`).join('\r\n'));
    finishTidying(emulator);
    emulator.setScrollback(20);
    expect(emulator.historyLength).toBe(20);
    expect(emulator.historyTrimmed).toBe(38);
    write(Array.from({ length: 15 }, (_, i) => `\r\nnew ${i}`).join(''));
    expect(emulator.historyLength).toBe(20);
    emulator.setScrollback(0);
    expect(emulator.historyLength).toBe(0);
    write('\r\n1\r\n2\r\n3');
    expect(emulator.historyLength).toBe(0);
    emulator.setScrollback(5);
    write('\r\n4\r\n5');
    expect(emulator.historyLength).toBe(2);
  });

  it('answer to a limit in bytes for all panes together', () => {
    const budget = new HistoryBudget();
    budget.limitBytes = 100_000;
    const losses = { loud: 0, quiet: 0 };
    const options = (name: 'loud' | 'quiet') => ({
      scrollback: 1_000_000,
      budget: budget.share(() => {
        losses[name]++;
      }),
    });
    const [loud, quiet] = [startEmulator(80, 5, options('loud')), startEmulator(80, 5, options('quiet'))];
    const many = Array.from({ length: 2000 }, (_, i) => `${i} ${Math.imul(i + 1, 2654435761)}`).join('\r\n');
    quiet.write('kept\r\n'.repeat(10));
    for (let i = 0; i < 40; i++) loud.write(`${many}\r\n`);
    finishTidying(loud.emulator);
    expect(budget.bytes).toBeLessThanOrEqual(100_000);
    expect(loud.emulator.historyTrimmed).toBeGreaterThan(0);
    expect(loud.history().at(-1)).toMatch(/^199\d /);
    finishTidying(quiet.emulator);
    expect(quiet.history()).toHaveLength(6);
    expect(losses).toEqual({ loud: expect.any(Number), quiet: 0 });
    expect(losses.loud).toBeGreaterThan(0);
    loud.emulator.dispose();
    quiet.emulator.dispose();
    expect(budget.bytes).toBe(0);
  });
});

describe('the windows of many panes', () => {
  it('hold a bounded number of bytes together, and no line is lost for that', () => {
    const panes = Array.from({ length: 12 }, () => startEmulator(200, 5, { scrollback: 5000 }));
    const count = 1800;
    const text = Array.from({ length: count }, (_, n) => `line ${n}\r\n`).join('');
    const before = windowsBytes();
    for (const { write } of panes) write(text);
    const batch = 256 * 200 * CELL_WORDS * 4;
    expect(windowsBytes() - before).toBeLessThanOrEqual(ALL_WINDOWS_BYTES + panes.length * batch);
    for (const { emulator, history } of panes) {
      expect(history().slice(0, 2)).toEqual(['line 0', 'line 1']);
      expect(history()).toHaveLength(count - 4);
      emulator.dispose();
    }
    expect(windowsBytes()).toBe(before);
  });
});
