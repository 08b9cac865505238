/**
 * Keys as the kitty keyboard protocol tells them ("Comprehensive keyboard handling in terminals"). What the person's
 * terminal did not tell of a key is taken from its name: a capital letter is the small one with Shift, there are no
 * repeats and releases, and a key's place on the standard layout is not known.
 */
import { isModifierKey, KEY_FLAGS, KEY_MODIFIERS, type KeyChord, type KeyDetail } from '../../protocol/key.ts';

/** Flags that change how keys are told; the others only add to it. */
const CHANGING = KEY_FLAGS.disambiguate | KEY_FLAGS.events | KEY_FLAGS.all;

/** Keys that make no text: [number, final]. */
const FUNCTIONAL: Readonly<Record<string, readonly [code: number, final: string]>> = {
  Escape: [27, 'u'],
  Enter: [13, 'u'],
  Tab: [9, 'u'],
  BSpace: [127, 'u'],
  IC: [2, '~'],
  DC: [3, '~'],
  PPage: [5, '~'],
  NPage: [6, '~'],
  Up: [1, 'A'],
  Down: [1, 'B'],
  Right: [1, 'C'],
  Left: [1, 'D'],
  Home: [1, 'H'],
  End: [1, 'F'],
  F1: [1, 'P'],
  F2: [1, 'Q'],
  F3: [13, '~'],
  F4: [1, 'S'],
  F5: [15, '~'],
  F6: [17, '~'],
  F7: [18, '~'],
  F8: [19, '~'],
  F9: [20, '~'],
  F10: [21, '~'],
  F11: [23, '~'],
  F12: [24, '~'],
  ...Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`F${13 + i}`, [57376 + i, 'u'] as const])),
  KPEnter: [57414, 'u'],
};
/** Keys that are the same bytes as ever while nothing is held, so that a person can always type `reset`. */
const PLAIN_KEYS: Readonly<Record<string, string>> = { Enter: '\r', Tab: '\t', BSpace: '\x7f' };

/** Keys of the keypad that make text: [code, text]. */
const KEYPAD: Readonly<Record<string, readonly [code: number, text: string]>> = {
  ...Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`KP${i}`, [57399 + i, String(i)] as const])),
  'KP.': [57409, '.'],
  'KP/': [57410, '/'],
  'KP*': [57411, '*'],
  'KP-': [57412, '-'],
  'KP+': [57413, '+'],
};

const LOCKS = KEY_MODIFIERS.capsLock | KEY_MODIFIERS.numLock;

/** Whether these flags make a program's keys other than a plain terminal's. */
export function speaksKitty(flags: number): boolean {
  return (flags & CHANGING) !== 0;
}

/** The bytes for a key; '' for an event that was not asked for; undefined for what is no key of a keyboard. */
export function encodeKitty(named: KeyChord, flags: number, detail: KeyDetail | undefined): string | undefined {
  const chord = named.base === 'BTab' ? { ...named, base: 'Tab', shift: true } : named;
  const event = detail?.event ?? 'press';
  if (event === 'release' && !(flags & KEY_FLAGS.events)) return '';
  const functional = FUNCTIONAL[chord.base];
  if (functional) return encodeFunctional(chord, functional, { flags, detail, event });
  const text = textKey(chord, detail);
  return text && encodeText(text, { flags, detail, event });
}

/** The bytes for a key that has a number and no name; '' for a program that did not ask for it. */
export function encodeUnnamed({ code, event, modifiers }: KeyDetail, flags: number): string {
  if (!speaksKitty(flags) || (isModifierKey(code) && !(flags & KEY_FLAGS.all))) return '';
  if (event === 'release' && !(flags & KEY_FLAGS.events)) return '';
  const told = flags & KEY_FLAGS.all ? modifiers : modifiers & ~LOCKS;
  const field = modifierField(told, event, flags);
  return `\x1b[${code}${field === '' ? '' : `;${field}`}u`;
}

interface Telling {
  readonly flags: number;
  readonly detail: KeyDetail | undefined;
  readonly event: KeyDetail['event'];
}

function encodeFunctional(
  chord: KeyChord,
  [code, final]: readonly [number, string],
  { flags, detail, event }: Telling,
): string {
  const modifiers = modifiersOf(chord, detail, flags);
  const plain = PLAIN_KEYS[chord.base];
  if (plain !== undefined && !(flags & KEY_FLAGS.all)) {
    if (event === 'release') return '';
    if (modifiers === 0) return plain;
  }
  const field = modifierField(modifiers, event, flags);
  const number = code === 1 && field === '' ? '' : String(code);
  return `\x1b[${number}${field === '' ? '' : `;${field}`}${final}`;
}

/** A key that makes text. */
interface TextKey {
  readonly code: number;
  readonly shifted: number;
  readonly base: number;
  readonly modifiers: number;
  readonly text: string;
}

function textKey(chord: KeyChord, detail: KeyDetail | undefined): TextKey | undefined {
  const keypad = KEYPAD[chord.base];
  const character = chord.base === 'Space' ? ' ' : (keypad?.[1] ?? chord.base);
  if ([...character].length !== 1) return undefined;
  const small = keypad || chord.base === 'Space' ? character : smallOf(character);
  const isCapital = small !== character;
  const modifiers = modifiersOf(isCapital ? { ...chord, shift: true } : chord, detail, KEY_FLAGS.all);
  const capital = chord.shift && !isCapital ? character.toUpperCase() : character;
  const shifted = modifiers & KEY_MODIFIERS.shift && [...capital].length === 1 ? (capital.codePointAt(0) ?? 0) : 0;
  const code = keypad?.[0] ?? small.codePointAt(0) ?? 0;
  const makesText = !(modifiers & ~(KEY_MODIFIERS.shift | LOCKS));
  return {
    code: detail?.code || code,
    shifted: detail?.shifted || (shifted === code || keypad ? 0 : shifted),
    base: detail?.base ?? 0,
    modifiers,
    text: makesText ? detail?.text || (modifiers & KEY_MODIFIERS.shift ? capital : character) : '',
  };
}

function smallOf(character: string): string {
  const small = character.toLowerCase();
  return [...small].length === 1 && small.toUpperCase() === character ? small : character;
}

function encodeText(key: TextKey, { flags, event }: Telling): string {
  const tellsAll = (flags & KEY_FLAGS.all) !== 0;
  if (!tellsAll && key.text !== '' && event !== 'release') return key.text;
  const modifiers = tellsAll ? key.modifiers : key.modifiers & ~LOCKS;
  const field = modifierField(modifiers, event, flags);
  const tellsText = tellsAll && (flags & KEY_FLAGS.text) !== 0 && event !== 'release';
  const text = tellsText ? [...key.text].map((character) => character.codePointAt(0)).join(':') : '';
  const fields = [codeField(key, flags), field, text];
  while (fields.at(-1) === '') fields.pop();
  return `\x1b[${fields.join(';')}u`;
}

/** `code:shifted:base`, as much as was asked for and is known. */
function codeField({ code, shifted, base, modifiers }: TextKey, flags: number): string {
  if (!(flags & KEY_FLAGS.alternates)) return String(code);
  const withShift = modifiers & KEY_MODIFIERS.shift ? shifted : 0;
  const onStandard = base === code ? 0 : base;
  if (onStandard) return `${code}:${withShift || ''}:${onStandard}`;
  return withShift ? `${code}:${withShift}` : String(code);
}

/** `modifiers:event`, '' if there is nothing to tell. */
function modifierField(modifiers: number, event: KeyDetail['event'], flags: number): string {
  const number = flags & KEY_FLAGS.events && event !== 'press' ? `:${event === 'repeat' ? 2 : 3}` : '';
  return modifiers === 0 && number === '' ? '' : `${modifiers + 1}${number}`;
}

/** Locks are told only where every key is. */
function modifiersOf(chord: KeyChord, detail: KeyDetail | undefined, flags: number): number {
  if (detail) return flags & KEY_FLAGS.all ? detail.modifiers : detail.modifiers & ~LOCKS;
  const { shift, alt, ctrl } = KEY_MODIFIERS;
  return (chord.shift ? shift : 0) + (chord.meta ? alt : 0) + (chord.ctrl ? ctrl : 0);
}
