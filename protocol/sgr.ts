/**
 * SGR (select graphic rendition, ECMA-48 8.3.117) for cell styles. `sgrDiff` gives the shorter of two ways: turning
 * single attributes on and off, or a reset followed by all that is wanted. Links are no part of SGR.
 */
import {
  BG_DIM,
  BG_ITALIC,
  BG_OVERLINE,
  type CellStyle,
  COLOR_DEFAULT,
  COLOR_MASK,
  COLOR_MODE_MASK,
  COLOR_PALETTE16,
  COLOR_PALETTE256,
  COLOR_RGB,
  COLOR_VALUE_MASK,
  DEFAULT_STYLE,
  FG_BLINK,
  FG_BOLD,
  FG_INVERSE,
  FG_INVISIBLE,
  FG_STRIKETHROUGH,
  FG_UNDERLINE,
  type UnderlineStyle,
} from './cell.ts';

/** What the terminal that reads the SGR understands. */
export interface SgrCapabilities {
  readonly colors: 16 | 256 | 'rgb';
  /** SGR 4:2 to 4:5 and 58. */
  readonly styledUnderlines: boolean;
}

const FULL_SGR: SgrCapabilities = { colors: 'rgb', styledUnderlines: true };

/** Attributes of word 1 and word 2 that are one bit: [in the background word, bit, on, off]. Bold and dim share 22. */
const FLAGS: readonly (readonly [inBackground: boolean, bit: number, on: number, off: number])[] = [
  [false, FG_BOLD, 1, 22],
  [true, BG_DIM, 2, 22],
  [true, BG_ITALIC, 3, 23],
  [false, FG_BLINK, 5, 25],
  [false, FG_INVERSE, 7, 27],
  [false, FG_INVISIBLE, 8, 28],
  [false, FG_STRIKETHROUGH, 9, 29],
  [true, BG_OVERLINE, 53, 55],
];

const ATTRIBUTES_FG = FG_BOLD | FG_BLINK | FG_INVERSE | FG_INVISIBLE | FG_STRIKETHROUGH | FG_UNDERLINE;
const ATTRIBUTES_BG = BG_DIM | BG_ITALIC | BG_OVERLINE;

/** The sequence that makes a terminal in the default style draw `style`; starts with a reset. */
export function sgrFor(style: CellStyle, capabilities: SgrCapabilities = FULL_SGR): string {
  return `\x1b[${['0', ...changes(DEFAULT_STYLE, style, capabilities)].join(';')}m`;
}

/** The sequence that takes a terminal from one style to another; '' when they look the same. */
export function sgrDiff(from: CellStyle, to: CellStyle, capabilities: SgrCapabilities = FULL_SGR): string {
  if (from === to) return '';
  const steps = changes(from, to, capabilities);
  if (steps.length === 0) return '';
  const direct = steps.join(';');
  // One step is as short as it gets, unless all that is wanted is the default style.
  if (steps.length === 1 && !looksDefault(to)) return `\x1b[${direct}m`;
  const wanted = changes(DEFAULT_STYLE, to, capabilities).join(';');
  // `CSI m` is a reset; `CSI ; … m` a reset and more (an empty parameter is 0).
  const reset = wanted === '' ? '' : `;${wanted}`;
  return `\x1b[${reset.length < direct.length ? reset : direct}m`;
}

function looksDefault(style: CellStyle): boolean {
  return ((style.fg & ATTRIBUTES_FG) | (style.bg & ATTRIBUTES_BG) | ((style.fg | style.bg) & COLOR_MASK)) === 0;
}

function changes(from: CellStyle, to: CellStyle, capabilities: SgrCapabilities): string[] {
  const steps: string[] = [];
  pushFlags(steps, from, to);
  pushUnderline(steps, from, to, capabilities);
  pushColor(steps, from.fg, to.fg, { base: 30, reset: 39 }, capabilities);
  pushColor(steps, from.bg, to.bg, { base: 40, reset: 49 }, capabilities);
  if (capabilities.styledUnderlines) {
    const before = from.extension?.underlineColor ?? COLOR_DEFAULT;
    const after = to.extension?.underlineColor ?? COLOR_DEFAULT;
    pushColor(steps, before, after, { base: 50, reset: 59 }, capabilities);
  }
  return steps;
}

function pushFlags(steps: string[], from: CellStyle, to: CellStyle): void {
  if ((((from.fg ^ to.fg) & ATTRIBUTES_FG) | ((from.bg ^ to.bg) & ATTRIBUTES_BG)) === 0) return;
  const offs = new Set<number>();
  for (const [inBackground, bit, , off] of FLAGS) {
    const before = inBackground ? from.bg : from.fg;
    const after = inBackground ? to.bg : to.fg;
    if (before & bit && !(after & bit)) offs.add(off);
  }
  for (const off of offs) steps.push(String(off));
  for (const [inBackground, bit, on, off] of FLAGS) {
    const before = inBackground ? from.bg : from.fg;
    const after = inBackground ? to.bg : to.fg;
    if (after & bit && (!(before & bit) || offs.has(off))) steps.push(String(on));
  }
}

/** The underline as drawn: 0 for none; without styled underlines every style is a single line. */
export function underlineStyleOf(style: CellStyle, styled: boolean): UnderlineStyle {
  if (!(style.fg & FG_UNDERLINE)) return 0;
  const wanted = style.extension?.underlineStyle ?? 1;
  return wanted === 0 || !styled ? 1 : wanted;
}

function pushUnderline(steps: string[], from: CellStyle, to: CellStyle, capabilities: SgrCapabilities): void {
  const before = underlineStyleOf(from, capabilities.styledUnderlines);
  const after = underlineStyleOf(to, capabilities.styledUnderlines);
  if (before === after) return;
  steps.push(after === 0 ? '24' : after === 1 ? '4' : `4:${after}`);
}

interface ColorCodes {
  /** 30, 40 or 50 (underline colour: 58 alone, it has no short form). */
  readonly base: 30 | 40 | 50;
  readonly reset: number;
}

function pushColor(steps: string[], before: number, after: number, codes: ColorCodes, caps: SgrCapabilities): void {
  const was = reduceColor(before & COLOR_MASK, caps.colors);
  const wanted = reduceColor(after & COLOR_MASK, caps.colors);
  if (was !== wanted) steps.push(colorParameters(wanted, codes));
}

function colorParameters(color: number, codes: ColorCodes): string {
  const value = color & COLOR_VALUE_MASK;
  const mode = color & COLOR_MODE_MASK;
  if (mode === COLOR_DEFAULT) return String(codes.reset);
  const separator = codes.base === 50 ? ':' : ';';
  if (mode === COLOR_RGB) {
    const channels = [value >> 16, (value >> 8) & 0xff, value & 0xff];
    // The colon form has an empty colour space before the channels.
    return [codes.base + 8, 2, ...(codes.base === 50 ? [''] : []), ...channels].join(separator);
  }
  if (codes.base === 50 || (value >= 16 && mode !== COLOR_PALETTE16)) return [codes.base + 8, 5, value].join(separator);
  return String(value < 8 ? codes.base + value : codes.base + 60 + value - 8);
}

/**
 * The nearest colour that a terminal with `colors` colours has. Palette colours 0-15 of both palette modes become one
 * form, since they look the same.
 */
export function reduceColor(color: number, colors: SgrCapabilities['colors']): number {
  const mode = color & COLOR_MODE_MASK;
  const value = color & COLOR_VALUE_MASK;
  if (mode === COLOR_DEFAULT) return COLOR_DEFAULT;
  if (mode === COLOR_RGB) {
    if (colors === 'rgb') return color;
    const index = rgbToPalette256(value);
    return colors === 256 ? COLOR_PALETTE256 | index : COLOR_PALETTE16 | palette256To16(index);
  }
  const index = value & 0xff;
  if (index < 16) return COLOR_PALETTE16 | index;
  return colors === 16 ? COLOR_PALETTE16 | palette256To16(index) : COLOR_PALETTE256 | index;
}

const CUBE_LEVELS = [0, 95, 135, 175, 215, 255] as const;

/** xterm's default colours 0-15. */
const BASE_COLORS = [
  0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5, 0x7f7f7f, 0xff0000, 0x00ff00,
  0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
] as const;

/** xterm's default palette: 16 base colours, the 6x6x6 cube, 24 greys. Gives 0xRRGGBB. */
export function paletteColor(index: number): number {
  if (index < 16) return BASE_COLORS[index] ?? 0;
  if (index < 232) {
    const cube = index - 16;
    const level = (step: number) => CUBE_LEVELS[step % 6] ?? 0;
    return (level(Math.floor(cube / 36)) << 16) | (level(Math.floor(cube / 6)) << 8) | level(cube);
  }
  const grey = 8 + (index - 232) * 10;
  return (grey << 16) | (grey << 8) | grey;
}

function distance(a: number, b: number): number {
  const red = (a >> 16) - (b >> 16);
  const green = ((a >> 8) & 0xff) - ((b >> 8) & 0xff);
  const blue = (a & 0xff) - (b & 0xff);
  return red * red + green * green + blue * blue;
}

function rgbToPalette256(rgb: number): number {
  const step = (channel: number) => (channel < 48 ? 0 : channel < 115 ? 1 : Math.floor((channel - 35) / 40));
  const [red, green, blue] = [rgb >> 16, (rgb >> 8) & 0xff, rgb & 0xff];
  const cube = 16 + 36 * step(red) + 6 * step(green) + step(blue);
  const average = Math.round((red + green + blue) / 3);
  const grey = 232 + Math.min(23, Math.max(0, Math.round((average - 8) / 10)));
  return distance(paletteColor(grey), rgb) < distance(paletteColor(cube), rgb) ? grey : cube;
}

const nearest16 = new Map<number, number>();

function palette256To16(index: number): number {
  const known = nearest16.get(index);
  if (known !== undefined) return known;
  const rgb = paletteColor(index);
  let best = 0;
  for (let i = 1; i < 16; i++) if (distance(paletteColor(i), rgb) < distance(paletteColor(best), rgb)) best = i;
  nearest16.set(index, best);
  return best;
}
