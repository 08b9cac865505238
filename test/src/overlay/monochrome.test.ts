import { describe, expect, it } from 'vitest';
import { CELL_WORDS, COLOR_MASK, FG_INVERSE } from '../../../protocol/cell.ts';
import { blankFrame } from '../../../protocol/frame.ts';
import { composite } from '../../../src/overlay/composite.ts';
import { createFlowScreen } from '../../../src/overlay/flow-screen.ts';
import { removeColors } from '../../../src/overlay/monochrome.ts';

const SIZE = { cols: 80, rows: 24 };

describe('a frame without colours', () => {
  it('has none left, keeps its text, and shows by inverse video what a background showed', () => {
    const screen = {
      ...createFlowScreen({ kind: 'text', title: 'T', label: 'Tag', initial: 'v1' }),
      phase: 'armed' as const,
    };
    const frame = composite(blankFrame(SIZE), [screen]);
    const before = frame.rows.map(({ words }) => words.filter((_, at) => at % CELL_WORDS === 0));
    removeColors(frame);
    for (const [y, { words }] of frame.rows.entries()) {
      expect(words.filter((_, at) => at % CELL_WORDS === 0)).toEqual(before[y]);
      expect(words.some((word, at) => at % CELL_WORDS !== 0 && (word & COLOR_MASK) !== 0)).toBe(false);
    }
    const bottom = frame.rows.at(-1)!.words;
    expect((bottom[1]! & FG_INVERSE) !== 0).toBe(true);
  });
});
