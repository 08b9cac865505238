/** How copy mode looks: the text with the selection, matches, mark and position indicator on it. */
import { type CellStyle, COLOR_MASK, FG_INVERSE, type Row, rowColumns, setCellStyle } from '../../protocol/cell.ts';
import { drawCornerText } from '../model/corner-text.ts';
import type { OptionSet } from '../options/option-set.ts';
import { DEFAULT_STYLE_VALUE, textStyleToCell } from '../options/style.ts';
import { spanOf } from './copy-selection.ts';
import type { CopyState } from './copy-state.ts';

/** A style option of the pane's window as cells have it. */
function styleOf(options: OptionSet, name: string): CellStyle {
  return textStyleToCell(options.style(name) ?? DEFAULT_STYLE_VALUE);
}

/** Draws row `y` of the pane. */
export function drawCopyRow(state: CopyState, options: OptionSet, { y, into }: { y: number; into: Row }): void {
  const { cursor } = state;
  const line = cursor.top + y;
  cursor.grid.row(line, into);
  drawMark(state, options, { line, into });
  drawMatches(state, options, { line, into });
  if (state.selection) {
    const span = spanOf(state.selection, line, { rule: state.selectionRule, cols: cursor.cols });
    if (span) restyle(into, span, styleOf(options, 'mode-style'));
  }
  if (y === 0 && state.showsPosition) drawIndicator(state, into, styleOf(options, 'mode-style'));
}

/** Gives cells another look and leaves their text. */
function restyle(row: Row, { start, end }: { start: number; end: number }, style: CellStyle): void {
  for (let x = Math.max(0, start); x < Math.min(end, rowColumns(row)); x++) setCellStyle(row, x, style);
}

interface DrawnLine {
  readonly line: number;
  readonly into: Row;
}

function drawMark(state: CopyState, options: OptionSet, { line, into }: DrawnLine): void {
  if (!isMarkLine(state, line)) return;
  const style = styleOf(options, 'copy-mode-mark-style');
  restyle(into, { start: 0, end: rowColumns(into) }, style);
  restyleMark(into, state.mark.x, style);
}

function isMarkLine(state: CopyState, line: number): boolean {
  return state.isMarkShown && state.mark.line === line;
}

function contains({ start, end }: { readonly start: number; readonly end: number }, x: number): boolean {
  return x >= start && x < end;
}

/** The cell of the mark stands out of its line, and of a match. */
function restyleMark(row: Row, x: number, style: CellStyle): void {
  if (x < rowColumns(row)) setCellStyle(row, x, swapColors(style));
}

/** The colours the other way round; without any the cell is reversed. */
function swapColors({ fg, bg }: CellStyle): CellStyle {
  if (((fg | bg) & COLOR_MASK) === 0) return { fg: fg ^ FG_INVERSE, bg };
  return { fg: (fg & ~COLOR_MASK) | (bg & COLOR_MASK), bg: (bg & ~COLOR_MASK) | (fg & COLOR_MASK) };
}

function drawMatches(state: CopyState, options: OptionSet, { line, into }: DrawnLine): void {
  const { search, cursor } = state;
  if (!search) return;
  const { reader, cols } = cursor;
  const start = reader.startOf(line);
  for (const match of search.found.matchesOf(start)) {
    const from = (match.line - line) * cols + match.x;
    if (from >= cols || from + match.width <= 0) continue;
    const name = state.isCurrentMatch(match) ? 'copy-mode-current-match-style' : 'copy-mode-match-style';
    const style = styleOf(options, name);
    const span = { start: from, end: from + match.width };
    restyle(into, span, style);
    if (isMarkLine(state, line) && contains(span, state.mark.x)) restyleMark(into, state.mark.x, style);
  }
}

/** `[3/120]` at the top right: lines scrolled up, lines of history; before it what is known of matches or the output. */
function drawIndicator(state: CopyState, into: Row, style: CellStyle): void {
  const { cursor, search } = state;
  const place = `[${cursor.offset}/${cursor.historyLength}]`;
  const { outputExit } = state;
  const exit = outputExit === undefined ? '' : `(exit ${outputExit}) `;
  const text = search ? `(${search.count.total}${search.count.isAll ? '' : '+'} results) ${place}` : exit + place;
  drawCornerText(into, text, style);
}
