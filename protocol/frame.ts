import type { Row } from './cell.ts';
import { blankRow } from './cell.ts';
import type { Size } from './geometry.ts';

export type CursorShape = 'default' | 'block' | 'underline' | 'bar';

export interface Cursor {
  readonly x: number;
  readonly y: number;
  readonly visible: boolean;
  readonly shape: CursorShape;
  readonly blink: boolean;
  /** A colour to set by OSC 12, `#rrggbb`; undefined for the terminal's own. */
  readonly color: string | undefined;
}

/** Which mouse events the terminal should report: DECSET off, 1000, 1002, 1003 (encoding is always 1006). */
export type MouseTracking = 'off' | 'click' | 'drag' | 'motion';

/** Terminal modes that go with a frame. */
export interface FrameModes {
  readonly mouse: MouseTracking;
  /** DECSET 1004. */
  readonly focus: boolean;
  /** What of keys a terminal with the kitty keyboard protocol should tell: sum of KEY_FLAGS, 0 to leave it alone. */
  readonly keyFlags: number;
  /** Whether one without it should tell all modifiers by modifyOtherKeys. */
  readonly otherKeys: boolean;
}

export const NO_MODES: FrameModes = { mouse: 'off', focus: false, keyFlags: 0, otherKeys: false };

/**
 * All that one client's terminal should show: the server makes it, a client draws it. Overlays are not part of it: the
 * client lays them on top.
 */
export interface Frame {
  readonly size: Size;
  /** `size.rows` rows of `size.cols` cells. */
  readonly rows: Row[];
  cursor: Cursor;
  modes: FrameModes;
  /** The terminal's title (option set-titles); undefined leaves it alone. Already free of control characters. */
  title: string | undefined;
}

export const HIDDEN_CURSOR: Cursor = { x: 0, y: 0, visible: false, shape: 'default', blink: false, color: undefined };

export function blankFrame(size: Size): Frame {
  return {
    size,
    rows: Array.from({ length: size.rows }, () => blankRow(size.cols)),
    cursor: HIDDEN_CURSOR,
    modes: NO_MODES,
    title: undefined,
  };
}
