/**
 * Modes of panes, kept and opened again as they were. Copy mode and view mode are on the same lines again, as far as those
 * are there: lines of a pane are kept by their names (Emulator.historyTrimmed), which output that comes meanwhile does not
 * change, lines of a command's output by their distance from its end. Other modes say themselves how (PaneMode.reopening).
 */
import { CopyMode, type CopyModeServices, openCopyMode } from '../mode/copy-mode.ts';
import type { Jump } from '../mode/copy-motions.ts';
import type { Selection } from '../mode/copy-selection.ts';
import type { LastSearch } from '../mode/copy-state.ts';
import type { GridPlace } from '../mode/frozen-grid.ts';
import { pushViewMode, ViewMode } from '../mode/view-mode.ts';
import type { Pane } from '../model/pane.ts';
import type { PaneMode } from '../model/pane-mode.ts';
import type { Reopening } from '../model/reopening.ts';

/** A mode that comes back after a take-over. */
export type SavedMode = SavedCopyMode | SavedOtherMode;

interface SavedCopyMode {
  /** The text of view mode is stored apart (`viewTexts`). */
  readonly name: 'copy-mode' | 'view-mode';
  readonly x: number;
  readonly y: number;
  /** Lines scrolled up when it was stored. */
  readonly offset: number;
  /** The rest; absent in the state of a server that did not know of it. */
  readonly more?: SavedCopy;
}

interface SavedOtherMode {
  readonly name: string;
  readonly reopening: Reopening;
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
  return pane.modes.flatMap((mode): SavedMode[] => {
    if (!(mode instanceof CopyMode)) return saveOther(mode);
    const { x, y, offset } = mode.state.cursor;
    return [{ name: mode.name, x, y, offset, more: saveCopy(mode) }];
  });
}

function saveOther(mode: PaneMode): SavedOtherMode[] {
  const reopening = mode.reopening?.();
  return reopening ? [{ name: mode.name, reopening }] : [];
}

/** The texts of a pane's view modes, the outermost last. */
export function viewTexts(pane: Pane): readonly string[] {
  return pane.modes.flatMap((mode) => (mode instanceof ViewMode ? [mode.text] : []));
}

/** The name of a mode's first line. */
function firstLineOf({ name, state, firstLine }: CopyMode): number {
  return name === 'view-mode' ? -state.cursor.grid.length : firstLine;
}

function saveCopy(mode: CopyMode): SavedCopy {
  const { state, source, exitAtBottom } = mode;
  const firstLine = firstLineOf(mode);
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

export interface OpenSavedMode {
  readonly services: CopyModeServices;
  readonly pane: Pane;
  readonly saved: SavedMode;
  /** The text of view mode. */
  readonly text: string;
  /** Does what opened the mode again. */
  readonly reopen: (reopening: Reopening) => void;
}

/** Opens a mode again in a pane whose screen is what it was. */
export function openSavedMode({ services, pane, saved, text, reopen }: OpenSavedMode): void {
  if ('reopening' in saved) {
    reopen(saved.reopening);
    return;
  }
  const { more } = saved;
  const mode =
    saved.name === 'view-mode' ? pushViewMode({ services, pane, text }) : openCopyAgain({ services, pane, more });
  const { cursor } = mode.state;
  const { historyLength } = cursor;
  const offset = more ? historyLength + firstLineOf(mode) - more.top : saved.offset;
  cursor.offset = Math.min(Math.max(0, offset), historyLength);
  cursor.moveTo(Math.min(saved.x, pane.size.cols), Math.min(saved.y, pane.size.rows - 1));
  if (more) restoreCopy(mode, more);
}

function openCopyAgain({
  services,
  pane,
  more,
}: Pick<OpenSavedMode, 'services' | 'pane'> & { readonly more: SavedCopy | undefined }): CopyMode {
  const source = more?.source === undefined ? pane : (services.registry.panes.get(more.source) ?? pane);
  return openCopyMode({
    services,
    pane,
    source,
    exitAtBottom: more?.exitAtBottom ?? false,
    hidePosition: more?.showsPosition === false,
  });
}

function restoreCopy(mode: CopyMode, saved: SavedCopy): void {
  const { state } = mode;
  const firstLine = firstLineOf(mode);
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
