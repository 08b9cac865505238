/**
 * One line of text being edited: a value and pure operations on it. The cursor is an index into the text (UTF-16 units)
 * and always stands between two grapheme clusters. Keys are those of tmux's status prompt with emacs keys (tmux(1)
 * command-prompt), with readline's word keys added and every kill kept for C-y.
 */
import { countCodePoints } from '../../protocol/clean-text.ts';
import { ANSWER_MAX } from '../../protocol/dialog.ts';
import type { Key } from '../../protocol/key.ts';

export interface LineEditor {
  readonly text: string;
  readonly cursor: number;
  /** What C-y puts back. */
  readonly killed: string;
}

/** Separators of words for C-w, M-b and M-f: tmux's option word-separators. */
const WORD_SEPARATORS = '!"#$%&\'()*+,-./:;<=>?@[\\]^`{|}~';

let segmenter: Intl.Segmenter | undefined;

/** Where grapheme clusters are; made when the first line is edited, since it takes milliseconds. */
function graphemeSegments(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
}

/** An editor with the cursor at the end; the text is cut at ANSWER_MAX code points. */
export function createEditor(text = ''): LineEditor {
  const kept = [...wellFormed(text)].slice(0, ANSWER_MAX).join('');
  return { text: kept, cursor: kept.length, killed: '' };
}

/** Inserts at the cursor what still fits under ANSWER_MAX code points; lone surrogates become U+FFFD. */
export function insertText(editor: LineEditor, text: string): LineEditor {
  const room = ANSWER_MAX - countCodePoints(editor.text);
  const added = room > 0 ? [...wellFormed(text)].slice(0, room).join('') : '';
  if (added === '') return editor;
  const before = editor.text.slice(0, editor.cursor) + added;
  const whole = before + editor.text.slice(editor.cursor);
  return { ...editor, text: whole, cursor: boundaryFrom(whole, before.length) };
}

/** The text replaced and the cursor at its end. */
export function replaceText(editor: LineEditor, text: string): LineEditor {
  return { ...createEditor(text), killed: editor.killed };
}

type Operation = (editor: LineEditor) => LineEditor;

const OPERATIONS: Readonly<Record<Key, Operation>> = {
  Left: (editor) => moveTo(editor, previousBoundary(editor)),
  'C-b': (editor) => moveTo(editor, previousBoundary(editor)),
  Right: (editor) => moveTo(editor, nextBoundary(editor)),
  'C-f': (editor) => moveTo(editor, nextBoundary(editor)),
  Home: (editor) => moveTo(editor, 0),
  'C-a': (editor) => moveTo(editor, 0),
  End: (editor) => moveTo(editor, editor.text.length),
  'C-e': (editor) => moveTo(editor, editor.text.length),
  'M-b': (editor) => moveTo(editor, previousWord(editor)),
  'C-Left': (editor) => moveTo(editor, previousWord(editor)),
  'M-Left': (editor) => moveTo(editor, previousWord(editor)),
  'M-f': (editor) => moveTo(editor, nextWord(editor)),
  'C-Right': (editor) => moveTo(editor, nextWord(editor)),
  'M-Right': (editor) => moveTo(editor, nextWord(editor)),
  BSpace: (editor) => erase(editor, previousBoundary(editor), editor.cursor),
  'C-h': (editor) => erase(editor, previousBoundary(editor), editor.cursor),
  DC: (editor) => erase(editor, editor.cursor, nextBoundary(editor)),
  'C-d': (editor) => erase(editor, editor.cursor, nextBoundary(editor)),
  'C-k': (editor) => kill(editor, editor.cursor, editor.text.length),
  // The whole line, as in tmux; not readline's "to the start".
  'C-u': (editor) => kill(editor, 0, editor.text.length),
  'C-w': (editor) => kill(editor, previousWord(editor), editor.cursor),
  'M-BSpace': (editor) => kill(editor, previousWord(editor), editor.cursor),
  'M-d': (editor) => kill(editor, editor.cursor, nextWord(editor)),
  'C-y': (editor) => insertText(editor, editor.killed),
  'C-t': transpose,
};

const KEYPAD = /^KP([0-9/*+.-])$/;

/** The editor after a key; undefined if the key edits nothing (Enter, Escape, F1, …). */
export function editKey(editor: LineEditor, key: Key): LineEditor | undefined {
  if (Object.hasOwn(OPERATIONS, key)) return OPERATIONS[key]?.(editor);
  const typed = typedText(key);
  return typed === undefined ? undefined : insertText(editor, typed);
}

/** The character that a key types, or undefined. */
export function typedText(key: Key): string | undefined {
  if (key === 'Space' || key === 'S-Space') return ' ';
  const keypad = KEYPAD.exec(key);
  if (keypad) return keypad[1];
  const codePoint = key.codePointAt(0) ?? 0;
  return key.length === (codePoint > 0xffff ? 2 : 1) && codePoint >= 0x20 ? key : undefined;
}

function moveTo(editor: LineEditor, cursor: number): LineEditor {
  return { ...editor, cursor };
}

function erase(editor: LineEditor, from: number, to: number): LineEditor {
  if (from >= to) return editor;
  const text = editor.text.slice(0, from) + editor.text.slice(to);
  return { ...editor, text, cursor: boundaryFrom(text, from) };
}

function kill(editor: LineEditor, from: number, to: number): LineEditor {
  if (from >= to) return editor;
  return { ...erase(editor, from, to), killed: editor.text.slice(from, to) };
}

function transpose(editor: LineEditor): LineEditor {
  const at = editor.cursor === editor.text.length ? previousBoundary(editor) : editor.cursor;
  const left = previousBoundary({ ...editor, cursor: at });
  const right = nextBoundary({ ...editor, cursor: at });
  if (left === at || right === at) return editor;
  const { text } = editor;
  const swapped = text.slice(0, left) + text.slice(at, right) + text.slice(left, at) + text.slice(right);
  return { ...editor, text: swapped, cursor: boundaryFrom(swapped, right) };
}

function previousBoundary({ text, cursor }: LineEditor): number {
  if (cursor <= 0) return 0;
  return graphemeSegments(text).containing(cursor - 1)?.index ?? 0;
}

function nextBoundary({ text, cursor }: LineEditor): number {
  return boundaryFrom(text, cursor + 1);
}

/** The first boundary at or after an index. */
function boundaryFrom(text: string, index: number): number {
  if (index >= text.length) return text.length;
  const segment = graphemeSegments(text).containing(index);
  if (!segment || segment.index === index) return index;
  return segment.index + segment.segment.length;
}

type WordClass = 'space' | 'separator' | 'word';

function wordClass(character: string): WordClass {
  if (/^\s/u.test(character)) return 'space';
  return WORD_SEPARATORS.includes(character) ? 'separator' : 'word';
}

/** Whether blank space begins at an index; the end of the text counts as such. */
export function isSpaceAt(text: string, index: number): boolean {
  return index >= text.length || wordClass(text.slice(index)) === 'space';
}

/** Whether the characters at two indices belong into one word. */
export function sameClassAt(text: string, a: number, b: number): boolean {
  return wordClass(text.charAt(a)) === wordClass(text.charAt(b));
}

/** Steps over the clusters of a line; none leaves it. */
export function wordSteps({ text, killed }: LineEditor): {
  readonly end: number;
  readonly next: (index: number) => number;
  readonly previous: (index: number) => number;
} {
  return {
    end: text.length,
    next: (index) => nextBoundary({ text, killed, cursor: index }),
    previous: (index) => previousBoundary({ text, killed, cursor: index }),
  };
}

function previousWord(editor: LineEditor): number {
  let at = editor.cursor;
  const before = () => editor.text.slice(previousBoundary({ ...editor, cursor: at }), at);
  while (at > 0 && wordClass(before()) === 'space') at -= before().length;
  const found = at > 0 ? wordClass(before()) : 'space';
  while (at > 0 && wordClass(before()) === found) at -= before().length;
  return at;
}

function nextWord(editor: LineEditor): number {
  let at = editor.cursor;
  const end = editor.text.length;
  const after = () => editor.text.slice(at, nextBoundary({ ...editor, cursor: at }));
  while (at < end && wordClass(after()) === 'space') at += after().length;
  const found = at < end ? wordClass(after()) : 'space';
  while (at < end && wordClass(after()) === found) at += after().length;
  return at;
}

function wellFormed(text: string): string {
  return text.replaceAll(/\p{Cs}/gu, '\ufffd');
}
