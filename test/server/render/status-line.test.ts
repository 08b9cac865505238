import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import {
  BG_ITALIC,
  CELL_WORDS,
  COLOR_MASK,
  COLOR_PALETTE16,
  cellText,
  FG_BOLD,
  FG_INVERSE,
  FG_UNDERLINE,
  type Row,
  rowColumns,
} from '../../../protocol/cell.ts';
import { blankFrame } from '../../../protocol/frame.ts';
import type { Size } from '../../../protocol/geometry.ts';
import { expandFormat } from '../../../server/format/format-expand.ts';
import { formatSource } from '../../../server/format/format-variables.ts';
import { fitWindows } from '../../../server/model/window-size.ts';
import { Scene } from '../../../server/render/scene.ts';
import { RenderWorld } from '../../support/render-world.ts';
import { parseRows, TmuxScreen } from '../../support/tmux-screen.ts';

/** Done to tmux when it is recorded, and to our model when it is compared. */
type Step =
  | readonly ['set', string, string]
  | readonly ['window', string]
  | readonly ['select', number]
  | readonly ['split', 'row' | 'column']
  | readonly ['message', string];

interface Case {
  readonly name: string;
  readonly size: Size;
  readonly steps: readonly Step[];
}

/** What tmux 3.3a shows, made again by MPLEX_RECORD=1. A cell's style is its SGR parameters. */
interface Recording extends Case {
  readonly texts: readonly string[];
  readonly styles: readonly string[];
}

const FIXTURE = fileURLToPath(new URL('../../fixtures/render/status.json', import.meta.url));
const BASE: readonly Step[] = [
  ['set', 'status-left', '[#S] '],
  ['set', 'status-right', ' <#{pane_id}>'],
];
const MANY: readonly Step[] = ['editor', 'shell', 'logs', 'a-long-name', 'z'].map((name) => ['window', name] as const);

function cases(): Case[] {
  const list: Case[] = [];
  const add = (name: string, cols: number, ...steps: Step[]) =>
    list.push({ name, size: { cols, rows: 8 }, steps: [...BASE, ...steps] });
  add('one window', 40);
  add('flags of the current and the last window', 40, ['window', 'two'], ['window', 'three'], ['select', 0]);
  for (const justify of ['left', 'centre', 'right', 'absolute-centre']) {
    add(`justified ${justify}`, 50, ['window', 'two'], ['set', 'status-justify', justify]);
    add(`justified ${justify}, more windows than room`, 34, ...MANY, ['select', 3], ['set', 'status-justify', justify]);
  }
  for (const index of [0, 2, 5]) add(`the list is cut round window ${index}`, 30, ...MANY, ['select', index]);
  add('no room for anything but the left', 6, ...MANY);
  add(
    'styles of the parts',
    44,
    ['window', 'two'],
    ['window', 'three'],
    ['set', 'status-style', 'fg=white,bg=blue'],
    ['set', 'status-left-style', 'bold'],
    ['set', 'status-right-style', 'fg=yellow,italics'],
    ['set', 'window-status-current-style', 'reverse'],
    ['set', 'window-status-last-style', 'underscore'],
    ['set', 'window-status-style', 'fg=green'],
  );
  add('status-bg and status-fg', 40, ['set', 'status-bg', 'cyan'], ['set', 'status-fg', 'red']);
  add(
    'lengths cut the sides',
    40,
    ['set', 'status-left', 'a very long left'],
    ['set', 'status-left-length', '8'],
    ['set', 'status-right', 'a very long right'],
    ['set', 'status-right-length', '6'],
  );
  add(
    'own separators and formats',
    40,
    ['window', 'two'],
    ['set', 'window-status-separator', '|'],
    ['set', 'window-status-format', '#I#F'],
    ['set', 'window-status-current-format', '#[bold]#W#[default]!'],
  );
  add('two lines', 40, ['split', 'row'], ['set', 'status', '2']);
  add(
    "three lines on top, the third a format of one's own",
    40,
    ['set', 'status', '3'],
    ['set', 'status-position', 'top'],
    ['set', 'status-format[2]', 'x#[align=right]y#[align=centre,fg=red]z'],
  );
  add(
    'wide characters',
    40,
    ['set', 'status-left', '漢字漢字漢字'],
    ['set', 'status-left-length', '5'],
    ['window', '窓'],
  );
  add('a message over one line', 40, ['message', 'hello #[fg=red]there']);
  add('a message over the last of two lines', 40, ['set', 'status', '2'], ['message', 'hello']);
  add('a message without a status line', 40, ['set', 'status', 'off'], ['message', 'hello']);
  add('a message that is too long', 20, ['message', 'a message that has no room on this terminal']);
  add('a message on top', 40, ['set', 'status-position', 'top'], ['set', 'status', '2'], ['message', 'hello']);
  add(
    'titles in borders',
    40,
    ['split', 'row'],
    ['split', 'column'],
    ['set', 'pane-border-status', 'top'],
    [
      'set',
      'pane-border-format',
      '#{?pane_active,#[reverse],}#{pane_index}#[default] of #{window_panes}#[align=right]#{pane_id}',
    ],
  );
  add(
    'titles below',
    40,
    ['split', 'row'],
    ['split', 'column'],
    ['set', 'pane-border-status', 'bottom'],
    ['set', 'pane-border-lines', 'double'],
    ['set', 'pane-border-format', '#[align=centre]#{pane_id}'],
    ['set', 'pane-border-style', 'fg=red'],
  );
  return list;
}

function record(): Recording[] {
  return cases().map((each) => {
    const screen = new TmuxScreen(each.size);
    try {
      for (const step of each.steps) {
        const said = screen.run(...tmuxCommand(step));
        if (said !== '') throw new Error(`${step.join(' ')}: ${said}`);
      }
      const rows = parseRows(screen.rows(), each.size.cols);
      return {
        ...each,
        texts: rows.map((row) =>
          row
            .map((cell) => cell.text)
            .join('')
            .trimEnd(),
        ),
        styles: rows.map((row) => row.map((cell) => cell.sgr).join(',')),
      };
    } finally {
      screen.dispose();
    }
  });
}

function tmuxCommand(step: Step): string[] {
  switch (step[0]) {
    case 'set':
      return ['set', '-g', step[1], step[2]];
    case 'window':
      return ['new-window', '-n', step[1]];
    case 'select':
      return ['select-window', '-t', `:${step[1]}`];
    case 'split':
      return ['split-window', step[1] === 'row' ? '-h' : '-v'];
    case 'message':
      return ['display-message', '-d', '30000', step[1]];
  }
}

/** What we show after the same steps. */
function show({ size, steps }: Case): Row[] {
  const world = new RenderWorld({ cols: size.cols, rows: size.rows - 1 });
  const { client } = world.addClient(size);
  for (const step of steps) {
    const { session } = world;
    if (step[0] === 'set') world.set(step[1], step[2]);
    else if (step[0] === 'window') session.select(session.find(world.addWindow(step[1], world.window.size))!);
    else if (step[0] === 'select') session.select(session.at(step[1])!);
    else if (step[0] === 'split') world.split(step[1]);
    else client.message = { text: step[1], until: undefined };
  }
  fitWindows(world.registry);
  const scene = new Scene(client, {
    registry: world.registry,
    expand: (format, about) =>
      expandFormat(format, formatSource({ ...world.formatContext(), ...about }), { time: true }),
  });
  const frame = blankFrame(size);
  scene.draw(frame, { shown: frame, isHeld: () => false });
  return frame.rows;
}

function sgrOf(row: Row, x: number): string {
  const fg = row.words[x * CELL_WORDS + 1] ?? 0;
  const bg = row.words[x * CELL_WORDS + 2] ?? 0;
  const color = (word: number, base: number) => {
    const value = word & COLOR_MASK;
    return value === 0 ? [] : [String(base + value - COLOR_PALETTE16)];
  };
  const flags: [number, string][] = [
    [fg & FG_BOLD, '1'],
    [bg & BG_ITALIC, '3'],
    [fg & FG_UNDERLINE, '4'],
    [fg & FG_INVERSE, '7'],
  ];
  return [...flags.flatMap(([isOn, code]) => (isOn ? [code] : [])), ...color(fg, 30), ...color(bg, 40)]
    .sort()
    .join(';');
}

if (process.env.MPLEX_RECORD) writeFileSync(FIXTURE, `${JSON.stringify(record())}\n`);
const recordings = JSON.parse(readFileSync(FIXTURE, 'utf8')) as Recording[];

describe('status lines, messages and titles are drawn as by tmux 3.3a', () => {
  test.each(recordings.map((recording) => [recording.name, recording] as const))('%s', (_name, recording) => {
    const rows = show(recording);
    const columns = (row: Row) => Array.from({ length: rowColumns(row) }, (_, x) => x);
    const texts = rows.map((row) =>
      columns(row)
        .map((x) => cellText(row, x))
        .join('')
        .trimEnd(),
    );
    expect(texts.join('\n')).toBe(recording.texts.join('\n'));
    // A wide character is one cell in tmux's capture.
    const styles = rows.map((row) =>
      columns(row)
        .filter((x) => cellText(row, x) !== '')
        .map((x) => sgrOf(row, x))
        .join(','),
    );
    expect(styles).toEqual(
      recording.styles.map((style, y) => style.split(',').slice(0, styles[y]?.split(',').length).join(',')),
    );
  });
});
