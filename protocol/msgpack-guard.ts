/**
 * Looks over a msgpack value before anything is built from it: one value, all of it there, at most DEPTH_MAX deep, and no
 * extension types, so that a peer's bytes never become anything but nil, booleans, numbers, strings, bytes, arrays and
 * maps with string keys. Source: the MessagePack specification, formats table.
 */
import { MplexError } from './errors.ts';

/** Arrays and maps inside of each other. */
export const DEPTH_MAX = 32;

/** Throws MplexError 'protocol' unless `bytes` is one plain msgpack value. Takes time in proportion to the bytes. */
export function checkMsgpack(bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // For each open container: values left to read, and whether every second one (from the first on) is a key.
  const left: number[] = [1];
  const keyed: boolean[] = [false];
  let at = 0;
  while (left.length > 0) {
    const depth = left.length - 1;
    const rest = left[depth] ?? 0;
    if (rest === 0) {
      left.pop();
      keyed.pop();
      continue;
    }
    left[depth] = rest - 1;
    if (at >= bytes.length) throw broken('cut short');
    const head = readHead(view, at);
    if (keyed[depth] && rest % 2 === 0 && head.kind !== 'string') throw broken('a key that is no string');
    at += head.size;
    if (at > bytes.length) throw broken('cut short');
    if (head.children === 0) continue;
    if (left.length > DEPTH_MAX) throw broken('too deep');
    // Every value takes a byte at least: a count beyond that is a lie, told to make someone allocate.
    if (head.children > bytes.length - at) throw broken('cut short');
    left.push(head.children);
    keyed.push(head.kind === 'map');
  }
  if (at !== bytes.length) throw broken('more than one value');
}

function broken(why: string): MplexError {
  return new MplexError('protocol', `malformed message: ${why}`);
}

interface Head {
  readonly kind: 'plain' | 'string' | 'array' | 'map';
  /** Bytes of the value itself, without the values in it. */
  readonly size: number;
  /** Values that follow and belong to this one (a map's keys count). */
  readonly children: number;
}

function plain(size: number): Head {
  return { kind: 'plain', size, children: 0 };
}

const ONE = plain(1);
/** Sizes of float32, float64, uint8 .. uint64, int8 .. int64: types 0xca to 0xd3. */
const NUMBER_SIZES = [5, 9, 2, 3, 5, 9, 2, 3, 5, 9];

function readHead(view: DataView, at: number): Head {
  const type = view.getUint8(at);
  if (type < 0x80 || type >= 0xe0) return ONE;
  if (type < 0x90) return { kind: 'map', size: 1, children: (type & 0x0f) * 2 };
  if (type < 0xa0) return { kind: 'array', size: 1, children: type & 0x0f };
  if (type < 0xc0) return { kind: 'string', size: 1 + (type & 0x1f), children: 0 };
  if (type === 0xc0 || type === 0xc2 || type === 0xc3) return ONE;
  if (type >= 0xca && type <= 0xd3) return plain(NUMBER_SIZES[type - 0xca] ?? 1);
  switch (type) {
    case 0xc4:
    case 0xc5:
    case 0xc6: {
      const width = 1 << (type - 0xc4);
      return plain(1 + width + readLength(view, at + 1, width));
    }
    case 0xd9:
    case 0xda:
    case 0xdb: {
      const width = 1 << (type - 0xd9);
      return { kind: 'string', size: 1 + width + readLength(view, at + 1, width), children: 0 };
    }
    case 0xdc:
    case 0xdd: {
      const width = type === 0xdc ? 2 : 4;
      return { kind: 'array', size: 1 + width, children: readLength(view, at + 1, width) };
    }
    case 0xde:
    case 0xdf: {
      const width = type === 0xde ? 2 : 4;
      return { kind: 'map', size: 1 + width, children: readLength(view, at + 1, width) * 2 };
    }
    default:
      throw broken(`type 0x${type.toString(16)} is not used here`);
  }
}

function readLength(view: DataView, at: number, width: number): number {
  if (at + width > view.byteLength) throw broken('cut short');
  return width === 1 ? view.getUint8(at) : width === 2 ? view.getUint16(at) : view.getUint32(at);
}
