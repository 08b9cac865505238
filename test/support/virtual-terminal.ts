// First, so that the addon finds its tables whole (see there).
import '../../src/overlay/unpooled-buffer.ts';
import { UnicodeGraphemesAddon } from '@xterm/addon-unicode-graphemes';
import xterm from '@xterm/headless';
import type { Size } from '../../protocol/geometry.ts';

/** A terminal as a user has one, in memory: what is written to it can be read back as text and cells. */
export class VirtualTerminal {
  readonly terminal: InstanceType<typeof xterm.Terminal>;
  /** Everything that was written, for tests of the bytes themselves. */
  bytes = '';
  /** What the terminal was last told to call its window (OSC 0 or 2). */
  title = '';
  #keepBytes: boolean;

  constructor(size: Size, options: { keepBytes?: boolean } = {}) {
    this.terminal = new xterm.Terminal({ cols: size.cols, rows: size.rows, allowProposedApi: true, scrollback: 0 });
    this.terminal.loadAddon(new UnicodeGraphemesAddon());
    this.terminal.onTitleChange((title) => {
      this.title = title;
    });
    this.#keepBytes = options.keepBytes ?? false;
  }

  write(data: string): void {
    if (this.#keepBytes) this.bytes += data;
    this.terminal.write(data);
  }

  /** Resolves when all that was written has been parsed. */
  settled(): Promise<void> {
    return new Promise((resolve) => this.terminal.write('', resolve));
  }

  resize(size: Size): void {
    this.terminal.resize(size.cols, size.rows);
  }

  /** The rows as text, blanks at the end of each cut off. */
  rows(): string[] {
    const buffer = this.terminal.buffer.active;
    return Array.from(
      { length: this.terminal.rows },
      (_, y) =>
        buffer
          .getLine(buffer.viewportY + y)
          ?.translateToString(true)
          .trimEnd() ?? '',
    );
  }

  text(): string {
    return this.rows().join('\n');
  }

  get cursor(): { x: number; y: number } {
    const buffer = this.terminal.buffer.active;
    return { x: buffer.cursorX, y: buffer.cursorY };
  }

  get isCursorHidden(): boolean {
    // Has no public name.
    const core = (this.terminal as unknown as { _core: { coreService: { isCursorHidden: boolean } } })._core;
    return core.coreService.isCursorHidden;
  }

  /**
   * Text, colours and attributes of every cell, one line a row: equal strings mean equal pictures. The first 16 colours
   * are the same colours whichever way they were named.
   */
  cells(area: { x?: number; y?: number; width?: number; height?: number } = {}): string[] {
    const buffer = this.terminal.buffer.active;
    const { x = 0, y = 0, width = this.terminal.cols - x, height = this.terminal.rows - y } = area;
    const lines: string[] = [];
    for (let row = y; row < y + height; row++) {
      const line = buffer.getLine(buffer.viewportY + row);
      let text = '';
      for (let column = x; column < x + width; column++) {
        const cell = line?.getCell(column);
        if (!cell) continue;
        const style = [
          colorName(cell.isFgPalette(), cell.isFgRGB(), cell.getFgColor()),
          colorName(cell.isBgPalette(), cell.isBgRGB(), cell.getBgColor()),
          cell.isBold() ? 'bold' : '',
          cell.isDim() ? 'dim' : '',
          cell.isItalic() ? 'italic' : '',
          cell.isUnderline() ? 'underline' : '',
          cell.isBlink() ? 'blink' : '',
          cell.isInverse() ? 'inverse' : '',
          cell.isInvisible() ? 'invisible' : '',
          cell.isStrikethrough() ? 'strikethrough' : '',
          cell.isOverline() ? 'overline' : '',
        ]
          .filter((word) => word !== '')
          .join(' ');
        text += `${cell.getChars() || ' '}<${cell.getWidth()}:${style}>`;
      }
      lines.push(text);
    }
    return lines;
  }
}

function colorName(isPalette: boolean, isRgb: boolean, value: number): string {
  return isRgb ? `#${value.toString(16).padStart(6, '0')}` : isPalette ? `colour${value}` : 'default';
}

/** Where two pictures of `cells` differ, the first few places in words; empty if they are the same. */
export function differences(actual: readonly string[], expected: readonly string[]): string[] {
  const found: string[] = [];
  if (actual.length !== expected.length) found.push(`${actual.length} rows instead of ${expected.length}`);
  for (const [y, row] of expected.entries()) {
    if (row === actual[y]) continue;
    const cells = (actual[y] ?? '').split('>');
    for (const [x, cell] of row.split('>').entries()) {
      if (cells[x] === cell) continue;
      found.push(`row ${y}, column ${x}: ${cells[x] ?? 'nothing'} instead of ${cell}`);
      break;
    }
    if (found.length >= 5) break;
  }
  return found;
}
