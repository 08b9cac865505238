import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clipboardAnswer, clipboardText } from '../../../client/attach/outer-clipboard.ts';
import { InputParser } from '../../../client/terminal/input-parser.ts';
import { CLIPBOARD_READ_MAX } from '../../../protocol/message.ts';
import { FULL_TERMINAL } from '../../support/capabilities.ts';

const TMUX = { ...FULL_TERMINAL, name: 'tmux 3.3a' };
const SCREEN = { ...FULL_TERMINAL, term: 'screen.xterm-256color' };

const encoded = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

describe('text for the clipboard of a terminal', () => {
  it('is one OSC 52 on a plain terminal', () => {
    expect(clipboardText('c', Buffer.from('hé'), FULL_TERMINAL)).toBe('\x1b]52;c;aMOp\x1b\\');
  });

  it('is said to tmux and handed through it, whatever the text', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), (bytes) => {
        const plain = clipboardText('c', bytes, FULL_TERMINAL);
        const text = clipboardText('c', bytes, TMUX);
        expect(text.startsWith(plain)).toBe(true);
        const wrapped = /^\x1bPtmux;((?:[^\x1b]|\x1b\x1b)*)\x1b\\$/.exec(text.slice(plain.length))?.[1];
        expect(wrapped?.replaceAll('\x1b\x1b', '\x1b')).toBe(plain);
      }),
    );
  });

  it('goes through screen in pieces that it hands on, whatever the text', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), (bytes) => {
        const text = clipboardText('c', bytes, SCREEN);
        const pieces = text.split('\x1b\\').slice(0, -1);
        expect(pieces.every((piece) => piece.startsWith('\x1bP') && piece.length <= 256)).toBe(true);
        expect(pieces.map((piece) => piece.slice(2)).join('')).toBe(`\x1b]52;c;${encoded(bytes)}\x07`);
      }),
    );
  });
});

describe('an answer about the clipboard', () => {
  const read = (bytes: string) => new InputParser().feed(Buffer.from(bytes, 'latin1'), 0).replies.map(clipboardAnswer);

  it('is the text, however it comes in', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 500 }), fc.nat(), (text, at) => {
        const bytes = Buffer.from(`\x1b]52;c;${encoded(Buffer.from(text))}\x07`);
        const parser = new InputParser();
        const cut = at % bytes.length;
        const replies = [
          ...parser.feed(bytes.subarray(0, cut), 0).replies,
          ...parser.feed(bytes.subarray(cut), 1).replies,
        ];
        expect(replies.map(clipboardAnswer)).toEqual([text]);
      }),
    );
  });

  it('is nothing if it is too long, cut or no answer', () => {
    expect(read(`\x1b]52;c;${encoded(Buffer.alloc(CLIPBOARD_READ_MAX, 'x'))}\x07`)[0]).toHaveLength(CLIPBOARD_READ_MAX);
    expect(read(`\x1b]52;c;${encoded(Buffer.alloc(CLIPBOARD_READ_MAX + 1, 'x'))}\x07`)).toEqual([undefined]);
    expect(read(`\x1b]52;c;${encoded(Buffer.alloc(400_000, 'x'))}\x07`)).toEqual([undefined]);
    expect(read('\x1b]52;c;?\x07\x1b]52;c;YWJjZ\x07\x1b]52;c;a b\x07\x1b]4;1;x\x07')).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
