/**
 * What terminals send for keys, as tables: xterm and its kin (VTE, kitty, foot, WezTerm, ghostty), rxvt, the Linux
 * console. Sources: XTerm Control Sequences (Edward Moy, Thomas Dickey), rxvtRef(7), console_codes(4), the kitty keyboard
 * protocol.
 */
import { isPrivateKey, type KeyChord } from '../../protocol/key.ts';

/** `CSI … X` by its final byte, modifiers in the second parameter. */
export const CSI_FINALS: Readonly<Record<string, string>> = {
  A: 'Up',
  B: 'Down',
  C: 'Right',
  D: 'Left',
  F: 'End',
  H: 'Home',
  P: 'F1',
  Q: 'F2',
  R: 'F3',
  S: 'F4',
};

/** rxvt: `CSI a` is shifted, `SS3 a` with Control. */
export const RXVT_ARROWS: Readonly<Record<string, string>> = { a: 'Up', b: 'Down', c: 'Right', d: 'Left' };

/** The Linux console: `CSI [ A`. */
export const LINUX_FINALS: Readonly<Record<string, string>> = { A: 'F1', B: 'F2', C: 'F3', D: 'F4', E: 'F5' };

/** `SS3 X`: application cursor keys and application keypad. */
export const SS3_FINALS: Readonly<Record<string, string>> = {
  A: 'Up',
  B: 'Down',
  C: 'Right',
  D: 'Left',
  F: 'End',
  H: 'Home',
  P: 'F1',
  Q: 'F2',
  R: 'F3',
  S: 'F4',
  I: 'Tab',
  M: 'KPEnter',
  j: 'KP*',
  k: 'KP+',
  m: 'KP-',
  n: 'KP.',
  o: 'KP/',
  p: 'KP0',
  q: 'KP1',
  r: 'KP2',
  s: 'KP3',
  t: 'KP4',
  u: 'KP5',
  v: 'KP6',
  w: 'KP7',
  x: 'KP8',
  y: 'KP9',
};

/** `CSI n ~`. */
export const TILDE_KEYS: Readonly<Record<number, string>> = {
  1: 'Home',
  2: 'IC',
  3: 'DC',
  4: 'End',
  5: 'PPage',
  6: 'NPage',
  7: 'Home',
  8: 'End',
  11: 'F1',
  12: 'F2',
  13: 'F3',
  14: 'F4',
  15: 'F5',
  17: 'F6',
  18: 'F7',
  19: 'F8',
  20: 'F9',
  21: 'F10',
  23: 'F11',
  24: 'F12',
  25: 'F13',
  26: 'F14',
  28: 'F15',
  29: 'F16',
  31: 'F17',
  32: 'F18',
  33: 'F19',
  34: 'F20',
};

/** Keys that the kitty protocol numbers in Unicode's private use area. */
const KITTY_KEYS: Readonly<Record<number, string>> = {
  57409: 'KP.',
  57410: 'KP/',
  57411: 'KP*',
  57412: 'KP-',
  57413: 'KP+',
  57414: 'KPEnter',
  57417: 'Left',
  57418: 'Right',
  57419: 'Up',
  57420: 'Down',
  57421: 'PPage',
  57422: 'NPage',
  57423: 'Home',
  57424: 'End',
  57425: 'IC',
  57426: 'DC',
};
const KITTY_F13 = 57376;
const KITTY_KP0 = 57399;
/**
 * Keys that it numbers there and that nobody else knows: locks, Print, Pause and Menu, F21 to F35, = and the separator of
 * the keypad and its middle key, media keys, modifiers alone.
 */
const UNNAMED_KEYS: readonly (readonly [first: number, last: number])[] = [
  [57358, 57363],
  [57384, 57398],
  [57415, 57416],
  [57427, 57454],
];

export const MODIFIER_NONE = 1;
const SHIFT = 1;
const ALT = 2;
const CTRL = 4;
const META = 32;

/** A key with the modifiers of xterm's parameter: 1 + (1 shift, 2 alt, 4 control, 32 meta; others are not told apart). */
export function chordOf(base: string, modifier: number): KeyChord {
  const bits = Math.max(0, modifier - 1);
  const shift = (bits & SHIFT) !== 0;
  const chord = { ctrl: (bits & CTRL) !== 0, meta: (bits & (ALT | META)) !== 0 };
  if (base === 'Tab' && shift) return { base: 'BTab', ...chord, shift: false };
  return { base, ...chord, shift };
}

/** The key of a control or ASCII byte, as every terminal sends it. */
export function byteChord(byte: number): KeyChord {
  const plain = { ctrl: false, meta: false, shift: false };
  switch (byte) {
    case 0x00:
      return { ...plain, base: 'Space', ctrl: true };
    case 0x09:
      return { ...plain, base: 'Tab' };
    case 0x0d:
      return { ...plain, base: 'Enter' };
    case 0x1b:
      return { ...plain, base: 'Escape' };
    case 0x20:
      return { ...plain, base: 'Space' };
    case 0x7f:
      return { ...plain, base: 'BSpace' };
    default:
      if (byte > 0x20) return { ...plain, base: String.fromCharCode(byte) };
      return { ...plain, ctrl: true, base: String.fromCharCode(byte < 0x1b ? byte + 0x60 : byte + 0x40) };
  }
}

/** A key given by its Unicode code point. */
export interface CodedKey {
  readonly code: number;
  /** As xterm's parameter. */
  readonly modifier: number;
  /** kitty's alternate codes, 0 if absent: with Shift, and in the key's place on the standard layout. */
  readonly shifted?: number;
  readonly base?: number;
  /** The text that it makes, '' if that was not told. */
  readonly text?: string;
}

/** A key that has no name, by its number: `Key57441`. It cannot be bound and is told with its detail alone. */
export function unnamedKey(code: number): KeyChord | undefined {
  const isKnown = UNNAMED_KEYS.some(([first, last]) => code >= first && code <= last);
  return isKnown ? chordOf(`Key${code}`, MODIFIER_NONE) : undefined;
}

/**
 * A key given by its Unicode code point: `CSI code ; modifier u` and `CSI 27 ; modifier ; code ~`. undefined for keys that
 * have no name (`unnamedKey`).
 */
export function codeChord(key: CodedKey): KeyChord | undefined {
  const { code, modifier } = key;
  if (isPrivateKey(code)) {
    const base = kittyKey(code);
    return base === undefined ? undefined : chordOf(base, modifier);
  }
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) || (code >= 0x80 && code < 0xa0)) return undefined;
  if (code < 0x20 && ![0x09, 0x0d, 0x1b, 0x08].includes(code)) return undefined;
  if (code === 0x08) return chordOf('BSpace', modifier);
  const named = byteNamed(code);
  if (named !== undefined) return chordOf(named, modifier);
  return printableChord(key);
}

function byteNamed(code: number): string | undefined {
  const isNamed = code <= 0x20 || code === 0x7f;
  return isNamed ? byteChord(code).base : undefined;
}

/** Shift alone is in the character itself; with Control or Meta it is a modifier of a small letter. */
function printableChord({ code, modifier, shifted = 0, base = 0, text = '' }: CodedKey): KeyChord {
  const chord = chordOf(String.fromCodePoint(code), modifier);
  const character = chord.base;
  if (chord.ctrl) return controlChord(chord, { shifted, base });
  // Caps lock, and whatever else the layout does, is in the text.
  if (!chord.meta && [...text].length === 1) return { ...chord, base: text, shift: false };
  if (!chord.shift) return chord;
  const upper = shifted >= 0x20 && shifted <= 0x10ffff ? String.fromCodePoint(shifted) : character.toUpperCase();
  return { ...chord, base: [...upper].length === 1 ? upper : character, shift: false };
}

/** With Control a key of another script is the one in its place on the standard layout, as without the protocol. */
function controlChord(
  chord: KeyChord,
  { shifted, base }: { readonly shifted: number; readonly base: number },
): KeyChord {
  const isAscii = chord.base < '\x80';
  const character = !isAscii && base > 0x20 && base < 0x7f ? String.fromCharCode(base) : chord.base;
  if (character === '@') return { ...chord, base: 'Space', shift: false };
  const isLetter = character.toLowerCase() !== character.toUpperCase();
  if (isLetter || !chord.shift) return { ...chord, base: character.toLowerCase(), shift: chord.shift };
  const isShifted = shifted > 0x20 && shifted < 0x7f;
  if (shifted === 0x40) return { ...chord, base: 'Space', shift: false };
  return { ...chord, base: isShifted ? String.fromCharCode(shifted) : character, shift: false };
}

function kittyKey(code: number): string | undefined {
  if (code >= KITTY_F13 && code < KITTY_F13 + 8) return `F${13 + code - KITTY_F13}`;
  if (code >= KITTY_KP0 && code < KITTY_KP0 + 10) return `KP${code - KITTY_KP0}`;
  return KITTY_KEYS[code];
}
