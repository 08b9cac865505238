import type { Row } from '../../protocol/cell.ts';
import type { Cursor } from '../../protocol/frame.ts';
import type { Size } from '../../protocol/geometry.ts';
import type { Key } from '../../protocol/key.ts';
import type { MouseEvent } from '../terminal/input-encoder.ts';
import type { ClientSession } from './client-session.ts';
import type { PromptState, Reopening } from './reopening.ts';

/** A mode puts its own picture in place of the pane's screen and takes its keys; the program goes on meanwhile. */
export interface PaneMode {
  /** As `#{pane_mode}` shows it: `copy-mode`, `view-mode`, `tree-mode`, `clock-mode`. */
  readonly name: string;
  /** The key table whose bindings apply; undefined when the mode takes every key itself. */
  readonly keyTable: string | undefined;
  /** Copies row `y` of the picture into `into`, which has the pane's width. */
  drawRow(y: number, into: Row): void;
  cursor(): Cursor;
  resize(size: Size): void;
  /** A key that no binding took. */
  key(key: Key, client: ClientSession | undefined): void;
  /** A mouse event that a binding handed on (`send-keys -M`); absent where the mouse means nothing. */
  mouse?(event: MouseEvent, at: ModeMouse, client: ClientSession | undefined): void;
  /** A `send-keys -X` command; returns an error message or undefined. */
  command(args: readonly string[], options: ModeCommandOptions): string | undefined;
  /** Format variables of the mode (`scroll_position`, `copy_cursor_x`, …). */
  variable(name: string): string | undefined;
  /** How the next server opens it again; absent or undefined where it does not by a command. */
  reopening?(): Reopening | undefined;
  /** Asks again what the key asks in this mode, with what had been typed. */
  promptAgain?(key: Key, client: ClientSession, state: PromptState): void;
  close(): void;
}

export interface ModeCommandOptions {
  /** `send-keys -N`, 1 if absent. */
  readonly count: number;
  readonly client: ClientSession | undefined;
  /** The mouse, for commands run from the binding of a button. */
  readonly mouse: ModeMouse | undefined;
}

/** Where a mouse event was: the cell in the pane, and the cell on the client's screen. */
export interface ModeMouse {
  readonly x: number;
  readonly y: number;
  readonly clientX: number;
  readonly clientY: number;
}
