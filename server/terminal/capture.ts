/**
 * Text of a grid as capture-pane gives it: byte for byte what tmux 3.3a prints, but that overline is 53 (tmux prints 5:3)
 * and that line-drawing characters are Unicode instead of letters between shift-out and shift-in.
 */
import {
  BG_DIM,
  BG_ITALIC,
  BG_OVERLINE,
  blankRow,
  CELL_WORDS,
  type CellStyle,
  COLOR_DEFAULT,
  COLOR_MASK,
  COLOR_MODE_MASK,
  COLOR_PALETTE16,
  COLOR_RGB,
  COLOR_VALUE_MASK,
  CONTENT_CODEPOINT_MASK,
  CONTENT_IS_CLUSTER,
  cellStyle,
  cellText,
  DEFAULT_STYLE,
  FG_BLINK,
  FG_BOLD,
  FG_INVERSE,
  FG_INVISIBLE,
  FG_STRIKETHROUGH,
  FG_UNDERLINE,
  type Row,
  rowColumns,
} from '../../protocol/cell.ts';
import type { GridView } from './history.ts';

export interface CaptureOptions {
  /** -e: SGR sequences before cells that look different from the one before. */
  readonly styles?: boolean;
  /** -C: a backslash is doubled and a control character is `\ooo`. */
  readonly octal?: boolean;
  /** -J: lines that go on the one before are joined to it; trailing spaces stay. */
  readonly join?: boolean;
  /** -N: trailing spaces stay. */
  readonly keepSpaces?: boolean;
}

/** First and last line of a view, inclusive. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

/** -S and -E: 0 is the screen's first line, negative ones are history, `-` is the start of the history or the screen's end. */
export function captureRange(view: GridView, start: string | undefined, end: string | undefined): LineRange {
  const last = view.length - 1;
  const first = start === '-' ? 0 : lineIndex(view, start, view.historyLength);
  const final = end === '-' ? last : lineIndex(view, end, last);
  return { first: Math.min(first, final), last: Math.max(first, final) };
}

function lineIndex(view: GridView, text: string | undefined, fallback: number): number {
  if (text === undefined || !/^[+-]?\d{1,10}$/.test(text.trim())) return fallback;
  return Math.min(view.length - 1, Math.max(0, view.historyLength + Number(text)));
}

/** The lines of the range, each ended by a line feed (a joined line that goes on beyond the range is not). */
export function captureText(view: GridView, range: LineRange, options: CaptureOptions = {}): string {
  const row = blankRow(view.cols);
  const next = blankRow(view.cols);
  const pen = new CapturePen();
  let text = '';
  for (let index = range.first; index <= range.last; index++) {
    view.row(index, row);
    const goesOn = index + 1 < view.length && view.isWrapped(index + 1);
    let least = 0;
    if (goesOn) {
      view.row(index + 1, next);
      least = view.cols - (startsWide(next) ? 1 : 0);
    }
    let line = lineText(row, { pen: options.styles ? pen : undefined, least });
    if (options.octal) line = escapeOctal(line);
    if (!options.join && !options.keepSpaces) line = line.replace(/ +$/, '');
    text += line;
    if (!options.join || !goesOn) text += '\n';
  }
  return text;
}

/** The first cell of a row is half of a wide character: that did not fit in the last one of the row before. */
function startsWide(row: Row): boolean {
  return row.words[CELL_WORDS] === 0 && rowColumns(row) > 1;
}

/**
 * The row's text up to the last cell that was written, as one line; of a row that goes on all is part of the line, also
 * what was never written (`least` columns).
 */
export function lineText(row: Row, { pen, least = 0 }: { pen?: CapturePen | undefined; least?: number } = {}): string {
  const end = Math.max(usedColumns(row), least);
  let text = '';
  for (let x = 0; x < end; x++) {
    const cell = cellText(row, x);
    // The right half of a wide character is part of its left half.
    if (cell === '') continue;
    text += (pen?.moveTo(cellStyle(row, x)) ?? '') + cell;
  }
  return text;
}

/** Columns up to the last cell that holds something, be it a space that was written. */
export function usedColumns(row: Row): number {
  for (let x = rowColumns(row) - 1; x >= 0; x--) {
    const content = row.words[x * CELL_WORDS] ?? 0;
    if (content & (CONTENT_CODEPOINT_MASK | CONTENT_IS_CLUSTER)) return x + 1;
    if (content === 0) return x + 1;
  }
  return 0;
}

/** Text as -C gives it: a backslash doubled, a control character as `\ooo`. */
export function escapeOctal(text: string): string {
  return text.replace(/[\x00-\x1f\x7f\\]/g, (character) =>
    character === '\\' ? '\\\\' : `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
}

/** [background word?, bit, SGR] in tmux's order; underline styles come between strikethrough and overline. */
const ATTRIBUTES: readonly (readonly [inBackground: boolean, bit: number, code: string])[] = [
  [false, FG_BOLD, '1'],
  [true, BG_DIM, '2'],
  [true, BG_ITALIC, '3'],
  [false, FG_UNDERLINE, '4'],
  [false, FG_BLINK, '5'],
  [false, FG_INVERSE, '7'],
  [false, FG_INVISIBLE, '8'],
  [false, FG_STRIKETHROUGH, '9'],
  [true, BG_OVERLINE, '53'],
];

/** Goes from cell to cell and writes style changes as tmux does: attributes, colours, each a sequence of its own. */
export class CapturePen {
  #style: CellStyle = DEFAULT_STYLE;
  #attributes = new Set<string>();

  /** What changes the look from that of the last cell; '' if nothing. */
  moveTo(style: CellStyle): string {
    const before = this.#style;
    if (before.fg === style.fg && before.bg === style.bg && before.extension === style.extension) return '';
    const wanted = attributesOf(style);
    const underlineColor = style.extension?.underlineColor ?? COLOR_DEFAULT;
    const underlineBefore = before.extension?.underlineColor ?? COLOR_DEFAULT;
    const isReset =
      [...this.#attributes].some((code) => !wanted.has(code)) ||
      (underlineBefore !== COLOR_DEFAULT && underlineColor === COLOR_DEFAULT);
    const codes = [...wanted].filter((code) => isReset || !this.#attributes.has(code));
    if (isReset) codes.unshift('0');
    let text = codes.length > 0 ? `\x1b[${codes.join(';')}m` : '';
    if (isReset || (before.fg & COLOR_MASK) !== (style.fg & COLOR_MASK)) text += colorSequence(style.fg, 30);
    if (isReset || (before.bg & COLOR_MASK) !== (style.bg & COLOR_MASK)) text += colorSequence(style.bg, 40);
    if (underlineColor !== COLOR_DEFAULT && (isReset || underlineColor !== underlineBefore)) {
      text += colorSequence(underlineColor, 50);
    }
    this.#style = style;
    this.#attributes = wanted;
    return text;
  }
}

function attributesOf(style: CellStyle): Set<string> {
  const codes = new Set<string>();
  const underline = style.extension?.underlineStyle ?? 1;
  for (const [inBackground, bit, code] of ATTRIBUTES) {
    if (bit === BG_OVERLINE && style.fg & FG_UNDERLINE && underline > 1) codes.add(`4:${underline}`);
    if (bit === FG_UNDERLINE && underline > 1) continue;
    if ((inBackground ? style.bg : style.fg) & bit) codes.add(code);
  }
  return codes;
}

function colorSequence(word: number, base: 30 | 40 | 50): string {
  const value = word & COLOR_VALUE_MASK;
  const mode = word & COLOR_MODE_MASK;
  if (mode === COLOR_DEFAULT) return `\x1b[${base + 9}m`;
  if (mode === COLOR_RGB) return `\x1b[${base + 8};2;${value >> 16};${(value >> 8) & 0xff};${value & 0xff}m`;
  if (mode !== COLOR_PALETTE16 || base === 50) return `\x1b[${base + 8};5;${value}m`;
  return `\x1b[${value < 8 ? base + value : base + 60 + value - 8}m`;
}
