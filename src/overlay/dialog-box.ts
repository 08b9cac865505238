/**
 * The box that choice and message share: a centred frame with the title in its upper border and the asker in its lower
 * one, three regions inside (body, label, options) and a line of hints. Small screens lose, in this order: margins, blank
 * lines, hints (where they would cost a line of what is asked), border. Body and options scroll on their own, so that neither can push the other off the screen.
 */
import type { CellStyle } from '../../protocol/cell.ts';
import { BG_DIM, COLOR_PALETTE16, DEFAULT_STYLE, FG_BOLD } from '../../protocol/cell.ts';
import type { Asker } from '../../protocol/dialog.ts';
import type { Rect, Size } from '../../protocol/geometry.ts';
import { Canvas } from './canvas.ts';
import { textWidth, truncateToWidth } from './text-width.ts';
import { visibleText } from './visible-text.ts';
import { wrapText } from './word-wrap.ts';

/** unarmed: keys still go to the pane · armed: the dialog takes keys · dimmed: answered, stays until the next ask. */
export type DialogPhase = 'unarmed' | 'armed' | 'dimmed';

/** How the box presents itself, apart from its content. */
export interface DialogLook {
  readonly phase: DialogPhase;
  readonly asker: Asker | undefined;
  /** The keys that arm at once, for the hint: `C-b Enter`; '' for none. */
  readonly armKeys: string;
  /** The keys that put the dialog aside for later, for the hint: `C-b h`; '' for none. */
  readonly hideKeys: string;
}

export const PLAIN_LOOK: DialogLook = { phase: 'armed', asker: undefined, armKeys: '', hideKeys: '' };

const WIDTH_MAX = 76;
/** Columns of text that a box has room for at least: the hints in full words. */
const TEXT_MIN = 58;
/** Screens that are wider leave a margin beside a box. */
const MARGIN_FROM = 76;
const PROGRAM_COLUMNS = 24;
/** Rows inside the border from which on hints have one of them, whatever is asked. */
const FOOTER_ROOM = 5;
const BORDER_AND_PADDING = 4;
/** Columns of the border that the title leaves: corners and what surrounds it. */
const HEADING_MARGIN = 6;

export interface BoxContent {
  readonly title: string;
  readonly body: string;
  readonly label: string;
  /** Columns that the options would like. */
  readonly optionsWidth: number;
  /** The options' lines when wrapped to some columns. */
  readonly wrapOptions: (columns: number) => number;
}

/** Rows of one region inside the box: `top` and `height` in box rows. */
export interface Region {
  readonly top: number;
  readonly height: number;
}

export interface BoxLayout {
  readonly rect: Rect;
  readonly hasBorder: boolean;
  readonly hasFooter: boolean;
  /** First column and number of columns of the content, in box cells. */
  readonly left: number;
  readonly columns: number;
  readonly bodyLines: readonly string[];
  readonly labelLines: readonly string[];
  readonly body: Region;
  readonly label: Region;
  readonly options: Region;
}

/** Places the box and its regions on a screen, in the middle and as wide as it needs, or over the whole width. */
export function layoutBox(content: BoxContent, size: Size, span: 'centred' | 'full-width' = 'centred'): BoxLayout {
  const hasBorder = size.cols >= 6 && size.rows >= 4;
  const width = hasBorder && span === 'centred' ? boxWidth(content, size) : size.cols;
  const left = hasBorder ? 2 : 0;
  const columns = Math.max(1, width - 2 * left);
  const edges = hasBorder ? 2 : 0;
  const room = Math.max(1, size.rows - edges);
  const text = {
    body: bodyText(content, { columns, headingColumns: width - HEADING_MARGIN }),
    label: wrapText(content.label, columns),
  };
  const options = content.wrapOptions(columns);
  const lines = text.body.length + text.label.length + options;
  const hasFooter = room >= FOOTER_ROOM || (room >= 3 && lines < room);
  const space: Room = {
    room: room - (hasFooter ? 1 : 0),
    roomy: size.rows - edges - (hasFooter ? 2 : 0),
    top: hasBorder ? 1 : 0,
  };
  const { bodyLines, labelLines, regions } = placeText(text, options, space);
  const height = Math.min(size.rows, regions.bottom + (hasFooter ? 1 + regions.gap : 0) + (hasBorder ? 1 : 0));
  return {
    rect: {
      x: Math.max(0, Math.floor((size.cols - width) / 2)),
      y: Math.max(0, Math.floor((size.rows - height) / 2)),
      width,
      height,
    },
    hasBorder,
    hasFooter,
    left,
    columns,
    bodyLines,
    labelLines,
    body: regions.body,
    label: regions.label,
    options: regions.options,
  };
}

/** The body's lines; a title that the border cuts, or that has no border, is said again before them. */
function bodyText(
  { title, body }: BoxContent,
  { columns, headingColumns }: { readonly columns: number; readonly headingColumns: number },
): readonly string[] {
  const lines = wrapText(body, columns);
  const heading = visibleText(title);
  if (textWidth(heading) <= headingColumns) return lines;
  const headingLines = wrapText(heading, columns);
  return lines.length === 0 ? headingLines : [...headingLines, '', ...lines];
}

function boxWidth(content: BoxContent, size: Size): number {
  const longest = [content.body, content.label]
    .flatMap((text) => wrapText(text, WIDTH_MAX - BORDER_AND_PADDING))
    .reduce((most, line) => Math.max(most, textWidth(line)), 0);
  const natural = Math.max(longest, content.optionsWidth, textWidth(visibleText(content.title)) + 2);
  const margin = size.cols > MARGIN_FROM ? 4 : 0;
  const most = Math.min(WIDTH_MAX, size.cols - margin);
  return Math.min(most, Math.max(TEXT_MIN, natural) + BORDER_AND_PADDING);
}

interface PlacedText {
  readonly bodyLines: readonly string[];
  readonly labelLines: readonly string[];
  readonly regions: Division;
}

/** A label that would be cut goes before the body, into the part that scrolls. */
function placeText(
  { body, label }: { readonly body: readonly string[]; readonly label: readonly string[] },
  options: number,
  space: Room,
): PlacedText {
  const regions = divide({ body: body.length, label: label.length, options }, space);
  if (regions.label.height === label.length) return { bodyLines: body, labelLines: label, regions };
  const lines = [...label, ...body];
  return { bodyLines: lines, labelLines: [], regions: divide({ body: lines.length, label: 0, options }, space) };
}

interface Lines {
  readonly body: number;
  readonly label: number;
  readonly options: number;
}

interface Room {
  /** Rows for the regions without and with the blank line above the hints. */
  readonly room: number;
  readonly roomy: number;
  readonly top: number;
}

interface Division {
  readonly body: Region;
  readonly label: Region;
  readonly options: Region;
  /** The row below the last region. */
  readonly bottom: number;
  /** 1 if regions are set apart by blank lines. */
  readonly gap: 0 | 1;
}

function divide(lines: Lines, { room, roomy, top }: Room): Division {
  const gapCount = lines.body > 0 && lines.label + lines.options > 0 ? 1 : 0;
  const total = lines.body + lines.label + lines.options;
  if (total + gapCount <= roomy) return stack(lines, { top, gap: 1 });
  if (total <= room) return stack(lines, { top, gap: 0 });
  const label = Math.min(lines.label, room < 3 ? 0 : Math.max(1, Math.floor(room / 4)));
  const rest = room - label;
  const options = Math.min(lines.options, Math.max(Math.ceil(rest / 2), rest - lines.body));
  return stack({ body: Math.min(lines.body, rest - options), label, options }, { top, gap: 0 });
}

function stack(heights: Lines, { top, gap }: { readonly top: number; readonly gap: 0 | 1 }): Division {
  const label = top + heights.body + (heights.body > 0 && heights.label + heights.options > 0 ? gap : 0);
  const options = label + heights.label;
  return {
    body: { top, height: heights.body },
    label: { top: label, height: heights.label },
    options: { top: options, height: heights.options },
    bottom: options + heights.options,
    gap,
  };
}

/** Clamps a scroll offset so that the last line is not above the bottom of its region. */
export function clampTop(top: number, lines: number, height: number): number {
  return Math.max(0, Math.min(top, lines - height));
}

interface Border {
  readonly corners: readonly [string, string, string, string];
  readonly horizontal: string;
  readonly vertical: string;
  readonly style: CellStyle;
}

/** The phases differ in shape as well as in colour. */
const BORDERS: Readonly<Record<DialogPhase, Border>> = {
  unarmed: {
    corners: ['┌', '┐', '└', '┘'],
    horizontal: '╌',
    vertical: '╎',
    style: { fg: COLOR_PALETTE16 | 3, bg: 0 },
  },
  armed: {
    corners: ['┏', '┓', '┗', '┛'],
    horizontal: '━',
    vertical: '┃',
    style: { fg: COLOR_PALETTE16 | 6 | FG_BOLD, bg: 0 },
  },
  dimmed: {
    corners: ['┌', '┐', '└', '┘'],
    horizontal: '─',
    vertical: '│',
    style: DEFAULT_STYLE,
  },
};

const LABEL_STYLE: CellStyle = { fg: FG_BOLD, bg: 0 };
const HINT_STYLE: CellStyle = { fg: 0, bg: BG_DIM };

/** What a view adds to the box: its hints (longest first), and where the body is scrolled to. */
export interface BoxDetails {
  readonly title: string;
  readonly look: DialogLook;
  readonly hints: readonly string[];
  readonly bodyTop: number;
  /** Where the highlight is among more options than are in view, `10/12`; '' if all are. */
  readonly place?: string;
}

/** Draws all but the options. */
export function drawBox(layout: BoxLayout, details: BoxDetails): Canvas {
  const canvas = new Canvas({ cols: layout.rect.width, rows: layout.rect.height });
  const bodyTop = clampTop(details.bodyTop, layout.bodyLines.length, layout.body.height);
  if (layout.hasBorder) drawBorder(canvas, details);
  putLines(canvas, layout, { region: layout.body, lines: layout.bodyLines.slice(bodyTop), style: DEFAULT_STYLE });
  putLines(canvas, layout, { region: layout.label, lines: layout.labelLines, style: LABEL_STYLE });
  drawScrollMarks(canvas, layout, { region: layout.body, top: bodyTop, lines: layout.bodyLines.length });
  if (layout.hasFooter) drawFooter(canvas, layout, details);
  return canvas;
}

interface RegionLines {
  readonly region: Region;
  readonly lines: readonly string[];
  readonly style: CellStyle;
}

function putLines(canvas: Canvas, layout: BoxLayout, { region, lines, style }: RegionLines): void {
  for (let i = 0; i < region.height; i++) {
    canvas.put({ x: layout.left, y: region.top + i, width: layout.columns }, lines[i] ?? '', style);
  }
}

function drawBorder(canvas: Canvas, { title, look, place = '' }: BoxDetails): void {
  const { cols, rows } = canvas.size;
  const { corners, horizontal, vertical, style } = BORDERS[look.phase];
  canvas.put({ x: 0, y: 0 }, corners[0] + horizontal.repeat(cols - 2) + corners[1], style);
  canvas.put({ x: 0, y: rows - 1 }, corners[2] + horizontal.repeat(cols - 2) + corners[3], style);
  for (let y = 1; y < rows - 1; y++) {
    canvas.put({ x: 0, y }, vertical, style);
    canvas.put({ x: cols - 1, y }, vertical, style);
  }
  const heading = fitText(visibleText(title), cols - HEADING_MARGIN);
  if (heading !== '') canvas.put({ x: 2, y: 0 }, ` ${heading} `, { ...style, fg: style.fg | FG_BOLD });
  const placeColumns = place === '' ? 0 : textWidth(place) + 2;
  if (place !== '' && cols >= placeColumns + HEADING_MARGIN) {
    canvas.put({ x: cols - placeColumns - 2, y: rows - 1 }, ` ${place} `, style);
  }
  const asker = askerText(look.asker, cols - HEADING_MARGIN - placeColumns);
  if (asker !== '') canvas.put({ x: 2, y: rows - 1 }, ` ${asker} `, style);
}

function drawFooter(canvas: Canvas, layout: BoxLayout, { look, hints }: BoxDetails): void {
  const y = canvas.size.rows - (layout.hasBorder ? 2 : 1);
  const armedHints = look.hideKeys === '' ? hints : [`${hints[0] ?? ''} · ${look.hideKeys}: later`, ...hints];
  const variants = look.phase === 'armed' ? armedHints : PHASE_HINTS[look.phase](look.armKeys);
  const hint = firstFitting(variants, layout.columns);
  canvas.put({ x: layout.left, y, width: layout.columns }, hint, look.phase === 'armed' ? HINT_STYLE : LABEL_STYLE);
}

const PHASE_HINTS: Readonly<Record<Exclude<DialogPhase, 'armed'>, (armKeys: string) => readonly string[]>> = {
  // Without a key that arms there is no pane either: what is typed goes nowhere.
  unarmed: (armKeys) =>
    armKeys === ''
      ? ['not ready yet']
      : [`keys still go to the pane · ${armKeys} to answer now`, `${armKeys} to answer now`, 'not ready yet'],
  dimmed: () => ['answered'],
};

/** The first text that fits, else the last one cut. */
function firstFitting(texts: readonly string[], columns: number): string {
  return texts.find((text) => textWidth(text) <= columns) ?? truncateToWidth(texts.at(-1) ?? '', columns);
}

/** The text in `columns` columns, a cut one ended by `…`. */
export function fitText(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  return columns < 1 ? '' : `${truncateToWidth(text, columns - 1)}…`;
}

/** Who asks, in as many words as fit: `asked by bash in %3`. */
export function askerText(asker: Asker | undefined, columns: number): string {
  if (!asker) return '';
  const program = fitText(visibleText(asker.program), PROGRAM_COLUMNS);
  const pane = visibleText(asker.pane ?? '');
  const who = [program, pane].filter((part) => part !== '');
  if (who.length === 0) return firstFitting(['asked from outside any pane', 'from outside', 'outside'], columns);
  const pid = asker.pid === undefined ? '' : ` (pid ${asker.pid})`;
  const named = who.join(' in ');
  return firstFitting([`asked by ${named}${pid}`, `asked by ${named}`, who.join(' '), who.at(-1) ?? ''], columns);
}

export interface Scroll {
  readonly region: Region;
  readonly top: number;
  readonly lines: number;
}

/** Marks on the right edge that there is more above or below. */
export function drawScrollMarks(canvas: Canvas, layout: BoxLayout, { region, top, lines }: Scroll): void {
  if (region.height === 0 || lines <= region.height) return;
  const x = canvas.size.cols - 1;
  const above = top > 0;
  const below = top + region.height < lines;
  const style = layout.hasBorder ? LABEL_STYLE : HINT_STYLE;
  const last = region.top + region.height - 1;
  if (region.height === 1) canvas.put({ x, y: last }, above && below ? '↕' : above ? '▲' : '▼', style);
  else {
    if (above) canvas.put({ x, y: region.top }, '▲', style);
    if (below) canvas.put({ x, y: last }, '▼', style);
  }
}

/** Dims a whole picture: it is no longer what counts. */
export function dim(canvas: Canvas): void {
  canvas.restyle((style) => ({ ...style, bg: style.bg | BG_DIM }));
}
