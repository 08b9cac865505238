/**
 * A menu (tmux(1) display-menu): items with a key each, chosen by that key, by arrows and Enter, or by the mouse. A menu
 * that is taller than the screen scrolls with its highlight.
 */
import type { CellStyle } from '../../protocol/cell.ts';
import { BG_DIM, COLOR_MASK, DEFAULT_STYLE } from '../../protocol/cell.ts';
import { HIDDEN_CURSOR } from '../../protocol/frame.ts';
import type { Rect, Size } from '../../protocol/geometry.ts';
import { contains } from '../../protocol/geometry.ts';
import type { InputEvent, Key } from '../../protocol/key.ts';
import { Canvas } from './canvas.ts';
import type { OverlayOutcome, OverlayUpdate, OverlayView } from './overlay.ts';
import type { StyledText } from './styled-text.ts';
import { putStyled } from './styled-text.ts';

export type MenuItem =
  | { readonly kind: 'separator' }
  /** `text` is the whole line, the key in brackets at its end; `key` '' for none. */
  | { readonly kind: 'item'; readonly text: StyledText; readonly key: Key; readonly isEnabled: boolean };

/**
 * What a released button does: `choose` takes the item under it or closes the menu (it was opened by a button that is
 * still held); `stay` needs a click.
 */
export type MenuRelease = 'choose' | 'stay';

export interface MenuModel {
  readonly kind: 'menu';
  /** Place of the box's corner; moved as far as the screen needs. */
  readonly x: number;
  readonly y: number;
  /** Columns of the items' text. */
  readonly width: number;
  readonly title: StyledText;
  readonly items: readonly MenuItem[];
  /** Index of the highlighted item; -1 for none. */
  readonly highlight: number;
  /** First item in view, as far as the highlight allows. */
  readonly top: number;
  /** Option mode-style. */
  readonly highlightStyle: CellStyle;
  readonly release: MenuRelease;
  /** The pointer has moved since the menu was opened by a held button. */
  readonly hasMoved: boolean;
}

export interface MenuOptions {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly title: StyledText;
  readonly items: readonly MenuItem[];
  readonly highlightStyle: CellStyle;
  /** Opened by a button of the mouse: nothing is highlighted until the pointer is on an item. */
  readonly byMouse: boolean;
  readonly release: MenuRelease;
}

export function createMenu({ byMouse, ...options }: MenuOptions): MenuModel {
  const model: MenuModel = { kind: 'menu', ...options, highlight: -1, top: 0, hasMoved: false };
  return byMouse ? model : { ...model, highlight: stepFrom(model, -1, 1) };
}

/** Rows and columns that the border and the blanks beside the text take. */
export const MENU_BORDER: Size = { cols: 4, rows: 2 };

interface MenuLayout {
  readonly rect: Rect;
  /** Items in view. */
  readonly height: number;
  readonly top: number;
}

function layoutMenu(model: MenuModel, size: Size): MenuLayout {
  const width = Math.min(size.cols, model.width + MENU_BORDER.cols);
  const rows = Math.min(size.rows, model.items.length + MENU_BORDER.rows);
  const height = Math.max(0, rows - MENU_BORDER.rows);
  return {
    rect: {
      x: Math.max(0, Math.min(model.x, size.cols - width)),
      y: Math.max(0, Math.min(model.y, size.rows - rows)),
      width,
      height: rows,
    },
    height,
    top: scrolledTop(model, height),
  };
}

function scrolledTop({ top, highlight, items }: MenuModel, height: number): number {
  const least = highlight < 0 ? 0 : Math.max(0, highlight - height + 1);
  const most = highlight < 0 ? items.length : highlight;
  return Math.max(0, Math.min(Math.max(least, Math.min(top, most)), items.length - height));
}

function canChoose(item: MenuItem | undefined): boolean {
  return item?.kind === 'item' && item.isEnabled;
}

/** The next item that can be chosen, round the ends; the same if there is no other. */
function stepFrom({ items }: MenuModel, from: number, step: 1 | -1): number {
  let at = from;
  for (let i = 0; i < items.length; i++) {
    at = at < 0 && step < 0 ? items.length - 1 : (at + step + items.length) % items.length;
    if (canChoose(items[at])) return at;
  }
  return from;
}

/** The item nearest to an index that can be chosen, looked for in a direction first. */
function nearest(model: MenuModel, index: number, step: 1 | -1): number {
  const last = model.items.length - 1;
  const start = Math.max(0, Math.min(index, last));
  for (let at = start; at >= 0 && at <= last; at += step) if (canChoose(model.items[at])) return at;
  for (let at = start; at >= 0 && at <= last; at -= step) if (canChoose(model.items[at])) return at;
  return model.highlight;
}

const OPEN: OverlayOutcome = { kind: 'open' };
const CLOSED: OverlayOutcome = { kind: 'dismiss', by: 'escape' };

/** What an event does to a menu on a screen of `size`. The value of `accept` is the item's index. */
export function updateMenu(model: MenuModel, event: InputEvent, size: Size): OverlayUpdate<MenuModel> {
  switch (event.kind) {
    case 'key':
      return updateByKey(model, event.key, layoutMenu(model, size));
    case 'mouse':
      return updateByMouse(model, event, layoutMenu(model, size));
    case 'paste':
    case 'focus':
      return { model, outcome: OPEN };
  }
}

function updateByKey(model: MenuModel, key: Key, { height }: MenuLayout): OverlayUpdate<MenuModel> {
  const shortcut = model.items.findIndex((item) => item.kind === 'item' && item.isEnabled && item.key === key);
  if (shortcut >= 0) return { model, outcome: { kind: 'accept', value: shortcut } };
  switch (key) {
    case 'Enter':
    case 'KPEnter':
      return choose(model, model.highlight);
    case 'Escape':
    case 'q':
    case 'C-g':
      return { model, outcome: CLOSED };
    case 'C-c':
      return { model, outcome: { kind: 'dismiss', by: 'interrupt' } };
    case 'Up':
    case 'k':
    case 'BTab':
      return highlighted(model, stepFrom(model, model.highlight, -1));
    case 'Down':
    case 'j':
    case 'Tab':
      return highlighted(model, stepFrom(model, model.highlight, 1));
    case 'PPage':
    case 'C-b':
      return highlighted(model, nearest(model, model.highlight - Math.max(1, height - 1), -1));
    case 'NPage':
    case 'C-f':
      return highlighted(model, nearest(model, model.highlight + Math.max(1, height - 1), 1));
    case 'Home':
    case 'g':
      return highlighted(model, nearest(model, 0, 1));
    case 'End':
    case 'G':
      return highlighted(model, nearest(model, model.items.length - 1, -1));
    default:
      return { model, outcome: OPEN };
  }
}

function highlighted(model: MenuModel, highlight: number): OverlayUpdate<MenuModel> {
  return { model: { ...model, highlight }, outcome: OPEN };
}

/** Chooses an item; Enter on none closes the menu. */
function choose(model: MenuModel, index: number): OverlayUpdate<MenuModel> {
  return { model, outcome: canChoose(model.items[index]) ? { kind: 'accept', value: index } : CLOSED };
}

type MouseEvent = Extract<InputEvent, { kind: 'mouse' }>;

function updateByMouse(before: MenuModel, event: MouseEvent, layout: MenuLayout): OverlayUpdate<MenuModel> {
  const model = event.action === 'motion' ? { ...before, hasMoved: true } : before;
  if (event.button.startsWith('wheel')) {
    if (event.button === 'wheel-up') return scrolled(model, layout, -1);
    return event.button === 'wheel-down' ? scrolled(model, layout, 1) : { model, outcome: OPEN };
  }
  const { rect, top, height } = layout;
  const line = event.y - rect.y - 1;
  const isOnItems = contains(rect, event) && line >= 0 && line < height;
  const index = isOnItems && event.x > rect.x && event.x < rect.x + rect.width - 1 ? top + line : -1;
  const under = canChoose(model.items[index]) ? index : -1;
  const followed = { ...model, highlight: under, top };
  switch (event.action) {
    case 'motion':
      return { model: followed, outcome: OPEN };
    case 'press':
      if (!contains(rect, event)) return { model, outcome: CLOSED };
      // From here on it is an ordinary click: the item under the button's release is taken.
      return { model: { ...followed, release: 'choose', hasMoved: true }, outcome: OPEN };
    case 'release':
      if (under >= 0 && (model.release === 'choose' || model.hasMoved) && model.highlight === under)
        return { model, outcome: { kind: 'accept', value: under } };
      // A click that opened the menu and did not move leaves it open.
      if (model.release === 'stay' || !model.hasMoved) return { model: { ...model, release: 'stay' }, outcome: OPEN };
      return contains(rect, event)
        ? { model: { ...model, release: 'stay' }, outcome: OPEN }
        : { model, outcome: CLOSED };
  }
}

/** Moves the items by the wheel; the highlight stays with the pointer's next motion. */
function scrolled(model: MenuModel, { top, height }: MenuLayout, by: number): OverlayUpdate<MenuModel> {
  const most = Math.max(0, model.items.length - height);
  return { model: { ...model, top: Math.max(0, Math.min(top + by, most)), highlight: -1 }, outcome: OPEN };
}

/** Draws the menu, the cursor on the highlighted item. */
export function viewMenu(model: MenuModel, size: Size): OverlayView {
  const { rect, height, top } = layoutMenu(model, size);
  const canvas = new Canvas({ cols: rect.width, rows: rect.height });
  drawFrame(canvas, model);
  let cursor = HIDDEN_CURSOR;
  for (let i = 0; i < height; i++) {
    const item = model.items[top + i];
    const y = 1 + i;
    if (!item) break;
    if (item.kind === 'separator') {
      canvas.put({ x: 0, y }, `├${'─'.repeat(Math.max(0, rect.width - 2))}┤`);
      continue;
    }
    const isHighlighted = top + i === model.highlight;
    drawItem(canvas, { y, item, style: isHighlighted ? model.highlightStyle : DEFAULT_STYLE });
    if (isHighlighted)
      cursor = { ...HIDDEN_CURSOR, x: rect.x + Math.min(2, rect.width - 1), y: rect.y + y, visible: true };
  }
  if (top > 0) canvas.put({ x: rect.width - 1, y: 1 }, '▲');
  if (top + height < model.items.length) canvas.put({ x: rect.width - 1, y: rect.height - 2 }, '▼');
  return { rect, canvas, cursor };
}

function drawFrame(canvas: Canvas, model: MenuModel): void {
  const { cols, rows } = canvas.size;
  const line = '─'.repeat(Math.max(0, cols - 2));
  for (let y = 0; y < rows; y++) canvas.put({ x: 0, y }, `│${' '.repeat(Math.max(0, cols - 2))}│`);
  canvas.put({ x: 0, y: 0 }, `┌${line}┐`);
  canvas.put({ x: 0, y: rows - 1 }, `└${line}┘`);
  putStyled(canvas, { x: 2, y: 0, width: Math.max(0, cols - MENU_BORDER.cols) }, model.title);
}

function drawItem(
  canvas: Canvas,
  { y, item, style }: { y: number; item: Extract<MenuItem, { kind: 'item' }>; style: CellStyle },
): void {
  const width = Math.max(0, canvas.size.cols - MENU_BORDER.cols);
  canvas.fill({ x: 2, y, width }, style);
  putStyled(canvas, { x: 2, y, width }, item.text, (own) => {
    const shown = onto(own, style);
    return item.isEnabled ? shown : { ...shown, bg: shown.bg | BG_DIM };
  });
}

/** A look on top of another: colours of its own win, attributes add up. */
function onto(own: CellStyle, base: CellStyle): CellStyle {
  const color = (top: number, below: number) => ((top & COLOR_MASK) === 0 ? top | (below & COLOR_MASK) : top);
  return {
    fg: color(own.fg, base.fg) | (base.fg & ~COLOR_MASK),
    bg: color(own.bg, base.bg) | (base.bg & ~COLOR_MASK),
    extension: own.extension ?? base.extension,
  };
}
