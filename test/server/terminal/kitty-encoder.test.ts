import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InputParser } from '../../../client/terminal/input-parser.ts';
import { type KeyDetail, NAMED_KEYS, parseChord, parseKey } from '../../../protocol/key.ts';
import { encodeKitty } from '../../../server/terminal/kitty-encoder.ts';

const chord = (name: string) => parseChord(name)!;
const encode = (name: string, flags: number, detail?: KeyDetail) => encodeKitty(chord(name), flags, detail);
const NOTHING: KeyDetail = { event: 'press', modifiers: 0, code: 0, shifted: 0, base: 0, text: '' };

describe('a key for a program that speaks the kitty keyboard protocol', () => {
  it.each([
    // Disambiguated: text and the plain Enter, Tab and Backspace stay as they were.
    ['a', 1, 'a'],
    ['A', 1, 'A'],
    ['é', 1, 'é'],
    ['Space', 1, ' '],
    ['Enter', 1, '\r'],
    ['Tab', 1, '\t'],
    ['BSpace', 1, '\x7f'],
    ['KP5', 1, '5'],
    ['Escape', 1, '\x1b[27u'],
    ['S-Enter', 1, '\x1b[13;2u'],
    ['C-Enter', 1, '\x1b[13;5u'],
    ['C-i', 1, '\x1b[105;5u'],
    ['C-a', 1, '\x1b[97;5u'],
    ['C-S-a', 1, '\x1b[97;6u'],
    ['M-a', 1, '\x1b[97;3u'],
    ['M-A', 1, '\x1b[97;4u'],
    ['C-Space', 1, '\x1b[32;5u'],
    ['BTab', 1, '\x1b[9;2u'],
    ['C-BSpace', 1, '\x1b[127;5u'],
    ['KPEnter', 1, '\x1b[57414u'],
    ['C-KP5', 1, '\x1b[57404;5u'],
    ['Up', 1, '\x1b[A'],
    ['C-Up', 1, '\x1b[1;5A'],
    ['F1', 1, '\x1b[P'],
    ['F3', 1, '\x1b[13~'],
    ['S-F5', 1, '\x1b[15;2~'],
    ['F13', 1, '\x1b[57376u'],
    ['DC', 1, '\x1b[3~'],
    // With alternates.
    ['M-A', 5, '\x1b[97:65;4u'],
    ['C-S-a', 5, '\x1b[97:65;6u'],
    // Everything as an escape code.
    ['a', 8, '\x1b[97u'],
    ['A', 8, '\x1b[97;2u'],
    ['Enter', 8, '\x1b[13u'],
    ['Tab', 8, '\x1b[9u'],
    ['a', 24, '\x1b[97;;97u'],
    ['A', 28, '\x1b[97:65;2;65u'],
    ['C-a', 24, '\x1b[97;5u'],
    ['KP5', 24, '\x1b[57404;;53u'],
  ])('%s with flags %i is %j', (name, flags, bytes) => {
    expect(encode(name, flags)).toBe(bytes);
  });

  it.each([
    ['a', 1, { event: 'release', code: 97 }, ''],
    ['a', 3, { event: 'release', code: 97 }, '\x1b[97;1:3u'],
    ['a', 3, { event: 'repeat', code: 97 }, 'a'],
    ['a', 11, { event: 'repeat', code: 97 }, '\x1b[97;1:2u'],
    ['Enter', 3, { event: 'release' }, ''],
    ['Enter', 11, { event: 'release' }, '\x1b[13;1:3u'],
    ['Up', 3, { event: 'repeat' }, '\x1b[1;1:2A'],
    ['Up', 1, { event: 'repeat' }, '\x1b[A'],
    ['S-DC', 2, { event: 'release', modifiers: 1 }, '\x1b[3;2:3~'],
    ['!', 8 + 4 + 16, { code: 49, shifted: 33, modifiers: 1, text: '!' }, '\x1b[49:33;2;33u'],
    ['C-c', 5, { code: 0x441, base: 99, modifiers: 4 }, '\x1b[1089::99;5u'],
    ['c', 1, { code: 99, modifiers: 8 }, '\x1b[99;9u'],
    ['a', 1, { code: 97, modifiers: 64, text: 'A' }, 'A'],
    ['Up', 1, { modifiers: 128 }, '\x1b[A'],
    ['Up', 8, { modifiers: 128 }, '\x1b[1;129A'],
  ] as const)('%s with flags %i and %j is %j', (name, flags, told, bytes) => {
    expect(encode(name, flags, { ...NOTHING, ...told })).toBe(bytes);
  });

  it('is none for the mouse and other keys that no keyboard has', () => {
    for (const name of ['MouseDown1Pane', 'User3', 'Any']) expect(encode(name, 9)).toBeUndefined();
  });

  const keyboard = NAMED_KEYS.filter((name) => !/^(?:Any|Focus|Paste|NUL)/.test(name));
  const base = fc.oneof(fc.constantFrom(...keyboard), fc.constantFrom(...'azAZ09[]\\/-=;,.!@#?~éßñЖя漢😀'));
  const modifiers = fc.tuple(...['C-', 'M-', 'S-'].map((prefix) => fc.constantFrom('', prefix)));
  const changing = fc.integer({ min: 0, max: 31 }).filter((flags) => (flags & 11) !== 0);

  it('is read back as the same key by a client, whatever the flags', () => {
    fc.assert(
      fc.property(base, modifiers, changing, (name, held, flags) => {
        const key = canonical(held.join('') + name);
        fc.pre(key !== undefined);
        const parser = new InputParser();
        const { events, replies } = parser.feed(Buffer.from(encode(key!, flags) ?? ''), 0);
        expect(replies).toEqual([]);
        expect(events.map((event) => event.kind === 'key' && event.key)).toEqual([read(key!, flags)]);
      }),
      { numRuns: 3000 },
    );
  });

  /** The name that a client gives the key: Shift is in the character. */
  function canonical(name: string): string | undefined {
    const key = parseKey(name);
    const parsed = key && parseChord(key);
    if (!parsed) return undefined;
    const isText = [...parsed.base].length === 1;
    const hasCase = parsed.base.toLowerCase() !== parsed.base.toUpperCase();
    if (parsed.shift && isText && !(parsed.ctrl && hasCase)) return undefined;
    if (parsed.shift && parsed.base === 'Tab') return undefined;
    if (parsed.base === 'BTab' && parsed.shift) return undefined;
    if (parsed.ctrl && isText && parsed.base !== parsed.base.toLowerCase()) return undefined;
    if (parsed.ctrl && parsed.base === '@') return undefined;
    return key;
  }

  /** What is sent as text cannot say more than the text. */
  function read(key: string, flags: number): string {
    const parsed = chord(key);
    if (flags & 8 || parsed.ctrl || parsed.meta) return key;
    if (parsed.base.startsWith('KP') && parsed.base !== 'KPEnter') return parsed.base.slice(2);
    return parsed.base === 'Space' ? 'Space' : key;
  }
});
