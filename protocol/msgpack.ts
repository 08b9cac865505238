/**
 * MessagePack for messages: nil, booleans, numbers, strings, bytes, arrays and maps with string keys, and nothing else. A
 * library does more than that, in code that is too large to be at hand when a key comes after a pause.
 *
 * Reading builds nothing that the bytes do not pay for: a count beyond the bytes that follow, values more than DEPTH_MAX
 * deep, extension types and a second value are refused. Source: the MessagePack specification, formats table.
 */
import { MplexError } from './errors.ts';

/** Arrays and maps inside of each other. */
export const DEPTH_MAX = 32;

/** The buffer that is written into at first, bytes; a longer message grows one of its own. */
const SCRATCH_SIZE = 16 << 10;
/** Room that is asked for before a value of fixed size. */
const HEAD_SIZE = 9;
/** Strings up to this many UTF-16 units are looked through for plain ASCII; longer ones are converted as a whole. */
const SHORT_STRING = 32;
const UTF8_BYTES_MAX = 3;

const scratch = Buffer.allocUnsafeSlow(SCRATCH_SIZE);
/** What is written, and how far. A value is written in one go, nothing of another's comes in between. */
let out = scratch;
let end = 0;

/**
 * A value in a buffer of its own, which begins with `reserved` bytes for whatever the caller puts before it. undefined is
 * written as nil. Throws TypeError for a value that has no place in a message.
 */
export function writeMsgpack(value: unknown, reserved = 0): Buffer {
  out = scratch;
  end = reserved;
  try {
    writeValue(value);
    // Not from the shared pool, of which a message that waits for its client would hold a whole block.
    const message = Buffer.allocUnsafeSlow(end);
    message.set(out.subarray(0, end));
    return message;
  } finally {
    out = scratch;
  }
}

function reserve(count: number): void {
  if (end + count <= out.length) return;
  const larger = Buffer.allocUnsafeSlow(Math.max(out.length * 2, end + count));
  larger.set(out.subarray(0, end));
  out = larger;
}

function writeValue(value: unknown): void {
  reserve(HEAD_SIZE);
  if (typeof value === 'number') writeNumber(value);
  else if (typeof value === 'string') writeString(value);
  else if (value === null || value === undefined) out[end++] = 0xc0;
  else if (typeof value === 'boolean') out[end++] = value ? 0xc3 : 0xc2;
  else if (Array.isArray(value)) writeArray(value);
  else if (value instanceof Uint8Array) writeBytes(value);
  else if (typeof value === 'object' && isPlain(value)) writeMap(Object.entries(value));
  else throw new TypeError(`no value for a message: ${typeof value}`);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function writeNumber(value: number): void {
  if (value >= 0 && value < 0x80 && Number.isInteger(value)) out[end++] = value;
  else if (Number.isInteger(value) && value >= -0x8000_0000 && value <= 0xffff_ffff) writeInteger(value);
  else {
    out[end] = 0xcb;
    end = out.writeDoubleBE(value, end + 1);
  }
}

function writeInteger(value: number): void {
  if (value < 0) {
    if (value >= -0x20) out[end++] = value & 0xff;
    else if (value >= -0x80) end = out.writeInt8(value, type(0xd0));
    else if (value >= -0x8000) end = out.writeInt16BE(value, type(0xd1));
    else end = out.writeInt32BE(value, type(0xd2));
  } else if (value < 0x100) end = out.writeUInt8(value, type(0xcc));
  else if (value < 0x10000) end = out.writeUInt16BE(value, type(0xcd));
  else end = out.writeUInt32BE(value, type(0xce));
}

/** Writes a type and gives where its value goes. */
function type(code: number): number {
  out[end] = code;
  return end + 1;
}

/** The head of what has a count: within the type itself below `small.below`, else in 1, 2 or 4 bytes behind a type. */
function writeHead(count: number, small: { code: number; below: number }, wide: readonly [number, number, number]) {
  const [one, two, four] = wide;
  if (count < small.below) out[end++] = small.code | count;
  else if (count < 0x100 && one !== 0) end = out.writeUInt8(count, type(one));
  else if (count < 0x10000) end = out.writeUInt16BE(count, type(two));
  else end = out.writeUInt32BE(count, type(four));
}

const STRING = { code: 0xa0, below: 32 };
const ARRAY = { code: 0x90, below: 16 };
const MAP = { code: 0x80, below: 16 };
const BYTES = { code: 0, below: 0 };

function writeString(text: string): void {
  if (text.length < STRING.below && writeAscii(text)) return;
  const length = Buffer.byteLength(text);
  writeHead(length, STRING, [0xd9, 0xda, 0xdb]);
  reserve(length);
  out.write(text, end, 'utf8');
  end += length;
}

/** False, and nothing is written, if there is another character in it. */
function writeAscii(text: string): boolean {
  reserve(HEAD_SIZE + text.length * UTF8_BYTES_MAX);
  const start = end + 1;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0x80) return false;
    out[start + i] = code;
  }
  out[end] = STRING.code | text.length;
  end = start + text.length;
  return true;
}

function writeBytes(bytes: Uint8Array): void {
  writeHead(bytes.length, BYTES, [0xc4, 0xc5, 0xc6]);
  reserve(bytes.length);
  out.set(bytes, end);
  end += bytes.length;
}

function writeArray(values: readonly unknown[]): void {
  writeHead(values.length, ARRAY, [0, 0xdc, 0xdd]);
  for (const value of values) writeValue(value);
}

function writeMap(entries: readonly (readonly [string, unknown])[]): void {
  writeHead(entries.length, MAP, [0, 0xde, 0xdf]);
  for (const [key, value] of entries) {
    writeValue(key);
    writeValue(value);
  }
}

/** What is read, and how far. */
const NOTHING: Buffer = Buffer.alloc(0);
let source = NOTHING;
let at = 0;

/**
 * The one value that `bytes` are. Bytes in it share their memory. Throws MplexError 'protocol' for anything else; takes time
 * in proportion to the bytes.
 */
export function readMsgpack(bytes: Uint8Array): unknown {
  source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  at = 0;
  try {
    const value = readValue(0);
    if (at !== source.length) throw broken('more than one value');
    return value;
  } finally {
    source = NOTHING;
  }
}

function broken(why: string): MplexError {
  return new MplexError('protocol', `malformed message: ${why}`);
}

/** Goes beyond `count` bytes and gives where they start. */
function take(count: number): number {
  const start = at;
  if (start + count > source.length) throw broken('cut short');
  at = start + count;
  return start;
}

function readValue(depth: number): unknown {
  const code = source[at];
  if (code === undefined) throw broken('cut short');
  at++;
  if (code < 0x80) return code;
  if (code >= 0xe0) return code - 0x100;
  if (code < 0x90) return readMap(code & 0x0f, depth);
  if (code < 0xa0) return readArray(code & 0x0f, depth);
  if (code < 0xc0) return readString(code & 0x1f);
  switch (code) {
    case 0xc0:
      return null;
    case 0xc2:
      return false;
    case 0xc3:
      return true;
    case 0xc4:
    case 0xc5:
    case 0xc6:
      return readBytes(readCount(1 << (code - 0xc4)));
    case 0xd9:
    case 0xda:
    case 0xdb:
      return readString(readCount(1 << (code - 0xd9)));
    case 0xdc:
    case 0xdd:
      return readArray(readCount(code === 0xdc ? 2 : 4), depth);
    case 0xde:
    case 0xdf:
      return readMap(readCount(code === 0xde ? 2 : 4), depth);
    default:
      return readNumber(code);
  }
}

function readNumber(code: number): number {
  switch (code) {
    case 0xca:
      return source.readFloatBE(take(4));
    case 0xcb:
      return source.readDoubleBE(take(8));
    case 0xcc:
      return source.readUInt8(take(1));
    case 0xcd:
      return source.readUInt16BE(take(2));
    case 0xce:
      return source.readUInt32BE(take(4));
    case 0xcf:
      return Number(source.readBigUInt64BE(take(8)));
    case 0xd0:
      return source.readInt8(take(1));
    case 0xd1:
      return source.readInt16BE(take(2));
    case 0xd2:
      return source.readInt32BE(take(4));
    case 0xd3:
      return Number(source.readBigInt64BE(take(8)));
    default:
      throw broken(`type 0x${code.toString(16)} is not used here`);
  }
}

function readCount(width: number): number {
  const start = take(width);
  return width === 1 ? source.readUInt8(start) : width === 2 ? source.readUInt16BE(start) : source.readUInt32BE(start);
}

function readBytes(length: number): Buffer {
  const start = take(length);
  return source.subarray(start, start + length);
}

function readString(length: number): string {
  const start = take(length);
  if (length > SHORT_STRING) return source.toString('utf8', start, at);
  let text = '';
  for (let i = start; i < at; i++) {
    const code = source[i] ?? 0;
    if (code >= 0x80) return source.toString('utf8', start, at);
    text += String.fromCharCode(code);
  }
  return text;
}

/** Every value takes a byte at least: a count beyond that is a lie, told to make someone allocate. */
function enter(count: number, depth: number): number {
  if (count > source.length - at) throw broken('cut short');
  if (depth >= DEPTH_MAX) throw broken('too deep');
  return depth + 1;
}

function readArray(count: number, depth: number): unknown[] {
  const within = enter(count, depth);
  const values: unknown[] = [];
  for (let i = 0; i < count; i++) values.push(readValue(within));
  return values;
}

function readMap(count: number, depth: number): Record<string, unknown> {
  const within = enter(count * 2, depth);
  const map: Record<string, unknown> = {};
  for (let i = 0; i < count; i++) {
    const key = readValue(within);
    if (typeof key !== 'string') throw broken('a key that is no string');
    const value = readValue(within);
    // A name like any other, and not the object's prototype.
    if (key === '__proto__')
      Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true });
    else map[key] = value;
  }
  return map;
}
