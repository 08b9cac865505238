/**
 * Copy mode of a pane, kept and opened again where it was: on the same lines, as far as the pane still has them. Lines are
 * kept by their names (Emulator.historyTrimmed), which output that comes meanwhile does not change.
 */
import { CopyMode, type CopyModeServices, openCopyMode } from '../mode/copy-mode.ts';
import type { Jump } from '../mode/copy-motions.ts';
import type { Selection } from '../mode/copy-selection.ts';
import type { LastSearch } from '../mode/copy-state.ts';
import type { GridPlace } from '../mode/frozen-grid.ts';
import type { Pane } from '../model/pane.ts';

/** A mode that comes back after a take-over. */
export interface SavedMode {
  readonly name: 'copy-mode';
  readonly x: number;
  readonly y: number;
  /** Lines scrolled up when it was stored. */
  readonly offset: number;
  /** The rest; absent in the state of a server that did not know of it. */
  readonly more?: SavedCopy;
}

interface SavedCopy {
  /** Name of the line at the top of the pane. */
  readonly top: number;
  /** The pane whose text is shown. */
  readonly source: number | undefined;
  readonly exitAtBottom: boolean;
  readonly showsPosition: boolean;
  readonly isRectangle: boolean;
  /** Places of it and of the mark have names for lines. */
  readonly selection: Selection | undefined;
  readonly mark: GridPlace;
  readonly isMarkShown: boolean;
  readonly lastSearch: LastSearch | undefined;
  readonly isSearchShown: boolean;
  readonly lastJump: Jump | undefined;
}

export function saveModes(pane: Pane): SavedMode[] {
  return pane.modes.flatMap((mode) => {
    if (!(mode instanceof CopyMode) || mode.name !== 'copy-mode') return [];
    const { x, y, offset } = mode.state.cursor;
    return [{ name: 'copy-mode' as const, x, y, offset, more: saveCopy(mode) }];
  });
}

function saveCopy({ state, source, exitAtBottom, firstLine }: CopyMode): SavedCopy {
  const { cursor, showsPosition, isRectangle, selection, mark, isMarkShown, lastSearch, search, lastJump } = state;
  return {
    top: cursor.top + firstLine,
    source: source?.id,
    exitAtBottom,
    showsPosition,
    isRectangle,
    selection: selection && moveSelection(selection, firstLine),
    mark: movePlace(mark, firstLine),
    isMarkShown,
    lastSearch,
    isSearchShown: search !== undefined,
    lastJump,
  };
}

/** Opens a mode again in a pane whose screen is what it was. */
export function openSavedMode(services: CopyModeServices, pane: Pane, saved: SavedMode): void {
  const { more } = saved;
  const source = more?.source === undefined ? pane : (services.registry.panes.get(more.source) ?? pane);
  const mode = openCopyMode({
    services,
    pane,
    source,
    exitAtBottom: more?.exitAtBottom ?? false,
    hidePosition: more?.showsPosition === false,
  });
  const { cursor } = mode.state;
  const { historyLength } = cursor;
  const offset = more ? historyLength + mode.firstLine - more.top : saved.offset;
  cursor.offset = Math.min(Math.max(0, offset), historyLength);
  cursor.moveTo(Math.min(saved.x, pane.size.cols), Math.min(saved.y, pane.size.rows - 1));
  if (more) restoreCopy(mode, more);
}

function restoreCopy({ state, firstLine }: CopyMode, saved: SavedCopy): void {
  const last = state.cursor.reader.lastLine;
  const hasLines = (place: GridPlace) => place.line >= firstLine && place.line <= firstLine + last;
  const { selection, mark } = saved;
  state.isRectangle = saved.isRectangle;
  if (selection && hasLines(selection.start) && hasLines(selection.end))
    state.selection = moveSelection(selection, -firstLine);
  if (hasLines(mark)) {
    state.mark = movePlace(mark, -firstLine);
    state.isMarkShown = saved.isMarkShown;
  }
  state.lastSearch = saved.lastSearch;
  if (saved.isSearchShown) state.showSearch();
  state.lastJump = saved.lastJump;
}

function movePlace({ x, line }: GridPlace, by: number): GridPlace {
  return { x, line: line + by };
}

function moveSelection(selection: Selection, by: number): Selection {
  const { start, end, origin } = selection;
  return {
    ...selection,
    start: movePlace(start, by),
    end: movePlace(end, by),
    origin: [movePlace(origin[0], by), movePlace(origin[1], by)],
  };
}
