/**
 * SGR: what the program's pen looks like. Replaces xterm's handler, which allocates on every reset, leaves bits of an RGB
 * colour behind, and takes SGR 59 for white. Both the semicolon and the colon form of 38, 48 and 58 are known.
 */
import {
  BG_DIM,
  BG_EXTENDED,
  BG_ITALIC,
  BG_OVERLINE,
  COLOR_MASK,
  COLOR_PALETTE16,
  COLOR_PALETTE256,
  COLOR_RGB,
  FG_BLINK,
  FG_BOLD,
  FG_INVERSE,
  FG_INVISIBLE,
  FG_STRIKETHROUGH,
  FG_UNDERLINE,
} from '../../protocol/cell.ts';
import type { XtermAttributes, XtermCore, XtermParams } from './emulator-internals.ts';

const UNDERLINE_SHIFT = 26;
const UNDERLINE_MASK = 7 << UNDERLINE_SHIFT;

/** SGR number → [bits of the foreground word to clear, to set, of the background word to clear, to set]. */
const FLAGS: Readonly<Record<number, readonly [number, number, number, number]>> = {
  1: [0, FG_BOLD, 0, 0],
  2: [0, 0, 0, BG_DIM],
  3: [0, 0, 0, BG_ITALIC],
  5: [0, FG_BLINK, 0, 0],
  6: [0, FG_BLINK, 0, 0],
  7: [0, FG_INVERSE, 0, 0],
  8: [0, FG_INVISIBLE, 0, 0],
  9: [0, FG_STRIKETHROUGH, 0, 0],
  22: [FG_BOLD, 0, BG_DIM, 0],
  23: [0, 0, BG_ITALIC, 0],
  25: [FG_BLINK, 0, 0, 0],
  27: [FG_INVERSE, 0, 0, 0],
  28: [FG_INVISIBLE, 0, 0, 0],
  29: [FG_STRIKETHROUGH, 0, 0, 0],
  39: [COLOR_MASK, 0, 0, 0],
  49: [0, 0, COLOR_MASK, 0],
  53: [0, 0, 0, BG_OVERLINE],
  55: [0, 0, BG_OVERLINE, 0],
};

/** Installs SGR on the parser. */
export function installPen(core: XtermCore): void {
  const input = core._inputHandler;
  input._parser.registerCsiHandler({ final: 'm' }, (params) => {
    applySgr(input._curAttrData, params);
    return true;
  });
}

/** Changes the pen as SGR with these parameters says; unknown ones are skipped. */
export function applySgr(pen: XtermAttributes, params: XtermParams): void {
  for (let i = 0; i < params.length; i++) {
    const code = params.params[i] ?? 0;
    if (code === 0) resetPen(pen);
    else if (code >= 30 && code <= 37) pen.fg = (pen.fg & ~COLOR_MASK) | COLOR_PALETTE16 | (code - 30);
    else if (code >= 40 && code <= 47) pen.bg = (pen.bg & ~COLOR_MASK) | COLOR_PALETTE16 | (code - 40);
    else if (code >= 90 && code <= 97) pen.fg = (pen.fg & ~COLOR_MASK) | COLOR_PALETTE16 | (code - 82);
    else if (code >= 100 && code <= 107) pen.bg = (pen.bg & ~COLOR_MASK) | COLOR_PALETTE16 | (code - 92);
    else if (code === 38 || code === 48 || code === 58) i += applyColor(pen, params, i);
    else if (code === 4) applyUnderline(pen, params, i);
    else if (code === 21) setUnderline(pen, 2);
    else if (code === 24) setUnderline(pen, 0);
    else if (code === 59) setUnderlineColor(pen, 0);
    else {
      const flags = FLAGS[code];
      if (!flags) continue;
      pen.fg = (pen.fg & ~flags[0]) | flags[1];
      pen.bg = (pen.bg & ~flags[2]) | flags[3];
    }
  }
}

/** Says in the background word whether cells drawn with the pen have an extension. */
export function markExtended(pen: XtermAttributes): void {
  const { _ext: bits, urlId } = pen.extended;
  // A plain single underline needs none.
  const isStyled = (bits & UNDERLINE_MASK) > 1 << UNDERLINE_SHIFT || (bits & COLOR_MASK) !== 0;
  if (urlId !== 0 || (isStyled && (pen.fg & FG_UNDERLINE) !== 0)) pen.bg |= BG_EXTENDED;
  else pen.bg &= ~BG_EXTENDED;
}

function resetPen(pen: XtermAttributes): void {
  pen.fg = 0;
  if (pen.extended._ext !== 0) {
    // Cells share the object; the link goes on.
    pen.extended = pen.extended.clone();
    pen.extended._ext = 0;
  }
  pen.bg = pen.extended.urlId === 0 ? 0 : BG_EXTENDED;
}

function applyUnderline(pen: XtermAttributes, params: XtermParams, index: number): void {
  const style = params.hasSubParams(index) ? (params.getSubParams(index)?.[0] ?? 1) : 1;
  setUnderline(pen, style < 0 || style > 5 ? 1 : style);
}

function setUnderline(pen: XtermAttributes, style: number): void {
  pen.fg = style === 0 ? pen.fg & ~FG_UNDERLINE : pen.fg | FG_UNDERLINE;
  const bits = (pen.extended._ext & ~UNDERLINE_MASK) | ((style > 1 ? style : 0) << UNDERLINE_SHIFT);
  setExtendedBits(pen, bits);
}

function setUnderlineColor(pen: XtermAttributes, color: number): void {
  setExtendedBits(pen, (pen.extended._ext & ~COLOR_MASK) | color);
}

function setExtendedBits(pen: XtermAttributes, bits: number): void {
  if (bits !== pen.extended._ext) {
    pen.extended = pen.extended.clone();
    pen.extended._ext = bits;
  }
  markExtended(pen);
}

/** 38, 48, 58; returns how many further parameters it took. */
function applyColor(pen: XtermAttributes, params: XtermParams, index: number): number {
  const what = params.params[index];
  const subParams = params.hasSubParams(index) ? params.getSubParams(index) : null;
  let color: number | undefined;
  let taken = 0;
  if (subParams) color = colorOfSubParams(subParams);
  else {
    const { params: values, length } = params;
    const mode = index + 1 < length ? values[index + 1] : undefined;
    // `38;2:r:g:b` and the like are nobody's form: what follows is skipped by its own rules.
    if (mode === 5 && index + 2 < length) {
      color = COLOR_PALETTE256 | ((values[index + 2] ?? 0) & 0xff);
      taken = 2;
    } else if (mode === 2 && index + 4 < length) {
      color = rgb(values[index + 2], values[index + 3], values[index + 4]);
      taken = 4;
    } else taken = mode === undefined ? 0 : length - index - 1;
  }
  if (color === undefined) return taken;
  if (what === 38) pen.fg = (pen.fg & ~COLOR_MASK) | color;
  else if (what === 48) pen.bg = (pen.bg & ~COLOR_MASK) | color;
  else setUnderlineColor(pen, color);
  return taken;
}

/** `5:n`, `2:r:g:b`, `2:space:r:g:b` (space may be empty). */
function colorOfSubParams(values: Int32Array): number | undefined {
  if (values[0] === 5 && values.length >= 2) return COLOR_PALETTE256 | (Math.max(0, values[1] ?? 0) & 0xff);
  if (values[0] !== 2 || values.length < 4) return undefined;
  const first = values.length === 4 ? 1 : 2;
  return rgb(values[first], values[first + 1], values[first + 2]);
}

function rgb(red = 0, green = 0, blue = 0): number {
  const channel = (value: number) => Math.max(0, value) & 0xff;
  return COLOR_RGB | (channel(red) << 16) | (channel(green) << 8) | channel(blue);
}
