import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allItems, type ListItem, lineKey, listLines, searchLines } from '../../../server/mode/list-rows.ts';

function item(id: string, ...children: ListItem[]): ListItem {
  return { id, name: id, text: '', children, startsOpen: true };
}

const TREE = [item('a', item('b'), item('c', item('d'), item('e'))), item('f', item('g'))];

function drawn(items: readonly ListItem[], closed: readonly string[] = []): string[] {
  return listLines(items, ({ id }) => !closed.includes(id)).map(
    ({ branch, mark, item: { name } }) => branch + mark + name,
  );
}

describe('lines of a tree', () => {
  it('hang on branches, marked where something can be opened', () => {
    expect(drawn(TREE)).toEqual(['- a', '├─>   b', '└─> - c', '    ├─> d', '    └─> e', '- f', '└─> g']);
    expect(drawn(TREE, ['c', 'f'])).toEqual(['- a', '├─>   b', '└─> + c', '+ f']);
  });

  it('of a plain list have neither branches nor marks', () => {
    expect(drawn([item('one'), item('two')])).toEqual(['one', 'two']);
  });

  it('are as many as there are items whose ancestors are all open, in the order of the tree', () => {
    const leaf = fc.uuid().map((id) => item(id));
    const grown = (below: fc.Arbitrary<ListItem>) =>
      fc.tuple(fc.uuid(), fc.array(below, { maxLength: 3 })).map(([id, children]) => item(id, ...children));
    const tree: fc.Arbitrary<ListItem> = grown(grown(grown(leaf)));
    const law = fc.property(fc.array(tree, { maxLength: 4 }), (items) => {
      expect(listLines(items, () => true).map((line) => line.item.id)).toEqual(allItems(items).map(({ id }) => id));
      expect(listLines(items, () => false).map((line) => line.item.id)).toEqual(items.map(({ id }) => id));
    });
    expect(() => fc.assert(law)).not.toThrow();
  });

  it('are chosen by 0 to 9 and M-a to M-z', () => {
    expect([0, 9, 10, 35, 36].map(lineKey)).toEqual(['0', '9', 'M-a', 'M-z', undefined]);
  });
});

describe('searching lines', () => {
  const lines = listLines([item('Alpha'), { ...item('beta'), content: 'the Text' }, item('alpine')], () => true);

  it('goes round the end, looks into the content and does not tell cases apart', () => {
    expect(searchLines(lines, 'ALP', 0, 1)).toBe(2);
    expect(searchLines(lines, 'alp', 2, 1)).toBe(0);
    expect(searchLines(lines, 'alp', 0, -1)).toBe(2);
    expect(searchLines(lines, 'text', 0, 1)).toBe(1);
    expect(searchLines(lines, 'nowhere', 0, 1)).toBeUndefined();
  });
});
