import { expect, test } from 'vitest';
import { rowColumns } from '../../../protocol/cell.ts';
import { RowStore } from '../../../server/render/row-store.ts';

test('a row that was given back is taken again for frames of its width', () => {
  const store = new RowStore();
  const row = store.take(80);
  store.giveBack(row);
  expect(store.take(100)).not.toBe(row);
  expect(store.take(80)).toBe(row);
  expect(store.take(80)).not.toBe(row);
});

test('spare rows of a few screens are kept and no more', () => {
  const store = new RowStore();
  const rows = Array.from({ length: 40 }, () => store.take(10_000));
  for (const row of rows) store.giveBack(row);
  const again = new Set(rows.map(() => store.take(10_000)).filter((row) => rows.includes(row)));
  expect(again.size).toBeGreaterThan(0);
  expect([...again].reduce((cells, row) => cells + rowColumns(row), 0)).toBeLessThanOrEqual(1 << 17);
});
