import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InputParser } from '../../../client/terminal/input-parser.ts';
import type { TerminalReply } from '../../../client/terminal/input-recognizer.ts';
import { FRAME_HEADER_SIZE } from '../../../protocol/call-codec.ts';
import { decodeClientMessage, encodeClientMessage } from '../../../protocol/codec.ts';
import type { InputEvent } from '../../../protocol/key.ts';
import { parseKey } from '../../../protocol/key.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');

/** Feeds everything at time 0, then lets all time-outs pass. */
function parse(...chunks: (string | Uint8Array)[]): { events: InputEvent[]; replies: TerminalReply[] } {
  const parser = new InputParser();
  const parts = chunks.map((chunk) => parser.feed(typeof chunk === 'string' ? latin1(chunk) : chunk, 0));
  parts.push(...settle(parser));
  return { events: parts.flatMap((part) => part.events), replies: parts.flatMap((part) => part.replies) };
}

function settle(parser: InputParser): ReturnType<InputParser['flush']>[] {
  const parts: ReturnType<InputParser['flush']>[] = [];
  for (let deadline = parser.deadline; deadline !== undefined; deadline = parser.deadline) {
    parts.push(parser.flush(deadline));
  }
  return parts;
}

/** Events in a short form: key names, `paste:text`, `press left 3,4`. */
function show(events: readonly InputEvent[]): string[] {
  return events.map(showOne);
}

function showOne(event: InputEvent): string {
  switch (event.kind) {
    case 'key':
      return event.key;
    case 'paste':
      return `paste:${event.text}`;
    case 'focus':
      return event.focused ? 'focus in' : 'focus out';
    case 'mouse': {
      const modifiers = `${event.ctrl ? 'C-' : ''}${event.meta ? 'M-' : ''}${event.shift ? 'S-' : ''}`;
      return `${event.action} ${modifiers}${event.button} ${event.x},${event.y}`;
    }
  }
}

const events = (...chunks: (string | Uint8Array)[]) => show(parse(...chunks).events);

/** Joined again: adjacent pastes are one text, however they were cut. */
function canonical(result: { events: InputEvent[]; replies: TerminalReply[] }): unknown {
  return [show(result.events), result.replies];
}

describe('InputParser, keys', () => {
  it('names keys as the installed tmux does', () => {
    const path = new URL('../../fixtures/client/tmux-keys.json', import.meta.url);
    const rows = JSON.parse(readFileSync(path, 'utf8')) as [string, string][];
    expect(rows.length).toBeGreaterThan(350);
    const wrong: string[] = [];
    for (const [bytes, name] of rows) {
      const wanted = parseKey(name.replace('C-@', 'C-Space'));
      const actual = events(bytes);
      if (actual.length === 1 && actual[0] === wanted) continue;
      if (isBetterNamed(name, actual[0] ?? '')) continue;
      wrong.push(`${JSON.stringify(bytes)}: tmux ${name}, ours ${actual.join(' ')}`);
    }
    expect(wrong).toEqual([]);
  });

  /**
   * Where we differ on purpose: Shift on a printable key is in the character (`A`, not `S-a`), Control and Shift give one
   * name for both cases, Shift and Tab are BTab, and a terminal that tells Tab and C-i apart is believed.
   */
  function isBetterNamed(tmux: string, ours: string): boolean {
    const tmuxBase = tmux.replace(/^(?:[CMS]-)+/, '');
    const oursBase = ours.replace(/^(?:[CMS]-)+/, '');
    if (tmux.includes('S-') && [...tmuxBase].length === 1 && tmuxBase !== '') {
      return oursBase.toLowerCase() === tmuxBase.toLowerCase() || (tmuxBase === '@' && oursBase === 'Space');
    }
    if (tmuxBase === 'Tab') return oursBase === 'BTab' || oursBase === 'i';
    if (tmuxBase === 'Enter') return oursBase === 'm';
    if (tmuxBase === 'Escape') return oursBase === '[';
    return tmuxBase === '@' && oursBase === 'Space';
  }

  it.each([
    ['\x1b[P', 'F1'],
    ['\x1b[1~', 'Home'],
    ['\x1b[4~', 'End'],
    ['\x1b[7~', 'Home'],
    ['\x1b[11~', 'F1'],
    ['\x1b[34~', 'F20'],
    ['\x1b[[A', 'F1'],
    ['\x1b[[E', 'F5'],
    ['\x1bO5P', 'C-F1'],
    ['\x1b[97;5u', 'C-a'],
    ['\x1b[97;2u', 'A'],
    ['\x1b[97:65;2u', 'A'],
    ['\x1b[97;6u', 'C-S-a'],
    ['\x1b[27;6;65~', 'C-S-a'],
    ['\x1b[9;2u', 'BTab'],
    ['\x1b[13;5u', 'C-Enter'],
    ['\x1b[27u', 'Escape'],
    ['\x1b[57417;5u', 'C-Left'],
    ['\x1b[57376u', 'F13'],
    ['\x1b[57400u', 'KP1'],
    ['\x1b[1;2R', 'S-F3'],
  ])('reads %j as %s', (bytes, name) => {
    expect(events(bytes)).toEqual([name]);
  });

  it('tells keys without a name by their numbers, and drops numbers that are no keys', () => {
    const told = parse('\x1b[57441;2u\x1b[57441;1:3u\x1b[57428u\x1b[57480u\x1b[63743u').events;
    const nothing = { shifted: 0, base: 0, text: '' };
    expect(told).toEqual([
      { kind: 'key', key: 'Key57441', detail: { ...nothing, event: 'press', modifiers: 1, code: 57441 } },
      { kind: 'key', key: 'Key57441', detail: { ...nothing, event: 'release', modifiers: 0, code: 57441 } },
      { kind: 'key', key: 'Key57428', detail: { ...nothing, event: 'press', modifiers: 0, code: 57428 } },
    ]);
    expect(parseKey('Key57441')).toBeUndefined();
  });

  it('tells what the kitty keyboard protocol says of a key beside its name', () => {
    const detail = (bytes: string) => {
      const [event] = parse(bytes).events;
      return event?.kind === 'key' ? [event.key, event.detail] : event;
    };
    const none = { event: 'press', modifiers: 0, code: 0, shifted: 0, base: 0, text: '' };
    expect(detail('\x1b[97;1:3u')).toEqual(['a', { ...none, event: 'release', code: 97 }]);
    expect(detail('\x1b[97;1:2u')).toEqual(['a', { ...none, event: 'repeat', code: 97 }]);
    expect(detail('\x1b[1;5:3A')).toEqual(['C-Up', { ...none, event: 'release', modifiers: 4 }]);
    expect(detail('\x1b[3;5:1~')).toEqual(['C-DC', { ...none, modifiers: 4 }]);
    expect(detail('\x1b[97:65;2;65u')).toEqual(['A', { ...none, modifiers: 1, code: 97, shifted: 65, text: 'A' }]);
    expect(detail('\x1b[97;9u')).toEqual(['a', { ...none, modifiers: 8, code: 97 }]);
    expect(detail('\x1b[13;2:1u')).toEqual(['S-Enter', { ...none, modifiers: 1 }]);
    expect(detail('\x1b[97;5u')).toEqual(['C-a', undefined]);
    expect(detail('\x1b[27;5;97~')).toEqual(['C-a', undefined]);
  });

  it('names keys by their text and, with Control, by their place on the standard layout', () => {
    // Cyrillic; a digit row with symbols; caps lock; Control with a shifted symbol.
    expect(events('\x1b[1089::99;5u', '\x1b[1089::99;6u', '\x1b[49:33;2;33u', '\x1b[97;65;65u')).toEqual([
      'C-c',
      'C-S-c',
      '!',
      'A',
    ]);
    expect(events('\x1b[47:63;6u', '\x1b[50:64;6u', '\x1b[45:95;6u', '\x1b[54:94;6u')).toEqual([
      'C-?',
      'C-Space',
      'C-_',
      'C-^',
    ]);
  });

  it('reads whatever stands in a kitty key, split anywhere, as names that are keys and details that travel', () => {
    const field = fc.stringMatching(/^[0-9:]{0,12}$/);
    const number = fc.oneof(
      field,
      fc.nat(0x110100).map(String),
      fc.constantFrom('97:65', '0', '57358', '55296', '2:3'),
    );
    const sequence = fc
      .tuple(fc.array(number, { maxLength: 4 }), fc.constantFrom('u', '~', 'A', 'P', 'R'))
      .map(([fields, final]) => `\x1b[${fields.join(';')}${final}`)
      .filter((text) => !/^\x1b\[(?:0*20[01]~|27u)/.test(text));
    fc.assert(
      fc.property(fc.array(sequence, { maxLength: 4 }), fc.nat(40), (sequences, at) => {
        const bytes = sequences.join('');
        const whole = parse(bytes);
        expect(parse(bytes.slice(0, at), bytes.slice(at))).toEqual(whole);
        for (const event of whole.events) {
          if (event.kind !== 'key') continue;
          const number = /^Key(\d+)$/.exec(event.key)?.[1];
          if (number) expect(event.detail?.code).toBe(Number(number));
          else expect(parseKey(event.key)).toBe(event.key);
          const message = { kind: 'input', events: [event] } as const;
          expect(decodeClientMessage(encodeClientMessage(message).subarray(FRAME_HEADER_SIZE))).toEqual(message);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('takes the text of an input method for keys', () => {
    expect(events('\x1b[0;;28450:32:233u')).toEqual(['漢', 'Space', 'é']);
  });

  it('takes a lone Escape for the key once escape-time is over, not before', () => {
    const parser = new InputParser();
    parser.escapeMs = 50;
    expect(parser.feed(latin1('\x1b'), 1000).events).toEqual([]);
    expect(parser.deadline).toBe(1050);
    expect(parser.flush(1049).events).toEqual([]);
    expect(show(parser.flush(1050).events)).toEqual(['Escape']);
    expect(parser.deadline).toBeUndefined();
  });

  it('reads what follows an Escape in time as Meta', () => {
    expect(events('\x1b', 'a')).toEqual(['M-a']);
    expect(events('\x1b', '[')).toEqual(['M-[']);
    expect(events('\x1b', 'O')).toEqual(['M-O']);
    expect(events('\x1bX', 'a')).toEqual(['M-X', 'a']);
    expect(events('\x1b]a')).toEqual(['M-]', 'a']);
    expect(events('\x1bPx')).toEqual(['M-P', 'x']);
    expect(events('\x1b[\r')).toEqual(['M-[', 'Enter']);
  });

  it('keeps Escape and a following sequence apart or together as rxvt means it', () => {
    expect(events('\x1b\x1b[A')).toEqual(['M-Up']);
    expect(events('\x1b\x1b')).toEqual(['M-Escape']);
    expect(events('\x1b\x1b[<0;1;1M')).toEqual(['Escape', 'press left 0,0']);
  });

  it('drops bytes that are no UTF-8 and keeps what is around them', () => {
    expect(events('a\xffb\xc0\xafc\xed\xa0\x80d')).toEqual(['a', 'b', 'c', 'd']);
    expect(events('a\xe2\x82')).toEqual(['a']);
    expect(events('\xe2\x82', '\xac')).toEqual(['€']);
  });
});

describe('InputParser, mouse, paste, focus', () => {
  it.each([
    ['\x1b[<0;3;4M', 'press left 2,3'],
    ['\x1b[<0;3;4m', 'release left 2,3'],
    ['\x1b[<2;1;1M', 'press right 0,0'],
    ['\x1b[<32;3;4M', 'motion left 2,3'],
    ['\x1b[<35;3;4M', 'motion none 2,3'],
    ['\x1b[<64;3;4M', 'press wheel-up 2,3'],
    ['\x1b[<65;3;4M', 'press wheel-down 2,3'],
    ['\x1b[<66;3;4M', 'press wheel-left 2,3'],
    ['\x1b[<128;3;4M', 'press button-8 2,3'],
    ['\x1b[<28;3;4M', 'press C-M-S-left 2,3'],
    ['\x1b[M \x23\x24', 'press left 2,3'],
    ['\x1b[M\x23\x23\x24', 'release none 2,3'],
    ['\x1b[M\x60\x23\x24', 'press wheel-up 2,3'],
    ['\x1b[32;3;4M', 'press left 2,3'],
    ['\x1b[I', 'focus in'],
    ['\x1b[O', 'focus out'],
  ])('reads %j as %s', (bytes, text) => {
    expect(events(bytes)).toEqual([text]);
  });

  it('drops reports of places that no terminal has', () => {
    expect(events('\x1b[<0;0;1M', '\x1b[<0;99999;1M', '\x1b[<0;1M', '\x1b[<255;1;1M')).toEqual([]);
  });

  it('gives a bracketed paste as one event, whatever is in it', () => {
    expect(events('\x1b[200~ls\x1b[A\r\x03\x1b[200~é\x1b[201~x')).toEqual(['paste:ls\x1b[A\r\x03\x1b[200~\ufffd', 'x']);
    expect(events(Buffer.from('\x1b[200~é漢😀\x1b[201~'))).toEqual(['paste:é漢😀']);
  });

  it('ends a paste that never ends, though somebody types on', () => {
    const parser = new InputParser();
    parser.feed(latin1('\x1b[200~abc'), 0);
    parser.feed(latin1('x'), 4000);
    expect(parser.deadline).toBe(5000);
    expect(show(parser.flush(5000).events)).toEqual(['paste:abcx']);
    expect(show(parser.feed(latin1('\x02'), 6000).events)).toEqual(['C-b']);
  });

  it('lets a long paste over a slow line take its time', () => {
    const parser = new InputParser();
    parser.feed(latin1('\x1b[200~'), 0);
    parser.feed(latin1('y'.repeat(100)), 4000);
    expect(parser.deadline).toBe(9000);
  });

  it('cuts a very long paste into pieces without cutting a character', () => {
    const text = 'aé漢😀'.repeat(60_000);
    const result = parse(Buffer.from(`\x1b[200~${text}\x1b[201~`));
    expect(result.events.length).toBeGreaterThan(1);
    const pasted = result.events.map((event) => (event.kind === 'paste' ? event.text : '?')).join('');
    expect(pasted === text).toBe(true);
  });
});

const REPLIES: readonly string[] = [
  '\x1b[?62;22;52c',
  '\x1b[>1;3600;0c',
  '\x1b[?2026;2$y',
  '\x1b[4;1$y',
  '\x1b[?1u',
  '\x1b[0n',
  '\x1b[?997;1n',
  '\x1b[12;40R',
  '\x1b[?12;40R',
  '\x1b[48;24;80;480;800t',
  '\x1b]11;rgb:0000/0000/0000\x07',
  '\x1b]10;rgb:ffff/ffff/ffff\x1b\\',
  '\x1b]4;1;rgb:cdcd/0000/0000\x1b\\',
  '\x1b]52;c;aGVsbG8=\x07',
  '\x1bP>|kitty(0.30.0)\x1b\\',
  '\x1bP!|00000000\x1b\\',
  '\x1bP1$r0m\x1b\\',
  '\x1bP1+r544e=787465726d\x1b\\',
  '\x1b_Gi=1;OK\x1b\\',
];

describe('InputParser, answers of the terminal', () => {
  it.each(REPLIES.map((reply) => [reply]))('keeps %j apart from the keys, wherever it is cut', (reply) => {
    for (let cut = 0; cut < reply.length; cut++) {
      const result = parse(`a${reply.slice(0, cut)}`, `${reply.slice(cut)}b`);
      expect(show(result.events)).toEqual(['a', 'b']);
      expect(result.replies).toHaveLength(1);
    }
  });

  it('reads their parts', () => {
    expect(parse('\x1b[?62;22c').replies).toEqual([
      { kind: 'csi', prefix: '?', params: [62, 22], intermediates: '', final: 'c' },
    ]);
    expect(parse('\x1b[?2026;2$y').replies).toEqual([
      { kind: 'csi', prefix: '?', params: [2026, 2], intermediates: '$', final: 'y' },
    ]);
    expect(parse('\x1bP>|foot(1.16)\x1b\\').replies).toEqual([{ kind: 'dcs', text: '>|foot(1.16)' }]);
    expect(parse('\x1b]11;rgb:0/0/0\x07').replies).toEqual([{ kind: 'osc', text: '11;rgb:0/0/0' }]);
  });

  it('gives no keys though the rest comes after escape-time, while answers are expected', () => {
    for (const reply of REPLIES.slice(0, 5)) {
      for (let cut = 1; cut < reply.length; cut++) {
        const parser = new InputParser();
        parser.expectReplies(1000);
        parser.feed(latin1(reply.slice(0, cut)), 0);
        expect(parser.flush(600).events).toEqual([]);
        const result = parser.feed(latin1(reply.slice(cut)), 600);
        expect([reply, cut, show(result.events), result.replies.length]).toEqual([reply, cut, [], 1]);
      }
    }
  });

  it('gives at most the Escape when an unexpected answer is cut right after it', () => {
    const parser = new InputParser();
    parser.feed(latin1('\x1b'), 0);
    expect(show(parser.flush(500).events)).toEqual(['Escape']);
    const result = parser.feed(latin1('[?62;22c'), 600);
    expect(show(result.events)).toEqual([]);
    expect(result.replies).toHaveLength(1);
  });

  it('does not take what a person types after Escape for an answer', () => {
    const parser = new InputParser();
    parser.feed(latin1('\x1b'), 0);
    parser.flush(500);
    expect(show(parser.feed(latin1('[c'), 600).events)).toEqual(['[', 'c']);
  });

  it('drops half an answer when the rest never comes', () => {
    const parser = new InputParser();
    parser.feed(latin1('\x1b[?62;'), 0);
    expect(parser.deadline).toBe(2000);
    expect(parser.flush(2000)).toEqual({ events: [], replies: [] });
    expect(show(parser.feed(latin1('x'), 2100).events)).toEqual(['x']);
  });

  it('drops a string that another control cuts off, and goes on', () => {
    expect(events('\x1b]11;rgb:\x18x')).toEqual(['x']);
    expect(events('\x1b]11;rgb:\x1b[A')).toEqual(['Up']);
    expect(events('\x1b]11;rgb:\rx')).toEqual(['Enter', 'x']);
  });
});

describe('InputParser, any bytes in any chunks', () => {
  const piece = fc.oneof(
    fc.constantFrom(...REPLIES),
    fc.constantFrom(
      '\x1b',
      '\x1b[',
      '\x1b[200~',
      '\x1b[201~',
      '\x1bO',
      '\x1b[<0;1;',
      '1M',
      'a',
      '\r',
      '$',
      '\x1b[3$',
      ';',
    ),
    fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
  );
  const input = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));

  it('give the same events and answers', () => {
    fc.assert(
      fc.property(input, fc.array(fc.nat(30), { maxLength: 40 }), (text, sizes) => {
        const chunks: string[] = [];
        let at = 0;
        for (const size of sizes) {
          chunks.push(text.slice(at, at + size));
          at += size;
        }
        chunks.push(text.slice(at));
        expect(canonical(parse(...chunks))).toEqual(canonical(parse(text)));
        expect(canonical(parse(...text))).toEqual(canonical(parse(text)));
      }),
      { numRuns: 1500 },
    );
  });

  it('give only keys that have a canonical name', () => {
    fc.assert(
      fc.property(input, (text) => {
        for (const event of parse(text).events) {
          if (event.kind === 'key') expect(parseKey(event.key)).toBe(event.key);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
