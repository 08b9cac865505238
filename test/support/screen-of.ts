/** A headless xterm as the user's terminal, and what it shows in a form that can be compared with a Frame. */
// First, so that the addon finds its tables whole (see there).
import '../../src/overlay/text-width.ts';
import addon from '@xterm/addon-unicode-graphemes';
import xterm from '@xterm/headless';
import type { CellStyle, Row } from '../../protocol/cell.ts';
import * as cell from '../../protocol/cell.ts';
import { cellStyle, cellText, cellWidth, DEFAULT_STYLE } from '../../protocol/cell.ts';
import type { Frame } from '../../protocol/frame.ts';
import type { Size } from '../../protocol/geometry.ts';
import { reduceColor, underlineStyleOf } from '../../protocol/sgr.ts';

export type Screen = InstanceType<typeof xterm.Terminal>;

export function openScreen(size: Size): Screen {
  const terminal = new xterm.Terminal({ ...size, allowProposedApi: true, scrollback: 0 });
  terminal.loadAddon(new addon.UnicodeGraphemesAddon());
  terminal.unicode.activeVersion = '15-graphemes';
  return terminal;
}

export function feed(screen: Screen, bytes: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => screen.write(bytes, resolve));
}

/** The screen's lines as text. */
export function screenText(screen: Screen): string[] {
  const buffer = screen.buffer.active;
  return Array.from({ length: screen.rows }, (_, y) => buffer.getLine(buffer.baseY + y)?.translateToString(true) ?? '');
}

// The line's words, its clusters and the link table have no public name; the bits are those of protocol/cell.ts.
interface Internals {
  readonly _core: {
    readonly coreService: { readonly isCursorHidden: boolean };
    readonly coreMouseService: { readonly activeProtocol: string; readonly activeEncoding: string };
    readonly _oscLinkService: { getLinkData(id: number): { readonly uri: string } | undefined };
  };
}

interface InternalLine {
  readonly _line: {
    readonly _data: Uint32Array;
    readonly _combined: Readonly<Record<number, string>>;
    readonly _extendedAttrs: Readonly<
      Record<
        number,
        { readonly underlineStyle: number; readonly underlineColor: number; readonly urlId: number } | undefined
      >
    >;
  };
}

export function internalsOf(screen: Screen): Internals['_core'] {
  return (screen as unknown as Internals)._core;
}

/** One string a cell: text, width and everything of the style that can be seen. */
export function screenCells(screen: Screen): string[][] {
  const buffer = screen.buffer.active;
  const links = internalsOf(screen)._oscLinkService;
  return Array.from({ length: screen.rows }, (_, y) => {
    const line = (buffer.getLine(buffer.baseY + y) as unknown as InternalLine)._line;
    return Array.from({ length: screen.cols }, (_, x) => {
      const content = line._data[x * 3]!;
      const fg = line._data[x * 3 + 1]!;
      const bg = line._data[x * 3 + 2]!;
      const codePoint = content & cell.CONTENT_CODEPOINT_MASK;
      const own = codePoint === 0 ? (cellWidth(content) === 0 ? '' : ' ') : String.fromCodePoint(codePoint);
      const text = content & cell.CONTENT_IS_CLUSTER ? line._combined[x]! : own;
      const extended = bg & cell.BG_EXTENDED ? line._extendedAttrs[x] : undefined;
      const uri = extended?.urlId ? (links.getLinkData(extended.urlId)?.uri ?? '') : '';
      const underlined = (fg & cell.FG_UNDERLINE) !== 0;
      const style = underlined ? (extended?.underlineStyle ?? 1) : 0;
      const color = underlined && extended ? extended.underlineColor & cell.COLOR_MASK : 0;
      return describeCell({ text, width: cellWidth(content), fg, bg, underline: [style, color], uri });
    });
  });
}

/** What a terminal with all capabilities should show for a frame, in the form of screenCells. */
export function frameCells(frame: Frame, options: { readonly isLinkShown: (uri: string) => boolean }): string[][] {
  return frame.rows.map((row) =>
    Array.from({ length: frame.size.cols }, (_, x) => {
      const content = row.words[x * 3]!;
      const style = drawnStyle(row, x);
      const underline = underlineStyleOf(style, true);
      const color = underline === 0 ? 0 : (style.extension?.underlineColor ?? 0);
      const uri = style.extension?.link?.uri ?? '';
      return describeCell({
        text: cellText(row, x),
        width: cellWidth(content),
        fg: style.fg,
        bg: style.bg,
        underline: [underline, color],
        uri: options.isLinkShown(uri) ? uri : '',
      });
    }),
  );
}

/** The style a terminal draws a cell with: the right half looks like the left one. */
function drawnStyle(row: Row, x: number): CellStyle {
  const isRightHalf = cellWidth(row.words[x * 3]!) === 0;
  return isRightHalf ? (x > 0 ? cellStyle(row, x - 1) : DEFAULT_STYLE) : cellStyle(row, x);
}

interface SeenCell {
  readonly text: string;
  readonly width: number;
  readonly fg: number;
  readonly bg: number;
  readonly underline: readonly [style: number, color: number];
  readonly uri: string;
}

const FG_SEEN =
  cell.FG_INVERSE | cell.FG_BOLD | cell.FG_BLINK | cell.FG_INVISIBLE | cell.FG_UNDERLINE | cell.FG_STRIKETHROUGH;
const BG_SEEN = cell.BG_ITALIC | cell.BG_DIM | cell.BG_OVERLINE;

function describeCell(seen: SeenCell): string {
  const color = (value: number) => reduceColor(value & cell.COLOR_MASK, 'rgb').toString(16);
  // xterm.js marks a link as a dashed underline: a cell that has no underline of its own is not told apart.
  const fgFlags = seen.fg & FG_SEEN & ~(seen.uri === '' ? 0 : cell.FG_UNDERLINE);
  // SGR 59 leaves xterm.js with all bits set, which it cannot tell from white either.
  const underlineColor = seen.underline[1] === cell.COLOR_MASK ? 0 : seen.underline[1];
  const underline = seen.uri === '' ? `${seen.underline[0]}:${color(underlineColor)}` : 'link';
  const flags = `${(fgFlags >>> 0).toString(16)}/${(seen.bg & BG_SEEN).toString(16)}`;
  return [JSON.stringify(seen.text), seen.width, color(seen.fg), color(seen.bg), flags, underline, seen.uri].join(' ');
}
