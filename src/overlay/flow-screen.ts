/**
 * The overlay of a flow: one question of a program, in the frame that names its asker. Choice and message are centred
 * boxes; a text question is the prompt in the status row, with a panel beside that row if there is more to say.
 *
 *   unarmed  drawn with a broken border (prompt: ○); takes no event
 *   armed    heavy border (prompt: ●); takes all events
 *   dimmed   answered, kept in view until the asker's next question; takes no event
 */
import { COLOR_PALETTE16 } from '../../protocol/cell.ts';
import type { Ask, Asker } from '../../protocol/dialog.ts';
import { HIDDEN_CURSOR } from '../../protocol/frame.ts';
import type { Size } from '../../protocol/geometry.ts';
import type { InputEvent } from '../../protocol/key.ts';
import { Canvas } from './canvas.ts';
import type { ChoiceModel } from './choice.ts';
import { createChoice, updateChoice, viewChoice } from './choice.ts';
import type { BoxLayout, DialogLook, DialogPhase } from './dialog-box.ts';
import { askerText, clampTop, dim, drawBox, layoutBox } from './dialog-box.ts';
import type { MessageModel } from './message-box.ts';
import { createMessage, updateMessage, viewMessage } from './message-box.ts';
import type { OverlayUpdate, OverlayView } from './overlay.ts';
import type { PromptModel, PromptPlace } from './prompt.ts';
import { createPrompt, promptRow, updatePrompt, viewPrompt } from './prompt.ts';
import { textWidth } from './text-width.ts';
import { visibleText } from './visible-text.ts';

/** A text question: what the panel says, and the prompt. */
export interface TextModel {
  readonly kind: 'text';
  readonly title: string;
  readonly body: string;
  /** First line of the body in view, as far as the body allows; page keys and the wheel move it. */
  readonly bodyTop: number;
  readonly prompt: PromptModel;
}

export interface MplexFlowScreen {
  readonly kind: 'flow';
  readonly phase: DialogPhase;
  readonly asker: Asker;
  /** The keys that arm at once, for the hint. */
  readonly armKeys: string;
  /** The keys that put it aside, for the hint. */
  readonly hideKeys?: string;
  readonly content: ChoiceModel | MessageModel | TextModel;
}

export interface FlowScreenOptions {
  /** Absent for a program outside any pane. */
  readonly asker?: Asker | undefined;
  readonly armKeys?: string;
  readonly hideKeys?: string;
  /** Where a text question's prompt goes. */
  readonly place?: PromptPlace;
}

const OUTSIDE: Asker = { pane: undefined, program: '', pid: undefined };

/** The unarmed screen of a question. */
export function createFlowScreen(ask: Ask, options: FlowScreenOptions = {}): MplexFlowScreen {
  return {
    kind: 'flow',
    phase: 'unarmed',
    asker: options.asker ?? OUTSIDE,
    armKeys: options.armKeys ?? '',
    hideKeys: options.hideKeys ?? '',
    content: createContent(ask, options.place),
  };
}

const TEXT_STYLE = { fg: COLOR_PALETTE16 | 0, bg: COLOR_PALETTE16 | 6 };
const UNARMED_TEXT_STYLE = { fg: COLOR_PALETTE16 | 0, bg: COLOR_PALETTE16 | 3 };

function createContent(ask: Ask, place: PromptPlace | undefined): MplexFlowScreen['content'] {
  switch (ask.kind) {
    case 'choice':
      return createChoice({ ...ask, highlight: ask.default });
    case 'message':
      return createMessage(ask);
    case 'text': {
      const prompt = createPrompt({
        purpose: 'flow',
        label: promptLabel(ask.label ?? ask.title ?? ''),
        initial: ask.initial ?? '',
        style: TEXT_STYLE,
        ...(place && { place }),
      });
      const title = ask.label === undefined ? '' : (ask.title ?? '');
      return { kind: 'text', title, body: ask.body ?? '', bodyTop: 0, prompt };
    }
  }
}

/** `Tag` becomes `Tag: `; a label that ends in a mark of its own keeps it. */
function promptLabel(label: string): string {
  const text = label.trimEnd();
  if (text === '') return '';
  return /[\p{L}\p{N})\]"']$/u.test(text) ? `${text}: ` : `${text} `;
}

/** What an event does; nothing unless the screen is armed. */
export function updateFlowScreen(
  model: MplexFlowScreen,
  event: InputEvent,
  size: Size,
): OverlayUpdate<MplexFlowScreen> {
  if (model.phase !== 'armed') return { model, outcome: { kind: 'open' } };
  const { model: content, outcome } = updateContent(model.content, event, size);
  return { model: content === model.content ? model : { ...model, content }, outcome };
}

function updateContent(
  content: MplexFlowScreen['content'],
  event: InputEvent,
  size: Size,
): OverlayUpdate<MplexFlowScreen['content']> {
  switch (content.kind) {
    case 'choice':
      return updateChoice(content, event, size);
    case 'message':
      return updateMessage(content, event, size);
    case 'text': {
      const scroll = scrollStep(event);
      if (scroll !== 0) return { model: scrollBody(content, scroll, size), outcome: { kind: 'open' } };
      const { model: prompt, outcome } = updatePrompt(content.prompt, event, size);
      return { model: prompt === content.prompt ? content : { ...content, prompt }, outcome };
    }
  }
}

/** A scroll step that stands for a page; the wheel's is ±1. */
const PAGE = 2;

function scrollStep(event: InputEvent): number {
  if (event.kind === 'key') return event.key === 'NPage' ? PAGE : event.key === 'PPage' ? -PAGE : 0;
  if (event.kind !== 'mouse' || event.action !== 'press') return 0;
  return event.button === 'wheel-down' ? 1 : event.button === 'wheel-up' ? -1 : 0;
}

function scrollBody(content: TextModel, step: number, size: Size): TextModel {
  const space = panelSpace(content, size);
  if (space === undefined) return content;
  const { bodyLines, body } = layoutPanel(content, { size, space });
  const by = Math.abs(step) === PAGE ? Math.sign(step) * Math.max(1, body.height - 1) : step;
  return { ...content, bodyTop: clampTop(content.bodyTop + by, bodyLines.length, body.height) };
}

/** The part of the screen that a text question's panel may take; undefined if there is nothing to say or no room. */
function panelSpace(content: TextModel, size: Size): Size | undefined {
  const row = promptRow(content.prompt.place, size);
  const rows = content.prompt.place.edge === 'bottom' ? row : size.rows - 1 - row;
  const isEmpty = content.body === '' && content.title === '' && !isLabelLong(content, size);
  return isEmpty || rows < 1 ? undefined : { cols: size.cols, rows };
}

/** A label that would take more than half of the row is said in the panel, whole, and the row is left to the answer. */
function isLabelLong({ prompt }: TextModel, size: Size): boolean {
  return textWidth(MARKS.armed + visibleText(prompt.label)) > size.cols / 2;
}

interface PanelPlace {
  /** The screen. */
  readonly size: Size;
  /** The part of it that the panel may take. */
  readonly space: Size;
}

function layoutPanel(content: TextModel, { size, space }: PanelPlace): BoxLayout {
  const { title, body, prompt } = content;
  const label = isLabelLong(content, size) ? prompt.label.trimEnd() : '';
  return layoutBox({ title, body, label, optionsWidth: 0, wrapOptions: () => 0 }, space, 'full-width');
}

/**
 * Types ahead into a text question that is not armed yet: what edits the text is kept, what would end it is dropped.
 * Other questions stay as they are.
 */
export function typeAhead(model: MplexFlowScreen, event: InputEvent, size: Size): MplexFlowScreen {
  if (model.content.kind !== 'text') return model;
  const { model: content, outcome } = updateContent(model.content, event, size);
  return outcome.kind === 'open' && content !== model.content ? { ...model, content } : model;
}

export function viewFlowScreen(model: MplexFlowScreen, size: Size): OverlayView {
  const { phase, asker, armKeys, hideKeys = '' } = model;
  const look: DialogLook = { phase, asker, armKeys, hideKeys };
  const view = viewContent(model.content, size, look);
  if (model.phase === 'dimmed') dim(view.canvas);
  // Until it is armed keys go to the pane, and so does the cursor.
  const cursor = { armed: view.cursor, unarmed: undefined, dimmed: HIDDEN_CURSOR }[model.phase];
  return { ...view, cursor };
}

function viewContent(content: MplexFlowScreen['content'], size: Size, look: DialogLook): OverlayView {
  switch (content.kind) {
    case 'choice':
      return viewChoice(content, size, look);
    case 'message':
      return viewMessage(content, size, look);
    case 'text':
      return viewText(content, size, look);
  }
}

/** Screens from this width on show in the row itself how to arm a text question. */
const ARM_HINT_COLUMNS = 76;
/** Narrower screens leave the row to what is typed: nothing stands to its right. */
const TAIL_COLUMNS = 30;
const MARKS: Readonly<Record<DialogPhase, string>> = { unarmed: '○ ', armed: '● ', dimmed: '· ' };
const LONG_TEXT_HINTS = [
  'PgUp PgDn: read on · Enter: send · Esc: dismiss',
  'PgUp PgDn read on · ⏎ send',
  'PgDn: read on',
];
const TEXT_HINTS = ['Enter: send · Esc: dismiss', '⏎ send · Esc dismiss', '⏎ send'];

function viewText(content: TextModel, size: Size, look: DialogLook): OverlayView {
  const space = panelSpace(content, size);
  const style = look.phase === 'unarmed' ? UNARMED_TEXT_STYLE : content.prompt.style;
  const label = space && isLabelLong(content, size) ? '' : content.prompt.label;
  const prompt = { ...content.prompt, style, label };
  const asker = askerText(look.asker, Math.floor(size.cols / (look.phase === 'unarmed' ? 6 : 3)));
  const hasArmHint = look.phase === 'unarmed' && look.armKeys !== '' && size.cols >= ARM_HINT_COLUMNS;
  const hint = `${look.armKeys} to type here`;
  const tail = hasArmHint ? [hint, asker].filter((part) => part !== '').join(' · ') : asker;
  const trim = { lead: MARKS[look.phase], tail: size.cols < TAIL_COLUMNS ? '' : tail };
  const row = viewPrompt(prompt, size, trim);
  return space ? withPanel(content, { row, look, place: { size, space } }) : row;
}

interface PanelParts {
  readonly row: OverlayView;
  readonly look: DialogLook;
  readonly place: PanelPlace;
}

/** The prompt's row and the panel beside it, over the whole width, as one picture. */
function withPanel(content: TextModel, { row, look, place }: PanelParts): OverlayView {
  const { space } = place;
  const box = layoutPanel(content, place);
  const isLong = box.bodyLines.length > box.body.height;
  const hints = isLong ? LONG_TEXT_HINTS : TEXT_HINTS;
  const panel = drawBox(box, { title: content.title, look, hints, bodyTop: content.bodyTop });
  const isBelow = content.prompt.place.edge === 'top';
  const canvas = new Canvas({ cols: space.cols, rows: panel.size.rows + 1 });
  canvas.paste(panel, isBelow ? 1 : 0);
  canvas.paste(row.canvas, isBelow ? 0 : panel.size.rows);
  const y = isBelow ? row.rect.y : row.rect.y - panel.size.rows;
  return { rect: { x: 0, y, width: space.cols, height: canvas.size.rows }, canvas, cursor: row.cursor };
}
