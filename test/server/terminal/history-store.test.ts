import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blankRow, COLOR_PALETTE256, DEFAULT_STYLE, type Row, rowText, setCell } from '../../../protocol/cell.ts';
import { HistoryBudget } from '../../../server/terminal/history-budget.ts';
import { CHUNK_ROWS } from '../../../server/terminal/history-chunk.ts';
import { HistoryStore, LINE_COLUMNS_MAX } from '../../../server/terminal/history-store.ts';
import { graphemes } from '../../../src/overlay/text-width.ts';

/** The rows that a line has at a width. */
function wrap(line: string, cols: number): Row[] {
  const rows = [blankRow(cols)];
  let x = 0;
  for (const { text, width } of graphemes(line)) {
    if (width === 0) continue;
    if (x + width > cols) {
      rows.push(blankRow(cols));
      x = 0;
    }
    setCell(rows.at(-1)!, x, text, width, DEFAULT_STYLE);
    x += width;
  }
  return rows;
}

function print(store: HistoryStore, line: string, cols: number): void {
  for (const [i, row] of wrap(line, cols).entries()) store.append(row, i > 0);
}

/** Rows as text, `+` before those that go on the one above. */
function picture(store: HistoryStore, cols: number): string[] {
  const row = blankRow(cols);
  return Array.from({ length: store.rowCount(cols) }, (_, index) => {
    store.readRow(index, cols, row);
    return (store.isWrapped(index, cols) ? '+' : '') + rowText(row).trimEnd();
  });
}

function expected(lines: readonly string[], cols: number): string[] {
  return lines.flatMap((line) => wrap(line, cols).map((row, i) => (i > 0 ? '+' : '') + rowText(row).trimEnd()));
}

const line = fc.oneof(
  fc.stringMatching(/^[a-z ]{0,40}[a-z]$/),
  fc
    .array(fc.constantFrom('a', 'bc ', '日', '本語', 'e\u0301', '👍🏽', 'ж'), { maxLength: 30 })
    .map((parts) => `${parts.join('')}.`),
  fc.constant(''),
);
const width = fc.integer({ min: 2, max: 60 });

describe('the history store', () => {
  it('gives the lines back at any width as if they had been printed there', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(line, width), { maxLength: 25 }),
        fc.array(width, { maxLength: 4 }),
        (lines, widths) => {
          const store = new HistoryStore();
          for (const [text, cols] of lines) print(store, text, cols);
          for (const cols of widths) {
            expect(picture(store, cols)).toEqual(
              expected(
                lines.map(([text]) => text),
                cols,
              ),
            );
            expect(Array.from({ length: store.lineCount }, (_, i) => store.lineText(i))).toEqual(
              lines.map(([text]) => text),
            );
          }
        },
      ),
    );
  });

  it('drops the oldest rows and gives the newest back, at any width', () => {
    const operation = fc.oneof(
      fc.record({ kind: fc.constant('print'), text: line }),
      fc.record({ kind: fc.constant('trim'), count: fc.nat(9) }),
      fc.record({ kind: fc.constant('take'), count: fc.nat(9) }),
      fc.record({ kind: fc.constant('repeat'), count: fc.nat(9) }),
    );
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 40 }), width, (operations, cols) => {
        const store = new HistoryStore();
        let model: string[] = [];
        for (const step of operations) {
          if ('text' in step) {
            print(store, step.text, cols);
            model.push(...expected([step.text], cols));
          } else if (step.kind === 'trim') {
            store.trimRows(step.count, cols);
            model = model.slice(step.count);
          } else {
            const taken = store.takeLast(step.count, cols);
            const kept = Math.max(0, model.length - step.count);
            expect(taken.map(({ row, isWrapped }) => (isWrapped ? '+' : '') + rowText(row).trimEnd())).toEqual(
              model.slice(kept),
            );
            if (step.kind === 'take') model.length = kept;
            else for (const { row, isWrapped } of taken) store.append(row, isWrapped);
          }
          expect(picture(store, cols)).toEqual(model);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('lets the rest of an unfinished line go on at another width', () => {
    fc.assert(
      fc.property(line, width, width, fc.array(line, { maxLength: 3 }), (text, before, after, others) => {
        const store = new HistoryStore();
        for (const other of others) print(store, other, before);
        const rows = wrap(text, before);
        const screen = rows.pop()!;
        for (const [i, row] of rows.entries()) store.append(row, i > 0);
        if (rows.length === 0) return;
        const isWide = graphemes(rowText(screen))[Symbol.iterator]().next().value?.width === 2;
        const rest = store.takeUnfinished(after, isWide)!;
        expect(rest.isWrapped).toBe(store.rowCount(after) > expected(others, after).length);
        const head = picture(store, after).slice(expected(others, after).length);
        const joined = head.map((row) => row.replace('+', '')).join('') + rowText(rest.row) + rowText(screen);
        expect(joined.replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
      }),
      { numRuns: 300 },
    );
  });

  it('reads the same before and after its chunks are deflated, and takes less', () => {
    const store = new HistoryStore();
    const lines = Array.from(
      { length: 3 * CHUNK_ROWS },
      (_, i) => `line ${i} of a history, ${'日本'.repeat(i % 9)} and more`,
    );
    for (const text of lines) print(store, text, 30);
    const before = store.byteLength;
    while (store.deflateOne());
    expect(store.byteLength).toBeLessThan(before / 2);
    store.forgetUnpacked();
    expect(picture(store, 17)).toEqual(expected(lines, 17));
    expect(store.lineText(CHUNK_ROWS)).toBe(lines[CHUNK_ROWS]);
  });

  it('trims and takes over the borders of chunks', () => {
    const store = new HistoryStore();
    const lines = Array.from({ length: 2 * CHUNK_ROWS + 50 }, (_, i) => `${i}`);
    for (const text of lines) print(store, text, 10);
    while (store.deflateOne());
    store.trimRows(CHUNK_ROWS + 7, 10);
    expect(store.trimmedRows).toBe(CHUNK_ROWS + 7);
    expect(store.takeLast(100, 10).map(({ row }) => rowText(row).trimEnd())).toEqual(lines.slice(-100));
    expect(picture(store, 10)).toEqual(lines.slice(CHUNK_ROWS + 7, -100));
    expect(store.takeLast(1e6, 10)).toHaveLength(CHUNK_ROWS + 50 - 7 - 100);
    expect(store.isEmpty).toBe(true);
  });

  it('keeps colours behind the end of a line where there is room for them', () => {
    const store = new HistoryStore();
    const row = blankRow(10);
    for (let x = 0; x < 10; x++) setCell(row, x, 'x', 1, DEFAULT_STYLE);
    store.append(row, false);
    const tail = blankRow(10);
    setCell(tail, 0, 'y', 1, DEFAULT_STYLE);
    for (let x = 1; x < 10; x++) tail.words[x * 3 + 2] = COLOR_PALETTE256 | 4;
    store.append(tail, true);
    const into = blankRow(8);
    expect(store.rowCount(8)).toBe(2);
    store.readRow(1, 8, into);
    expect(rowText(into)).toBe('xxy     ');
    expect(into.words[3 * 3 + 2]).toBe(COLOR_PALETTE256 | 4);
  });

  it('finds places again at another width', () => {
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 1, maxLength: 10 }),
        width,
        width,
        fc.nat(1000),
        (lines, before, after, pick) => {
          const store = new HistoryStore();
          for (const text of lines) print(store, text, before);
          const index = pick % store.rowCount(before);
          const place = store.placeOf(index, 0, before);
          const moved = store.rowOf(place, after);
          expect(store.placeOf(moved.index, moved.x, after)).toEqual(place);
          expect(store.rowOf(place, before)).toEqual({ index, x: 0 });
        },
      ),
    );
  });

  it('breaks a line that never ends', () => {
    const store = new HistoryStore();
    const row = wrap('x'.repeat(1000), 1000)[0]!;
    const rows = LINE_COLUMNS_MAX / 1000 + 10;
    for (let i = 0; i < rows; i++) store.append(row, i > 0);
    expect(store.lineCount).toBe(2);
    expect(store.rowCount(1000)).toBe(Math.ceil(rows));
  });

  it('stays as it is for who took a snapshot', () => {
    const store = new HistoryStore();
    for (let i = 0; i < CHUNK_ROWS + 10; i++) print(store, `${i}`, 10);
    const frozen = store.snapshot();
    print(store, 'new', 10);
    store.trimRows(20, 10);
    store.clear(10);
    expect(frozen.rowCount(10)).toBe(CHUNK_ROWS + 10);
    expect(picture(frozen, 10)[0]).toBe('0');
  });
});

describe('the history budget', () => {
  it('takes from the largest history what is too much', () => {
    const budget = new HistoryBudget();
    const [large, small] = [new HistoryStore(budget), new HistoryStore(budget)];
    for (let i = 0; i < 4 * CHUNK_ROWS; i++) print(large, `line ${i}`, 20);
    for (let i = 0; i < 2 * CHUNK_ROWS; i++) print(small, `line ${i}`, 20);
    expect(budget.bytes).toBe(large.byteLength + small.byteLength);
    budget.limitBytes = budget.bytes - 1;
    expect(small.rowCount(20)).toBe(2 * CHUNK_ROWS);
    expect(large.rowCount(20)).toBe(3 * CHUNK_ROWS);
    expect(large.trimmedRows).toBe(CHUNK_ROWS);
    expect(picture(large, 20)[0]).toBe(`line ${CHUNK_ROWS}`);
    small.dispose();
    expect(budget.bytes).toBe(large.byteLength);
  });
});
