/**
 * Writing to the terminal without ever blocking the process: a client whose terminal has stopped must still hear signals
 * and the server. At most one write is under way; the caller holds the next one back until it is done.
 */
import { closeSync, constants, openSync, writeSync } from 'node:fs';

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
  /** Runs `run` after `delayMs`; gives what stops it. */
  readonly after: (delayMs: number, run: () => void) => () => void;
}

/** How long to wait before a full terminal is tried again: there is no way to be told. */
const RETRY_MS = 2;
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

class DirectOutput implements TerminalOutput {
  readonly #fd: number;
  readonly #hooks: OutputHooks;
  #rest: { readonly bytes: Buffer; readonly done: () => void } | undefined;
  #stopRetry: (() => void) | undefined;
  #isLost = false;

  constructor(fd: number, hooks: OutputHooks) {
    this.#fd = fd;
    this.#hooks = hooks;
  }

  get isWriting(): boolean {
    return this.#rest !== undefined;
  }

  write(bytes: Buffer, done: () => void): void {
    if (this.#isLost) return;
    const written = this.#try(bytes);
    if (written === bytes.length) {
      done();
      return;
    }
    if (written < 0) return;
    this.#rest = { bytes: bytes.subarray(written), done };
    this.#stopRetry = this.#hooks.after(RETRY_MS, () => this.#retry());
  }

  writeLast(bytes: Buffer): void {
    let rest = bytes;
    for (let i = 0; i < LAST_TRIES && rest.length > 0; i++) {
      const written = this.#try(rest);
      if (written < 0) return;
      rest = rest.subarray(written);
      if (rest.length > 0) pause(1);
    }
  }

  close(): void {
    this.#stopRetry?.();
    this.#rest = undefined;
    if (!this.#isLost) closeSync(this.#fd);
    this.#isLost = true;
  }

  #retry(): void {
    const rest = this.#rest;
    if (!rest) return;
    this.#rest = undefined;
    this.write(rest.bytes, rest.done);
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
      this.#isLost = true;
      closeSync(this.#fd);
      this.#hooks.onLost(error instanceof Error ? error : new Error(String(error)));
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
