import { describe, expect, it } from 'vitest';
import { CapabilityProbe } from '../../../client/terminal/capabilities.ts';
import { InputParser } from '../../../client/terminal/input-parser.ts';

function probe(env: Record<string, string>, answers = '', colors256 = false) {
  const result = new CapabilityProbe({ env, colors256 });
  const parser = new InputParser();
  for (const reply of parser.feed(Buffer.from(answers, 'latin1'), 0).replies) result.accept(reply);
  return result;
}

describe('CapabilityProbe', () => {
  it('guesses from the environment before anything is answered', () => {
    expect(probe({ TERM: 'xterm-256color' }).capabilities).toMatchObject({ colors: 256, synchronizedOutput: false });
    expect(probe({ TERM: 'xterm' }).capabilities.colors).toBe(16);
    expect(probe({ TERM: 'xterm' }, '', true).capabilities.colors).toBe(256);
    expect(probe({ TERM: 'xterm-256color', COLORTERM: 'truecolor' }).capabilities.colors).toBe('rgb');
    expect(probe({ TERM: 'xterm-kitty' }).capabilities).toMatchObject({ colors: 'rgb', styledUnderlines: true });
    expect(probe({ TERM: 'xterm-256color', VTE_VERSION: '7200' }).capabilities).toMatchObject({ hyperlinks: true });
  });

  it('asks nothing of a console that prints what it does not know', () => {
    for (const TERM of ['linux', 'dumb', 'vt100', '']) {
      const result = probe({ TERM });
      expect(result.questions).toBe('');
      expect(result.isSettled).toBe(true);
      expect(result.capabilities).toMatchObject({ colors: 16, hyperlinks: false, clipboard: false });
    }
    expect(probe({ TERM: 'xterm' }).questions).toMatch(/\x1b\[c$/);
  });

  it('believes the answers and is settled by DA1', () => {
    const result = probe({ TERM: 'xterm-256color' }, '\x1bP>|foot(1.16.2)\x1b\\\x1b[?2026;2$y\x1b[?0u');
    expect(result.isSettled).toBe(false);
    expect(result.capabilities).toEqual({
      term: 'xterm-256color',
      name: 'foot(1.16.2)',
      colors: 'rgb',
      synchronizedOutput: true,
      styledUnderlines: true,
      hyperlinks: true,
      clipboard: true,
      extendedKeys: true,
      kittyKeys: true,
      themeReports: false,
      theme: undefined,
      foreground: undefined,
      background: undefined,
      cellPixels: undefined,
    });
    const settled = probe({ TERM: 'xterm-256color' }, '\x1b[?62;22c');
    expect(settled.isSettled).toBe(true);
    expect(settled.capabilities.synchronizedOutput).toBe(false);
  });

  it('takes attribute 52 of DA1 for the clipboard, which an mplex outside that refuses it does not say', () => {
    expect(probe({ TERM: 'vt220-like' }, '\x1b[?62;22c').capabilities.clipboard).toBe(false);
    expect(probe({ TERM: 'vt220-like' }, '\x1b[?62;52c').capabilities.clipboard).toBe(true);
    const inside = (attributes: string) =>
      probe({ TERM: 'tmux-256color' }, `\x1bP>|mplex 0.1.0\x1b\\\x1b[?${attributes}c`).capabilities.clipboard;
    expect(inside('1;2')).toBe(false);
    expect(inside('1;2;52')).toBe(true);
    expect(probe({ TERM: 'tmux-256color' }, '\x1bP>|tmux 3.3a\x1b\\\x1b[?1;2c').capabilities.clipboard).toBe(true);
  });

  it('keeps what it learnt in any order of the answers', () => {
    const forth = probe({ TERM: 'xterm' }, '\x1b[?2026;1$y\x1bP>|kitty(0.35)\x1b\\').capabilities;
    const back = probe({ TERM: 'xterm' }, '\x1bP>|kitty(0.35)\x1b\\\x1b[?2026;1$y').capabilities;
    expect(forth).toEqual(back);
    expect(forth.synchronizedOutput).toBe(true);
  });

  it('takes DECRPM 0 and 4 for no', () => {
    expect(probe({ TERM: 'xterm' }, '\x1b[?2026;0$y').capabilities.synchronizedOutput).toBe(false);
    expect(probe({ TERM: 'xterm' }, '\x1b[?2026;4$y').capabilities.synchronizedOutput).toBe(false);
    expect(probe({ TERM: 'xterm' }, '\x1b[?2004;1$y').capabilities.synchronizedOutput).toBe(false);
  });

  it('cleans the name and says whether an answer changed anything', () => {
    const result = probe({ TERM: 'xterm' });
    expect(result.accept({ kind: 'dcs', text: '>|a\u0007\u202eb' })).toBe(true);
    expect(result.capabilities.name).toBe('ab');
    expect(result.accept({ kind: 'dcs', text: '>|ab' })).toBe(false);
    expect(result.accept({ kind: 'osc', text: '52;c;eHg=' })).toBe(false);
  });

  it('knows a terminal that answers kitty’s question whatever its name says', () => {
    const answers = ['\x1b[?0u', '\x1bP>|mplex 1.0\x1b\\'];
    for (const order of [answers, [...answers].reverse()]) {
      expect(probe({ TERM: 'xterm' }, order.join('')).capabilities).toMatchObject({
        extendedKeys: true,
        kittyKeys: true,
      });
    }
    expect(probe({ TERM: 'xterm' }, '\x1bP>|XTerm(390)\x1b\\').capabilities).toMatchObject({
      extendedKeys: true,
      kittyKeys: false,
    });
  });

  it('takes the theme from the terminal’s word, else from its background', () => {
    const theme = (answers: string) => probe({ TERM: 'xterm' }, answers).capabilities.theme;
    expect(theme('')).toBeUndefined();
    expect(theme('\x1b]11;rgb:1e1e/1e1e/2e2e\x07')).toBe('dark');
    expect(theme('\x1b]11;rgb:ff/fa/e0\x1b\\')).toBe('light');
    expect(theme('\x1b[?997;2n\x1b]11;rgb:00/00/00\x07')).toBe('light');
    expect(theme('\x1b[?997;7n')).toBeUndefined();
    expect(theme('\x1b]11;nonsense\x07')).toBeUndefined();
  });

  it('knows the size of a cell, told or worked out', () => {
    const cells = (answers: string) => {
      const result = new CapabilityProbe({ env: { TERM: 'xterm' }, size: () => ({ cols: 80, rows: 24 }) });
      for (const reply of new InputParser().feed(Buffer.from(answers), 0).replies) result.accept(reply);
      return [result.capabilities.cellPixels, result.tellsCells];
    };
    expect(cells('\x1b[6;20;9t')).toEqual([{ width: 9, height: 20 }, true]);
    expect(cells('\x1b[4;487;805t')).toEqual([{ width: 10, height: 20 }, false]);
    expect(cells('\x1b[6;20;9t\x1b[4;487;805t')).toEqual([{ width: 9, height: 20 }, true]);
    expect(cells('\x1b[6;0;0t\x1b[4;5;5t\x1b[6;99999;9t')).toEqual([undefined, false]);
  });
});
