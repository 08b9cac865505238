import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { render } from '../../../client/attach/renderer.ts';
import {
  BG_EXTENDED,
  BLANK_CONTENT,
  COLOR_RGB,
  CONTENT_IS_CLUSTER,
  DEFAULT_STYLE,
  setCell,
} from '../../../protocol/cell.ts';
import type { Frame } from '../../../protocol/frame.ts';
import { blankFrame } from '../../../protocol/frame.ts';
import { arbitraryFrame, arbitraryFramePair } from '../../support/arbitrary-frame.ts';
import { FULL_TERMINAL, POOR_TERMINAL } from '../../support/capabilities.ts';
import { firstLeak } from '../../support/output-grammar.ts';
import type { Screen } from '../../support/screen-of.ts';
import { feed, frameCells, internalsOf, openScreen, screenCells, screenText } from '../../support/screen-of.ts';

const SIZE = { cols: 11, rows: 6 };
const isLinkShown = (uri: string) => uri.startsWith('https:');

function textFrame(lines: readonly string[], cols = 20): Frame {
  const frame = blankFrame({ cols, rows: lines.length });
  for (const [y, line] of lines.entries()) {
    for (const [x, character] of [...line].entries()) setCell(frame.rows[y]!, x, character, 1, DEFAULT_STYLE);
  }
  return { ...frame, cursor: { ...frame.cursor, visible: true } };
}

function expectShown(screen: Screen, frame: Frame): void {
  expect(screenCells(screen)).toEqual(frameCells(frame, { isLinkShown }));
  const core = internalsOf(screen);
  expect(core.coreService.isCursorHidden).toBe(!frame.cursor.visible);
  if (frame.cursor.visible) {
    expect([screen.buffer.active.cursorX, screen.buffer.active.cursorY]).toEqual([frame.cursor.x, frame.cursor.y]);
  }
  const protocols = { off: 'NONE', click: 'VT200', drag: 'DRAG', motion: 'ANY' };
  expect(core.coreMouseService.activeProtocol).toBe(protocols[frame.modes.mouse]);
  expect(screen.modes.sendFocusMode).toBe(frame.modes.focus);
}

describe('render', () => {
  it('makes a terminal that shows one frame show another', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryFramePair(SIZE), fc.boolean(), async ([a, b], synchronizedOutput) => {
        const screen = openScreen(SIZE);
        const capabilities = { ...FULL_TERMINAL, synchronizedOutput };
        await feed(screen, render(undefined, a, capabilities));
        expectShown(screen, a);
        await feed(screen, render(a, b, capabilities));
        expectShown(screen, b);
        screen.dispose();
      }),
      { numRuns: 250 },
    );
  });

  it('keeps to the strict grammar, whatever the frames hold', () => {
    const hostile = fc.tuple(
      fc.uint32Array({ minLength: SIZE.cols * 3, maxLength: SIZE.cols * 3 }),
      fc.dictionary(fc.nat(SIZE.cols - 1).map(String), fc.string({ unit: 'binary' })),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(fc.array(hostile, { minLength: SIZE.rows, maxLength: SIZE.rows }), fc.boolean(), (rows, rich) => {
        const target: Frame = {
          ...blankFrame(SIZE),
          title: rows[0]![2],
          cursor: { x: 5000, y: -3, visible: true, shape: 'bar', blink: false, color: rows[1]![2] },
        };
        for (const [y, [words, clusters, uri]] of rows.entries()) {
          const row = target.rows[y]!;
          row.words.set(words);
          row.clusters = new Map(Object.entries(clusters).map(([x, text]) => [Number(x), text]));
          for (const x of row.clusters.keys()) {
            row.words[x * 3] = BLANK_CONTENT | CONTENT_IS_CLUSTER;
            row.words[x * 3 + 2]! |= BG_EXTENDED;
          }
          const link = { id: uri, uri: `https://x/${uri}` };
          row.extended = new Map(
            [...row.clusters.keys()].map((x) => [x, { underlineStyle: 3, underlineColor: 0, link }]),
          );
        }
        const capabilities = rich ? FULL_TERMINAL : POOR_TERMINAL;
        expect(firstLeak(render(undefined, target, capabilities))).toBeUndefined();
        expect(firstLeak(render(blankFrame(SIZE), target, capabilities))).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });

  it('keeps to the strict grammar for valid frames', () => {
    fc.assert(
      fc.property(arbitraryFrame(SIZE), arbitraryFrame(SIZE), (a, b) => {
        expect(firstLeak(render(a, b, FULL_TERMINAL))).toBeUndefined();
      }),
      { numRuns: 100 },
    );
  });

  it('writes nothing when nothing changed', () => {
    const frame = textFrame(['hello', 'world']);
    expect(render(frame, { ...frame, rows: [...frame.rows] }, FULL_TERMINAL)).toBe('');
  });

  it('sends a typed character as that one byte', () => {
    const a = { ...textFrame(['$ l', '']), cursor: { ...textFrame(['']).cursor, x: 3 } };
    const b = { ...textFrame(['$ ls', '']), cursor: { ...a.cursor, x: 4 } };
    expect(render(a, b, FULL_TERMINAL)).toBe('s');
    expect(render(a, b, POOR_TERMINAL)).toBe('s');
  });

  it('draws more than one run inside one synchronised update', () => {
    const bytes = render(textFrame(['a', 'b']), textFrame(['x', 'y']), FULL_TERMINAL);
    expect(bytes.startsWith('\x1b[?2026h')).toBe(true);
    expect(bytes.endsWith('\x1b[?2026l')).toBe(true);
    expect(bytes.match(/\x1b\[\?2026/g)).toHaveLength(2);
  });

  it('hides the cursor while it draws on a terminal without synchronised updates', () => {
    const bytes = render(textFrame(['a', 'b']), textFrame(['x', 'y']), POOR_TERMINAL);
    expect(bytes.startsWith('\x1b[?25l')).toBe(true);
    expect(bytes.endsWith('\x1b[?25h')).toBe(true);
  });

  it('lets the terminal scroll and repaints one line', () => {
    const lines = Array.from({ length: 10 }, (_, i) => `line ${i}`);
    const bytes = render(
      textFrame([...lines, 'status']),
      textFrame([...lines.slice(1), 'new', 'status']),
      FULL_TERMINAL,
    );
    expect(bytes).toContain('\x1b[1;10r\x1b[1;1H\x1b[1M\x1b[r');
    expect(bytes).not.toContain('line');
    expect(bytes).not.toContain('status');
  });

  it('erases a blank tail instead of writing it', () => {
    const bytes = render(textFrame(['a long line here']), textFrame(['']), FULL_TERMINAL);
    expect(bytes).toBe('\x1b[K');
  });

  it('puts the cursor where it belongs after a cluster that terminals measure differently', async () => {
    const target = blankFrame({ cols: 10, rows: 1 });
    setCell(target.rows[0]!, 0, '👩‍👩‍👧', 2, DEFAULT_STYLE);
    setCell(target.rows[0]!, 2, 'x', 1, DEFAULT_STYLE);
    const bytes = render(blankFrame(target.size), target, FULL_TERMINAL);
    expect(bytes).toContain('👩‍👩‍👧\x1b[1;3Hx');
    // A terminal that knows no clusters shows the family as six columns; what follows must stand in its place.
    const screen = openScreen(target.size);
    screen.unicode.activeVersion = '6';
    await feed(screen, bytes);
    expect(screenText(screen)[0]!.indexOf('x')).toBeGreaterThan(0);
    expect(screen.buffer.active.getLine(0)?.getCell(2)?.getChars()).toBe('x');
  });

  it('repaints what a wide drawn cluster may have covered', async () => {
    const plain = textFrame(['abcdefghij'], 10);
    const target = textFrame(['abcdefghij'], 10);
    setCell(target.rows[0]!, 0, '👩‍👩‍👧', 2, DEFAULT_STYLE);
    const bytes = render(plain, target, FULL_TERMINAL);
    expect(bytes).toContain('cdefgh');
  });

  it('never lets a link of an unknown scheme out', () => {
    for (const uri of ['javascript:alert(1)', 'data:text/html,x', 'https://a b', 'https://\u00e9', 'vnc://x']) {
      const target = blankFrame({ cols: 10, rows: 1 });
      const extension = { underlineStyle: 1 as const, underlineColor: 0, link: { id: 'a', uri } };
      setCell(target.rows[0]!, 0, 'x', 1, { ...DEFAULT_STYLE, extension });
      expect(render(blankFrame(target.size), target, FULL_TERMINAL)).not.toContain('\x1b]8');
    }
  });

  it('rewrites the ids of links and ends each link', () => {
    const target = blankFrame({ cols: 10, rows: 1 });
    const extension = { underlineStyle: 1 as const, underlineColor: 0, link: { id: 'evil', uri: 'https://x.org/' } };
    setCell(target.rows[0]!, 0, 'x', 1, { ...DEFAULT_STYLE, extension });
    const bytes = render(blankFrame(target.size), target, FULL_TERMINAL);
    expect(bytes).toMatch(/\x1b\]8;id=mplex[0-9a-f]+;https:\/\/x\.org\/\x1b\\x.*\x1b\]8;;\x1b\\/);
    expect(bytes).not.toContain('evil');
  });

  it('brings colours down to what the terminal has', () => {
    const target = blankFrame({ cols: 4, rows: 1 });
    setCell(target.rows[0]!, 0, 'x', 1, { fg: COLOR_RGB | 0xff0000, bg: 0 });
    const from = blankFrame(target.size);
    expect(render(from, target, FULL_TERMINAL)).toContain('38;2;255;0;0');
    expect(render(from, target, { ...FULL_TERMINAL, colors: 256 })).toContain('38;5;196');
    expect(render(from, target, { ...FULL_TERMINAL, colors: 16 })).toMatch(/\x1b\[;?91m/);
  });

  it('clears a terminal of another size before it draws', () => {
    expect(render(textFrame(['a']), textFrame(['a', 'b']), FULL_TERMINAL)).toContain('\x1b[2J');
  });

  it('sends a title without controls and with one terminator', () => {
    const from = blankFrame(SIZE);
    const bytes = render(from, { ...from, title: 'a\x1b]0;b\x07\x9c\x9d\u202ec' }, FULL_TERMINAL);
    expect(bytes).toBe('\x1b]2;a]0;bc\x1b\\');
  });

  it('draws a whole 200x50 screen in little time', () => {
    const size = { cols: 200, rows: 50 };
    const target = blankFrame(size);
    for (const row of target.rows) {
      for (let x = 0; x < size.cols; x++) setCell(row, x, String.fromCharCode(33 + (x % 90)), 1, DEFAULT_STYLE);
    }
    const from = blankFrame(size);
    for (let i = 0; i < 20; i++) render(from, target, FULL_TERMINAL);
    const start = performance.now();
    for (let i = 0; i < 20; i++) render(from, target, FULL_TERMINAL);
    expect((performance.now() - start) / 20).toBeLessThan(20);
  });
});
