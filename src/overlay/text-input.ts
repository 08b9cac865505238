/**
 * The picture of an edited line in a field of some columns: where it is scrolled to, what shows, where the cursor
 * stands. The value may hold line breaks and controls (a paste); they are shown as marks and stay in the value.
 */
import { countCodePoints } from '../../protocol/clean-text.ts';
import { ANSWER_MAX } from '../../protocol/dialog.ts';
import type { LineEditor } from './line-editor.ts';
import { graphemes, textWidth } from './text-width.ts';
import { visibleText } from './visible-text.ts';

export interface InputPicture {
  /** Visible text of at most the field's columns, marks of overflow included. */
  readonly text: string;
  /** Column of the cursor inside the field. */
  readonly cursor: number;
}

/** Overflow to the left and to the right. */
const MORE_LEFT = '‹';
const MORE_RIGHT = '›';
/** Columns kept in view on the far side of the cursor. */
const MARGIN = 4;
/** The counter shows when so many code points or fewer are left. */
const COUNTER_FROM = 100;

/** Draws the editor into a field of `columns` columns (at least 1), the cursor always in view. */
export function drawInput(editor: LineEditor, columns: number): InputPicture {
  const width = Math.max(1, columns);
  const whole = visibleText(editor.text);
  const cursor = textWidth(visibleText(editor.text.slice(0, editor.cursor)));
  const total = textWidth(whole) + 1;
  if (total <= width) return { text: whole, cursor };
  const margin = Math.min(MARGIN, Math.floor((width - 1) / 2));
  const start = Math.min(Math.max(0, cursor - (width - 1 - margin)), total - width);
  const picture = { text: window(whole, start, width), cursor: cursor - start };
  return width < 3 ? picture : markOverflow(picture, { left: start > 0, right: start + width < total, width });
}

/** Columns `start` to `start + width - 1` of a text; a wide character cut by an edge becomes a blank. */
function window(text: string, start: number, width: number): string {
  let column = 0;
  let result = '';
  for (const cluster of graphemes(text)) {
    const end = column + cluster.width;
    if (column >= start + width) break;
    if (column >= start && end <= start + width) result += cluster.text;
    else if (end > start) result += ' ';
    column = end;
  }
  return result;
}

interface Overflow {
  readonly left: boolean;
  readonly right: boolean;
  readonly width: number;
}

function markOverflow(picture: InputPicture, overflow: Overflow): InputPicture {
  let { text } = picture;
  if (overflow.left && picture.cursor > 0) text = MORE_LEFT + window(text, 1, overflow.width);
  if (overflow.right && picture.cursor < overflow.width - 1) text = window(text, 0, overflow.width - 1) + MORE_RIGHT;
  return { ...picture, text };
}

/** `1950/2000` near the limit of an answer, '' otherwise. */
export function counterText(editor: LineEditor): string {
  const length = countCodePoints(editor.text);
  return length >= ANSWER_MAX - COUNTER_FROM ? `${length}/${ANSWER_MAX}` : '';
}
