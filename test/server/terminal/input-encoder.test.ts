import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InputParser } from '../../../client/terminal/input-parser.ts';
import type { MouseButton } from '../../../protocol/key.ts';
import { parseKey } from '../../../protocol/key.ts';
import { legacyKey } from '../../../protocol/legacy-key.ts';
import {
  encodeFocus,
  encodeKey,
  encodeMouse,
  encodePaste,
  encodeTyped,
  type KeyModes,
  type MouseEvent,
} from '../../../server/terminal/input-encoder.ts';

/** What tmux 3.3a's send-keys put into a raw pane for each key name, by the modes of the pane. */
const tmux = JSON.parse(readFileSync(new URL('./tmux-keys.json', import.meta.url), 'utf8')) as Record<
  'normal' | 'appcursor' | 'appkeypad' | 'modifyOtherKeys',
  Record<string, string>
>;

const NORMAL: KeyModes = {
  appCursor: false,
  appKeypad: false,
  modifyOtherKeys: 0,
  focusEvents: false,
  keyFlags: 0,
  extendedFormat: 'csi-u',
};

/** With modifyOtherKeys tmux sends its internal number for these; the key's own code point is sent instead. */
const OWN_NUMBERS = /^[CMS-]*-(BTab|KP.*|Space|[[\]\\^_?@~])$/;

describe('keys', () => {
  it.each([
    ['normal', NORMAL],
    ['appcursor', { ...NORMAL, appCursor: true }],
    ['appkeypad', { ...NORMAL, appKeypad: true }],
  ] as const)('are those of tmux in mode %s', (mode, modes) => {
    const expected = { ...tmux.normal, ...tmux[mode] };
    for (const [key, bytes] of Object.entries(expected)) {
      // C-~ is no key to tmux.
      if (key === 'C-~') continue;
      // tmux types the name of a key that it cannot send.
      expect([key, encodeKey(key, modes) ?? key]).toEqual([key, bytes]);
    }
  });

  it.each([1, 2] as const)('are those of tmux with modifyOtherKeys %i', (level) => {
    const expected = { ...tmux.normal, ...tmux.modifyOtherKeys };
    let compared = 0;
    for (const [key, bytes] of Object.entries(expected)) {
      if (OWN_NUMBERS.test(key)) continue;
      compared++;
      expect([key, encodeKey(key, { ...NORMAL, modifyOtherKeys: level }) ?? key]).toEqual([key, bytes]);
    }
    expect(compared).toBeGreaterThan(400);
  });

  it('send the code point where tmux sends a number of its own', () => {
    const modes: KeyModes = { ...NORMAL, modifyOtherKeys: 2 };
    expect(encodeKey('C-S-[', modes)).toBe('\x1b[91;6u');
    expect(encodeKey('C-BTab', modes)).toBe('\x1b[9;6u');
    expect(encodeKey('S-KP5', modes)).toBe('\x1b[53;2u');
    expect(encodeKey('S-Space', modes)).toBe('\x1b[32;2u');
  });

  it('are told from Tab, Enter and Escape with modifyOtherKeys 2 alone', () => {
    const told = (level: 0 | 1 | 2) =>
      ['C-i', 'C-m', 'C-[', 'C-a'].map((key) => encodeKey(key, { ...NORMAL, modifyOtherKeys: level }));
    expect(told(1)).toEqual(['\t', '\r', '\x1b', '\x01']);
    expect(told(2)).toEqual(['\x1b[105;5u', '\x1b[109;5u', '\x1b[91;5u', '\x01']);
  });

  it('are written as xterm does where that was chosen', () => {
    const modes: KeyModes = { ...NORMAL, modifyOtherKeys: 1, extendedFormat: 'xterm' };
    expect(encodeKey('S-Enter', modes)).toBe('\x1b[27;2;13~');
    expect(encodeKey('C-S-a', modes)).toBe('\x1b[27;6;65~');
    expect(encodeKey('S-Up', modes)).toBe('\x1b[1;2A');
  });

  it('are read back as themselves, or as the key that a plain terminal sends, in every form', () => {
    const name = fc.oneof(
      fc.constantFrom(
        'Enter',
        'Tab',
        'BTab',
        'Escape',
        'BSpace',
        'Space',
        'Up',
        'Home',
        'PPage',
        'DC',
        'F1',
        'F3',
        'F12',
      ),
      fc.constantFrom(...'azAZ09[]\\/=;,.!#?~é漢'),
    );
    const held = fc.subarray(['C-', 'M-', 'S-']);
    const form = fc.record({
      modifyOtherKeys: fc.constantFrom(0 as const, 1 as const, 2 as const),
      extendedFormat: fc.constantFrom('csi-u' as const, 'xterm' as const),
      appCursor: fc.boolean(),
    });
    fc.assert(
      fc.property(name, held, form, (base, modifiers, modes) => {
        const key = parseKey(modifiers.join('') + base)!;
        const parser = new InputParser();
        const parts = [parser.feed(Buffer.from(encodeTyped(key, { ...NORMAL, ...modes })), 0), parser.flush(10_000)];
        const read = parts
          .flatMap(({ events }) => events)
          .map((event) => (event.kind === 'key' ? event.key : event.kind));
        // Shift is in the character, and Shift-Tab has a name.
        const same = [key, legacyKey(key), key.replace('S-', ''), key.replace('S-Tab', 'BTab')];
        // With Control a capital letter is the small one.
        const fold = (text: string) => (key.includes('C-') ? text.toLowerCase() : text);
        expect([...same, ...same.map(legacyKey)].map(fold)).toContain(fold(read.join(' ')));
      }),
      { numRuns: 2000 },
    );
  });

  it('that a program did not ask for are typed as a plain terminal does', () => {
    const typed = (...keys: string[]) => keys.map((key) => encodeTyped(key, NORMAL));
    expect(typed('S-Enter', 'C-Enter', 'M-S-Enter', 'C-i', 'M-C-m')).toEqual(['\r', '\r', '\x1b\r', '\t', '\x1b\r']);
    expect(typed('C-S-a', 'C-3', 'C-1', 'C-;', 'S-Space', 'C-S-Space')).toEqual(['\x01', '\x1b', '1', ';', ' ', '\0']);
    expect(typed('C-BSpace', 'S-BSpace', 'C-BTab', 'S-KP5', 'C-Up')).toEqual([
      '\b',
      '\x7f',
      '\x1b[Z',
      '5',
      '\x1b[1;5A',
    ]);
    expect(typed('MouseDown1Pane', 'Nonsense')).toEqual(['', '']);
  });

  it('that a plain terminal does not tell of are not typed: releases, and keys with Super', () => {
    const detail = { event: 'press', modifiers: 0, code: 97, shifted: 0, base: 0, text: '' } as const;
    expect(encodeTyped('a', NORMAL, { ...detail, event: 'release' })).toBe('');
    expect(encodeTyped('a', NORMAL, { ...detail, event: 'repeat' })).toBe('a');
    expect(encodeTyped('a', NORMAL, { ...detail, modifiers: 8 })).toBe('');
  });

  it('from F13 on are shifted, and may be modified too', () => {
    expect(encodeKey('F13', NORMAL)).toBe('\x1b[1;2P');
    expect(encodeKey('C-F17', NORMAL)).toBe('\x1b[15;6~');
  });

  it('that are none, or are the mouse, are not sent', () => {
    expect(encodeKey('Nonsense', NORMAL)).toBeUndefined();
    expect(encodeKey('MouseDown1Pane', NORMAL)).toBeUndefined();
    expect(encodeKey('FocusIn', NORMAL)).toBe('');
    expect(encodeKey('FocusIn', { ...NORMAL, focusEvents: true })).toBe('\x1b[I');
  });
});

function mouse(action: MouseEvent['action'], button: MouseButton, held: Partial<MouseEvent> = {}): MouseEvent {
  return { kind: 'mouse', action, button, x: 0, y: 0, ctrl: false, meta: false, shift: false, ...held };
}

describe('the mouse', () => {
  const cellPixels = { width: 10, height: 21 };
  const sgr = { mouseTracking: 'motion', mouseEncoding: 'sgr', cellPixels } as const;
  const text = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString('latin1');

  it.each([
    [mouse('press', 'left'), '\x1b[<0;4;3M'],
    [mouse('release', 'right'), '\x1b[<2;4;3m'],
    [mouse('motion', 'left', { ctrl: true }), '\x1b[<48;4;3M'],
    [mouse('motion', 'none'), '\x1b[<35;4;3M'],
    [mouse('press', 'wheel-down', { shift: true, meta: true }), '\x1b[<77;4;3M'],
    [mouse('press', 'button-8'), '\x1b[<128;4;3M'],
  ])('is reported in SGR: case %#', (event, expected) => {
    expect(text(encodeMouse(event, { x: 3, y: 2 }, sgr))).toBe(expected);
  });

  it('is reported in the older encodings, which lose the released button', () => {
    const at = { x: 3, y: 2 };
    const report = (encoding: 'default' | 'urxvt' | 'utf8', place = at) =>
      text(
        encodeMouse(mouse('release', 'right'), place, { mouseTracking: 'click', mouseEncoding: encoding, cellPixels }),
      );
    expect(report('default')).toBe('\x1b[M#$#');
    expect(report('urxvt')).toBe('\x1b[35;4;3M');
    expect(report('default', { x: 222, y: 2 })).toBe('\x1b[M#\xff#');
    expect(report('default', { x: 223, y: 2 })).toBeUndefined();
    expect(report('utf8', { x: 223, y: 2 })).toBe('\x1b[M#\xc4\x80#');
  });

  it('is reported in pixels of the pane, in the middle of the cell', () => {
    const pixels = { ...sgr, mouseEncoding: 'sgr-pixels' } as const;
    expect(text(encodeMouse(mouse('press', 'left'), { x: 0, y: 0 }, pixels))).toBe('\x1b[<0;6;11M');
    expect(text(encodeMouse(mouse('release', 'left'), { x: 3, y: 2 }, pixels))).toBe('\x1b[<0;36;53m');
  });

  it('is reported only as far as the program asked', () => {
    const asked = (event: MouseEvent, tracking: 'off' | 'x10' | 'click' | 'drag' | 'motion') =>
      encodeMouse(event, { x: 0, y: 0 }, { mouseTracking: tracking, mouseEncoding: 'sgr', cellPixels }) !== undefined;
    expect(asked(mouse('press', 'left'), 'off')).toBe(false);
    expect(asked(mouse('release', 'left'), 'x10')).toBe(false);
    expect(asked(mouse('motion', 'left'), 'click')).toBe(false);
    expect(asked(mouse('motion', 'left'), 'drag')).toBe(true);
    expect(asked(mouse('motion', 'none'), 'drag')).toBe(false);
    expect(asked(mouse('motion', 'none'), 'motion')).toBe(true);
    expect(asked(mouse('release', 'wheel-up'), 'motion')).toBe(false);
  });

  it('outside the pane is not reported', () => {
    expect(encodeMouse(mouse('press', 'left'), { x: -1, y: 0 }, sgr)).toBeUndefined();
  });
});

describe('paste', () => {
  const plain = { bracketedPaste: false };
  const bracketed = { bracketedPaste: true };

  it('has line ends as they are typed, or as they are', () => {
    expect(encodePaste('a\nb\r\nc\td', plain)).toBe('a\rb\rc\td');
    expect(encodePaste('a\nb', plain, { keepLineFeeds: true })).toBe('a\nb');
    expect(encodePaste('a\nb', bracketed)).toBe('\x1b[200~a\rb\x1b[201~');
  });

  it.each([
    ['a\x1b[201~\ntouch /tmp/x\n', 'a\rtouch /tmp/x\r'],
    ['\x1b[20\x1b[201~1~x', 'x'],
    ['\u009b201~x\u009b200~', 'x'],
    ['\x03\x15\x16\x04x\x7f\x9b', 'x'],
    ['\x1b[20\x031~x', '[201~x'],
  ])('cannot be ended from inside or press keys: %j', (text, inner) => {
    expect(encodePaste(text, plain)).toBe(inner);
    expect(encodePaste(text, bracketed)).toBe(`\x1b[200~${inner}\x1b[201~`);
  });

  it('never holds a control but tab and return, whatever is pasted', () => {
    const hostile = fc
      .array(fc.constantFrom('\x1b', '[', '2', '0', '1', '~', '\u009b', 'a', '\n', '\x00'))
      .map((p) => p.join(''));
    fc.assert(
      fc.property(hostile, (text) => {
        expect(encodePaste(text, plain)).toMatch(/^[\t\r\x20-\x7e]*$/);
      }),
    );
  });
});

describe('focus', () => {
  it('is told to programs that asked', () => {
    expect(encodeFocus(true, { focusEvents: true })).toBe('\x1b[I');
    expect(encodeFocus(false, { focusEvents: true })).toBe('\x1b[O');
    expect(encodeFocus(true, { focusEvents: false })).toBe('');
  });
});
