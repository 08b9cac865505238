import fc from 'fast-check';
import { Packr } from 'msgpackr';
import { describe, expect, it } from 'vitest';
import type { ReopenedState } from '../../../server/model/reopening.ts';
import { readReopening } from '../../../server/survival/reopening-schema.ts';

const packr = new Packr({ useRecords: false });
const text = fc.string({ unit: 'grapheme', maxLength: 8 });
const count = fc.nat();
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value);

const state: fc.Arbitrary<ReopenedState> = fc.oneof(
  fc.constant({ kind: 'clock' } as const),
  fc.record({
    kind: fc.constant('prompt' as const),
    questions: fc.array(fc.record({ label: text, initial: text }), { minLength: 1, maxLength: 3 }),
    answers: fc.array(text, { maxLength: 3 }),
    text,
    cursor: count,
    isViCommand: fc.boolean(),
    template: orNull(text),
  }),
  fc.record({
    kind: fc.constant('menu' as const),
    title: text,
    lines: fc.array(orNull(fc.record({ name: text, keyName: text, command: text })), { maxLength: 3 }),
    x: count,
    y: count,
    highlight: fc.integer({ min: -1, max: 9 }),
    top: count,
  }),
  fc.record({
    kind: fc.constant('filter' as const),
    text,
    cursor: count,
    highlighted: orNull(fc.record({ text, detail: text })),
  }),
  fc.record({
    kind: fc.constant('list' as const),
    current: orNull(text),
    start: orNull(text),
    top: count,
    tags: fc.array(text, { maxLength: 3 }),
    opened: fc.array(fc.tuple(text, fc.boolean()), { maxLength: 3 }),
    sort: orNull(text),
    isReversed: fc.boolean(),
    filter: orNull(text),
    search: text,
    showsPreview: fc.boolean(),
    previewScroll: count,
    didZoom: fc.boolean(),
  }),
);

const reopening = fc.oneof(
  fc.record({ kind: fc.constant('command'), command: text, session: count, window: count, pane: count, state }),
  fc.record({ kind: fc.constant('key'), pane: count, key: text, state }),
);

describe('what brings modes and overlays back', () => {
  it('is read as it was packed', () => {
    fc.assert(
      fc.property(reopening, (value) => {
        expect(readReopening(packr.unpack(packr.pack(value)))).toEqual(value);
      }),
    );
  });

  it('is refused where a part is of another kind, with the place where it is', () => {
    expect(() => readReopening({ kind: 'key', pane: 1, key: 'x', state: { kind: 'dialog' } })).toThrow(
      /^state\.kind: /,
    );
    fc.assert(
      fc.property(reopening, fc.anything(), (value, other) => {
        for (const key of Object.keys(value)) {
          const changed: Record<string, unknown> = { ...value, [key]: other };
          const before: unknown = Reflect.get(value, key);
          if (typeof before === typeof other && typeof before !== 'object') continue;
          let read: unknown;
          try {
            read = readReopening(changed);
          } catch (error) {
            expect(error).toBeInstanceOf(Error);
            continue;
          }
          // Only an object of the right shape gets through.
          expect(typeof other).toBe('object');
          expect(read).toBeDefined();
        }
      }),
    );
  });

  it('keeps only what it knows', () => {
    const known = { kind: 'key', pane: 1, key: 'x', state: { kind: 'clock' } };
    expect(readReopening({ ...known, more: 1 })).toEqual(known);
  });
});
