import type { Row } from '../../protocol/cell.ts';
import type { Cursor } from '../../protocol/frame.ts';
import type { Rect, Size } from '../../protocol/geometry.ts';
import type { OptionSet } from '../options/option-set.ts';
import type { Pty } from '../pty-host/host-client.ts';
import type { Emulator } from '../terminal/emulator.ts';
import { LiveScroll } from './live-scroll.ts';
import type { PaneMode } from './pane-mode.ts';
import type { Window } from './window.ts';

/** How the program of a pane stands. */
export type PaneState =
  | { readonly kind: 'starting' }
  | { readonly kind: 'running'; readonly pid: number; readonly tty: string }
  /** Never had a program: a command writes to it (split-window -I). */
  | { readonly kind: 'empty' }
  /** Kept by remain-on-exit. */
  | ({ readonly kind: 'dead' } & PaneExit);

export interface PaneExit {
  readonly status: number | undefined;
  readonly signal: string | undefined;
  /** Seconds since the epoch. */
  readonly time: number;
}

/** What a pane runs, as it was asked for. */
export interface PaneCommand {
  /** Empty: the default command. One word is given to the shell, more are run directly. */
  readonly argv: readonly string[];
  readonly cwd: string;
}

/** What pipe-pane runs. */
export interface PipeCommand {
  /** For the shell, expanded. */
  readonly line: string;
  readonly cwd: string;
  /** It reads what the pane's program prints (-O). */
  readonly takesOutput: boolean;
  /** What it prints is typed into the pane (-I). */
  readonly givesInput: boolean;
}

export interface PaneInit {
  readonly id: number;
  readonly window: Window;
  readonly options: OptionSet;
  readonly emulator: Emulator;
  readonly command: PaneCommand;
  readonly title: string;
}

/** One program on a pty and the screen it draws on. */
export class Pane {
  readonly id: number;
  /** The window it is in; join-pane and break-pane change it. */
  window: Window;
  readonly options: OptionSet;
  readonly emulator: Emulator;
  command: PaneCommand;
  state: PaneState = { kind: 'starting' };
  pty: Pty | undefined;
  /** Place in the window, in cells, borders not included. */
  rect: Rect = { x: 0, y: 0, width: 1, height: 1 };
  title: string;
  /** The program's cwd as it told by OSC 7; '' if never. */
  path = '';
  /** Modes over the screen, the last is in front. */
  readonly modes: PaneMode[] = [];
  /** How far the view is scrolled back without a mode. */
  readonly scroll: LiveScroll;
  /** select-pane -d: input is refused. */
  inputOff = false;
  /** A pipe-pane job runs. */
  pipe: { readonly command: PipeCommand; close(): void } | undefined;
  /** Receives every byte of output when pipe-pane runs. */
  outputTap: ((bytes: Uint8Array) => void) | undefined;
  /** Grows each time the pane becomes active; the neighbour last used wins among equals. */
  activeOrder = 0;
  /** What was last searched for in a copy mode that was left. */
  searchText: string | undefined;
  /** How the last program ended. */
  lastExit: PaneExit | undefined;
  /** Called when the size changed; the program is told from here. */
  onResize: (() => void) | undefined;

  constructor(init: PaneInit) {
    this.id = init.id;
    this.window = init.window;
    this.options = init.options;
    this.emulator = init.emulator;
    this.command = init.command;
    this.title = init.title;
    this.scroll = new LiveScroll(init.emulator, init.options);
  }

  get size(): Size {
    return { cols: this.rect.width, rows: this.rect.height };
  }

  get mode(): PaneMode | undefined {
    return this.modes.at(-1);
  }

  get pid(): number | undefined {
    return this.state.kind === 'running' ? this.state.pid : undefined;
  }

  get isDead(): boolean {
    return this.state.kind === 'dead';
  }

  /** Index in the window's list, without pane-base-index. */
  get place(): number {
    return this.window.panes.indexOf(this);
  }

  /** Sends bytes to the program; false if there is none that could read them. */
  write(data: string | Uint8Array): boolean {
    if (!this.pty || this.isDead || this.inputOff) return false;
    this.pty.write(data);
    return true;
  }

  /** Copies row `y` of what the pane shows into a row of the pane's width. */
  drawRow(y: number, into: Row): void {
    const mode = this.mode;
    if (mode) mode.drawRow(y, into);
    else if (this.scroll.offset > 0) this.scroll.drawRow(y, into);
    else this.emulator.screenRow(y, into);
  }

  /** What is shown is the screen as the program draws it: no mode, not scrolled back. */
  get showsScreen(): boolean {
    return this.mode === undefined && this.scroll.offset === 0;
  }

  /** Where the cursor stands in the pane. */
  cursor(): Cursor {
    return this.mode?.cursor() ?? (this.scroll.offset > 0 ? this.scroll.cursor() : this.emulator.cursor);
  }

  /** Puts the pane at a place; the emulator follows at once, the program by way of `resizePty`. Returns whether the size changed. */
  moveTo(rect: Rect): boolean {
    const changed = rect.width !== this.rect.width || rect.height !== this.rect.height;
    this.rect = rect;
    if (!changed) return false;
    const { offset } = this.scroll;
    this.emulator.resize(this.size);
    this.scroll.offset = offset;
    for (const mode of this.modes) mode.resize(this.size);
    this.onResize?.();
    return true;
  }

  /** The mode takes over; it begins at the place that is looked at if it cares for one. */
  pushMode(mode: PaneMode): void {
    this.scroll.offset = 0;
    this.modes.push(mode);
  }

  /** Leaves the front mode; false if there was none. */
  popMode(): boolean {
    const mode = this.modes.pop();
    mode?.close();
    return mode !== undefined;
  }

  dispose(): void {
    while (this.popMode());
    this.pipe?.close();
    this.pipe = undefined;
    this.pty?.close();
    this.pty = undefined;
    this.emulator.dispose();
  }
}
