/**
 * The picture of one client: window, borders, titles and status lines, drawn into a frame from the model.
 *
 * After a change of the model everything is drawn; what is costly to make is kept: where borders are, the rows of status
 * lines and titles. After output alone only the rows of panes that changed are drawn (drawn-panes.ts). Formats are
 * expanded after `refreshStatus` only, never because of output.
 */
import { blankRow, type CellStyle, FG_INVERSE, type Row, rowColumns, setCell } from '../../protocol/cell.ts';
import { cleanText } from '../../protocol/clean-text.ts';
import { sameCursor, sameModes } from '../../protocol/damage.ts';
import { type Cursor, type Frame, HIDDEN_CURSOR, type MouseTracking, NO_MODES } from '../../protocol/frame.ts';
import { contains, type Point, type Rect, sameSize } from '../../protocol/geometry.ts';
import type { MousePlace } from '../keys/mouse-keys.ts';
import type { ClientSession } from '../model/client-session.ts';
import type { Pane } from '../model/pane.ts';
import { wantedKeys } from '../model/pane-input.ts';
import type { Registry } from '../model/registry.ts';
import type { Session } from '../model/session.ts';
import type { Window } from '../model/window.ts';
import {
  type DrawnPane,
  type DrawnWindow,
  drawOutput,
  isStillDrawn,
  isUpToDate,
  NEVER_DRAWN,
  sameColors,
} from './drawn-panes.ts';
import type { NextRows } from './frame-pair.ts';
import type { ClientScene, DrawState } from './frame-scheduler.ts';
import {
  BorderCache,
  type BorderIndicators,
  type BorderLines,
  outsideGlyph,
  type PaneBorders,
} from './pane-borders.ts';
import { clipToView, copyRect, PanePainter } from './pane-painter.ts';
import { PaneTitles } from './pane-titles.ts';
import { StatusLines } from './status-line.ts';
import { type ExpandFormat, StyleReader } from './style-reader.ts';
import { fitClient, type WindowFit, windowPoint } from './window-fit.ts';

/** Longest title given to a terminal, code points. */
const TITLE_MAX = 256;

export interface SceneContext {
  readonly registry: Registry;
  readonly expand: ExpandFormat;
}

export class Scene implements ClientScene {
  readonly #client: ClientSession;
  readonly #context: SceneContext;
  readonly #styles: StyleReader;
  readonly #status: StatusLines;
  readonly #titles: PaneTitles;
  readonly #borders = new BorderCache();
  readonly #painter = new PanePainter();
  /** What every row starts as. */
  #blank = blankRow(0);
  /** What was drawn last; undefined if that failed or was nothing. */
  drawn: DrawnWindow | undefined;
  /** The terminal's title as last expanded; undefined: to be expanded. */
  #title: string | undefined;

  constructor(client: ClientSession, context: SceneContext) {
    this.#client = client;
    this.#context = context;
    this.#styles = new StyleReader(context.expand);
    const parts = { expand: context.expand, styles: this.#styles, registry: context.registry };
    this.#status = new StatusLines(client, parts);
    this.#titles = new PaneTitles(client, parts);
  }

  refreshStatus(): void {
    this.#status.refresh();
    this.#titles.refresh();
    this.#title = undefined;
  }

  get statusIntervalMs(): number {
    const options = this.#client.session?.options;
    return options && options.choice('status') !== 'off' ? options.number('status-interval') * 1000 : 0;
  }

  draw(frame: Frame, state: DrawState): void {
    const before = this.drawn;
    this.drawn = undefined;
    if (rowColumns(this.#blank) !== frame.size.cols) this.#blank = blankRow(frame.size.cols);
    clearFrame(frame, this.#blank);
    const { session } = this.#client;
    if (!session || session.isEmpty) return;
    const { window } = session.current;
    const fit = fitClient(this.#client, session, window);
    const borders = this.#borders.get(this.#borderInput(window));
    this.#drawOutside(frame, { session, window, fit });
    this.#drawBorders(frame, { session, window, fit, borders });
    const panes = this.#drawPanes(frame, { session, window, fit }, { ...state, before });
    this.#titles.draw(frame, { session, window, fit, borders });
    this.#status.draw(frame, session, fit);
    Object.assign(frame, this.#look({ session, window, fit }));
    this.#client.overlay?.draw?.(frame);
    const isPlain = !this.#client.overlay && !this.#client.message && panes.every(({ pane }) => pane.showsScreen);
    this.drawn = { session, window, fit, panes, isPlain };
  }

  drawOutput(frame: Frame, rows: NextRows, isHeld: (pane: Pane) => boolean): boolean {
    const drawn = this.drawn;
    if (!drawn || drawn.session.isEmpty) return false;
    const { session, window } = drawn;
    const fit = fitClient(this.#client, session, window);
    if (!isStillDrawn(drawn, this.#client, fit)) return false;
    this.drawn = drawOutput(drawn, rows, { painter: this.#painter, isHeld, cols: frame.size.cols });
    Object.assign(frame, this.#look({ session, window, fit }));
    return true;
  }

  isBehind(isHeld: (pane: Pane) => boolean): boolean {
    return this.drawn !== undefined && !isUpToDate(this.drawn, isHeld);
  }

  wouldDraw(frame: Frame, next: DrawnWindow, isHeld: (pane: Pane) => boolean): boolean {
    const { drawn } = this;
    if (!drawn || drawn.session.isEmpty) return false;
    const { session, window } = drawn;
    const fit = fitClient(this.#client, session, window);
    if (!isStillDrawn(drawn, this.#client, fit) || !isUpToDate(next, isHeld)) return false;
    const { cursor, modes, title } = this.#look({ session, window, fit });
    return sameCursor(cursor, frame.cursor) && sameModes(modes, frame.modes) && title === frame.title;
  }

  /** What a frame has beside its cells. */
  #look({ session, window, fit }: { session: Session; window: Window; fit: WindowFit }): Omit<Frame, 'size' | 'rows'> {
    const { serverOptions } = this.#context.registry;
    return {
      cursor: this.#client.message ? HIDDEN_CURSOR : screenCursor(window.active, fit),
      modes: {
        mouse: this.#client.overlay?.mouseTracking ?? mouseTracking(session, window),
        focus: serverOptions.flag('focus-events') || session.options.choice('pane-notify') !== 'off',
        ...wantedKeys(keyTarget(this.#client, window), serverOptions),
      },
      title: this.#titleOf(session),
    };
  }

  /** What the mouse means at a cell of the terminal; undefined outside of a window smaller than the terminal. */
  placeAt(point: Point): MousePlace | undefined {
    const { session } = this.#client;
    if (!session || session.isEmpty) return undefined;
    const { window } = session.current;
    const fit = fitClient(this.#client, session, window);
    const at = windowPoint(fit, point);
    if (!at) return this.#statusPlace(session, point, point.y - fit.status.y);
    const pane = window.paneAt(at.x, at.y);
    if (pane) {
      return { area: 'Pane', pane, winlink: undefined, x: at.x - pane.rect.x, y: at.y - pane.rect.y };
    }
    const beside = paneBeside(window, at);
    return beside && { area: 'Border', pane: beside, winlink: undefined, x: point.x, y: point.y };
  }

  #statusPlace(session: Session, point: Point, line: number): MousePlace {
    const range = this.#status.rangeAt(line, point.x);
    const place = { pane: undefined, winlink: undefined, x: point.x, y: line };
    switch (range.kind) {
      case 'left':
        return { ...place, area: 'StatusLeft' };
      case 'right':
        return { ...place, area: 'StatusRight' };
      case 'window':
        return { ...place, area: 'Status', winlink: session.at(range.index) };
      case 'none':
        return { ...place, area: 'StatusDefault' };
    }
  }

  #borderInput(window: Window) {
    const base = window.options.number('pane-base-index');
    const marked = this.#context.registry.markedPane;
    return {
      size: window.size,
      panes: window.visiblePanes.map((pane) => ({ id: pane.id, index: base + pane.place, rect: pane.rect })),
      active: window.active.id,
      marked: marked?.window === window ? marked.id : undefined,
      lines: borderLines(window),
      status: window.borderStatus,
      // The option's table row has exactly these names.
      indicators: window.options.choice('pane-border-indicators') as BorderIndicators,
    };
  }

  /** Fills what is beyond the edge of a window smaller than the client. */
  #drawOutside(frame: Frame, { session, window, fit }: { session: Session; window: Window; fit: WindowFit }): void {
    const { view, offset } = fit;
    const right = window.size.cols + 1 - offset.x;
    const bottom = window.size.rows + 1 - offset.y;
    if (right >= view.width && bottom >= view.height) return;
    const about = { client: this.#client, session, winlink: session.current, window };
    const { cell } = this.#styles.read(window.options.string('pane-border-style'), about);
    const glyph = outsideGlyph(borderLines(window));
    for (let y = 0; y < view.height; y++) {
      const row = frame.rows[view.y + y];
      for (let x = y >= bottom ? 0 : right; row && x < view.width; x++) setCell(row, view.x + x, glyph, 1, cell);
    }
  }

  #drawBorders(
    frame: Frame,
    { session, window, fit, borders }: { session: Session; window: Window; fit: WindowFit; borders: PaneBorders },
  ): void {
    const styles = new Map<number | undefined, CellStyle>();
    const styleOf = (id: number | undefined): CellStyle => {
      const known = styles.get(id);
      if (known) return known;
      const pane = id === undefined ? window.active : window.paneById(id);
      const name = this.#borderStyleName(window, id);
      const about = { client: this.#client, session, winlink: session.current, window, pane };
      const { cell } = this.#styles.read(window.options.string(name), about);
      styles.set(id, cell);
      return cell;
    };
    const { view, offset } = fit;
    for (const { x, y, text, pane, isMarked } of borders.cells) {
      const at = { x: x - offset.x, y: y - offset.y };
      if (at.x < 0 || at.y < 0 || at.x >= view.width || at.y >= view.height) continue;
      const row = frame.rows[view.y + at.y];
      const style = styleOf(pane);
      if (row) setCell(row, view.x + at.x, text, 1, isMarked ? { ...style, fg: style.fg ^ FG_INVERSE } : style);
    }
  }

  /** A pane whose program asks something is marked, also if it is the active one. */
  #borderStyleName(window: Window, id: number | undefined): string {
    const asks = id !== undefined && this.#context.registry.questions.some(({ pane }) => pane?.id === id);
    if (asks) return 'pane-question-border-style';
    return id === window.active.id ? 'pane-active-border-style' : 'pane-border-style';
  }

  #drawPanes(
    frame: Frame,
    { session, window, fit }: { session: Session; window: Window; fit: WindowFit },
    { shown, isHeld, before }: DrawState & { readonly before: DrawnWindow | undefined },
  ): DrawnPane[] {
    return window.visiblePanes.map((pane) => {
      const clip = clipToView(pane.rect, fit);
      const colors = this.#paneColors(session, window, pane);
      const drawn = { pane, rect: pane.rect, clip, colors, stamp: pane.emulator.stamps.stamp };
      if (!clip) return drawn;
      const last = before?.panes.find((entry) => entry.pane === pane);
      const isInPlace = sameSize(shown.size, frame.size) && sameRect(last?.clip?.screen, clip.screen);
      if (last && isInPlace && isHeld(pane)) {
        copyRect(shown, frame, clip.screen);
        // What lay over the pane and its old colours are copied too, and go when its rows are drawn next.
        const isSame = before?.isPlain === true && sameColors(last.colors, colors);
        return { ...drawn, stamp: isSame ? last.stamp : NEVER_DRAWN };
      }
      this.#painter.paint(frame, pane, { clip, width: pane.rect.width, colors });
      return drawn;
    });
  }

  /** The default colours of a pane: window-active-style's for the active one where it has any, else window-style's. */
  #paneColors(session: Session, window: Window, pane: Pane): CellStyle {
    const about = { client: this.#client, session, winlink: session.current, window, pane };
    const { cell } = this.#styles.read(pane.options.string('window-style'), about);
    if (pane !== window.active) return cell;
    const active = this.#styles.read(pane.options.string('window-active-style'), about);
    return {
      fg: active.style.fg === 0 ? cell.fg : active.cell.fg,
      bg: active.style.bg === 0 ? cell.bg : active.cell.bg,
    };
  }

  #titleOf(session: Session): string | undefined {
    const { options } = session;
    if (!options.flag('set-titles')) return undefined;
    if (this.#title === undefined) {
      const { current } = session;
      const about = { client: this.#client, session, winlink: current, window: current.window };
      const text = this.#context.expand(options.string('set-titles-string'), { ...about, pane: current.window.active });
      this.#title = cleanText(text, { max: TITLE_MAX });
    }
    return this.#title;
  }
}

function clearFrame(frame: Frame, blank: Row): void {
  for (const row of frame.rows) {
    row.clusters = undefined;
    row.extended = undefined;
    row.words.set(blank.words);
  }
  frame.cursor = HIDDEN_CURSOR;
  frame.modes = NO_MODES;
  frame.title = undefined;
}

function borderLines(window: Window): BorderLines {
  // The option's table row has exactly these names.
  return window.options.choice('pane-border-lines') as BorderLines;
}

/** The active pane's cursor on the screen; hidden where it is not seen. */
function screenCursor(pane: Pane, { view, offset }: WindowFit): Cursor {
  const cursor = pane.cursor();
  // After the last column of a line is written the cursor counts as beyond it (pending wrap).
  const x = pane.rect.x + Math.min(cursor.x, pane.rect.width - 1) - offset.x;
  const y = pane.rect.y + Math.min(cursor.y, pane.rect.height - 1) - offset.y;
  if (!cursor.visible || x < 0 || y < 0 || x >= view.width || y >= view.height) {
    return { ...cursor, x: 0, y: 0, visible: false };
  }
  return { ...cursor, x: view.x + x, y: view.y + y };
}

/** With option mouse on, drags are told, and every motion if a program that is seen asks for it; else as the active pane's program asks. */
function mouseTracking(session: Session, window: Window): MouseTracking {
  const trackingOf = (pane: Pane) => (pane.mode ? 'off' : pane.emulator.modes.mouseTracking);
  if (session.options.flag('mouse')) {
    return window.visiblePanes.some((pane) => trackingOf(pane) === 'motion') ? 'motion' : 'drag';
  }
  const tracking = trackingOf(window.active);
  return tracking === 'x10' ? 'click' : tracking;
}

/** The pane whose program gets what is typed; undefined while an overlay or a mode takes it. */
function keyTarget({ overlay }: ClientSession, { active }: Window): Pane | undefined {
  if (overlay && overlay.givesWay !== true) return overlay.pane;
  return active.mode ? undefined : active;
}

/** The pane whose border is at a cell: the one left of it or above it, or the one that has its title there. */
function paneBeside(window: Window, at: Point): Pane | undefined {
  const withBorder = ({ rect }: Pane) => contains({ ...rect, width: rect.width + 1, height: rect.height + 1 }, at);
  const withTitle = ({ rect }: Pane) => contains({ ...rect, y: rect.y - 1, height: rect.height + 1 }, at);
  return window.visiblePanes.find(withBorder) ?? window.visiblePanes.find(withTitle);
}

function sameRect(a: Rect | undefined, b: Rect): boolean {
  return a !== undefined && a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;
}
