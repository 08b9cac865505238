/** Where the motions of copy mode lead: words, paragraphs, brackets, characters. Pure functions from a place to a place. */
import type { GridPlace } from './frozen-grid.ts';
import type { GridReader } from './grid-reader.ts';

/** Words are runs of characters of one class; for the -space motions `separators` is empty. */
export interface WordRule {
  /** Option word-separators. */
  readonly separators: string;
  readonly isVi: boolean;
}

type WordClass = 'space' | 'separator' | 'word';

function classAt(reader: GridReader, place: GridPlace, rule: WordRule): WordClass {
  let { x } = place;
  while (x > 0 && reader.at(x, place.line) === '') x -= 1;
  const text = reader.at(x, place.line);
  if (text === ' ' || text === '\t') return 'space';
  return rule.separators.includes(text) ? 'separator' : 'word';
}

/** Columns of a line that motions over words see: all of a wrapped line, one at least. */
function columnsOf(reader: GridReader, line: number): number {
  return reader.isContinued(line) ? reader.cols : Math.max(1, reader.lengthOf(line));
}

/** The next cell, over line ends; undefined at the end of the text. */
function cellAfter(reader: GridReader, { x, line }: GridPlace): GridPlace | undefined {
  if (x + 1 < columnsOf(reader, line)) return { x: x + 1, line };
  return line < reader.lastLine ? { x: 0, line: line + 1 } : undefined;
}

function cellBefore(reader: GridReader, { x, line }: GridPlace): GridPlace | undefined {
  if (x > 0) return { x: x - 1, line };
  return line > 0 ? { x: columnsOf(reader, line - 1) - 1, line: line - 1 } : undefined;
}

/** Whether going from one cell to the other leaves a line that does not go on. */
function isBreak(reader: GridReader, from: GridPlace, to: GridPlace): boolean {
  const [upper, lower] = from.line < to.line ? [from, to] : [to, from];
  return upper.line !== lower.line && !reader.isContinued(upper.line);
}

export function nextWord(reader: GridReader, from: GridPlace, rule: WordRule): GridPlace {
  let at = from;
  const first = classAt(reader, at, rule);
  let hasLeft = first === 'space';
  for (;;) {
    const next = cellAfter(reader, at);
    if (!next) return endOfText(reader, 1);
    if (isBreak(reader, at, next)) hasLeft = true;
    at = next;
    const here = classAt(reader, at, rule);
    if (here !== first) hasLeft = true;
    if (hasLeft && here !== 'space') return at;
  }
}

/** The last character of the next word with vi keys, the place behind it with emacs keys. */
export function nextWordEnd(reader: GridReader, from: GridPlace, rule: WordRule): GridPlace {
  let at: GridPlace | undefined = rule.isVi ? cellAfter(reader, from) : from;
  while (at && classAt(reader, at, rule) === 'space') at = cellAfter(reader, at);
  if (!at) return endOfText(reader, rule.isVi ? 0 : 1);
  const kind = classAt(reader, at, rule);
  for (;;) {
    const next = cellAfter(reader, at);
    if (!next || isBreak(reader, at, next)) return rule.isVi ? at : { x: at.x + 1, line: at.line };
    if (classAt(reader, next, rule) !== kind) return rule.isVi ? at : next;
    at = next;
  }
}

export function previousWord(reader: GridReader, from: GridPlace, rule: WordRule): GridPlace {
  let at = cellBefore(reader, from);
  while (at && classAt(reader, at, rule) === 'space') at = cellBefore(reader, at);
  if (!at) return { x: 0, line: 0 };
  return wordStart(reader, at, rule);
}

/** First cell of the run of characters that a place is in. */
function wordStart(reader: GridReader, from: GridPlace, rule: WordRule): GridPlace {
  const kind = classAt(reader, from, rule);
  let at = from;
  for (;;) {
    const before = cellBefore(reader, at);
    if (!before || isBreak(reader, at, before) || classAt(reader, before, rule) !== kind) return at;
    at = before;
  }
}

/** The end of the last line; as in tmux, some motions stop a cell behind it. */
function endOfText(reader: GridReader, behind: 0 | 1): GridPlace {
  const line = reader.lastLine;
  return { x: Math.min(reader.cols, reader.lengthOf(line) + behind), line };
}

/** First and last cell of the word at a place; undefined where there is none. */
export function wordAt(
  reader: GridReader,
  place: GridPlace,
  rule: WordRule,
): readonly [GridPlace, GridPlace] | undefined {
  if (place.x >= reader.lengthOf(place.line)) return undefined;
  const kind = classAt(reader, place, rule);
  if (kind === 'space') return undefined;
  const start = wordStart(reader, place, rule);
  let end = place;
  for (;;) {
    const next = cellAfter(reader, end);
    if (!next || isBreak(reader, end, next) || classAt(reader, next, rule) !== kind) return [start, end];
    end = next;
  }
}

/** The text of the word at a place; where there is none, of the one that begins in the next cell. */
export function wordText(reader: GridReader, place: GridPlace, rule: WordRule): string {
  const next = classAt(reader, place, rule) === 'word' ? place : cellAfter(reader, place);
  if (!next || isBreak(reader, place, next) || classAt(reader, next, rule) !== 'word') return '';
  const word = wordAt(reader, next, rule);
  return word ? textBetween(reader, ...word) : '';
}

/** The text from one cell to another, both included, line ends left out. */
function textBetween(reader: GridReader, from: GridPlace, to: GridPlace): string {
  let text = '';
  for (let line = from.line; line <= to.line; line++) {
    const end = line === to.line ? to.x + 1 : undefined;
    text += reader
      .cells(line)
      .slice(line === from.line ? from.x : 0, end)
      .join('');
  }
  return text;
}

/** The blank line before the paragraph. */
export function previousParagraph(reader: GridReader, from: GridPlace): GridPlace {
  let { line } = from;
  while (line > 0 && reader.lengthOf(line) === 0) line -= 1;
  while (line > 0 && reader.lengthOf(line) > 0) line -= 1;
  return { x: 0, line };
}

/** The blank line behind the paragraph. */
export function nextParagraph(reader: GridReader, from: GridPlace): GridPlace {
  let { line } = from;
  while (line < reader.lastLine && reader.lengthOf(line) === 0) line += 1;
  while (line < reader.lastLine && reader.lengthOf(line) > 0) line += 1;
  return { x: reader.lengthOf(line), line };
}

export function backToIndentation(reader: GridReader, from: GridPlace): GridPlace {
  const start = reader.startOf(from.line);
  const end = reader.endOf(from.line);
  for (let line = start; line <= end; line++) {
    const x = reader.cells(line).findIndex((text) => text !== ' ' && text !== '\t');
    if (x >= 0) return { x, line };
  }
  return from;
}

/** What jump-forward and its kin look for. */
export interface Jump {
  readonly text: string;
  readonly direction: 1 | -1;
  /** jump-to-*: stop one cell short. */
  readonly isTo: boolean;
}

/** The next such character on the wrapped line; undefined if there is none. */
export function jump(reader: GridReader, from: GridPlace, { text, direction, isTo }: Jump): GridPlace | undefined {
  const [first, last] = [reader.startOf(from.line), reader.endOf(from.line)];
  let start = from;
  for (let i = isTo ? 2 : 1; i > 0; i--) {
    if (direction === 1) start = { ...start, x: start.x + 1 };
    else if (start.x > 0) start = { ...start, x: start.x - 1 };
    // As in tmux, the place behind the last cell of a wrapped row counts.
    else if (start.line > first) start = { x: reader.cols, line: start.line - 1 };
  }
  const step = direction === 1 ? cellAfter : cellBefore;
  for (let at: GridPlace | undefined = start; at && at.line >= first && at.line <= last; at = step(reader, at)) {
    if (reader.at(at.x, at.line) === text) return isTo ? { x: at.x - direction, line: at.line } : at;
  }
  return undefined;
}

const OPENING = '([{';
const CLOSING = ')]}';

/** Where a bracket motion leads; `isWord` if there was no bracket and it went on by a word. */
export interface BracketMove {
  readonly place: GridPlace;
  readonly isWord: boolean;
}

/**
 * The bracket that matches the one at a place. Where there is none, vi keys look for the next one on the line and emacs
 * keys go on by a word.
 */
export function nextBracket(reader: GridReader, from: GridPlace, isVi: boolean): BracketMove {
  if (reader.lengthOf(from.line) === 0) return { place: from, isWord: false };
  if (!isVi) {
    const near = [from, { ...from, x: from.x + 1 }].find(({ x, line }) => OPENING.includes(reader.at(x, line)));
    if (near) return { place: matching(reader, near, 1) ?? from, isWord: false };
    return { place: nextWordEnd(reader, from, { separators: OPENING, isVi }), isWord: true };
  }
  const last = reader.endOf(from.line);
  for (let at: GridPlace | undefined = from; at && at.line <= last; at = cellAfter(reader, at)) {
    const text = reader.at(at.x, at.line);
    const direction = OPENING.includes(text) ? 1 : CLOSING.includes(text) ? -1 : undefined;
    if (direction) return { place: matching(reader, at, direction) ?? from, isWord: false };
  }
  return { place: from, isWord: false };
}

export function previousBracket(reader: GridReader, from: GridPlace, isVi: boolean): BracketMove {
  if (reader.lengthOf(from.line) === 0) return { place: from, isWord: false };
  const isOn = CLOSING.includes(reader.at(from.x, from.line));
  const place = isOn || from.x === 0 ? from : { ...from, x: from.x - 1 };
  if (CLOSING.includes(reader.at(place.x, place.line))) {
    return { place: matching(reader, place, -1) ?? from, isWord: false };
  }
  if (isVi) return { place: from, isWord: false };
  return { place: previousWord(reader, from, { separators: CLOSING, isVi }), isWord: true };
}

function matching(reader: GridReader, from: GridPlace, direction: 1 | -1): GridPlace | undefined {
  const own = reader.at(from.x, from.line);
  const kind = (direction === 1 ? OPENING : CLOSING).indexOf(own);
  const other = (direction === 1 ? CLOSING : OPENING)[kind];
  const step = direction === 1 ? cellAfter : cellBefore;
  let depth = 1;
  for (let at = step(reader, from); at; at = step(reader, at)) {
    const text = reader.at(at.x, at.line);
    if (text === own) depth += 1;
    else if (text === other) depth -= 1;
    if (depth === 0) return at;
  }
  return undefined;
}
