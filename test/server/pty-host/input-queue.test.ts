import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { INPUT_MAX } from '../../../server/pty-host/host-protocol.ts';
import { InputQueue } from '../../../server/pty-host/input-queue.ts';
import { ManualClock } from '../../support/manual-delay.ts';

/** A pty that takes `room` bytes before it is full. */
function setUp() {
  const clock = new ManualClock();
  const pty = { room: 0, taken: [] as number[], attempts: 0, refused: 0, drained: 0 };
  const queue = new InputQueue({
    write: (bytes) => {
      pty.attempts++;
      const count = Math.min(pty.room, bytes.length);
      pty.taken.push(...bytes.subarray(0, count));
      pty.room -= count;
      return count;
    },
    delay: clock.delay,
    onFull: (refused) => {
      pty.refused += refused;
    },
    onDrained: () => {
      pty.drained++;
    },
  });
  return { clock, pty, queue };
}

describe('InputQueue', () => {
  it('writes at once what the pty takes', () => {
    const { clock, pty, queue } = setUp();
    pty.room = 100;
    queue.push(Buffer.from('abc'));
    expect(Buffer.from(pty.taken).toString()).toBe('abc');
    expect(clock.waiting).toBe(0);
  });

  it('delivers every byte in order, however little the pty takes at a time', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 8 }), { maxLength: 10 }),
        fc.array(fc.nat(5), { maxLength: 30 }),
        (chunks, rooms) => {
          const { clock, pty, queue } = setUp();
          chunks.forEach((chunk, i) => {
            pty.room = rooms[i] ?? 0;
            queue.push(chunk);
          });
          for (const room of rooms) {
            pty.room += room;
            clock.advance(60);
          }
          pty.room = 1000;
          clock.advance(60);
          expect(pty.taken).toEqual(chunks.flatMap((chunk) => [...chunk]));
          expect(queue.waiting).toBe(0);
          expect(clock.waiting).toBe(0);
        },
      ),
    );
  });

  it('tries a pty that takes nothing at most 30 times a second', () => {
    const { clock, pty, queue } = setUp();
    queue.push(Buffer.from('abc'));
    clock.advance(1000);
    pty.attempts = 0;
    clock.advance(1000);
    expect(pty.attempts).toBeGreaterThan(10);
    expect(pty.attempts).toBeLessThan(30);
  });

  it('tries again soon after the program has shown a sign of life', () => {
    const { clock, pty, queue } = setUp();
    queue.push(Buffer.from('abc'));
    clock.advance(1000);
    pty.room = 3;
    queue.hurry();
    clock.advance(2);
    expect(pty.taken).toHaveLength(3);
  });

  it('refuses a whole write that would exceed the cap, and says when it has room again', () => {
    const { clock, pty, queue } = setUp();
    queue.push(new Uint8Array(INPUT_MAX - 10));
    queue.push(new Uint8Array(11));
    expect(pty.refused).toBe(11);
    expect(queue.waiting).toBe(INPUT_MAX - 10);
    queue.push(new Uint8Array(10));
    expect(queue.waiting).toBe(INPUT_MAX);
    pty.taken.push = () => 0;
    pty.room = INPUT_MAX;
    clock.advance(60);
    expect(pty.drained).toBe(1);
    expect(queue.waiting).toBe(0);
  });

  it('forgets everything when cleared', () => {
    const { clock, pty, queue } = setUp();
    queue.push(Buffer.from('abc'));
    queue.clear();
    pty.room = 10;
    clock.advance(1000);
    expect(pty.taken).toEqual([]);
    expect(clock.waiting).toBe(0);
  });
});
