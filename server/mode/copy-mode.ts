/**
 * Copy mode: the text of a pane as it was when the mode began, to be scrolled, searched and copied from, while the
 * program goes on. Commands are rows of copy-commands.ts; what is shown is copy-picture.ts.
 */
import type { Row } from '../../protocol/cell.ts';
import { type Cursor, HIDDEN_CURSOR } from '../../protocol/frame.ts';
import type { Size } from '../../protocol/geometry.ts';
import type { ClientSession } from '../model/client-session.ts';
import { sendToClipboard } from '../model/clipboard.ts';
import type { Pane } from '../model/pane.ts';
import type { ModeCommandOptions, ModeMouse, PaneMode } from '../model/pane-mode.ts';
import type { Registry } from '../model/registry.ts';
import type { Session } from '../model/session.ts';
import { viewOf } from '../terminal/history.ts';
import { type CopyOutput, findCopyCommand } from './copy-commands.ts';
import { drawCopyRow } from './copy-picture.ts';
import { CopyState, type LastSearch } from './copy-state.ts';
import { FrozenGrid } from './frozen-grid.ts';

/** What the mode needs of the server. */
export interface CopyModeServices {
  readonly registry: Registry;
  /** Runs `callback` once after a time; the returned function calls it off. */
  after(delayMs: number, callback: () => void): () => void;
  /** Tells something at the client's status line for a while. */
  showMessage(client: ClientSession, text: string): void;
  startJob(request: { readonly command: string; readonly session?: Session | undefined }): PipeJob;
}

/** A command that text is piped to. */
export interface PipeJob {
  write(data: Uint8Array): boolean;
  endInput(): void;
}

export interface CopyModeInit {
  readonly services: CopyModeServices;
  readonly pane: Pane;
  readonly name: 'copy-mode' | 'view-mode';
  readonly grid: FrozenGrid;
  /** The pane whose text it is; undefined for the output of a command. */
  readonly source?: Pane;
  /** Scrolling down to the end leaves the mode (copy-mode -e). */
  readonly exitAtBottom?: boolean;
  /** No position indicator (copy-mode -H). */
  readonly hidePosition?: boolean;
  /** Text for refresh-from-pane; undefined where there is nothing to take anew. */
  readonly refresh?: () => FrozenGrid;
}

/** While the mouse is held at the edge of the pane the text scrolls a line each, ms. */
const DRAG_SCROLL_MS = 50;

export class CopyMode implements PaneMode {
  readonly name: 'copy-mode' | 'view-mode';
  readonly state: CopyState;
  readonly #services: CopyModeServices;
  readonly #pane: Pane;
  /** The pane whose text is shown; undefined for the output of a command. */
  readonly source: Pane | undefined;
  readonly exitAtBottom: boolean;
  /** The name that the text's first line had in its pane when it was taken (Emulator.historyTrimmed). */
  firstLine: number;
  readonly #refresh: (() => FrozenGrid) | undefined;
  /** Repeat count given ahead of a command (`send-keys -N 5` without a key). */
  #count = 1;
  /** Who gave the last command. */
  #client: ClientSession | undefined;
  #stopDragScroll: (() => void) | undefined;

  constructor(init: CopyModeInit) {
    this.name = init.name;
    this.#services = init.services;
    this.#pane = init.pane;
    this.source = init.source;
    this.exitAtBottom = init.exitAtBottom ?? false;
    this.firstLine = init.source?.emulator.historyTrimmed ?? 0;
    this.#refresh = init.refresh;
    this.state = new CopyState(init.grid, { rows: init.pane.size.rows, settings: () => this.#settings() });
    this.state.showsPosition = !init.hidePosition;
    this.state.lastSearch = lastSearches.get(init.pane);
  }

  get keyTable(): string {
    return this.#isVi ? 'copy-mode-vi' : 'copy-mode';
  }

  get #isVi(): boolean {
    return this.#pane.options.choice('mode-keys') === 'vi';
  }

  #settings() {
    const session = sessionOf(this.#pane);
    const options = session?.options ?? this.#services.registry.sessionOptions;
    return {
      isVi: this.#isVi,
      wordSeparators: options.string('word-separators'),
      wrapSearch: this.#pane.options.flag('wrap-search'),
    };
  }

  drawRow(y: number, into: Row): void {
    drawCopyRow(this.state, this.#pane.options, { y, into });
  }

  cursor(): Cursor {
    const { cursor } = this.state;
    return { ...HIDDEN_CURSOR, x: Math.min(cursor.x, cursor.cols - 1), y: cursor.y, visible: true };
  }

  resize(size: Size): void {
    this.state.resize(size);
  }

  key(): void {
    // Every key of copy mode is a binding of its table.
  }

  /** Without a name, `count` counts for the next command. Names that are not known do nothing, as in tmux. */
  command(args: readonly string[], options: ModeCommandOptions): string | undefined {
    const [given, ...rest] = args;
    const name = given !== undefined && options.mouse ? this.#mouseCommand(given) : given;
    if (name === undefined) {
      this.#count = options.count;
      return undefined;
    }
    const command = findCopyCommand(name);
    const [least, most] = command?.args ?? [0, 0];
    if (command && rest.length >= least && rest.length <= most) {
      const count = options.count !== 1 ? options.count : this.#count;
      if (options.mouse) this.#pointAt(options.mouse);
      this.#client = options.client;
      const { state } = this;
      const result = command.run({
        state,
        output: this.#output,
        args: rest,
        count,
        exitAtBottom: this.exitAtBottom,
      });
      state.followCursor();
      const clears = command.clears ?? 'emacs';
      if (state.search && (clears === 'always' || (clears === 'emacs' && !this.#isVi))) state.clearSearch();
      if (options.mouse && options.client && SELECTING.has(name)) this.beginDrag(options.client, options.mouse);
      if (result === 'cancel') this.#leave();
    }
    this.#count = 1;
    this.#services.registry.markPane(this.#pane);
    return undefined;
  }

  /** Option mouse-keep-selection: what copies and leaves only copies. */
  #mouseCommand(name: string): string {
    const options = sessionOf(this.#pane)?.options;
    return options?.flag('mouse-keep-selection')
      ? name.replace(/^((?:copy-)?(?:pipe|selection))-and-cancel$/, '$1-no-clear')
      : name;
  }

  variable(name: string): string | undefined {
    return VARIABLES[name]?.(this.state);
  }

  close(): void {
    const { lastSearch, searchText } = this.state;
    if (searchText) this.#pane.searchText = searchText;
    if (lastSearch) lastSearches.set(this.#pane, { ...lastSearch, direction: -1 });
    this.#stopDragScroll?.();
    this.#stopDragScroll = undefined;
  }

  pageUp(): void {
    this.state.cursor.movePage(-1, {});
  }

  /** Begins a selection at the mouse that grows until the button is released (copy-mode -M). */
  selectFromMouse(client: ClientSession, mouse: ModeMouse): void {
    this.#pointAt(mouse);
    this.state.beginSelection();
    this.beginDrag(client, mouse);
  }

  /** Lets the cursor follow the mouse until the button is released. */
  beginDrag(client: ClientSession, mouse: ModeMouse): void {
    const left = mouse.clientX - mouse.x;
    const top = mouse.clientY - mouse.y;
    client.drag = {
      move: (x, y) => this.#drag(x - left, y - top),
      end: () => this.#stopDragScroll?.(),
    };
  }

  #drag(x: number, y: number): void {
    this.#stopDragScroll?.();
    this.#stopDragScroll = undefined;
    const { cursor } = this.state;
    this.#pointAt({ x, y });
    const direction = y <= 0 ? 1 : y >= cursor.rows - 1 ? -1 : 0;
    if (direction !== 0) this.#scrollWhileHeld(direction);
    this.state.followCursor();
    this.#services.registry.markPane(this.#pane);
  }

  #scrollWhileHeld(direction: 1 | -1): void {
    this.#stopDragScroll = this.#services.after(DRAG_SCROLL_MS, () => {
      this.#stopDragScroll = undefined;
      if (!this.state.cursor.scroll(direction)) return;
      this.state.followCursor();
      this.#services.registry.markPane(this.#pane);
      this.#scrollWhileHeld(direction);
    });
  }

  #pointAt({ x, y }: { readonly x: number; readonly y: number }): void {
    const { cursor } = this.state;
    cursor.moveTo(clamp(x, cursor.cols - 1), clamp(y, cursor.rows - 1));
    if (!this.state.isRectangle) cursor.x = Math.min(cursor.x, cursor.length);
    // The right half of a wide character is that character.
    if (cursor.x > 0 && cursor.reader.at(cursor.x, cursor.line) === '') cursor.x -= 1;
  }

  #leave(): void {
    leaveMode(this.#services.registry, this.#pane, this);
  }

  readonly #output: CopyOutput = {
    copy: (text, options) => this.#copy(text, options),
    pipe: (text, command) => {
      const line = command ?? this.#services.registry.serverOptions.string('copy-command');
      if (line === '') return;
      const job = this.#services.startJob({ command: line, session: sessionOf(this.#pane) });
      job.write(Buffer.from(text));
      job.endInput();
    },
    refresh: () => {
      const grid = this.#refresh?.();
      if (!grid) return;
      this.firstLine = this.source?.emulator.historyTrimmed ?? 0;
      this.state.refresh(grid);
    },
    tell: (text) => {
      if (this.#client) this.#services.showMessage(this.#client, text);
    },
  };

  #copy(text: string, { prefix, append = false }: { prefix: string | undefined; append?: boolean }): void {
    const { registry } = this.#services;
    const newest = append ? registry.buffers.newest() : undefined;
    if (registry.serverOptions.choice('set-clipboard') !== 'off') {
      for (const client of registry.attachedClients()) {
        if (client.session?.current.window !== this.#pane.window) continue;
        const way = sendToClipboard(client, text);
        if (client.session.options.flag('copy-notice')) this.#services.showMessage(client, `Copied: ${way}`);
      }
      registry.emit('pane-set-clipboard', { pane: this.#pane, window: this.#pane.window });
    }
    if (newest) registry.buffers.replace(newest.name, newest.text + text);
    else registry.buffers.add(text, registry.serverOptions.number('buffer-limit'), prefix);
  }
}

/** What was last searched for in a pane; the next copy mode goes on with it, upwards. */
const lastSearches = new WeakMap<Pane, LastSearch>();

/** Commands after which a held mouse button goes on selecting. */
const SELECTING: ReadonlySet<string> = new Set(['begin-selection', 'select-word', 'select-line']);

const VARIABLES: Readonly<Record<string, (state: CopyState) => string | undefined>> = {
  scroll_position: ({ cursor }) => String(cursor.offset),
  rectangle_toggle: ({ isRectangle }) => (isRectangle ? '1' : '0'),
  copy_cursor_x: ({ cursor }) => String(cursor.x),
  copy_cursor_y: ({ cursor }) => String(cursor.y),
  copy_cursor_word: (state) => state.cursorWord,
  copy_cursor_line: ({ cursor }) => cursor.reader.cells(cursor.line).join(''),
  selection_present: ({ selection }) => (selection ? '1' : '0'),
  selection_active: ({ selection }) => (selection && selection.follows !== 'none' ? '1' : '0'),
  selection_start_x: ({ selection }) => selection && String(selection.start.x),
  selection_start_y: ({ selection }) => selection && String(selection.start.line),
  selection_end_x: ({ selection }) => selection && String(selection.end.x),
  selection_end_y: ({ selection }) => selection && String(selection.end.line),
  selection_exit_status: ({ outputExit }) => outputExit?.toString(),
  search_present: ({ search }) => (search ? '1' : '0'),
  search_match: ({ matchText }) => matchText,
  pane_search_string: ({ searchText }) => searchText,
};

function clamp(value: number, most: number): number {
  return Math.min(Math.max(0, value), Math.max(0, most));
}

/** The session whose options count for a pane: the one that was used last of those that have it. */
export function sessionOf(pane: Pane): Session | undefined {
  const sessions = [...pane.window.winlinks].map((winlink) => winlink.session);
  return sessions.reduce<Session | undefined>(
    (best, next) => (!best || next.useOrder > best.useOrder ? next : best),
    undefined,
  );
}

/** Puts a mode in front of a pane's screen. */
export function enterMode(registry: Registry, pane: Pane, mode: PaneMode): void {
  pane.pushMode(mode);
  modeChanged(registry, pane);
}

/** Leaves a mode if it is in front. */
export function leaveMode(registry: Registry, pane: Pane, mode: PaneMode): void {
  if (pane.mode !== mode) return;
  pane.popMode();
  modeChanged(registry, pane);
}

/** Leaves all modes of a pane, and its view returns to the bottom (copy-mode -q). */
export function leaveAllModes(registry: Registry, pane: Pane): void {
  let hadMode = pane.scroll.offset > 0;
  pane.scroll.offset = 0;
  while (pane.popMode()) hadMode = true;
  if (hadMode) modeChanged(registry, pane);
}

function modeChanged(registry: Registry, pane: Pane): void {
  registry.emit('pane-mode-changed', { pane, window: pane.window });
  registry.markWindow(pane.window);
}

export interface OpenCopyMode {
  readonly services: CopyModeServices;
  readonly pane: Pane;
  /** The pane whose text is shown, if not its own. */
  readonly source?: Pane | undefined;
  readonly scrollUp?: boolean;
  readonly exitAtBottom?: boolean;
  readonly hidePosition?: boolean;
}

/** Puts a pane into copy mode, unless it is in it already. */
export function openCopyMode({
  services,
  pane,
  source = pane,
  scrollUp,
  exitAtBottom,
  hidePosition,
}: OpenCopyMode): CopyMode {
  const front = pane.mode;
  const isIn = front instanceof CopyMode && front.name === 'copy-mode';
  // Where the pane was scrolled back without a mode, the mode goes on from there.
  const { offset } = pane.scroll;
  const mode = isIn
    ? front
    : newCopyMode({ services, pane, source, exitAtBottom: exitAtBottom ?? false, hidePosition: hidePosition ?? false });
  if (!isIn) enterMode(services.registry, pane, mode);
  if (offset > 0 && source === pane) mode.state.cursor.offset = Math.min(offset, mode.state.cursor.historyLength);
  if (scrollUp) mode.pageUp();
  services.registry.markPane(pane);
  return mode;
}

function newCopyMode(init: {
  services: CopyModeServices;
  pane: Pane;
  source: Pane;
  exitAtBottom: boolean;
  hidePosition: boolean;
}): CopyMode {
  const { source } = init;
  const view = viewOf(source.emulator);
  const refresh = () => FrozenGrid.copyOf(view);
  const mode = new CopyMode({ ...init, name: 'copy-mode', grid: refresh(), refresh });
  const { x, y } = source.emulator.cursor;
  if (source === init.pane) mode.state.cursor.moveTo(x, y);
  else mode.resize(init.pane.size);
  mode.state.mark = mode.state.cursor.place;
  return mode;
}
