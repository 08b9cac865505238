/**
 * What the server and its pty host say to each other. Both begin with `hello`, whose layout never changes: magic `MPTY`,
 * u16 major, u16 minor, u32 pid. The protocol only grows: a peer ignores frame types and trailing fields that it does
 * not know, and the minor number says what may be expected.
 *
 * A pane's output is a stream of bytes counted from 0 at spawn. Three marks move along it and mean different things:
 *
 *   consumedTo  the server has dealt with everything before it: flow control. The host reads at most READ_AHEAD_MAX
 *               bytes beyond it.
 *   releasedTo  nobody will ask for anything before it again: the host may forget it. Bytes after it are kept, so a new
 *               server that sends `attach` with the offset it knows gets the rest with no gap and no repeat.
 *
 *   handledTo   the replies, bells and hooks that bytes before it cause have happened: a server that reads these bytes
 *               again must not repeat them. It follows consumedTo, runs ahead of it by `handled`, and never goes back.
 *
 * The host also keeps named blobs for the next server (blob-store.ts): `stage` and `drop` change them, `commit` lets the
 * changes take effect together, `load` asks for all of them.
 *
 * Frames about a pane are answered in order, and `exit` comes after the last byte of output.
 */
import { MplexError } from '../../protocol/errors.ts';
import { FieldReader, FRAME_HEADER, FrameWriter, type HostFrame, writeFrameHeader, writeU64 } from './host-frame.ts';

const HOST_MAGIC = 'MPTY';
export const HOST_MAJOR = 1;
/** 1: blobs and `handled`. 2: `pace` and `catch-up`. */
export const HOST_MINOR = 2;

/** At most this much input waits for a program that does not read (bytes); a write that would exceed it is refused. */
export const INPUT_MAX = 10 << 20;

/** A window size as TIOCSWINSZ takes it; pixels are of the whole window, 0 where unknown. */
export interface PtySize {
  readonly cols: number;
  readonly rows: number;
  readonly pixelWidth: number;
  readonly pixelHeight: number;
}

/** How a program ended: exactly one of the two is set, or neither if the host was lost. */
export interface ExitStatus {
  readonly code: number | null;
  /** Name as in signal(7), `SIGHUP`. */
  readonly signal: string | null;
}

/** A pane that the host holds. */
export interface HostPaneInfo {
  readonly id: number;
  readonly pid: number;
  readonly tty: string;
  readonly size: PtySize;
  readonly consumedTo: number;
  readonly releasedTo: number;
  /** consumedTo if the host is older than this mark. */
  readonly handledTo: number;
  /** Offset after the last byte read so far. */
  readonly end: number;
  readonly exited: boolean;
}

export interface HostHello {
  readonly kind: 'hello';
  readonly major: number;
  readonly minor: number;
  readonly pid: number;
}

export interface SpawnRequest {
  readonly kind: 'spawn';
  readonly pane: number;
  readonly argv: readonly string[];
  /** `NAME=value` strings; the whole environment. */
  readonly env: readonly string[];
  readonly cwd: string;
  readonly size: PtySize;
}

/** From the server to the host. */
export type HostRequest =
  | HostHello
  | SpawnRequest
  | { readonly kind: 'write'; readonly pane: number; readonly bytes: Uint8Array }
  | { readonly kind: 'resize'; readonly pane: number; readonly size: PtySize }
  /** `''`: hang up (SIGHUP, after 5 s SIGKILL); else that signal alone. To the program's process group. */
  | { readonly kind: 'kill'; readonly pane: number; readonly signal: string }
  | { readonly kind: 'ack'; readonly pane: number; readonly consumedTo: number; readonly releasedTo: number }
  /** Forget the pane: the pty is closed, a program still running is hung up. The number is free at once. */
  | { readonly kind: 'close'; readonly pane: number }
  /** Close every pane and end. */
  | { readonly kind: 'quit' }
  | { readonly kind: 'list' }
  /** Send the pane's output from this offset on; a connection gets nothing of older connections' panes before. */
  | { readonly kind: 'attach'; readonly pane: number; readonly from: number }
  /** Moves handledTo and writes `input` to the program, both or neither. */
  | { readonly kind: 'handled'; readonly pane: number; readonly to: number; readonly input: Uint8Array }
  /** Begins a blob's new value, or goes on with the one begun since the last `commit`. */
  | { readonly kind: 'stage'; readonly key: string; readonly bytes: Uint8Array }
  /** Removes the blob of this key and those below it (`key/...`). */
  | { readonly kind: 'drop'; readonly key: string }
  | { readonly kind: 'commit' }
  | { readonly kind: 'load' }
  /** The command line that starts the server again after it was lost; none if empty. */
  | { readonly kind: 'restart-command'; readonly argv: readonly string[] }
  /** Put the socket's name back if somebody removed it. */
  | { readonly kind: 'restore-socket' }
  /** Whether nobody looks at the pane: its output may then come in larger pieces, a little later. */
  | { readonly kind: 'pace'; readonly pane: number; readonly isHidden: boolean }
  /** Read what paced panes have printed so far; `caught-up` comes after it. */
  | { readonly kind: 'catch-up' };

/** From the host to the server. */
export type HostReport =
  | HostHello
  | { readonly kind: 'spawned'; readonly pane: number; readonly pid: number; readonly tty: string }
  | { readonly kind: 'spawn-failed'; readonly pane: number; readonly message: string }
  | { readonly kind: 'data'; readonly pane: number; readonly offset: number; readonly bytes: Uint8Array }
  | ({ readonly kind: 'exit'; readonly pane: number } & ExitStatus)
  | { readonly kind: 'panes'; readonly panes: readonly HostPaneInfo[] }
  /** A write of this many bytes was refused: INPUT_MAX would have been exceeded. */
  | { readonly kind: 'input-full'; readonly pane: number; readonly refused: number }
  /** After `input-full`: the program has read all that waited. */
  | { readonly kind: 'input-drain'; readonly pane: number }
  /** Another server has taken this host over; the connection ends. */
  | { readonly kind: 'replaced' }
  /** A blob, or the next part of the one before. */
  | { readonly kind: 'blob'; readonly key: string; readonly bytes: Uint8Array }
  /** After the last blob. */
  | { readonly kind: 'loaded' }
  /** The answer to `catch-up`. */
  | { readonly kind: 'caught-up' };

const TYPE = {
  hello: 0,
  spawn: 1,
  write: 2,
  resize: 3,
  kill: 4,
  ack: 5,
  close: 6,
  quit: 7,
  list: 8,
  attach: 9,
  handled: 10,
  stage: 11,
  drop: 12,
  commit: 13,
  load: 14,
  restartCommand: 15,
  restoreSocket: 16,
  pace: 17,
  catchUp: 18,
  spawned: 64,
  spawnFailed: 65,
  data: 66,
  exit: 67,
  panes: 68,
  inputFull: 69,
  inputDrain: 70,
  replaced: 71,
  blob: 72,
  loaded: 73,
  caughtUp: 74,
} as const;

export function encodeRequest(request: HostRequest): Buffer {
  const writer = new FrameWriter();
  switch (request.kind) {
    case 'hello':
      return encodeHello(writer, request);
    case 'spawn':
      writeSize(writer, request.size).string(request.cwd).strings(request.argv).strings(request.env);
      return writer.finish(TYPE.spawn, request.pane);
    case 'write':
      return encodeWrite(request.pane, request.bytes);
    case 'resize':
      return writeSize(writer, request.size).finish(TYPE.resize, request.pane);
    case 'kill':
      return writer.string(request.signal).finish(TYPE.kill, request.pane);
    case 'ack':
      return writer.u64(request.consumedTo).u64(request.releasedTo).finish(TYPE.ack, request.pane);
    case 'close':
      return writer.finish(TYPE.close, request.pane);
    case 'quit':
      return writer.finish(TYPE.quit, 0);
    case 'list':
      return writer.finish(TYPE.list, 0);
    case 'attach':
      return writer.u64(request.from).finish(TYPE.attach, request.pane);
    case 'handled':
      return writer.u64(request.to).bytes(request.input).finish(TYPE.handled, request.pane);
    case 'stage':
      return writer.string(request.key).bytes(request.bytes).finish(TYPE.stage, 0);
    case 'drop':
      return writer.string(request.key).finish(TYPE.drop, 0);
    case 'commit':
      return writer.finish(TYPE.commit, 0);
    case 'load':
      return writer.finish(TYPE.load, 0);
    case 'restart-command':
      return writer.strings(request.argv).finish(TYPE.restartCommand, 0);
    case 'restore-socket':
      return writer.finish(TYPE.restoreSocket, 0);
    case 'pace':
      return writer.u8(request.isHidden ? 1 : 0).finish(TYPE.pace, request.pane);
    case 'catch-up':
      return writer.finish(TYPE.catchUp, 0);
  }
}

/** The request in a frame; undefined for a type that this version does not know. Throws MplexError `protocol`. */
export function decodeRequest(frame: HostFrame): HostRequest | undefined {
  const { pane } = frame;
  const reader = new FieldReader(frame);
  switch (frame.type) {
    case TYPE.hello:
      return decodeHello(reader);
    case TYPE.spawn: {
      const size = readSize(reader);
      const cwd = reader.string();
      return { kind: 'spawn', pane, size, cwd, argv: reader.strings(), env: reader.strings() };
    }
    case TYPE.write:
      return { kind: 'write', pane, bytes: reader.rest() };
    case TYPE.resize:
      return { kind: 'resize', pane, size: readSize(reader) };
    case TYPE.kill:
      return { kind: 'kill', pane, signal: reader.string() };
    case TYPE.ack:
      return { kind: 'ack', pane, consumedTo: reader.u64(), releasedTo: reader.u64() };
    case TYPE.close:
      return { kind: 'close', pane };
    case TYPE.quit:
      return { kind: 'quit' };
    case TYPE.list:
      return { kind: 'list' };
    case TYPE.attach:
      return { kind: 'attach', pane, from: reader.u64() };
    case TYPE.handled:
      return { kind: 'handled', pane, to: reader.u64(), input: reader.rest() };
    case TYPE.stage:
      return { kind: 'stage', key: reader.string(), bytes: reader.rest() };
    case TYPE.drop:
      return { kind: 'drop', key: reader.string() };
    case TYPE.commit:
      return { kind: 'commit' };
    case TYPE.load:
      return { kind: 'load' };
    case TYPE.restartCommand:
      return { kind: 'restart-command', argv: reader.strings() };
    case TYPE.restoreSocket:
      return { kind: 'restore-socket' };
    case TYPE.pace:
      return { kind: 'pace', pane, isHidden: reader.u8() === 1 };
    case TYPE.catchUp:
      return { kind: 'catch-up' };
    default:
      return undefined;
  }
}

export function encodeReport(report: HostReport): Buffer {
  const writer = new FrameWriter();
  switch (report.kind) {
    case 'hello':
      return encodeHello(writer, report);
    case 'spawned':
      return writer.u32(report.pid).string(report.tty).finish(TYPE.spawned, report.pane);
    case 'spawn-failed':
      return writer.string(report.message).finish(TYPE.spawnFailed, report.pane);
    case 'data':
      return encodeData(report.pane, report.offset, report.bytes);
    case 'exit':
      writer.u8(report.code === null ? 0 : 1).i32(report.code ?? 0);
      return writer.string(report.signal ?? '').finish(TYPE.exit, report.pane);
    case 'panes':
      writer.u32(report.panes.length);
      for (const info of report.panes) writePaneInfo(writer, info);
      // Behind the list, where an older server does not look.
      for (const info of report.panes) writer.u64(info.handledTo);
      return writer.finish(TYPE.panes, 0);
    case 'input-full':
      return writer.u32(report.refused).finish(TYPE.inputFull, report.pane);
    case 'input-drain':
      return writer.finish(TYPE.inputDrain, report.pane);
    case 'replaced':
      return writer.finish(TYPE.replaced, 0);
    case 'blob':
      return writer.string(report.key).bytes(report.bytes).finish(TYPE.blob, 0);
    case 'loaded':
      return writer.finish(TYPE.loaded, 0);
    case 'caught-up':
      return writer.finish(TYPE.caughtUp, 0);
  }
}

/** The report in a frame; undefined for a type that this version does not know. Throws MplexError `protocol`. */
export function decodeReport(frame: HostFrame): HostReport | undefined {
  const { pane } = frame;
  const reader = new FieldReader(frame);
  switch (frame.type) {
    case TYPE.hello:
      return decodeHello(reader);
    case TYPE.spawned:
      return { kind: 'spawned', pane, pid: reader.u32(), tty: reader.string() };
    case TYPE.spawnFailed:
      return { kind: 'spawn-failed', pane, message: reader.string() };
    case TYPE.data:
      return { kind: 'data', pane, offset: reader.u64(), bytes: reader.rest() };
    case TYPE.exit: {
      const hasCode = reader.u8() === 1;
      const code = reader.i32();
      const signal = reader.string();
      return { kind: 'exit', pane, code: hasCode ? code : null, signal: signal === '' ? null : signal };
    }
    case TYPE.panes:
      return { kind: 'panes', panes: readPanes(reader) };
    case TYPE.inputFull:
      return { kind: 'input-full', pane, refused: reader.u32() };
    case TYPE.inputDrain:
      return { kind: 'input-drain', pane };
    case TYPE.replaced:
      return { kind: 'replaced' };
    case TYPE.blob:
      return { kind: 'blob', key: reader.string(), bytes: reader.rest() };
    case TYPE.loaded:
      return { kind: 'loaded' };
    case TYPE.caughtUp:
      return { kind: 'caught-up' };
    default:
      return undefined;
  }
}

/** Where a data frame's bytes start. */
export const DATA_START = FRAME_HEADER + 8;

/** A data frame with a copy of `bytes` from DATA_START on, so the frame's own memory can serve as the copy that is kept. */
export function encodeData(pane: number, offset: number, bytes: Uint8Array): Buffer {
  // Not from the shared pool: a kept frame would hold the whole pool block.
  const frame = Buffer.allocUnsafeSlow(DATA_START + bytes.length);
  writeFrameHeader(frame, TYPE.data, pane);
  writeU64(frame, offset, FRAME_HEADER);
  frame.set(bytes, DATA_START);
  return frame;
}

/** A key, mostly: made in one piece. */
function encodeWrite(pane: number, bytes: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(FRAME_HEADER + bytes.length);
  writeFrameHeader(frame, TYPE.write, pane);
  frame.set(bytes, FRAME_HEADER);
  return frame;
}

function encodeHello(writer: FrameWriter, hello: HostHello): Buffer {
  writer.bytes(Buffer.from(HOST_MAGIC, 'latin1')).u16(hello.major).u16(hello.minor).u32(hello.pid);
  return writer.finish(TYPE.hello, 0);
}

function decodeHello(reader: FieldReader): HostHello {
  const magic = String.fromCharCode(reader.u8(), reader.u8(), reader.u8(), reader.u8());
  if (magic !== HOST_MAGIC) throw new MplexError('protocol', 'pty host: bad magic in hello');
  return { kind: 'hello', major: reader.u16(), minor: reader.u16(), pid: reader.u32() };
}

function writeSize(writer: FrameWriter, size: PtySize): FrameWriter {
  return writer.u16(size.cols).u16(size.rows).u16(size.pixelWidth).u16(size.pixelHeight);
}

function readSize(reader: FieldReader): PtySize {
  return { cols: reader.u16(), rows: reader.u16(), pixelWidth: reader.u16(), pixelHeight: reader.u16() };
}

/** Bytes of a pane in `panes` whose tty is empty. */
const PANE_INFO_MIN = 4 + 4 + 4 + 8 + 3 * 8 + 1;

function writePaneInfo(writer: FrameWriter, info: HostPaneInfo): void {
  writeSize(writer.u32(info.id).u32(info.pid).string(info.tty), info.size);
  writer.u64(info.consumedTo).u64(info.releasedTo).u64(info.end);
  writer.u8(info.exited ? 1 : 0);
}

function readPanes(reader: FieldReader): HostPaneInfo[] {
  const panes = reader.list(PANE_INFO_MIN, () => readPaneInfo(reader));
  if (reader.left === 0) return panes.map((pane) => ({ ...pane, handledTo: pane.consumedTo }));
  return panes.map((pane) => ({ ...pane, handledTo: reader.u64() }));
}

function readPaneInfo(reader: FieldReader): Omit<HostPaneInfo, 'handledTo'> {
  return {
    id: reader.u32(),
    pid: reader.u32(),
    tty: reader.string(),
    size: readSize(reader),
    consumedTo: reader.u64(),
    releasedTo: reader.u64(),
    end: reader.u64(),
    exited: reader.u8() === 1,
  };
}
