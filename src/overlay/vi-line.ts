/**
 * Keys of a line that is edited in vi's command mode (tmux(1) status-keys vi): what each does to the line and which mode
 * follows. Insert mode is the line editor itself.
 */
import type { Key } from '../../protocol/key.ts';
import { editKey, isSpaceAt, type LineEditor, replaceText, sameClassAt, wordSteps } from './line-editor.ts';

export type ViMode = 'insert' | 'command';

export interface ViStep {
  readonly editor: LineEditor;
  readonly mode: ViMode;
}

type Operation = (editor: LineEditor) => LineEditor;

const by =
  (key: Key): Operation =>
  (editor) =>
    editKey(editor, key) ?? editor;
const clear: Operation = (editor) => replaceText({ ...editor, killed: editor.text }, '');
const stay: Operation = (editor) => editor;

/** Keys that stay in command mode. */
const MOTIONS: Readonly<Record<Key, Operation>> = {
  h: by('Left'),
  Left: by('Left'),
  BSpace: by('Left'),
  l: by('Right'),
  Right: by('Right'),
  0: by('Home'),
  '^': by('Home'),
  $: by('End'),
  w: (editor) => nextStart(editor, 'word'),
  W: (editor) => nextStart(editor, 'space'),
  e: (editor) => nextEnd(editor, 'word'),
  E: (editor) => nextEnd(editor, 'space'),
  b: (editor) => previousStart(editor, 'word'),
  B: (editor) => previousStart(editor, 'space'),
  x: by('DC'),
  DC: by('DC'),
  X: by('BSpace'),
  'C-h': by('BSpace'),
  D: by('C-k'),
  d: clear,
  p: by('C-y'),
};

/** Keys that go on to insert mode. */
const INSERTS: Readonly<Record<Key, Operation>> = {
  Escape: stay,
  i: stay,
  a: by('Right'),
  A: by('End'),
  I: by('Home'),
  C: by('C-k'),
  s: by('DC'),
  S: clear,
};

/** What a key of command mode does; undefined if it does nothing to the line. */
export function viCommand(editor: LineEditor, key: Key): ViStep | undefined {
  const motion = Object.hasOwn(MOTIONS, key) ? MOTIONS[key] : undefined;
  if (motion) return { editor: motion(editor), mode: 'command' };
  const insert = Object.hasOwn(INSERTS, key) ? INSERTS[key] : undefined;
  return insert && { editor: insert(editor), mode: 'insert' };
}

/** What parts words: `word` counts separators as words of their own, `space` blanks alone. */
type Parting = 'word' | 'space';

function isSameWord(text: string, a: number, b: number, parting: Parting): boolean {
  if (isSpaceAt(text, a) || isSpaceAt(text, b)) return false;
  return parting === 'space' || sameClassAt(text, a, b);
}

function nextStart(editor: LineEditor, parting: Parting): LineEditor {
  const { text } = editor;
  const { end, next } = wordSteps(editor);
  let at = editor.cursor;
  while (at < end && isSameWord(text, editor.cursor, at, parting)) at = next(at);
  while (at < end && isSpaceAt(text, at)) at = next(at);
  return { ...editor, cursor: at };
}

function nextEnd(editor: LineEditor, parting: Parting): LineEditor {
  const { text } = editor;
  const { end, next } = wordSteps(editor);
  let at = next(editor.cursor);
  while (at < end && isSpaceAt(text, at)) at = next(at);
  while (at < end && next(at) < end && isSameWord(text, at, next(at), parting)) at = next(at);
  return { ...editor, cursor: Math.min(at, end) };
}

function previousStart(editor: LineEditor, parting: Parting): LineEditor {
  const { text } = editor;
  const { previous } = wordSteps(editor);
  let at = previous(editor.cursor);
  while (at > 0 && isSpaceAt(text, at)) at = previous(at);
  while (at > 0 && isSameWord(text, at, previous(at), parting)) at = previous(at);
  return { ...editor, cursor: at };
}
