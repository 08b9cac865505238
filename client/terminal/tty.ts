/**
 * The user's terminal: raw mode, the modes of a full-screen program, its size and signals. Whatever way the client ends,
 * the terminal is put back as it was: `leave` is idempotent, writes without waiting for the event loop, and is tied to the
 * process's exit and to uncaught exceptions.
 */
import type { EventEmitter } from 'node:events';
import type { Size } from '../../protocol/geometry.ts';
import { clampSize } from '../../protocol/geometry.ts';
import type { TerminalOutput } from './tty-output.ts';
import { openTerminal, StreamOutput } from './tty-output.ts';

/** What of a tty.ReadStream is used. */
export interface TerminalInputStream extends NodeJS.ReadableStream {
  readonly isTTY?: boolean;
  setRawMode?(isRaw: boolean): unknown;
}

/** What of a tty.WriteStream is used. */
export interface TerminalOutputStream extends NodeJS.WritableStream {
  readonly isTTY?: boolean;
  readonly fd?: number;
  readonly columns?: number;
  readonly rows?: number;
  getWindowSize?(): [number, number];
}

/** The part of `process` that a terminal needs: signals, the end, its own stopping. */
export interface TtyProcess extends Pick<EventEmitter, 'on' | 'off'> {
  readonly pid: number;
  kill(pid: number, signal: NodeJS.Signals): unknown;
}

export interface TtyHooks {
  readonly onInput: (bytes: Uint8Array) => void;
  readonly onResize: () => void;
  /** The terminal hung up or cannot be read or written any more. */
  readonly onLost: () => void;
  /** SIGHUP, SIGTERM, SIGINT from outside. */
  readonly onTerminate: () => void;
  /** SIGTSTP from outside. */
  readonly onSuspendRequest: () => void;
}

export interface TtyOptions {
  readonly stdin: TerminalInputStream;
  readonly stdout: TerminalOutputStream;
  /** $TERM. */
  readonly term: string;
  readonly process: TtyProcess;
  readonly hooks: TtyHooks;
  readonly after: (delayMs: number, run: () => void) => () => void;
  /** What undoes whatever else was set, on the alternate screen; called once for each `leave`. */
  readonly undo?: () => string;
}

const TERMINATING: readonly NodeJS.Signals[] = ['SIGHUP', 'SIGTERM', 'SIGINT'];
/** A process that cannot be stopped (no job control above it) goes on after this. */
const STOP_MS = 250;
const DEFAULT_SIZE: Size = { cols: 80, rows: 24 };

/** Consoles that print the text of an OSC sequence or of a title stack they do not know. */
function isPlainConsole(term: string): boolean {
  return /^(?:linux|dumb|vt\d+|ansi)\b/.test(term);
}

/**
 * Alternate screen, application cursor keys and keypad (smkx), no autowrap (a character drawn wider than believed must not
 * scroll the screen), bracketed paste, cleared.
 */
export function enterSequence(term: string): string {
  const title = isPlainConsole(term) ? '' : '\x1b[22;0;0t';
  return `\x1b[?1049h${title}\x1b[?1h\x1b=\x1b[?7l\x1b[?2004h\x1b[m\x1b[r\x1b[H\x1b[2J`;
}

/** Undoes everything that enterSequence and the renderer may have set; harmless twice. */
export function leaveSequence(term: string): string {
  const modes = '\x1b[?2026l\x1b[?1000;1002;1003l\x1b[?1006l\x1b[?1004l\x1b[?2004l\x1b[?1l\x1b>';
  const look = isPlainConsole(term) ? '' : '\x1b]8;;\x1b\\\x1b]112\x1b\\\x1b[0 q\x1b[23;0;0t';
  return `${modes}\x1b[m\x1b[r${look}\x1b[H\x1b[2J\x1b[?7h\x1b[?25h\x1b[?1049l`;
}

/** Ends whatever sequence a cut write left open. */
const END_OF_STRING = '\x1b\\';

export class Tty {
  readonly #options: TtyOptions;
  readonly #output: TerminalOutput;
  readonly #listeners: readonly (readonly [event: string, listener: () => void])[];
  #isEntered = false;
  #isLost = false;
  #isClosed = false;

  constructor(options: TtyOptions) {
    this.#options = options;
    const { stdin, stdout, hooks } = options;
    const outputHooks = { onLost: () => this.#lose() };
    const direct = stdout.isTTY && stdout.fd !== undefined ? openTerminal(stdout.fd, outputHooks) : undefined;
    this.#output = direct ?? new StreamOutput(stdout, outputHooks);
    this.#listeners = [
      ['exit', () => this.leave()],
      ['uncaughtExceptionMonitor', () => this.leave()],
      ['SIGWINCH', () => hooks.onResize()],
      ['SIGTSTP', () => hooks.onSuspendRequest()],
      ...TERMINATING.map((signal) => [signal, () => hooks.onTerminate()] as const),
    ];
    for (const [event, listener] of this.#listeners) options.process.on(event, listener);
    stdin.on('data', this.#onData);
    stdin.on('end', this.#onEnd);
    stdin.on('error', this.#onEnd);
  }

  /** The terminal's size now, clamped to what is taken seriously. */
  get size(): Size {
    const { stdout } = this.#options;
    // The stream's own `columns` lag behind until it has seen SIGWINCH itself.
    const [cols, rows] = stdout.getWindowSize?.() ?? [stdout.columns ?? 0, stdout.rows ?? 0];
    if (!(cols > 0) || !(rows > 0)) return DEFAULT_SIZE;
    return clampSize({ cols, rows });
  }

  /** Whether a write is under way: the next one has to wait for it. */
  get isWriting(): boolean {
    return this.#output.isWriting;
  }

  /** Raw mode and the modes of a full-screen program, followed by `questions`. */
  enter(questions = ''): void {
    if (this.#isEntered || this.#isClosed) return;
    this.#isEntered = true;
    this.#options.stdin.setRawMode?.(true);
    this.#options.stdin.resume();
    this.#output.writeLast(Buffer.from(enterSequence(this.#options.term) + questions));
  }

  /** Everything back as it was. Writes at once, idempotent. */
  leave(): void {
    if (!this.#isEntered) return;
    this.#isEntered = false;
    const start = (this.#output.isWriting ? END_OF_STRING : '') + (this.#options.undo?.() ?? '');
    if (!this.#isLost) this.#output.writeLast(Buffer.from(start + leaveSequence(this.#options.term)));
    try {
      this.#options.stdin.setRawMode?.(false);
    } catch {
      // The terminal is gone: there is nothing to restore.
    }
  }

  /** One whole frame; `done` when the terminal has taken it. One at a time. */
  write(text: string, done: () => void): void {
    if (this.#isLost || this.#isClosed) return;
    this.#output.write(Buffer.from(text), done);
  }

  /** A line on the normal screen, after `leave`. */
  printLine(line: string): void {
    if (!this.#isLost) this.#output.writeLast(Buffer.from(`${line}\r\n`));
  }

  /** Stops reading, so that another program on this terminal gets the keys; `enter` starts again. */
  pauseInput(): void {
    this.#options.stdin.pause();
  }

  /** Leaves, stops the process as Ctrl-Z would, and enters again when it is continued; then calls `resumed`. */
  suspend(resumed: () => void): void {
    const { process, after } = this.#options;
    this.leave();
    this.pauseInput();
    const own = this.#listeners.find(([event]) => event === 'SIGTSTP')?.[1];
    // Without a listener the signal has its default effect again.
    if (own) process.off('SIGTSTP', own);
    let isDone = false;
    const resume = () => {
      if (isDone) return;
      isDone = true;
      stopTimer();
      process.off('SIGCONT', resume);
      if (this.#isClosed) return;
      if (own) process.on('SIGTSTP', own);
      resumed();
    };
    process.on('SIGCONT', resume);
    const stopTimer = after(STOP_MS, resume);
    process.kill(process.pid, 'SIGTSTP');
  }

  /** Leaves and lets go of the streams and of the process. */
  close(): void {
    if (this.#isClosed) return;
    this.leave();
    this.#isClosed = true;
    const { stdin, process } = this.#options;
    stdin.off('data', this.#onData);
    stdin.off('end', this.#onEnd);
    stdin.off('error', this.#onEnd);
    stdin.pause();
    for (const [event, listener] of this.#listeners) process.off(event, listener);
  }

  /** After the last line. */
  dispose(): void {
    this.close();
    this.#output.close();
  }

  readonly #onData = (chunk: Uint8Array | string): void => {
    this.#options.hooks.onInput(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  };

  readonly #onEnd = (): void => this.#lose();

  #lose(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#options.hooks.onLost();
  }
}
