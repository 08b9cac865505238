import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  assignPanes,
  type BorderStatus,
  borderAt,
  cellAt,
  findPane,
  isSound,
  type LayoutCell,
  layoutSize,
  leaves,
  paneAt,
  paneRect,
  paneRects,
  panesOf,
  singleLayout,
  swapPanes,
} from '../../../server/layout/layout-cell.ts';
import { nextPreset, PRESET_NAMES, presetLayout } from '../../../server/layout/layout-presets.ts';
import {
  moveBorder,
  resizeLayout,
  resizePane,
  resizePaneTo,
  spreadPane,
} from '../../../server/layout/layout-resize.ts';
import { closePane, splitPane } from '../../../server/layout/layout-split.ts';
import { applyLayout, layoutChecksum, parseLayout, printLayout } from '../../../server/layout/layout-string.ts';

/** A tree from a layout's text without checksum; sizes must add up. */
function tree(text: string): LayoutCell {
  const result = parseLayout(`${layoutChecksum(text)},${text}`);
  if (!result.ok || !isSound(result.layout)) throw new Error(`not a layout: ${text}`);
  return result.layout;
}

function text(layout: LayoutCell): string {
  return printLayout(layout).slice(5);
}

const ABC = '20x10,0,0{9x10,0,0,1,10x10,10,0[10x4,10,0,2,10x5,10,5,3]}';

interface Op {
  readonly op: 'split' | 'close' | 'resize' | 'resizeTo' | 'window' | 'spread' | 'preset' | 'swap';
  readonly at: number;
  readonly row: boolean;
  readonly before: boolean;
  readonly full: boolean;
  readonly size: number;
}

const op: fc.Arbitrary<Op> = fc.record({
  op: fc.constantFrom('split', 'split', 'split', 'close', 'resize', 'resizeTo', 'window', 'spread', 'preset', 'swap'),
  at: fc.nat(30),
  row: fc.boolean(),
  before: fc.boolean(),
  full: fc.boolean(),
  size: fc.integer({ min: -5, max: 60 }),
});

function apply(layout: LayoutCell, step: Op, index: number, status: BorderStatus): LayoutCell {
  const panes = panesOf(layout);
  const pane = panes[step.at % panes.length]!;
  const axis = step.row ? 'row' : 'column';
  const size = Math.abs(step.size);
  switch (step.op) {
    case 'split':
      return (
        splitPane(layout, pane, 100 + index, { axis, before: step.before, full: step.full, size, status }) ?? layout
      );
    case 'close':
      return closePane(layout, pane) ?? layout;
    case 'resize':
      return resizePane(layout, pane, { axis, change: step.size, status });
    case 'resizeTo':
      return resizePaneTo(layout, pane, { axis, size, status });
    case 'window':
      return resizeLayout(layout, { cols: 1 + size * 2, rows: 1 + step.at }, status);
    case 'spread':
      return spreadPane(layout, pane, status);
    case 'preset':
      return presetLayout(PRESET_NAMES[size % 5]!, panes, { size: layoutSize(layout), status }) ?? layout;
    case 'swap':
      return swapPanes(layout, pane, panes[size % panes.length]!);
  }
}

const grown = fc
  .tuple(fc.array(op, { maxLength: 40 }), fc.constantFrom<BorderStatus>('off', 'top', 'bottom'))
  .map(([ops, status]) => {
    let layout: LayoutCell = singleLayout(1, { cols: 80, rows: 24 });
    for (const [index, step] of ops.entries()) layout = apply(layout, step, index, status);
    return { layout, status };
  });

describe('any layout that operations lead to', () => {
  it('tiles its rectangle with leaves and borders, each pane once', () => {
    fc.assert(
      fc.property(grown, ({ layout }) => {
        expect(isSound(layout), printLayout(layout)).toBe(true);
        const { cols, rows } = layoutSize(layout);
        const seen = new Uint8Array(cols * rows);
        for (const { rect } of leaves(layout)) {
          for (let y = rect.y; y < rect.y + rect.height; y++) {
            for (let x = rect.x; x < rect.x + rect.width; x++) seen[y * cols + x]!++;
          }
        }
        const wrong: string[] = [];
        for (let y = 0; y < rows; y++) {
          for (let x = 0; x < cols; x++) {
            const isBorder = borderAt(layout, { x, y }) !== undefined;
            if (seen[y * cols + x]! + (isBorder ? 1 : 0) !== 1) wrong.push(`${x},${y}`);
          }
        }
        expect(wrong, printLayout(layout)).toEqual([]);
        expect(new Set(panesOf(layout)).size).toBe(leaves(layout).length);
      }),
      { numRuns: 150 },
    );
  });

  it('is read back from what it prints', () => {
    fc.assert(
      fc.property(grown, ({ layout }) => {
        expect(parseLayout(printLayout(layout))).toEqual({ ok: true, layout });
        expect(applyLayout(printLayout(layout), panesOf(layout))).toEqual({ ok: true, layout });
      }),
      { numRuns: 150 },
    );
  });

  it('gives each pane at least one row and column to draw in, status row or not', () => {
    fc.assert(
      fc.property(grown, ({ layout, status }) => {
        for (const [pane, rect] of paneRects(layout, status)) {
          expect(Math.min(rect.width, rect.height)).toBeGreaterThan(0);
          expect(paneRect(layout, pane, status)).toEqual(rect);
          expect(paneAt(layout, rect)).toBe(pane);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('is no larger than asked after a resize unless nothing can shrink', () => {
    fc.assert(
      fc.property(
        grown,
        fc.integer({ min: 1, max: 200 }),
        fc.integer({ min: 1, max: 80 }),
        ({ layout, status }, cols, rows) => {
          const resized = resizeLayout(layout, { cols, rows }, status);
          const least = resizeLayout(layout, { cols: 1, rows: 1 }, status);
          expect(layoutSize(resized)).toEqual({
            cols: Math.max(cols, layoutSize(least).cols),
            rows: Math.max(rows, layoutSize(least).rows),
          });
          expect(panesOf(resized)).toEqual(panesOf(layout));
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe('panes', () => {
  it('change places and numbers, cells stay', () => {
    expect(text(swapPanes(tree(ABC), 1, 3))).toBe('20x10,0,0{9x10,0,0,3,10x10,10,0[10x4,10,0,2,10x5,10,5,1]}');
    expect(text(swapPanes(tree(ABC), 1, 9))).toBe('20x10,0,0{9x10,0,0,9,10x10,10,0[10x4,10,0,2,10x5,10,5,3]}');
    expect(panesOf(assignPanes(tree(ABC), [3, 1, 2]))).toEqual([3, 1, 2]);
  });

  it('are one row shorter at the edge where their status is shown', () => {
    expect([...paneRects(tree(ABC), 'top').values()].map(({ y, height }) => [y, height])).toEqual([
      [1, 9],
      [1, 3],
      [5, 5],
    ]);
    expect(paneRect(tree(ABC), 3, 'bottom')).toEqual({ x: 10, y: 5, width: 10, height: 4 });
    expect(paneRect(tree(ABC), 2, 'bottom')).toEqual({ x: 10, y: 0, width: 10, height: 4 });
    expect(paneRect(tree(ABC), 9)).toBeUndefined();
  });

  it('leave their space to the cell before, the first to the one after; the last one leaves nothing', () => {
    expect(text(closePane(tree(ABC), 3)!)).toBe('20x10,0,0{9x10,0,0,1,10x10,10,0,2}');
    expect(text(closePane(tree(ABC), 1)!)).toBe('20x10,0,0[20x4,0,0,2,20x5,0,5,3]');
    expect(closePane(singleLayout(1, { cols: 5, rows: 5 }), 1)).toBeUndefined();
  });

  it('are not split where there is no space', () => {
    const small = singleLayout(1, { cols: 2, rows: 3 });
    expect(splitPane(small, 1, 2, { axis: 'row' })).toBeUndefined();
    expect(text(splitPane(small, 1, 2, { axis: 'column' })!)).toBe('2x3,0,0[2x1,0,0,1,2x1,0,2,2]');
    expect(splitPane(small, 1, 2, { axis: 'column', status: 'top' })).toBeUndefined();
    expect(splitPane(small, 9, 2, { axis: 'column' })).toBeUndefined();
  });
});

describe('borders', () => {
  it('are found by a point, those of inner cells too', () => {
    expect(borderAt(tree(ABC), { x: 9, y: 3 })).toEqual([0]);
    expect(borderAt(tree(ABC), { x: 12, y: 4 })).toEqual([1, 0]);
    expect(borderAt(tree(ABC), { x: 12, y: 5 })).toBeUndefined();
    expect(borderAt(tree(ABC), { x: 20, y: 5 })).toBeUndefined();
    expect(cellAt(tree(ABC), [1, 0])).toMatchObject({ pane: 2 });
    expect(() => cellAt(tree(ABC), [0, 0])).toThrow(RangeError);
    expect(findPane(tree(ABC), 3)).toEqual([1, 1]);
  });

  it('move as far as the neighbours can give', () => {
    expect(text(moveBorder(tree(ABC), [0], { change: 3 }))).toBe(
      '20x10,0,0{12x10,0,0,1,7x10,13,0[7x4,13,0,2,7x5,13,5,3]}',
    );
    expect(text(moveBorder(tree(ABC), [1, 0], { change: -99 }))).toBe(
      '20x10,0,0{9x10,0,0,1,10x10,10,0[10x1,10,0,2,10x8,10,2,3]}',
    );
    const still = tree(ABC);
    expect(moveBorder(still, [1], { change: 3 })).toBe(still);
  });
});

describe('layout strings', () => {
  it('are refused with a wrong checksum, more panes than cells, or sizes that do not add up', () => {
    expect(applyLayout(`0000,${ABC}`, [1, 2, 3])).toEqual({ ok: false, error: `invalid layout: 0000,${ABC}` });
    const good = printLayout(tree(ABC));
    expect(applyLayout(good, [1, 2, 3, 4])).toEqual({ ok: false, error: `have 4 panes but need 3: ${good}` });
    const off = ABC.replace('10x4', '10x3');
    const line = `${layoutChecksum(off)},${off}`;
    expect(applyLayout(line, [1, 2, 3])).toEqual({ ok: false, error: `size mismatch after applying layout: ${line}` });
    expect(applyLayout('', [1])).toEqual({ ok: false, error: 'invalid layout: ' });
  });

  it('are read or refused without a throw, whatever the text', () => {
    const piece = fc.constantFrom(
      '80x24,0,0',
      ',',
      '{',
      '}',
      '[',
      ']',
      '1',
      'x',
      '9x9,1,1,3',
      '',
      '0',
      '99999999999999',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(piece).map((parts) => parts.join('')),
          fc.string(),
        ),
        (body) => {
          const result = applyLayout(`${layoutChecksum(body)},${body}`, [1, 2]);
          if (result.ok) expect(isSound(result.layout)).toBe(true);
          else expect(result.error).toMatch(/^(invalid layout|have 2 panes|size mismatch)/);
        },
      ),
      { numRuns: 1_000 },
    );
    const deep = `${'1x1,0,0{'.repeat(5_000)}1x1,0,0${'}'.repeat(5_000)}`;
    expect(applyLayout(`${layoutChecksum(deep)},${deep}`, [1]).ok).toBe(false);
  });
});

describe('nextPreset', () => {
  it('goes round in both directions', () => {
    expect(nextPreset(undefined, 1)).toBe('even-horizontal');
    expect(nextPreset(undefined, -1)).toBe('tiled');
    expect(nextPreset('tiled', 1)).toBe('even-horizontal');
    expect(nextPreset('even-horizontal', -1)).toBe('tiled');
  });
});
