/**
 * The bytes that make a terminal which shows one frame show another.
 *
 * Law: a terminal that shows `shown` and is fed `render(shown, target, capabilities)` shows `target`. Only a closed set of
 * sequences ever leaves: cursor moves, SGR, erase, scroll region with insert and delete line, OSC 2, 8, 12, 112, DECSCUSR
 * and a fixed list of modes. Text of programs goes through glyph.ts and link.ts.
 */
import { cleanText } from '../../protocol/clean-text.ts';
import { sameCursor } from '../../protocol/damage.ts';
import type { Cursor, Frame, FrameModes, MouseTracking } from '../../protocol/frame.ts';
import { blankFrame } from '../../protocol/frame.ts';
import type { Point, Size } from '../../protocol/geometry.ts';
import { sameSize } from '../../protocol/geometry.ts';
import type { TerminalCapabilities } from '../../protocol/message.ts';
import { changedRows, findScroll, scrollRows } from '../../protocol/scroll.ts';
import { Painter } from './painter.ts';

const HIDE_CURSOR = '\x1b[?25l';
const SHOW_CURSOR = '\x1b[?25h';
/** DECSET 2026, synchronised output. */
const BEGIN_UPDATE = '\x1b[?2026h';
const END_UPDATE = '\x1b[?2026l';
/** Code points of a title. */
const TITLE_MAX = 256;
const COLOR = /^#[0-9a-f]{6}$/i;

/**
 * `shown` undefined: nothing is known of the terminal, it is cleared and every mode is set. A frame of another size clears
 * too. '' if there is nothing to do.
 */
export function render(shown: Frame | undefined, target: Frame, capabilities: TerminalCapabilities): string {
  const known = shown && sameSize(shown.size, target.size) ? shown : undefined;
  const painter = new Painter(capabilities, known?.cursor.visible ? placeOf(known.cursor, known.size) : undefined);
  paintCells(painter, known, target);
  painter.finish();
  const cells = painter.text;
  const atomic = painter.jumps === 0;
  const cursor = target.cursor;
  if (cursor.visible) painter.moveTo(placeOf(cursor, target.size));
  const body = painter.text;
  const hides = cells !== '' && !atomic && !capabilities.synchronizedOutput && (shown?.cursor.visible ?? true);
  const wasVisible = shown === undefined ? undefined : shown.cursor.visible && !hides;
  const settings =
    modeChanges(shown?.modes, target.modes) +
    (hasOsc(capabilities) ? titleChange(shown?.title, target.title) + cursorLook(shown?.cursor, cursor) : '');
  const visibility = cursor.visible === wasVisible ? '' : cursor.visible ? SHOW_CURSOR : HIDE_CURSOR;
  const bytes = (hides ? HIDE_CURSOR : '') + settings + body + visibility;
  return capabilities.synchronizedOutput && cells !== '' && !atomic ? BEGIN_UPDATE + bytes + END_UPDATE : bytes;
}

/** Whether the terminal swallows OSC sequences that it does not know: the Linux console and the dumb ones may not. */
export function hasOsc(capabilities: Pick<TerminalCapabilities, 'term'>): boolean {
  return !/^(?:linux|dumb|vt\d+|ansi)\b/.test(capabilities.term);
}

function paintCells(painter: Painter, known: Frame | undefined, target: Frame): void {
  if (!known) painter.clear();
  let rows = (known ?? blankFrame(target.size)).rows;
  const scroll = known && findScroll(known.rows, target.rows, changedRows(known.rows, target.rows));
  if (scroll) {
    painter.scroll(scroll);
    rows = scrollRows(rows, scroll);
  }
  for (const [y, row] of target.rows.entries()) {
    const before = rows[y];
    if (before && before !== row) painter.paintRow(y, before, row);
  }
}

function placeOf(cursor: Cursor, size: Size): Point {
  return {
    x: Math.min(Math.max(cursor.x, 0), size.cols - 1),
    y: Math.min(Math.max(cursor.y, 0), size.rows - 1),
  };
}

const MOUSE_MODES: Readonly<Record<MouseTracking, string>> = { off: '', click: '1000', drag: '1002', motion: '1003' };

/** `before` undefined: whatever the terminal has is turned off first. */
function modeChanges(before: FrameModes | undefined, after: FrameModes): string {
  let out = '';
  if (!before || before.mouse !== after.mouse) {
    const old = before ? MOUSE_MODES[before.mouse] : '1000;1002;1003';
    if (old !== '') out += `\x1b[?${old}l`;
    out += after.mouse === 'off' ? '\x1b[?1006l' : `\x1b[?1006h\x1b[?${MOUSE_MODES[after.mouse]}h`;
  }
  if (before ? before.focus !== after.focus : true) out += `\x1b[?1004${after.focus ? 'h' : 'l'}`;
  return out;
}

function titleChange(before: string | undefined, after: string | undefined): string {
  if (after === undefined || after === before) return '';
  return `\x1b]2;${cleanText(after, { max: TITLE_MAX })}\x1b\\`;
}

const SHAPE_NUMBERS = { default: 0, block: 1, underline: 3, bar: 5 } as const;

/** DECSCUSR and OSC 12 or 112. */
function cursorLook(before: Cursor | undefined, after: Cursor): string {
  if (before && sameCursor({ ...before, x: after.x, y: after.y, visible: after.visible }, after)) return '';
  let out = '';
  if (!before || before.shape !== after.shape || before.blink !== after.blink) {
    const steady = after.shape === 'default' || after.blink ? 0 : 1;
    out += `\x1b[${SHAPE_NUMBERS[after.shape] + steady} q`;
  }
  const color = safeColor(after.color);
  if (color !== safeColor(before?.color)) out += color === undefined ? '\x1b]112\x1b\\' : `\x1b]12;${color}\x1b\\`;
  return out;
}

function safeColor(color: string | undefined): string | undefined {
  return color !== undefined && COLOR.test(color) ? color : undefined;
}
