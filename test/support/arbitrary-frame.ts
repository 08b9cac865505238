/** fast-check arbitraries of valid frames: wide characters, clusters, every attribute, links, cursors. */
import fc from 'fast-check';
import type { CellExtension, CellStyle, UnderlineStyle } from '../../protocol/cell.ts';
import * as cell from '../../protocol/cell.ts';
import { blankRow, DEFAULT_STYLE, setCell } from '../../protocol/cell.ts';
import type { Frame } from '../../protocol/frame.ts';
import type { Size } from '../../protocol/geometry.ts';

const color = fc.oneof(
  fc.constant(cell.COLOR_DEFAULT),
  fc.nat(15).map((index) => cell.COLOR_PALETTE16 | index),
  fc.nat(255).map((index) => cell.COLOR_PALETTE256 | index),
  fc.nat(0xffffff).map((rgb) => cell.COLOR_RGB | rgb),
);

const FG_FLAGS = [
  cell.FG_INVERSE,
  cell.FG_BOLD,
  cell.FG_UNDERLINE,
  cell.FG_BLINK,
  cell.FG_INVISIBLE,
  cell.FG_STRIKETHROUGH,
];
const BG_FLAGS = [cell.BG_ITALIC, cell.BG_DIM, cell.BG_OVERLINE];

const flags = (bits: readonly number[]) =>
  fc.subarray([...bits]).map((some) => some.reduce((sum, bit) => sum | bit, 0));

const link = fc.constantFrom(
  undefined,
  undefined,
  { id: '1', uri: 'https://example.org/a' },
  { id: '2', uri: 'https://example.org/a' },
  { id: '1', uri: 'javascript:alert(1)' },
);

const extension: fc.Arbitrary<CellExtension> = fc.record({
  underlineStyle: fc.constantFrom<UnderlineStyle>(1, 2, 3, 4, 5),
  underlineColor: color,
  link,
});

const fullStyle: fc.Arbitrary<CellStyle> = fc
  .record({ fg: color, fgFlags: flags(FG_FLAGS), bg: color, bgFlags: flags(BG_FLAGS), extension })
  .map((parts) => {
    const underlined = (parts.fgFlags & cell.FG_UNDERLINE) !== 0;
    const style = { fg: (parts.fg | parts.fgFlags) >>> 0, bg: (parts.bg | parts.bgFlags) >>> 0 };
    return underlined || parts.extension.link ? { ...style, extension: parts.extension } : style;
  });

const arbitraryStyle: fc.Arbitrary<CellStyle> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(DEFAULT_STYLE) },
  { weight: 1, arbitrary: fullStyle },
);

/** Graphemes with the widths that src/overlay/text-width.ts gives them. */
const GRAPHEMES: readonly (readonly [text: string, width: 1 | 2])[] = [
  ['a', 1],
  ['Z', 1],
  [' ', 1],
  ['é', 1],
  ['─', 1],
  ['漢', 2],
  ['글', 2],
  ['😀', 2],
  ['e\u0301', 1],
  ['\u2764\ufe0f', 2],
  ['👩‍👩‍👧', 2],
  ['🇩🇪', 2],
  ['👍🏽', 2],
  ['\ue0b0', 1],
];

const item = fc.record({ grapheme: fc.constantFrom(...GRAPHEMES), style: arbitraryStyle, blank: fc.boolean() });

function arbitraryRow(cols: number): fc.Arbitrary<cell.Row> {
  return fc.array(item, { maxLength: cols }).map((items) => {
    const row = blankRow(cols);
    let x = 0;
    for (const { grapheme, style, blank } of items) {
      const [text, width] = grapheme;
      if (x + width > cols) break;
      if (!blank) setCell(row, x, text, width, style);
      x += blank ? 1 : width;
    }
    return row;
  });
}

export function arbitraryFrame(size: Size): fc.Arbitrary<Frame> {
  return fc.record({
    size: fc.constant(size),
    rows: fc.array(arbitraryRow(size.cols), { minLength: size.rows, maxLength: size.rows }),
    cursor: fc.record({
      x: fc.nat(size.cols - 1),
      y: fc.nat(size.rows - 1),
      visible: fc.boolean(),
      shape: fc.constantFrom('default' as const, 'block' as const, 'underline' as const, 'bar' as const),
      blink: fc.boolean(),
      color: fc.constantFrom(undefined, '#ff0000', '#00ff7f'),
    }),
    modes: fc.record({
      mouse: fc.constantFrom('off' as const, 'click' as const, 'drag' as const, 'motion' as const),
      focus: fc.boolean(),
      keyFlags: fc.nat(31),
      otherKeys: fc.boolean(),
    }),
    title: fc.constantFrom(undefined, 'one', 'zwei \u001b]0;x\u0007'),
  });
}

/** Two frames of one size where the second often is the first, changed a little or moved up or down. */
export function arbitraryFramePair(size: Size): fc.Arbitrary<readonly [Frame, Frame]> {
  const kind = fc.constantFrom('other', 'edited', 'scrolled');
  return fc
    .tuple(arbitraryFrame(size), arbitraryFrame(size), kind, fc.nat(size.rows - 1), fc.boolean())
    .map(([a, b, how, by, up]) => {
      if (how === 'other') return [a, b] as const;
      if (how === 'edited') return [a, { ...b, rows: a.rows.map((row, y) => (y === by ? (b.rows[y] ?? row) : row)) }];
      const rows = b.rows.map((row, y) => a.rows[up ? y + by : y - by] ?? row);
      return [a, { ...b, rows }];
    });
}
