/**
 * Keys that only some terminals can tell, as the key that every other terminal sends in their place: `S-Enter` is Enter,
 * `C-i` is Tab. What is bound, and programs that ask for nothing more, thereby work at any terminal alike.
 */
import type { InputEvent, Key, KeyChord, KeyDetail } from './key.ts';
import { isPrivateKey, KEY_MODIFIERS, parseChord, printChord } from './key.ts';

/** Ctrl with these is the control character of another key (kitty keyboard protocol, "Legacy text keys"). */
const CONTROL_TWINS: Readonly<Record<string, Pick<KeyChord, 'base' | 'ctrl'>>> = {
  i: { base: 'Tab', ctrl: false },
  m: { base: 'Enter', ctrl: false },
  '[': { base: 'Escape', ctrl: false },
  '2': { base: 'Space', ctrl: true },
  '3': { base: 'Escape', ctrl: false },
  '4': { base: '\\', ctrl: true },
  '5': { base: ']', ctrl: true },
  '6': { base: '^', ctrl: true },
  '7': { base: '_', ctrl: true },
  '8': { base: 'BSpace', ctrl: false },
  '/': { base: '_', ctrl: true },
  '?': { base: 'BSpace', ctrl: false },
  BSpace: { base: 'h', ctrl: true },
};
/** Ctrl with these is a control character of its own. */
const HAS_CONTROL = /^(?:[a-zA-Z@\\\]^_-]|Space)$/;
/** Keys whose modifiers every terminal tells. */
const TELLS_MODIFIERS = /^(?:Up|Down|Left|Right|Home|End|[PN]Page|IC|DC|F\d+)$/;
const IS_MOUSE_OR_USER = /^(?:Mouse|Wheel|Double|Triple|Second|User|Focus|Paste|Any$|NUL$)/;

/** The key in its place, which is the key itself where every terminal can tell it. */
export function legacyKey(key: Key): Key {
  // Most keys are one plain character.
  if (key.length === 1) return key;
  const chord = parseChord(key);
  if (!chord || (!chord.ctrl && !chord.shift)) return key;
  const { base } = chord;
  if (TELLS_MODIFIERS.test(base) || IS_MOUSE_OR_USER.test(base)) return key;
  const plain = { ...chord, shift: false };
  if (!chord.ctrl) return printChord(shiftedText(plain, chord.shift));
  const twin = CONTROL_TWINS[base];
  if (twin) return printChord({ ...plain, ...twin });
  return printChord({ ...plain, ctrl: HAS_CONTROL.test(base) });
}

/** Shift is in the character itself. */
function shiftedText(chord: KeyChord, isShifted: boolean): KeyChord {
  if (!isShifted) return chord;
  if (chord.base === 'Tab') return { ...chord, base: 'BTab' };
  const upper = chord.base.toUpperCase();
  const isText = [...chord.base].length === 1 && [...upper].length === 1;
  return isText ? { ...chord, base: upper } : chord;
}

/** Whether a plain terminal would tell of it: no release, no modifier or media key, and neither Super nor Hyper is held. */
export function isPlainPress({ event, modifiers, code }: KeyDetail): boolean {
  const isHeld = (modifiers & (KEY_MODIFIERS.super | KEY_MODIFIERS.hyper)) !== 0;
  return event !== 'release' && !isHeld && !isPrivateKey(code);
}

/** What a plain terminal would have sent in place of an event; undefined for what it would not tell of. */
export function plainEvent(event: InputEvent): InputEvent | undefined {
  if (event.kind !== 'key') return event;
  if (event.detail && !isPlainPress(event.detail)) return undefined;
  return { kind: 'key', key: legacyKey(event.key) };
}
