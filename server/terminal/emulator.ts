/**
 * One pane's terminal: bytes of the program in, a screen with history, modes and answers out. It is @xterm/headless with the
 * hot and the dangerous parts replaced: printing (printer.ts), SGR (pen.ts), scrolling (line-operations.ts), counts and
 * strings (sequence-guard.ts), what programs say (program-strings.ts) and ask (replies.ts).
 *
 * `write` parses at once, without a timer, so that an echo is on the screen when it returns. Nothing a program sends can
 * make it throw: a fault inside resets this terminal and no other.
 */
import xterm from '@xterm/headless';
import type { Row } from '../../protocol/cell.ts';
import type { Cursor } from '../../protocol/frame.ts';
import { clampSize, type Size } from '../../protocol/geometry.ts';
import { charProperties, codePointWidth } from '../../src/overlay/text-width.ts';
import { printHexColor } from './color-spec.ts';
import {
  internalsOf,
  PARSER_GROUND,
  PARSER_IGNORED_STRING,
  type XtermBuffer,
  type XtermCore,
  type XtermLine,
} from './emulator-internals.ts';
import { Hyperlinks } from './hyperlinks.ts';
import { LineOperations } from './line-operations.ts';
import { installPen } from './pen.ts';
import { Printer } from './printer.ts';
import { installProgramStrings, type ProgramColors, type ProgramHandlers } from './program-strings.ts';
import { resizeKeepingCursor } from './reflow.ts';
import { installReplies } from './replies.ts';
import { copyLine, type RowSource } from './screen-row.ts';
import { guardSequences, STRING_IDLE_MS } from './sequence-guard.ts';
import { type PaneModes, TerminalModes } from './terminal-modes.ts';
import { Utf8Decoder } from './utf8-decoder.ts';

/** xterm cannot be narrower; a pane of one column shows the first of two. */
const MIN_COLS = 2;
/** History lines that any pane may ask for at most. */
export const SCROLLBACK_MAX = 1_000_000;
/** Bytes of an unfinished sequence that can be asked for. */
const PENDING_MAX = 4096;
const NOTHING = new Uint8Array(0);
/** Titles that XTPUSHTITLE (CSI 22 t) keeps. */
const TITLE_STACK_MAX = 10;
/** Bells and notifications of one pane are at least so far apart, ms; those between are dropped. */
export const ALERT_INTERVAL_MS = 100;

/** What an emulator tells its owner. All but `reply` may be left out; a handler that throws is reported to `failed`. */
export interface EmulatorHandlers extends ProgramHandlers {
  /** An answer for the program's input. */
  readonly reply: (bytes: string) => void;
  readonly bell?: () => void;
  /** OSC 12 (`#rrggbb`), undefined when reset. */
  readonly cursorColor?: (color: string | undefined) => void;
  /** A handler threw, or the parser did and the terminal was reset. */
  readonly failed?: (error: unknown) => void;
}

export interface EmulatorOptions {
  readonly size: Size;
  /** Lines of history kept. */
  readonly scrollback: number;
  /** Monotonic, ms. */
  readonly now: () => number;
  readonly handlers: EmulatorHandlers;
}

/** What changed on the screen since it was last asked. */
export interface DirtyRows {
  /** Everything may have changed: size, buffer, reset. */
  readonly all: boolean;
  /** First and last changed row; `top > bottom` if none. */
  readonly top: number;
  readonly bottom: number;
  /** Rows by which the whole screen moved up meanwhile. */
  readonly scrolledOff: number;
}

/** Code points of one parse; one buffer for all emulators, since parsing does not wait. */
const SCRATCH_LENGTH = 16 * 1024;
let scratch: Uint32Array | undefined;

export class Emulator {
  readonly #terminal: InstanceType<typeof xterm.Terminal>;
  readonly #core: XtermCore;
  readonly #handlers: EmulatorHandlers;
  readonly #now: () => number;
  readonly #modes: TerminalModes;
  readonly #lines: LineOperations;
  readonly #decoder = new Utf8Decoder();
  readonly #links = new Hyperlinks();
  readonly #colors: ProgramColors = {
    foreground: undefined,
    background: undefined,
    cursor: undefined,
    palette: new Map(),
  };
  #rowSource: RowSource = { links: this.#links, colors: undefined };
  readonly #titleStack: string[] = [];
  #title = '';
  #size: Size;
  #lastWrite = 0;
  #lastBell = Number.NEGATIVE_INFINITY;
  #lastNotification = Number.NEGATIVE_INFINITY;
  #dirtyAll = true;
  #dirtyTop = Number.POSITIVE_INFINITY;
  #dirtyBottom = -1;
  #scrolledOff = 0;
  #trimmed = 0;
  #pending: Uint8Array = NOTHING;
  #isDisposed = false;
  /** Colours of the person's terminal (0xRRGGBB), to answer OSC 10 and 11 queries with; unknown ones are not answered. */
  hostColors: { readonly foreground?: number | undefined; readonly background?: number | undefined } = {};

  constructor(options: EmulatorOptions) {
    this.#size = clampSize(options.size);
    this.#handlers = options.handlers;
    this.#now = options.now;
    this.#terminal = new xterm.Terminal({
      cols: Math.max(MIN_COLS, this.#size.cols),
      rows: this.#size.rows,
      scrollback: limitScrollback(options.scrollback),
      allowProposedApi: true,
      logLevel: 'off',
      reflowCursorLine: true,
    });
    this.#core = internalsOf(this.#terminal);
    this.#core.unicodeService.register({ version: 'mplex', charProperties, wcwidth: codePointWidth });
    this.#core.unicodeService.activeVersion = 'mplex';
    new Printer(this.#core);
    installPen(this.#core);
    this.#lines = new LineOperations(this.#core, {
      screenScrolled: () => {
        this.#scrolledOff++;
      },
      historyTrimmed: (count) => {
        this.#trimmed += count;
      },
    });
    guardSequences(this.#core);
    this.#modes = new TerminalModes(this.#core, this.#now);
    this.#installStrings();
    this.#installControls();
  }

  /** Parses output of the program. Give it in slices of some KiB: it returns when all is parsed. Never throws. */
  write(bytes: Uint8Array): void {
    if (this.#isDisposed || bytes.length === 0) return;
    this.#lastWrite = this.#now();
    const before = this.#buffer;
    try {
      this.#parse(bytes);
    } catch (error) {
      this.#recover(error);
    }
    this.#keepPending(bytes);
    if (this.#buffer !== before) this.#dirtyAll = true;
  }

  /** The size as it was asked for, clamped to SIZE_MAX. */
  get size(): Size {
    return this.#size;
  }

  /** Changes the size. Lines of the normal screen are wrapped anew, and the cursor stays on its character. */
  resize(size: Size): void {
    const next = clampSize(size);
    this.#size = next;
    const cols = Math.max(MIN_COLS, next.cols);
    const { _bufferService: service } = this.#core;
    if (cols === service.cols && next.rows === service.rows) {
      this.#dirtyAll = true;
      return;
    }
    try {
      resizeKeepingCursor(this.#core, { cols, rows: next.rows }, () => this.#terminal.resize(cols, next.rows));
    } catch (error) {
      this.#recover(error);
    }
    this.#dirtyAll = true;
  }

  get cursor(): Cursor {
    const { x, y } = this.#buffer;
    const { shape, blink } = this.#modes.cursorStyle;
    return {
      x: Math.min(x, this.#size.cols - 1),
      y: Math.min(y, this.#size.rows - 1),
      visible: !this.#core.coreService.isCursorHidden,
      shape,
      blink,
      color: this.#colors.cursor === undefined ? undefined : printHexColor(this.#colors.cursor),
    };
  }

  /** The cursor stands behind the last column: the next character wraps. */
  get isWrapPending(): boolean {
    return this.#buffer.x >= this.#core._bufferService.cols;
  }

  get modes(): PaneModes {
    return this.#modes.snapshot();
  }

  /** First and last row of the scroll region. */
  get scrollRegion(): { readonly top: number; readonly bottom: number } {
    return { top: this.#buffer.scrollTop, bottom: this.#buffer.scrollBottom };
  }

  /** The title that the program set, clean; '' if none. */
  get title(): string {
    return this.#title;
  }

  /** What changed since the last call. */
  takeDirty(): DirtyRows {
    const last = this.#size.rows - 1;
    const dirty = this.#dirtyAll
      ? { all: true, top: 0, bottom: last, scrolledOff: this.#scrolledOff }
      : {
          all: false,
          top: Math.max(0, this.#dirtyTop),
          bottom: Math.min(last, this.#dirtyBottom),
          scrolledOff: this.#scrolledOff,
        };
    this.#dirtyAll = false;
    this.#dirtyTop = Number.POSITIVE_INFINITY;
    this.#dirtyBottom = -1;
    this.#scrolledOff = 0;
    return dirty;
  }

  /** Copies row `y` of the screen; `into` may be narrower or wider. */
  screenRow(y: number, into: Row): void {
    copyLine(this.#screenLine(y), into, this.#rowSource);
  }

  /** Whether row `y` of the screen goes on the one above it. */
  rowIsWrapped(y: number): boolean {
    return this.#screenLine(y)?.isWrapped ?? false;
  }

  /** Lines above the screen; as in tmux, those of the normal screen while the alternate one is shown. */
  get historyLength(): number {
    return this.#core._bufferService.buffers.normal.ybase;
  }

  /** Lines ever dropped from the top of the history: a line's index plus this is its name for ever. */
  get historyTrimmed(): number {
    return this.#trimmed;
  }

  /** Copies line `index` of the history; 0 is the oldest. */
  historyRow(index: number, into: Row): void {
    copyLine(this.#historyLine(index), into, this.#rowSource);
  }

  /** Whether line `index` of the history goes on the one before it. */
  historyIsWrapped(index: number): boolean {
    return this.#historyLine(index)?.isWrapped ?? false;
  }

  /** Copies row `y` of the normal screen, also while the alternate one is shown (capture-pane -a). */
  normalRow(y: number, into: Row): void {
    const { normal } = this.#core._bufferService.buffers;
    copyLine(y < this.#size.rows ? normal.lines.get(normal.ybase + y) : undefined, into, this.#rowSource);
  }

  /** Bytes of a sequence that is not finished (capture-pane -P), 4 KiB at most. */
  get pendingBytes(): Uint8Array {
    return this.#pending;
  }

  clearHistory(): void {
    this.#lines.clearHistory();
  }

  /** Changes how many lines of history are kept; what is too much is dropped at once. */
  setScrollback(lines: number): void {
    const before = this.#core._bufferService.buffers.normal.ybase;
    this.#terminal.options.scrollback = limitScrollback(lines);
    this.#trimmed += Math.max(0, before - this.#core._bufferService.buffers.normal.ybase);
  }

  /** Clears the screen, the modes and the parser's state; the history stays (respawn-pane, send-keys -R). */
  reset(): void {
    this.#core._inputHandler._parser.reset();
    this.#resetScreen();
  }

  /** Shows a line of our own in the last row, the rest moved up (remain-on-exit); the cursor is hidden. */
  writeStatusLine(text: string): void {
    const { rows } = this.#size;
    this.#core._inputHandler._parser.reset();
    this.write(Buffer.from(`\x1b[r\x1b[m\x1b[${rows};1H\n${text}\x1b[?25l`));
  }

  /** ms until `expire` should be called, undefined if nothing waits. */
  nextExpiry(): number | undefined {
    const sync = this.#modes.syncExpiry();
    if (!this.#isInString) return sync;
    const idle = Math.max(0, this.#lastWrite + STRING_IDLE_MS - this.#now());
    return sync === undefined ? idle : Math.min(sync, idle);
  }

  /** Ends a synchronised update that took too long and a string that nobody finishes. */
  expire(): void {
    this.#modes.expire();
    if (this.#isInString && this.#now() - this.#lastWrite >= STRING_IDLE_MS) this.#core._inputHandler._parser.reset();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#terminal.dispose();
  }

  get #buffer(): XtermBuffer {
    return this.#core._inputHandler._activeBuffer;
  }

  get #isInString(): boolean {
    return this.#core._inputHandler._parser.currentState >= PARSER_IGNORED_STRING;
  }

  #historyLine(index: number): XtermLine | undefined {
    return index < 0 || index >= this.historyLength
      ? undefined
      : this.#core._bufferService.buffers.normal.lines.get(index);
  }

  #screenLine(y: number): XtermLine | undefined {
    return y < 0 || y >= this.#core._bufferService.rows ? undefined : this.#buffer.lines.get(this.#buffer.ybase + y);
  }

  /** xterm's `InputHandler.parse` with our decoder, and without its events. */
  #parse(bytes: Uint8Array): void {
    const { _parser: parser, _dirtyRowTracker: dirty } = this.#core._inputHandler;
    const codePoints = scratch ?? new Uint32Array(SCRATCH_LENGTH);
    // A handler may write to another emulator meanwhile.
    scratch = undefined;
    try {
      for (let start = 0; start < bytes.length; start += SCRATCH_LENGTH) {
        const length = this.#decoder.decode(bytes.subarray(start, start + SCRATCH_LENGTH), codePoints);
        dirty.clearRange();
        parser.parse(codePoints, length);
        this.#markDirty(dirty.start, dirty.end);
      }
    } finally {
      scratch = codePoints;
    }
  }

  #keepPending(bytes: Uint8Array): void {
    if (this.#core._inputHandler._parser.currentState === PARSER_GROUND) {
      if (this.#pending.length > 0) this.#pending = NOTHING;
      return;
    }
    const last = bytes.lastIndexOf(0x1b);
    const kept = last >= 0 ? bytes.subarray(last) : Buffer.concat([this.#pending, bytes]);
    this.#pending = Uint8Array.from(kept.subarray(0, PENDING_MAX));
  }

  #markDirty(top: number, bottom: number): void {
    this.#dirtyTop = Math.min(this.#dirtyTop, top);
    this.#dirtyBottom = Math.max(this.#dirtyBottom, bottom);
  }

  /** RIS: as tmux, the screen goes to the history and the history stays. */
  #resetScreen(): void {
    const { lines, ybase } = this.#core._bufferService.buffers.normal;
    this.#resetTerminal();
    const fresh = this.#core._bufferService.buffers.normal;
    fresh.lines = lines;
    fresh.ybase = ybase;
    fresh.ydisp = ybase;
    fresh.savedY = ybase;
    this.#lines.clearIntoHistory();
    this.#modes.reset();
    this.#colors.foreground = undefined;
    this.#colors.background = undefined;
    this.#colors.cursor = undefined;
    this.#colors.palette.clear();
    this.#colorsChanged();
    this.#dirtyAll = true;
  }

  /** xterm's reset, and what it forgets. */
  #resetTerminal(): void {
    this.#terminal.reset();
    this.#terminal.options.convertEol = false;
    this.#core.coreService.isCursorHidden = false;
  }

  /** After a fault inside: an empty terminal, history and all. */
  #recover(error: unknown): void {
    this.#core._inputHandler._parser.reset();
    this.#resetTerminal();
    this.#modes.reset();
    this.#dirtyAll = true;
    this.#fail(error);
  }

  #fail(error: unknown): void {
    try {
      this.#handlers.failed?.(error);
    } catch {
      // The one that is told of faults has one itself; there is nobody else to tell.
    }
  }

  /** Runs a handler of the owner's. */
  #protect(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#fail(error);
    }
  }

  #setTitle(title: string): void {
    this.#title = title;
    this.#handlers.title?.(title);
  }

  #colorsChanged(): void {
    const { foreground, background, palette } = this.#colors;
    const hasColors = foreground !== undefined || background !== undefined || palette.size > 0;
    this.#rowSource = { links: this.#links, colors: hasColors ? this.#colors : undefined };
    this.#dirtyAll = true;
    this.#handlers.cursorColor?.(this.cursor.color);
  }

  #installStrings(): void {
    const protect = (run: () => void) => this.#protect(run);
    installProgramStrings({
      core: this.#core,
      handlers: this.#handlers,
      links: this.#links,
      colors: this.#colors,
      hostColors: () => this.hostColors,
      reply: (bytes) => this.#handlers.reply(bytes),
      setTitle: (title) => this.#setTitle(title),
      colorsChanged: () => this.#colorsChanged(),
      mayNotify: () => {
        const isAllowed = this.#now() - this.#lastNotification >= ALERT_INTERVAL_MS;
        if (isAllowed) this.#lastNotification = this.#now();
        return isAllowed;
      },
      protect,
    });
    installReplies({
      core: this.#core,
      modes: this.#modes,
      reply: (bytes) => this.#handlers.reply(bytes),
      protect,
    });
  }

  #installControls(): void {
    const parser = this.#core._inputHandler._parser;
    parser.setExecuteHandler('\x07', () => {
      if (this.#now() - this.#lastBell < ALERT_INTERVAL_MS) return true;
      this.#lastBell = this.#now();
      this.#protect(() => this.#handlers.bell?.());
      return true;
    });
    parser.registerEscHandler({ final: 'c' }, () => {
      parser.reset();
      this.#resetScreen();
      return true;
    });
    // All window operations: only the size is told and only titles are stacked; nothing is resized, moved or read out.
    parser.registerCsiHandler({ final: 't' }, ({ params }) => {
      const what = params[0];
      if (what === 18) {
        const { cols, rows } = this.#size;
        this.#protect(() => this.#handlers.reply(`\x1b[8;${rows};${cols}t`));
      } else if (what === 22) {
        if (this.#titleStack.length < TITLE_STACK_MAX) this.#titleStack.push(this.#title);
      } else if (what === 23) {
        const title = this.#titleStack.pop();
        if (title !== undefined) this.#protect(() => this.#setTitle(title));
      }
      return true;
    });
  }
}

function limitScrollback(lines: number): number {
  return Math.min(SCROLLBACK_MAX, Math.max(0, Math.trunc(lines) || 0));
}
