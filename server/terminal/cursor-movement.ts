/**
 * What moves the cursor from where it is, and DECALN. xterm 6.0.0 adds the top of the scroll region to a row that is
 * already one of the screen when origin mode (DECOM) is on, so that CUU, CUD, CPL, CHA and their like go to wrong rows.
 */
import { CELL_WORDS, CONTENT_WIDTH_SHIFT } from '../../protocol/cell.ts';
import type { XtermCore } from './emulator-internals.ts';

const ALIGNMENT_CELL = (1 << CONTENT_WIDTH_SHIFT) | 0x45;

/** Installs the handlers on the parser. */
export function installCursorMovement(core: XtermCore): void {
  const input = core._inputHandler;
  const parser = input._parser;
  input._moveCursor = (x, y) => {
    const buffer = input._activeBuffer;
    input._restrictCursor();
    input._dirtyRowTracker.markDirty(buffer.y);
    buffer.x += x;
    buffer.y += y;
    input._restrictCursor();
    input._dirtyRowTracker.markDirty(buffer.y);
  };
  const toColumn = (column: number): boolean => {
    input._restrictCursor();
    input._moveCursor(column - 1 - input._activeBuffer.x, 0);
    return true;
  };
  parser.registerCsiHandler({ final: 'G' }, ({ params }) => toColumn(params[0] || 1));
  parser.registerCsiHandler({ final: '`' }, ({ params }) => toColumn(params[0] || 1));
  parser.registerEscHandler({ intermediates: '#', final: '8' }, () => {
    alignScreen(core);
    return true;
  });
}

/** DECALN: the screen full of E without attributes, no margins, the cursor at home. */
function alignScreen(core: XtermCore): void {
  const { rows } = core._bufferService;
  const { _activeBuffer: buffer, _dirtyRowTracker: dirty } = core._inputHandler;
  for (let y = 0; y < rows; y++) {
    const line = buffer.lines.get(buffer.ybase + y);
    if (!line) continue;
    line._data.fill(0);
    for (let i = 0; i < line._data.length; i += CELL_WORDS) line._data[i] = ALIGNMENT_CELL;
    line._combined = {};
    line._extendedAttrs = {};
    line.isWrapped = false;
  }
  buffer.scrollTop = 0;
  buffer.scrollBottom = rows - 1;
  buffer.x = 0;
  buffer.y = 0;
  dirty.markAllDirty();
}
