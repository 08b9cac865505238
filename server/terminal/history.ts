/**
 * A read-only window on all that a pane remembers: the history, then the screen. Copy mode, capture-pane and search read
 * through it and never through the emulator, so that the upper part can become a packed store without their notice.
 */
import type { Row } from '../../protocol/cell.ts';
import type { Emulator } from './emulator.ts';
import type { HistoryStore } from './history-store.ts';

export interface GridView {
  /** Columns of the screen; rows are this wide. */
  readonly cols: number;
  /** Lines in all. */
  readonly length: number;
  /** Lines of history: index of the screen's first line. */
  readonly historyLength: number;
  /** Copies line `index` (0 is the oldest); a line that does not exist is blank. */
  row(index: number, into: Row): void;
  /** Whether line `index` goes on the one before it. */
  isWrapped(index: number): boolean;
  /** The history as it is now, where it can be had without copying each line. */
  snapshotHistory?(): HistoryStore;
  /** Exit codes by the line of the prompt after the command, as far as they are known. */
  promptExits?(): ReadonlyMap<number, number>;
}

/** The view of a live emulator: it changes with it. */
export function viewOf(emulator: Emulator): GridView {
  return {
    get cols() {
      return emulator.size.cols;
    },
    get length() {
      return emulator.historyLength + emulator.size.rows;
    },
    get historyLength() {
      return emulator.historyLength;
    },
    row(index, into) {
      const screen = index - emulator.historyLength;
      if (screen < 0) emulator.historyRow(index, into);
      else emulator.screenRow(screen, into);
    },
    isWrapped(index) {
      const screen = index - emulator.historyLength;
      return screen < 0 ? emulator.historyIsWrapped(index) : emulator.rowIsWrapped(screen);
    },
    snapshotHistory: () => emulator.snapshotHistory(),
    promptExits: () => emulator.promptExits(),
  };
}

/** The normal screen, without history, while the alternate screen is shown; undefined if it is not. */
export function savedScreenOf(emulator: Emulator): GridView | undefined {
  if (!emulator.modes.alternateScreen) return undefined;
  return {
    cols: emulator.size.cols,
    length: emulator.size.rows,
    historyLength: 0,
    row: (index, into) => emulator.normalRow(index, into),
    isWrapped: () => false,
  };
}
