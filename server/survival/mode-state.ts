/** Copy mode and view mode of a pane, kept and opened again where they were. */

import { CopyMode, type CopyModeServices, openCopyMode } from '../mode/copy-mode.ts';
import type { Pane } from '../model/pane.ts';

/** A mode that comes back after a take-over. */
export interface SavedMode {
  readonly name: 'copy-mode';
  readonly x: number;
  readonly y: number;
  /** Lines scrolled up. */
  readonly offset: number;
}

export function saveModes(pane: Pane): SavedMode[] {
  return pane.modes.flatMap((mode) => {
    if (!(mode instanceof CopyMode) || mode.name !== 'copy-mode') return [];
    const { x, y, offset } = mode.state.cursor;
    return [{ name: 'copy-mode' as const, x, y, offset }];
  });
}

/** Opens a mode again in a pane whose screen is what it was. */
export function openSavedMode(services: CopyModeServices, pane: Pane, saved: SavedMode): void {
  const { cursor } = openCopyMode({ services, pane }).state;
  cursor.offset = Math.min(saved.offset, cursor.historyLength);
  cursor.moveTo(Math.min(saved.x, pane.size.cols), Math.min(saved.y, pane.size.rows - 1));
}
