import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { captureText } from '../../../server/terminal/capture.ts';
import { Emulator } from '../../../server/terminal/emulator.ts';
import { viewOf } from '../../../server/terminal/history.ts';
import { packedLines } from '../../../server/terminal/packed-text.ts';

const SIZE = { cols: 12, rows: 4 };

function terminal(text = '', replies: string[] = []): Emulator {
  const emulator = new Emulator({
    size: SIZE,
    scrollback: 10_000,
    now: () => 0,
    handlers: { reply: (bytes) => replies.push(bytes), title: (title) => replies.push(title) },
  });
  emulator.write(Buffer.from(text));
  return emulator;
}

function pack(emulator: Emulator): { screen: Uint8Array; history: Uint8Array[] } {
  const screen = emulator.packScreen();
  return { screen, history: emulator.historyChunks.map((chunk) => chunk.pack()) };
}

function linesOf(emulator: Emulator): string[] {
  return [...packedLines(pack(emulator), (error) => expect.fail(String(error)))];
}

function shown(emulator: Emulator): string {
  const view = viewOf(emulator);
  return captureText(view, { first: 0, last: view.length - 1 }, { styles: true, join: true }).replace(/(?: *\n)*$/, '');
}

describe('the text of a packed terminal', () => {
  it('is its lines, history first, down to the last one with text', () => {
    const emulator = terminal('one\r\n\r\n\x1b[1;31mred\x1b[m tail\r\n4\r\n5\r\n6\r\n\r\n');
    expect(linesOf(emulator)).toEqual([
      'one',
      '',
      '\x1b[1m\x1b[31mred\x1b[0m\x1b[39m\x1b[49m tail\x1b[m',
      '4',
      '5',
      '6',
    ]);
    expect(linesOf(terminal(''))).toEqual([]);
  });

  it('joins what was wrapped, with the gap before a wide character that did not fit', () => {
    expect(linesOf(terminal('abcdefghijklmnopqrstuvwxyz\r\nabcdefghijk漢\r\nx'))).toEqual([
      'abcdefghijklmnopqrstuvwxyz',
      'abcdefghijk漢',
      'x',
    ]);
  });

  it('is of the normal screen, while a full-screen program runs too', () => {
    expect(linesOf(terminal('below\r\n\x1b[?1049hfull'))).toEqual(['below']);
  });

  it('shows the same when it is written to a fresh terminal', () => {
    const piece = fc.constantFrom(
      'a',
      'word ',
      '漢',
      'e\u0301',
      '\r\n',
      '\r\n\r\n',
      '\x1b[31m',
      '\x1b[4:3m',
      '\x1b[m',
      '\x1b[48;2;1;2;3m',
      'x'.repeat(30),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const emulator = terminal(pieces.join(''));
        const again = terminal(linesOf(emulator).join('\r\n'));
        const plain = (text: string) => text.replaceAll(/\x1b\[[\d;:]*m/g, '').replaceAll(/ +$/gm, '');
        expect(plain(shown(again))).toBe(plain(shown(emulator)));
      }),
      { numRuns: 60 },
    );
  });

  it('of many lines comes from full chunks', () => {
    const emulator = terminal(Array.from({ length: 9000 }, (_, i) => `line ${i}`).join('\r\n'));
    expect(emulator.historyChunks.length).toBeGreaterThan(1);
    const lines = linesOf(emulator);
    expect(lines).toHaveLength(9000);
    expect(lines.at(-1)).toBe('line 8999');
  });

  it('of bytes that were changed is printable text and colours, or is told to be damaged; nothing answers', () => {
    const packed = pack(
      terminal('one\r\n\x1b[31mred 漢 e\u0301\x1b[m \x1b]8;;https://e.org\x07link\x1b]8;;\x07\r\n'.repeat(5)),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 8 }), (changes) => {
        const screen = Buffer.from(packed.screen);
        for (const [place, byte] of changes) screen[place % screen.length] = byte;
        let faults = 0;
        const text = [...packedLines({ ...packed, screen }, () => faults++)].join('\r\n');
        expect(text.replaceAll(/\x1b\[[\d;:]*m/g, '')).not.toMatch(/[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f]/);
        const replies: string[] = [];
        terminal(text, replies);
        expect(replies).toEqual([]);
        expect(faults).toBeLessThanOrEqual(1);
      }),
      { numRuns: 200 },
    );
  });
});
