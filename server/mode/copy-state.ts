/** All that copy mode knows but for the pane it is in: cursor, selection, search, mark. Commands change it. */
import type { Size } from '../../protocol/geometry.ts';
import { CopyCursor } from './copy-cursor.ts';
import { type Jump, jump, previousWord, type WordRule, wordAt, wordText } from './copy-motions.ts';
import { comparePlaces, GridSearch, type MatchCount, type SearchMatch, type SearchPattern } from './copy-search.ts';
import { follow, type Selection, type SelectionRule, selectedText, selectFrom } from './copy-selection.ts';
import type { FrozenGrid, GridPlace } from './frozen-grid.ts';

/** The options that commands follow. */
export interface CopySettings {
  /** Option mode-keys. */
  readonly isVi: boolean;
  readonly wordSeparators: string;
  readonly wrapSearch: boolean;
}

interface ActiveSearch {
  readonly pattern: SearchPattern;
  readonly found: GridSearch;
  /** Counted when the search began. */
  readonly count: MatchCount;
}

/** A search that can be repeated. */
export interface LastSearch {
  readonly pattern: SearchPattern;
  readonly direction: 1 | -1;
}

interface View {
  readonly x: number;
  readonly y: number;
  readonly offset: number;
}

export class CopyState {
  readonly cursor: CopyCursor;
  readonly #settings: () => CopySettings;
  selection: Selection | undefined;
  isRectangle = false;
  showsPosition = true;
  mark: GridPlace;
  isMarkShown = false;
  lastJump: Jump | undefined;
  /** What select-output selected last. */
  #output: { readonly start: GridPlace; readonly end: GridPlace; readonly exit: number | undefined } | undefined;
  /** Search whose matches are highlighted. */
  #search: ActiveSearch | undefined;
  /** What search-again looks for. */
  lastSearch: LastSearch | undefined;
  /** Where an incremental search began. */
  #searchOrigin: View | undefined;

  constructor(grid: FrozenGrid, { rows, settings }: { rows: number; settings: () => CopySettings }) {
    this.cursor = new CopyCursor(grid, rows);
    this.#settings = settings;
    this.mark = { x: 0, line: 0 };
  }

  get settings(): CopySettings {
    return this.#settings();
  }

  get selectionRule(): SelectionRule {
    return { isRectangle: this.isRectangle, isVi: this.settings.isVi };
  }

  /** How words are told apart; `bySpace` for the -space motions. */
  wordRule(bySpace = false): WordRule {
    const { wordSeparators, isVi } = this.settings;
    return { separators: bySpace ? '' : wordSeparators, isVi };
  }

  /** A rectangle is being selected: the cursor may go where no text is. */
  get roamsFreely(): boolean {
    return this.selection !== undefined && this.isRectangle;
  }

  /** Lets the selection follow the cursor; called after each command. */
  followCursor(): void {
    if (!this.selection) return;
    this.selection = follow(this.selection, this.cursor.place, (unit) => this.#unitAt(unit));
  }

  #unitAt(unit: 'word' | 'line'): readonly [GridPlace, GridPlace] {
    const { reader, place } = this.cursor;
    if (unit === 'word') {
      const word = wordAt(reader, this.#lastSelectedCell(), this.wordRule());
      return word ? [word[0], this.#wordEnd(word[1])] : [place, place];
    }
    const end = reader.endOf(place.line);
    return [
      { x: 0, line: reader.startOf(place.line) },
      { x: reader.lengthOf(end), line: end },
    ];
  }

  /** With emacs keys the cursor stands behind it when the selection grows to the right. */
  #lastSelectedCell(): GridPlace {
    const { place } = this.cursor;
    const origin = this.selection?.origin[0];
    const isBehind = !this.settings.isVi && origin !== undefined && comparePlaces(place, origin) > 0;
    return isBehind && place.x > 0 ? { x: place.x - 1, line: place.line } : place;
  }

  /** With emacs keys the place behind the last character. */
  #wordEnd(last: GridPlace): GridPlace {
    return this.settings.isVi ? last : { x: last.x + 1, line: last.line };
  }

  beginSelection(): void {
    this.selection = selectFrom(this.cursor.place);
  }

  /** Selects the word at the cursor, or else the one before it. */
  selectWord(): void {
    const { reader, place } = this.cursor;
    const rule = this.wordRule();
    const word = wordAt(reader, place, rule) ?? wordAt(reader, previousWord(reader, place, rule), rule);
    const range = word ? ([word[0], this.#wordEnd(word[1])] as const) : ([place, place] as const);
    this.isRectangle = false;
    this.selection = { start: range[0], end: range[1], follows: 'end', unit: 'word', origin: range };
    this.cursor.goTo(range[1]);
  }

  /** Selects `count` lines from the cursor's on. */
  selectLines(count: number): void {
    const { cursor } = this;
    this.isRectangle = false;
    const first = this.#unitAt('line');
    for (let i = 1; i < count; i++) {
      cursor.goTo({ x: 0, line: Math.min(cursor.reader.endOf(cursor.line) + 1, cursor.reader.lastLine) });
    }
    const last = this.#unitAt('line');
    this.selection = { start: first[0], end: last[1], follows: 'end', unit: 'line', origin: first };
    cursor.goTo(last[1]);
  }

  /** Goes to the shell's next prompt in a direction (OSC 133); false, and stays, where there is none. */
  goToPrompt(step: 1 | -1): boolean {
    const line = this.cursor.reader.promptFrom(this.cursor.line, step);
    if (line !== undefined) this.cursor.goTo({ x: 0, line });
    return line !== undefined;
  }

  /** Selects what a command printed: between the prompt above the cursor and the one after it. False if there is none. */
  selectOutput(): boolean {
    const { reader, line, cols } = this.cursor;
    const own = reader.hasPrompt(line) ? line : reader.promptFrom(line, -1);
    const isInPrompt = own !== undefined && line < reader.outputStart(own);
    const next = isInPrompt ? own : reader.promptFrom(line, 1);
    const end = (next ?? reader.lastLine + 1) - 1;
    const prompt = isInPrompt ? reader.promptFrom(own, -1) : own;
    if (prompt === undefined) return false;
    const start = reader.outputStart(prompt);
    let last = end;
    while (last > start && reader.lengthOf(last) === 0) last -= 1;
    if (start > last) return false;
    this.isRectangle = false;
    const to = { x: Math.min(cols - 1, reader.lengthOf(last)), line: last };
    this.selection = { ...selectFrom({ x: 0, line: start }), end: to };
    const exit = next === undefined ? undefined : this.cursor.grid.exitBefore(next);
    this.#output = { start: this.selection.start, end: to, exit };
    this.cursor.goTo(to);
    return true;
  }

  /** Exit code of the command whose output, and nothing else, is selected; undefined if its shell did not tell. */
  get outputExit(): number | undefined {
    const { selection } = this;
    const output = this.#output;
    if (!selection || !output) return undefined;
    const isSame = comparePlaces(selection.start, output.start) === 0 && comparePlaces(selection.end, output.end) === 0;
    return isSame ? output.exit : undefined;
  }

  /** Forgets the selection; a cursor where no text is goes back to the end of its line. */
  clearSelection(): void {
    this.selection = undefined;
    this.cursor.x = Math.min(this.cursor.x, this.cursor.length);
  }

  /** Puts the cursor on the other end of the selection. */
  otherEnd(): void {
    const { selection } = this;
    if (!selection || selection.follows === 'none') return;
    const follows = selection.follows === 'start' ? 'end' : 'start';
    this.selection = { ...selection, follows, unit: 'character' };
    this.cursor.goTo(selection[follows]);
  }

  selectedText(): string {
    const { selection } = this;
    return selection ? selectedText(this.cursor.reader, selection, this.selectionRule) : '';
  }

  /** The text from the cursor (or the start of its line) to the end of the line that is `count - 1` rows below. */
  lineText(count: number, fromStart: boolean): string {
    const { cursor } = this;
    const { reader, x, y, offset } = cursor;
    const start = fromStart ? { x: 0, line: reader.startOf(cursor.line) } : cursor.place;
    cursor.stepTo(start);
    for (let i = 1; i < count; i++) cursor.moveLine(1, {});
    const end = reader.endOf(cursor.line);
    cursor.moveTo(x, y);
    cursor.offset = offset;
    const selection = { ...selectFrom(start), end: { x: reader.lengthOf(end), line: end } };
    return selectedText(reader, selection, { isRectangle: false, isVi: this.settings.isVi });
  }

  /** The word under the cursor, or behind it where a separator is, as `#{copy_cursor_word}` shows it. */
  get cursorWord(): string {
    return wordText(this.cursor.reader, this.cursor.place, this.wordRule());
  }

  jump(wanted: Jump, count: number): void {
    for (let i = 0; i < count; i++) {
      const place = jump(this.cursor.reader, this.cursor.place, wanted);
      if (!place) return;
      this.cursor.stepTo(place);
    }
  }

  setMark(): void {
    this.mark = this.cursor.place;
    this.isMarkShown = true;
  }

  /** Exchanges the mark and the cursor; a mark in the history comes to the top of the pane. */
  jumpToMark(): void {
    const { cursor, mark } = this;
    this.mark = cursor.place;
    this.isMarkShown = true;
    cursor.offset = Math.max(0, cursor.historyLength - mark.line);
    cursor.moveTo(mark.x, mark.line - cursor.top);
  }

  /** The search whose matches are shown. */
  get search(): { readonly count: MatchCount; readonly found: GridSearch } | undefined {
    return this.#search;
  }

  /** The match under the cursor, or right before it. */
  get matchText(): string | undefined {
    return this.#search?.found.textAt(this.cursor.place);
  }

  get searchText(): string | undefined {
    return this.lastSearch?.pattern.text;
  }

  /** Takes the highlight of matches away; an incremental search begins afresh afterwards. */
  clearSearch(): void {
    this.#search = undefined;
    this.#searchOrigin = undefined;
  }

  /** Shows the matches of what was last searched for; the cursor stays. */
  showSearch(): void {
    const pattern = this.lastSearch?.pattern;
    if (!pattern) return;
    const found = new GridSearch(this.cursor.reader, pattern);
    this.#search = { pattern, found, count: found.count() };
  }

  /** Goes to the next match. False if there is none. */
  searchFor(pattern: SearchPattern, direction: 1 | -1): boolean {
    if (pattern.text === '') return false;
    this.lastSearch = { pattern, direction };
    const known = this.#search;
    const isKnown = known?.pattern.text === pattern.text && known.pattern.isRegex === pattern.isRegex;
    const found = isKnown ? known.found : new GridSearch(this.cursor.reader, pattern);
    if (!this.#step(found, direction)) return false;
    this.#search = { pattern, found, count: isKnown ? known.count : found.count() };
    return true;
  }

  /** Repeats the last search; `reverse` in the other direction, which stays the exception. */
  searchAgain(reverse: boolean): void {
    const last = this.lastSearch;
    if (!last) return;
    const direction = reverse ? (last.direction === 1 ? -1 : 1) : last.direction;
    this.searchFor(last.pattern, direction);
    this.lastSearch = last;
  }

  /** Searches anew from where the incremental search began, when its text has changed. */
  searchIncrementally(text: string, direction: 1 | -1): void {
    const { cursor } = this;
    const origin = this.#searchOrigin;
    if (!origin) this.#searchOrigin = { x: cursor.x, y: cursor.y, offset: cursor.offset };
    else if (this.lastSearch && this.lastSearch.pattern.text !== text) {
      cursor.moveTo(origin.x, origin.y);
      cursor.offset = origin.offset;
    }
    if (text === '') this.#search = undefined;
    else this.searchFor({ text, isRegex: false }, direction);
  }

  #step(found: GridSearch, direction: 1 | -1): boolean {
    const match = this.#nextMatch(found, direction);
    if (!match) return false;
    const { isVi } = this.settings;
    if (isVi || direction === -1) this.cursor.goTo(match);
    else {
      const column = match.x + match.width;
      const { cols } = this.cursor;
      const lines = Math.floor((column - 1) / cols);
      this.cursor.goTo({ x: column - lines * cols, line: match.line + lines });
    }
    return true;
  }

  #nextMatch(found: GridSearch, direction: 1 | -1): SearchMatch | undefined {
    const { isVi, wrapSearch } = this.settings;
    const { place, reader } = this.cursor;
    if (direction === 1) {
      const from = isVi ? { x: place.x + 1, line: place.line } : place;
      return found.after(from) ?? (wrapSearch ? found.after({ x: 0, line: 0 }) : undefined);
    }
    const end = { x: reader.cols, line: reader.lastLine };
    return found.before(place) ?? (wrapSearch ? found.before(end) : undefined);
  }

  /** Whether a match is the one that the cursor is on. */
  isCurrentMatch(match: SearchMatch): boolean {
    const { place, cols } = this.cursor;
    if (comparePlaces(place, match) === 0) return true;
    const along = (place.line - match.line) * cols + place.x - match.x;
    return along >= 0 && (this.settings.isVi ? along < match.width : along <= match.width);
  }

  refresh(grid: FrozenGrid): void {
    this.cursor.replaceGrid(grid);
    this.clearSearch();
  }

  resize(size: Size): void {
    this.cursor.resize(size);
    this.selection = undefined;
    this.clearSearch();
    this.mark = { x: 0, line: 0 };
    this.isMarkShown = false;
  }
}
