/**
 * What is shown of a key goes the second half of its way while the program has the key: to no effect, for what that needs of
 * code and data is no longer in the processor's caches after a pause, and is when the answer comes.
 */
import { blankRow, DEFAULT_STYLE, setCell } from './cell.ts';
import type { Damage } from './damage.ts';
import type { Frame } from './frame.ts';

/** What one more character at the cursor would change; undefined where there is no room for it. */
export function characterDamage({ size, cursor: { x, y }, cursor }: Frame): Damage | undefined {
  if (x < 0 || y < 0 || x + 1 >= size.cols || y >= size.rows) return undefined;
  const cell = blankRow(1);
  setCell(cell, 0, 'x', 1, DEFAULT_STYLE);
  return { rows: [{ y, x, words: cell.words }], cursor: { ...cursor, x: x + 1 } };
}
