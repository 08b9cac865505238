import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countCodePoints } from '../../../protocol/clean-text.ts';
import { ANSWER_MAX } from '../../../protocol/dialog.ts';
import { createEditor, editKey, insertText, type LineEditor } from '../../../src/overlay/line-editor.ts';

/** The editor after typed text and keys; `|` in the result is the cursor. */
function edit(text: string, keys: string): string {
  const end = keys
    .split(' ')
    .filter((key) => key !== '')
    .reduce<LineEditor>((editor, key) => editKey(editor, key) ?? editor, createEditor(text));
  return `${end.text.slice(0, end.cursor)}|${end.text.slice(end.cursor)}`;
}

describe('the line editor', () => {
  // The first rows were compared with the prompt of tmux 3.3a.
  it.each([
    ['foo bar-baz qux/z', 'C-w', 'foo bar-baz qux/|'],
    ['foo bar-baz--', 'C-w', 'foo bar-baz|'],
    ['foo bar-baz', 'C-w C-w', 'foo bar|'],
    ['foo bar-baz', 'C-w C-y C-y', 'foo bar-bazbaz|'],
    ['foo bar baz', 'M-b C-u', '|'],
    ['foo bar-baz', 'M-b X', 'foo bar-X|baz'],
    ['foo bar-baz', 'M-b M-b X', 'foo barX|-baz'],
    ['foo bar-baz', 'C-a M-f X', 'fooX| bar-baz'],
    ['abcd', 'C-b C-t', 'abdc|'],
    ['abcd', 'C-b C-b C-t', 'acb|d'],
    ['世界世界', 'C-b C-h', '世界|界'],
    ['abc', 'C-a C-k C-y C-y', 'abcabc|'],
    ['foo bar', 'M-BSpace', 'foo |'],
    ['foo bar', 'C-a M-d', '| bar'],
    ['abc', 'C-t', 'acb|'],
    ['abc', 'Home Right DC End BSpace', 'a|'],
    ['👩‍👩‍👧é', 'BSpace BSpace', '|'],
    ['a', 'C-a C-b C-h C-t C-w', '|a'],
    ['', 'Space KP5 KP. S-Space é 世', ' 5. é世|'],
    ['x', 'F1 Enter Escape C-x M-z', 'x|'],
  ])('makes of %j and %s %j', (text, keys, result) => {
    expect(edit(text, keys)).toBe(result);
  });

  it('stops at its limit, counted in code points', () => {
    const full = createEditor('😀'.repeat(ANSWER_MAX + 5));
    expect(countCodePoints(full.text)).toBe(ANSWER_MAX);
    expect(insertText(full, 'x')).toEqual(full);
    expect(countCodePoints(insertText(createEditor('a'.repeat(1999)), '😀😀').text)).toBe(ANSWER_MAX);
  });

  it('keeps the cursor between clusters and the text well-formed, whatever is typed', () => {
    const key = fc.constantFrom(
      ...['C-a', 'C-b', 'C-d', 'C-e', 'C-f', 'C-h', 'C-k', 'C-t', 'C-u', 'C-w', 'C-y', 'M-b', 'M-d', 'M-f', 'M-BSpace'],
      ...['a', ' ', '-', 'é', '\u0301', '世', '👩', '\u200d', '🇩', '🇪', 'Space'],
    );
    const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 12 }), fc.array(key, { maxLength: 30 }), (text, keys) => {
        let editor = createEditor(text);
        for (const one of keys) {
          editor = editKey(editor, one) ?? editor;
          const boundaries = [...segmenter.segment(editor.text)].map(({ index }) => index);
          expect([...boundaries, editor.text.length]).toContain(editor.cursor);
          expect(editor.text).not.toMatch(/\p{Cs}/u);
        }
      }),
    );
  });
});
