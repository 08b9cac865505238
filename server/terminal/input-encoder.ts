/**
 * What a person does, as the bytes that a pane's program expects under the modes it set. Keys are those of tmux 3.3a
 * (test/server/terminal/tmux-keys.json is what the real one sends); where tmux would send numbers of its own with
 * modifyOtherKeys, the key's code point is sent. F13 to F20 are the shifted F1 to F8, as in tmux-256color. A program that
 * speaks the kitty keyboard protocol gets keys from kitty-encoder.ts.
 */
import type { InputEvent, Key, KeyChord, KeyDetail, MouseButton } from '../../protocol/key.ts';
import { isPrivateKey, parseChord, printChord } from '../../protocol/key.ts';
import { isPlainPress, legacyKey } from '../../protocol/legacy-key.ts';
import { encodeKitty, encodeUnnamed, speaksKitty } from './kitty-encoder.ts';
import type { CellPixels } from './replies.ts';
import type { PaneModes } from './terminal-modes.ts';

/** The modes that keys depend on. */
export interface KeyModes
  extends Pick<PaneModes, 'appCursor' | 'appKeypad' | 'modifyOtherKeys' | 'focusEvents' | 'keyFlags'> {
  /** How modifyOtherKeys writes a key (option extended-keys-format). */
  readonly extendedFormat: 'csi-u' | 'xterm';
}
export interface MouseModes extends Pick<PaneModes, 'mouseTracking' | 'mouseEncoding'> {
  readonly cellPixels: CellPixels;
}
export type MouseEvent = Extract<InputEvent, { kind: 'mouse' }>;

/** Keys sent as `CSI 1 ; modifiers FINAL` when modified: [final, alone, alone with DECCKM]. */
const LETTER_KEYS: Readonly<Record<string, readonly [final: string, normal: string, application: string]>> = {
  Up: ['A', '\x1b[A', '\x1bOA'],
  Down: ['B', '\x1b[B', '\x1bOB'],
  Right: ['C', '\x1b[C', '\x1bOC'],
  Left: ['D', '\x1b[D', '\x1bOD'],
  Home: ['H', '\x1b[1~', '\x1b[1~'],
  End: ['F', '\x1b[4~', '\x1b[4~'],
  F1: ['P', '\x1bOP', '\x1bOP'],
  F2: ['Q', '\x1bOQ', '\x1bOQ'],
  F3: ['R', '\x1bOR', '\x1bOR'],
  F4: ['S', '\x1bOS', '\x1bOS'],
};

/** Keys sent as `CSI number ~`, or `CSI number ; modifiers ~`. */
const NUMBER_KEYS: Readonly<Record<string, number>> = {
  IC: 2,
  DC: 3,
  PPage: 5,
  NPage: 6,
  F5: 15,
  F6: 17,
  F7: 18,
  F8: 19,
  F9: 20,
  F10: 21,
  F11: 23,
  F12: 24,
};

/** Keypad: [as a character, final of SS3 with DECKPAM]. */
const KEYPAD_KEYS: Readonly<Record<string, readonly [character: string, application: string]>> = {
  'KP/': ['/', 'o'],
  'KP*': ['*', 'j'],
  'KP-': ['-', 'm'],
  'KP+': ['+', 'k'],
  'KP.': ['.', 'n'],
  KPEnter: ['\n', 'M'],
  KP0: ['0', 'p'],
  KP1: ['1', 'q'],
  KP2: ['2', 'r'],
  KP3: ['3', 's'],
  KP4: ['4', 't'],
  KP5: ['5', 'u'],
  KP6: ['6', 'v'],
  KP7: ['7', 'w'],
  KP8: ['8', 'x'],
  KP9: ['9', 'y'],
};

/** Named keys that are one character. */
const CHARACTER_KEYS: Readonly<Record<string, string>> = {
  Space: ' ',
  Enter: '\r',
  Tab: '\t',
  Escape: '\x1b',
  BSpace: '\x7f',
};

/** Characters that Ctrl makes a control of, beyond the letters; these also with Meta and modifyOtherKeys. */
const CONTROLS: Readonly<Record<string, string>> = {
  ' ': '\x00',
  '@': '\x00',
  '[': '\x1b',
  '\\': '\x1c',
  ']': '\x1d',
  '^': '\x1e',
  _: '\x1f',
  '?': '\x7f',
};
/** The same for Ctrl alone and without modifyOtherKeys. */
const LOOSE_CONTROLS: Readonly<Record<string, string>> = { '2': '\x00', '6': '\x1e', '/': '\x1f', '-': '\x1f' };

/**
 * The bytes for a key. '' is a key that says nothing to a program (`C-1`); undefined is one that cannot be sent at all
 * (a mouse key, `S-a` without modifyOtherKeys). `detail` is what the person's terminal told of it beside its name.
 */
export function encodeKey(key: Key, modes: KeyModes, detail?: KeyDetail): string | undefined {
  if (!detail && isPrintable(key) && !speaksKitty(modes.keyFlags)) return key;
  if (detail && isPrivateKey(detail.code)) return encodeUnnamed(detail, modes.keyFlags);
  const chord = parseChord(key);
  if (!chord) return undefined;
  const { base } = chord;
  if (base === 'FocusIn' || base === 'FocusOut') return encodeFocus(base === 'FocusIn', modes);
  if (base === 'NUL') return '\x00';
  if (speaksKitty(modes.keyFlags)) return encodeKitty(chord, modes.keyFlags, detail);
  if (detail && !isPlainPress(detail)) return '';
  return encodeFunction(chord, modes) ?? encodeCharacter(chord, modes);
}

/**
 * The bytes for a key that a person pressed: where the program did not ask for as much as the key says, those that a
 * plain terminal sends for it.
 */
export function encodeTyped(key: Key, modes: KeyModes, detail?: KeyDetail): string {
  const bytes = encodeKey(key, modes, detail);
  if (bytes || speaksKitty(modes.keyFlags) || (detail && !isPlainPress(detail))) return bytes ?? '';
  return encodeKey(legacyKey(key), modes) ?? '';
}

/** One character of ASCII that is its own name: what is typed most goes the shortest way. */
function isPrintable(key: Key): boolean {
  return key.length === 1 && key > ' ' && key < '\x7f';
}

function encodeFunction(chord: KeyChord, modes: KeyModes): string | undefined {
  const { base, modifiers } = unshiftFunction(chord);
  const letter = LETTER_KEYS[base];
  if (letter) {
    if (modifiers !== 1) return `\x1b[1;${modifiers}${letter[0]}`;
    return modes.appCursor ? letter[2] : letter[1];
  }
  const number = NUMBER_KEYS[base];
  if (number !== undefined) return modifiers === 1 ? `\x1b[${number}~` : `\x1b[${number};${modifiers}~`;
  if (chord.ctrl || chord.shift) return undefined;
  const prefix = chord.meta ? '\x1b' : '';
  if (base === 'BTab') return `${prefix}\x1b[Z`;
  const keypad = KEYPAD_KEYS[base];
  if (keypad) return prefix + (modes.appKeypad ? `\x1bO${keypad[1]}` : keypad[0]);
  return undefined;
}

/** xterm's modifier number, F13 and up taken as shifted F1 and up. */
function unshiftFunction(chord: KeyChord): { readonly base: string; readonly modifiers: number } {
  const high = /^F(1[3-9]|20)$/.exec(chord.base)?.[1];
  const shift = chord.shift || high !== undefined;
  const modifiers = 1 + (shift ? 1 : 0) + (chord.meta ? 2 : 0) + (chord.ctrl ? 4 : 0);
  return { base: high === undefined ? chord.base : `F${Number(high) - 12}`, modifiers };
}

function encodeCharacter(chord: KeyChord, modes: KeyModes): string | undefined {
  const character = characterOf(chord.base);
  if (character === undefined) return undefined;
  const prefix = chord.meta ? '\x1b' : '';
  const isAscii = character < '\x80';
  if (!isAscii) return prefix + character;
  const isPlain = !chord.ctrl && !chord.shift;
  if (isPlain && chord.base !== 'BTab' && !KEYPAD_KEYS[chord.base]) return prefix + character;
  const isNamed = chord.base.length > 1 && chord.base !== 'Space';
  if (modes.modifyOtherKeys === 2 && chord.ctrl && isOtherKey(chord)) {
    return encodeExtended(chord, character, modes);
  }
  if (chord.ctrl && !chord.shift && !isNamed) {
    const control = controlOf(character);
    if (control !== undefined) return prefix + control;
    const loose = LOOSE_CONTROLS[character];
    if (loose !== undefined && !chord.meta && modes.modifyOtherKeys === 0) return loose;
  }
  if (modes.modifyOtherKeys > 0) return encodeExtended(chord, character, modes);
  return chord.ctrl && !chord.shift && !chord.meta ? '' : undefined;
}

/** Whether a plain terminal would send the bytes of another key. */
function isOtherKey(chord: KeyChord): boolean {
  const name = printChord(chord);
  return legacyKey(name) !== name;
}

function characterOf(base: string): string | undefined {
  if (base === 'BTab') return '\t';
  const named = CHARACTER_KEYS[base] ?? KEYPAD_KEYS[base]?.[0];
  if (named !== undefined) return named;
  return [...base].length === 1 ? base : undefined;
}

function controlOf(character: string): string | undefined {
  if (/^[a-z]$/i.test(character)) return String.fromCharCode(character.charCodeAt(0) & 0x1f);
  return CONTROLS[character];
}

/** `CSI code ; modifiers u`, or xterm's `CSI 27 ; modifiers ; code ~`. */
function encodeExtended(chord: KeyChord, character: string, { extendedFormat }: KeyModes): string {
  const isShifted = chord.shift || chord.base === 'BTab';
  const modifiers = 1 + (isShifted ? 1 : 0) + (chord.meta ? 2 : 0) + (chord.ctrl ? 4 : 0);
  const shown = chord.ctrl && isShifted ? character.toUpperCase() : character;
  const code = shown.charCodeAt(0);
  return extendedFormat === 'xterm' ? `\x1b[27;${modifiers};${code}~` : `\x1b[${code};${modifiers}u`;
}

/** `CSI I` or `CSI O` if the program asked for focus events (DECSET 1004); '' if not. */
export function encodeFocus(focused: boolean, modes: Pick<PaneModes, 'focusEvents'>): string {
  if (!modes.focusEvents) return '';
  return focused ? '\x1b[I' : '\x1b[O';
}

/** Button numbers of X11 mouse reports; 3 is "none". */
const BUTTON_NUMBERS: Readonly<Record<MouseButton, number>> = {
  left: 0,
  middle: 1,
  right: 2,
  none: 3,
  'wheel-up': 64,
  'wheel-down': 65,
  'wheel-left': 66,
  'wheel-right': 67,
  'button-8': 128,
  'button-9': 129,
  'button-10': 130,
  'button-11': 131,
};

/**
 * The report of a mouse event at a cell of the pane (0-based), undefined if the program did not ask for it or its
 * encoding cannot say it. Bytes and not text: the default encoding is no UTF-8.
 */
export function encodeMouse(
  event: MouseEvent,
  at: { readonly x: number; readonly y: number },
  modes: MouseModes,
): Uint8Array | undefined {
  if (at.x < 0 || at.y < 0 || !wantsMouse(event, modes)) return undefined;
  const isRelease = event.action === 'release';
  const motion = event.action === 'motion' ? 32 : 0;
  const held = (event.shift ? 4 : 0) | (event.meta ? 8 : 0) | (event.ctrl ? 16 : 0);
  const button = BUTTON_NUMBERS[event.button];
  const { x, y } = at;
  if (modes.mouseTracking === 'x10') return legacyReport(button, x, y);
  if (modes.mouseEncoding === 'sgr' || modes.mouseEncoding === 'sgr-pixels') {
    const place = modes.mouseEncoding === 'sgr' ? at : middleOf(at, modes.cellPixels);
    return Buffer.from(`\x1b[<${button + motion + held};${place.x + 1};${place.y + 1}${isRelease ? 'm' : 'M'}`);
  }
  // The older encodings do not say which button was released.
  const code = (isRelease ? 3 : button) + motion + held;
  if (modes.mouseEncoding === 'urxvt') return Buffer.from(`\x1b[${code + 32};${x + 1};${y + 1}M`);
  if (modes.mouseEncoding === 'utf8') return utf8Report(code, x, y);
  return legacyReport(code, x, y);
}

/** Where in the cell the mouse is nobody told: its middle is the least wrong. */
function middleOf(
  at: { readonly x: number; readonly y: number },
  { width, height }: CellPixels,
): { x: number; y: number } {
  return { x: at.x * width + (width >> 1), y: at.y * height + (height >> 1) };
}

function wantsMouse(event: MouseEvent, { mouseTracking: tracking }: MouseModes): boolean {
  if (tracking === 'off') return false;
  if (event.action === 'motion') {
    return tracking === 'motion' || (tracking === 'drag' && event.button !== 'none');
  }
  if (tracking === 'x10') return event.action === 'press' && BUTTON_NUMBERS[event.button] < 3;
  // A wheel has no release.
  return event.action === 'press' || BUTTON_NUMBERS[event.button] < 64 || BUTTON_NUMBERS[event.button] >= 128;
}

function legacyReport(code: number, x: number, y: number): Uint8Array | undefined {
  if (code + 32 > 255 || x + 33 > 255 || y + 33 > 255) return undefined;
  return Uint8Array.of(0x1b, 0x5b, 0x4d, code + 32, x + 33, y + 33);
}

function utf8Report(code: number, x: number, y: number): Uint8Array | undefined {
  if (x + 33 > 0x7ff || y + 33 > 0x7ff) return undefined;
  return Buffer.from(`\x1b[M${String.fromCodePoint(code + 32, x + 33, y + 33)}`);
}

export interface PasteOptions {
  /** Line feeds stay; otherwise they become carriage returns, as when typed (tmux's paste-buffer without -r). */
  readonly keepLineFeeds?: boolean;
}

const PASTE_MARKS = /(?:\x1b\[|\u009b)20[01]~/g;
const PASTE_CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;

/**
 * Pasted text for the program, between marks if it asked for them (DECSET 2004). The text cannot end the paste early or
 * press keys: marks inside it, however nested, and control characters but tab and line ends are left out.
 */
export function encodePaste(
  text: string,
  modes: Pick<PaneModes, 'bracketedPaste'>,
  options: PasteOptions = {},
): string {
  let inner = text;
  for (let before = ''; before !== inner; ) {
    before = inner;
    inner = inner.replace(PASTE_MARKS, '');
  }
  inner = inner.replace(PASTE_CONTROLS, '');
  if (!options.keepLineFeeds) inner = inner.replace(/\r?\n/g, '\r');
  return modes.bracketedPaste ? `\x1b[200~${inner}\x1b[201~` : inner;
}
