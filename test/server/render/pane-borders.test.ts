import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Rect } from '../../../protocol/geometry.ts';
import {
  BorderCache,
  type BorderIndicators,
  type BorderInput,
  type BorderLines,
  type BorderStatus,
  type PaneBorders,
  paneBorders,
} from '../../../server/render/pane-borders.ts';
import { parseRows, TmuxScreen } from '../../support/tmux-screen.ts';

/**
 * What tmux 3.3a shows for a layout, made again by MPLEX_RECORD=1. A row of `glyphs` is the window's row with
 * everything but borders blank; a row of `owners` has `a` for the active pane's style, `.` for the other one, in upper
 * case (`A`, `:`) where it is reversed for the marked pane.
 */
interface Recording {
  readonly name: string;
  readonly input: BorderInput;
  readonly glyphs: readonly string[];
  readonly owners: readonly string[];
}

const FIXTURE = fileURLToPath(new URL('../../fixtures/render/borders.json', import.meta.url));
const SIZE = { cols: 33, rows: 14 };

/** The layouts, as commands that make them out of one pane. */
const LAYOUTS: Readonly<Record<string, readonly string[]>> = {
  one: [],
  columns: ['split-window -h'],
  rows: ['split-window -v'],
  three: ['split-window -h', 'split-window -v'],
  cross: ['split-window -h', 'split-window -v', 'select-pane -t :.0', 'split-window -v'],
  uneven: ['split-window -h', 'split-window -v', 'select-pane -t :.0', 'split-window -v -l 3'],
  tiled: [
    'split-window',
    'split-window',
    'select-layout tiled',
    'split-window',
    'select-layout tiled',
    'split-window',
    'select-layout tiled',
  ],
  narrow: ['split-window -h -l 1', 'split-window -v -l 1', 'split-window -h -t :.0 -l 2'],
};

function cases(): {
  name: string;
  layout: string;
  lines: BorderLines;
  status: BorderStatus;
  indicators: BorderIndicators;
  active: number;
  marked?: number;
}[] {
  const list: ReturnType<typeof cases> = [];
  const add = (layout: string, active: number, more: Partial<ReturnType<typeof cases>[number]> = {}) => {
    const full = { layout, lines: 'single', status: 'off', indicators: 'colour', active, ...more } as const;
    const marked = full.marked === undefined ? '' : `, marked ${full.marked}`;
    const name = `${layout}, active ${active}, ${full.lines}, titles ${full.status}, ${full.indicators}${marked}`;
    list.push({ ...full, name });
  };
  for (const layout of Object.keys(LAYOUTS)) add(layout, 0);
  for (const layout of ['columns', 'rows', 'three', 'tiled', 'narrow']) add(layout, 1);
  for (const active of [1, 2, 3]) add('cross', active);
  for (const lines of ['double', 'heavy', 'simple', 'number'] as const) {
    add('cross', 2, { lines });
    add('uneven', 1, { lines });
  }
  for (const status of ['top', 'bottom'] as const) {
    for (const layout of Object.keys(LAYOUTS)) add(layout, layout === 'one' ? 0 : 1, { status });
    add('three', 0, { status, marked: 2 });
    add('cross', 3, { status });
  }
  for (const indicators of ['off', 'arrows', 'both'] as const) {
    for (const layout of ['columns', 'rows']) for (const active of [0, 1]) add(layout, active, { indicators });
    for (const active of [0, 1, 2, 3]) add('cross', active, { indicators });
    add('three', 2, { indicators, status: 'top' });
    add('three', 1, { indicators, status: 'bottom' });
  }
  add('columns', 0, { marked: 1 });
  add('cross', 1, { marked: 2 });
  return list;
}

function record(): Recording[] {
  return cases().map(({ name, layout, lines, status, indicators, active, marked }) => {
    const screen = new TmuxScreen({ cols: SIZE.cols, rows: SIZE.rows + 1 });
    try {
      const settings = [
        `set -g pane-border-lines ${lines}`,
        `set -g pane-border-status ${status}`,
        `set -g pane-border-indicators ${indicators}`,
        'set -g pane-border-format ""',
        'set -g pane-border-style fg=red',
        'set -g pane-active-border-style fg=green',
      ];
      const mark = marked === undefined ? [] : [`select-pane -m -t :.${marked}`];
      for (const line of [...settings, ...(LAYOUTS[layout] ?? []), `select-pane -t :.${active}`, ...mark]) {
        const said = screen.run(...line.split(' ').map((word) => (word === '""' ? '' : word)));
        if (said !== '') throw new Error(`${line}: ${said}`);
      }
      const format = '#{pane_id} #{pane_index} #{pane_left} #{pane_top} #{pane_width} #{pane_height} #{pane_active}';
      const panes = screen
        .run('list-panes', '-F', format)
        .trim()
        .split('\n')
        .map((line) => line.replace('%', '').split(' ').map(Number));
      const rows = parseRows(screen.rows(), SIZE.cols).slice(0, SIZE.rows);
      const input: BorderInput = {
        size: SIZE,
        panes: panes.map(([id = 0, index = 0, x = 0, y = 0, width = 0, height = 0]) => ({
          id,
          index,
          rect: { x, y, width, height },
        })),
        active: panes.find((pane) => pane[6] === 1)?.[0] ?? -1,
        marked: marked === undefined ? undefined : panes[marked]?.[0],
        lines,
        status,
        indicators,
      };
      const owner = (sgr: string) => {
        const letter = sgr.includes('32') ? 'a' : sgr.includes('31') ? '.' : ' ';
        return sgr.split(';').includes('7') ? (letter === 'a' ? 'A' : ':') : letter;
      };
      return {
        name,
        input,
        glyphs: rows.map((row) =>
          row
            .map((cell) => cell.text)
            .join('')
            .trimEnd(),
        ),
        owners: rows.map((row) =>
          row
            .map((cell) => owner(cell.sgr))
            .join('')
            .trimEnd(),
        ),
      };
    } finally {
      screen.dispose();
    }
  });
}

/** The window's cells as two texts; title strips are drawn empty and unreversed, as tmux does. */
function draw(input: BorderInput): { glyphs: string[]; owners: string[] } {
  const borders = paneBorders(input);
  const glyphs = Array.from({ length: input.size.rows }, () => Array<string>(input.size.cols).fill(' '));
  const owners = glyphs.map((row) => [...row]);
  for (const { x, y, text, pane, isMarked } of borders.cells) {
    if (x === input.size.cols || y === input.size.rows) continue;
    const letter = pane === input.active ? 'a' : '.';
    const inTitle = borders.titles.some((title) => title.y === y && x >= title.x && x < title.x + title.width);
    glyphs[y]![x] = text;
    owners[y]![x] = isMarked && !inTitle ? (letter === 'a' ? 'A' : ':') : letter;
  }
  const lines = (cells: string[][]) => cells.map((row) => row.join('').trimEnd());
  return { glyphs: lines(glyphs), owners: lines(owners) };
}

if (process.env.MPLEX_RECORD) writeFileSync(FIXTURE, `${JSON.stringify(record())}\n`);
const recordings = JSON.parse(readFileSync(FIXTURE, 'utf8')) as Recording[];

describe('borders are drawn as by tmux 3.3a', () => {
  test.each(recordings.map((recording) => [recording.name, recording] as const))('%s', (_name, recording) => {
    // JSON leaves out what is undefined.
    const input = { ...recording.input, marked: recording.input.marked };
    const { glyphs, owners } = draw(input);
    expect(glyphs.join('\n')).toBe(recording.glyphs.join('\n'));
    expect(owners.join('\n')).toBe(recording.owners.join('\n'));
  });
});

/** Rectangles from random splits, a border between any two. */
const splitRects = fc
  .array(fc.tuple(fc.nat(20), fc.boolean(), fc.integer({ min: 1, max: 30 })), { maxLength: 8 })
  .map((splits) => {
    const rects: Rect[] = [{ x: 0, y: 0, width: 40, height: 20 }];
    for (const [which, isRow, where] of splits) {
      const at = which % rects.length;
      const rect = rects[at]!;
      const length = isRow ? rect.width : rect.height;
      if (length < 3) continue;
      const first = 1 + (where % (length - 2));
      const rest = length - first - 1;
      rects[at] = isRow ? { ...rect, width: first } : { ...rect, height: first };
      rects.push(
        isRow ? { ...rect, x: rect.x + first + 1, width: rest } : { ...rect, y: rect.y + first + 1, height: rest },
      );
    }
    return rects;
  });

function inputOf(rects: readonly Rect[], more: Partial<BorderInput> = {}): BorderInput {
  const panes = rects.map((rect, i) => ({ id: i + 10, index: i, rect }));
  const size = { cols: 40, rows: 20 };
  return { size, panes, active: 10, marked: undefined, lines: 'single', status: 'off', indicators: 'colour', ...more };
}

test('panes and borders tile the window, each cell once', () => {
  fc.assert(
    fc.property(splitRects, fc.nat(8), (rects, which) => {
      const input = inputOf(rects, { active: 10 + (which % rects.length) });
      const seen = new Map<string, number>();
      const add = (x: number, y: number) => seen.set(`${x},${y}`, (seen.get(`${x},${y}`) ?? 0) + 1);
      for (const { x, y } of paneBorders(input).cells) if (x < 40 && y < 20) add(x, y);
      for (const rect of rects) {
        for (let y = rect.y; y < rect.y + rect.height; y++)
          for (let x = rect.x; x < rect.x + rect.width; x++) add(x, y);
      }
      expect(seen.size).toBe(40 * 20);
      expect([...seen.values()].every((count) => count === 1)).toBe(true);
    }),
    { numRuns: 50 },
  );
});

describe('the edge of a window smaller than the client', () => {
  function edges(borders: PaneBorders, size = { cols: 9, rows: 3 }): string {
    const rows = Array.from({ length: size.rows + 1 }, () => Array<string>(size.cols + 1).fill(' '));
    for (const { x, y, text } of borders.cells) rows[y]![x] = text;
    return rows.map((row) => row.join('')).join('\n');
  }
  const columns = [
    { x: 0, y: 0, width: 4, height: 3 },
    { x: 5, y: 0, width: 4, height: 3 },
  ];

  test('is a line that the borders join', () => {
    const borders = paneBorders(inputOf(columns, { size: { cols: 9, rows: 3 } }));
    expect(edges(borders)).toBe(['    │    │', '    │    │', '    │    │', '────┴────┘'].join('\n'));
    expect(borders.cells.filter((cell) => cell.x === 9 || cell.y === 3).every((cell) => cell.pane === undefined)).toBe(
      true,
    );
  });

  test('has no joints with a row of titles beside it', () => {
    const rects = columns.map((rect) => ({ ...rect, height: 2 }));
    const borders = paneBorders(inputOf(rects, { size: { cols: 9, rows: 3 }, status: 'bottom' }));
    expect(edges(borders)).toBe(['    │    │', '    │    │', '────┴────┤', '─────────┘'].join('\n'));
  });

  test('is a star in numbers, since it belongs to no pane', () => {
    expect(edges(paneBorders(inputOf(columns, { size: { cols: 9, rows: 3 }, lines: 'number' })))).toBe(
      ['    0    *', '    0    *', '    1    *', '**********'].join('\n'),
    );
  });
});

test('a title leaves two cells of border on both sides, and a pane too narrow for it has none', () => {
  const rects = [
    { x: 0, y: 1, width: 20, height: 19 },
    { x: 21, y: 1, width: 4, height: 19 },
  ];
  expect(paneBorders(inputOf(rects, { status: 'top' })).titles).toEqual([{ pane: 10, x: 2, y: 0, width: 16 }]);
  expect(paneBorders(inputOf(rects)).titles).toEqual([]);
});

test('the cache gives the same borders until something that shapes them changes', () => {
  const cache = new BorderCache();
  const rects = [
    { x: 0, y: 0, width: 20, height: 20 },
    { x: 21, y: 0, width: 19, height: 20 },
  ];
  const first = cache.get(inputOf(rects));
  expect(cache.get(inputOf(rects.map((rect) => ({ ...rect }))))).toBe(first);
  expect(cache.get(inputOf(rects, { active: 11 }))).not.toBe(first);
  expect(cache.get(inputOf(rects, { active: 11, lines: 'double' })).cells[0]?.text).toBe('║');
});
