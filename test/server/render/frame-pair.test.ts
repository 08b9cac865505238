import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DEFAULT_STYLE, type Row, rowText, setCell } from '../../../protocol/cell.ts';
import type { Frame } from '../../../protocol/frame.ts';
import { FramePair } from '../../../server/render/frame-pair.ts';
import { RowStore } from '../../../server/render/row-store.ts';

const SIZE = { cols: 2, rows: 3 };

function write(row: Row, text: string): void {
  for (const [x, char] of [...text].entries()) setCell(row, x, char, 1, DEFAULT_STYLE);
}

const texts = ({ rows }: Frame) => rows.map((row) => rowText(row));

function shownPair(...lines: string[]): FramePair {
  const pair = new FramePair();
  const { rows } = pair.renew(SIZE);
  for (const [y, row] of rows.entries()) write(row, lines[y] ?? '');
  pair.swap();
  return pair;
}

describe('keep', () => {
  test('makes the next frame look as the one that is shown, with the same rows', () => {
    const pair = shownPair('aa', 'bb', 'cc');
    expect(pair.keep(SIZE)).toBe(true);
    expect(texts(pair.next)).toEqual(['aa', 'bb', 'cc']);
    expect(pair.next.rows.every((row, y) => row === pair.shown.rows[y])).toBe(true);
  });

  test('refuses another size than the one that is shown', () => {
    const pair = shownPair('aa', 'bb', 'cc');
    expect(pair.keep({ cols: 3, rows: 3 })).toBe(false);
    pair.forget();
    expect(pair.keep(SIZE)).toBe(false);
  });
});

describe('rows of the next frame', () => {
  test('are its own once they were asked for', () => {
    const pair = shownPair('aa', 'bb', 'cc');
    pair.keep(SIZE);
    write(pair.ownRow(1), 'xx');
    expect(pair.ownRow(1)).toBe(pair.next.rows[1]);
    expect(texts(pair.next)).toEqual(['aa', 'xx', 'cc']);
    expect(texts(pair.shown)).toEqual(['aa', 'bb', 'cc']);
  });

  test('are copies where only a part is drawn, and what was drawn stays', () => {
    const pair = shownPair('aa', 'bb', 'cc');
    pair.keep(SIZE);
    write(pair.ownCopy(1), 'x');
    write(pair.ownCopy(2), 'y');
    setCell(pair.ownCopy(1), 1, 'z', 1, DEFAULT_STYLE);
    expect(texts(pair.next)).toEqual(['aa', 'xz', 'yc']);
  });
});

test('a row that no client shows any more is drawn into again, and none before that', () => {
  const store = new RowStore();
  const [first, second] = [new FramePair(store), new FramePair(store)];
  for (const row of first.renew(SIZE).rows) write(row, 'aa');
  first.swap();
  second.share(first.shown);
  const row = first.shown.rows[0];
  first.renew(SIZE);
  first.swap();
  expect(first.renew(SIZE).rows).not.toContain(row);
  second.share(first.shown);
  expect(second.renew(SIZE).rows).toContain(row);
});

test('no drawing of any client ever changes what another shows, and no row is in two places', () => {
  const step = fc.oneof(
    fc.record({
      kind: fc.constantFrom('own', 'copy'),
      client: fc.nat(2),
      y: fc.nat(2),
      text: fc.constantFrom('pp', 'qq'),
    }),
    fc.record({
      kind: fc.constantFrom('keep', 'renew', 'swap', 'swap', 'forget', 'share'),
      client: fc.nat(2),
      other: fc.nat(2),
    }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const store = new RowStore();
      const pairs = [0, 1, 2].map(() => new FramePair(store));
      const begin = (pair: FramePair) => pair.keep(SIZE) || pair.renew(SIZE);
      const pairOf = (index: number) => pairs[index] as FramePair;
      for (const pair of pairs) begin(pair);
      const wanted = pairs.map(({ shown }) => texts(shown));
      for (const next of steps) {
        const pair = pairOf(next.client);
        if ('y' in next) write(next.kind === 'own' ? pair.ownRow(next.y) : pair.ownCopy(next.y), next.text);
        else if (next.kind === 'keep') begin(pair);
        else if (next.kind === 'renew') pair.renew(SIZE);
        else {
          if (next.kind === 'swap') {
            wanted[next.client] = texts(pair.next);
            pair.swap();
          } else if (next.kind === 'share') {
            wanted[next.client] = wanted[next.other] as string[];
            pair.share(pairOf(next.other).shown);
          } else {
            wanted[next.client] = [];
            pair.forget();
          }
          begin(pair);
        }
        expect(pairs.map(({ shown }) => texts(shown))).toEqual(wanted);
        for (const { next } of pairs) expect(new Set(next.rows).size).toBe(SIZE.rows);
        const drawn = pairs.flatMap(({ next }) => next.rows.filter(({ frames }) => frames === 0));
        expect(new Set(drawn).size).toBe(drawn.length);
        for (const [y, row] of pair.next.rows.entries()) {
          const at = pair.shown.rows.indexOf(row);
          expect(at === -1 || at === y).toBe(true);
        }
      }
    }),
    { numRuns: 300 },
  );
});
