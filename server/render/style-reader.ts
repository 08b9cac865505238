/** Reads style options for what is drawn: expands those that are formats and keeps what was parsed. */
import type { CellStyle } from '../../protocol/cell.ts';
import type { ClientSession } from '../model/client-session.ts';
import type { Pane } from '../model/pane.ts';
import type { Session, Winlink } from '../model/session.ts';
import type { Window } from '../model/window.ts';
import { DEFAULT_STYLE_VALUE, DEFAULT_TEXT_STYLE, parseStyle, type Style, textStyleToCell } from '../options/style.ts';

/** What a format is about. */
export interface About {
  readonly client?: ClientSession | undefined;
  readonly session?: Session | undefined;
  readonly winlink?: Winlink | undefined;
  readonly window?: Window | undefined;
  readonly pane?: Pane | undefined;
}

/** Expands a format (tmux(1) FORMATS), strftime(3) conversions and `#()` jobs included. */
export type ExpandFormat = (format: string, about: About) => string;

/** A style as text and as a cell keeps it. */
export interface ReadStyle {
  readonly style: Style;
  readonly cell: CellStyle;
}

const DEFAULT_READ: ReadStyle = { style: DEFAULT_STYLE_VALUE, cell: textStyleToCell(DEFAULT_STYLE_VALUE) };
/** Styles kept before all are forgotten; a style may hold a counter or the time. */
const KEPT_MAX = 500;

export class StyleReader {
  readonly #expand: ExpandFormat;
  readonly #kept = new Map<string, ReadStyle>();

  constructor(expand: ExpandFormat) {
    this.#expand = expand;
  }

  /** The style that the text of an option gives; the default one if it is not valid. */
  read(text: string, about: About): ReadStyle {
    if (text === '' || text === 'default') return DEFAULT_READ;
    const plain = text.includes('#{') || text.includes('#(') ? this.#expand(text, about) : text;
    const kept = this.#kept.get(plain);
    if (kept) return kept;
    const style = parseStyle(plain, DEFAULT_STYLE_VALUE, DEFAULT_TEXT_STYLE);
    const read = style ? { style, cell: textStyleToCell(style) } : DEFAULT_READ;
    if (this.#kept.size >= KEPT_MAX) this.#kept.clear();
    this.#kept.set(plain, read);
    return read;
  }
}
