/**
 * Draws an expanded format into a row (tmux(1) STYLES, STATUS LINE): left, centre and right parts share the width, the
 * window list is cut round its focus, and the areas that the mouse can mean are told.
 */
import { type CellStyle, type Row, setCell } from '../../protocol/cell.ts';
import { type StyleRange, type TextStyle, textStyleToCell } from '../options/style.ts';
import { readSections, Section, type Sections } from './format-sections.ts';

/** An area of the drawn row; `x` and `width` are columns of the row. */
export interface FormatRange {
  readonly x: number;
  readonly width: number;
  readonly range: StyleRange;
}

export interface DrawOptions {
  /** How text looks until a style says otherwise, and what `default` means. */
  readonly base: TextStyle;
  /** Columns to use, from `x` on (0 if absent). */
  readonly width: number;
  readonly x?: number;
}

/**
 * Draws over a row; cells that no text or fill covers stay as they are. Returns the areas for the mouse from left to
 * right.
 */
export function drawFormat(row: Row, text: string, { base, width, x = 0 }: DrawOptions): FormatRange[] {
  const sections = readSections(text, base);
  const painter = new Painter(row, x, width);
  if (sections.fill !== undefined) painter.fill(textStyleToCell({ ...base, attributes: 0, bg: sections.fill }));
  arrange(sections, width, painter);
  return painter.ranges.sort((a, b) => a.x - b.x);
}

function arrange(sections: Sections, width: number, painter: Painter): void {
  switch (sections.listAlign) {
    case undefined:
    case 'default':
      arrangePlain(sections, width, painter);
      break;
    case 'left':
      arrangeListLeft(sections, width, painter);
      break;
    case 'centre':
      arrangeListCentre(sections, width, painter);
      break;
    case 'right':
      arrangeListRight(sections, width, painter);
      break;
    case 'absolute-centre':
      arrangeListAbsolute(sections, width, painter);
      break;
  }
}

/** Takes columns from the widths, the first name first, until their sum fits. */
function shrink<Name extends string>(widths: Record<Name, number>, order: readonly Name[], available: number): void {
  let excess = order.reduce((sum, name) => sum + widths[name], 0) - available;
  for (const name of order) {
    const taken = Math.max(0, Math.min(excess, widths[name]));
    widths[name] -= taken;
    excess -= taken;
  }
}

function half(value: number): number {
  return Math.trunc(value / 2);
}

function arrangePlain({ section }: Sections, available: number, painter: Painter): void {
  const { left, centre, right } = section;
  const widths = { left: left.width, centre: centre.width, right: right.width };
  shrink(widths, ['centre', 'right', 'left'], available);
  painter.put(left, 0, 0, widths.left);
  painter.put(right, available - widths.right, right.width - widths.right, widths.right);
  putBetween(painter, centre, widths.centre, [widths.left, available - widths.right]);
  putAbsoluteCentre(painter, section['absolute-centre'], available);
}

/** The middle of a centred section in the middle of a gap. */
function putBetween(painter: Painter, centre: Section, width: number, [from, to]: readonly [number, number]): void {
  painter.put(centre, from + half(to - from) - half(width), half(centre.width) - half(width), width);
}

function putAbsoluteCentre(painter: Painter, section: Section, available: number): void {
  const width = Math.min(section.width, available);
  painter.put(section, half(available - width), 0, width);
}

/** A list that got no room: what stands behind it joins the part it would have stood beside. */
function withoutList(sections: Sections, side: 'left' | 'centre' | 'right' | 'absolute-centre'): Sections {
  const joined = new Section();
  const { after } = sections.section;
  joined.append(sections.section[side]);
  joined.append(after);
  return { ...sections, section: { ...sections.section, [side]: joined } };
}

function arrangeListLeft(sections: Sections, available: number, painter: Painter): void {
  const { left, centre, right, list, after } = sections.section;
  const widths = { left: left.width, centre: centre.width, right: right.width, list: list.width, after: after.width };
  shrink(widths, ['centre', 'list', 'right', 'after', 'left'], available);
  if (widths.list === 0) {
    arrangePlain(withoutList(sections, 'left'), available, painter);
    return;
  }
  const listEnd = widths.left + widths.list;
  painter.put(left, 0, 0, widths.left);
  painter.put(right, available - widths.right, right.width - widths.right, widths.right);
  painter.put(after, listEnd, 0, widths.after);
  putBetween(painter, centre, widths.centre, [listEnd + widths.after, available - widths.right]);
  putList(painter, sections, { x: widths.left, width: widths.list, focus: 0 });
  putAbsoluteCentre(painter, sections.section['absolute-centre'], available);
}

function arrangeListCentre(sections: Sections, available: number, painter: Painter): void {
  const { left, centre, right, list, after } = sections.section;
  const widths = { left: left.width, centre: centre.width, right: right.width, list: list.width, after: after.width };
  shrink(widths, ['list', 'after', 'centre', 'right', 'left'], available);
  if (widths.list === 0) {
    arrangePlain(withoutList(sections, 'centre'), available, painter);
    return;
  }
  painter.put(left, 0, 0, widths.left);
  painter.put(right, available - widths.right, right.width - widths.right, widths.right);
  const listStart = half(widths.left + available - widths.right) - half(widths.list);
  painter.put(centre, listStart - widths.centre, 0, widths.centre);
  painter.put(after, listStart + widths.list, 0, widths.after);
  putList(painter, sections, { x: listStart, width: widths.list, focus: half(list.width) });
  putAbsoluteCentre(painter, sections.section['absolute-centre'], available);
}

function arrangeListRight(sections: Sections, available: number, painter: Painter): void {
  const { left, centre, right, list, after } = sections.section;
  const widths = { left: left.width, centre: centre.width, right: right.width, list: list.width, after: after.width };
  shrink(widths, ['centre', 'list', 'right', 'after', 'left'], available);
  if (widths.list === 0) {
    arrangePlain(withoutList(sections, 'right'), available, painter);
    return;
  }
  const listStart = available - widths.list - widths.after;
  const rightStart = listStart - widths.right;
  painter.put(left, 0, 0, widths.left);
  painter.put(after, available - widths.after, after.width - widths.after, widths.after);
  painter.put(right, rightStart, 0, widths.right);
  putBetween(painter, centre, widths.centre, [widths.left, rightStart]);
  putList(painter, sections, { x: listStart, width: widths.list, focus: 0 });
  putAbsoluteCentre(painter, sections.section['absolute-centre'], available);
}

function arrangeListAbsolute(sections: Sections, available: number, painter: Painter): void {
  const { left, centre, right, list, after } = sections.section;
  const absolute = sections.section['absolute-centre'];
  const sides = { left: left.width, centre: centre.width, right: right.width };
  const middle = { list: list.width, after: after.width, absolute: absolute.width };
  shrink(sides, ['centre', 'right', 'left'], available);
  shrink(middle, ['list', 'after', 'absolute'], available);
  if (middle.list === 0) {
    arrangePlain(withoutList(sections, 'absolute-centre'), available, painter);
    return;
  }
  painter.put(left, 0, 0, sides.left);
  painter.put(right, available - sides.right, right.width - sides.right, sides.right);
  painter.put(centre, half(sides.left + available - sides.right) - sides.centre, 0, sides.centre);
  // The text before the list and the list are centred together; what stands behind is not counted.
  const absoluteStart = half(available - middle.list - middle.absolute);
  const listStart = absoluteStart + middle.absolute;
  painter.put(absolute, absoluteStart, 0, middle.absolute);
  painter.put(after, listStart + middle.list, 0, middle.after);
  putList(painter, sections, { x: listStart, width: middle.list, focus: half(list.width) });
}

/** The window list in its room: whole, or the part round the focus between its markers. */
function putList(
  painter: Painter,
  { section, focus }: Sections,
  room: { readonly x: number; readonly width: number; readonly focus: number },
): void {
  const { list } = section;
  const markers = { left: section['list-left'], right: section['list-right'] };
  let { x, width } = room;
  if (width >= list.width) {
    painter.put(list, x, 0, width);
    return;
  }
  const middle = focus ? focus.start + half(focus.end - focus.start) : room.focus;
  let start = Math.max(0, middle - half(width));
  start = Math.min(start, list.width - width);
  if (start !== 0 && width > markers.left.width) {
    painter.put(markers.left, x, 0, markers.left.width);
    x += markers.left.width;
    start += markers.left.width;
    width -= markers.left.width;
  }
  if (start + width < list.width && width > markers.right.width) {
    width -= markers.right.width;
    painter.put(markers.right, x + width, 0, markers.right.width);
  }
  painter.put(list, x, start, width);
}

/** Puts columns of sections into the row and notes where their ranges came to stand. */
class Painter {
  readonly ranges: FormatRange[] = [];
  readonly #row: Row;
  readonly #x: number;
  readonly #width: number;
  readonly #cells = new Map<TextStyle, CellStyle>();

  constructor(row: Row, x: number, width: number) {
    this.#row = row;
    this.#x = x;
    this.#width = width;
  }

  fill(style: CellStyle): void {
    for (let column = 0; column < this.#width; column++) setCell(this.#row, this.#x + column, ' ', 1, style);
  }

  /** Columns `start` to `start + width` of a section at column `at`. A wide character cut in two becomes blanks. */
  put(section: Section, at: number, start: number, width: number): void {
    const from = Math.max(start, start - at, 0);
    const to = Math.min(start + width, start - at + this.#width, section.width);
    for (let index = from; index < to; index++) {
      const column = section.columns[index];
      if (!column) break;
      const x = this.#x + at + index - start;
      if (column.width === 2 && index + 1 < to) {
        setCell(this.#row, x, column.text, 2, this.#cellOf(column.style));
        index++;
      } else setCell(this.#row, x, column.width === 1 ? column.text : ' ', 1, this.#cellOf(column.style));
    }
    for (const { start: first, end, range } of section.ranges) {
      const left = Math.max(first, from);
      const right = Math.min(end, to);
      if (right > left) this.ranges.push({ x: this.#x + at + left - start, width: right - left, range });
    }
  }

  #cellOf(style: TextStyle): CellStyle {
    let cell = this.#cells.get(style);
    if (!cell) {
      cell = textStyleToCell(style);
      this.#cells.set(style, cell);
    }
    return cell;
  }
}
