import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openRecord, sealRecord } from '../../../server/journal/journal-record.ts';

const payload = fc.uint8Array({ maxLength: 300 });

describe('a record', () => {
  it('gives back what was put in', () => {
    fc.assert(
      fc.property(payload, (bytes) => {
        const opened = openRecord('p1-2', sealRecord('p1-2', bytes));
        expect(opened).toEqual({ ok: true, payload: Buffer.from(bytes) });
      }),
    );
  });

  it('that is cut off anywhere is told', () => {
    fc.assert(
      fc.property(payload, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (bytes, at) => {
        const sealed = sealRecord('head', bytes);
        expect(openRecord('head', sealed.subarray(0, Math.floor(sealed.length * at))).ok).toBe(false);
      }),
    );
  });

  it('with any bit flipped is told', () => {
    fc.assert(
      fc.property(payload, fc.nat(), fc.nat(7), (bytes, place, bit) => {
        const sealed = sealRecord('head', bytes);
        const at = place % sealed.length;
        sealed[at] = (sealed[at] ?? 0) ^ (1 << bit);
        expect(openRecord('head', sealed).ok).toBe(false);
      }),
    );
  });

  it('under the name of another is told', () => {
    expect(openRecord('p1-3', sealRecord('p1-2', Buffer.from('x')))).toEqual({
      ok: false,
      reason: 'checksum is wrong',
    });
  });

  it('of another version says so', () => {
    const sealed = sealRecord('head', Buffer.from('x'));
    sealed[8] = 9;
    expect(openRecord('head', sealed)).toEqual({ ok: false, reason: 'of version 9' });
  });
});
