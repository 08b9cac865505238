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
import { installCursorMovement } from './cursor-movement.ts';
import { DirtyTracker, type RowStamps } from './dirty-rows.ts';
import { internalsOf, type XtermBuffer, type XtermCore, type XtermLine } from './emulator-internals.ts';
import {
  type CutString,
  type HistoryPart,
  historyChunks,
  type PackedTerminal,
  packedSize,
  packTerminal,
  type StateParts,
  unpackTerminal,
} from './emulator-state.ts';
import type { BudgetShare } from './history-budget.ts';
import type { HistoryStore } from './history-store.ts';
import { clampLimit, HistoryWindow } from './history-window.ts';
import { Hyperlinks } from './hyperlinks.ts';
import { LineOperations } from './line-operations.ts';
import { OscEnd } from './osc-end.ts';
import { OutputParser } from './output-parser.ts';
import { installPen } from './pen.ts';
import { Printer } from './printer.ts';
import { ProgramColors } from './program-colors.ts';
import { installProgramStrings, type ProgramHandlers } from './program-strings.ts';
import { PromptMarks } from './prompt-marks.ts';
import { resizeWithHistory, trimBelowCursor } from './reflow.ts';
import { type CellPixels, DEFAULT_CELL_PIXELS, type HostTerminal, installReplies } from './replies.ts';
import { copyLine, type RowSource, recolorRow } from './screen-row.ts';
import { guardSequences, STRING_IDLE_MS } from './sequence-guard.ts';
import { installControls, RateLimit } from './terminal-controls.ts';
import { type PaneModes, TerminalModes } from './terminal-modes.ts';

/** xterm cannot be narrower; a pane of one column shows the first of two. */
const MIN_COLS = 2;
/** Bells of one pane are at least so far apart, ms; those between are dropped. */
const ALERT_INTERVAL_MS = 100;

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
  /** What it shares with the histories of other terminals; without one there is no limit in bytes. */
  readonly budget?: BudgetShare | undefined;
  /** Monotonic, ms. */
  readonly now: () => number;
  readonly handlers: EmulatorHandlers;
  /** Whether programs may speak the kitty keyboard protocol; without it they may. */
  readonly hasKittyKeys?: () => boolean;
  /** The person's terminal, to answer questions about it with. */
  readonly host?: () => HostTerminal;
}

export class Emulator {
  readonly #terminal: InstanceType<typeof xterm.Terminal>;
  readonly #core: XtermCore;
  readonly #handlers: EmulatorHandlers;
  readonly #now: () => number;
  readonly #modes: TerminalModes;
  readonly #history: HistoryWindow;
  readonly #promptMarks: PromptMarks;
  readonly #lines: LineOperations;
  readonly #dirty = new DirtyTracker();
  readonly #oscEnd = new OscEnd();
  readonly #parser: OutputParser;
  readonly #links = new Hyperlinks();
  readonly #colors = new ProgramColors();
  #rowSource: RowSource = { links: this.#links, colors: undefined };
  #title = '';
  #size: Size;
  #lastWrite = 0;
  #revision = 0;
  readonly #titles: string[] = [];
  #isDisposed = false;
  readonly #host: () => HostTerminal;

  constructor(options: EmulatorOptions) {
    this.#size = clampSize(options.size);
    this.#handlers = options.handlers;
    this.#now = options.now;
    this.#host = options.host ?? (() => ({}));
    const limit = clampLimit(options.scrollback);
    this.#terminal = new xterm.Terminal({
      cols: Math.max(MIN_COLS, this.#size.cols),
      rows: this.#size.rows,
      scrollback: HistoryWindow.linesFor(limit),
      allowProposedApi: true,
      logLevel: 'off',
    });
    this.#core = internalsOf(this.#terminal);
    this.#core.unicodeService.register({ version: 'mplex', charProperties, wcwidth: codePointWidth });
    this.#core.unicodeService.activeVersion = 'mplex';
    this.#parser = new OutputParser(this.#core, { dirty: this.#dirty, oscEnd: this.#oscEnd });
    new Printer(this.#core);
    installPen(this.#core);
    this.#history = new HistoryWindow(this.#core, { links: this.#links, limit, budget: options.budget });
    this.#promptMarks = new PromptMarks(this.#core, this.#history);
    this.#lines = new LineOperations(this.#core, this.#history);
    guardSequences(this.#core);
    installCursorMovement(this.#core);
    this.#modes = new TerminalModes(this.#core, this.#now);
    this.#installHandlers(options.hasKittyKeys ?? (() => true));
  }

  /** Parses output of the program. Give it in slices of some KiB: it returns when all is parsed. Never throws. */
  write(bytes: Uint8Array): void {
    if (this.#isDisposed || bytes.length === 0) return;
    this.#lastWrite = this.#now();
    const before = this.#buffer;
    try {
      this.#parser.parse(bytes);
      this.#history.settle();
    } catch (error) {
      this.#recover(error);
    }
    if (this.#buffer !== before) this.#dirty.markAll();
  }

  /** The size as it was asked for, clamped to SIZE_MAX. */
  get size(): Size {
    return this.#size;
  }

  /** Changes the size. Lines of the normal screen are wrapped anew, and the cursor stays on its character. */
  resize(size: Size): void {
    this.#revision++;
    const next = clampSize(size);
    this.#size = next;
    const cols = Math.max(MIN_COLS, next.cols);
    const { _bufferService: service } = this.#core;
    if (cols === service.cols && next.rows === service.rows) {
      this.#dirty.markAll();
      return;
    }
    this.#promptMarks.settle();
    if (cols !== service.cols) this.#promptMarks.forgetExits();
    try {
      resizeWithHistory(this.#core, { cols, rows: next.rows }, this.#history, () => {
        this.#terminal.resize(cols, next.rows);
      });
    } catch (error) {
      this.#recover(error);
    }
    this.#dirty.markAll();
  }

  get cursor(): Cursor {
    return {
      x: Math.min(this.#buffer.x, this.#size.cols - 1),
      y: Math.min(this.#buffer.y, this.#size.rows - 1),
      visible: !this.#core.coreService.isCursorHidden,
      ...this.#modes.cursorStyle,
      color: this.#colors.cursorName,
    };
  }

  /** The cursor stands behind the last column: the next character wraps. */
  get isWrapPending(): boolean {
    return this.#buffer.x >= this.#core._bufferService.cols;
  }

  /** Where the cursor of the normal screen waits while the alternate one is used. */
  get normalCursor(): { readonly x: number; readonly y: number } | undefined {
    const { active, normal } = this.#core._bufferService.buffers;
    return active === normal ? undefined : { x: normal.x, y: normal.y };
  }

  /** As they are at the time of reading, not a copy. */
  get modes(): PaneModes {
    return this.#modes.inForce;
  }

  /** A cell in pixels, as mouse reports in pixels count them. */
  get cellPixels(): CellPixels {
    return this.#host().cellPixels ?? DEFAULT_CELL_PIXELS;
  }

  /** First and last row of the scroll region. */
  get scrollRegion(): { readonly top: number; readonly bottom: number } {
    return { top: this.#buffer.scrollTop, bottom: this.#buffer.scrollBottom };
  }

  /** The title that the program set, clean; '' if none. */
  get title(): string {
    return this.#title;
  }

  /** Which rows of the screen change, and when. */
  get stamps(): RowStamps {
    return this.#dirty;
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
    return this.#history.length;
  }

  /** The most lines of history that are kept. */
  get historyLimit(): number {
    return this.#history.limit;
  }

  /** Lines ever dropped from the top of the history: a line's index plus this is its name for ever. */
  get historyTrimmed(): number {
    return this.#history.trimmed;
  }

  /** Bytes of the history, packed but not deflated. */
  get historyBytes(): number {
    return this.#history.rowBytes;
  }

  /** Copies line `index` of the history; 0 is the oldest. */
  historyRow(index: number, into: Row): void {
    this.#history.row(index, into);
    if (this.#rowSource.colors) recolorRow(into, this.#rowSource.colors);
  }

  /** The history as it is now, which stays so. */
  snapshotHistory(): HistoryStore {
    this.#promptMarks.settle();
    const history = this.#history.snapshot();
    const { colors } = this.#rowSource;
    if (colors) history.colors = { ...colors, palette: new Map(colors.palette) };
    return history;
  }

  /** Exit codes that shells told (OSC 133;D), by the index of the line of the prompt that followed. */
  promptExits(): ReadonlyMap<number, number> {
    return this.#promptMarks.exitsByRow();
  }

  /** Whether line `index` of the history goes on the one before it. */
  historyIsWrapped(index: number): boolean {
    return this.#history.isWrapped(index);
  }

  /** Copies row `y` of the normal screen, also while the alternate one is shown (capture-pane -a). */
  normalRow(y: number, into: Row): void {
    const { normal } = this.#core._bufferService.buffers;
    copyLine(y < this.#size.rows ? normal.lines.get(normal.ybase + y) : undefined, into, this.#rowSource);
  }

  /** Bytes of a sequence that is not finished (capture-pane -P), 4 KiB at most. */
  get pendingBytes(): Uint8Array {
    return this.#parser.pending;
  }

  clearHistory(): void {
    this.#revision++;
    this.#history.clear();
  }

  /** Changes how many lines of history are kept; what is too much is dropped at once. */
  setScrollback(lines: number): void {
    this.#revision++;
    const limit = clampLimit(lines);
    this.#history.packAll();
    this.#terminal.options.scrollback = HistoryWindow.linesFor(limit);
    this.#history.setLimit(limit);
  }

  /** Does a step of what can wait until the pane is quiet (packing its history); false when nothing is left to do. */
  tidy(): boolean {
    return !this.#isDisposed && this.#history.tidy();
  }

  /** Drops the rows below the cursor and shows as many lines of history above instead (resize-pane -T). */
  trimBelowCursor(): void {
    this.#revision++;
    if (!this.modes.alternateScreen) trimBelowCursor(this.#core, this.#history);
    this.#dirty.markAll();
  }

  /** Clears the screen, the modes and the parser's state; the history stays (respawn-pane, send-keys -R). */
  reset(): void {
    this.#revision++;
    this.#parser.reset();
    this.#resetScreen();
  }

  /** Parses text of our own, whatever the program has begun (own-lines.ts). */
  writeOwn(text: string): void {
    this.#revision++;
    this.#parser.reset();
    this.write(Buffer.from(text));
  }

  /** ms until `expire` should be called, undefined if nothing waits. */
  nextExpiry(): number | undefined {
    const sync = this.#modes.syncExpiry();
    if (!this.#parser.isInString) return sync;
    const idle = Math.max(0, this.#lastWrite + STRING_IDLE_MS - this.#now());
    return sync === undefined ? idle : Math.min(sync, idle);
  }

  /** Ends a synchronised update that took too long and a string that nobody finishes. */
  expire(): void {
    this.#revision++;
    this.#modes.expire();
    if (this.#parser.isInString && this.#now() - this.#lastWrite >= STRING_IDLE_MS) this.#parser.reset();
  }

  /** Grows with every change that is not the program's output: with that alone the same state comes again. */
  get revision(): number {
    return this.#revision;
  }

  /** Whether no sequence is half read: only then `packScreen` has all there is. */
  get isAtRest(): boolean {
    return this.#parser.isAtRest;
  }

  /** How the string that the parser is in ends; undefined outside of strings. */
  get openString(): CutString | undefined {
    if (!this.#parser.isInString) return undefined;
    return this.#parser.isInOsc ? 'osc' : 'other';
  }

  /** Everything but `historyChunks`, as bytes for `restore`; before those are asked for. */
  packScreen(): Buffer {
    this.#promptMarks.settle();
    return packTerminal(this.#parts);
  }

  /** The full chunks of the history, oldest first, for `restore`. What `packScreen` packs is in no chunk. */
  get historyChunks(): readonly HistoryPart[] {
    return historyChunks(this.#parts);
  }

  /** Makes this fresh terminal what was packed, size included. Throws MplexError `protocol` for bytes of another version. */
  restore(packed: PackedTerminal): void {
    this.resize(packedSize(packed.screen));
    unpackTerminal(this.#parts, packed);
    this.#title = packed.title;
    this.#history.restoreTrimmed(packed.trimmed);
    this.#colorsChanged();
    if (packed.cutString) this.write(Buffer.from(packed.cutString === 'osc' ? '\x1b]99999;' : '\x1bX'));
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#history.dispose();
    this.#terminal.dispose();
  }

  get #parts(): StateParts {
    return {
      core: this.#core,
      modes: this.#modes,
      links: this.#links,
      colors: this.#colors,
      titles: this.#titles,
      options: this.#terminal.options,
      history: this.#history,
      marks: this.#promptMarks,
    };
  }

  get #buffer(): XtermBuffer {
    return this.#core._inputHandler._activeBuffer;
  }

  #screenLine(y: number): XtermLine | undefined {
    return y < 0 || y >= this.#core._bufferService.rows ? undefined : this.#buffer.lines.get(this.#buffer.ybase + y);
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
    this.#promptMarks.reset();
    this.#modes.reset();
    this.#colors.reset();
    this.#colorsChanged();
    this.#dirty.markAll();
  }

  /** xterm's reset, and what it forgets. */
  #resetTerminal(): void {
    this.#terminal.reset();
    this.#terminal.options.convertEol = false;
    this.#core.coreService.isCursorHidden = false;
  }

  /** After a fault inside: an empty terminal, history and all. */
  #recover(error: unknown): void {
    this.#fail(error);
    try {
      this.#parser.reset();
      this.#history.clear();
      this.#resetTerminal();
      this.#modes.reset();
    } catch (again) {
      this.#fail(again);
    }
    this.#dirty.markAll();
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
    this.#rowSource = { links: this.#links, colors: this.#colors.changesCells ? this.#colors : undefined };
    this.#dirty.markAll();
    this.#handlers.cursorColor?.(this.cursor.color);
  }

  #installHandlers(hasKittyKeys: () => boolean): void {
    const bells = new RateLimit(this.#now, ALERT_INTERVAL_MS);
    const shared = {
      core: this.#core,
      reply: (bytes: string) => this.#handlers.reply(bytes),
      setTitle: (title: string) => this.#setTitle(title),
      protect: (run: () => void) => this.#protect(run),
    };
    installProgramStrings({
      ...shared,
      handlers: this.#handlers,
      promptMarks: this.#promptMarks,
      links: this.#links,
      colors: this.#colors,
      hostColors: this.#host,
      oscEnd: this.#oscEnd,
      colorsChanged: () => this.#colorsChanged(),
    });
    installReplies({ ...shared, modes: this.#modes, handlers: this.#handlers, host: this.#host, hasKittyKeys });
    installControls({
      ...shared,
      bell: () => {
        if (bells.take()) this.#handlers.bell?.();
      },
      reset: () => this.#resetScreen(),
      size: () => this.#size,
      cellPixels: () => this.cellPixels,
      title: () => this.#title,
      titles: this.#titles,
    });
  }
}
