import xterm from '@xterm/headless';
import { describe, expect, it } from 'vitest';
import * as cell from '../../../protocol/cell.ts';
import { internalsOf, PARSER_GROUND, PARSER_IGNORED_STRING } from '../../../server/terminal/emulator-internals.ts';

/**
 * Canary: what our code assumes of the inside of @xterm/headless. If a test here fails after an upgrade, xterm changed
 * there; read server/terminal/emulator-internals.ts and what imports it before anything else.
 */
function plain() {
  const terminal = new xterm.Terminal({ cols: 10, rows: 3, scrollback: 5, allowProposedApi: true, logLevel: 'off' });
  const core = internalsOf(terminal);
  const write = (text: string) => {
    const codePoints = Uint32Array.from([...text], (character) => character.codePointAt(0) ?? 0);
    core._inputHandler._parser.parse(codePoints, codePoints.length);
  };
  const line = (y: number) => {
    const buffer = core._inputHandler._activeBuffer;
    return buffer.lines.get(buffer.ybase + y)!;
  };
  return { terminal, core, write, line };
}

describe('xterm’s inside', () => {
  it('has its cells in the bits of protocol/cell.ts', () => {
    const { write, line } = plain();
    const cases: readonly (readonly [sgr: string, fg: number, bg: number])[] = [
      ['1', cell.FG_BOLD, 0],
      ['2', 0, cell.BG_DIM],
      ['3', 0, cell.BG_ITALIC],
      ['5', cell.FG_BLINK, 0],
      ['7', cell.FG_INVERSE, 0],
      ['8', cell.FG_INVISIBLE, 0],
      ['9', cell.FG_STRIKETHROUGH, 0],
      ['53', 0, cell.BG_OVERLINE],
      ['31', cell.COLOR_PALETTE16 | 1, 0],
      ['97', cell.COLOR_PALETTE16 | 15, 0],
      ['48;5;200', 0, cell.COLOR_PALETTE256 | 200],
      ['38;2;1;2;3', cell.COLOR_RGB | 0x010203, 0],
      ['4:3', cell.FG_UNDERLINE, cell.BG_EXTENDED],
    ];
    for (const [sgr, fg, bg] of cases) {
      write(`\r\x1b[0;${sgr}mA`);
      expect([sgr, ...line(0)._data.subarray(0, 3)]).toEqual([
        sgr,
        0x41 | (1 << cell.CONTENT_WIDTH_SHIFT),
        fg >>> 0,
        bg,
      ]);
    }
    write('\r\x1b[m日e\u0301');
    expect([...line(0)._data.subarray(0, 3)]).toEqual([0x65e5 | (2 << cell.CONTENT_WIDTH_SHIFT), 0, 0]);
    expect(line(0)._data[3]).toBe(0);
    expect(line(0)._data[9]).toBe(cell.BLANK_CONTENT);
    expect((line(0)._data[6] ?? 0) & cell.CONTENT_IS_CLUSTER).toBe(cell.CONTENT_IS_CLUSTER);
    expect(line(0)._combined[2]).toBe('e\u0301');
  });

  it('has underline style and colour in the bits of _ext', () => {
    const { write, line } = plain();
    write('\x1b[4:3;58;2;1;2;3mA');
    const extended = line(0)._extendedAttrs[0]!;
    expect((extended._ext >> 26) & 7).toBe(3);
    expect(extended._ext & cell.COLOR_MASK).toBe(cell.COLOR_RGB | 0x010203);
    const copy = extended.clone();
    expect([copy === extended, copy._ext, copy.urlId]).toEqual([false, extended._ext, 0]);
  });

  it('has its parser’s states by these numbers', () => {
    const { core, write } = plain();
    const parser = core._inputHandler._parser;
    expect(parser.currentState).toBe(PARSER_GROUND);
    for (const start of ['\x1bX', '\x1b^', '\x1b_', '\x1b]0;', '\x1bP', '\x1bP1', '\x1bP$', '\x1bPq']) {
      write(start);
      expect([start, parser.currentState >= PARSER_IGNORED_STRING]).toEqual([start, true]);
      parser.reset();
    }
    for (const start of ['\x1b', '\x1b(', '\x1b[', '\x1b[1', '\x1b[!', '\x1b[1?']) {
      write(start);
      expect([start, parser.currentState > PARSER_GROUND && parser.currentState < PARSER_IGNORED_STRING]).toEqual([
        start,
        true,
      ]);
      parser.reset();
    }
  });

  it('keeps the screen at the end of its lines', () => {
    const { core, write } = plain();
    for (let i = 0; i < 20; i++) {
      write('\r\n');
      const { lines, ybase } = core._bufferService.buffers.normal;
      expect(lines.length).toBe(ybase + 3);
    }
  });

  it('is named when it is not as expected', () => {
    const terminal = new xterm.Terminal();
    const { _core: core } = terminal as unknown as { _core: { _inputHandler: { _dirtyRowTracker: unknown } } };
    core._inputHandler._dirtyRowTracker = undefined;
    expect(() => internalsOf(terminal)).toThrow('_core._inputHandler._dirtyRowTracker.start');
  });
});
