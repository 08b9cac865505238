import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DEFAULT_STYLE, type Row, rowText, setCell } from '../../../protocol/cell.ts';
import type { Frame } from '../../../protocol/frame.ts';
import { FramePair } from '../../../server/render/frame-pair.ts';

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

test('no drawing ever changes what is shown, and no row is in two places', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constantFrom('own', 'copy'), y: fc.nat(2), text: fc.constantFrom('pp', 'qq') }),
    fc.record({ kind: fc.constantFrom('keep', 'renew', 'swap', 'swap', 'forget') }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const pair = shownPair('aa', 'bb', 'cc');
      pair.keep(SIZE);
      for (const next of steps) {
        const before = texts(pair.shown);
        if (next.kind === 'own' && 'y' in next) write(pair.ownRow(next.y), next.text);
        else if (next.kind === 'copy' && 'y' in next) write(pair.ownCopy(next.y), next.text);
        else if (next.kind === 'keep') pair.keep(SIZE);
        else if (next.kind === 'renew') pair.renew(SIZE);
        if (next.kind === 'forget') pair.forget();
        else if (next.kind === 'swap') {
          const drawn = texts(pair.next);
          pair.swap();
          expect(texts(pair.shown)).toEqual(drawn);
          if (!pair.keep(SIZE)) pair.renew(SIZE);
        } else expect(texts(pair.shown)).toEqual(before);
        expect(new Set(pair.next.rows).size).toBe(SIZE.rows);
        pair.next.rows.forEach((row, y) => {
          const at = pair.shown.rows.indexOf(row);
          expect(at === -1 || at === y).toBe(true);
        });
      }
    }),
    { numRuns: 300 },
  );
});
