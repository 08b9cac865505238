/**
 * Reads one thing off the bytes that a terminal sends: a key, a mouse report, an answer. Pure: the same bytes give the same
 * result, and as long as more bytes could change it the result is `more`.
 */

import { SIZE_MAX } from '../../protocol/geometry.ts';
import type { InputEvent, KeyChord, KeyDetail, MouseButton } from '../../protocol/key.ts';
import { isPrivateKey, KEY_MODIFIERS } from '../../protocol/key.ts';
import {
  byteChord,
  CSI_FINALS,
  chordOf,
  codeChord,
  LINUX_FINALS,
  MODIFIER_NONE,
  RXVT_ARROWS,
  SS3_FINALS,
  TILDE_KEYS,
  unnamedKey,
} from './key-sequences.ts';

/** An answer of the terminal: never a key. */
export type TerminalReply =
  | {
      readonly kind: 'csi';
      /** One of `?`, `>`, `=`, or ''. */
      readonly prefix: string;
      /** A missing parameter is 0. */
      readonly params: readonly number[];
      readonly intermediates: string;
      readonly final: string;
    }
  | { readonly kind: 'osc' | 'dcs' | 'apc'; readonly text: string };

export type Recognized =
  | { readonly kind: 'more' }
  | { readonly kind: 'key'; readonly chord: KeyChord; readonly detail?: KeyDetail; readonly length: number }
  /** Text that no single key made (kitty keyboard protocol: from an input method). */
  | { readonly kind: 'text'; readonly text: string; readonly length: number }
  | { readonly kind: 'event'; readonly event: InputEvent; readonly length: number }
  | { readonly kind: 'reply'; readonly reply: TerminalReply; readonly length: number }
  /** Start of a bracketed paste. */
  | { readonly kind: 'paste'; readonly length: number }
  /** Start of a string (OSC, DCS, APC) that looks like an answer; its text follows. */
  | { readonly kind: 'string'; readonly type: 'osc' | 'dcs' | 'apc'; readonly length: number }
  | { readonly kind: 'drop'; readonly length: number };

const MORE: Recognized = { kind: 'more' };
const ESCAPE = 0x1b;
/** A control sequence longer than this is not one. */
const CSI_MAX = 256;

/** What the bytes from `at` on start with. There is at least one byte. */
export function recognize(bytes: Uint8Array, at: number): Recognized {
  return bytes[at] === ESCAPE ? readEscape(bytes, at) : readCharacter(bytes, at);
}

function key(chord: KeyChord, length: number, detail?: KeyDetail): Recognized {
  return { kind: 'key', chord, length, ...(detail && { detail }) };
}

function drop(length: number): Recognized {
  return { kind: 'drop', length };
}

function metaByte(byte: number): Recognized {
  return key({ ...byteChord(byte), meta: true }, 2);
}

function readEscape(bytes: Uint8Array, at: number): Recognized {
  const next = bytes[at + 1];
  switch (next) {
    case undefined:
      return MORE;
    case 0x5b: // [
      return readCsi(bytes, at);
    case 0x4f: // O
      return readSs3(bytes, at);
    case 0x5d: // ]
    case 0x50: // P
    case 0x5f: // _
      return readStringStart(bytes, at);
    case ESCAPE:
      return readDoubleEscape(bytes, at);
    default: {
      const inner = readCharacter(bytes, at + 1);
      if (inner.kind === 'more') return MORE;
      if (inner.kind !== 'key') return drop(inner.length + 1);
      return key({ ...inner.chord, meta: true }, inner.length + 1);
    }
  }
}

/** rxvt and others put an Escape before a whole sequence for Meta. Before an answer it was the Escape key itself. */
function readDoubleEscape(bytes: Uint8Array, at: number): Recognized {
  const third = bytes[at + 2];
  if (third === undefined) return MORE;
  if (third !== 0x5b && third !== 0x4f && third !== 0x5d && third !== 0x50 && third !== 0x5f) return metaByte(ESCAPE);
  const inner = readEscape(bytes, at + 1);
  switch (inner.kind) {
    case 'more':
      return MORE;
    case 'key':
      return inner.length > 2 ? key({ ...inner.chord, meta: true }, inner.length + 1) : metaByte(ESCAPE);
    default:
      return key(byteChord(ESCAPE), 1);
  }
}

function readCharacter(bytes: Uint8Array, at: number): Recognized {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return key(byteChord(first), 1);
  const size =
    first >= 0xc2 && first < 0xe0 ? 2 : first >= 0xe0 && first < 0xf0 ? 3 : first >= 0xf0 && first < 0xf5 ? 4 : 0;
  if (size === 0) return drop(1);
  let codePoint = first & (0x7f >> size);
  for (let i = 1; i < size; i++) {
    const byte = bytes[at + i];
    if (byte === undefined) return MORE;
    if ((byte & 0xc0) !== 0x80) return drop(1);
    codePoint = (codePoint << 6) | (byte & 0x3f);
  }
  const least = size === 2 ? 0xa0 : size === 3 ? 0x800 : 0x10000;
  if (codePoint < least || codePoint > 0x10ffff || (codePoint >= 0xd800 && codePoint <= 0xdfff)) return drop(size);
  return key({ base: String.fromCodePoint(codePoint), ctrl: false, meta: false, shift: false }, size);
}

function readSs3(bytes: Uint8Array, at: number): Recognized {
  const first = bytes[at + 2];
  if (first === undefined) return MORE;
  // Konsole and old xterms put the modifier before the letter: `SS3 5 P`.
  const hasModifier = first >= 0x32 && first <= 0x39;
  const final = hasModifier ? bytes[at + 3] : first;
  if (final === undefined) return MORE;
  const letter = String.fromCharCode(final);
  const modifier = hasModifier ? first - 0x30 : MODIFIER_NONE;
  const length = hasModifier ? 4 : 3;
  const base = SS3_FINALS[letter];
  if (base !== undefined) return key(chordOf(base, modifier), length);
  const arrow = RXVT_ARROWS[letter];
  if (arrow !== undefined && !hasModifier) return key({ base: arrow, ctrl: true, meta: false, shift: false }, length);
  return metaByte(0x4f);
}

/** How an answer goes on after its introducer; a prefix of a match may still become one. */
const STRING_HEADERS = [
  { byte: 0x5d, type: 'osc', whole: /^\d{1,4};/, part: /^\d{0,4}$/ },
  { byte: 0x50, type: 'dcs', whole: /^(?:[>!]\||[01][$+]r)/, part: /^(?:[>!]|[01][$+]?)?$/ },
  { byte: 0x5f, type: 'apc', whole: /^G/, part: /^$/ },
] as const;

function readStringStart(bytes: Uint8Array, at: number): Recognized {
  const byte = bytes[at + 1] ?? 0;
  const header = STRING_HEADERS.find((row) => row.byte === byte);
  const start = Buffer.from(bytes.subarray(at + 2, at + 7)).toString('latin1');
  if (header?.whole.test(start)) return { kind: 'string', type: header.type, length: 2 };
  if (header?.part.test(start)) return MORE;
  return metaByte(byte);
}

interface Csi {
  readonly prefix: string;
  readonly text: string;
  readonly intermediates: string;
  readonly final: string;
  readonly length: number;
}

function readCsi(bytes: Uint8Array, at: number): Recognized {
  const first = bytes[at + 2];
  if (first === undefined) return MORE;
  if (first === 0x5b) return readLinuxKey(bytes, at);
  if (first === 0x4d) return readX10Mouse(bytes, at);
  let i = at + 2;
  const limit = at + CSI_MAX;
  while (i < limit && isBetween(bytes[i], 0x30, 0x3f)) i++;
  const paramsEnd = i;
  while (i < limit && isBetween(bytes[i], 0x20, 0x2f)) i++;
  if (i === limit) return drop(CSI_MAX);
  const text = latin1(bytes, at + 2, paramsEnd);
  const intermediates = latin1(bytes, paramsEnd, i);
  if (intermediates === '$' && /^\d+$/.test(text) && bytes[i] !== undefined && bytes[i] !== 0x79) {
    return rxvtKey(text, '$', i - at);
  }
  const final = bytes[i];
  if (final === undefined) return MORE;
  if (!isBetween(final, 0x40, 0x7e)) return i === at + 2 ? metaByte(0x5b) : drop(i - at);
  const prefix = /^[<-?]/.test(text) ? text.slice(0, 1) : '';
  const params = text.slice(prefix.length);
  const csi = { prefix, text: params, intermediates, final: String.fromCharCode(final), length: i + 1 - at };
  return classifyCsi(csi);
}

function isBetween(byte: number | undefined, low: number, high: number): boolean {
  return byte !== undefined && byte >= low && byte <= high;
}

function latin1(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1');
}

function numbersOf(text: string): number[] {
  return text === '' ? [] : text.split(';').map(leadingNumber);
}

function leadingNumber(text: string): number {
  return Number.parseInt(text, 10) || 0;
}

/** Finals that are answers even without a private prefix: DA, DSR and CPR, window reports, DECRPM. */
const REPLY_FINALS = 'cnRtyx';

function classifyCsi(csi: Csi): Recognized {
  const { prefix, final, length, text, intermediates } = csi;
  if (prefix === '<' && (final === 'M' || final === 'm')) return sgrMouse(numbersOf(text), final === 'm', length);
  if (prefix === '' && intermediates === '') {
    const found = keyOrEvent(csi);
    if (found) return found;
  }
  if (prefix === '<' || (prefix === '' && !REPLY_FINALS.includes(final))) return drop(length);
  return { kind: 'reply', reply: { kind: 'csi', prefix, params: numbersOf(text), intermediates, final }, length };
}

function keyOrEvent({ final, length, text }: Csi): Recognized | undefined {
  const params = numbersOf(text);
  switch (final) {
    case 'I':
    case 'O':
      return { kind: 'event', event: { kind: 'focus', focused: final === 'I' }, length };
    case 'M':
      return params.length === 3 ? legacyMouse(params, length) : drop(length);
    case 'Z':
      return key({ ...chordOf('BTab', params[1] ?? MODIFIER_NONE), shift: false }, length);
    case 'u':
      return unicodeKey(text, length);
    case '~':
      return tildeKey(text, length);
    case '^':
    case '@':
      return rxvtKey(text, final, length);
    default:
      return namedKey(final, text, length);
  }
}

function namedKey(final: string, text: string, length: number): Recognized | undefined {
  const arrow = RXVT_ARROWS[final];
  if (arrow !== undefined && text === '') return key(chordOf(arrow, 2), length);
  const base = CSI_FINALS[final];
  if (base === undefined) return undefined;
  const [first = '', second = ''] = text.split(';');
  // `CSI 12;40R` is a cursor position report; `CSI 1;2R` is Shift-F3.
  if (final === 'R' && (second === '' || first !== '1' || leadingNumber(second) > 16)) return undefined;
  return key(chordOf(base, leadingNumber(second) || MODIFIER_NONE), length, detailOf({ modifiers: second }));
}

function tildeKey(text: string, length: number): Recognized {
  const [number = 0, , code = 0] = numbersOf(text);
  const second = text.split(';')[1] ?? '';
  const modifier = leadingNumber(second) || MODIFIER_NONE;
  if (number === 200) return { kind: 'paste', length };
  if (number === 27) return chordOrDrop(codeChord({ code, modifier }), length);
  const base = TILDE_KEYS[number];
  return base === undefined ? drop(length) : key(chordOf(base, modifier), length, detailOf({ modifiers: second }));
}

/** Fields of `CSI code:shifted:base ; modifiers:event ; text u`. */
interface KittyFields {
  readonly codes?: string;
  readonly modifiers: string;
  readonly text?: string;
}

function unicodeKey(text: string, length: number): Recognized {
  const [codes = '', modifiers = '', codePoints = ''] = text.split(';');
  const [code = 0, shifted = 0, base = 0] = codes.split(':').map(leadingNumber);
  const modifier = leadingNumber(modifiers) || MODIFIER_NONE;
  const unnamed = unnamedKey(code);
  if (unnamed) return key(unnamed, length, { ...eventOf(modifiers), code, shifted: 0, base: 0, text: '' });
  const detail = detailOf({ codes, modifiers, text: codePoints });
  if (code === 0 && detail && detail.text !== '') return { kind: 'text', text: detail.text, length };
  return chordOrDrop(codeChord({ code, modifier, shifted, base, text: detail?.text ?? '' }), length, detail);
}

/** Code points of the text of one key. */
const KEY_TEXT_MAX = 16;

/** What the kitty keyboard protocol tells beyond the key's name; undefined if that is nothing. */
function detailOf({ codes = '', modifiers, text = '' }: KittyFields): KeyDetail | undefined {
  const told = eventOf(modifiers);
  const isPlain = !codes.includes(':') && !modifiers.includes(':') && text === '';
  if (isPlain && told.modifiers < KEY_MODIFIERS.super) return undefined;
  const [code = 0, shifted = 0, base = 0] = codes.split(':').map(leadingNumber).map(validCode);
  return {
    ...told,
    code: isTextCode(code) ? code : 0,
    shifted,
    base,
    text: textOf(text),
  };
}

/** The field `modifiers:event`. */
function eventOf(field: string): Pick<KeyDetail, 'event' | 'modifiers'> {
  const [modifiers = '', event = ''] = field.split(':');
  return {
    event: event === '2' ? 'repeat' : event === '3' ? 'release' : 'press',
    modifiers: Math.min(0xff, Math.max(0, (leadingNumber(modifiers) || MODIFIER_NONE) - 1)),
  };
}

/** The named keys have codes of their own. */
function isTextCode(code: number): boolean {
  return code >= 0x20 && code !== 0x7f && !isPrivateKey(code);
}

function validCode(code: number): number {
  const isCharacter =
    code >= 0x20 && code <= 0x10ffff && !(code >= 0x7f && code < 0xa0) && !(code >= 0xd800 && code <= 0xdfff);
  return isCharacter ? code : 0;
}

function textOf(field: string): string {
  const codes = field.split(':', KEY_TEXT_MAX).map(leadingNumber).map(validCode);
  return String.fromCodePoint(...codes.filter((code) => code !== 0));
}

function chordOrDrop(chord: KeyChord | undefined, length: number, detail?: KeyDetail): Recognized {
  return chord ? key(chord, length, detail) : drop(length);
}

const RXVT_MODIFIERS: Readonly<Record<string, number>> = { $: 2, '^': 5, '@': 6 };

function rxvtKey(text: string, final: string, length: number): Recognized {
  const base = TILDE_KEYS[leadingNumber(text)];
  return base === undefined ? drop(length) : key(chordOf(base, RXVT_MODIFIERS[final] ?? MODIFIER_NONE), length);
}

function readLinuxKey(bytes: Uint8Array, at: number): Recognized {
  const final = bytes[at + 3];
  if (final === undefined) return MORE;
  const base = LINUX_FINALS[String.fromCharCode(final)];
  return base === undefined ? metaByte(0x5b) : key(chordOf(base, MODIFIER_NONE), 4);
}

/** `CSI M` and three bytes, each 32 more than its value. */
function readX10Mouse(bytes: Uint8Array, at: number): Recognized {
  for (let i = at + 3; i < at + 6; i++) {
    const byte = bytes[i];
    if (byte === undefined) return MORE;
    if (byte < 0x20) return drop(i - at);
  }
  const value = (i: number) => (bytes[at + i] ?? 0x20) - 0x20;
  return mouseEvent({ code: value(3), x: value(4), y: value(5), release: (value(3) & 0x43) === 3 }, 6);
}

/** rxvt's decimal form (DECSET 1015), codes as in X10. */
function legacyMouse([code = 0, x = 0, y = 0]: readonly number[], length: number): Recognized {
  const value = code - 0x20;
  if (value < 0) return drop(length);
  return mouseEvent({ code: value, x, y, release: (value & 0x43) === 3 && (value & MOTION) === 0 }, length);
}

function sgrMouse([code = 0, x = 0, y = 0]: readonly number[], release: boolean, length: number): Recognized {
  return mouseEvent({ code, x, y, release }, length);
}

const MOTION = 32;
/** By the two low bits, for codes 0, 64 and 128. */
const BUTTONS: readonly (readonly MouseButton[])[] = [
  ['left', 'middle', 'right', 'none'],
  ['wheel-up', 'wheel-down', 'wheel-left', 'wheel-right'],
  ['button-8', 'button-9', 'button-10', 'button-11'],
];

interface MouseReport {
  readonly code: number;
  /** 1-based. */
  readonly x: number;
  readonly y: number;
  readonly release: boolean;
}

function mouseEvent({ code, x, y, release }: MouseReport, length: number): Recognized {
  const button = BUTTONS[code >> 6]?.[code & 3];
  if (button === undefined || x < 1 || y < 1 || x > SIZE_MAX.cols || y > SIZE_MAX.rows) return drop(length);
  const event: InputEvent = {
    kind: 'mouse',
    action: release ? 'release' : code & MOTION ? 'motion' : 'press',
    button,
    x: x - 1,
    y: y - 1,
    ctrl: (code & 16) !== 0,
    meta: (code & 8) !== 0,
    shift: (code & 4) !== 0,
  };
  return { kind: 'event', event, length };
}
