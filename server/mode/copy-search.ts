/** Finds text in a grid, over the line breaks that wrapping made. */

import { compilePosix } from '../format/posix-regex.ts';
import { escapeRegExp } from '../model/environ.ts';
import { textOf } from '../terminal/line-cells.ts';
import type { GridPlace } from './frozen-grid.ts';
import type { GridReader } from './grid-reader.ts';

export interface SearchPattern {
  readonly text: string;
  /** An extended regular expression; plain text otherwise. */
  readonly isRegex: boolean;
}

/** A match: first cell, and columns along the wrapped line. */
export interface SearchMatch extends GridPlace {
  readonly width: number;
}

/** Matches of one wrapped line kept at most. */
const LINE_MATCHES_MAX = 10_000;
/** Matches counted for the indicator at most, and lines looked at for it. */
export const COUNTED_MAX = 100_000;
const COUNTED_LINES_MAX = 100_000;

export interface MatchCount {
  readonly total: number;
  /** There are no more than were counted. */
  readonly isAll: boolean;
}

type Finder = (text: string) => { readonly start: number; readonly length: number } | undefined;

export class GridSearch {
  readonly #reader: GridReader;
  readonly #find: Finder | undefined;
  /** `^` stands for the start of the line and not of what is left of it. */
  readonly #onlyAtStart: boolean;
  /** Tells of the characters of many lines whether one may have a match (history-store.ts `findLine`). */
  readonly #mayHave: ((characters: string) => boolean) | undefined;

  /** Lower case finds both cases, as tmux does. An expression that is none finds nothing. */
  constructor(reader: GridReader, pattern: SearchPattern) {
    this.#reader = reader;
    this.#find = compile(pattern);
    this.#onlyAtStart = pattern.isRegex && pattern.text.startsWith('^');
    this.#mayHave = pattern.isRegex ? undefined : asciiTest(pattern.text);
  }

  /** The first match that starts at a place or behind it; undefined if there is none. */
  after(from: GridPlace): SearchMatch | undefined {
    const { view } = this.#reader;
    const own = this.matchesOf(view.startOf(from.line)).find((one) => comparePlaces(one, from) >= 0);
    return own ?? this.#inLines(view.lineAt(from.line) + 1, 1)?.[0];
  }

  /** The last match that starts before a place. */
  before(from: GridPlace): SearchMatch | undefined {
    const { view } = this.#reader;
    const own = this.matchesOf(view.startOf(from.line)).findLast((one) => comparePlaces(one, from) < 0);
    return own ?? this.#inLines(view.lineAt(from.line) - 1, -1)?.at(-1);
  }

  /** Number of matches, in the newest lines of a long text. */
  count(): MatchCount {
    const { lines } = this.#reader.view;
    let seen = 0;
    let total = 0;
    lines.findLine(lines.lineCount - 1, -1, {
      mayHave: this.#mayHave,
      visit: (within, pieces) => {
        total += this.#countIn(textOf(within, pieces));
        seen++;
        return seen >= COUNTED_LINES_MAX || total >= COUNTED_MAX;
      },
    });
    return { total: Math.min(total, COUNTED_MAX), isAll: seen < COUNTED_LINES_MAX && total < COUNTED_MAX };
  }

  /** The matches of the first line that has some, from a line on up or down. */
  #inLines(from: number, step: 1 | -1): SearchMatch[] | undefined {
    const { view } = this.#reader;
    for (let line = from; ; line += step) {
      const found = view.lines.findLine(line, step, {
        mayHave: this.#mayHave,
        visit: (within, pieces) => this.#find?.(textOf(within, pieces)) !== undefined,
      });
      if (found === undefined) return undefined;
      const matches = this.matchesOf(view.firstRowOf(found));
      if (matches.length > 0) return matches;
      line = found;
    }
  }

  #countIn(text: string): number {
    let count = 0;
    for (let at = 0; at < text.length && count < LINE_MATCHES_MAX; ) {
      const found = this.#find?.(at === 0 ? text : text.slice(at));
      if (!found || (this.#onlyAtStart && at + found.start > 0)) break;
      at += found.start + Math.max(1, found.length);
      if (found.length > 0) count++;
    }
    return count;
  }

  /** Matches of the wrapped line that begins at `start`, in order. */
  matchesOf(start: number): SearchMatch[] {
    if (!this.#find) return [];
    const { text, columns } = this.#joined(start);
    const matches: SearchMatch[] = [];
    let at = 0;
    while (at < text.length && matches.length < LINE_MATCHES_MAX) {
      const found = this.#find(text.slice(at));
      if (!found) break;
      const from = at + found.start;
      at = from + Math.max(1, found.length);
      if (found.length === 0) continue;
      if (this.#onlyAtStart && from > 0) break;
      const first = columns[from] ?? 0;
      const end = columns[from + found.length] ?? first + 1;
      matches.push({ ...this.#placeOf(start, first), width: Math.max(1, end - first) });
    }
    return matches;
  }

  /** The text of the match at a place, else of the one right before it. */
  textAt({ x, line }: GridPlace): string | undefined {
    const { cols, view } = this.#reader;
    const start = view.startOf(line);
    const columnOf = (place: GridPlace) => (place.line - start) * cols + place.x;
    const at = columnOf({ x, line });
    const matches = this.matchesOf(start);
    const match =
      matches.find((one) => columnOf(one) <= at && at < columnOf(one) + one.width) ??
      matches.find((one) => columnOf(one) + one.width === at);
    if (!match) return undefined;
    const { text, columns } = this.#joined(start);
    const first = columnOf(match);
    return text.slice(columns.indexOf(first), columns.indexOf(first + match.width));
  }

  /** The wrapped line as one text; `columns[i]` is the column along it of text index `i`. */
  #joined(start: number): { text: string; columns: number[] } {
    const { cols } = this.#reader;
    const end = this.#reader.endOf(start);
    let text = '';
    const columns: number[] = [];
    let column = 0;
    for (let line = start; line <= end; line++) {
      const width = line < end ? cols : this.#reader.lengthOf(line);
      for (let x = 0; x < width; x++) {
        const cell = x === cols - 1 && line < end && this.#reader.isCut(line) ? '' : this.#reader.at(x, line);
        for (let i = 0; i < cell.length; i++) columns.push(column);
        text += cell;
        column += 1;
      }
    }
    columns.push(column);
    return { text, columns };
  }

  #placeOf(start: number, column: number): GridPlace {
    const { cols } = this.#reader;
    return { x: column % cols, line: start + Math.floor(column / cols) };
  }
}

export function comparePlaces(a: GridPlace, b: GridPlace): number {
  return a.line - b.line || a.x - b.x;
}

/** A test for plain ASCII text anywhere in many lines; an empty cell is a space. */
function asciiTest(text: string): ((characters: string) => boolean) | undefined {
  if (!/^[\x20-\x7e]+$/.test(text)) return undefined;
  const source = escapeRegExp(text).replace(/\\-/g, '-').replaceAll(' ', '[ \\0]');
  const expression = new RegExp(source, text === text.toLowerCase() ? 'i' : '');
  return (characters) => expression.test(characters);
}

function compile({ text, isRegex }: SearchPattern): Finder | undefined {
  const ignoreCase = text === text.toLowerCase();
  if (isRegex) {
    const expression = compilePosix(text, { ignoreCase });
    return expression?.locate;
  }
  const expression = new RegExp(escapeRegExp(text).replace(/\\-/g, '-'), ignoreCase ? 'iu' : 'u');
  return (subject) => {
    const found = expression.exec(subject);
    return found ? { start: found.index, length: found[0].length } : undefined;
  };
}
