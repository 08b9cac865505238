/**
 * The frames that a command line call uses: a fixed layout that a small C program can speak, byte for byte.
 *
 *   frame    u32 length (of what follows, type included), u8 type, body
 *   str      u32 length in bytes, UTF-8 without a terminator
 *   list     u32 count, then `count` times str
 *   (all integers big endian; bytes after the last known field of a body are ignored, a later minor may add some)
 *
 *   type  name       direction  body
 *   0     hello      both       "MPLX" (4 bytes), u16 major, u16 minor, u32 pid, str version; always the first frame
 *   1     command    to server  u32 pid, u8 flags, str cwd, list argv, list environ ("NAME=value"), u8 has terminal (0, 1),
 *                               and if 1: u16 columns, u16 rows, str tty path, str TERM
 *                               flags: 1 = -N, 2 = -2, 4 = -u, 8 = called as tmux, bits 4-5 = -C (1), -CC (2)
 *   2     stdin      to server  bytes
 *   3     stdout     to client  bytes
 *   4     stderr     to client  bytes
 *   5     exit       to client  u32 exit code; the call is over
 *   6     handover   to client  str token; the call goes on as an attached client
 *   7     stdinEnd   to server  empty
 *   8     wantStdin  to client  empty
 *   16    packed     both       one msgpack value, see codec.ts
 *
 * Nothing here loads msgpackr or zod.
 */
import { MplexError } from './errors.ts';
import type { CallerTerminal, CallFlags, CommandCall, Handover, Hello } from './message.ts';
import { FRAME_TYPE, PROTOCOL_MAGIC } from './message.ts';

/** A message with a fixed layout. */
export type CallMessage =
  | Hello
  | CommandCall
  | Handover
  | { readonly kind: 'stdin'; readonly bytes: Uint8Array }
  | { readonly kind: 'stdin-end' }
  | { readonly kind: 'want-stdin' }
  | { readonly kind: 'stdout'; readonly bytes: Uint8Array }
  | { readonly kind: 'stderr'; readonly bytes: Uint8Array }
  /** The call's exit code, 0 to 255. */
  | { readonly kind: 'exit-code'; readonly code: number };

/** A frame cut out of the stream. `body` may share memory with the chunk it came in. */
export interface RawFrame {
  readonly type: number;
  readonly body: Uint8Array;
}

/** Bytes of `u32 length, u8 type`. */
export const FRAME_HEADER_SIZE = 5;
/** First allocation for a body, bytes: most commands with their environment fit. */
const FIRST_BODY = 4096;
/** Most entries of argv and of environ. */
const LIST_MAX = 65_536;

/** One frame: header and body in one buffer. */
export function encodeFrame(type: number, body: Uint8Array): Uint8Array {
  const frame = Buffer.allocUnsafe(FRAME_HEADER_SIZE + body.length);
  frame.writeUInt32BE(body.length + 1, 0);
  frame[4] = type;
  frame.set(body, FRAME_HEADER_SIZE);
  return frame;
}

/** A fixed-layout message as a whole frame, ready to be written. */
export function encodeCallMessage(message: CallMessage): Uint8Array {
  switch (message.kind) {
    case 'hello':
      return encodeFrame(FRAME_TYPE.hello, encodeHello(message));
    case 'command':
      return encodeFrame(FRAME_TYPE.command, encodeCommand(message));
    case 'stdin':
      return encodeFrame(FRAME_TYPE.stdin, message.bytes);
    case 'stdin-end':
      return encodeFrame(FRAME_TYPE.stdinEnd, Buffer.alloc(0));
    case 'want-stdin':
      return encodeFrame(FRAME_TYPE.wantStdin, Buffer.alloc(0));
    case 'stdout':
      return encodeFrame(FRAME_TYPE.stdout, message.bytes);
    case 'stderr':
      return encodeFrame(FRAME_TYPE.stderr, message.bytes);
    case 'exit-code':
      return encodeFrame(FRAME_TYPE.exit, new BodyWriter().u32(message.code).bytes);
    case 'handover':
      return encodeFrame(FRAME_TYPE.handover, new BodyWriter().str(message.token).bytes);
  }
}

/** Reads a fixed-layout frame; undefined for a type that is none (packed or unknown). Throws MplexError 'protocol'. */
export function decodeCallMessage(frame: RawFrame): CallMessage | undefined {
  switch (frame.type) {
    case FRAME_TYPE.hello:
      return decodeHello(frame.body);
    case FRAME_TYPE.command:
      return decodeCommand(frame.body);
    case FRAME_TYPE.stdin:
      return { kind: 'stdin', bytes: frame.body };
    case FRAME_TYPE.stdinEnd:
      return { kind: 'stdin-end' };
    case FRAME_TYPE.wantStdin:
      return { kind: 'want-stdin' };
    case FRAME_TYPE.stdout:
      return { kind: 'stdout', bytes: frame.body };
    case FRAME_TYPE.stderr:
      return { kind: 'stderr', bytes: frame.body };
    case FRAME_TYPE.exit:
      return { kind: 'exit-code', code: new BodyReader(frame.body).u32() & 0xff };
    case FRAME_TYPE.handover:
      return { kind: 'handover', token: new BodyReader(frame.body).str() };
    default:
      return undefined;
  }
}

function encodeHello(hello: Hello): Uint8Array {
  const { major, minor, pid, version } = hello;
  return new BodyWriter().latin1(PROTOCOL_MAGIC).u16(major).u16(minor).u32(pid).str(version).bytes;
}

function decodeHello(body: Uint8Array): Hello {
  const reader = new BodyReader(body);
  if (reader.latin1(PROTOCOL_MAGIC.length) !== PROTOCOL_MAGIC) throw new MplexError('protocol', 'peer is not mplex');
  return { kind: 'hello', major: reader.u16(), minor: reader.u16(), pid: reader.u32(), version: reader.str() };
}

const FLAG_NO_START = 1;
const FLAG_COLORS_256 = 2;
const FLAG_UTF8 = 4;
const FLAG_AS_TMUX = 8;
const CONTROL_SHIFT = 4;

function encodeFlags(flags: CallFlags): number {
  return (
    (flags.noStart ? FLAG_NO_START : 0) |
    (flags.colors256 ? FLAG_COLORS_256 : 0) |
    (flags.utf8 ? FLAG_UTF8 : 0) |
    (flags.asTmux ? FLAG_AS_TMUX : 0) |
    (flags.control << CONTROL_SHIFT)
  );
}

function decodeFlags(byte: number): CallFlags {
  const control = (byte >> CONTROL_SHIFT) & 3;
  if (control === 3) throw new MplexError('protocol', 'control mode out of range: 3');
  return {
    noStart: (byte & FLAG_NO_START) !== 0,
    colors256: (byte & FLAG_COLORS_256) !== 0,
    utf8: (byte & FLAG_UTF8) !== 0,
    asTmux: (byte & FLAG_AS_TMUX) !== 0,
    control: control === 0 ? 0 : control === 1 ? 1 : 2,
  };
}

function encodeCommand(call: CommandCall): Uint8Array {
  const { terminal } = call;
  const body = new BodyWriter().u32(call.pid).u8(encodeFlags(call.flags)).str(call.cwd);
  body
    .list(call.argv)
    .list(call.environ)
    .u8(terminal ? 1 : 0);
  if (terminal) {
    const { cols, rows } = terminal.size;
    body.u16(Math.min(cols, 0xffff)).u16(Math.min(rows, 0xffff)).str(terminal.tty).str(terminal.term);
  }
  return body.bytes;
}

function decodeCommand(body: Uint8Array): CommandCall {
  const reader = new BodyReader(body);
  const pid = reader.u32();
  const flags = decodeFlags(reader.u8());
  const cwd = reader.str();
  const argv = reader.list();
  const environ = reader.list();
  const terminal = reader.u8() === 0 ? undefined : decodeTerminal(reader);
  return { kind: 'command', argv, cwd, environ, pid, terminal, flags };
}

function decodeTerminal(reader: BodyReader): CallerTerminal {
  const cols = reader.u16();
  const rows = reader.u16();
  return { size: { cols, rows }, tty: reader.str(), term: reader.str() };
}

/** Puts the fields of a body one after the other. */
class BodyWriter {
  #bytes = Buffer.allocUnsafe(FIRST_BODY);
  #at = 0;

  /** What was put so far. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#at);
  }

  u8(value: number): this {
    return this.#put(value, 1);
  }

  u16(value: number): this {
    return this.#put(value, 2);
  }

  u32(value: number): this {
    return this.#put(value, 4);
  }

  latin1(text: string): this {
    const at = this.#take(text.length);
    this.#bytes.write(text, at, 'latin1');
    return this;
  }

  str(text: string): this {
    const length = Buffer.byteLength(text, 'utf8');
    this.u32(length);
    const at = this.#take(length);
    this.#bytes.write(text, at, 'utf8');
    return this;
  }

  list(texts: readonly string[]): this {
    this.u32(texts.length);
    for (const text of texts) this.str(text);
    return this;
  }

  /** The low `size` bytes of a number, big endian. */
  #put(value: number, size: number): this {
    const at = this.#take(size);
    for (let i = 0; i < size; i++) this.#bytes[at + i] = value >>> (8 * (size - 1 - i));
    return this;
  }

  #take(length: number): number {
    const at = this.#at;
    this.#at += length;
    if (this.#at > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(2 * this.#at);
      larger.set(this.#bytes.subarray(0, at));
      this.#bytes = larger;
    }
    return at;
  }
}

/** Reads fields off a body; every read checks the bounds. */
class BodyReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(body: Uint8Array) {
    this.#bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  }

  u8(): number {
    return this.#bytes.readUInt8(this.#take(1));
  }

  u16(): number {
    return this.#bytes.readUInt16BE(this.#take(2));
  }

  u32(): number {
    return this.#bytes.readUInt32BE(this.#take(4));
  }

  latin1(length: number): string {
    const at = this.#take(length);
    return this.#bytes.toString('latin1', at, at + length);
  }

  str(): string {
    const length = this.u32();
    const at = this.#take(length);
    return this.#bytes.toString('utf8', at, at + length);
  }

  list(): string[] {
    const count = this.u32();
    if (count > LIST_MAX) throw new MplexError('protocol', `list too long: ${count}`);
    const texts: string[] = [];
    for (let i = 0; i < count; i++) texts.push(this.str());
    return texts;
  }

  #take(length: number): number {
    const at = this.#at;
    if (at + length > this.#bytes.length) throw new MplexError('protocol', 'message cut short');
    this.#at += length;
    return at;
  }
}
