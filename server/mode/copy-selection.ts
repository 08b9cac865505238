/** What is selected in copy mode: a run of text, a rectangle, whole lines or whole words. */
import { textOf } from '../terminal/line-cells.ts';
import { comparePlaces } from './copy-search.ts';
import type { GridPlace } from './frozen-grid.ts';
import type { GridReader } from './grid-reader.ts';

export type SelectionUnit = 'character' | 'word' | 'line';

export interface Selection {
  readonly start: GridPlace;
  readonly end: GridPlace;
  /** The end that follows the cursor. */
  readonly follows: 'start' | 'end' | 'none';
  readonly unit: SelectionUnit;
  /** The word or line that was selected first; it stays selected wherever the cursor goes. */
  readonly origin: readonly [GridPlace, GridPlace];
}

export interface SelectionRule {
  readonly isRectangle: boolean;
  /** With vi keys the cell under the cursor belongs to the selection. */
  readonly isVi: boolean;
}

/** Columns of one line, `end` not included. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A selection that begins at the cursor. */
export function selectFrom(cursor: GridPlace): Selection {
  return { start: cursor, end: cursor, follows: 'end', unit: 'character', origin: [cursor, cursor] };
}

/** The selection with one end moved to the cursor; `unitAt` gives the word or line at the cursor. */
export function follow(
  selection: Selection,
  cursor: GridPlace,
  unitAt: (unit: 'word' | 'line') => readonly [GridPlace, GridPlace],
): Selection {
  const { follows, unit, origin } = selection;
  if (follows === 'none') return selection;
  if (unit === 'character') return { ...selection, [follows]: cursor };
  const [from, to] = unitAt(unit);
  if (comparePlaces(cursor, origin[0]) < 0) return { ...selection, start: origin[1], end: from };
  return { ...selection, start: origin[0], end: to };
}

/** First and last place in the order of the text. */
function ordered({ start, end }: Selection): readonly [GridPlace, GridPlace] {
  return comparePlaces(start, end) <= 0 ? [start, end] : [end, start];
}

/** The selected columns of a line; undefined if none are. */
export function spanOf(
  selection: Selection,
  line: number,
  { rule, cols }: { rule: SelectionRule; cols: number },
): Span | undefined {
  const [first, last] = ordered(selection);
  if (line < first.line || line > last.line) return undefined;
  const extra = rule.isVi ? 1 : 0;
  if (rule.isRectangle) {
    const [left, right] = rectangleColumns(selection, extra);
    return { start: left, end: right };
  }
  const start = line === first.line ? first.x : 0;
  const end = line === last.line ? last.x + extra : cols;
  return start < end ? { start, end } : undefined;
}

/** The end that the cursor is at does not count with emacs keys when it is on the right. */
function rectangleColumns({ start, end, follows }: Selection, extra: 0 | 1): readonly [number, number] {
  const [fixed, cursor] = follows === 'start' ? [end.x, start.x] : [start.x, end.x];
  return fixed < cursor ? [fixed, cursor + extra] : [cursor, fixed + 1];
}

/** The selected text; '' for none. */
export function selectedText(reader: GridReader, selection: Selection, rule: SelectionRule): string {
  const [first, last] = ordered(selection);
  const rowsText = (from: number, to: number) => {
    let text = '';
    for (let line = from; line <= to; line++) {
      const span = spanOf(selection, line, { rule, cols: reader.cols }) ?? { start: 0, end: 0 };
      text += lineText(reader, line, span);
    }
    return text;
  };
  const [from, to] = rule.isRectangle ? [last.line, last.line] : [reader.endOf(first.line), reader.startOf(last.line)];
  const text =
    from < to
      ? rowsText(first.line, from) + wholeLines(reader, from + 1, to) + rowsText(to, last.line)
      : rowsText(first.line, last.line);
  const lastEnd = spanOf(selection, last.line, { rule, cols: reader.cols })?.end ?? 0;
  const keepsBreak = rule.isVi && lastEnd > reader.lengthOf(last.line);
  return text.endsWith('\n') && !keepsBreak ? text.slice(0, -1) : text;
}

/** Wrapped lines that are selected as a whole: from the row that one begins at up to the row that another does. */
function wholeLines(reader: GridReader, from: number, to: number): string {
  if (from >= to) return '';
  const { view } = reader;
  const end = view.lineAt(to);
  const texts: string[] = [];
  let left = end - view.lineAt(from);
  view.lines.findLine(end - left, 1, {
    visit: (lines, pieces) => {
      texts.push(`${textOf(lines, pieces)}\n`);
      left -= 1;
      return left === 0;
    },
  });
  return texts.join('');
}

/** The line's part with its line break; a line that goes on has none when it is taken to its end. */
function lineText(reader: GridReader, line: number, span: Span): string {
  const isContinued = reader.isContinued(line);
  const length = isContinued ? reader.cols - (reader.isCut(line) ? 1 : 0) : reader.lengthOf(line);
  const end = Math.min(span.end, length);
  let text = '';
  for (let x = span.start; x < end; x++) text += reader.at(x, line);
  return isContinued && end === length ? text : `${text}\n`;
}
