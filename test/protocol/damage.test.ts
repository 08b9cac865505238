import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blankRow, DEFAULT_STYLE, rowText, setCell } from '../../protocol/cell.ts';
import { applyDamage, diffFrames } from '../../protocol/damage.ts';
import type { Frame } from '../../protocol/frame.ts';
import { blankFrame } from '../../protocol/frame.ts';
import { sameRow } from '../../protocol/scroll.ts';
import { arbitraryFrame, arbitraryFramePair } from '../support/arbitrary-frame.ts';

const SIZE = { cols: 12, rows: 7 };

function expectSameFrame(actual: Frame, wanted: Frame, title: string | undefined): void {
  expect(actual.size).toEqual(wanted.size);
  expect(actual.cursor).toEqual(wanted.cursor);
  expect(actual.modes).toEqual(wanted.modes);
  expect(actual.title).toBe(title);
  for (const [y, row] of wanted.rows.entries()) {
    expect(sameRow(actual.rows[y]!, row), `row ${y}: ${rowText(row)}`).toBe(true);
    for (const [x, text] of actual.rows[y]!.clusters ?? []) expect(row.clusters?.get(x)).toBe(text);
  }
}

function textFrame(lines: readonly string[]): Frame {
  const frame = blankFrame({ cols: 10, rows: lines.length });
  for (const [y, line] of lines.entries()) {
    for (const [x, character] of [...line].entries()) setCell(frame.rows[y]!, x, character, 1, DEFAULT_STYLE);
  }
  return frame;
}

describe('diffFrames and applyDamage', () => {
  it('turn one frame into any other of the same size', () => {
    fc.assert(
      fc.property(arbitraryFramePair(SIZE), ([a, b]) => {
        const damage = diffFrames(a, b);
        expectSameFrame(damage ? applyDamage(a, damage) : a, b, b.title ?? a.title);
      }),
      { numRuns: 300 },
    );
  });

  it('start from a blank frame when the size changed', () => {
    fc.assert(
      fc.property(arbitraryFrame(SIZE), arbitraryFrame({ cols: 5, rows: 3 }), (a, b) => {
        const damage = diffFrames(a, b)!;
        expect(damage.size).toEqual(b.size);
        expectSameFrame(applyDamage(a, damage), b, b.title);
      }),
      { numRuns: 100 },
    );
  });

  it('find nothing between equal frames', () => {
    fc.assert(
      fc.property(arbitraryFrame(SIZE), (frame) => {
        const copy = { ...frame, rows: frame.rows.map((row) => ({ ...row, words: row.words.slice() })) };
        expect(diffFrames(frame, copy)).toBeUndefined();
      }),
      { numRuns: 50 },
    );
  });

  it('leave the first frame as it was and share its undamaged rows', () => {
    const a = textFrame(['one', 'two', 'three']);
    const b = textFrame(['one', 'TWO', 'three']);
    const result = applyDamage(a, diffFrames(a, b)!);
    expect(rowText(a.rows[1]!).trimEnd()).toBe('two');
    expect(result.rows[0]).toBe(a.rows[0]);
    expect(result.rows[1]).not.toBe(a.rows[1]);
  });

  it('send one small span for one typed character', () => {
    const a = textFrame(['$ l', '', '']);
    const b = textFrame(['$ ls', '', '']);
    const damage = diffFrames(a, b)!;
    expect(damage.rows).toHaveLength(1);
    expect(damage.rows[0]).toMatchObject({ y: 0, x: 3 });
    expect(damage.rows[0]!.words).toHaveLength(3);
  });

  it('send a scroll and one row when lines moved up above a status row', () => {
    const lines = Array.from({ length: 12 }, (_, i) => `line ${i}`);
    const a = textFrame([...lines, 'status']);
    const b = textFrame([...lines.slice(1), 'new', 'status']);
    const damage = diffFrames(a, b)!;
    expect(damage.scroll).toEqual({ top: 0, bottom: 11, by: 1 });
    expect(damage.rows.map((part) => part.y)).toEqual([11]);
  });

  it('send a scroll downwards as a negative count', () => {
    const lines = Array.from({ length: 12 }, (_, i) => `line ${i}`);
    const damage = diffFrames(textFrame(lines), textFrame(['x', 'y', ...lines.slice(0, -2)]))!;
    expect(damage.scroll).toEqual({ top: 0, bottom: 11, by: -2 });
    expect(damage.rows.map((part) => part.y)).toEqual([0, 1]);
  });

  it('copy words, so that later changes of the frame do not reach the damage', () => {
    const a = textFrame(['']);
    const b = textFrame(['x']);
    const damage = diffFrames(a, b)!;
    setCell(b.rows[0]!, 0, 'y', 1, DEFAULT_STYLE);
    expect(rowText(applyDamage(a, damage).rows[0]!).trimEnd()).toBe('x');
  });

  it.each([
    ['a row below the frame', { rows: [{ y: 3, x: 0, words: blankRow(1).words }] }],
    ['cells beyond the edge', { rows: [{ y: 0, x: 9, words: blankRow(2).words }] }],
    ['half a cell', { rows: [{ y: 0, x: 0, words: new Uint32Array(2) }] }],
    ['a scroll region below the frame', { rows: [], scroll: { top: 0, bottom: 3, by: 1 } }],
  ])('refuse %s', (_, damage) => {
    expect(() => applyDamage(blankFrame({ cols: 10, rows: 3 }), damage)).toThrow('damage does not fit');
  });
});
