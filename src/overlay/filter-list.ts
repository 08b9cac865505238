/**
 * A list that is narrowed by typing (the command palette): a line to type in above the items that have all its words.
 * Up, Down, page keys and the wheel move the highlight, Enter or a click takes it, Escape and C-c close. Where it stands for
 * a text to read, as with `?` in other programs, `q` closes it and `/` begins to narrow it as long as nothing is typed.
 */
import { BG_DIM, COLOR_PALETTE16, DEFAULT_STYLE, FG_BOLD, FG_INVERSE } from '../../protocol/cell.ts';
import { HIDDEN_CURSOR } from '../../protocol/frame.ts';
import type { Rect, Size } from '../../protocol/geometry.ts';
import { contains } from '../../protocol/geometry.ts';
import type { InputEvent, Key } from '../../protocol/key.ts';
import { Canvas } from './canvas.ts';
import { fitText } from './dialog-box.ts';
import { createEditor, editKey, insertText, type LineEditor } from './line-editor.ts';
import type { OverlayOutcome, OverlayUpdate, OverlayView } from './overlay.ts';
import { drawInput } from './text-input.ts';
import { textWidth } from './text-width.ts';
import { visibleText } from './visible-text.ts';

export interface FilterItem {
  /** Place in the list that the caller has. */
  readonly id: number;
  readonly text: string;
  /** Told at the right: a key, a kind. */
  readonly detail: string;
  /** Searched, never shown. */
  readonly words: string;
}

export interface FilterListModel {
  readonly kind: 'filter-list';
  readonly title: string;
  readonly editor: LineEditor;
  /** `q` and `/` are those of a pager. */
  readonly isPager: boolean;
  readonly items: readonly FilterItem[];
  /** Places in `items` of those that have the words, the best first. */
  readonly matches: readonly number[];
  /** Index in `matches`. */
  readonly highlight: number;
  /** Items in all and those that have the words, also where only those in view are here. */
  readonly itemCount: number;
  readonly matchCount: number;
}

export function createFilterList(
  title: string,
  items: readonly FilterItem[],
  { isPager = false }: { readonly isPager?: boolean } = {},
): FilterListModel {
  return {
    kind: 'filter-list',
    title,
    editor: createEditor(),
    isPager,
    items,
    matches: items.map((_, at) => at),
    highlight: 0,
    itemCount: items.length,
    matchCount: items.length,
  };
}

const WIDTH_MAX = 76;
const OPEN: OverlayOutcome = { kind: 'open' };

interface Layout {
  readonly rect: Rect;
  /** Rows of items, and the first in view. */
  readonly height: number;
  readonly top: number;
}

/** The list with what had been typed into one of its kind, on the item that looks as the one that was highlighted there. */
export function resumeFilterList(
  model: FilterListModel,
  { text, cursor, highlighted }: FilterListState,
): FilterListModel {
  const editor = createEditor(text);
  const { model: narrowed } = typed(model, { ...editor, cursor: Math.min(cursor, editor.text.length) });
  const highlight = narrowed.matches.findIndex((at) => {
    const item = narrowed.items[at];
    return item?.text === highlighted?.text && item?.detail === highlighted?.detail;
  });
  return { ...narrowed, highlight: Math.max(0, highlight) };
}

/** What `resumeFilterList` goes by. */
export interface FilterListState {
  readonly text: string;
  /** Index into the text. */
  readonly cursor: number;
  /** Text and detail of the highlighted item; null where there is none. */
  readonly highlighted: { readonly text: string; readonly detail: string } | null;
}

function layoutList(model: FilterListModel, size: Size): Layout {
  const width = Math.min(size.cols, WIDTH_MAX);
  const rows = Math.min(size.rows, Math.max(4, Math.floor(size.rows * 0.7)), model.itemCount + 3);
  const height = Math.max(0, rows - 3);
  const rect = { x: Math.floor((size.cols - width) / 2), y: Math.floor((size.rows - rows) / 2), width, height: rows };
  const top = Math.max(0, Math.min(model.highlight - Math.floor(height / 2), model.matches.length - height));
  return { rect, height, top };
}

/** What an event does; the value of `accept` is the chosen item's id. */
export function updateFilterList(
  model: FilterListModel,
  event: InputEvent,
  size: Size,
): OverlayUpdate<FilterListModel> {
  switch (event.kind) {
    case 'key':
      return updateByKey(model, event.key, layoutList(model, size));
    case 'paste':
      return typed(model, insertText(model.editor, event.text.replace(/[\r\n]+/g, ' ')));
    case 'mouse':
      return updateByMouse(model, event, layoutList(model, size));
    case 'focus':
      return { model, outcome: OPEN };
  }
}

function updateByKey(model: FilterListModel, key: Key, { height }: Layout): OverlayUpdate<FilterListModel> {
  const last = model.matches.length - 1;
  if (model.isPager && model.editor.text === '') {
    if (key === 'q') return { model, outcome: { kind: 'dismiss', by: 'escape' } };
    if (key === '/') return { model, outcome: OPEN };
  }
  switch (key) {
    case 'Enter':
    case 'KPEnter':
      return take(model, model.highlight);
    case 'Escape':
    case 'C-g':
      return { model, outcome: { kind: 'dismiss', by: 'escape' } };
    case 'C-c':
      return { model, outcome: { kind: 'dismiss', by: 'interrupt' } };
    case 'Up':
    case 'C-p':
    case 'BTab':
      return moved(model, model.highlight <= 0 ? last : model.highlight - 1);
    case 'Down':
    case 'C-n':
    case 'Tab':
      return moved(model, model.highlight >= last ? 0 : model.highlight + 1);
    case 'PPage':
      return moved(model, Math.max(0, model.highlight - Math.max(1, height)));
    case 'NPage':
      return moved(model, Math.min(last, model.highlight + Math.max(1, height)));
    default: {
      const editor = editKey(model.editor, key);
      return editor ? typed(model, editor) : { model, outcome: OPEN };
    }
  }
}

function take(model: FilterListModel, at: number): OverlayUpdate<FilterListModel> {
  const item = model.items[model.matches[at] ?? -1];
  return { model, outcome: item ? { kind: 'accept', value: item.id } : OPEN };
}

function moved(model: FilterListModel, highlight: number): OverlayUpdate<FilterListModel> {
  return { model: { ...model, highlight: Math.max(0, highlight) }, outcome: OPEN };
}

function typed(model: FilterListModel, editor: LineEditor): OverlayUpdate<FilterListModel> {
  if (editor.text === model.editor.text) return { model: { ...model, editor }, outcome: OPEN };
  const matches = matching(model.items, editor.text);
  return { model: { ...model, editor, matches, matchCount: matches.length, highlight: 0 }, outcome: OPEN };
}

/** Items that have every word; those whose text begins with the first word come first, then those that have it there. */
export function matching(items: readonly FilterItem[], text: string): number[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const [first = ''] = words;
  const ranked: { readonly at: number; readonly rank: number }[] = [];
  for (const [at, item] of items.entries()) {
    const shown = item.text.toLowerCase();
    const all = `${shown} ${item.detail.toLowerCase()} ${item.words.toLowerCase()}`;
    if (!words.every((word) => all.includes(word))) continue;
    ranked.push({ at, rank: shown.startsWith(first) ? 0 : shown.includes(first) ? 1 : 2 });
  }
  return ranked.sort((a, b) => a.rank - b.rank || a.at - b.at).map(({ at }) => at);
}

type MouseEvent = Extract<InputEvent, { kind: 'mouse' }>;

function updateByMouse(
  model: FilterListModel,
  event: MouseEvent,
  { rect, height, top }: Layout,
): OverlayUpdate<FilterListModel> {
  if (event.action !== 'press') return { model, outcome: OPEN };
  if (event.button === 'wheel-up') return moved(model, model.highlight - 1);
  if (event.button === 'wheel-down') return moved(model, Math.min(model.matches.length - 1, model.highlight + 1));
  if (!contains(rect, event)) return { model, outcome: { kind: 'dismiss', by: 'escape' } };
  const line = event.y - rect.y - 2;
  return line >= 0 && line < height ? take(model, top + line) : { model, outcome: OPEN };
}

/** The model with no more items than are seen: what travels to a client. */
export function inView(model: FilterListModel, size: Size): FilterListModel {
  const { top, height } = layoutList(model, size);
  const seen = model.matches.slice(top, top + height).flatMap((at) => model.items[at] ?? []);
  return {
    ...model,
    items: seen.map((item) => ({ ...item, words: '' })),
    matches: seen.map((_, at) => at),
    highlight: model.highlight - top,
  };
}

export function viewFilterList(model: FilterListModel, size: Size): OverlayView {
  const { rect, height, top } = layoutList(model, size);
  const canvas = new Canvas({ cols: rect.width, rows: rect.height });
  drawFrame(canvas, model);
  const inner = Math.max(1, rect.width - 4);
  const input = drawInput(model.editor, inner - 2);
  canvas.put({ x: 2, y: 1, width: inner }, `> ${input.text}`, { fg: FG_BOLD, bg: 0 });
  for (let i = 0; i < height; i++) {
    const item = model.items[model.matches[top + i] ?? -1];
    if (!item) break;
    const isHighlighted = top + i === model.highlight;
    const style = isHighlighted ? { fg: FG_INVERSE, bg: 0 } : DEFAULT_STYLE;
    const y = 2 + i;
    canvas.fill({ x: 1, y, width: rect.width - 2 }, style);
    const text = visibleText(item.text);
    // Of a detail that is long itself, the text keeps half of the row.
    const most = Math.max(inner - textWidth(text) - 1, Math.floor(inner / 2) - 1);
    const detail = fitText(visibleText(item.detail), Math.max(0, most));
    const room = inner - (detail === '' ? 0 : textWidth(detail) + 1);
    canvas.put({ x: 2, y, width: inner }, fitText(text, Math.max(1, room)), style);
    const look = isHighlighted ? style : { fg: 0, bg: BG_DIM };
    if (room > 0) canvas.put({ x: 2 + inner - textWidth(detail), y }, detail, look);
  }
  // The terminal's cursor is on the focused row, where those who cannot see the colours look for it; the place in the input is
  // marked. Where there is no row it is in the input.
  const hasRows = model.matches.length > 0 && height > 0;
  if (hasRows) canvas.mark({ x: 4 + input.cursor, y: 1 }, { fg: FG_BOLD | FG_INVERSE, bg: 0 });
  const at = hasRows ? { x: 2, y: 2 + model.highlight - top } : { x: 4 + input.cursor, y: 1 };
  const cursor = {
    ...HIDDEN_CURSOR,
    x: Math.min(size.cols - 1, rect.x + at.x),
    y: rect.y + at.y,
    visible: true,
  };
  return { rect, canvas, cursor };
}

function drawFrame(canvas: Canvas, { title, matchCount }: FilterListModel): void {
  const { cols, rows } = canvas.size;
  const style = { fg: COLOR_PALETTE16 | 6, bg: 0 };
  const line = '─'.repeat(Math.max(0, cols - 2));
  for (let y = 0; y < rows; y++) canvas.put({ x: 0, y }, `│${' '.repeat(Math.max(0, cols - 2))}│`, style);
  canvas.put({ x: 0, y: 0 }, `┌${line}┐`, style);
  canvas.put({ x: 0, y: rows - 1 }, `└${line}┘`, style);
  canvas.put({ x: 2, y: 0 }, fitText(` ${visibleText(title)} · ${matchCount} `, Math.max(0, cols - 4)), style);
}
