/**
 * The packed frames of attached clients: type 16, the body one msgpack value `[message number, fields…]`. Both tables
 * below only ever grow: a number keeps its meaning, fields are only appended.
 *
 *   from a client                                    from the server
 *   0  attach        token, size, capabilities       0  frame      seq, damage (damage-codec.ts)
 *   1  capabilities  capabilities                    1  overlay    seq, [model, …]
 *   2  input         [event, …]                      2  bell
 *   3  resize        size                            3  clipboard  selection, text
 *   4  frame-ack     seq                             4  exec       shell, command
 *   5  overlay-ack   seq                             5  suspend
 *   6  bye                                           6  exit       reason, text
 *   7  clipboard-text serial, text                   7  settings   escape-time in ms, features
 *                                                    8  notice     serial, way, title, body
 *                                                    9  notice-end serial
 *                                                    10 clipboard-read serial
 *                                                    11 pane-notice pane number, way, title, body
 *
 *   event         "key name" | [0, action, button, x, y, modifiers] | [1, pasted text] | [2, focused]
 *                 | [3, "key name", press, modifiers, code, shifted, base, text]
 *   capabilities  [term, name, colours (16, 256, 0 = rgb), bits, theme, foreground, background, cell width, height]
 */
import { Packr } from 'msgpackr/pack';
import { encodeFrame } from './call-codec.ts';
import type { Damage } from './damage.ts';
import { packDamage, packSize, unpackDamage, unpackSize } from './damage-codec.ts';
import { SIZE_MAX } from './geometry.ts';
import type { InputEvent, Key, KeyDetail, MouseButton } from './key.ts';
import type { ClientMessage, ExitReason, OverlayValue, ServerMessage, TerminalCapabilities } from './message.ts';
import { CLIENT_FRAME_MAX, CLIPBOARD_READ_MAX, FRAME_TYPE, NO_ACK, NOTICE_KINDS, SERVER_FRAME_MAX } from './message.ts';
import { checkMsgpack } from './msgpack-guard.ts';
import { asArray, asBoolean, asInteger, asNamed, asString, misshapen, optional } from './shape.ts';
import { FEATURE_BITS, type FeatureChanges, NO_CHANGES } from './terminal-features.ts';

/** A client's input message holds at most this many events: it stays far below CLIENT_FRAME_MAX. */
export const INPUT_EVENTS_MAX = 4096;
/** A pasted text, UTF-16 units: three bytes each at most, so that it fits CLIENT_FRAME_MAX. */
export const PASTE_TEXT_MAX = 300_000;
const TOKEN_MAX = 256;
const NAME_MAX = 1024;
const KEY_MAX = 64;
const OVERLAYS_MAX = 64;
const ESCAPE_TIME_MAX = 60_000;

const packr = new Packr({
  useRecords: false,
  mapsAsObjects: true,
  variableMapSize: true,
  encodeUndefinedAsNil: true,
  int64AsType: 'number',
});

/** The message as a whole frame. Throws MplexError 'protocol' if it is longer than a client may send. */
export function encodeClientMessage(message: ClientMessage): Uint8Array {
  return encodePacked(packClientMessage(message), CLIENT_FRAME_MAX);
}

/** The message as a whole frame. Throws MplexError 'protocol' if it is longer than a server may send. */
export function encodeServerMessage(message: ServerMessage): Uint8Array {
  if (message.kind === 'frame' && message.seq <= U32_MAX) return encodeDamageMessage(message.seq, message.damage);
  return encodePacked(packServerMessage(message), SERVER_FRAME_MAX);
}

/** Damage that several clients get is packed once, as a message with NO_ACK. */
const damageMessages = new WeakMap<Damage, Uint8Array>();
/** What stands before the damage: an array of three (fixarray), the kind 0, the number as u32 (0xce). */
const DAMAGE_START = 7;
/** Where the number is in the whole frame, behind its length and type. */
const SEQUENCE_AT = 8;
const U32_MAX = 0xffffffff;

/** `[0, seq, damage]` as packServerMessage has it; one object for all frames of this damage that are not acknowledged. */
function encodeDamageMessage(seq: number, damage: Damage): Uint8Array {
  let message = damageMessages.get(damage);
  if (!message) {
    message = packDamageMessage(damage);
    damageMessages.set(damage, message);
  }
  if (seq === NO_ACK) return message;
  const numbered = Buffer.from(message);
  numbered.writeUInt32BE(seq, SEQUENCE_AT);
  return numbered;
}

function packDamageMessage(damage: Damage): Uint8Array {
  const packed = packr.pack(packDamage(damage));
  const body = Buffer.allocUnsafe(DAMAGE_START + packed.length);
  body.set([0x93, 0, 0xce]);
  body.writeUInt32BE(NO_ACK, 3);
  body.set(packed, DAMAGE_START);
  return checkedFrame(body, SERVER_FRAME_MAX);
}

/** Reads the body of a packed frame that a client sent; throws MplexError 'protocol' for anything off. */
export function decodeClientMessage(body: Uint8Array): ClientMessage {
  const [number, ...fields] = unpackBody(body);
  return unpackClientMessage(asNamed(number, CLIENT_KINDS), fields);
}

/** Reads the body of a packed frame that the server sent; throws MplexError 'protocol' for anything off. */
export function decodeServerMessage(body: Uint8Array): ServerMessage {
  const [number, ...fields] = unpackBody(body);
  return unpackServerMessage(asNamed(number, SERVER_KINDS), fields);
}

function encodePacked(value: readonly unknown[], limit: number): Uint8Array {
  return checkedFrame(packr.pack(value), limit);
}

function checkedFrame(body: Uint8Array, limit: number): Uint8Array {
  const frame = encodeFrame(FRAME_TYPE.packed, body);
  if (frame.length - 4 > limit) throw misshapen(`${frame.length} bytes are too many`);
  return frame;
}

function unpackBody(body: Uint8Array): readonly unknown[] {
  checkMsgpack(body);
  let value: unknown;
  try {
    value = packr.unpack(body);
  } catch {
    throw misshapen('not msgpack');
  }
  return asArray(value, 1);
}

const CLIENT_KINDS = [
  'attach',
  'capabilities',
  'input',
  'resize',
  'frame-ack',
  'overlay-ack',
  'bye',
  'clipboard-text',
] as const;

function packClientMessage(message: ClientMessage): unknown[] {
  const number = CLIENT_KINDS.indexOf(message.kind);
  switch (message.kind) {
    case 'attach':
      return [number, message.token, packSize(message.size), packCapabilities(message.capabilities)];
    case 'capabilities':
      return [number, packCapabilities(message.capabilities)];
    case 'input':
      return [number, message.events.map(packEvent)];
    case 'resize':
      return [number, packSize(message.size)];
    case 'frame-ack':
    case 'overlay-ack':
      return [number, message.seq];
    case 'clipboard-text':
      return [number, message.serial, message.text];
    case 'bye':
      return [number];
  }
}

function unpackClientMessage(kind: (typeof CLIENT_KINDS)[number], fields: readonly unknown[]): ClientMessage {
  const [first, second, third] = fields;
  switch (kind) {
    case 'attach':
      return {
        kind,
        token: asString(first, TOKEN_MAX),
        size: unpackSize(second),
        capabilities: unpackCapabilities(third),
      };
    case 'capabilities':
      return { kind, capabilities: unpackCapabilities(first) };
    case 'input': {
      const events = asArray(first);
      if (events.length > INPUT_EVENTS_MAX) throw misshapen('too many events');
      return { kind, events: events.map(unpackEvent) };
    }
    case 'resize':
      return { kind, size: unpackSize(first) };
    case 'frame-ack':
    case 'overlay-ack':
      return { kind, seq: asSequence(first) };
    case 'clipboard-text':
      return { kind, serial: asSequence(first), text: asString(second, CLIPBOARD_READ_MAX) };
    case 'bye':
      return { kind };
  }
}

const SERVER_KINDS = [
  'frame',
  'overlay',
  'bell',
  'clipboard',
  'exec',
  'suspend',
  'exit',
  'settings',
  'notice',
  'notice-end',
  'clipboard-read',
  'pane-notice',
] as const;

function packServerMessage(message: ServerMessage): unknown[] {
  const number = SERVER_KINDS.indexOf(message.kind);
  switch (message.kind) {
    case 'frame':
      return [number, message.seq, packDamage(message.damage)];
    case 'overlay':
      return [number, message.seq, message.overlays.map(plainValue)];
    case 'clipboard':
      return [number, message.selection, message.text];
    case 'exec':
      return [number, message.shell, message.command];
    case 'exit':
      return [number, ...packReason(message.reason)];
    case 'settings':
      return [number, message.escapeTimeMs, packFeatures(message.features)];
    case 'notice':
      return [number, message.serial, NOTICE_KINDS.indexOf(message.how), message.title, message.body];
    case 'pane-notice':
      return [number, message.pane, NOTICE_KINDS.indexOf(message.how), message.title, message.body];
    case 'notice-end':
    case 'clipboard-read':
      return [number, message.serial];
    case 'bell':
    case 'suspend':
      return [number];
  }
}

function unpackServerMessage(kind: (typeof SERVER_KINDS)[number], fields: readonly unknown[]): ServerMessage {
  const [first, second, third, fourth] = fields;
  switch (kind) {
    case 'frame':
      return { kind, seq: asSequence(first), damage: unpackDamage(second) };
    case 'overlay':
      return { kind, seq: asSequence(first), overlays: unpackOverlays(second) };
    case 'clipboard':
      return { kind, selection: asString(first, 16), text: asString(second, SERVER_FRAME_MAX) };
    case 'exec':
      return { kind, shell: asString(first, CLIENT_FRAME_MAX), command: asString(second, CLIENT_FRAME_MAX) };
    case 'exit':
      return { kind, reason: unpackReason(first, second) };
    case 'settings':
      return { kind, escapeTimeMs: asInteger(first, 0, ESCAPE_TIME_MAX), features: unpackFeatures(second) };
    case 'notice':
      return {
        kind,
        serial: asSequence(first),
        how: asNamed(second, NOTICE_KINDS),
        title: asString(third, NAME_MAX),
        body: asString(fourth, NAME_MAX),
      };
    case 'pane-notice':
      return {
        kind,
        pane: asSequence(first),
        how: asNamed(second, NOTICE_KINDS),
        title: asString(third, NAME_MAX),
        body: asString(fourth, NAME_MAX),
      };
    case 'notice-end':
    case 'clipboard-read':
      return { kind, serial: asSequence(first) };
    case 'bell':
    case 'suspend':
      return { kind };
  }
}

function asSequence(value: unknown): number {
  return asInteger(value, 0, Number.MAX_SAFE_INTEGER);
}

const ACTIONS = ['press', 'release', 'motion'] as const;
const BUTTONS: readonly MouseButton[] = [
  'left',
  'middle',
  'right',
  'wheel-up',
  'wheel-down',
  'wheel-left',
  'wheel-right',
  'button-8',
  'button-9',
  'button-10',
  'button-11',
  'none',
];
const EVENT_MOUSE = 0;
const EVENT_PASTE = 1;
const EVENT_FOCUS = 2;
const EVENT_KEY = 3;
const PRESSES = ['press', 'repeat', 'release'] as const;
/** Text of one key, UTF-16 units. */
const KEY_TEXT_MAX = 64;
const CODE_MAX = 0x10ffff;

function packEvent(event: InputEvent): unknown {
  switch (event.kind) {
    case 'key':
      return event.detail ? [EVENT_KEY, event.key, ...packKeyDetail(event.detail)] : event.key;
    case 'mouse': {
      const modifiers = (event.shift ? 1 : 0) | (event.meta ? 2 : 0) | (event.ctrl ? 4 : 0);
      return [EVENT_MOUSE, ACTIONS.indexOf(event.action), BUTTONS.indexOf(event.button), event.x, event.y, modifiers];
    }
    case 'paste':
      return [EVENT_PASTE, event.text];
    case 'focus':
      return [EVENT_FOCUS, event.focused];
  }
}

function unpackEvent(value: unknown): InputEvent {
  if (typeof value === 'string') {
    return { kind: 'key', key: asKey(value) };
  }
  const [kind, ...fields] = asArray(value, 2);
  switch (kind) {
    case EVENT_MOUSE:
      return unpackMouse(fields);
    case EVENT_PASTE:
      return { kind: 'paste', text: asString(fields[0], PASTE_TEXT_MAX) };
    case EVENT_FOCUS:
      return { kind: 'focus', focused: asBoolean(fields[0]) };
    case EVENT_KEY:
      return { kind: 'key', key: asKey(fields[0]), detail: unpackKeyDetail(fields.slice(1)) };
    default:
      throw misshapen('event expected');
  }
}

function asKey(value: unknown): Key {
  if (value === '') throw misshapen('key expected');
  return asString(value, KEY_MAX);
}

function packKeyDetail({ event, modifiers, code, shifted, base, text }: KeyDetail): unknown[] {
  return [PRESSES.indexOf(event), modifiers, code, shifted, base, text];
}

function unpackKeyDetail([event, modifiers, code, shifted, base, text]: readonly unknown[]): KeyDetail {
  return {
    event: asNamed(event, PRESSES),
    modifiers: asInteger(modifiers, 0, 0xff),
    code: asInteger(code, 0, CODE_MAX),
    shifted: asInteger(shifted, 0, CODE_MAX),
    base: asInteger(base, 0, CODE_MAX),
    text: asString(text, KEY_TEXT_MAX),
  };
}

function unpackMouse([action, button, x, y, modifierValue]: readonly unknown[]): InputEvent {
  const modifiers = asInteger(modifierValue, 0, 7);
  return {
    kind: 'mouse',
    action: asNamed(action, ACTIONS),
    button: asNamed(button, BUTTONS),
    x: asInteger(x, 0, SIZE_MAX.cols - 1),
    y: asInteger(y, 0, SIZE_MAX.rows - 1),
    shift: (modifiers & 1) !== 0,
    meta: (modifiers & 2) !== 0,
    ctrl: (modifiers & 4) !== 0,
  };
}

const CAPABILITY_BITS = [
  'synchronizedOutput',
  'styledUnderlines',
  'hyperlinks',
  'clipboard',
  'extendedKeys',
  'kittyKeys',
  'themeReports',
] as const satisfies readonly (keyof TerminalCapabilities)[];
const THEMES = ['dark', 'light'] as const;
const COLOR_MAX = 0xffffff;
const CELL_PIXELS_MAX = 4096;

function packCapabilities(capabilities: TerminalCapabilities): unknown[] {
  const { term, name, colors, theme, foreground, background, cellPixels } = capabilities;
  const bits = CAPABILITY_BITS.reduce((sum, bit, at) => sum | (capabilities[bit] ? 1 << at : 0), 0);
  return [
    term,
    name,
    colors === 'rgb' ? 0 : colors,
    bits,
    theme === undefined ? null : THEMES.indexOf(theme),
    foreground ?? null,
    background ?? null,
    cellPixels?.width ?? null,
    cellPixels?.height ?? null,
  ];
}

/** What clients before 1.3 leave out is not known. */
function unpackCapabilities(value: unknown): TerminalCapabilities {
  const [term, name, colors, bitsValue, theme, foreground, background, width, height] = asArray(value, 4);
  const bits = asInteger(bitsValue, 0, 0xffff);
  const has = (bit: (typeof CAPABILITY_BITS)[number]) => (bits & (1 << CAPABILITY_BITS.indexOf(bit))) !== 0;
  const asColor = (color: unknown) => optional(color, (one) => asInteger(one, 0, COLOR_MAX));
  const asPixels = (pixels: unknown) => optional(pixels, (one) => asInteger(one, 1, CELL_PIXELS_MAX));
  const cell = { width: asPixels(width), height: asPixels(height) };
  return {
    term: asString(term, NAME_MAX),
    name: asString(name, NAME_MAX),
    colors: asColors(colors),
    synchronizedOutput: has('synchronizedOutput'),
    styledUnderlines: has('styledUnderlines'),
    hyperlinks: has('hyperlinks'),
    clipboard: has('clipboard'),
    extendedKeys: has('extendedKeys'),
    kittyKeys: has('kittyKeys'),
    themeReports: has('themeReports'),
    theme: optional(theme, (one) => asNamed(one, THEMES)),
    foreground: asColor(foreground),
    background: asColor(background),
    cellPixels:
      cell.width === undefined || cell.height === undefined ? undefined : { width: cell.width, height: cell.height },
  };
}

/** Each bit of features is given (1) or taken away (2); colours as in capabilities, or null. */
function packFeatures({ given, taken, colorsMin, colorsMax }: FeatureChanges): unknown[] {
  const bits = FEATURE_BITS.map((bit) => (given.includes(bit) ? 1 : taken.includes(bit) ? 2 : 0));
  const colors = [colorsMin, colorsMax].map((count) => (count === 'rgb' ? 0 : (count ?? null)));
  return [bits, ...colors];
}

/** Servers of before leave them out. */
function unpackFeatures(value: unknown): FeatureChanges {
  if (value === undefined) return NO_CHANGES;
  const [bitsValue, min, max] = asArray(value, 3);
  const bits = asArray(bitsValue, FEATURE_BITS.length);
  return {
    given: FEATURE_BITS.filter((_, at) => bits[at] === 1),
    taken: FEATURE_BITS.filter((_, at) => bits[at] === 2),
    colorsMin: optional(min, asColors),
    colorsMax: optional(max, asColors),
  };
}

function asColors(value: unknown): TerminalCapabilities['colors'] {
  if (value !== 0 && value !== 16 && value !== 256) throw misshapen('colours expected');
  return value === 0 ? 'rgb' : value;
}

const REASONS = ['detached', 'exited', 'server-exited', 'terminated', 'error'] as const;

function packReason(reason: ExitReason): unknown[] {
  const text = reason.kind === 'detached' ? reason.session : reason.kind === 'error' ? reason.message : '';
  return [REASONS.indexOf(reason.kind), text];
}

function unpackReason(number: unknown, textValue: unknown): ExitReason {
  const kind = asNamed(number, REASONS);
  const text = asString(textValue, CLIENT_FRAME_MAX);
  if (kind === 'detached') return { kind, session: text };
  if (kind === 'error') return { kind, message: text };
  return { kind };
}

/** A copy without properties that are undefined: msgpack has no such value. Anything but plain data is a bug. */
function plainValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainValue);
  if (typeof value !== 'object' || value === null) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw new TypeError('an overlay model is plain data');
  const entries = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(entries.map(([name, field]) => [name, plainValue(field)]));
}

function unpackOverlays(value: unknown): OverlayValue[] {
  const models = asArray(value);
  if (models.length > OVERLAYS_MAX) throw misshapen('too many overlays');
  return models.map((model) => {
    if (typeof model !== 'object' || model === null || !('kind' in model) || typeof model.kind !== 'string') {
      throw misshapen('overlay expected');
    }
    return { ...model, kind: model.kind };
  });
}
