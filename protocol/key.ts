/**
 * Keys as tmux(1) names them: `C-b`, `M-Left`, `S-F5`, `Enter`, `MouseDown1Pane`. The name is the one form in which a
 * key is stored, sent and compared; `parseKey` takes any accepted spelling and gives the canonical one.
 */
export type Key = string;

/** A key taken apart. */
export interface KeyChord {
  /** A printable character or a named key ("Left", "F5", "Enter", "BSpace", "MouseDown1Pane"). */
  readonly base: string;
  readonly ctrl: boolean;
  readonly meta: boolean;
  readonly shift: boolean;
}

export type MouseButton =
  | 'left'
  | 'middle'
  | 'right'
  | 'wheel-up'
  | 'wheel-down'
  | 'wheel-left'
  | 'wheel-right'
  | 'button-8'
  | 'button-9'
  | 'button-10'
  | 'button-11'
  | 'none';

/** Flags of the kitty keyboard protocol ("progressive enhancement"), as programs set them with `CSI > flags u`. */
export const KEY_FLAGS = {
  /** Keys that would be told as ambiguous bytes are told as `CSI code ; modifiers u`. */
  disambiguate: 1,
  /** Repeats and releases are told. */
  events: 2,
  /** The key with Shift, and on the standard layout, is told too. */
  alternates: 4,
  /** Every key is told as an escape code, text too. */
  all: 8,
  /** With `all`: the text that the key makes is told too. */
  text: 16,
} as const;
export const KEY_FLAGS_ALL = 31;

/** Modifiers as the kitty keyboard protocol numbers them; xterm's are the first four. */
export const KEY_MODIFIERS = {
  shift: 1,
  alt: 2,
  ctrl: 4,
  super: 8,
  hyper: 16,
  meta: 32,
  capsLock: 64,
  numLock: 128,
} as const;

/** Keys that the kitty protocol numbers in Unicode's private use area. */
const PRIVATE_KEYS = { first: 57344, last: 63743 } as const;
/** Locks, and modifiers alone. */
const MODIFIER_KEYS: readonly (readonly [first: number, last: number])[] = [
  [57358, 57360],
  [57441, 57454],
];

export function isPrivateKey(code: number): boolean {
  return code >= PRIVATE_KEYS.first && code <= PRIVATE_KEYS.last;
}

/** Whether such a key is a lock or a modifier, which is told only to programs that ask for every key. */
export function isModifierKey(code: number): boolean {
  return MODIFIER_KEYS.some(([first, last]) => code >= first && code <= last);
}

/** What a terminal tells of a key beside its name (kitty keyboard protocol), for programs that ask for as much. */
export interface KeyDetail {
  readonly event: 'press' | 'repeat' | 'release';
  /** Sum of KEY_MODIFIERS. */
  readonly modifiers: number;
  /**
   * Code point of the key without Shift, or the number of a key that has no name (`isPrivateKey`: modifiers alone, media
   * keys); 0 if the key has a name, or is unknown.
   */
  readonly code: number;
  /** Code point of the key with Shift; 0 if it was not told. */
  readonly shifted: number;
  /** Code point of the key in its place on the standard layout; 0 if it was not told. */
  readonly base: number;
  /** The text that it makes; '' if it was not told. */
  readonly text: string;
}

/** What a person does at the terminal, decoded by the client. Coordinates are 0-based cells of the client's terminal. */
export type InputEvent =
  | { readonly kind: 'key'; readonly key: Key; readonly detail?: KeyDetail }
  | {
      readonly kind: 'mouse';
      readonly action: 'press' | 'release' | 'motion';
      readonly button: MouseButton;
      readonly x: number;
      readonly y: number;
      readonly ctrl: boolean;
      readonly meta: boolean;
      readonly shift: boolean;
    }
  | { readonly kind: 'paste'; readonly text: string }
  | { readonly kind: 'focus'; readonly focused: boolean };

/** Named keys, canonical spelling. */
export const NAMED_KEYS = [
  'Space',
  'Enter',
  'Tab',
  'BTab',
  'Escape',
  'BSpace',
  'Up',
  'Down',
  'Left',
  'Right',
  'Home',
  'End',
  'PPage',
  'NPage',
  'IC',
  'DC',
  'F1',
  'F2',
  'F3',
  'F4',
  'F5',
  'F6',
  'F7',
  'F8',
  'F9',
  'F10',
  'F11',
  'F12',
  'F13',
  'F14',
  'F15',
  'F16',
  'F17',
  'F18',
  'F19',
  'F20',
  'KP/',
  'KP*',
  'KP-',
  'KP7',
  'KP8',
  'KP9',
  'KP+',
  'KP4',
  'KP5',
  'KP6',
  'KP1',
  'KP2',
  'KP3',
  'KPEnter',
  'KP0',
  'KP.',
  'Any',
  'FocusIn',
  'FocusOut',
  'PasteStart',
  'PasteEnd',
  'NUL',
] as const;

const ALIASES: Readonly<Record<string, string>> = {
  PageUp: 'PPage',
  PgUp: 'PPage',
  PageDown: 'NPage',
  PgDn: 'NPage',
  Insert: 'IC',
  Delete: 'DC',
  Esc: 'Escape',
  Return: 'Enter',
  Backspace: 'BSpace',
};

const MOUSE_ACTIONS =
  '(?:MouseDown|MouseUp|MouseDrag|MouseDragEnd|SecondClick|DoubleClick|TripleClick)(?:[123]|6|7|8|9|10|11)|MouseMove|WheelUp|WheelDown';
const MOUSE_PLACES = 'Pane|Border|StatusLeft|StatusRight|StatusDefault|Status';
const MOUSE_KEY = new RegExp(`^(?:${MOUSE_ACTIONS})(?:${MOUSE_PLACES})$`, 'i');
const USER_KEY = /^User(\d{1,3})$/i;

const BY_LOWER = new Map<string, string>(
  [...NAMED_KEYS.map((name) => [name, name] as const), ...Object.entries(ALIASES)].map(([from, to]) => [
    from.toLowerCase(),
    to,
  ]),
);

/** Splits a canonical or spelled key name; undefined if it is no key. Accepts `^X`, `C-`, `M-`, `S-` in any order and case. */
export function parseChord(name: string): KeyChord | undefined {
  let rest = name;
  let ctrl = false;
  let meta = false;
  let shift = false;
  if (rest.length >= 2 && rest.startsWith('^')) {
    ctrl = true;
    rest = rest.slice(1);
  }
  while (rest.length >= 3 && rest[1] === '-') {
    const modifier = rest[0]?.toLowerCase();
    if (modifier === 'c') ctrl = true;
    else if (modifier === 'm') meta = true;
    else if (modifier === 's') shift = true;
    else return undefined;
    rest = rest.slice(2);
  }
  const base = parseBase(rest);
  if (base === undefined) return undefined;
  return { base, ctrl, meta, shift };
}

function parseBase(text: string): string | undefined {
  if (text === '') return undefined;
  const codePoint = text.codePointAt(0) ?? 0;
  const isOne = text.length === (codePoint > 0xffff ? 2 : 1);
  if (isOne) {
    if (codePoint === 0x20) return 'Space';
    if (codePoint === 0x09) return 'Tab';
    if (codePoint === 0x0d) return 'Enter';
    if (codePoint === 0x1b) return 'Escape';
    if (codePoint === 0x7f) return 'BSpace';
    return codePoint < 0x20 ? undefined : text;
  }
  const named = BY_LOWER.get(text.toLowerCase());
  if (named !== undefined) return named;
  if (MOUSE_KEY.test(text) || USER_KEY.test(text)) return text;
  return undefined;
}

/** The canonical name of a chord. Ctrl with a letter is lower case: `C-b`. */
export function printChord(chord: KeyChord): Key {
  let base = chord.base;
  if (chord.ctrl && /^[A-Z]$/.test(base) && !chord.shift) base = base.toLowerCase();
  return `${chord.ctrl ? 'C-' : ''}${chord.meta ? 'M-' : ''}${chord.shift ? 'S-' : ''}${base}`;
}

/** The canonical name for any accepted spelling, or undefined. `none` and `NoKey` are not keys. */
export function parseKey(name: string): Key | undefined {
  const chord = parseChord(name);
  return chord && printChord(chord);
}
