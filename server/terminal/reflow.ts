/**
 * Resizing without losing text or the cursor's place. xterm wraps the normal buffer's lines anew, but the cursor's line only
 * with an option that leaves the cursor where it was. So the cells under the cursor and under the saved cursor are
 * marked with content that no character has, and looked for afterwards.
 */
import { CELL_WORDS } from '../../protocol/cell.ts';
import type { Size } from '../../protocol/geometry.ts';
import type { XtermBuffer, XtermCore, XtermLine } from './emulator-internals.ts';

/** Code points beyond Unicode, one column wide. */
const CURSOR_MARK = 0x1ffffe | (1 << 22);
const SAVED_MARK = 0x1fffff | (1 << 22);

interface Mark {
  readonly content: number;
  /** What the cell held; undefined when it is the other mark's cell. */
  readonly previous: number;
  /** Columns right of the marked cell where the cursor stood. */
  readonly offset: number;
}

/** Runs `resize`, which must bring the terminal to `size`, and puts the cursors of the normal buffer back. */
export function resizeKeepingCursor(core: XtermCore, size: Size, resize: () => void): void {
  const { buffers, cols } = core._bufferService;
  const { normal } = buffers;
  const isActive = buffers.active === normal;
  if (size.cols === cols) {
    // xterm moves a cursor that waits to wrap into the last column.
    const { x } = buffers.active;
    resize();
    buffers.active.x = x;
    return;
  }
  const cursor = isActive ? place(normal, { x: normal.x, line: normal.ybase + normal.y }, CURSOR_MARK) : undefined;
  const saved = place(normal, { x: normal.savedX, line: normal.savedY }, SAVED_MARK);
  resize();
  const savedAt = saved && take(normal, saved);
  const cursorAt = cursor && take(normal, cursor);
  if (cursorAt) {
    showLine(normal, cursorAt.line, size);
    normal.x = Math.min(cursorAt.x, size.cols);
    normal.y = cursorAt.line - normal.ybase;
  }
  if (savedAt) {
    normal.savedX = Math.min(savedAt.x, size.cols - 1);
    normal.savedY = savedAt.line;
  }
}

/** Marks the cell at a place; the last cell of the line stands for all places behind it. */
function place(
  buffer: XtermBuffer,
  at: { readonly x: number; readonly line: number },
  content: number,
): Mark | undefined {
  const line = buffer.lines.get(at.line);
  if (!line || at.line >= buffer.lines.length) return undefined;
  const last = line._data.length / CELL_WORDS - 1;
  let x = Math.min(at.x, last);
  // The right half of a wide character is no place of its own.
  if (x > 0 && contentAt(line, x) === 0) x--;
  const previous = contentAt(line, x);
  line._data[x * CELL_WORDS] = (previous & 0xc00000) === 2 << 22 ? (content & 0x1fffff) | (2 << 22) : content;
  return { content, previous, offset: at.x - x };
}

/** Finds a mark from the bottom up, puts the cell's content back and tells where it is. */
function take(buffer: XtermBuffer, mark: Mark): { readonly x: number; readonly line: number } | undefined {
  for (let index = buffer.lines.length - 1; index >= 0; index--) {
    const line = buffer.lines.get(index);
    if (!line) continue;
    for (let x = 0; x < line._data.length / CELL_WORDS; x++) {
      if ((contentAt(line, x) & 0x1fffff) !== (mark.content & 0x1fffff)) continue;
      line._data[x * CELL_WORDS] = mark.previous;
      return { x: x + mark.offset, line: index };
    }
  }
  return undefined;
}

function contentAt(line: XtermLine, x: number): number {
  return line._data[x * CELL_WORDS] ?? 0;
}

/** Moves the window of the screen over the lines so that `line` is in it; the screen always has all its rows. */
function showLine(buffer: XtermBuffer, line: number, size: Size): void {
  while (line < buffer.ybase) {
    buffer.ybase--;
    buffer.lines.pop();
  }
  buffer.ybase = Math.max(buffer.ybase, Math.min(line - size.rows + 1, buffer.lines.length - size.rows));
  buffer.ydisp = buffer.ybase;
}
