/**
 * Colours as options and styles write them (tmux(1) STYLES): the sixteen names, `colour0` to `colour255`, `#rrggbb`,
 * X11 names, `default` and `terminal`. A colour is the number that protocol/cell.ts keeps in a cell's word (mode and
 * value), or one of the two constants below.
 */
import {
  COLOR_DEFAULT,
  COLOR_MODE_MASK,
  COLOR_PALETTE16,
  COLOR_PALETTE256,
  COLOR_RGB,
  COLOR_VALUE_MASK,
} from '../../protocol/cell.ts';
import { grayPercent, x11Color } from '../../protocol/color-names.ts';

export type Color = number;

/** `terminal`: the outer terminal's own default, whatever the style below says. Drawn as COLOR_DEFAULT. */
export const COLOR_TERMINAL = 0x8000000;
/** `none`: no colour was chosen (cursor-colour's default). */
export const COLOR_NONE = -1;

const BASIC_NAMES = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;

const BY_NAME = new Map<string, Color>([
  ['default', COLOR_DEFAULT],
  ['terminal', COLOR_TERMINAL],
  ...BASIC_NAMES.flatMap((name, index): [string, Color][] => [
    [name, COLOR_PALETTE16 | index],
    [`bright${name}`, COLOR_PALETTE16 | (index + 8)],
    [String(index), COLOR_PALETTE16 | index],
    [String(90 + index), COLOR_PALETTE16 | (index + 8)],
  ]),
]);

/** The colour a text names, or undefined. Names are compared without case, except the grays with a number. */
export function parseColor(text: string): Color | undefined {
  if (text.startsWith('#')) {
    return /^#[0-9a-f]{6}$/i.test(text) ? COLOR_RGB | Number.parseInt(text.slice(1), 16) : undefined;
  }
  const indexed = /^colou?r *\+?(\d+)$/i.exec(text);
  if (indexed) {
    const index = Number(indexed[1]);
    return index <= 255 ? COLOR_PALETTE256 | index : undefined;
  }
  const named = BY_NAME.get(text.toLowerCase()) ?? parseGray(text);
  if (named !== undefined) return named;
  const rgb = x11Color(text);
  return rgb === undefined ? undefined : COLOR_RGB | rgb;
}

/** `gray0` (black) to `gray100` (white); whatever is no number after `gray` is the plain gray, as in tmux. */
function parseGray(text: string): Color | undefined {
  const match = /^gr[ae]y(.*)$/s.exec(text);
  if (!match) return undefined;
  const rest = match[1] ?? '';
  if (!/^\d/.test(rest)) return COLOR_RGB | 0xbebebe;
  const percent = Number(rest);
  if (!(percent <= 100)) return undefined;
  return COLOR_RGB | grayPercent(percent);
}

/** The spelling that show-options prints. */
export function printColor(color: Color): string {
  if (color === COLOR_NONE) return 'none';
  if (color === COLOR_TERMINAL) return 'terminal';
  const value = color & COLOR_VALUE_MASK;
  switch (color & COLOR_MODE_MASK) {
    case COLOR_RGB:
      return `#${value.toString(16).padStart(6, '0')}`;
    case COLOR_PALETTE256:
      return `colour${value}`;
    case COLOR_PALETTE16:
      return `${value >= 8 ? 'bright' : ''}${BASIC_NAMES[value & 7] ?? 'black'}`;
    default:
      return 'default';
  }
}

const SYSTEM_RGB = [
  0x000000, 0x800000, 0x008000, 0x808000, 0x000080, 0x800080, 0x008080, 0xc0c0c0, 0x808080, 0xff0000, 0x00ff00,
  0xffff00, 0x0000ff, 0xff00ff, 0x00ffff, 0xffffff,
];
const CUBE_STEPS = [0, 0x5f, 0x87, 0xaf, 0xd7, 0xff];

/** 0xRRGGBB of a colour under the palette of xterm(1); undefined for those that have no fixed one. */
export function colorToRgb(color: Color): number | undefined {
  if (color < 0 || color === COLOR_TERMINAL) return undefined;
  const value = color & COLOR_VALUE_MASK;
  switch (color & COLOR_MODE_MASK) {
    case COLOR_RGB:
      return value;
    case COLOR_PALETTE16:
    case COLOR_PALETTE256:
      return paletteRgb(value);
    default:
      return undefined;
  }
}

function paletteRgb(index: number): number {
  if (index < 16) return SYSTEM_RGB[index] ?? 0;
  if (index >= 232) return (8 + (index - 232) * 10) * 0x010101;
  const step = (divisor: number) => CUBE_STEPS[Math.trunc((index - 16) / divisor) % 6] ?? 0;
  return (step(36) << 16) | (step(6) << 8) | step(1);
}

/** The colour as a cell keeps it: `terminal` and `none` are the default there. */
export function colorToCell(color: Color): number {
  return color === COLOR_TERMINAL || color < 0 ? COLOR_DEFAULT : color;
}
