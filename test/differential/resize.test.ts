/** What a pane shows and remembers after its size has changed, beside tmux: text, wrapping, styles and cursor. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Size } from '../../protocol/geometry.ts';
import { captureRange, captureText } from '../../server/terminal/capture.ts';
import type { Emulator } from '../../server/terminal/emulator.ts';
import { viewOf } from '../../server/terminal/history.ts';
import { startEmulator } from '../server/terminal/terminal-support.ts';
import { randomFrom } from '../support/random.ts';
import { TmuxReference } from '../support/tmux-reference.ts';

const START: Size = { cols: 40, rows: 8 };

/** Output of programs; line feeds are those of a tty. */
const OUTPUTS: Readonly<Record<string, string>> = {
  'short lines': Array.from({ length: 30 }, (_, i) => `line ${i}`).join('\n'),
  'a prompt after some output': `${Array.from({ length: 12 }, (_, i) => `line ${i}`).join('\n')}\n$ `,
  'less than a screen': 'one\ntwo\n$ ',
  'wrapped lines': Array.from({ length: 12 }, (_, i) => `${i}: ${'0123456789'.repeat((i * 7) % 13)}`).join('\n'),
  'one long line': 'abcdefghij'.repeat(60),
  'lines exactly as wide as the pane': `${`${'x'.repeat(40)}\n`.repeat(6)}${'y'.repeat(40)}`,
  'wide characters': Array.from({ length: 10 }, (_, i) => `${i} ${'日本語テキスト'.repeat(i)}`).join('\n'),
  'combined characters': Array.from({ length: 10 }, (_, i) => 'e\u0301a\u0308x'.repeat(i * 5)).join('\n'),
  'styled text': Array.from({ length: 12 }, (_, i) => `\x1b[3${i % 8};1m${'styled '.repeat(i)}\x1b[0m${i}`).join('\n'),
  'coloured blanks': `${'a\x1b[44m\x1b[K\x1b[0m\n'.repeat(4)}b\x1b[41m   \x1b[0m\n$ `,
  'blank lines between': 'top\n\n\n\nmiddle\n\n\n\n\n\n\nbottom\n\n',
  'text placed by the cursor': '\x1b[2J\x1b[1;1Hleft\x1b[1;36Hright\x1b[5;10Hmiddle\x1b[8;1Hlast\x1b[5;12H',
  'a cleared screen': `${'old\n'.repeat(20)}\x1b[H\x1b[2Jnew\n$ `,
};

/**
 * What is compared of a pane. Allowed to differ, and left out of the outputs and sizes here: a cursor beyond the end of its
 * line keeps its column, while tmux takes it to the line's first one (the program goes on where it believes itself to be);
 * and tmux at times breaks a line in two where a wide character did not fit at an edge (40x8 41x13 49x15 68x13 8x13 49x11).
 */
interface Picture {
  readonly cursor: { readonly x: number; readonly y: number };
  readonly history: number;
  /** The screen, row by row. */
  readonly screen: string;
  /** All rows with their styles. */
  readonly rows: string;
  /** All lines with their styles, rows that go on joined; blank lines at the end cut. */
  readonly lines: string;
  /** The lines up to the row that the cursor is in. */
  readonly above: string;
}

function ours(emulator: Emulator): Picture {
  const view = viewOf(emulator);
  const { x, y } = emulator.cursor;
  const all = captureRange(view, '-', '-');
  return {
    cursor: { x: emulator.isWrapPending ? emulator.size.cols : x, y },
    history: emulator.historyLength,
    screen: captureText(view, captureRange(view, undefined, undefined)),
    rows: captureText(view, all, { styles: true }),
    lines: captureText(view, all, { styles: true, join: true }).trimEnd(),
    above: captureText(view, captureRange(view, '-', `${y}`), { join: true }).trimEnd(),
  };
}

function theirs(tmux: TmuxReference): Picture {
  const place = tmux.run('display-message', '-p', '#{cursor_x} #{cursor_y} #{history_size}').out;
  const [x = 0, y = 0, history = 0] = place.split(' ').map(Number);
  const capture = (...flags: string[]) => tmux.call(['capture-pane', ...flags]).stdout;
  return {
    cursor: { x, y },
    history,
    screen: capture('-p'),
    rows: capture('-pe', '-S', '-'),
    lines: capture('-peJ', '-S', '-').trimEnd(),
    above: capture('-pJ', '-S', '-', '-E', `${y}`).trimEnd(),
  };
}

/**
 * Where rows had to be made for a narrower screen, text may stand elsewhere (docs/mplex.md, History: blank rows below the
 * cursor make room before text leaves the screen): the lines and the cursor's place in them are the same.
 */
function placeInText({ cursor, lines, above }: Picture) {
  return { x: cursor.x, lines, above };
}

function sizesFrom(seed: number): Size[] {
  const next = randomFrom(seed);
  return Array.from({ length: 5 }, () => ({ cols: 2 + Math.floor(next() * 78), rows: 1 + Math.floor(next() * 24) }));
}

const SEEDS = Number(process.env.MPLEX_TEST_SEEDS ?? 3);

describe('a pane that changes its size is as in tmux', () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'mplex-resize-'));
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  it.each(Object.entries(OUTPUTS))(
    'with %s',
    (_name, output) => {
      const file = join(directory, 'output');
      writeFileSync(file, output);
      for (let seed = 1; seed <= SEEDS; seed++) {
        const tmux = TmuxReference.start([
          '-x',
          `${START.cols}`,
          '-y',
          `${START.rows}`,
          `cat ${file}; tmux wait-for -S done; sleep 1000`,
        ]);
        if (!tmux) return;
        try {
          tmux.run('wait-for', 'done');
          const { emulator, write } = startEmulator(START.cols, START.rows, { scrollback: 2000 });
          write(output.replaceAll('\n', '\r\n'));
          let before = START;
          let wasNarrowed = false;
          const done = [`${START.cols}x${START.rows}`];
          for (const size of sizesFrom(seed)) {
            tmux.run('resize-window', '-x', `${size.cols}`, '-y', `${size.rows}`);
            emulator.resize(size);
            done.push(`${size.cols}x${size.rows}`);
            wasNarrowed ||= size.cols < before.cols;
            before = size;
            const compared = (picture: Picture) => (wasNarrowed ? placeInText(picture) : picture);
            expect({ sizes: done, ...compared(ours(emulator)) }).toEqual({ sizes: done, ...compared(theirs(tmux)) });
          }
        } finally {
          tmux.stop();
        }
      }
    },
    60_000,
  );
});
