import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkSpec, checkSpecText, FAULTS_MAX, specJsonSchema } from '../../../src/flow/spec.ts';
import { faultText } from '../../../src/flow/spec-fault.ts';
import { anySpec, isGoodSpec, spoiledSpec } from '../../support/arbitrary-spec.ts';
import { loadFaultVectors, loadVectors } from '../../support/flow-vectors.ts';

/** MPLEX_TEST_FULL makes them 10,000. */
const RUNS = process.env.MPLEX_TEST_FULL ? 10_000 : 2000;

function faultsOf(spec: unknown): readonly string[] {
  const checked = checkSpec(spec);
  return checked.ok ? [] : checked.faults.map(faultText);
}

describe('the check of a spec', () => {
  it.each(loadVectors())('takes the spec of "$name"', ({ spec }) => {
    expect(faultsOf(spec)).toEqual([]);
  });

  it.each(loadFaultVectors())('points at every fault of $name', ({ spec, faults }) => {
    const checked = checkSpec(spec);
    expect(checked.ok ? [] : checked.faults.map(({ path }) => path).sort()).toEqual([...faults].sort());
  });

  it('tells what stands there, what was expected and what was probably meant', () => {
    const screen = {
      id: 'main',
      fields: [{ id: 'env', type: 'select', options: ['a'] }],
      actions: [{ id: 'go', label: 'Go' }],
      next: { goo: '$dne' },
      showif: { evn: 'a' },
    };
    expect(faultsOf({ start: 'mian', screens: [screen] })).toEqual([
      '/screens/0/fields/0/type: expected a field type (choice, text, info), found "select" (did you mean "choice"?)',
      '/start: expected the id of a screen, found "mian" (did you mean "main"?)',
      '/screens/0/showif: expected one of the keys id, title, body, fields, actions, next, show_if, found "showif" (did you mean "show_if"?)',
      '/screens/0/next/goo: expected the id of an action of the screen, found "goo" (did you mean "go"?)',
      '/screens/0/next/goo: expected the id of a screen, "$done" or "$cancel", found "$dne" (did you mean "$done"?)',
    ]);
  });

  it('knows what other tools call a key', () => {
    const field = { id: 'a', type: 'choice', choices: ['x'] };
    expect(faultsOf({ screens: [{ id: 's', fields: [field] }] })).toContain(
      '/screens/0/fields/0/choices: expected one of the keys id, show_if, type, label, options, default, found "choices" (did you mean "options"?)',
    );
  });

  it('takes all that is as long, as many and as much as it may be', () => {
    const many = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));
    const long = (max: number) => 'x'.repeat(max);
    const screens = many(32, (screen) => ({
      id: `${screen}`.padEnd(64, 's'),
      title: long(200),
      body: long(2000),
      fields: [
        {
          id: `${screen}`.padEnd(64, 'c'),
          type: 'choice',
          label: long(200),
          options: many(12, (n) => `${n}`.padEnd(200)),
        },
        { id: `${screen}t`, type: 'text', label: long(200), initial: long(2000) },
        ...many(10, (n) => ({ id: `${screen}i${n}`, type: 'info', text: long(2000) })),
      ],
      actions: many(12, (n) => ({ id: `${n}`.padEnd(64, 'a'), label: long(200) })),
    }));
    for (const timeout of [5, 600]) expect(faultsOf({ v: 1, title: long(200), timeout, screens })).toEqual([]);
  });

  it('counts lengths in code points', () => {
    expect(faultsOf({ title: '😀'.repeat(200), screens: [{ id: 's', body: 'x' }] })).toEqual([]);
    expect(faultsOf({ title: '😀'.repeat(201), screens: [{ id: 's', body: 'x' }] })).toHaveLength(1);
  });

  it('keeps no foreign key and no key of other people', () => {
    const checked = checkSpec({ 'x-a': 1, screens: [{ id: 's', body: 'b', 'x-b': 2 }] });
    expect(checked).toEqual({ ok: true, spec: { screens: [{ id: 's', body: 'b' }] } });
  });

  it('refuses what is no JSON with a word, and what the strict reader refuses', () => {
    for (const text of ['', 'nope', '{"screens":[}', '{"a":1,"a":2}', '{"__proto__":{}}', `${'['.repeat(99)}`]) {
      const checked = checkSpecText(text);
      expect(checked.ok).toBe(false);
      if (!checked.ok) expect(checked.faults[0]?.expected).toMatch(/^JSON/);
    }
  });

  it('never throws, whatever value it gets', () => {
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    const trap = {
      get screens(): never {
        throw new Error('no');
      },
    };
    for (const value of [cycle, trap, undefined, () => {}, Symbol('x'), 10n, new Map(), Number.NaN]) {
      expect(checkSpec(value).ok).toBe(false);
    }
    fc.assert(
      fc.property(
        fc.anything({ withBigInt: true, withNullPrototype: true, withMap: true, withDate: true }),
        (value) => {
          checkSpec(value);
          checkSpec({ screens: [value] });
          checkSpec({
            screens: [{ id: 'a', body: 'x', fields: value, actions: [value], next: value, show_if: value }],
          });
        },
      ),
      { numRuns: 500 },
    );
  });

  it('says how much there is where there is too much', () => {
    const options = Array.from({ length: 13 }, (_, n) => `o${n}`);
    const fields = [{ id: 'c', type: 'choice', label: '😀'.repeat(201), options }];
    expect(faultsOf({ title: 'x'.repeat(201), screens: [{ id: 's', fields }] })).toEqual([
      '/title: expected at most 200 characters, found 201 characters',
      '/screens/0/fields/0/label: expected at most 200 characters, found 201 characters',
      '/screens/0/fields/0/options: expected at most 12 items, found 13 items',
    ]);
  });

  it('tells a bounded number of faults soon, however many there are', () => {
    const screens = Array.from({ length: 20_000 }, () => ({ id: '', fields: [{}], foo: 1 }));
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`key ${n}`, n]));
    const started = performance.now();
    for (const spec of [{ screens }, { ...many, screens: [{ id: 'a', show_if: many, next: many }] }]) {
      const checked = checkSpec(spec);
      expect(checked.ok).toBe(false);
      if (!checked.ok) expect(checked.faults.length).toBeLessThanOrEqual(FAULTS_MAX);
    }
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it('lets nothing foreign into a message as it is', () => {
    const evil = '\x1b]0;x\x07\u202e';
    const text = faultsOf({
      [evil]: evil,
      start: evil,
      screens: [{ id: 's', body: 'x', show_if: { [evil]: 1 } }],
    }).join();
    expect(text).not.toMatch(/[\x00-\x1f\u202e]/);
  });

  it(`takes good specs and no broken one, of ${RUNS} that are made at random`, () => {
    let broken = 0;
    fc.assert(
      fc.property(fc.oneof(anySpec(), spoiledSpec()), (spec) => {
        const isGood = isGoodSpec(spec);
        if (!isGood) broken++;
        const checked = checkSpec(spec);
        expect(checked.ok).toBe(isGood);
        if (!checked.ok) expect(checked.faults.length).toBeGreaterThan(0);
      }),
      { numRuns: RUNS },
    );
    expect(broken).toBeGreaterThan(RUNS / 10);
    expect(broken).toBeLessThan(RUNS * 0.9);
  }, 120_000);
});

describe('the JSON Schema of a spec', () => {
  it('has the caps of the contract and refuses unknown keys', () => {
    const text = JSON.stringify(specJsonSchema());
    expect(specJsonSchema()).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      additionalProperties: false,
      required: ['screens'],
      properties: {
        v: { const: 1 },
        title: { maxLength: 200 },
        timeout: { minimum: 5, maximum: 600 },
        screens: { minItems: 1, maxItems: 32, items: { additionalProperties: false, required: ['id'] } },
      },
    });
    for (const cap of ['"maxLength":64', '"maxLength":2000', '"maxItems":12']) expect(text).toContain(cap);
  });
});
