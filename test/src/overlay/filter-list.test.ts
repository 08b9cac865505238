import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cellStyle, FG_INVERSE, rowText } from '../../../protocol/cell.ts';
import {
  createFilterList,
  type FilterListModel,
  inView,
  matching,
  updateFilterList,
  viewFilterList,
} from '../../../src/overlay/filter-list.ts';
import { viewKeyHints } from '../../../src/overlay/key-hints.ts';

const SCREEN = { cols: 40, rows: 12 };
const ITEMS = [
  { id: 10, text: 'Split window', detail: 'C-b "', words: 'split-window' },
  { id: 11, text: 'Choose a tree', detail: 'C-b w', words: 'choose-tree' },
  { id: 12, text: 'Kill the window', detail: 'C-b &', words: 'kill-window' },
];

function press(model: FilterListModel, ...keys: string[]) {
  let result = { model, outcome: { kind: 'open' } } as ReturnType<typeof updateFilterList>;
  for (const key of keys) result = updateFilterList(result.model, { kind: 'key', key }, SCREEN);
  return result;
}

function drawn(model: FilterListModel): string[] {
  return viewFilterList(model, SCREEN).canvas.rows.map(rowText);
}

describe('a filtered list', () => {
  it('shows what is typed above the items that have all its words, the number of them in the title', () => {
    const { model } = press(createFilterList('mplex', ITEMS), 'w', 'i', 'n', 'Space', 'k');
    expect(drawn(model)).toEqual([
      '┌─ mplex · 1 ──────────────────────────┐',
      '│ > win k                              │',
      '│ Kill the window                C-b & │',
      '│                                      │',
      '│                                      │',
      '└──────────────────────────────────────┘',
    ]);
    expect(viewFilterList(model, SCREEN).cursor).toMatchObject({ y: 5, visible: true });
  });

  it('has the cursor on the focused row, the place of the input marked, and in the input where there is no row', () => {
    const list = createFilterList('mplex', ITEMS);
    expect(viewFilterList(list, SCREEN).cursor?.y).toBe(5);
    expect(viewFilterList(press(list, 'Down').model, SCREEN).cursor?.y).toBe(6);
    const [, input] = viewFilterList(list, SCREEN).canvas.rows;
    expect(cellStyle(input!, 4).fg & FG_INVERSE).not.toBe(0);
    expect(viewFilterList(press(list, 'z', 'z').model, SCREEN).cursor).toMatchObject({ x: 6, y: 4 });
  });

  it('cuts a long detail rather than the text', () => {
    const item = {
      id: 1,
      text: 'Choose a layout of the panes',
      detail: 'window 12 of a session with a long name',
      words: '',
    };
    const [row] = drawn(createFilterList('x', [item])).slice(2);
    expect(row).toMatch(/^│ Choose a layout .*… window 12 of .*…? │$/);
  });

  it('puts those first whose text begins with what is typed', () => {
    expect(matching(ITEMS, 'kill')).toEqual([2]);
    expect(matching(ITEMS, 'window')).toEqual([0, 2]);
    expect(matching(ITEMS, 'c')).toEqual([1, 0, 2]);
    expect(matching(ITEMS, 'nothing')).toEqual([]);
  });

  it('takes the highlighted item by Enter, round the ends, and nothing where nothing is left', () => {
    expect(press(createFilterList('x', ITEMS), 'Down', 'Enter').outcome).toEqual({ kind: 'accept', value: 11 });
    expect(press(createFilterList('x', ITEMS), 'Up', 'Enter').outcome).toEqual({ kind: 'accept', value: 12 });
    expect(press(createFilterList('x', ITEMS), 'z', 'z', 'Enter').outcome).toEqual({ kind: 'open' });
    expect(press(createFilterList('x', ITEMS), 'Escape').outcome).toEqual({ kind: 'dismiss', by: 'escape' });
  });

  it('takes an item by a click and closes by one beside it', () => {
    const click = (x: number, y: number) =>
      updateFilterList(
        createFilterList('x', ITEMS),
        { kind: 'mouse', action: 'press', button: 'left', x, y, ctrl: false, meta: false, shift: false },
        { cols: 100, rows: 12 },
      ).outcome;
    expect(click(20, 6)).toEqual({ kind: 'accept', value: 11 });
    expect(click(1, 1)).toMatchObject({ kind: 'dismiss' });
  });

  it('looks the same with only the items in view', () => {
    const item = fc.record({
      text: fc.string({ maxLength: 8 }),
      detail: fc.string({ maxLength: 4 }),
      words: fc.string(),
    });
    const key = fc.constantFrom('Down', 'Up', 'NPage', 'PPage', 'a', 'e', 'BSpace');
    void fc.assert(
      fc.property(fc.array(item, { maxLength: 40 }), fc.array(key, { maxLength: 20 }), (items, keys) => {
        const { model } = press(
          createFilterList(
            't',
            items.map((each, id) => ({ ...each, id })),
          ),
          ...keys,
        );
        const seen = inView(model, SCREEN);
        expect(drawn(seen)).toEqual(drawn(model));
        expect(seen.items.length).toBeLessThanOrEqual(SCREEN.rows);
      }),
      { numRuns: 100 },
    );
  });
});

describe('key hints', () => {
  const hints = Array.from({ length: 30 }, (_, at) => ({ key: `k${at}`, text: `what key ${at} does` }));
  const model = {
    kind: 'key-hints',
    title: 'C-b',
    hints,
    moreHint: '? lists all',
    place: { edge: 'bottom', line: 0 },
  } as const;

  it('stand in columns above the status line and say how many do not fit', () => {
    const { rect, canvas } = viewKeyHints(model, { cols: 40, rows: 12 });
    const rows = canvas.rows.map(rowText);
    expect(rect).toEqual({ x: 0, y: 3, width: 40, height: 8 });
    expect(rows[0]).toMatch(/^─ C-b ─+$/);
    expect(rows[1]).toMatch(/^ k0 what key 0 does/);
    expect(rows.at(-1)).toMatch(/^─ 24 more: \? lists all ─+$/);
  });

  it('never cover more than two thirds of the screen, nor leave it', () => {
    void fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 4, max: 60 }), (cols, rows) => {
        const { rect } = viewKeyHints(model, { cols, rows });
        expect(rect.y).toBeGreaterThanOrEqual(0);
        expect(rect.y + rect.height).toBeLessThanOrEqual(rows);
        expect(rect.height).toBeLessThanOrEqual(Math.max(3, (rows * 2) / 3 + 1));
      }),
    );
  });
});
