/**
 * Writing to the terminal without ever blocking the process: a client whose terminal has stopped must still hear signals
 * and the server. At most one write is under way; the caller holds the next one back until it is done.
 */
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { ReadStream } from 'node:tty';

export interface TerminalOutput {
  /** Writes all of it, then calls `done`: at once if the terminal takes it. One write at a time. */
  write(bytes: Buffer, done: () => void): void;
  /** Writes what can be written now, for the last words of a process. */
  writeLast(bytes: Buffer): void;
  /** Whether a write was begun and is not done: the terminal may be in the middle of a sequence. */
  readonly isWriting: boolean;
  close(): void;
}

export interface OutputHooks {
  /** The terminal is gone (EIO, EPIPE). Called once at most. */
  readonly onLost: (error: Error) => void;
}

/** Last words are tried this often before the terminal is given up. */
const LAST_TRIES = 200;

/**
 * Opens the terminal behind a file descriptor anew, without blocking: the flag then is ours alone and not also that of
 * the shell. undefined if that cannot be done (no /proc, no terminal).
 */
export function openTerminal(fd: number, hooks: OutputHooks): TerminalOutput | undefined {
  try {
    const flags = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
    return new DirectOutput(openSync(`/proc/self/fd/${fd}`, flags), hooks);
  } catch {
    return undefined;
  }
}

/**
 * Writes at once what the terminal takes: a frame is on its way when `write` returns. For a rest there is a stream, which
 * is told by the kernel when there is room again.
 */
class DirectOutput implements TerminalOutput {
  readonly #fd: number;
  readonly #hooks: OutputHooks;
  /** Has a rest to write; made when there is one for the first time. */
  #stream: ReadStream | undefined;
  #isWriting = false;
  #isLost = false;

  constructor(fd: number, hooks: OutputHooks) {
    this.#fd = fd;
    this.#hooks = hooks;
  }

  get isWriting(): boolean {
    return this.#isWriting;
  }

  write(bytes: Buffer, done: () => void): void {
    if (this.#isLost) return;
    const written = this.#try(bytes);
    if (written === bytes.length) {
      done();
      return;
    }
    if (written < 0) return;
    this.#isWriting = true;
    this.#stream ??= this.#openStream();
    this.#stream.write(bytes.subarray(written), (error) => {
      if (error || !this.#isWriting) return;
      this.#isWriting = false;
      done();
    });
  }

  writeLast(bytes: Buffer): void {
    this.#dropRest();
    let rest = bytes;
    for (let i = 0; i < LAST_TRIES && rest.length > 0; i++) {
      const written = this.#try(rest);
      if (written < 0) return;
      rest = rest.subarray(written);
      if (rest.length > 0) pause(1);
    }
  }

  close(): void {
    this.#dropRest();
    if (!this.#isLost) closeSync(this.#fd);
    this.#isLost = true;
  }

  /** A tty.ReadStream is a socket for both directions that does not block, unlike a tty.WriteStream; it reads nothing here. */
  #openStream(): ReadStream {
    const stream = new ReadStream(this.#fd);
    stream.on('error', (error) => {
      if (stream === this.#stream) this.#lose(error);
    });
    return stream;
  }

  /** What the terminal has not taken is for nobody any more. */
  #dropRest(): void {
    if (!this.#isWriting) return;
    this.#isWriting = false;
    const stream = this.#stream;
    this.#stream = undefined;
    stream?.destroy();
  }

  #lose(error: Error): void {
    if (this.#isLost) return;
    this.#dropRest();
    this.#isLost = true;
    closeSync(this.#fd);
    this.#hooks.onLost(error);
  }

  /** Bytes taken, 0 if the terminal is full, -1 if it is gone. */
  #try(bytes: Buffer): number {
    if (this.#isLost) return -1;
    let at = 0;
    try {
      while (at < bytes.length) at += writeSync(this.#fd, bytes, at);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === 'EAGAIN' || code === 'EINTR') return at;
      this.#lose(error instanceof Error ? error : new Error(String(error)));
      return -1;
    }
    return at;
  }
}

/** Stops the process: only for the last words. */
function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Output through a stream, where there is no terminal device to open: a test's pipe. */
export class StreamOutput implements TerminalOutput {
  readonly #stream: NodeJS.WritableStream;
  #isWriting = false;
  #isClosed = false;

  constructor(stream: NodeJS.WritableStream, hooks: Pick<OutputHooks, 'onLost'>) {
    this.#stream = stream;
    stream.on('error', (error) => {
      if (!this.#isClosed) hooks.onLost(error);
      this.#isClosed = true;
    });
  }

  get isWriting(): boolean {
    return this.#isWriting;
  }

  write(bytes: Buffer, done: () => void): void {
    if (this.#isClosed) return;
    this.#isWriting = true;
    this.#stream.write(bytes, () => {
      this.#isWriting = false;
      if (!this.#isClosed) done();
    });
  }

  writeLast(bytes: Buffer): void {
    if (!this.#isClosed) this.#stream.write(bytes);
  }

  close(): void {
    this.#isClosed = true;
  }
}
