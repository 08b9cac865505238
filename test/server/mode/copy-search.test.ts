import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COUNTED_MAX, GridSearch, type SearchMatch } from '../../../server/mode/copy-search.ts';
import { selectedText, selectFrom } from '../../../server/mode/copy-selection.ts';
import { FrozenGrid } from '../../../server/mode/frozen-grid.ts';
import { GridReader } from '../../../server/mode/grid-reader.ts';
import { viewOf } from '../../../server/terminal/history.ts';
import { startEmulator } from '../terminal/terminal-support.ts';

function readerOf(output: string, { cols = 20, isTidy = true }: { cols?: number; isTidy?: boolean } = {}): GridReader {
  const { emulator, write } = startEmulator(cols, 4, { scrollback: 1_000_000 });
  write(output);
  while (isTidy && emulator.tidy());
  return new GridReader(FrozenGrid.copyOf(viewOf(emulator)));
}

function text(pattern: string, isRegex = false) {
  return { text: pattern, isRegex };
}

/** All matches from the top on. */
function allOf(search: GridSearch): SearchMatch[] {
  const matches: SearchMatch[] = [];
  for (let at = search.after({ x: 0, line: 0 }); at; at = search.after({ x: at.x + 1, line: at.line }))
    matches.push(at);
  return matches;
}

describe('a search', () => {
  it('finds text wherever it is wrapped, up and down alike, and counts it', () => {
    const word = fc.constantFrom('needle', 'Needle', 'need', 'le', ' ', '日本', 'x', '👍🏽');
    const line = fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => words.join(''));
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 1, maxLength: 15 }),
        fc.constantFrom('needle', 'Needle', '本n', 'le', 'x'),
        fc.integer({ min: 2, max: 30 }),
        (lines, pattern, cols) => {
          const reader = readerOf(lines.join('\r\n'), { cols });
          const search = new GridSearch(reader, text(pattern));
          const ignoresCase = pattern === pattern.toLowerCase();
          const subject = lines.map((one) => (ignoresCase ? one.toLowerCase() : one));
          const expected = subject.reduce((total, one) => total + one.split(pattern).length - 1, 0);
          const down = allOf(search);
          expect(down).toHaveLength(expected);
          expect(search.count()).toEqual({ total: expected, isAll: true });
          const up: SearchMatch[] = [];
          const end = { x: cols, line: reader.lastLine };
          for (let at = search.before(end); at; at = search.before(at)) up.unshift(at);
          expect(up).toEqual(down);
        },
      ),
    );
  });

  it('takes cells that nothing was written in for spaces', () => {
    const reader = readerOf(`left\x1b[3Cright${'\r\n'.repeat(9)}`);
    expect(new GridSearch(reader, text('t   r')).after({ x: 0, line: 1 })).toBeUndefined();
    expect(new GridSearch(reader, text('t   r')).before({ x: 0, line: 8 })).toMatchObject({ x: 3, line: 0, width: 5 });
  });

  it('finds the one line of very many, packed or not', () => {
    const output = Array.from({ length: 30_000 }, (_, i) => `line ${i} of many`).join('\r\n');
    for (const isTidy of [true, false]) {
      const reader = readerOf(output, { isTidy });
      expect(new GridSearch(reader, text('line 77 ')).before({ x: 0, line: reader.lastLine })?.line).toBe(77);
      expect(new GridSearch(reader, text('^line 123. of', true)).after({ x: 0, line: 500 })?.line).toBe(1230);
      expect(new GridSearch(reader, text('LINE 77')).after({ x: 0, line: 0 })).toBeUndefined();
    }
  });

  it('counts the newest part of what is too much', () => {
    const reader = readerOf('a\r\n'.repeat(COUNTED_MAX + 10));
    expect(new GridSearch(reader, text('a')).count()).toEqual({ total: COUNTED_MAX - 1, isAll: false });
  });
});

describe('copied text', () => {
  it('is what was printed, also where a wide character did not fit at the edge', () => {
    const word = fc.constantFrom('日本', 'x', 'e\u0301', '👍🏽', 'a b', '한');
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 40 }), fc.integer({ min: 2, max: 15 }), (words, cols) => {
        const printed = `${words.join('')}.`;
        const reader = readerOf(`${'\r\n'.repeat(3)}${printed}`, { cols });
        const end = { x: cols, line: reader.lastLine };
        const selection = { ...selectFrom({ x: 0, line: 3 }), end };
        expect(selectedText(reader, selection, { isRectangle: false, isVi: false })).toBe(printed);
      }),
    );
  });
});
