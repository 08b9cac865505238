import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HalfOpen } from '../../../server/clients/half-open.ts';

describe('half-open peers', () => {
  it('are so many at most, the oldest goes first, and who has spoken is never turned away', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ speaks: fc.boolean(), which: fc.nat(50) }), { maxLength: 200 }), (steps) => {
        const gate = new HalfOpen(5);
        const closed: number[] = [];
        const spoken = new Set<number>();
        const leave: (() => void)[] = [];
        for (const { speaks, which } of steps) {
          if (speaks && leave.length > 0) {
            const peer = which % leave.length;
            if (!closed.includes(peer)) spoken.add(peer);
            leave[peer]?.();
          } else {
            const peer = leave.length;
            leave.push(gate.enter(() => closed.push(peer)));
          }
          expect(gate.size).toBeLessThanOrEqual(5);
        }
        expect(closed.filter((peer) => spoken.has(peer))).toEqual([]);
        expect(closed).toEqual([...closed].sort((a, b) => a - b));
        expect(closed.length + spoken.size + gate.size).toBe(leave.length);
      }),
    );
  });
});
