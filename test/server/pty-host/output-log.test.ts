import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  OutputLog,
  READ_AHEAD_LOW,
  READ_AHEAD_MAX,
  RETAIN_LOW,
  RETAIN_MAX,
} from '../../../server/pty-host/output-log.ts';

describe('OutputLog', () => {
  it('keeps exactly the bytes that were not released, whatever the order of things', () => {
    const step = fc.oneof(
      fc.record({ append: fc.uint8Array({ maxLength: 9 }) }),
      fc.record({ consume: fc.nat(30), release: fc.nat(30) }),
      fc.record({ rewind: fc.nat(60) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const log = new OutputLog();
        let all: number[] = [];
        for (const action of steps) {
          if ('append' in action) {
            log.append(action.append);
            all = [...all, ...action.append];
          } else if ('rewind' in action) {
            const { offset, chunks } = log.rewind(action.rewind);
            expect(offset).toBe(Math.min(all.length, Math.max(log.marks.releasedTo, action.rewind)));
            expect(chunks.flatMap((chunk) => [...chunk])).toEqual(all.slice(offset));
            expect(log.marks.consumedTo).toBe(offset);
          } else {
            log.acknowledge(action.consume, action.release);
          }
          const { consumedTo, releasedTo, end } = log.marks;
          expect(end).toBe(all.length);
          expect(releasedTo).toBeLessThanOrEqual(consumedTo);
          expect(consumedTo).toBeLessThanOrEqual(end);
        }
      }),
    );
  });

  it('is full at the read-ahead limit and again open at the low mark', () => {
    const log = new OutputLog();
    log.append(new Uint8Array(READ_AHEAD_MAX - 1));
    expect(log.full).toBe(false);
    log.append(new Uint8Array(1));
    expect(log.full).toBe(true);
    const low = READ_AHEAD_MAX - READ_AHEAD_LOW;
    log.acknowledge(low - 1, 0);
    expect(log.full).toBe(true);
    log.acknowledge(low, 0);
    expect(log.full).toBe(false);
  });

  it('is full when too much is consumed but not released', () => {
    const log = new OutputLog();
    log.append(new Uint8Array(RETAIN_MAX));
    log.acknowledge(RETAIN_MAX, 0);
    expect(log.full).toBe(true);
    log.acknowledge(RETAIN_MAX, RETAIN_MAX - RETAIN_LOW);
    expect(log.full).toBe(false);
  });

  it('reads on from the low mark of the read-ahead although more than the low mark is unreleased', () => {
    const log = new OutputLog();
    log.append(new Uint8Array(RETAIN_LOW + 1));
    expect(log.full).toBe(true);
    log.acknowledge(RETAIN_LOW + 1 - READ_AHEAD_LOW, 0);
    expect(log.full).toBe(false);
  });

  it('counts bytes as unconsumed again for a reader that starts before them', () => {
    const log = new OutputLog();
    log.append(new Uint8Array(READ_AHEAD_MAX));
    log.acknowledge(READ_AHEAD_MAX, 0);
    expect(log.full).toBe(false);
    log.rewind(0);
    expect(log.full).toBe(true);
  });
});
