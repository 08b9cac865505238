/**
 * A list to choose one from: arrows, Tab, j and k, Home and End, g and G, page keys and digits move the highlight, Enter
 * confirms, Escape and q dismiss, C-c interrupts. Options may have letters that answer at once (y and n). J and K (or the
 * wheel over it) scroll a body that is too long.
 */
import type { CellStyle } from '../../protocol/cell.ts';
import { DEFAULT_STYLE, FG_BOLD, FG_INVERSE } from '../../protocol/cell.ts';
import { HIDDEN_CURSOR } from '../../protocol/frame.ts';
import type { Size } from '../../protocol/geometry.ts';
import type { InputEvent, Key } from '../../protocol/key.ts';
import type { BoxLayout, DialogLook } from './dialog-box.ts';
import { clampTop, drawBox, drawScrollMarks, layoutBox, PLAIN_LOOK } from './dialog-box.ts';
import type { OverlayOutcome, OverlayUpdate, OverlayView } from './overlay.ts';
import { textWidth } from './text-width.ts';
import { visibleText } from './visible-text.ts';
import { wrapText } from './word-wrap.ts';

export interface ChoiceModel {
  readonly kind: 'choice';
  readonly title: string;
  readonly body: string;
  readonly label: string;
  readonly options: readonly string[];
  /** A letter for each option that answers at once, shown in place of its number; empty for none. */
  readonly keys: readonly string[];
  /** Index of the highlighted option. */
  readonly highlight: number;
  /** First line of the body in view, as far as the body allows. */
  readonly bodyTop: number;
  /** First line of the options in view, set by the wheel; otherwise it follows the highlight. */
  readonly optionsTop: number | undefined;
}

export interface ChoiceOptions {
  readonly options: readonly string[];
  readonly keys?: readonly string[] | undefined;
  readonly title?: string | undefined;
  readonly body?: string | undefined;
  readonly label?: string | undefined;
  /** Index of the option to highlight first. */
  readonly highlight?: number | undefined;
}

/** A new choice; `options` holds at least one. */
export function createChoice(options: ChoiceOptions): ChoiceModel {
  return {
    kind: 'choice',
    title: options.title ?? '',
    body: options.body ?? '',
    label: options.label ?? '',
    options: options.options,
    keys: options.keys ?? [],
    highlight: Math.max(0, Math.min(options.highlight ?? 0, options.options.length - 1)),
    bodyTop: 0,
    optionsTop: undefined,
  };
}

/** `▸ 1 ` */
const PREFIX_COLUMNS = 4;
const WHEEL_LINES = 1;

/** What the keys do, in fewer and fewer words. */
function hintsOf({ keys, options }: ChoiceModel, isLong: boolean): readonly string[] {
  const answer = 'Enter: choose · Esc: dismiss';
  if (keys.length > 0) {
    const letters = keys.join(' ');
    return [
      ...(isLong ? [`${letters}: answer · J K: read on · ${answer}`, `${letters} answer · J K read on`] : []),
      `${letters}: answer · ${answer}`,
      `${letters} answer · Esc dismiss`,
      `${letters} answer`,
    ];
  }
  const digits = options.length > 1 ? ` 1-${Math.min(9, options.length)}` : '';
  if (isLong) {
    return [
      `↑↓${digits}: move · J K: read on · ${answer}`,
      '↑↓ move · J K read on · ⏎ choose',
      'J K read on · ⏎ choose',
      '⏎ choose',
    ];
  }
  return [
    `↑↓${digits}: move · ${answer}`,
    `↑↓${digits} move · ⏎ choose · Esc dismiss`,
    '⏎ choose · Esc dismiss',
    '⏎ choose',
  ];
}

interface OptionLine {
  readonly option: number;
  readonly text: string;
  readonly isFirst: boolean;
}

interface ChoiceLayout {
  readonly box: BoxLayout;
  readonly lines: readonly OptionLine[];
  /** First option line in view. */
  readonly top: number;
}

function wrapOptions(model: ChoiceModel, columns: number): OptionLine[] {
  return model.options.flatMap((option, index) => {
    // An option is one line of text however it is written: a line break in it is shown, not obeyed.
    // One of nothing but blanks is quoted, or its line would look like a gap.
    const text = option.trim() === '' ? `"${option}"` : option;
    const lines = wrapText(visibleText(text), Math.max(1, columns - PREFIX_COLUMNS));
    return lines.map((text, at) => ({ option: index, text, isFirst: at === 0 }));
  });
}

function layoutChoice(model: ChoiceModel, size: Size): ChoiceLayout {
  const widest = Math.max(...model.options.map((option) => textWidth(visibleText(option))));
  const box = layoutBox(
    {
      title: model.title,
      body: model.body,
      label: model.label,
      optionsWidth: widest + PREFIX_COLUMNS,
      wrapOptions: (columns) => wrapOptions(model, columns).length,
    },
    size,
  );
  const lines = wrapOptions(model, box.columns);
  const { height } = box.options;
  const first = lines.findIndex((line) => line.option === model.highlight);
  const count = lines.filter((line) => line.option === model.highlight).length;
  const following = Math.min(first, Math.ceil(first - (height - count) / 2));
  return { box, lines, top: clampTop(model.optionsTop ?? following, lines.length, height) };
}

/** Whether an option's first line is on the screen. */
function isInSight({ lines, top, box }: ChoiceLayout, option: number): boolean {
  const first = lines.findIndex((line) => line.option === option);
  return first >= top && first < top + box.options.height;
}

const OPEN: OverlayOutcome = { kind: 'open' };

/** What an event does to a choice on a screen of `size` (for page keys and the mouse). */
export function updateChoice(model: ChoiceModel, event: InputEvent, size: Size): OverlayUpdate<ChoiceModel> {
  switch (event.kind) {
    case 'key':
      return updateByKey(model, event.key, layoutChoice(model, size));
    case 'mouse':
      return event.action === 'press'
        ? updateByMouse(model, event, layoutChoice(model, size))
        : { model, outcome: OPEN };
    case 'paste':
    case 'focus':
      return { model, outcome: OPEN };
  }
}

function updateByKey(model: ChoiceModel, key: Key, layout: ChoiceLayout): OverlayUpdate<ChoiceModel> {
  switch (key) {
    case 'Enter':
    case 'KPEnter':
    case 'C-m':
      return answerAt(model, model.highlight, layout);
    case 'Escape':
    case 'q':
      return { model, outcome: { kind: 'dismiss', by: 'escape' } };
    case 'C-c':
      return { model, outcome: { kind: 'dismiss', by: 'interrupt' } };
    case 'J':
    case 'M-Down':
      return scrollBody(model, layout, 1);
    case 'K':
    case 'M-Up':
      return scrollBody(model, layout, -1);
    default: {
      const option = model.keys.indexOf(key.toLowerCase());
      if (option >= 0) return answerAt(model, option, layout);
      const target = keyTarget(model, key, layout);
      return target === undefined ? { model, outcome: OPEN } : highlightAt(model, target);
    }
  }
}

/** Answers with an option; one that is out of sight is highlighted first: nothing is confirmed that cannot be seen. */
function answerAt(model: ChoiceModel, option: number, layout: ChoiceLayout): OverlayUpdate<ChoiceModel> {
  if (!isInSight(layout, option)) return highlightAt(model, option);
  return { model: { ...model, highlight: option }, outcome: { kind: 'accept', value: option } };
}

/** The option that a movement key leads to; undefined if it is no such key. */
function keyTarget(model: ChoiceModel, key: Key, layout: ChoiceLayout): number | undefined {
  const last = model.options.length - 1;
  const page = Math.max(1, layout.box.options.height - 1);
  switch (key) {
    case 'Up':
    case 'k':
    case 'C-p':
    case 'BTab':
      return Math.max(0, model.highlight - 1);
    case 'Down':
    case 'j':
    case 'C-n':
    case 'Tab':
      return Math.min(last, model.highlight + 1);
    case 'Home':
    case 'g':
      return 0;
    case 'End':
    case 'G':
      return last;
    case 'PPage':
      return Math.max(0, model.highlight - page);
    case 'NPage':
      return Math.min(last, model.highlight + page);
    default: {
      const digit = /^(?:KP)?([0-9])$/.exec(key)?.[1];
      if (digit === undefined) return undefined;
      const index = digit === '0' ? 9 : Number(digit) - 1;
      return index <= last ? index : undefined;
    }
  }
}

function highlightAt(model: ChoiceModel, highlight: number): OverlayUpdate<ChoiceModel> {
  return { model: { ...model, highlight, optionsTop: undefined }, outcome: OPEN };
}

function scrollBody(model: ChoiceModel, { box }: ChoiceLayout, by: number): OverlayUpdate<ChoiceModel> {
  const bodyTop = clampTop(model.bodyTop + by, box.bodyLines.length, box.body.height);
  return { model: { ...model, bodyTop }, outcome: OPEN };
}

type MouseEvent = Extract<InputEvent, { kind: 'mouse' }>;

function updateByMouse(model: ChoiceModel, event: MouseEvent, layout: ChoiceLayout): OverlayUpdate<ChoiceModel> {
  const { rect, options } = layout.box;
  const y = event.y - rect.y;
  const isInside = event.x >= rect.x && event.x < rect.x + rect.width;
  const isOnOptions = isInside && y >= options.top && y < options.top + options.height;
  if (event.button === 'wheel-up' || event.button === 'wheel-down') {
    const by = event.button === 'wheel-up' ? -WHEEL_LINES : WHEEL_LINES;
    if (!isOnOptions) return scrollBody(model, layout, by);
    const optionsTop = clampTop(layout.top + by, layout.lines.length, options.height);
    return { model: { ...model, optionsTop }, outcome: OPEN };
  }
  const line = isOnOptions && event.button === 'left' ? layout.lines[layout.top + y - options.top] : undefined;
  if (!line) return { model, outcome: OPEN };
  if (line.option === model.highlight) return { model, outcome: { kind: 'accept', value: line.option } };
  // What is in view stays where it is, so that a second click meets the same option.
  return { model: { ...model, highlight: line.option, optionsTop: layout.top }, outcome: OPEN };
}

/** Draws the choice in the middle of the screen, the cursor on the highlighted option. */
export function viewChoice(model: ChoiceModel, size: Size, look: DialogLook = PLAIN_LOOK): OverlayView {
  const layout = layoutChoice(model, size);
  const { box, lines, top } = layout;
  const isLong = box.bodyLines.length > box.body.height;
  const canvas = drawBox(box, {
    title: model.title,
    look,
    hints: hintsOf(model, isLong),
    bodyTop: model.bodyTop,
    place: lines.length > box.options.height ? `${model.highlight + 1}/${model.options.length}` : '',
  });
  let cursor = HIDDEN_CURSOR;
  for (let row = 0; row < box.options.height; row++) {
    const line = lines[top + row];
    if (!line) break;
    const y = box.options.top + row;
    const isHighlighted = line.option === model.highlight;
    const style: CellStyle = isHighlighted ? { fg: FG_INVERSE | FG_BOLD, bg: 0 } : DEFAULT_STYLE;
    canvas.fill({ x: box.left, y, width: box.columns }, style);
    canvas.put({ x: box.left, y, width: box.columns }, linePrefix(model, line, isHighlighted) + line.text, style);
    if (isHighlighted && line.isFirst)
      cursor = { ...HIDDEN_CURSOR, x: box.rect.x + box.left, y: box.rect.y + y, visible: true };
  }
  drawScrollMarks(canvas, box, { region: box.options, top, lines: lines.length });
  return { rect: box.rect, canvas, cursor };
}

function linePrefix({ keys }: ChoiceModel, line: OptionLine, isHighlighted: boolean): string {
  if (!line.isFirst) return ' '.repeat(PREFIX_COLUMNS);
  const digit = line.option < 9 ? String(line.option + 1) : line.option === 9 ? '0' : ' ';
  return `${isHighlighted ? '▸' : ' '} ${keys[line.option] ?? digit} `;
}
