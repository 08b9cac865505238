/**
 * The status lines of one client: formats expanded when something they tell may have changed, rows kept while the
 * expanded text stays the same. What is where in a row is kept too, for the mouse.
 */
import { blankRow, type CellStyle, COLOR_DEFAULT, copyCells, type Row, setCell } from '../../protocol/cell.ts';
import { cleanText } from '../../protocol/clean-text.ts';
import type { Frame } from '../../protocol/frame.ts';
import { drawFormat, type FormatRange } from '../format/format-draw.ts';
import type { ClientSession } from '../model/client-session.ts';
import type { Registry } from '../model/registry.ts';
import type { Session } from '../model/session.ts';
import type { StyleRange, TextStyle } from '../options/style.ts';
import { textStyleToCell } from '../options/style.ts';
import { drawMarker, markerTexts } from './question-marker.ts';
import type { ExpandFormat, StyleReader } from './style-reader.ts';
import type { WindowFit } from './window-fit.ts';

/** Longest message and line that are looked at, code points. */
const TEXT_MAX = 4096;

/** A text with styles, drawn into a row. */
interface DrawnText {
  readonly text: string;
  readonly base: TextStyle;
  readonly row: Row;
  readonly ranges: readonly FormatRange[];
}

export interface StatusParts {
  readonly expand: ExpandFormat;
  readonly styles: StyleReader;
  readonly registry: Pick<Registry, 'questions'>;
}

export class StatusLines {
  readonly #client: ClientSession;
  readonly #registry: StatusParts['registry'];
  readonly #expand: ExpandFormat;
  readonly #styles: StyleReader;
  /** One text a line as last expanded; undefined: to be expanded. */
  #texts: readonly string[] | undefined;
  #base: TextStyle | undefined;
  #lines: DrawnText[] = [];
  #message: DrawnText | undefined;

  constructor(client: ClientSession, { expand, styles, registry }: StatusParts) {
    this.#client = client;
    this.#registry = registry;
    this.#expand = expand;
    this.#styles = styles;
  }

  /** The formats are to be expanded at the next draw. */
  refresh(): void {
    this.#texts = undefined;
  }

  /** Draws the lines and, over the last of them, the client's message. */
  draw(frame: Frame, session: Session, { status }: WindowFit): void {
    const width = frame.size.cols;
    if (!this.#texts || this.#texts.length !== status.lines) this.#expandAll(session, status.lines);
    const base = this.#base;
    if (!base) return;
    this.#lines.length = status.lines;
    for (let i = 0; i < status.lines; i++) {
      const line = redraw(this.#lines[i], { text: this.#texts?.[i] ?? '', base, width });
      this.#lines[i] = line;
      const row = frame.rows[status.y + i];
      if (row) copyCells(line.row, 0, row, 0, width);
    }
    this.#drawQuestions(frame.rows[status.y], session, status.lines);
    this.#drawMessage(frame, session, messageRow(frame, session, status));
  }

  /** What the mouse means at a cell of a status line. */
  rangeAt(line: number, x: number): StyleRange {
    const found = this.#lines[line]?.ranges.find((range) => x >= range.x && x < range.x + range.width);
    return found?.range ?? { kind: 'none' };
  }

  #expandAll(session: Session, lines: number): void {
    const about = { client: this.#client, session, winlink: session.current, window: session.current.window };
    const full = { ...about, pane: session.current.window.active };
    const { options } = session;
    const style = this.#styles.read(options.string('status-style'), full).style;
    const [fg, bg] = [options.color('status-fg'), options.color('status-bg')];
    const base = {
      ...style,
      fg: fg === COLOR_DEFAULT ? style.fg : fg,
      bg: bg === COLOR_DEFAULT ? style.bg : bg,
    };
    // The same look keeps its object, by which the rows know that they are good.
    if (!this.#base || !sameLook(this.#base, base)) this.#base = base;
    const formats = new Map(options.array('status-format'));
    this.#texts = Array.from({ length: lines }, (_, i) => this.#expand(String(formats.get(i) ?? ''), full));
  }

  /** Questions of programs that wait, in the first line. */
  #drawQuestions(row: Row | undefined, session: Session, lines: number): void {
    if (!row || lines === 0 || !session.options.flag('flow-marker')) return;
    const texts = markerTexts(this.#registry.questions, this.#client);
    if (texts.length > 0) drawMarker(row, texts, this.#lines[0]?.ranges ?? []);
  }

  #drawMessage(frame: Frame, session: Session, row: Row | undefined): void {
    const { message } = this.#client;
    if (!message || !row) {
      this.#message = undefined;
      return;
    }
    const about = { client: this.#client, session, winlink: session.current, window: session.current.window };
    const { style } = this.#styles.read(session.options.string('message-style'), about);
    const text = cleanText(message.text, { max: TEXT_MAX });
    this.#message = redraw(this.#message, { text, base: style, width: frame.size.cols });
    copyCells(this.#message.row, 0, row, 0, frame.size.cols);
  }
}

/** The last status line, or the row at its place when there is none. */
function messageRow(frame: Frame, session: Session, status: WindowFit['status']): Row | undefined {
  if (status.lines > 0) return frame.rows[status.y + status.lines - 1];
  return frame.rows[session.options.choice('status-position') === 'top' ? 0 : frame.size.rows - 1];
}

/** The text drawn over a whole row of the base style; what was drawn before if nothing differs. */
function redraw(
  before: DrawnText | undefined,
  { text, base, width }: { text: string; base: TextStyle; width: number },
): DrawnText {
  if (before && before.text === text && before.base === base && before.row.words.length === width * 3) return before;
  const row = blankRow(width);
  fillRow(row, width, textStyleToCell(base));
  return { text, base, row, ranges: drawFormat(row, text, { base, width }) };
}

function fillRow(row: Row, width: number, style: CellStyle): void {
  for (let x = 0; x < width; x++) setCell(row, x, ' ', 1, style);
}

function sameLook(a: TextStyle, b: TextStyle): boolean {
  return a.fg === b.fg && a.bg === b.bg && a.us === b.us && a.attributes === b.attributes;
}
