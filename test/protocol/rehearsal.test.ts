import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cellText } from '../../protocol/cell.ts';
import { applyDamage } from '../../protocol/damage.ts';
import { blankFrame } from '../../protocol/frame.ts';
import { characterDamage } from '../../protocol/rehearsal.ts';
import { arbitraryFrame } from '../support/arbitrary-frame.ts';

const SIZE = { cols: 6, rows: 3 };

describe('characterDamage', () => {
  it('is one more character at the cursor, wherever there is room, and leaves the frame as it is', () => {
    const place = fc.record({ x: fc.integer({ min: -1, max: 7 }), y: fc.integer({ min: -1, max: 4 }) });
    fc.assert(
      fc.property(arbitraryFrame(SIZE), place, (drawn, { x, y }) => {
        const frame = { ...drawn, cursor: { ...drawn.cursor, x, y } };
        const before = structuredClone(frame);
        const damage = characterDamage(frame);
        expect(damage !== undefined).toBe(x >= 0 && x < SIZE.cols - 1 && y >= 0 && y < SIZE.rows);
        if (damage) {
          const after = applyDamage(frame, damage);
          expect(cellText(after.rows[y]!, x)).toBe('x');
          expect(after.cursor).toEqual({ ...frame.cursor, x: x + 1 });
        }
        expect(frame).toEqual(before);
      }),
    );
  });

  it('is nothing where there is no cell at all', () => {
    expect(characterDamage(blankFrame({ cols: 0, rows: 0 }))).toBeUndefined();
  });
});
