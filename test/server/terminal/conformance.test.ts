import xterm from '@xterm/headless';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blankRow, cellStyle, cellText, rowColumns } from '../../../protocol/cell.ts';
import { installCursorMovement } from '../../../server/terminal/cursor-movement.ts';
import { internalsOf } from '../../../server/terminal/emulator-internals.ts';
import { copyLine } from '../../../server/terminal/screen-row.ts';
import { charProperties, codePointWidth } from '../../../src/overlay/text-width.ts';
import { startEmulator } from './terminal-support.ts';

/**
 * What is harmless must come out as plain xterm shows it. The generator leaves out what differs on purpose: lone marks,
 * SGR 59, SD in colour, REP beyond the row, a wide character that does not fit where nothing wraps, what goes into the
 * history, the column after IL and DL.
 */
const COLS = 12;
const ROWS = 5;

const text = fc.constantFrom(
  'a',
  'bc def',
  'x'.repeat(11),
  'y'.repeat(12),
  'z'.repeat(29),
  '日本',
  '한',
  'e\u0301',
  '👨‍👩‍👧',
  '❤️',
  '🇩🇪🇫🇷',
  'é─',
  '日'.repeat(7),
);
const small = fc.nat(14);
const csi = (finals: string) =>
  fc
    .tuple(fc.option(small, { nil: undefined }), fc.constantFrom(...finals))
    .map(([n, final]) => `\x1b[${n ?? ''}${final}`);
const place = fc.tuple(small, small).map(([y, x]) => `\x1b[${y};${x}H`);
const region = fc
  .tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 3, max: 5 }))
  .map(([top, bottom]) => `\x1b[${top};${bottom}r`);
const style = fc
  .array(
    fc.constantFrom(
      '0',
      '1',
      '2',
      '3',
      '4',
      '4:3',
      '21',
      '5',
      '7',
      '8',
      '9',
      '22',
      '23',
      '24',
      '25',
      '27',
      '28',
      '29',
      '31',
      '97',
      '42',
      '103',
      '38;5;200',
      '48;5;3',
      '38;2;1;2;3',
      '48:2::9:8:7',
      '58:5:9',
      '39',
      '49',
      '53',
      '55',
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((codes) => `\x1b[${codes.join(';')}m`);
const mode = fc.constantFrom(
  '\x1b[4h',
  '\x1b[4l',
  '\x1b[?7lno wrap at the edge\x1b[?7h',
  '\x1b[?6h',
  '\x1b[?6l',
  '\x1b(0',
  '\x1b(B',
  '\x1bH',
);
const control = fc.constantFrom('\r', '\n', '\r\n', '\b', '\t', '\x1bM', '\x1bE', '\x1bD');
const common = [text, text, text, csi('ABCDGXKP@`dEFZ'), place, style, mode, control];

const onNormal = fc.array(fc.oneof(...common), { maxLength: 30 }).map((parts) => parts.join(''));
const onAlternate = fc
  .array(
    fc.oneof(
      ...common,
      csi('SJ'),
      csi('LM').map((lines) => `\r${lines}`),
      region,
      fc.constantFrom('\x1b7', '\x1b8'),
    ),
    { maxLength: 30 },
  )
  .map((parts) => `\x1b[?1049h${parts.join('')}`);

function plainXterm() {
  const terminal = new xterm.Terminal({
    cols: COLS,
    rows: ROWS,
    scrollback: 50,
    allowProposedApi: true,
    logLevel: 'off',
  });
  const core = internalsOf(terminal);
  // Its own movements are wrong in origin mode.
  installCursorMovement(core);
  core.unicodeService.register({ version: 'mplex', charProperties, wcwidth: codePointWidth });
  core.unicodeService.activeVersion = 'mplex';
  return {
    terminal,
    write: (bytes: Uint8Array) => {
      const codePoints = Uint32Array.from([...Buffer.from(bytes).toString()], (c) => c.codePointAt(0) ?? 0);
      core._inputHandler._parser.parse(codePoints, codePoints.length);
    },
    picture: () => {
      const buffer = core._inputHandler._activeBuffer;
      return describeScreen(
        { x: buffer.x, y: buffer.y, history: core._bufferService.buffers.normal.ybase },
        (y, row) =>
          copyLine(buffer.lines.get(buffer.ybase + y), row, { links: { get: () => undefined }, colors: undefined }),
        (y) => buffer.lines.get(buffer.ybase + y)?.isWrapped ?? false,
      );
    },
  };
}

function ours() {
  const terminal = startEmulator(COLS, ROWS, { scrollback: 50 });
  return {
    write: (bytes: Uint8Array) => terminal.emulator.write(bytes),
    picture: () => {
      const { emulator } = terminal;
      expect(terminal.failures).toEqual([]);
      const x = emulator.isWrapPending ? COLS : emulator.cursor.x;
      return describeScreen(
        { x, y: emulator.cursor.y, history: emulator.historyLength },
        (y, row) => emulator.screenRow(y, row),
        (y) => emulator.rowIsWrapped(y),
      );
    },
  };
}

/** A screen as lines of text, so that a difference can be read. */
function describeScreen(
  head: object,
  readRow: (y: number, into: ReturnType<typeof blankRow>) => void,
  isWrapped: (y: number) => boolean,
): string {
  const row = blankRow(COLS);
  const lines = [JSON.stringify(head)];
  for (let y = 0; y < ROWS; y++) {
    readRow(y, row);
    const cells = Array.from({ length: rowColumns(row) }, (_, x) => {
      const { fg, bg, extension } = cellStyle(row, x);
      return `${cellText(row, x)}[${fg.toString(16)},${bg.toString(16)}${extension ? JSON.stringify(extension) : ''}]`;
    });
    lines.push(`${isWrapped(y) ? '>' : ' '} ${cells.join('')}`);
  }
  return lines.join('\n');
}

function feed(target: { write(bytes: Uint8Array): void }, output: string, chunk: number): void {
  const bytes = Buffer.from(output);
  for (let i = 0; i < bytes.length; i += chunk) target.write(bytes.subarray(i, i + chunk));
}

/** What programs print in bulk: logs, coloured tables, text of many scripts, a redrawn screen. */
const CORPORA: Readonly<Record<string, (line: number) => string>> = {
  log: (i) => `2026-01-01T12:00:${i % 60}Z INFO worker[${i % 17}] path=/api/v1/items/${i % 977} took=${i % 233}ms\r\n`,
  colours: (i) =>
    `${Array.from({ length: 8 }, (_, k) => `\x1b[${k % 2};38;5;${(i * k) % 256};48;2;${i % 256};${k};9m${'ab'.repeat(k)}`).join('')}\x1b[0m\r\n`,
  scripts: (i) =>
    `${['日本語テキスト', 'Привет мир', '😀👍🏽', 'naïve café', '한국어', 'ελληνικά'][i % 6]} ${'—“'.repeat(i % 5)}\r\n`,
  redraw: (i) =>
    `\x1b[${(i % ROWS) + 1};${(i % COLS) + 1}H\x1b[38;5;${i % 256}m${['status', '│', '▁▂▃▅'][i % 3]}\x1b[K`,
};

describe('harmless output', () => {
  it.each(Object.entries(CORPORA))('of bulk comes out as plain xterm shows it: %s', (_name, line) => {
    const output = Array.from({ length: 300 }, (_, i) => line(i)).join('');
    const reference = plainXterm();
    const emulator = ours();
    reference.write(Buffer.from(output));
    feed(emulator, output, 61);
    expect(emulator.picture()).toBe(reference.picture());
  });

  it.each([
    ['normal', onNormal],
    ['alternate', onAlternate],
  ] as const)('on the %s screen comes out as plain xterm shows it', (_name, output) => {
    fc.assert(
      fc.property(output, (stream) => {
        const reference = plainXterm();
        const emulator = ours();
        feed(reference, stream, 1 << 20);
        feed(emulator, stream, 1 << 20);
        expect(emulator.picture()).toBe(reference.picture());
        reference.terminal.dispose();
      }),
      { numRuns: 500 },
    );
  });

  it('comes out the same however it is cut', () => {
    fc.assert(
      fc.property(fc.oneof(onNormal, onAlternate), fc.integer({ min: 1, max: 5 }), (stream, chunk) => {
        const whole = ours();
        const cut = ours();
        feed(whole, stream, 1 << 20);
        feed(cut, stream, chunk);
        expect(cut.picture()).toBe(whole.picture());
      }),
      { numRuns: 150 },
    );
  });
});
