import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rowText } from '../../../protocol/cell.ts';
import { createEditor } from '../../../src/overlay/line-editor.ts';
import type { OverlayOutcome } from '../../../src/overlay/overlay.ts';
import {
  createPrompt,
  type PromptModel,
  type PromptOptions,
  updatePrompt,
  viewPrompt,
  withPromptText,
} from '../../../src/overlay/prompt.ts';
import { drawInput } from '../../../src/overlay/text-input.ts';
import { textWidth } from '../../../src/overlay/text-width.ts';

const SIZE = { cols: 40, rows: 10 };

function press(model: PromptModel, keys: string): { model: PromptModel; outcome: OverlayOutcome } {
  let state: { model: PromptModel; outcome: OverlayOutcome } = { model, outcome: { kind: 'open' } };
  for (const key of keys.split(' ')) state = updatePrompt(state.model, { kind: 'key', key }, SIZE);
  return state;
}

const make = (options: Partial<PromptOptions> = {}) => createPrompt({ purpose: 'command', label: ':', ...options });

function drawn(model: PromptModel, cols = 40): string {
  const view = viewPrompt(model, { cols, rows: 10 });
  return rowText(view.canvas.rows[0]!).trimEnd();
}

describe('the prompt', () => {
  it('accepts a line by Enter, is dismissed by Escape and C-g, interrupted by C-c', () => {
    expect(press(make(), 'l s Enter').outcome).toEqual({ kind: 'accept', value: 'ls' });
    expect(press(make(), 'l Escape').outcome).toEqual({ kind: 'dismiss', by: 'escape' });
    expect(press(make(), 'C-g').outcome).toEqual({ kind: 'dismiss', by: 'escape' });
    expect(press(make(), 'C-c').outcome).toEqual({ kind: 'dismiss', by: 'interrupt' });
    expect(press(make(), 'q').outcome).toEqual({ kind: 'open' });
  });

  it('walks the history and comes back to the line being written', () => {
    const model = make({ history: ['one', 'two'], initial: 'dra' });
    expect(press(model, 'f Up').model.editor.text).toBe('two');
    expect(press(model, 'f Up Up Up').model.editor.text).toBe('one');
    expect(press(model, 'f Up C-p Down C-n Down').model.editor.text).toBe('draf');
  });

  it('takes one character, a number, a key name or a yes in its other modes', () => {
    expect(press(make({ mode: 'single-key' }), 'Left é').outcome).toEqual({ kind: 'accept', value: 'é' });
    expect(press(make({ mode: 'single-key' }), 'Enter').outcome).toEqual({ kind: 'accept', value: '' });
    expect(press(make({ mode: 'numeric' }), '1 KP2 Enter').outcome).toEqual({ kind: 'accept', value: '12' });
    expect(press(make({ mode: 'numeric' }), '3 j').outcome).toEqual({ kind: 'accept', value: '3', unusedKey: 'j' });
    expect(press(make({ mode: 'key' }), 'C-Left').outcome).toEqual({ kind: 'accept', value: 'C-Left' });
    expect(press(make({ mode: 'key' }), 'C-c').outcome).toEqual({ kind: 'accept', value: 'C-c' });
    expect(press(make({ mode: 'confirm' }), 'Y').outcome).toEqual({ kind: 'accept', value: 'y' });
    expect(press(make({ mode: 'confirm' }), 'n').outcome).toEqual({ kind: 'dismiss', by: 'escape' });
    expect(press(make({ mode: 'confirm' }), 'Enter').outcome).toEqual({ kind: 'dismiss', by: 'escape' });
    const other = make({ mode: 'confirm', confirmKey: 'k', enterConfirms: true });
    expect(press(other, 'y').outcome).toEqual({ kind: 'dismiss', by: 'escape' });
    expect(press(other, 'Enter').outcome).toEqual({ kind: 'accept', value: 'k' });
  });

  it('tells each change when it is incremental', () => {
    const model = make({ incremental: true });
    expect(press(model, 'a b').outcome).toEqual({ kind: 'change', value: 'ab' });
    expect(press(model, 'a Left').outcome).toEqual({ kind: 'open' });
  });

  it('keeps the line breaks of a paste in the value and shows them as marks; no paste answers it', () => {
    const { model, outcome } = updatePrompt(make(), { kind: 'paste', text: 'a\r\nb\x1b' }, SIZE);
    expect(outcome).toEqual({ kind: 'open' });
    expect(model.editor.text).toBe('a\nb\x1b');
    expect(drawn(model)).toBe(':a␤b␛');
    const confirm = updatePrompt(make({ mode: 'confirm' }), { kind: 'paste', text: 'y\n' }, SIZE);
    expect(confirm.outcome).toEqual({ kind: 'open' });
  });

  it('takes the row that it is given, whatever the size of the screen', () => {
    const row = (edge: 'top' | 'bottom', line: number, rows: number) =>
      viewPrompt(make({ place: { edge, line } }), { cols: 20, rows }).rect.y;
    expect([row('bottom', 0, 24), row('bottom', 1, 24), row('top', 0, 24), row('top', 1, 24)]).toEqual([23, 22, 0, 1]);
    expect([row('bottom', 4, 2), row('top', 4, 2)]).toEqual([0, 1]);
  });

  it('can be given another text', () => {
    expect(withPromptText(make({ initial: 'spl' }), 'split-window').editor).toMatchObject({ cursor: 12 });
  });

  it('scrolls sideways with marks, shortens a long label and counts near the limit', () => {
    expect(drawn(make({ initial: 'abcdefghijklmnopqrstuvwxyz' }), 12)).toBe(':‹rstuvwxyz');
    expect(drawn(press(make({ initial: 'abcdefghijklmnopqrstuvwxyz' }), 'C-a').model, 12)).toBe(':abcdefghij›');
    expect(drawn(make({ label: 'a very long label: ', initial: 'xy' }), 20)).toBe('a very lon… xy');
    expect(drawn(make({ initial: 'x'.repeat(1950) }))).toMatch(/^:‹x+ +1950\/2000$/);
  });
});

describe('a text field', () => {
  it('keeps the cursor inside and never draws wider than it is', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 60 }),
        fc.nat(60),
        fc.integer({ min: 1, max: 30 }),
        (text, at, columns) => {
          const whole = createEditor(text);
          const cluster = [...new Intl.Segmenter('en').segment(whole.text)][at];
          const picture = drawInput({ ...whole, cursor: cluster?.index ?? whole.text.length }, columns);
          expect(textWidth(picture.text)).toBeLessThanOrEqual(columns);
          expect(picture.cursor).toBeGreaterThanOrEqual(0);
          expect(picture.cursor).toBeLessThan(columns);
        },
      ),
    );
  });
});
