/**
 * A message to be acknowledged: Enter (or a click on OK) accepts, Escape and q dismiss, C-c interrupts; arrows, j and k,
 * page keys, g and G and the wheel scroll a long text.
 */
import { FG_BOLD, FG_INVERSE } from '../../protocol/cell.ts';
import { HIDDEN_CURSOR } from '../../protocol/frame.ts';
import type { Size } from '../../protocol/geometry.ts';
import type { InputEvent, Key } from '../../protocol/key.ts';
import type { BoxLayout, DialogLook } from './dialog-box.ts';
import { clampTop, drawBox, layoutBox, PLAIN_LOOK } from './dialog-box.ts';
import type { OverlayOutcome, OverlayUpdate, OverlayView } from './overlay.ts';

export interface MessageModel {
  readonly kind: 'message';
  readonly title: string;
  readonly body: string;
  readonly label: string;
  /** First line of the body in view, as far as the body allows. */
  readonly bodyTop: number;
}

export interface MessageOptions {
  readonly title?: string | undefined;
  readonly body?: string | undefined;
  readonly label?: string | undefined;
}

export function createMessage(options: MessageOptions): MessageModel {
  return {
    kind: 'message',
    title: options.title ?? '',
    body: options.body ?? '',
    label: options.label ?? '',
    bodyTop: 0,
  };
}

const BUTTON = '[ OK ]';
const HINTS = ['Enter: OK · Esc: dismiss', '⏎ OK · Esc dismiss', '⏎ OK'];
const LONG_BODY_HINTS = ['↑↓ read on · Enter: OK · Esc: dismiss', '↑↓ read on · ⏎ OK', ...HINTS.slice(1)];

function layoutMessage(model: MessageModel, size: Size): BoxLayout {
  return layoutBox({ ...model, optionsWidth: BUTTON.length, wrapOptions: () => 1 }, size);
}

const OPEN: OverlayOutcome = { kind: 'open' };

/** What an event does to a message on a screen of `size`. */
export function updateMessage(model: MessageModel, event: InputEvent, size: Size): OverlayUpdate<MessageModel> {
  switch (event.kind) {
    case 'key':
      return updateByKey(model, event.key, layoutMessage(model, size));
    case 'mouse':
      return event.action === 'press'
        ? updateByMouse(model, event, layoutMessage(model, size))
        : { model, outcome: OPEN };
    case 'paste':
    case 'focus':
      return { model, outcome: OPEN };
  }
}

function updateByKey(model: MessageModel, key: Key, box: BoxLayout): OverlayUpdate<MessageModel> {
  const page = Math.max(1, box.body.height - 1);
  switch (key) {
    case 'Enter':
    case 'KPEnter':
    case 'C-m':
      return { model, outcome: { kind: 'accept', value: null } };
    case 'Escape':
    case 'q':
      return { model, outcome: { kind: 'dismiss', by: 'escape' } };
    case 'C-c':
      return { model, outcome: { kind: 'dismiss', by: 'interrupt' } };
    case 'Up':
    case 'k':
    case 'K':
    case 'C-p':
      return scrollTo(model, box, model.bodyTop - 1);
    case 'Down':
    case 'j':
    case 'J':
    case 'C-n':
      return scrollTo(model, box, model.bodyTop + 1);
    case 'PPage':
      return scrollTo(model, box, model.bodyTop - page);
    case 'NPage':
      return scrollTo(model, box, model.bodyTop + page);
    case 'Home':
    case 'g':
      return scrollTo(model, box, 0);
    case 'End':
    case 'G':
      return scrollTo(model, box, box.bodyLines.length);
    default:
      return { model, outcome: OPEN };
  }
}

function scrollTo(model: MessageModel, box: BoxLayout, top: number): OverlayUpdate<MessageModel> {
  return {
    model: { ...model, bodyTop: clampTop(top, box.bodyLines.length, box.body.height) },
    outcome: OPEN,
  };
}

type MouseEvent = Extract<InputEvent, { kind: 'mouse' }>;

function updateByMouse(model: MessageModel, event: MouseEvent, box: BoxLayout): OverlayUpdate<MessageModel> {
  if (event.button === 'wheel-up') return scrollTo(model, box, model.bodyTop - 1);
  if (event.button === 'wheel-down') return scrollTo(model, box, model.bodyTop + 1);
  const isOnButton =
    box.options.height > 0 &&
    event.y === box.rect.y + box.options.top &&
    event.x >= box.rect.x + buttonColumn(box) &&
    event.x < box.rect.x + buttonColumn(box) + BUTTON.length;
  return { model, outcome: isOnButton && event.button === 'left' ? { kind: 'accept', value: null } : OPEN };
}

function buttonColumn(box: BoxLayout): number {
  return box.left + Math.max(0, Math.floor((box.columns - BUTTON.length) / 2));
}

/** Draws the message in the middle of the screen, the cursor on its button. */
export function viewMessage(model: MessageModel, size: Size, look: DialogLook = PLAIN_LOOK): OverlayView {
  const box = layoutMessage(model, size);
  const isLong = box.bodyLines.length > box.body.height;
  const canvas = drawBox(box, {
    title: model.title,
    look,
    hints: isLong ? LONG_BODY_HINTS : HINTS,
    bodyTop: model.bodyTop,
  });
  if (box.options.height === 0) return { rect: box.rect, canvas, cursor: HIDDEN_CURSOR };
  const x = buttonColumn(box);
  canvas.put({ x, y: box.options.top }, BUTTON, { fg: FG_INVERSE | FG_BOLD, bg: 0 });
  const cursor = {
    ...HIDDEN_CURSOR,
    x: Math.min(box.rect.x + x + 2, Math.max(0, size.cols - 1)),
    y: box.rect.y + box.options.top,
    visible: true,
  };
  return { rect: box.rect, canvas, cursor };
}
