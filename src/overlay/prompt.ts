/**
 * The prompt in the status row: mplex's own (command-prompt, confirm-before, searches) and the text question of a flow.
 * Behaves as tmux(1) command-prompt, with emacs or vi keys (status-keys).
 */
import type { CellStyle } from '../../protocol/cell.ts';
import { COLOR_PALETTE16 } from '../../protocol/cell.ts';
import { HIDDEN_CURSOR } from '../../protocol/frame.ts';
import type { Size } from '../../protocol/geometry.ts';
import type { InputEvent, Key } from '../../protocol/key.ts';
import { Canvas } from './canvas.ts';
import type { LineEditor } from './line-editor.ts';
import { createEditor, editKey, insertText, replaceText, typedText } from './line-editor.ts';
import type { OverlayOutcome, OverlayUpdate, OverlayView } from './overlay.ts';
import { counterText, drawInput } from './text-input.ts';
import { textWidth, truncateToWidth } from './text-width.ts';
import { type ViMode, viCommand } from './vi-line.ts';
import { visibleText } from './visible-text.ts';

/**
 * text: a line ended by Enter · single-key: one typed character (command-prompt -1) · numeric: digits; any other key
 * ends it and is used afterwards (-N) · key: the name of one key (-k) · confirm: yes or anything else (confirm-before).
 */
export type PromptMode = 'text' | 'single-key' | 'numeric' | 'key' | 'confirm';

/** The screen row that a prompt takes: `line` rows away from an edge (status-position, status 2 to 5). */
export interface PromptPlace {
  readonly edge: 'top' | 'bottom';
  readonly line: number;
}

export const BOTTOM_ROW: PromptPlace = { edge: 'bottom', line: 0 };

/** tmux's default message-style: `bg=yellow,fg=black`. */
const MESSAGE_STYLE: CellStyle = { fg: COLOR_PALETTE16 | 0, bg: COLOR_PALETTE16 | 3 };

export interface PromptModel {
  readonly kind: 'prompt';
  /** Whose prompt it is; the server's own word, never shown. */
  readonly purpose: string;
  readonly mode: PromptMode;
  readonly label: string;
  readonly editor: LineEditor;
  /** Earlier lines, newest last. */
  readonly history: readonly string[];
  /** Place in the history; `history.length` is the line being written. */
  readonly historyAt: number;
  /** The line being written while the history is walked. */
  readonly draft: string;
  readonly place: PromptPlace;
  readonly style: CellStyle;
  /** Every change gives the outcome `change` (command-prompt -i). */
  readonly incremental: boolean;
  /** The character that confirms (mode confirm). */
  readonly confirmKey: string;
  /** Enter confirms too (mode confirm). */
  readonly enterConfirms: boolean;
  /** Mode and look of vi keys (mode text); undefined: emacs keys. */
  readonly vi: ViState | undefined;
}

export interface ViState {
  readonly mode: ViMode;
  /** The look in command mode (option message-command-style). */
  readonly commandStyle: CellStyle;
}

export interface PromptOptions {
  readonly purpose: string;
  readonly label: string;
  readonly mode?: PromptMode;
  readonly initial?: string;
  readonly history?: readonly string[];
  readonly place?: PromptPlace;
  readonly style?: CellStyle;
  readonly incremental?: boolean;
  readonly confirmKey?: string;
  readonly enterConfirms?: boolean;
  /** The look in vi's command mode; without it keys are emacs'. */
  readonly viCommandStyle?: CellStyle | undefined;
}

/** A new prompt with the cursor behind `initial`. */
export function createPrompt(options: PromptOptions): PromptModel {
  const history = options.history ?? [];
  return {
    kind: 'prompt',
    purpose: options.purpose,
    mode: options.mode ?? 'text',
    label: options.label,
    editor: createEditor(options.initial),
    history,
    historyAt: history.length,
    draft: '',
    place: options.place ?? BOTTOM_ROW,
    style: options.style ?? MESSAGE_STYLE,
    incremental: options.incremental ?? false,
    confirmKey: options.confirmKey ?? 'y',
    enterConfirms: options.enterConfirms ?? false,
    vi: options.viCommandStyle && { mode: 'insert', commandStyle: options.viCommandStyle },
  };
}

/** The prompt with another text, the cursor at its end (completion). */
export function withPromptText(model: PromptModel, text: string): PromptModel {
  return { ...model, editor: replaceText(model.editor, text) };
}

const OPEN: OverlayOutcome = { kind: 'open' };

/** What an event does to a prompt. The size takes no part. */
export function updatePrompt(model: PromptModel, event: InputEvent, _size: Size): OverlayUpdate<PromptModel> {
  switch (event.kind) {
    case 'key':
      return updateByKey(model, event.key);
    case 'paste':
      return updateByPaste(model, event.text);
    case 'mouse':
    case 'focus':
      return { model, outcome: OPEN };
  }
}

function updateByKey(model: PromptModel, key: Key): OverlayUpdate<PromptModel> {
  if (model.mode === 'key') return { model, outcome: { kind: 'accept', value: key } };
  if (key === 'C-c') return { model, outcome: { kind: 'dismiss', by: 'interrupt' } };
  if (model.mode === 'text' && model.vi && (key === 'Escape' || model.vi.mode === 'command')) {
    return updateByViKey(model, model.vi, key);
  }
  if (key === 'Escape' || key === 'C-g') return { model, outcome: { kind: 'dismiss', by: 'escape' } };
  const isEnter = isEnterKey(key);
  switch (model.mode) {
    case 'confirm':
      return { model, outcome: confirmOutcome(model, key, isEnter) };
    case 'single-key': {
      const typed = typedText(key);
      if (typed !== undefined) return { model, outcome: { kind: 'accept', value: typed } };
      return { model, outcome: isEnter ? { kind: 'accept', value: '' } : OPEN };
    }
    case 'numeric': {
      const typed = typedText(key);
      if (typed !== undefined && /^[0-9]$/.test(typed)) return edited(model, insertText(model.editor, typed));
      const accept = { kind: 'accept', value: model.editor.text } as const;
      return { model, outcome: isEnter ? accept : { ...accept, unusedKey: key } };
    }
    case 'text':
      if (isEnter) return { model, outcome: { kind: 'accept', value: model.editor.text } };
      return updateLine(model, key);
  }
}

function isEnterKey(key: Key): boolean {
  return key === 'Enter' || key === 'KPEnter' || key === 'C-m' || key === 'C-j';
}

/** Escape in insert mode, and every key of command mode; one that means nothing there does nothing. */
function updateByViKey(model: PromptModel, vi: ViState, key: Key): OverlayUpdate<PromptModel> {
  if (vi.mode === 'insert') return { model: { ...model, vi: { ...vi, mode: 'command' } }, outcome: OPEN };
  if (isEnterKey(key)) return { model, outcome: { kind: 'accept', value: model.editor.text } };
  if (key === 'q' || key === 'C-g') return { model, outcome: { kind: 'dismiss', by: 'escape' } };
  if (key === 'k' || key === 'Up') return walkHistory(model, -1);
  if (key === 'j' || key === 'Down') return walkHistory(model, 1);
  const step = viCommand(model.editor, key);
  return step ? edited({ ...model, vi: { ...vi, mode: step.mode } }, step.editor) : { model, outcome: OPEN };
}

function confirmOutcome(model: PromptModel, key: Key, isEnter: boolean): OverlayOutcome {
  const isYes = isEnter ? model.enterConfirms : typedText(key)?.toLowerCase() === model.confirmKey.toLowerCase();
  return isYes ? { kind: 'accept', value: model.confirmKey } : { kind: 'dismiss', by: 'escape' };
}

function updateLine(model: PromptModel, key: Key): OverlayUpdate<PromptModel> {
  if (key === 'Up' || key === 'C-p') return walkHistory(model, -1);
  if (key === 'Down' || key === 'C-n') return walkHistory(model, 1);
  const editor = editKey(model.editor, key);
  return editor === undefined ? { model, outcome: OPEN } : edited(model, editor);
}

function updateByPaste(model: PromptModel, text: string): OverlayUpdate<PromptModel> {
  if (model.mode === 'text') return edited(model, insertText(model.editor, text.replaceAll(/\r\n?/g, '\n')));
  return { model, outcome: OPEN };
}

function walkHistory(model: PromptModel, step: -1 | 1): OverlayUpdate<PromptModel> {
  const at = model.historyAt + step;
  if (at < 0 || at > model.history.length) return { model, outcome: OPEN };
  const draft = model.historyAt === model.history.length ? model.editor.text : model.draft;
  const text = model.history[at] ?? draft;
  return edited({ ...model, historyAt: at, draft }, replaceText(model.editor, text));
}

function edited(model: PromptModel, editor: LineEditor): OverlayUpdate<PromptModel> {
  const hasChanged = editor.text !== model.editor.text;
  const outcome: OverlayOutcome = hasChanged && model.incremental ? { kind: 'change', value: editor.text } : OPEN;
  return { model: { ...model, editor }, outcome };
}

/** What stands to the right of the text, and marks for the left: a flow's prompt names its asker there. */
export interface PromptTrim {
  readonly lead: string;
  readonly tail: string;
}

const NO_TRIM: PromptTrim = { lead: '', tail: '' };
/** Columns that the label leaves to the text. */
const INPUT_MIN = 8;

/** The screen row of a prompt, inside the screen whatever its size. */
export function promptRow(place: PromptPlace, size: Size): number {
  const row = place.edge === 'top' ? place.line : size.rows - 1 - place.line;
  return Math.min(Math.max(0, row), Math.max(0, size.rows - 1));
}

/** The label in `room` columns, a cut one marked. */
function fitLabel(label: string, room: number): string {
  if (textWidth(label) <= room) return label;
  return room < 3 ? truncateToWidth(label, room) : `${truncateToWidth(label, room - 2)}… `;
}

/** Draws the prompt over its whole row, the cursor in the text. */
export function viewPrompt(model: PromptModel, size: Size, trim: PromptTrim = NO_TRIM): OverlayView {
  const style = model.vi?.mode === 'command' ? model.vi.commandStyle : model.style;
  const canvas = new Canvas({ cols: size.cols, rows: 1 }, style);
  const tails = [trim.tail, counterText(model.editor)].filter((tail) => tail !== '');
  let right = size.cols;
  for (const tail of tails) {
    const start = right - textWidth(tail) - 1;
    if (start < size.cols / 2) continue;
    right = start;
    canvas.put({ x: right, y: 0 }, tail, style);
  }
  if (right < size.cols) right -= 1;
  const room = right - Math.min(INPUT_MIN, Math.ceil(right / 2));
  const x = canvas.put({ x: 0, y: 0 }, fitLabel(trim.lead + visibleText(model.label), room), style);
  const picture = drawInput(model.editor, right - x);
  canvas.put({ x, y: 0, width: right - x }, picture.text, style);
  const y = promptRow(model.place, size);
  return {
    rect: { x: 0, y, width: size.cols, height: 1 },
    canvas,
    cursor: {
      ...HIDDEN_CURSOR,
      x: Math.min(x + picture.cursor, Math.max(0, size.cols - 1)),
      y,
      visible: size.cols > 0,
    },
  };
}
