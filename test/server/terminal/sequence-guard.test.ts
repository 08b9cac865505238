import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blankRow, CELL_WORDS, cellText, cellWidth } from '../../../protocol/cell.ts';
import { countCodePoints } from '../../../protocol/clean-text.ts';
import { STRING_IDLE_MS } from '../../../server/terminal/sequence-guard.ts';
import { CLUSTER_MAX } from '../../../src/overlay/text-width.ts';
import { type Harness, startEmulator } from './terminal-support.ts';

/** CPU time of a hostile sequence may be this much, ms; unguarded ones took seconds to minutes. */
const LIMIT_MS = 50;

/** What the cost of a hostile count is held against: 64 KiB of line feeds in this process, whatever else runs. */
const LINE_FEEDS = Buffer.from('\r\n'.repeat(32_768));
/** Times that cost at most. */
const COST_MAX = 40;

function expectCheap(run: () => void): void {
  const plain = startEmulator(80, 24, { scrollback: 2000 });
  const lines = cpuMs(() => plain.write(LINE_FEEDS));
  expect(cpuMs(run) / lines).toBeLessThan(COST_MAX);
}

function cpuMs(run: () => void): number {
  const start = process.cpuUsage();
  run();
  const used = process.cpuUsage(start);
  return (used.user + used.system) / 1000;
}

/** The screen can be read, the cursor is on it, and no half of a wide character stands alone. */
function expectSound(terminal: Harness): void {
  const { emulator } = terminal;
  expect(terminal.failures).toEqual([]);
  const { cols, rows } = emulator.size;
  expect(emulator.cursor.x).toBeLessThan(cols);
  expect(emulator.cursor.y).toBeLessThan(rows);
  const row = blankRow(cols);
  for (let y = 0; y < rows; y++) {
    emulator.screenRow(y, row);
    for (let x = 0; x < cols; x++) {
      const width = cellWidth(row.words[x * CELL_WORDS] ?? 0);
      const before = x > 0 ? cellWidth(row.words[(x - 1) * CELL_WORDS] ?? 0) : 1;
      expect(width === 0).toBe(before === 2);
      expect(countCodePoints(cellText(row, x))).toBeLessThanOrEqual(CLUSTER_MAX);
    }
    expect(cellWidth(row.words[(cols - 1) * CELL_WORDS] ?? 0)).not.toBe(2);
  }
}

function expectAlive(terminal: Harness): void {
  expectSound(terminal);
  terminal.write('\x1b\\\x1bc\x1b[HOK');
  expect(terminal.lines()[0]).toBe('OK');
}

const FINALS = [
  '@',
  'A',
  'B',
  'C',
  'D',
  'E',
  'F',
  'G',
  'H',
  'I',
  'J',
  'K',
  'L',
  'M',
  'P',
  'S',
  'T',
  'X',
  'Z',
  '`',
  'a',
  'b',
  'd',
  'e',
  'f',
  'g',
  'h',
  'l',
  'm',
  'n',
  'q',
  'r',
  's',
  't',
  'u',
  ' @',
  ' A',
  "'}",
  "'~",
  ' q',
  '!p',
  '$p',
];

describe('a hostile count', () => {
  const prefixes = [
    ['in ESC [', Buffer.from('\x1b[')],
    ['in U+009B', Buffer.from([0xc2, 0x9b])],
  ] as const;
  it.each(prefixes)('%s costs no time, cut at any byte', (_name, prefix) => {
    for (const scrollback of [0, 2000]) {
      for (const final of FINALS) {
        const bytes = Buffer.concat([Buffer.from('a'), prefix, Buffer.from(`2147483647${final}`)]);
        const terminal = startEmulator(80, 24, { scrollback });
        terminal.write('line\r\n'.repeat(100));
        const used = cpuMs(() => {
          for (let cut = 1; cut < bytes.length; cut++) {
            terminal.write(bytes.subarray(0, cut));
            terminal.write(bytes.subarray(cut));
          }
        });
        expect([final, used / bytes.length < LIMIT_MS]).toEqual([final, true]);
        expectAlive(terminal);
      }
    }
  });

  it.each([
    'x\x1b[9999b',
    '\x1b[24L',
    '\x1b[24M',
    '\x1b[24S',
    '\x1b[24T',
    '\x1b[2;23r\x1b[99S',
    '\x1b[2J',
    '日\x1b[4h日\x1b[99@',
  ])('repeated over 64 KiB is not amplified: %j', (sequence) => {
    const terminal = startEmulator(80, 24, { scrollback: 2000 });
    const bytes = Buffer.from(sequence.repeat(Math.ceil(65536 / sequence.length)));
    expectCheap(() => terminal.write(bytes));
    expectAlive(terminal);
  });

  it('of REP reaches the end of the row, as in tmux', () => {
    const terminal = startEmulator(10, 3);
    terminal.write('ab\x1b[3bc\x1b[100bd');
    expect(terminal.lines()).toEqual(['abbbbccccc', 'd', '']);
    terminal.write('\x1b[H\x1b[2K日\x1b[99b');
    expect(terminal.lines()[0]).toBe('日日日日日');
  });

  it('of parameters and subparameters is bounded', () => {
    const terminal = startEmulator(80, 24);
    expectCheap(() => {
      terminal.write(`\x1b[${'1;'.repeat(100_000)}m`);
      terminal.write(`\x1b[4${':1'.repeat(100_000)}m`);
      terminal.write('\x1b[:34m\x1b[38;2m\x1b[38:2:1m\x1b[48:5m\x1b[58m');
    });
    expectAlive(terminal);
  });
});

describe('a hostile string', () => {
  const introducers = [']2;', ']8;;', ']52;c;', ']999;', ']', 'P', 'P$q', 'P+q', 'Ptmux;', '_G', '^', 'X', 'k'];

  it.each(introducers)('that never ends is not kept: ESC %s', (introducer) => {
    const terminal = startEmulator(80, 24);
    const chunk = Buffer.alloc(65536, 'A');
    terminal.write(`\x1b${introducer}`);
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < 160; i++) terminal.write(chunk);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(20e6);
    terminal.write('\x1b\\OK');
    expect(terminal.lines()[0]).toBe('OK');
    expect(terminal.replies.every((reply) => reply.length < 32)).toBe(true);
  });

  it.each(introducers)('that is not finished ends after five idle seconds: ESC %s', (introducer) => {
    const terminal = startEmulator(80, 24);
    terminal.write(`\x1b${introducer}abc`);
    expect(terminal.emulator.nextExpiry()).toBe(STRING_IDLE_MS);
    terminal.clock.now += STRING_IDLE_MS - 1;
    terminal.emulator.expire();
    terminal.write('more');
    expect(terminal.lines()[0]).toBe('');
    terminal.clock.now += STRING_IDLE_MS;
    expect(terminal.emulator.nextExpiry()).toBe(0);
    terminal.emulator.expire();
    terminal.write('hello');
    expect(terminal.lines()[0]).toBe('hello');
    expect(terminal.emulator.nextExpiry()).toBeUndefined();
  });

  it('of pictures is swallowed', () => {
    const terminal = startEmulator(80, 24);
    terminal.write(
      `\x1bPq${'#0~'.repeat(10_000)}\x1b\\\x1b_Gf=100,t=f;L2V0Yy9wYXNzd2Q=\x1b\\\x1b]1337;File=inline=1:AAAA\x07\x1b_日本\x1b\\OK`,
    );
    expect(terminal.lines()[0]).toBe('OK');
    expect(terminal.replies).toEqual([]);
  });
});

describe('a flood of marks', () => {
  it.each([
    ['accents', 'e', '\u0301'],
    ['joined emoji', '👩', '\u200d👩'],
    ['variation selectors', '❤', '\ufe0f'],
    ['tags', '🏴', '\u{e0067}'],
  ])('in one cell is bounded: %s', (_name, base, mark) => {
    const terminal = startEmulator(80, 24);
    const flood = Buffer.from(mark.repeat(20_000));
    terminal.write(base);
    expectCheap(() => terminal.write(flood));
    expectSound(terminal);
    const row = blankRow(80);
    terminal.emulator.screenRow(0, row);
    expect(countCodePoints(cellText(row, 0))).toBeLessThanOrEqual(CLUSTER_MAX);
  });

  it('that never show leaves no trace in the cells', () => {
    const terminal = startEmulator(20, 2);
    terminal.write('a\u202eb\u2066c\u200bd\u061ce');
    expect(terminal.lines()[0]).toBe('abcde');
  });

  it('without a base joins the cell left of the cursor, as in tmux, or is dropped', () => {
    const terminal = startEmulator(20, 2);
    terminal.write('\u0301x\x1b[m\u0301y\x1b[2;5H\u0301z');
    expect(terminal.lines()).toEqual(['x\u0301y', '    \u0301z']);
  });
});

describe('a sequence that would reach outside', () => {
  it.each([
    '\x1b[8;200;300t',
    '\x1b[4;9999;9999t',
    '\x1b[?3h',
    '\x1b[?3l',
    '\x1b[8;0;-1t',
    '\x1b[?40h\x1b[?3h',
    '\x1b#6',
  ])('does not change the size: %j', (sequence) => {
    const terminal = startEmulator(80, 24);
    terminal.write(sequence);
    expect(terminal.emulator.size).toEqual({ cols: 80, rows: 24 });
    expect(terminal.replies).toEqual([]);
    expectAlive(terminal);
  });
});

describe('random bytes', () => {
  const tokens = [
    '\x1b',
    '[',
    ']',
    'P',
    '?',
    ';',
    ':',
    '0',
    '9',
    '999999',
    'm',
    'H',
    'h',
    'l',
    '1049',
    '2026',
    '\x1b[?1049h',
    '\x1b[?1049l',
    '\x1bc',
    '\x1b[!p',
    '\x1b[4h',
    '\x1b(0',
    '\x0e',
    '\x1b]8;;http://x\x07',
    '\x07',
    '\x9b',
    '\u009b',
    '\x18',
    '\r\n',
    '\t',
    '\b',
    'text',
    '日本',
    'e\u0301',
    '👨‍👩‍👧',
    '\u0301',
    '\x1b[2;3r',
    '\x1b[L',
    '\x1b[S',
    '\x1b7',
    '\x1b8',
    '\xff',
  ];
  it('never break the screen, and a cut never matters', () => {
    const output = fc
      .array(
        fc.oneof(
          fc.constantFrom(...tokens).map((t) => Buffer.from(t)),
          fc.uint8Array({ maxLength: 4 }).map((b) => Buffer.from(b)),
        ),
        { maxLength: 60 },
      )
      .map((parts) => Buffer.concat(parts));
    fc.assert(
      fc.property(
        output,
        fc.integer({ min: 1, max: 9 }),
        fc.array(fc.tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 8 })), { maxLength: 3 }),
        (bytes, chunk, sizes) => {
          const whole = startEmulator(9, 4, { scrollback: 5 });
          const cut = startEmulator(9, 4, { scrollback: 5 });
          whole.write(bytes);
          for (let i = 0; i < bytes.length; i += chunk) cut.write(bytes.subarray(i, i + chunk));
          expectSound(whole);
          expect(cut.lines()).toEqual(whole.lines());
          expect(cut.history()).toEqual(whole.history());
          expect(cut.emulator.cursor).toEqual(whole.emulator.cursor);
          for (const [cols, rows] of sizes) {
            whole.emulator.resize({ cols, rows });
            expectSound(whole);
            whole.write(bytes);
            expectSound(whole);
          }
        },
      ),
      { numRuns: 400 },
    );
  });
});
