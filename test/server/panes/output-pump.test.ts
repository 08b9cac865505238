import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Pane } from '../../../server/model/pane.ts';
import { OutputPump, SLICE_BYTES } from '../../../server/panes/output-pump.ts';

/** The pump only tells panes apart. */
const pane = (name: string): Pane => ({ name }) as unknown as Pane;
const nameOf = (of: Pane) => (of as unknown as { readonly name: string }).name;

let nowMs: number;
let turns: (() => void)[];
let timers: (() => void)[];
/** Slices as `pane:bytes`, drained panes as `pane!`. */
let parsed: string[];
let pump: OutputPump;

beforeEach(() => {
  nowMs = 0;
  turns = [];
  timers = [];
  parsed = [];
  pump = new OutputPump({
    now: () => nowMs,
    nextTurn: (run) => turns.push(run),
    after: (_, run) => {
      timers.push(run);
      return () => {};
    },
    // Each slice takes a millisecond.
    parse: (of, bytes) => {
      nowMs++;
      parsed.push(`${nameOf(of)}:${bytes.length}`);
    },
    drained: (of) => parsed.push(`${nameOf(of)}!`),
  });
});

/** One turn of the event loop; what was parsed in it. */
function turn(): string[] {
  parsed = [];
  for (const run of turns.splice(0)) run();
  return parsed;
}

const flood = (slices: number) => new Uint8Array(slices * SLICE_BYTES);

describe('output', () => {
  test('after quiet is parsed at once', () => {
    pump.push(pane('a'), new Uint8Array(3));
    expect(parsed).toEqual(['a:3', 'a!']);
    expect(turns).toEqual([]);
  });

  test('of a flood is parsed in slices, with a pause for everything else', () => {
    pump.push(pane('a'), flood(5));
    expect(parsed).toEqual(['a:4096', 'a:4096']);
    expect(turn()).toEqual(['a:4096', 'a:4096']);
    expect(turn()).toEqual(['a:4096', 'a!']);
    expect(turns).toEqual([]);
  });

  test('of several panes is parsed in turns', () => {
    const [a, b] = [pane('a'), pane('b')];
    pump.push(a, flood(4));
    pump.push(b, flood(2));
    expect(turn()).toEqual(['a:4096', 'b:4096']);
    expect(turn()).toEqual(['a:4096', 'a!', 'b:4096', 'b!']);
  });

  test('of one pane is parsed to its end where that is asked for, and the others keep their turns', () => {
    const [a, b] = [pane('a'), pane('b')];
    pump.push(a, flood(4));
    pump.push(b, flood(2));
    parsed = [];
    pump.finish(b);
    expect(parsed).toEqual(['b:4096', 'b:4096', 'b!']);
    expect(turn()).toEqual(['a:4096', 'a:4096', 'a!']);
  });

  test('of a pane that is gone is dropped', () => {
    const a = pane('a');
    pump.push(a, flood(4));
    expect(pump.hasOutput(a)).toBe(true);
    pump.forget(a);
    expect(pump.hasOutput(a)).toBe(false);
    expect(turn()).toEqual([]);
  });
});

describe('the pane that was typed into', () => {
  test('is parsed as it comes in the middle of a flood, and the flood waits until that is drawn', () => {
    const [a, b] = [pane('a'), pane('b')];
    pump.push(a, flood(10));
    pump.favour(b);
    parsed = [];
    pump.push(b, new Uint8Array(1));
    expect(parsed).toEqual(['b:1', 'b!']);
    expect(turn()).toEqual([]);
    expect(turn()).toEqual(['a:4096']);
  });

  test('comes before what was read from others together with it', () => {
    const [a, b] = [pane('a'), pane('b')];
    pump.favour(b);
    pump.push(a, flood(4));
    expect(parsed).toEqual([]);
    pump.push(b, new Uint8Array(1));
    expect(parsed).toEqual(['b:1', 'b!']);
    expect(turn()).toEqual([]);
    expect(turn()).toEqual(['a:4096']);
  });

  test('has the machine for a while: what others flood goes on after each rest, itself never rests', () => {
    const [a, b] = [pane('a'), pane('b')];
    pump.push(a, flood(10));
    pump.favour(b);
    expect(turn()).toEqual(['a:4096']);
    expect(turn()).toEqual([]);
    pump.push(b, flood(3));
    expect(parsed).toEqual(['b:4096']);
    expect(turn()).toEqual(['b:4096']);
    expect(turn()).toEqual(['b:4096', 'b!']);
    expect(turn()).toEqual([]);
    parsed = [];
    for (const run of timers.splice(0)) run();
    expect(parsed).toEqual(['a:4096']);
    expect(turn()).toEqual([]);
    expect(timers).toHaveLength(1);
  });

  test('is forgotten when nothing was typed for a while: the others go on without rest', () => {
    const [a, b] = [pane('a'), pane('b')];
    pump.push(a, flood(10));
    pump.favour(b);
    nowMs += 1000;
    expect(turn()).toEqual(['a:4096', 'a:4096']);
    expect(turn()).toEqual(['a:4096', 'a:4096']);
  });

  test('is first when its output waits already', () => {
    const [a, b] = [pane('a'), pane('b')];
    pump.push(a, flood(4));
    pump.push(b, flood(2));
    pump.favour(b);
    expect(turn()).toEqual(['b:4096']);
    expect(turn()).toEqual(['a:4096']);
    expect(turn()).toEqual(['b:4096', 'b!']);
  });

  test('is preferred once for a key: its own flood waits as the others do', () => {
    const [a, b] = [pane('a'), pane('b')];
    pump.push(a, flood(6));
    pump.favour(b);
    parsed = [];
    pump.push(b, flood(3));
    pump.push(b, flood(1));
    expect(parsed).toEqual(['b:4096']);
  });
});

test('every byte is parsed once and in order, whatever comes when', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('push' as const), pane: fc.nat(2), bytes: fc.nat(3 * SLICE_BYTES) }),
    fc.record({ kind: fc.constantFrom('favour', 'turn'), pane: fc.nat(2) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const panes = [pane('0'), pane('1'), pane('2')] as const;
      const pushed = [0, 0, 0];
      const seen = [0, 0, 0];
      const queue: (() => void)[] = [];
      const tested = new OutputPump({
        now: () => nowMs,
        nextTurn: (run) => queue.push(run),
        after: (_, run) => {
          queue.push(run);
          return () => {};
        },
        parse: (of, bytes) => {
          nowMs++;
          const at = Number(nameOf(of));
          // One claim a slice: an `expect` a byte would take most of the time.
          const start = seen[at]!;
          seen[at] = start + bytes.length;
          expect(bytes.every((byte, i) => byte === ((start + i) & 0xff))).toBe(true);
        },
        drained: (of) => expect(seen[Number(nameOf(of))]).toBe(pushed[Number(nameOf(of))]),
      });
      const turnOnce = () => {
        for (const run of queue.splice(0)) run();
      };
      for (const next of steps) {
        if (next.kind === 'push' && 'bytes' in next && next.bytes > 0) {
          const from = pushed[next.pane]!;
          pushed[next.pane] = from + next.bytes;
          tested.push(
            panes[next.pane]!,
            Uint8Array.from({ length: next.bytes }, (_, i) => (from + i) & 0xff),
          );
        } else if (next.kind === 'favour') tested.favour(panes[next.pane]!);
        else turnOnce();
      }
      for (let i = 0; i < 200 && queue.length > 0; i++) turnOnce();
      expect(seen).toEqual(pushed);
    }),
    { numRuns: 100 },
  );
});
