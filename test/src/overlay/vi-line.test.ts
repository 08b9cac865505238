import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEditor } from '../../../src/overlay/line-editor.ts';
import { type ViMode, viCommand } from '../../../src/overlay/vi-line.ts';

/** The line after keys of command mode; `|` is the cursor. */
function after(keys: string, text = 'abc def-ghi jk', at = text.length): string {
  let editor = { ...createEditor(text), cursor: at };
  let mode: ViMode = 'command';
  for (const key of keys.split(' ')) {
    expect(mode, `before ${key}`).toBe('command');
    const step = viCommand(editor, key);
    if (step) ({ editor, mode } = step);
  }
  return `${editor.text.slice(0, editor.cursor)}|${editor.text.slice(editor.cursor)}${mode === 'insert' ? ' (insert)' : ''}`;
}

describe('keys of command mode', () => {
  // As the prompt of tmux 3.3a does it.
  it.each([
    ['h h h h', 'abc def-gh|i jk'],
    ['0 w', 'abc |def-ghi jk'],
    ['0 w w', 'abc def|-ghi jk'],
    ['0 W W', 'abc def-ghi |jk'],
    ['0 e', 'ab|c def-ghi jk'],
    ['0 e e', 'abc de|f-ghi jk'],
    ['0 E E', 'abc def-gh|i jk'],
    ['$ b b b', 'abc def|-ghi jk'],
    ['$ B B', 'abc |def-ghi jk'],
    ['h h h h x', 'abc def-gh| jk'],
    ['h h h h X', 'abc def-g|i jk'],
    ['h h h h C-h', 'abc def-g|i jk'],
    ['h h h h BSpace', 'abc def-g|hi jk'],
    ['h h h h D', 'abc def-gh|'],
    ['d', '|'],
    ['h h h h C', 'abc def-gh| (insert)'],
    ['S', '| (insert)'],
    ['h h h h s', 'abc def-gh| jk (insert)'],
    ['h h h h a', 'abc def-ghi| jk (insert)'],
    ['I', '|abc def-ghi jk (insert)'],
    ['0 A', 'abc def-ghi jk| (insert)'],
    ['h Escape', 'abc def-ghi j|k (insert)'],
    ['0 D p', 'abc def-ghi jk|'],
  ])('%s', (keys, wanted) => {
    expect(after(keys)).toBe(wanted);
  });

  it('says nothing to keys that mean nothing there', () => {
    for (const key of ['G', 'r', 't', 'Y', 'Tab', 'C-a', 'M-f', 'constructor']) {
      expect(viCommand(createEditor('abc'), key), key).toBeUndefined();
    }
  });

  it('any keys leave the cursor in the line, between two clusters', () => {
    const keys = fc.array(fc.constantFrom(...'hl0^$wWeEbBxXDdp'), { maxLength: 20 });
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 20 }), keys, (text, pressed) => {
        let editor = createEditor(text);
        for (const key of pressed) editor = viCommand(editor, key)?.editor ?? editor;
        expect(editor.cursor).toBeGreaterThanOrEqual(0);
        expect(editor.cursor).toBeLessThanOrEqual(editor.text.length);
        const before = editor.text.slice(0, editor.cursor);
        const count = (part: string) => [...new Intl.Segmenter('en').segment(part)].length;
        expect(count(before) + count(editor.text.slice(editor.cursor))).toBe(count(editor.text));
      }),
    );
  });
});
