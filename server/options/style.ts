/**
 * Styles (tmux(1) STYLES): parsing, printing, and their cells. A style says how text looks and, inside a status format,
 * where it goes (align, list, range, fill). Terms are applied in order to the style that holds so far.
 */
import {
  BG_DIM,
  BG_ITALIC,
  BG_OVERLINE,
  type CellStyle,
  COLOR_DEFAULT,
  COLOR_MASK,
  FG_BLINK,
  FG_BOLD,
  FG_INVERSE,
  FG_INVISIBLE,
  FG_STRIKETHROUGH,
  FG_UNDERLINE,
  type UnderlineStyle,
} from '../../protocol/cell.ts';
import { type Color, colorToCell, parseColor } from './color.ts';

/** Attribute bits of a TextStyle. */
export const ATTRIBUTE = {
  acs: 1 << 0,
  bright: 1 << 1,
  dim: 1 << 2,
  underscore: 1 << 3,
  blink: 1 << 4,
  reverse: 1 << 5,
  hidden: 1 << 6,
  italics: 1 << 7,
  strikethrough: 1 << 8,
  'double-underscore': 1 << 9,
  'curly-underscore': 1 << 10,
  'dotted-underscore': 1 << 11,
  'dashed-underscore': 1 << 12,
  overline: 1 << 13,
} as const;

const ATTRIBUTE_BITS = new Map<string, number>([...Object.entries(ATTRIBUTE), ['bold', ATTRIBUTE.bright]]);

/** How text looks. */
export interface TextStyle {
  readonly fg: Color;
  readonly bg: Color;
  /** Colour of the underline; COLOR_DEFAULT for the text's. */
  readonly us: Color;
  /** ATTRIBUTE bits. */
  readonly attributes: number;
}

export const DEFAULT_TEXT_STYLE: TextStyle = { fg: COLOR_DEFAULT, bg: COLOR_DEFAULT, us: COLOR_DEFAULT, attributes: 0 };

export type StyleAlign = 'default' | 'left' | 'centre' | 'right' | 'absolute-centre';
export type StyleList = 'off' | 'on' | 'focus' | 'left-marker' | 'right-marker';

/** The part of a status line that the mouse can mean. `window` is a window's index. */
export type StyleRange =
  | { readonly kind: 'none' }
  | { readonly kind: 'left' }
  | { readonly kind: 'right' }
  | { readonly kind: 'window'; readonly index: number };

export interface Style extends TextStyle {
  /** Background for all of the available space; COLOR_DEFAULT for none. */
  readonly fill: Color;
  readonly align: StyleAlign;
  readonly list: StyleList;
  readonly range: StyleRange;
  /** Later `#[` are text. */
  readonly ignore: boolean;
  /** Whether the default is to be replaced (push) or restored (pop). */
  readonly defaultAction: 'base' | 'push' | 'pop';
}

const NO_RANGE: StyleRange = { kind: 'none' };

export const DEFAULT_STYLE_VALUE: Style = {
  ...DEFAULT_TEXT_STYLE,
  fill: COLOR_DEFAULT,
  align: 'default',
  list: 'off',
  range: NO_RANGE,
  ignore: false,
  defaultAction: 'base',
};

/** Terms that are one word and say what changes. */
const WORDS: Readonly<Record<string, (style: Style, base: TextStyle) => Partial<Style>>> = {
  default: (_style, base) => ({ fg: base.fg, bg: base.bg, us: base.us, attributes: base.attributes }),
  ignore: () => ({ ignore: true }),
  noignore: () => ({ ignore: false }),
  'push-default': () => ({ defaultAction: 'push' }),
  'pop-default': () => ({ defaultAction: 'pop' }),
  nolist: () => ({ list: 'off' }),
  norange: () => ({ range: NO_RANGE }),
  noalign: () => ({ align: 'default' }),
  none: () => ({ attributes: 0 }),
};

const ALIGNS: Readonly<Record<string, StyleAlign>> = {
  left: 'left',
  centre: 'centre',
  center: 'centre',
  right: 'right',
  'absolute-centre': 'absolute-centre',
  'absolute-center': 'absolute-centre',
};
const LISTS: Readonly<Record<string, StyleList>> = {
  on: 'on',
  focus: 'focus',
  'left-marker': 'left-marker',
  'right-marker': 'right-marker',
};

/** Terms of the form name=value. */
const SETTINGS: Readonly<Record<string, (value: string, base: TextStyle) => Partial<Style> | undefined>> = {
  fg: (value, base) => withColor(value, (color) => ({ fg: color === COLOR_DEFAULT ? base.fg : color })),
  bg: (value, base) => withColor(value, (color) => ({ bg: color === COLOR_DEFAULT ? base.bg : color })),
  us: (value, base) => withColor(value, (color) => ({ us: color === COLOR_DEFAULT ? base.us : color })),
  fill: (value) => withColor(value, (fill) => ({ fill })),
  align: (value) => {
    const align = ALIGNS[value.toLowerCase()];
    return align && { align };
  },
  list: (value) => {
    const list = LISTS[value.toLowerCase()];
    return list && { list };
  },
  range: (value) => {
    const range = parseRange(value);
    return range && { range };
  },
};

function withColor(value: string, use: (color: Color) => Partial<Style>): Partial<Style> | undefined {
  const color = parseColor(value);
  return color === undefined ? undefined : use(color);
}

function parseRange(value: string): StyleRange | undefined {
  const lower = value.toLowerCase();
  if (lower === 'left') return { kind: 'left' };
  if (lower === 'right') return { kind: 'right' };
  const window = /^window\|(\d+)$/.exec(lower);
  return window ? { kind: 'window', index: Number(window[1]) } : undefined;
}

/** The longest term that is looked at, in characters; a longer one makes the style invalid. */
const TERM_MAX = 255;

/**
 * Applies the terms of a text, separated by spaces, commas or newlines, to `current`. `base` is what `default` means.
 * Undefined if any term is not known: then nothing of the text counts.
 */
export function parseStyle(text: string, current: Style, base: TextStyle): Style | undefined {
  let style = current;
  for (const term of text.split(/[ ,\n]+/)) {
    if (term === '') continue;
    if (term.length > TERM_MAX) return undefined;
    const change = parseTerm(term, style, base);
    if (!change) return undefined;
    style = { ...style, ...change };
  }
  return style;
}

function parseTerm(term: string, style: Style, base: TextStyle): Partial<Style> | undefined {
  const lower = term.toLowerCase();
  if (Object.hasOwn(WORDS, lower)) return WORDS[lower]?.(style, base);
  const equals = term.indexOf('=');
  if (equals > 0) {
    const name = lower.slice(0, equals);
    return Object.hasOwn(SETTINGS, name) ? SETTINGS[name]?.(term.slice(equals + 1), base) : undefined;
  }
  if (lower.startsWith('no')) {
    const bits = parseAttributes(lower.slice(2));
    return bits === undefined ? undefined : { attributes: style.attributes & ~bits };
  }
  const bits = parseAttributes(lower);
  return bits === undefined ? undefined : { attributes: style.attributes | bits };
}

/** `bold|dim`: attributes may also be joined by bars. */
function parseAttributes(text: string): number | undefined {
  let bits = 0;
  for (const name of text.split('|')) {
    const bit = ATTRIBUTE_BITS.get(name);
    if (bit === undefined) return undefined;
    bits |= bit;
  }
  return bits;
}

/** Lays a style's text look over another: its colours where it has any, its attributes added. */
function layTextStyle(base: TextStyle, over: TextStyle): TextStyle {
  return {
    fg: over.fg === COLOR_DEFAULT ? base.fg : over.fg,
    bg: over.bg === COLOR_DEFAULT ? base.bg : over.bg,
    us: over.us === COLOR_DEFAULT ? base.us : over.us,
    attributes: base.attributes | over.attributes,
  };
}

const FG_BITS: readonly (readonly [attribute: number, cell: number])[] = [
  [ATTRIBUTE.bright, FG_BOLD],
  [ATTRIBUTE.blink, FG_BLINK],
  [ATTRIBUTE.reverse, FG_INVERSE],
  [ATTRIBUTE.hidden, FG_INVISIBLE],
  [ATTRIBUTE.strikethrough, FG_STRIKETHROUGH],
];
const BG_BITS: readonly (readonly [attribute: number, cell: number])[] = [
  [ATTRIBUTE.dim, BG_DIM],
  [ATTRIBUTE.italics, BG_ITALIC],
  [ATTRIBUTE.overline, BG_OVERLINE],
];
const UNDERLINES: readonly (readonly [attribute: number, style: UnderlineStyle])[] = [
  [ATTRIBUTE['dashed-underscore'], 5],
  [ATTRIBUTE['dotted-underscore'], 4],
  [ATTRIBUTE['curly-underscore'], 3],
  [ATTRIBUTE['double-underscore'], 2],
  [ATTRIBUTE.underscore, 1],
];

/** The look as a cell keeps it. */
export function textStyleToCell(style: TextStyle): CellStyle {
  let fg = colorToCell(style.fg);
  let bg = colorToCell(style.bg);
  for (const [attribute, bit] of FG_BITS) if (style.attributes & attribute) fg |= bit;
  for (const [attribute, bit] of BG_BITS) if (style.attributes & attribute) bg |= bit;
  const underline = UNDERLINES.find(([attribute]) => style.attributes & attribute)?.[1];
  if (underline === undefined) return { fg: fg >>> 0, bg: bg >>> 0 };
  fg |= FG_UNDERLINE;
  const underlineColor = colorToCell(style.us);
  if (underline === 1 && underlineColor === COLOR_DEFAULT) return { fg: fg >>> 0, bg: bg >>> 0 };
  return {
    fg: fg >>> 0,
    bg: bg >>> 0,
    extension: { underlineStyle: underline, underlineColor, link: undefined },
  };
}

/** The look of a cell, its link left out. */
export function cellToTextStyle(cell: CellStyle): TextStyle {
  let attributes = 0;
  for (const [attribute, bit] of FG_BITS) if (cell.fg & bit) attributes |= attribute;
  for (const [attribute, bit] of BG_BITS) if (cell.bg & bit) attributes |= attribute;
  if (cell.fg & FG_UNDERLINE) {
    const style = cell.extension?.underlineStyle ?? 1;
    attributes |= UNDERLINES.find(([, value]) => value === style)?.[0] ?? ATTRIBUTE.underscore;
  }
  return {
    fg: cell.fg & COLOR_MASK,
    bg: cell.bg & COLOR_MASK,
    us: cell.extension?.underlineColor ?? COLOR_DEFAULT,
    attributes,
  };
}

/** A cell's style with a style laid over it: the style's colours where it has any, its attributes added. */
export function applyStyle(base: CellStyle, style: TextStyle): CellStyle {
  const cell = textStyleToCell(layTextStyle(cellToTextStyle(base), style));
  const link = base.extension?.link;
  if (!link) return cell;
  const extension = cell.extension ?? {
    underlineStyle: cell.fg & FG_UNDERLINE ? 1 : 0,
    underlineColor: COLOR_DEFAULT,
    link: undefined,
  };
  return { ...cell, extension: { ...extension, link } };
}
