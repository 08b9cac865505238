import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NAMED_KEYS } from '../../../protocol/key.ts';
import { compareKeys, parseKeyName, printKeyName } from '../../../server/keys/key-names.ts';

const arbitraryBase = fc.oneof(
  fc.constantFrom(...NAMED_KEYS, 'MouseDown1Pane', 'WheelUpStatus', 'User7'),
  fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 1 }),
  fc.constantFrom('é', '日', 'ß'),
);
const arbitraryKey = fc
  .tuple(fc.subarray(['C-', 'M-', 'S-']), arbitraryBase)
  .map(([modifiers, base]) => parseKeyName(modifiers.join('') + base))
  .filter((key) => key !== undefined);

describe('key names', () => {
  it('are read back as the same key', () => {
    fc.assert(fc.property(arbitraryKey, (key) => parseKeyName(printKeyName(key)) === key));
  });

  it('are canonical: reading a canonical name changes nothing', () => {
    fc.assert(fc.property(arbitraryKey, (key) => parseKeyName(key) === key));
  });

  it('never throw on any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii', maxLength: 12 }), (text) => typeof parseKeyName(text) !== 'object'),
    );
  });

  it('of one key are one, whatever the case and the spelling', () => {
    expect(parseKeyName('C-i')).toBe('Tab');
    expect(parseKeyName('^M')).toBe('Enter');
    expect(parseKeyName('C-[')).toBe('Escape');
    expect(parseKeyName('C-@')).toBe('C-Space');
    expect(parseKeyName('mouseDOWN1pane')).toBe('MouseDown1Pane');
    expect(parseKeyName('0x41')).toBe('A');
    expect(parseKeyName('0x2')).toBe('C-b');
  });

  it('have a strict order', () => {
    fc.assert(
      fc.property(arbitraryKey, arbitraryKey, arbitraryKey, (a, b, c) => {
        expect(Math.sign(compareKeys(a, b))).toBe(-Math.sign(compareKeys(b, a)) + 0);
        if (compareKeys(a, b) < 0 && compareKeys(b, c) < 0) expect(compareKeys(a, c)).toBeLessThan(0);
        if (compareKeys(a, b) === 0) expect(a).toBe(b);
      }),
    );
  });
});
