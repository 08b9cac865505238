/** The titles in pane borders (options pane-border-status, pane-border-format). */
import { blankRow, type CellStyle, copyCells, type Row, setCell } from '../../protocol/cell.ts';
import type { Frame } from '../../protocol/frame.ts';
import { drawFormat } from '../format/format-draw.ts';
import type { ClientSession } from '../model/client-session.ts';
import type { Pane } from '../model/pane.ts';
import type { Session } from '../model/session.ts';
import type { Window } from '../model/window.ts';
import type { BorderCell, PaneBorders, TitleStrip } from './pane-borders.ts';
import { clipToView } from './pane-painter.ts';
import type { ExpandFormat, ReadStyle, StyleReader } from './style-reader.ts';
import type { WindowFit } from './window-fit.ts';

interface DrawnTitle {
  readonly text: string;
  readonly base: ReadStyle;
  readonly borders: PaneBorders;
  readonly row: Row;
}

export interface TitlePlace {
  readonly session: Session;
  readonly window: Window;
  readonly fit: WindowFit;
  readonly borders: PaneBorders;
}

export class PaneTitles {
  readonly #client: ClientSession;
  readonly #expand: ExpandFormat;
  readonly #styles: StyleReader;
  /** As last expanded. */
  #texts = new Map<Pane, string>();
  #drawn = new Map<Pane, DrawnTitle>();

  constructor(client: ClientSession, { expand, styles }: { expand: ExpandFormat; styles: StyleReader }) {
    this.#client = client;
    this.#expand = expand;
    this.#styles = styles;
  }

  /** The formats are to be expanded at the next draw. */
  refresh(): void {
    this.#texts = new Map();
  }

  draw(frame: Frame, place: TitlePlace): void {
    const drawn = new Map<Pane, DrawnTitle>();
    for (const strip of place.borders.titles) {
      const pane = place.window.paneById(strip.pane);
      const clip = clipToView({ ...strip, height: 1 }, place.fit);
      const target = clip && frame.rows[clip.screen.y];
      if (!pane || !clip || !target) continue;
      const title = this.#title(pane, strip, place);
      drawn.set(pane, title);
      copyCells(title.row, clip.from.x, target, clip.screen.x, clip.screen.width);
    }
    this.#drawn = drawn;
  }

  #title(pane: Pane, strip: TitleStrip, { session, window, borders }: TitlePlace): DrawnTitle {
    const about = { client: this.#client, session, winlink: session.current, window, pane };
    const name = pane === window.active ? 'pane-active-border-style' : 'pane-border-style';
    const base = this.#styles.read(window.options.string(name), about);
    let text = this.#texts.get(pane);
    if (text === undefined) {
      text = this.#expand(pane.options.string('pane-border-format'), about);
      this.#texts.set(pane, text);
    }
    const before = this.#drawn.get(pane);
    if (before && before.text === text && before.base === base && before.borders === borders) return before;
    const row = borderRow(strip, borders.cells, base.cell);
    drawFormat(row, text, { base: base.style, width: strip.width });
    return { text, base, borders, row };
  }
}

/** The border that a title is written on, in the style of the title's pane and never reversed. */
function borderRow(strip: TitleStrip, cells: readonly BorderCell[], style: CellStyle): Row {
  const row = blankRow(strip.width);
  for (const { x, y, text } of cells) {
    if (y === strip.y && x >= strip.x && x < strip.x + strip.width) setCell(row, x - strip.x, text, 1, style);
  }
  return row;
}
