import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NAMED_KEYS, parseKey } from '../../protocol/key.ts';
import { legacyKey, plainEvent } from '../../protocol/legacy-key.ts';

describe('the key that a plain terminal sends in place of another', () => {
  it.each([
    ['S-Enter', 'Enter'],
    ['C-Enter', 'Enter'],
    ['M-S-Enter', 'M-Enter'],
    ['C-i', 'Tab'],
    ['M-C-i', 'M-Tab'],
    ['C-m', 'Enter'],
    ['C-[', 'Escape'],
    ['C-S-i', 'Tab'],
    ['C-S-a', 'C-a'],
    ['C-Tab', 'Tab'],
    ['C-BTab', 'BTab'],
    ['S-Tab', 'BTab'],
    ['C-BSpace', 'C-h'],
    ['S-Space', 'Space'],
    ['C-S-Space', 'C-Space'],
    ['C-2', 'C-Space'],
    ['C-3', 'Escape'],
    ['C-8', 'BSpace'],
    ['C-9', '9'],
    ['C-;', ';'],
    ['S-KP5', 'KP5'],
    ['S-a', 'A'],
  ])('%s is %s', (key, plain) => {
    expect(legacyKey(key)).toBe(plain);
  });

  it.each([
    'a',
    'A',
    'é',
    'C-a',
    'M-x',
    'C-Space',
    'C-\\',
    'S-Up',
    'C-S-F5',
    'M-Enter',
    'BTab',
    'C-MouseDown1Pane',
    'Any',
  ])('%s is itself', (key) => {
    expect(legacyKey(key)).toBe(key);
  });

  it('is one that stays itself, whatever the key', () => {
    const name = fc.oneof(fc.constantFrom(...NAMED_KEYS), fc.string({ minLength: 1, maxLength: 1, unit: 'grapheme' }));
    const held = fc.subarray(['C-', 'M-', 'S-']);
    fc.assert(
      fc.property(held, name, (modifiers, base) => {
        const key = parseKey(modifiers.join('') + base);
        fc.pre(key !== undefined);
        const plain = legacyKey(key!);
        expect(parseKey(plain)).toBe(plain);
        expect(legacyKey(plain)).toBe(plain);
      }),
    );
  });

  it('is none for releases and keys with Super', () => {
    const detail = { event: 'press', modifiers: 1, code: 0, shifted: 0, base: 0, text: '' } as const;
    const event = { kind: 'key', key: 'S-Enter', detail } as const;
    expect(plainEvent(event)).toEqual({ kind: 'key', key: 'Enter' });
    expect(plainEvent({ ...event, detail: { ...detail, event: 'release' } })).toBeUndefined();
    expect(plainEvent({ ...event, detail: { ...detail, modifiers: 8 } })).toBeUndefined();
    expect(plainEvent({ kind: 'paste', text: 'x' })).toEqual({ kind: 'paste', text: 'x' });
  });
});
