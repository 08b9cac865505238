/**
 * Writes cells to a terminal and remembers where the cursor stands and what style is on, so that only changes are sent.
 * It starts and ends with the default style and no link open.
 */
import type { CellExtension, CellStyle, Row } from '../../protocol/cell.ts';
import {
  BG_EXTENDED,
  BLANK_CONTENT,
  CELL_WORDS,
  DEFAULT_STYLE,
  rowColumns,
  sameCell,
  sameExtension,
} from '../../protocol/cell.ts';
import type { ScrollDamage } from '../../protocol/damage.ts';
import type { Point } from '../../protocol/geometry.ts';
import type { TerminalCapabilities } from '../../protocol/message.ts';
import { sgrDiff } from '../../protocol/sgr.ts';
import { LINK_END, linkStart } from '../link.ts';
import { glyphAt, mostColumns } from '../terminal/glyph.ts';

/** Unchanged cells up to this many are written again rather than jumped over, if that needs no change of style. */
const BRIDGE_MAX = 4;
/** A blank tail at least this long is erased instead of written. */
const ERASE_MIN = 4;

export class Painter {
  readonly #capabilities: TerminalCapabilities;
  #out = '';
  #jumps = 0;
  /** Where the cursor is; undefined when that is not sure. */
  #at: Point | undefined;
  #pen: CellStyle = DEFAULT_STYLE;
  #link = '';

  constructor(capabilities: TerminalCapabilities, at: Point | undefined) {
    this.#capabilities = capabilities;
    this.#at = at;
  }

  /** All that has been written so far. */
  get text(): string {
    return this.#out;
  }

  /** How often the cursor was moved other than by writing. */
  get jumps(): number {
    return this.#jumps;
  }

  clear(): void {
    this.#out += '\x1b[m\x1b[r\x1b[H\x1b[2J';
    this.#jumps++;
    this.#at = { x: 0, y: 0 };
  }

  moveTo(to: Point): void {
    const at = this.#at;
    if (at && at.x === to.x && at.y === to.y) return;
    this.#jumps++;
    this.#at = to;
    if (at && at.y === to.y && to.x === 0) this.#out += '\r';
    // The row below exists, so that a line feed does not scroll.
    else if (at && at.y + 1 === to.y && to.x === 0) this.#out += '\r\n';
    else if (at && at.y === to.y && to.x > at.x) this.#out += to.x === at.x + 1 ? '\x1b[C' : `\x1b[${to.x - at.x}C`;
    else this.#out += `\x1b[${to.y + 1};${to.x + 1}H`;
  }

  /** Lets the terminal move whole rows (DECSTBM with delete or insert line, which the Linux console has too). */
  scroll(scroll: ScrollDamage): void {
    this.#setPen(DEFAULT_STYLE);
    const count = Math.abs(scroll.by);
    this.#out += `\x1b[${scroll.top + 1};${scroll.bottom + 1}r`;
    this.#at = undefined;
    this.moveTo({ x: 0, y: scroll.top });
    this.#out += `\x1b[${count}${scroll.by > 0 ? 'M' : 'L'}\x1b[r`;
    this.#at = undefined;
  }

  /** Writes what differs between two rows. */
  paintRow(y: number, before: Row, row: Row): void {
    const columns = rowColumns(row);
    let tail = -1;
    let forcedUntil = 0;
    for (let x = 0; x < columns; x++) {
      if (x >= forcedUntil && (sameCell(before, row, x) || areBlanks(before, row, x))) continue;
      if (tail === -1) tail = blankTail(row);
      if (x >= tail && columns - x >= ERASE_MIN) {
        this.#eraseTail({ x, y });
        return;
      }
      const glyph = glyphAt(row, x);
      if (!glyph) continue;
      this.#approach(row, { x, y });
      this.#setPen(styleAt(row, x));
      if (glyph.doubtful) {
        this.#writeAlone(glyph.text, glyph.width, { x, y });
        forcedUntil = Math.max(forcedUntil, x + mostColumns(glyph.text));
      } else {
        this.#out += glyph.text;
        this.#advance({ x: x + glyph.width, y }, columns);
      }
    }
  }

  /** Back to the default style, no link. */
  finish(): void {
    this.#setPen(DEFAULT_STYLE);
  }

  #eraseTail(at: Point): void {
    this.moveTo(at);
    this.#setPen(DEFAULT_STYLE);
    this.#out += '\x1b[K';
  }

  /** Blanks below first (a terminal may draw it narrower), then the text, then nobody knows where the cursor is. */
  #writeAlone(text: string, width: number, at: Point): void {
    if (width === 2) {
      this.#out += '  ';
      this.#at = undefined;
    }
    // An absolute move also keeps the text from joining what was written before it.
    this.#at = undefined;
    this.moveTo(at);
    this.#out += text;
    this.#at = undefined;
  }

  /** After the last column the cursor hangs between two rows: its place is not sure. */
  #advance(to: Point, columns: number): void {
    this.#at = to.x < columns ? to : undefined;
  }

  /** Gets the cursor to a place, by writing the few cells in between again where that is shorter. */
  #approach(row: Row, to: Point): void {
    const at = this.#at;
    const gap = at && at.y === to.y ? to.x - at.x : -1;
    if (at && gap > 0 && gap <= BRIDGE_MAX) {
      const bridge = this.#bridge(row, at.x, to.x);
      if (bridge !== undefined) {
        this.#out += bridge;
        this.#at = to;
        return;
      }
    }
    this.moveTo(to);
  }

  #bridge(row: Row, from: number, to: number): string | undefined {
    let text = '';
    for (let x = from; x < to; x++) {
      const glyph = glyphAt(row, x);
      if (glyph?.width !== 1 || glyph.doubtful || !this.#isPen(row, x)) return undefined;
      text += glyph.text;
    }
    return text;
  }

  #isPen(row: Row, x: number): boolean {
    const at = x * CELL_WORDS;
    if (row.words[at + 1] !== this.#pen.fg || row.words[at + 2] !== this.#pen.bg) return false;
    return sameExtension(extensionAt(row, x), this.#pen.extension);
  }

  #setPen(style: CellStyle): void {
    const pen = this.#pen;
    if (style.fg === pen.fg && style.bg === pen.bg && sameExtension(style.extension, pen.extension)) return;
    this.#out += sgrDiff(pen, style, this.#capabilities);
    this.#pen = style;
    const link = style.extension?.link && this.#capabilities.hyperlinks ? linkStart(style.extension.link) : '';
    if (link === this.#link) return;
    this.#out += link === '' ? LINK_END : link;
    this.#link = link;
  }
}

/** Whether both cells are blank in one style: an erased cell and a written space look the same. */
function areBlanks(before: Row, row: Row, x: number): boolean {
  const at = x * CELL_WORDS;
  const styled = (before.words[at + 2] ?? 0) | (row.words[at + 2] ?? 0);
  if (
    styled & BG_EXTENDED ||
    before.words[at + 1] !== row.words[at + 1] ||
    before.words[at + 2] !== row.words[at + 2]
  ) {
    return false;
  }
  return isBlank(before.words[at]) && isBlank(row.words[at]);
}

function isBlank(content: number | undefined): boolean {
  return content === BLANK_CONTENT || content === (BLANK_CONTENT | 0x20);
}

function extensionAt(row: Row, x: number): CellExtension | undefined {
  return (row.words[x * CELL_WORDS + 2] ?? 0) & BG_EXTENDED ? row.extended?.get(x) : undefined;
}

function styleAt(row: Row, x: number): CellStyle {
  const at = x * CELL_WORDS;
  return { fg: row.words[at + 1] ?? 0, bg: row.words[at + 2] ?? 0, extension: extensionAt(row, x) };
}

/** The column from which on the row is blank in the default style. */
function blankTail(row: Row): number {
  const { words } = row;
  let x = rowColumns(row);
  while (x > 0) {
    const at = (x - 1) * CELL_WORDS;
    if (!isBlank(words[at]) || words[at + 1] !== 0 || words[at + 2] !== 0) return x;
    x--;
  }
  return x;
}
