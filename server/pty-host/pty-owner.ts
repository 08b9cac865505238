/**
 * One program on one pty, from fork to exit. The only file that knows node-pty, and of it only the native functions:
 * its stream loses the end of the output, spins on a full pty and goes on using the descriptor after it was closed.
 *
 * The stream here only says when there is something to read. libuv takes at most one kernel buffer (4 KiB) per wake-up,
 * so the rest is read at once by non-blocking reads. At exit everything the kernel still holds is read before the exit
 * is told. The descriptor is touched only while the stream is open: its number belongs to another pane right after.
 */
import { readSync, writeSync } from 'node:fs';
import type { OnReadOpts, SocketConstructorOpts } from 'node:net';
import { constants } from 'node:os';
import { ReadStream } from 'node:tty';
import * as nodePty from 'node-pty';
import { MplexError } from '../../protocol/errors.ts';
import type { Delay } from './delay.ts';
import type { ExitStatus, PtySize } from './host-protocol.ts';
import { InputQueue } from './input-queue.ts';

/** A hung up program has this long to end before it is killed (ms). */
export const HANG_UP_GRACE_MS = 5000;
/** Handed on in one piece (bytes). */
const READ_MAX = 64 << 10;
/** What the kernel gives in one read of a busy pty is just below 4 KiB; a read much shorter means: that was all. */
const KERNEL_READ = 4096;
const SHORT_READ = 1024;
/** Between looks at a pty whose last opener closed it while its program lives on (ms). */
const REOPEN_POLL_MS = 100;

/** The part of node-pty that its typings leave out: the native module (pinned version, src/unix/pty.cc). */
interface NativePty {
  fork(
    file: string,
    args: readonly string[],
    env: readonly string[],
    cwd: string,
    cols: number,
    rows: number,
    uid: number,
    gid: number,
    utf8: boolean,
    helperPath: string,
    onExit: (code: number, signal: number) => void,
  ): { readonly fd: number; readonly pid: number; readonly pty: string };
  resize(fd: number, cols: number, rows: number, pixelWidth: number, pixelHeight: number): void;
}

// node-pty exports it at run time and says so in its index.js; the typings do not.
const native = (nodePty as unknown as { readonly native: NativePty }).native;

/** Shared by all ptys: bytes stay in it only during one callback. */
const readBuffer = Buffer.allocUnsafeSlow(READ_MAX);

export interface PtyOwnerOptions {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: readonly string[];
  readonly cwd: string;
  readonly size: PtySize;
  readonly delay: Delay;
}

export interface PtyOwnerEvents {
  /** `bytes` are valid during the call only. */
  output(bytes: Uint8Array): void;
  /** After the last output, once. Never after `close`. */
  exit(status: ExitStatus): void;
  inputFull(refused: number): void;
  inputDrained(): void;
  /** The program is gone and nothing is left to do; comes last, also after `close`. */
  done(): void;
}

export class PtyOwner {
  readonly pid: number;
  /** Path of the program's side, `/dev/pts/3`. */
  readonly tty: string;
  readonly #fd: number;
  readonly #stream: ReadStream;
  readonly #events: PtyOwnerEvents;
  readonly #delay: Delay;
  readonly #input: InputQueue;
  #size: PtySize;
  #exited = false;
  #closed = false;
  #cancelKill: (() => void) | undefined;
  #cancelPoll: (() => void) | undefined;

  /** Starts the program. Throws MplexError `io` if the system has no pty, process or descriptor left. */
  constructor(options: PtyOwnerOptions, events: PtyOwnerEvents) {
    this.#events = events;
    this.#delay = options.delay;
    this.#size = options.size;
    const child = this.#fork(options);
    this.pid = child.pid;
    this.tty = child.pty;
    this.#fd = child.fd;
    this.#input = new InputQueue({
      write: (bytes) => this.#writeNow(bytes),
      delay: options.delay,
      onFull: (refused) => events.inputFull(refused),
      onDrained: () => events.inputDrained(),
    });
    this.#stream = this.#openStream();
    if (options.size.pixelWidth > 0) this.resize(options.size);
    this.#stream.resume();
  }

  get size(): PtySize {
    return this.#size;
  }

  get exited(): boolean {
    return this.#exited;
  }

  /** Queues input; refused (event inputFull) above INPUT_MAX, dropped after the exit. */
  write(bytes: Uint8Array): void {
    if (this.#isOpen()) this.#input.push(bytes);
  }

  resize(size: PtySize): void {
    if (!this.#isOpen()) return;
    native.resize(this.#fd, size.cols, size.rows, size.pixelWidth, size.pixelHeight);
    this.#size = size;
  }

  /** Stops or resumes reading; a program that goes on writing then waits. */
  setReading(reading: boolean): void {
    if (!this.#isOpen()) return;
    if (reading) this.#stream.resume();
    else this.#stream.pause();
  }

  /** Reads what there is without waiting, also where reading is stopped, and hands it on: the number of bytes. */
  readWaiting(): number {
    if (!this.#isOpen()) return 0;
    const first = this.#readNow(0);
    // An end is the stream's to find.
    if (first <= 0) return 0;
    const count = this.#fill(first);
    this.#hand(count);
    return count;
  }

  /** Sends a signal to the program's process group. False if there is no such signal. */
  kill(signal: string): boolean {
    if (!isSignal(signal)) return false;
    this.#signalGroup(signal);
    return true;
  }

  /** SIGHUP to the program's process group, SIGKILL if it is still there HANG_UP_GRACE_MS later. */
  hangUp(): void {
    if (this.#exited || this.#cancelKill) return;
    this.#signalGroup('SIGHUP');
    // A stopped program would not see it; the kernel sends both at a hang-up, too.
    this.#signalGroup('SIGCONT');
    this.#cancelKill = this.#delay(HANG_UP_GRACE_MS, () => this.#signalGroup('SIGKILL'));
  }

  /** Closes the pty, which hangs up everything on it, and says nothing more but `done`. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.hangUp();
    this.#release();
  }

  #fork(options: PtyOwnerOptions): ReturnType<NativePty['fork']> {
    try {
      // biome-ignore format: the native function's order, one group per line
      return native.fork(
        options.file, options.args, options.env, options.cwd, options.size.cols, options.size.rows,
        -1, -1, // uid and gid: leave them
        true, // IUTF8, for the tty's own line editing
        '', // the helper is macOS's
        (code, signal) => this.#programExited(code, signal),
      );
    } catch (error) {
      // forkpty(3) does not say which.
      const reason = error instanceof Error ? error.message : String(error);
      throw new MplexError('io', `can't run ${options.file}: no pty, process or descriptor left (${reason})`);
    }
  }

  #openStream(): ReadStream {
    // `onread` is documented for sockets and passed on by tty.ReadStream; the typings have it in other places only.
    const options: SocketConstructorOpts & { readonly onread: OnReadOpts } = {
      allowHalfOpen: true,
      onread: { buffer: readBuffer, callback: (count) => this.#readable(count) },
    };
    const stream = new ReadStream(this.#fd, options);
    // EIO: every opener of the tty has closed it and all is read. The stream has closed the descriptor by then.
    stream.on('error', () => this.#input.clear());
    // libuv takes a short read together with a hang-up for the end: there may be more.
    stream.on('end', () => this.#drainAndWatch());
    return stream;
  }

  #isOpen(): boolean {
    return !this.#closed && !this.#exited && !this.#stream.destroyed;
  }

  /** `count` bytes are in readBuffer; reads what else is there before handing them on. Returns whether to go on. */
  #readable(count: number): boolean {
    this.#hand(this.#fill(count));
    return true;
  }

  /** Reads more behind the `count` bytes in readBuffer while there is more: how many are in it then. */
  #fill(count: number): number {
    let filled = count;
    for (let last = count; last >= SHORT_READ && filled + KERNEL_READ <= READ_MAX; filled += last) {
      last = this.#readNow(filled);
      if (last <= 0) break;
    }
    return filled;
  }

  /** Reads without waiting into readBuffer at `at`: the number of bytes, 0 if there are none now, -1 if never again. */
  #readNow(at: number): number {
    try {
      return readSync(this.#fd, readBuffer, at, READ_MAX - at, null) || -1;
    } catch (error) {
      return isWouldBlock(error) ? 0 : -1;
    }
  }

  #hand(count: number): void {
    this.#input.hurry();
    if (!this.#closed) this.#events.output(readBuffer.subarray(0, count));
  }

  /** Reads all that there is; false if nothing can follow. */
  #drain(): boolean {
    for (;;) {
      let filled = 0;
      let last = 0;
      while (filled + KERNEL_READ <= READ_MAX) {
        last = this.#readNow(filled);
        if (last <= 0) break;
        filled += last;
      }
      if (filled > 0) this.#hand(filled);
      if (last <= 0) return last === 0;
    }
  }

  /** The stream has ended with the program alive: all is read, and looked at again in case the tty is opened again. */
  #drainAndWatch(): void {
    if (!this.#isOpen()) return;
    if (this.#drain()) this.#cancelPoll = this.#delay(REOPEN_POLL_MS, () => this.#drainAndWatch());
    else this.#release();
  }

  #programExited(code: number, signal: number): void {
    // The leader of the session has exited, so the kernel has hung up the tty: what is there now is the last.
    if (this.#isOpen()) this.#drain();
    this.#exited = true;
    this.#release();
    this.#cancelKill?.();
    if (!this.#closed)
      this.#events.exit(signal === 0 ? { code, signal: null } : { code: null, signal: nameOf(signal) });
    this.#events.done();
  }

  #release(): void {
    this.#cancelPoll?.();
    this.#input.clear();
    this.#stream.destroy();
  }

  #writeNow(bytes: Uint8Array): number {
    if (!this.#isOpen()) return bytes.length;
    try {
      return writeSync(this.#fd, bytes);
    } catch (error) {
      // Nobody can read it any more; taking it empties the queue.
      return isWouldBlock(error) ? 0 : bytes.length;
    }
  }

  #signalGroup(signal: NodeJS.Signals): void {
    if (this.#exited) return;
    // Just after the fork the program may not have made its group yet: then it is the only one to signal.
    // EPERM, another user's by now (sudo): closing the pty hangs it up all the same.
    if (!trySignal(-this.pid, signal)) trySignal(this.pid, signal);
  }
}

function trySignal(target: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(target, signal);
  } catch {
    return false;
  }
}

function isWouldBlock(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EAGAIN' || error.code === 'EINTR');
}

function isSignal(name: string): name is NodeJS.Signals {
  return Object.hasOwn(constants.signals, name);
}

function nameOf(signal: number): string {
  const found = Object.entries(constants.signals).find(([, number]) => number === signal);
  return found ? found[0] : `signal ${signal}`;
}
