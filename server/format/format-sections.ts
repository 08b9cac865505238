/**
 * The first half of drawing a format: the expanded text, with its `#[...]` styles obeyed, becomes sections of columns
 * (left, centre, right, the window list and its markers), which format-draw.ts then fits into a row.
 */
import { COLOR_DEFAULT } from '../../protocol/cell.ts';
import { graphemes } from '../../src/overlay/text-width.ts';
import type { Color } from '../options/color.ts';
import {
  ATTRIBUTE,
  DEFAULT_STYLE_VALUE,
  parseStyle,
  type Style,
  type StyleAlign,
  type StyleRange,
  type TextStyle,
} from '../options/style.ts';
import { skipFormat } from './format-parser.ts';

/** One column; the right half of a wide character has no text. */
export interface SectionColumn {
  readonly text: string;
  readonly width: 0 | 1 | 2;
  readonly style: TextStyle;
}

/** Columns `start` to `end` (exclusive) of a section that the mouse can mean. */
export interface SectionRange {
  readonly start: number;
  readonly end: number;
  readonly range: StyleRange;
}

export class Section {
  readonly columns: SectionColumn[] = [];
  readonly ranges: SectionRange[] = [];

  get width(): number {
    return this.columns.length;
  }

  /** Adds another section behind this one. */
  append(other: Section): void {
    const by = this.width;
    this.columns.push(...other.columns);
    for (const { start, end, range } of other.ranges) this.ranges.push({ start: start + by, end: end + by, range });
  }
}

export type SectionName =
  | 'left'
  | 'centre'
  | 'right'
  | 'absolute-centre'
  | 'list'
  | 'list-left'
  | 'list-right'
  | 'after';

export interface Sections {
  readonly section: Readonly<Record<SectionName, Section>>;
  /** Where the list stands; undefined if there is none. One that began without `align` is not drawn, nor what follows it. */
  readonly listAlign: StyleAlign | undefined;
  /** Columns of the list to keep in sight. */
  readonly focus: { readonly start: number; readonly end: number } | undefined;
  /** Background for the whole width. */
  readonly fill: Color | undefined;
}

/** A section never gets wider than this, in columns. */
const SECTION_COLUMNS_MAX = 10_000;

/** Characters of the alternate character set (terminfo acsc). */
const ACS = new Map(
  [...'`◆a▒f°g±j┘k┐l┌m└n┼o⎺p⎻q─r⎼s⎽t├u┤v┴w┬x│y≤z≥{π|≠}£~·'].reduce<[string, string][]>(
    (pairs, character, index, all) => {
      if (index % 2 === 0) pairs.push([character, all[index + 1] ?? character]);
      return pairs;
    },
    [],
  ),
);

/** Reads an expanded format. `base` is how text looks until a style says otherwise. */
export function readSections(text: string, base: TextStyle): Sections {
  const reader = new SectionReader(base);
  let at = 0;
  while (at < text.length) {
    if (text[at] !== '#' || text[at + 1] === undefined) {
      const hash = text.indexOf('#', at + 1);
      const end = hash < 0 ? text.length : hash;
      reader.write(text.slice(at, end));
      at = end;
      continue;
    }
    let count = 1;
    while (text[at + count] === '#') count++;
    const isBracket = text[at + count] === '[';
    if (!isBracket) {
      reader.write('#'.repeat(Math.ceil(count / 2)));
      at += count;
    } else if (count % 2 === 0) {
      // An even number escapes all of them: half as many, and the bracket is text.
      reader.writeUnlessIgnored(`${'#'.repeat(count / 2)}[`);
      at += count + 1;
    } else if (reader.ignoresStyles) {
      reader.write('#[');
      at += count + 1;
    } else {
      reader.write('#'.repeat((count - 1) / 2));
      const end = skipFormat(text, at + count, ']');
      if (end < 0) break;
      reader.applyStyle(text.slice(at + count + 1, end));
      at = end + 1;
    }
  }
  return reader.finish();
}

/** Before the list, in it, or behind it. Only the first list counts. */
type ListState = 'before' | 'inside' | 'behind';

class SectionReader {
  readonly #base: TextStyle;
  readonly #sections: Record<SectionName, Section> = {
    left: new Section(),
    centre: new Section(),
    right: new Section(),
    'absolute-centre': new Section(),
    list: new Section(),
    'list-left': new Section(),
    'list-right': new Section(),
    after: new Section(),
  };
  #default: TextStyle;
  #style: Style;
  #current: SectionName = 'left';
  #listState: ListState = 'before';
  #listAlign: StyleAlign | undefined;
  #focusStart: number | undefined;
  #focusEnd: number | undefined;
  #fill: Color | undefined;
  #open: { readonly section: Section; readonly start: number; readonly range: StyleRange } | undefined;

  constructor(base: TextStyle) {
    this.#base = base;
    this.#default = base;
    this.#style = { ...DEFAULT_STYLE_VALUE, ...textPart(base) };
  }

  get ignoresStyles(): boolean {
    return this.#style.ignore;
  }

  write(text: string): void {
    const { columns } = this.#sections[this.#current];
    const style = textPart(this.#style);
    for (const { text: grapheme, width } of graphemes(text)) {
      if (width === 0 || isControl(grapheme) || columns.length + width > SECTION_COLUMNS_MAX) continue;
      const drawn = style.attributes & ATTRIBUTE.acs ? (ACS.get(grapheme) ?? grapheme) : grapheme;
      columns.push({ text: drawn, width, style });
      if (width === 2) columns.push({ text: '', width: 0, style });
    }
  }

  writeUnlessIgnored(text: string): void {
    if (!this.#style.ignore) this.write(text);
  }

  /** Obeys the inside of one `#[...]`; one that is not valid changes nothing. */
  applyStyle(text: string): void {
    const before = this.#style;
    const style = parseStyle(text, before, this.#default);
    if (!style) return;
    if (style.fill !== COLOR_DEFAULT) this.#fill = style.fill;
    if (style.defaultAction === 'push') this.#default = textPart(before);
    else if (style.defaultAction === 'pop') this.#default = this.#base;
    this.#style = { ...style, defaultAction: 'base' };
    this.#enterSection();
    this.#followRange();
  }

  finish(): Sections {
    this.#closeRange();
    const start = this.#focusStart;
    return {
      section: this.#sections,
      listAlign: this.#listAlign,
      focus: start === undefined ? undefined : { start, end: this.#focusEnd ?? this.#sections.list.width },
      fill: this.#fill,
    };
  }

  /** Where text goes from now on. */
  #enterSection(): void {
    switch (this.#style.list) {
      case 'on':
        if (this.#listState !== 'inside') {
          this.#open = undefined;
          this.#listState = 'inside';
          this.#listAlign = this.#style.align;
        }
        this.#endFocus();
        this.#current = 'list';
        break;
      case 'focus':
        if (this.#listState === 'inside') this.#focusStart ??= this.#sections.list.width;
        break;
      case 'off':
        if (this.#listState === 'inside') {
          this.#open = undefined;
          this.#endFocus();
          this.#listState = 'behind';
        }
        this.#current = this.#sectionOf(this.#style.align);
        break;
      case 'left-marker':
        this.#enterMarker('list-left');
        break;
      case 'right-marker':
        this.#enterMarker('list-right');
        break;
    }
  }

  #enterMarker(name: 'list-left' | 'list-right'): void {
    if (this.#listState !== 'inside' || this.#sections[name].width > 0) return;
    this.#open = undefined;
    // A marker in the middle of the focus makes it no focus.
    if (this.#focusStart !== undefined && this.#focusEnd === undefined) this.#focusStart = undefined;
    this.#current = name;
  }

  #endFocus(): void {
    if (this.#focusStart !== undefined) this.#focusEnd ??= this.#sections.list.width;
  }

  /** Text of the list's own alignment that comes behind the list stands behind it. */
  #sectionOf(align: StyleAlign): SectionName {
    if (this.#listState === 'behind' && align === this.#listAlign) return 'after';
    return align === 'default' ? 'left' : align;
  }

  #followRange(): void {
    const section = this.#sections[this.#current];
    const { range } = this.#style;
    if (this.#open && (this.#open.section !== section || !sameRange(this.#open.range, range))) this.#closeRange();
    if (!this.#open && range.kind !== 'none') this.#open = { section, start: section.width, range };
  }

  #closeRange(): void {
    if (!this.#open) return;
    const { section, start, range } = this.#open;
    if (section.width > start) section.ranges.push({ start, end: section.width, range });
    this.#open = undefined;
  }
}

function textPart({ fg, bg, us, attributes }: TextStyle): TextStyle {
  return { fg, bg, us, attributes };
}

function sameRange(a: StyleRange, b: StyleRange): boolean {
  if (a.kind === 'window' && b.kind === 'window') return a.index === b.index;
  return a.kind === b.kind;
}

function isControl(text: string): boolean {
  const code = text.codePointAt(0) ?? 0;
  return code < 0x20 || (code >= 0x7f && code < 0xa0);
}
