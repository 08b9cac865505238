/**
 * Keys as bind-key takes and list-keys prints them. Beyond protocol/key.ts: code points (`0x41`), the control characters
 * that have a name of their own (`C-i` is Tab), tmux's spelling of control characters (`M-C-b`) and its order of keys.
 */
import { type Key, NAMED_KEYS, parseChord, parseKey, printChord } from '../../protocol/key.ts';

/** Control characters that a terminal sends for a key with a name, and the one it sends for C-Space. */
const CONTROL_NAMES: Readonly<Record<string, { readonly base: string; readonly ctrl: boolean }>> = {
  i: { base: 'Tab', ctrl: false },
  m: { base: 'Enter', ctrl: false },
  '[': { base: 'Escape', ctrl: false },
  '@': { base: 'Space', ctrl: true },
};

const MOUSE_PLACES = ['Pane', 'Status', 'StatusLeft', 'StatusRight', 'StatusDefault', 'Border'];

/** Named keys in the order of tmux's key codes. */
function namesInOrder(): string[] {
  const mouseActions = [
    'MouseMove',
    ...['MouseDown', 'MouseUp', 'MouseDrag', 'MouseDragEnd'].flatMap(withButtons),
    'WheelUp',
    'WheelDown',
    ...['SecondClick', 'DoubleClick', 'TripleClick'].flatMap(withButtons),
  ];
  return [
    'FocusIn',
    'FocusOut',
    'Any',
    'PasteStart',
    'PasteEnd',
    ...mouseActions.flatMap((action) => MOUSE_PLACES.map((place) => action + place)),
    'BSpace',
    ...numbered('F', 1, 12),
    'IC',
    'DC',
    'Home',
    'End',
    'NPage',
    'PPage',
    'BTab',
    'Up',
    'Down',
    'Left',
    'Right',
    ...NAMED_KEYS.filter((name) => name.startsWith('KP')),
    ...numbered('User', 0, 999),
    ...numbered('F', 13, 20),
    'NUL',
  ];
}

/** Places of the names and their spelling by lower case; 1,300 names, made when the first key is asked about. */
let named: { readonly placeOf: ReadonlyMap<string, number>; readonly caseOf: ReadonlyMap<string, string> } | undefined;

function namedKeys(): NonNullable<typeof named> {
  if (!named) {
    const names = namesInOrder();
    named = {
      placeOf: new Map(names.map((name, at) => [name, at])),
      caseOf: new Map(names.map((name) => [name.toLowerCase(), name])),
    };
  }
  return named;
}

/** Codes of the named keys that are characters. */
const CODES: Readonly<Record<string, number>> = { Tab: 9, Enter: 13, Escape: 27, Space: 32 };

function withButtons(action: string): string[] {
  return [1, 2, 3, 6, 7, 8, 9, 10, 11].map((button) => `${action}${button}`);
}

function numbered(name: string, from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, i) => `${name}${from + i}`);
}

/** The canonical name of a key that somebody wrote, or undefined. */
export function parseKeyName(text: string): Key | undefined {
  const code = /^0x([0-9a-f]{1,6})$/i.exec(text)?.[1];
  if (code !== undefined) return keyOfCode(Number.parseInt(code, 16));
  const chord = parseChord(text);
  if (!chord) return undefined;
  const control = chord.ctrl ? CONTROL_NAMES[chord.base.toLowerCase()] : undefined;
  const base = control?.base ?? namedKeys().caseOf.get(chord.base.toLowerCase()) ?? chord.base;
  return printChord({ ...chord, base: base.length === 1 ? chord.base : base, ctrl: control?.ctrl ?? chord.ctrl });
}

/** The key of a code point; control characters are C- keys. */
function keyOfCode(code: number): Key | undefined {
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return undefined;
  if (code < 0x20)
    return parseKeyName(`C-${String.fromCharCode(code === 0 ? 0x40 : code < 27 ? code + 0x60 : code + 0x40)}`);
  return parseKey(String.fromCodePoint(code));
}

/** A key as list-keys writes it: modifiers C- M- S-, but those of a control character before its C-. */
export function printKeyName(key: Key): string {
  const chord = parseChord(key);
  if (!chord?.ctrl || !isControlBase(chord.base)) return key;
  const before = `${chord.meta ? 'M-' : ''}${chord.shift ? 'S-' : ''}`;
  // Only the bare NUL is called C-Space.
  return `${before}C-${chord.base === 'Space' && before !== '' ? '@' : chord.base}`;
}

/** Whether Ctrl with this key is one control character. */
function isControlBase(base: string): boolean {
  return base === 'Space' || base === '?' || /^[a-z@[\\\]^_]$/.test(base);
}

/** Orders keys as list-keys lists them. */
export function compareKeys(a: Key, b: Key): number {
  const [first, second] = [rankOf(a), rankOf(b)];
  for (const [i, rank] of first.entries()) if (rank !== second[i]) return rank - (second[i] ?? 0);
  return 0;
}

/** Modifiers first, then ASCII, named keys, other characters. */
function rankOf(key: Key): readonly [modifiers: number, kind: number, place: number] {
  const chord = parseChord(key);
  if (!chord) return [8, 0, 0];
  const { base, ctrl, meta, shift } = chord;
  const isControl = ctrl && isControlBase(base);
  const modifiers = (meta ? 1 : 0) + (ctrl && !isControl ? 2 : 0) + (shift ? 4 : 0);
  if (isControl) return [modifiers, 0, base === '?' ? 127 : base === 'Space' ? 0 : base.charCodeAt(0) & 31];
  const place = namedKeys().placeOf.get(base);
  if (place !== undefined) return [modifiers, 1, place];
  const code = CODES[base] ?? base.codePointAt(0) ?? 0;
  return [modifiers, code < 128 ? 0 : 2, code];
}
