/**
 * The attached client: terminal bytes become input messages, frames become terminal bytes. It keeps no state worth losing.
 * No timer stands between a key and its message or between a frame and its write; the one timer here decides about a lone
 * Escape.
 */
import { spawn } from 'node:child_process';
import type { RawFrame } from '../../protocol/call-codec.ts';
import { cleanText } from '../../protocol/clean-text.ts';
import { decodeServerMessage, encodeClientMessage, INPUT_EVENTS_MAX } from '../../protocol/codec.ts';
import type { Size } from '../../protocol/geometry.ts';
import { sameSize } from '../../protocol/geometry.ts';
import type { ClientMessage, ExitReason, ServerMessage } from '../../protocol/message.ts';
import { FRAME_TYPE } from '../../protocol/message.ts';
import { CLOCK } from '../clock.ts';
import type { ServerConnection } from '../connect.ts';
import type { Environment } from '../server-socket.ts';
import { CapabilityProbe, CELL_QUESTION, COLOR_QUESTIONS, isThemeNotice } from '../terminal/capabilities.ts';
import type { ParsedInput } from '../terminal/input-parser.ts';
import { InputParser } from '../terminal/input-parser.ts';
import type { TerminalInputStream, TerminalOutputStream, TtyProcess } from '../terminal/tty.ts';
import { Tty } from '../terminal/tty.ts';
import { clipboardAnswer } from './outer-clipboard.ts';
import { OuterModes } from './outer-modes.ts';
import { Presenter } from './presenter.ts';
import { type ServerFinder, WayBack } from './way-back.ts';

export interface AttachOptions {
  /** HELLOs are exchanged and the call was handed over. */
  readonly connection: ServerConnection;
  /** Names the client that the server prepared; a server that takes over knows it too. */
  readonly token: string;
  /** Finds a server again after it was lost. Absent: a lost server is the end. */
  readonly finder?: ServerFinder;
  readonly env: Environment;
  readonly stdin: TerminalInputStream;
  readonly stdout: TerminalOutputStream;
  /** -2. */
  readonly colors256?: boolean;
  /** -T. */
  readonly features?: string;
  readonly process?: TtyProcess;
  /** Monotonic clock, ms. */
  readonly now?: () => number;
  readonly after?: (delayMs: number, run: () => void) => () => void;
  /** Runs something that only makes the answer to a key come sooner, while that is on its way. */
  readonly meanwhile?: (run: () => void) => void;
}

export interface AttachOutcome {
  readonly reason: ExitReason;
  /** The client's exit code. */
  readonly code: number;
  /** What to print once the terminal is as it was, without a newline; '' for nothing. */
  readonly line: string;
}

/** How long half an answer of the terminal may keep an Escape waiting after the questions were sent. */
const ANSWERS_EXPECTED_MS = 1000;
/** An answer about the clipboard that comes later than this is dropped. */
const CLIPBOARD_ANSWER_MS = 30_000;
const LOST_SERVER: ExitReason = { kind: 'error', message: 'server exited unexpectedly' };
const LOST_TTY: ExitReason = { kind: 'error', message: 'lost tty' };
const LINE_MAX = 500;

/** Runs until the client is detached, or the session, the server or the terminal ends. The terminal is restored by then. */
export function runAttachedClient(options: AttachOptions): Promise<AttachOutcome> {
  return new Promise((resolve) => new AttachedClient(options, resolve).start());
}

/** The last line as tmux prints it, without its brackets' newline. */
function exitLine(reason: ExitReason): string {
  return `[${cleanText(exitWords(reason), { max: LINE_MAX })}]`;
}

function exitWords(reason: ExitReason): string {
  switch (reason.kind) {
    case 'detached':
      return reason.session === '' ? 'detached' : `detached (from session ${reason.session})`;
    case 'exited':
      return 'exited';
    case 'server-exited':
      return 'server exited';
    case 'terminated':
      return 'terminated';
    case 'error':
      return reason.message;
  }
}

/** 0 if the end was wanted, 1 if not. */
export function exitCode(reason: ExitReason): number {
  return reason.kind === 'terminated' || reason.kind === 'error' ? 1 : 0;
}

function startTimer(delayMs: number, run: () => void): () => void {
  const timer = setTimeout(run, delayMs);
  return () => clearTimeout(timer);
}

class AttachedClient {
  readonly #options: AttachOptions;
  readonly #resolve: (outcome: AttachOutcome) => void;
  readonly #now: () => number;
  readonly #after: (delayMs: number, run: () => void) => () => void;
  readonly #meanwhile: (run: () => void) => void;
  readonly #parser = new InputParser();
  readonly #probe: CapabilityProbe;
  readonly #tty: Tty;
  readonly #presenter: Presenter;
  readonly #modes = new OuterModes();
  readonly #wayBack: WayBack | undefined;
  #connection: ServerConnection;
  #sentSize: Size;
  /** The server is gone and may come back. */
  #isLost = false;
  #stopFlushTimer: (() => void) | undefined;
  /** Another program has the terminal (exec). `reason` once the server has ended the client meanwhile. */
  #child: { reason: ExitReason | undefined } | undefined;
  #isSuspended = false;
  /** Asked and not answered yet: one answer is for all of them. */
  readonly #clipboardQuestions: { readonly serial: number; readonly untilMs: number }[] = [];
  #isFinished = false;

  constructor(options: AttachOptions, resolve: (outcome: AttachOutcome) => void) {
    this.#options = options;
    this.#resolve = resolve;
    this.#connection = options.connection;
    this.#now = options.now ?? CLOCK.now;
    this.#after = options.after ?? startTimer;
    this.#meanwhile = options.meanwhile ?? setImmediate;
    const { env, stdin, stdout } = options;
    this.#probe = new CapabilityProbe({
      env,
      colors256: options.colors256 ?? false,
      features: options.features ?? '',
      size: () => this.#tty.size,
    });
    this.#tty = new Tty({
      stdin,
      stdout,
      term: env.TERM ?? '',
      process: options.process ?? process,
      after: this.#after,
      undo: () => this.#modes.leave(),
      hooks: {
        onInput: (bytes) => this.#dispatch(this.#parser.feed(bytes, this.#now())),
        onResize: () => this.#resized(),
        onLost: () => this.#giveUp(LOST_TTY),
        onTerminate: () => this.#giveUp({ kind: 'terminated' }),
        onSuspendRequest: () => this.#suspend(),
      },
    });
    this.#wayBack = options.finder && this.#createWayBack(options.finder);
    this.#sentSize = this.#tty.size;
    this.#presenter = new Presenter({
      capabilities: this.#probe.capabilities,
      write: (text, done) => this.#tty.write(text, done),
      send: (message) => this.#send(message),
      terminalSize: () => this.#tty.size,
      modes: this.#modes,
      now: this.#now,
    });
  }

  #createWayBack(finder: ServerFinder): WayBack {
    return new WayBack({ finder, now: this.#now, after: this.#after, notice: (text) => this.#notice(text) });
  }

  start(): void {
    this.#tty.enter(this.#probe.questions);
    if (!this.#probe.isSettled) this.#parser.expectReplies(this.#now() + ANSWERS_EXPECTED_MS);
    this.#attach();
  }

  #attach(): void {
    const connection = this.#connection;
    this.#send({
      kind: 'attach',
      token: this.#options.token,
      size: this.#sentSize,
      capabilities: this.#probe.capabilities,
    });
    connection.listen({
      onFrames: (frames) => this.#receive(frames),
      onClose: () => {
        if (connection === this.#connection) this.#serverLost();
      },
    });
  }

  /** Waits for a server that takes over. What is typed meanwhile is lost: nobody can say what it would have been for. */
  #serverLost(): void {
    if (this.#isFinished || this.#isLost) return;
    if (!this.#wayBack) {
      this.#end(LOST_SERVER);
      return;
    }
    this.#isLost = true;
    this.#wayBack.find().then(
      (connection) => {
        if (this.#isFinished) connection.close();
        else this.#useConnection(connection);
      },
      (error: unknown) => this.#end({ kind: 'error', message: error instanceof Error ? error.message : String(error) }),
    );
  }

  #useConnection(connection: ServerConnection): void {
    this.#connection = connection;
    this.#isLost = false;
    this.#presenter.restart();
    this.#sentSize = this.#tty.size;
    this.#attach();
  }

  #notice(text: string): void {
    if (!this.#isLost || this.#isFinished) return;
    this.#presenter.setNotice(text);
    this.#paint();
  }

  #send(message: ClientMessage): void {
    if (!this.#isLost) this.#connection.send(encodeClientMessage(message));
  }

  #dispatch(input: ParsedInput): void {
    for (let at = 0; at < input.events.length; at += INPUT_EVENTS_MAX) {
      this.#sendEvents(input.events.slice(at, at + INPUT_EVENTS_MAX));
    }
    if (input.replies.length > 0) this.#learn(input);
    if (input.events.length > 0) this.#meanwhile(() => this.#presenter.rehearse());
    this.#stopFlushTimer?.();
    this.#stopFlushTimer = undefined;
    const deadline = this.#parser.deadline;
    if (deadline === undefined || this.#isFinished) return;
    this.#stopFlushTimer = this.#after(Math.max(0, Math.ceil(deadline - this.#now())), () => {
      // Where this process was late, the rest may have come meanwhile: it is read first.
      this.#stopFlushTimer = this.#after(0, () => this.#dispatch(this.#parser.flush(this.#now())));
    });
  }

  /** Pastes are large: each travels alone, so that a message stays within its limit. */
  #sendEvents(events: ParsedInput['events']): void {
    let start = 0;
    for (const [i, event] of events.entries()) {
      if (event.kind !== 'paste') continue;
      if (i > start) this.#send({ kind: 'input', events: events.slice(start, i) });
      this.#send({ kind: 'input', events: [event] });
      start = i + 1;
    }
    if (start < events.length) this.#send({ kind: 'input', events: events.slice(start) });
  }

  /** The terminal may ask its person first: it has time. An answer that nobody asked for goes nowhere. */
  #askClipboard(serial: number): void {
    this.#clipboardQuestions.push({ serial, untilMs: this.#now() + CLIPBOARD_ANSWER_MS });
    this.#parser.expectReplies(this.#now() + ANSWERS_EXPECTED_MS);
    this.#presenter.askClipboard();
  }

  #tellClipboard(text: string): void {
    const questions = this.#clipboardQuestions.splice(0).filter(({ untilMs }) => untilMs > this.#now());
    for (const { serial } of questions) this.#send({ kind: 'clipboard-text', serial, text });
  }

  #learn(input: ParsedInput): void {
    for (const reply of input.replies) {
      const text = clipboardAnswer(reply);
      if (text !== undefined) this.#tellClipboard(text);
    }
    // Another theme has other colours.
    if (this.#probe.isSettled && input.replies.some(isThemeNotice)) this.#presenter.ask(COLOR_QUESTIONS);
    const changes = input.replies.map((reply) => this.#probe.accept(reply));
    if (this.#probe.isSettled) this.#parser.expectReplies(Number.NEGATIVE_INFINITY);
    if (changes.includes(true)) this.#tellCapabilities();
    this.#paint();
  }

  #tellCapabilities(): void {
    this.#presenter.setCapabilities(this.#probe.capabilities);
    this.#send({ kind: 'capabilities', capabilities: this.#probe.capabilities });
  }

  #receive(frames: readonly RawFrame[]): void {
    try {
      for (const frame of frames) {
        if (this.#isFinished) return;
        if (frame.type === FRAME_TYPE.packed) this.#handle(decodeServerMessage(frame.body));
      }
      this.#paint();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#end({ kind: 'error', message: `bad message from the server: ${message}` });
    }
  }

  #handle(message: ServerMessage): void {
    switch (message.kind) {
      case 'frame':
        this.#presenter.applyFrame(message.seq, message.damage);
        return;
      case 'overlay':
        this.#presenter.setOverlays(message.seq, message.overlays);
        return;
      case 'bell':
        this.#presenter.bell();
        return;
      case 'notice':
        this.#presenter.notice(message);
        return;
      case 'pane-notice':
        this.#presenter.paneNotice(message);
        return;
      case 'notice-end':
        this.#presenter.noticeEnd(message.serial);
        return;
      case 'clipboard':
        this.#presenter.setClipboard(message.selection, message.text);
        return;
      case 'clipboard-read':
        this.#askClipboard(message.serial);
        return;
      case 'settings':
        this.#parser.escapeMs = message.escapeTimeMs;
        if (this.#probe.change(message.features)) this.#tellCapabilities();
        return;
      case 'suspend':
        this.#suspend();
        return;
      case 'exec':
        this.#exec(message.shell, message.command);
        return;
      case 'exit':
        this.#end(message.reason);
        return;
    }
  }

  #paint(): void {
    if (!this.#child && !this.#isSuspended && !this.#isFinished) this.#presenter.paint();
  }

  #resized(): void {
    if (this.#child || this.#isSuspended) return;
    const size = this.#tty.size;
    if (sameSize(size, this.#sentSize)) return;
    this.#presenter.invalidate();
    if (this.#probe.tellsCells) this.#presenter.ask(CELL_QUESTION);
    this.#sentSize = size;
    this.#send({ kind: 'resize', size });
    // There and back again: the server may see no change and send nothing.
    if (this.#presenter.isFrameOf(size)) this.#paint();
  }

  #suspend(): void {
    if (this.#isSuspended || this.#child || this.#isFinished) return;
    this.#isSuspended = true;
    this.#tty.suspend(() => {
      this.#isSuspended = false;
      this.#takeTerminalBack();
    });
  }

  /** The terminal was somebody else's: everything is set and drawn again, in the size it has now. */
  #takeTerminalBack(): void {
    if (this.#isFinished) return;
    this.#tty.enter();
    this.#presenter.takeBack();
    this.#sentSize = this.#tty.size;
    this.#send({ kind: 'resize', size: this.#sentSize });
    this.#paint();
  }

  /** Another program on this terminal in place of the client; afterwards the client goes on unless it was ended. */
  #exec(shell: string, command: string): void {
    // A lock that has the terminal keeps it.
    if (this.#child) return;
    const state: { reason: ExitReason | undefined } = { reason: undefined };
    this.#child = state;
    this.#tty.leave();
    this.#tty.pauseInput();
    const child = spawn(shell, ['-c', command], { stdio: 'inherit', env: { ...this.#options.env } });
    let isOver = false;
    const over = (code: number) => {
      if (isOver) return;
      isOver = true;
      this.#child = undefined;
      if (state.reason) this.#finish({ reason: state.reason, code, line: '' });
      else {
        this.#takeTerminalBack();
        // Who unlocked the terminal is there.
        this.#send({ kind: 'input', events: [] });
      }
    };
    child.on('error', () => over(127));
    child.on('exit', (code) => over(code ?? 1));
  }

  /** The end comes from this side: the server is told. */
  #giveUp(reason: ExitReason): void {
    // Ctrl-C in a program that has the terminal is that program's.
    if (this.#child) return;
    this.#send({ kind: 'bye' });
    this.#end(reason);
  }

  #end(reason: ExitReason): void {
    if (this.#child) {
      this.#child.reason ??= reason;
      return;
    }
    this.#finish({ reason, code: exitCode(reason), line: exitLine(reason) });
  }

  #finish(outcome: AttachOutcome): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.#stopFlushTimer?.();
    this.#tty.dispose();
    this.#connection.close();
    this.#resolve(outcome);
  }
}
