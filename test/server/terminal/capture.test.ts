import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CaptureOptions, captureRange, captureText } from '../../../server/terminal/capture.ts';
import { savedScreenOf, viewOf } from '../../../server/terminal/history.ts';
import { TmuxReference } from '../../support/tmux-reference.ts';
import { startEmulator } from './terminal-support.ts';

const COLS = 20;
const ROWS = 6;

/** Output of a program; line feeds are those of a tty. */
const PROGRAMS: Readonly<Record<string, string>> = {
  'plain text with trailing spaces': 'one  \ntwo\n\n   \nab\x1b[5Ccd',
  'wrapped and scrolled lines': `${'0123456789'.repeat(5)}\nL1\nL2\nL3\nL4 ${'x'.repeat(30)}  `,
  'a wide character that wraps': `${'x'.repeat(19)}日本 e\u0301 😀`,
  attributes: 'a\x1b[1mb\x1b[31mc\x1b[0md\x1b[4;38;5;200me\x1b[0m\x1b[48;2;1;2;3mf  \x1b[0m',
  'attributes that go one by one': '\x1b[1;2;3mA\x1b[22mB\x1b[23;5;7;8;9mC\x1b[25mD\x1b[27;28;29mE',
  colours: '\x1b[91mA\x1b[38;5;9mB\x1b[101mC\x1b[38;5;3mD\x1b[39mE\x1b[49mF\x1b[38;2;9;8;7mG',
  underlines: '\x1b[4mA\x1b[4:3mB\x1b[58;5;3mC\x1b[59mD\x1b[4:5;58;2;1;2;3mE\x1b[21mF\x1b[24;59mG',
  'a style that goes over lines': '\x1b[44mx\x1b[K\ny\n\x1b[0mz\n\x1b[31m   \n\x1b[41m  q',
  'erased text': 'abc\x1b[K\ngone\x1b[2J\x1b[Hhere\x1b[3;3Hthere',
  backslashes: 'a\\b \x1b[1m\\',
  'a scroll region': '1\n2\n3\n4\n5\n6\x1b[2;4r\x1b[4;1H\n\n\x1b[r\x1b[6;1Hend',
};

const OPTIONS: readonly (readonly [flags: readonly string[], options: CaptureOptions])[] = [
  [[], {}],
  [['-e'], { styles: true }],
  [['-N'], { keepSpaces: true }],
  [['-e', '-N'], { styles: true, keepSpaces: true }],
  [['-J'], { join: true }],
  [['-e', '-J'], { styles: true, join: true }],
  [['-e', '-C'], { styles: true, octal: true }],
];

const RANGES: readonly (readonly [string | undefined, string | undefined])[] = [
  [undefined, undefined],
  ['-', '-'],
  ['-1', '0'],
  ['1', '0'],
  ['-', '-2'],
  ['99', undefined],
  ['nonsense', '1'],
];

describe('captured text', () => {
  it.each(Object.entries(PROGRAMS))('of %s is that of tmux', (_name, output) => {
    const directory = mkdtempSync(join(tmpdir(), 'mplex-capture-'));
    const file = join(directory, 'output');
    writeFileSync(file, output);
    // The marker file tells that the output was written; tmux reads it before it answers the next command.
    const reference = TmuxReference.start([
      '-x',
      `${COLS}`,
      '-y',
      `${ROWS}`,
      `cat ${file}; tmux wait-for -S done; sleep 1000`,
    ]);
    if (!reference) return;
    try {
      reference.run('wait-for', 'done');
      const { emulator } = write(output);
      const view = viewOf(emulator);
      const cursor = reference.run('display-message', '-p', '#{cursor_x} #{cursor_y} #{history_size}').out;
      const ours = emulator.cursor;
      expect(`${ours.x} ${ours.y} ${emulator.historyLength}`).toBe(cursor);
      for (const [flags, options] of OPTIONS) {
        for (const [start, end] of RANGES) {
          const argv = ['capture-pane', '-p', ...flags];
          if (start !== undefined) argv.push('-S', start);
          if (end !== undefined) argv.push('-E', end);
          const expected = reference.run(...argv).out;
          const text = captureText(view, captureRange(view, start, end), options).replace(/\n$/, '');
          expect(`${argv.join(' ')}\n${text}`).toBe(`${argv.join(' ')}\n${expected}`);
        }
      }
    } finally {
      reference.stop();
      rmSync(directory, { recursive: true });
    }
  });

  it('of the saved screen is there while the alternate screen is shown', () => {
    const terminal = write('L1\nL2\nL3');
    expect(savedScreenOf(terminal.emulator)).toBeUndefined();
    terminal.write('\x1b[?1049h\x1b[HALT');
    const saved = savedScreenOf(terminal.emulator);
    expect(saved && captureText(saved, { first: 0, last: 2 })).toBe('L1\nL2\nL3\n');
    expect(captureText(viewOf(terminal.emulator), { first: 0, last: 0 })).toBe('ALT\n');
  });

  it('has the history of the normal screen above the alternate one', () => {
    const terminal = write('1\n2\n3\n4\n5\n6\n7\n8\x1b[?1049h\x1b[HALT');
    const view = viewOf(terminal.emulator);
    expect(captureText(view, captureRange(view, '-', '0'))).toBe('1\n2\nALT\n');
  });

  it('has overline as SGR 53', () => {
    const { emulator } = write('\x1b[53mX');
    expect(captureText(viewOf(emulator), { first: 0, last: 0 }, { styles: true })).toBe('\x1b[53mX\n');
  });
});

function write(output: string) {
  const terminal = startEmulator(COLS, ROWS);
  terminal.write(output.replaceAll('\n', '\r\n'));
  return terminal;
}
