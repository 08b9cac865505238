import { beforeEach, describe, expect, test } from 'vitest';
import {
  CELL_WORDS,
  COLOR_MASK,
  COLOR_PALETTE16,
  FG_INVERSE,
  type Row,
  rowColumns,
  rowText,
} from '../../../protocol/cell.ts';
import { blankFrame, type Frame } from '../../../protocol/frame.ts';
import type { Size } from '../../../protocol/geometry.ts';
import type { Pane } from '../../../server/model/pane.ts';
import type { PaneMode } from '../../../server/model/pane-mode.ts';
import { FramePair } from '../../../server/render/frame-pair.ts';
import { Scene } from '../../../server/render/scene.ts';
import { RenderWorld, screenOf, type TestClient } from '../../support/render-world.ts';

const NOBODY = () => false;
let world: RenderWorld;
let client: TestClient;
let scene: Scene;
let expanded: string[];

/** A window of `size` on a client of `clientSize`; without a size for the client it has one row more, for the status. */
function start(size: Size, clientSize: Size = { cols: size.cols, rows: size.rows + 1 }): void {
  world = new RenderWorld(size);
  client = world.addClient(clientSize);
  expanded = [];
  scene = new Scene(client.client, {
    registry: world.registry,
    expand: (format, { pane }) => {
      expanded.push(format);
      return format.replaceAll('#{pane_id}', `%${pane?.id}`).replaceAll('#{session_name}', 's');
    },
  });
  world.set('status-format[0]', 'status');
}

function draw(
  into = blankFrame(client.client.size),
  shown = blankFrame({ cols: 0, rows: 0 }),
  isHeld = NOBODY as (pane: Pane) => boolean,
): Frame {
  scene.draw(into, { shown, isHeld });
  return into;
}

function picture(frame = draw()): string[] {
  return frame.rows.map((row) => rowText(row).trimEnd());
}

const word = (row: Row, x: number, which: 1 | 2) => row.words[x * CELL_WORDS + which] ?? 0;

/** Foregrounds as digits (palette 0-7), `.` for the default, in reverse as letters a-h and `!`. */
function foregrounds(frame = draw()): string[] {
  return frame.rows.map((row) =>
    Array.from({ length: rowColumns(row) }, (_, x) => {
      const fg = word(row, x, 1);
      const color = (fg & COLOR_MASK) === 0 ? undefined : (fg & COLOR_MASK) - COLOR_PALETTE16;
      if (fg & FG_INVERSE) return color === undefined ? '!' : 'abcdefgh'[color];
      return color === undefined ? '.' : String(color);
    }).join(''),
  );
}

function backgrounds(frame = draw()): string[] {
  return frame.rows.map((row) =>
    Array.from({ length: rowColumns(row) }, (_, x) => {
      const bg = word(row, x, 2) & COLOR_MASK;
      return bg === 0 ? '.' : String(bg - COLOR_PALETTE16);
    }).join(''),
  );
}

function show(pane: Pane, ...lines: string[]): void {
  screenOf(pane).lines = lines;
}

describe('panes', () => {
  beforeEach(() => start({ cols: 11, rows: 4 }));

  test('one pane fills all above the status line', () => {
    show(world.window.active, 'hello world', 'two', '', 'four');
    expect(picture()).toEqual(['hello world', 'two', '', 'four', 'status']);
  });

  test("two panes have a border between them, half in the active one's colour", () => {
    show(world.window.active, 'left');
    world.split('row', ['right']);
    world.set('pane-active-border-style', 'fg=green');
    expect(picture()).toEqual(['left │right', '     │', '     │', '     │', 'status']);
    expect(foregrounds().slice(0, 4)).toEqual(['...........', '...........', '...........', '.....2.....']);
  });

  test('a marked pane has its border in reverse', () => {
    const first = world.window.active;
    world.split('row');
    world.registry.setMark(first);
    world.set('pane-active-border-style', 'fg=green');
    world.set('pane-border-indicators', 'off');
    expect(foregrounds()[0]).toBe('.....c.....');
    world.set('pane-border-indicators', 'colour');
    expect(foregrounds().slice(0, 4)).toEqual(['.....!.....', '.....!.....', '.....!.....', '.....2.....']);
  });

  test('a zoomed pane is alone', () => {
    show(world.window.active, 'left');
    const right = world.split('row', ['right pane.']);
    world.window.zoom(right);
    expect(picture()[0]).toBe('right pane.');
  });

  test('a mode is shown in place of the screen', () => {
    const pane = world.window.active;
    show(pane, 'screen');
    const mode = {
      drawRow: (y: number, into: Row) => {
        for (let x = 0; x < rowColumns(into); x++) into.words[x * CELL_WORDS] = (48 + y) | (1 << 22);
      },
      cursor: () => ({ ...screenOf(pane).cursor, x: 7, y: 2 }),
      close: () => {},
    } as unknown as PaneMode;
    pane.pushMode(mode);
    const frame = draw();
    expect(picture(frame)[1]).toBe('11111111111');
    expect(frame.cursor).toMatchObject({ x: 7, y: 2, visible: true });
  });

  test('wide characters are never halved by a border or the edge', () => {
    show(world.window.active, '漢字漢字漢字');
    expect(picture()[0]).toBe('漢字漢字漢');
    world.split('row', ['字字字']);
    expect(picture()[0]).toBe('漢字 │字字');
  });

  test('drawing into a used frame leaves nothing of what was there', () => {
    const used = blankFrame(client.client.size);
    show(world.window.active, 'e\u0301e\u0301e\u0301', '漢字漢字', '🏳️‍🌈');
    world.split('row', ['xxxxxxx', 'yyyyyy']);
    draw(used);
    for (const pane of world.window.panes) show(pane, 'a');
    world.window.zoom(world.window.active);
    const fresh = draw();
    scene.draw(used, { shown: fresh, isHeld: NOBODY });
    expect(picture(used)).toEqual(picture(fresh));
    expect(used.rows.map((row) => [...row.words])).toEqual(fresh.rows.map((row) => [...row.words]));
    expect(used.rows.every((row) => !row.clusters || row.clusters.size === 0)).toBe(true);
  });

  test('window-style gives colours to what has none, window-active-style those of the active pane', () => {
    show(world.window.active, 'left');
    world.split('row', ['right']);
    world.set('window-style', 'fg=green,bg=red,bold');
    world.set('window-active-style', 'bg=blue');
    world.set('pane-active-border-style', 'default');
    expect(foregrounds()[0]).toBe('22222.22222');
    expect(backgrounds()[0]).toBe('11111.44444');
  });
});

describe('a window smaller than the client', () => {
  test('is in the corner with its edge drawn, the rest filled', () => {
    start({ cols: 7, rows: 3 }, { cols: 12, rows: 7 });
    show(world.window.active, 'abc');
    world.split('row', ['xyz']);
    world.set('pane-border-style', 'fg=red');
    world.set('pane-active-border-style', 'fg=green');
    expect(picture()).toEqual([
      'abc│xyz│····',
      '   │   │····',
      '   │   │····',
      '───┴───┘····',
      '············',
      '············',
      'status',
    ]);
    expect(foregrounds()[0]).toBe('...1...11111');
    expect(foregrounds()[3]).toBe('111111111111');
  });

  test('in one direction only', () => {
    start({ cols: 7, rows: 3 }, { cols: 7, rows: 6 });
    expect(picture()).toEqual(['', '', '', '───────', '·······', 'status']);
    start({ cols: 7, rows: 3 }, { cols: 9, rows: 4 });
    expect(picture()).toEqual(['       │·', '       │·', '       │·', 'status']);
  });

  test('follows the status line to the top', () => {
    start({ cols: 5, rows: 2 }, { cols: 7, rows: 5 });
    world.set('status-position', 'top');
    show(world.window.active, 'abc');
    expect(picture()).toEqual(['status', 'abc  │·', '     │·', '─────┘·', '·······']);
  });
});

describe('a window larger than the client', () => {
  beforeEach(() => {
    start({ cols: 20, rows: 6 }, { cols: 8, rows: 4 });
    show(
      world.window.active,
      ...Array.from({ length: 6 }, (_, y) => Array.from({ length: 20 }, (_, x) => (x + y) % 10).join('')),
    );
  });

  test('is seen where its cursor is', () => {
    screenOf(world.window.active).cursor = { ...screenOf(world.window.active).cursor, x: 10, y: 4 };
    const frame = draw();
    expect(picture(frame)).toEqual(['90123456', '01234567', '12345678', 'status']);
    expect(frame.cursor).toMatchObject({ x: 4, y: 1, visible: true });
  });

  test('is seen where refresh-client put it; a cursor elsewhere is hidden', () => {
    client.client.pan = { window: world.window, x: 7, y: 2 };
    const frame = draw();
    expect(picture(frame)[0]).toBe('90123456');
    expect(frame.cursor.visible).toBe(false);
  });

  test('another window is not moved by that', () => {
    client.client.pan = { window: world.addWindow('other', { cols: 20, rows: 6 }), x: 7, y: 2 };
    expect(picture()[0]).toBe('01234567');
  });

  test('wide characters at the edge of what is seen are blank, not halved', () => {
    show(world.window.active, '漢字漢字漢字漢字漢字');
    client.client.pan = { window: world.window, x: 3, y: 0 };
    expect(picture()[0]).toBe(' 漢字漢');
    client.client.pan = { window: world.window, x: 4, y: 0 };
    expect(picture()[0]).toBe('漢字漢字');
  });
});

describe('the status lines', () => {
  beforeEach(() => start({ cols: 10, rows: 4 }));

  test('are one below by default, none when off, more when asked, on top when asked', () => {
    show(world.window.active, 'pane');
    world.set('status-format[1]', 'second');
    expect(picture()).toEqual(['pane', '', '', '', 'status']);
    world.set('status', '2');
    scene.refreshStatus();
    expect(picture()).toEqual(['pane', '', '', 'status', 'second']);
    world.set('status-position', 'top');
    expect(picture()).toEqual(['status', 'second', 'pane', '', '']);
    world.set('status', 'off');
    expect(picture()).toEqual(['pane', '', '', '', '──────────']);
  });

  test('have the colours of status-style under those of status-fg and status-bg', () => {
    world.set('status-style', 'fg=red,bg=green');
    expect([foregrounds()[4], backgrounds()[4]]).toEqual(['1111111111', '2222222222']);
    world.set('status-bg', 'blue');
    scene.refreshStatus();
    expect([foregrounds()[4], backgrounds()[4]]).toEqual(['1111111111', '4444444444']);
  });

  test('are expanded when refreshed and not with each frame', () => {
    const count = () => expanded.filter((format) => format === 'status').length;
    draw();
    draw();
    draw();
    expect(count()).toBe(1);
    scene.refreshStatus();
    draw();
    expect(count()).toBe(2);
  });

  test('give way on a terminal too small for them', () => {
    start({ cols: 10, rows: 1 }, { cols: 10, rows: 1 });
    show(world.window.active, 'pane');
    expect(picture()).toEqual(['pane']);
  });

  test('tell their interval, none when off', () => {
    world.set('status-interval', '7');
    expect(scene.statusIntervalMs).toBe(7000);
    world.set('status', 'off');
    expect(scene.statusIntervalMs).toBe(0);
  });
});

describe('a message', () => {
  beforeEach(() => {
    start({ cols: 10, rows: 4 });
    client.client.message = { text: 'say#[fg=red]ing', until: undefined };
    world.set('message-style', 'fg=black,bg=yellow');
  });

  test('covers the last status line and hides the cursor', () => {
    world.set('status', '2');
    world.set('status-format[1]', 'second');
    const frame = draw();
    expect(picture(frame)).toEqual(['', '', '', 'status', 'saying']);
    expect(foregrounds(frame)[4]).toBe('0001110000');
    expect(backgrounds(frame)[4]).toBe('3333333333');
    expect(frame.cursor.visible).toBe(false);
  });

  test('takes a row of the window where there is no status line', () => {
    world.set('status', 'off');
    expect(picture()[4]).toBe('saying');
    world.set('status-position', 'top');
    expect(picture()[0]).toBe('saying');
  });

  test('goes when it is over', () => {
    draw();
    client.client.message = undefined;
    expect(picture()[4]).toBe('status');
  });

  test('cannot bring control characters to the screen', () => {
    client.client.message = { text: 'a\x1b[31m\u202eb\n', until: undefined };
    expect(picture()[4]).toBe('a[31mb');
  });
});

describe('titles in borders', () => {
  beforeEach(() => {
    start({ cols: 16, rows: 6 });
    world.set('pane-border-format', '#{pane_id}');
    world.set('pane-active-border-style', 'fg=green');
    world.set('pane-border-style', 'default');
  });

  test('are in the border above each pane', () => {
    world.set('pane-border-status', 'top');
    world.split('column');
    expect(picture().slice(0, 6)).toEqual(['──%0────────────', '', '', '──%1────────────', '', '']);
    expect(foregrounds()[3]).toBe('2222222222222222');
  });

  test('or in the one below', () => {
    world.set('pane-border-status', 'bottom');
    world.split('row');
    expect(picture().slice(4, 6)).toEqual(['        │', '──%0────┴──%1───']);
  });

  test('are cut where the window is', () => {
    client.client.size = { cols: 6, rows: 4 };
    world.set('pane-border-status', 'top');
    world.set('pane-border-format', 'abcdefgh');
    client.client.pan = { window: world.window, x: 4, y: 0 };
    expect(picture()[0]).toBe('cdefgh');
  });
});

describe('the cursor', () => {
  beforeEach(() => start({ cols: 11, rows: 4 }));

  test("is the active pane's, where the pane is", () => {
    world.set('status-position', 'top');
    const pane = world.split('row');
    screenOf(pane).cursor = { ...screenOf(pane).cursor, x: 2, y: 3, shape: 'bar', blink: true, color: '#ff0000' };
    expect(draw().cursor).toEqual({ x: 8, y: 4, visible: true, shape: 'bar', blink: true, color: '#ff0000' });
  });

  test('is hidden when the program hides it', () => {
    screenOf(world.window.active).cursor = { ...screenOf(world.window.active).cursor, visible: false };
    expect(draw().cursor.visible).toBe(false);
  });

  test('beyond the last column is in the last column', () => {
    const first = world.window.active;
    screenOf(first).cursor = { ...screenOf(first).cursor, x: 11, y: 0 };
    expect(draw().cursor).toMatchObject({ x: 10, y: 0, visible: true });
  });
});

describe('modes of the terminal', () => {
  beforeEach(() => start({ cols: 11, rows: 4 }));

  test.each([
    ['off', 'off', 'off'],
    ['off', 'x10', 'click'],
    ['off', 'click', 'click'],
    ['off', 'motion', 'motion'],
    ['on', 'off', 'drag'],
    ['on', 'click', 'drag'],
    ['on', 'motion', 'motion'],
  ])('mouse %s and a program that asks for %s: %s', (option, asked, expected) => {
    world.set('mouse', option);
    screenOf(world.window.active).modes.mouseTracking = asked;
    expect(draw().modes.mouse).toBe(expected);
  });

  test('with mouse on a visible pane that is not active may ask for motion; with mouse off it may not', () => {
    screenOf(world.window.active).modes.mouseTracking = 'motion';
    world.split('row');
    expect(draw().modes.mouse).toBe('off');
    world.set('mouse', 'on');
    expect(draw().modes.mouse).toBe('motion');
  });

  test('keys are told in full while the active pane asks for them, and no prompt or mode takes them', () => {
    const keys = () => [draw().modes.keyFlags, draw().modes.otherKeys];
    expect(keys()).toEqual([5, false]);
    screenOf(world.window.active).modes.keyFlags = 10;
    expect(keys()).toEqual([31, true]);
    screenOf(world.window.active).modes.keyFlags = 0;
    screenOf(world.window.active).modes.modifyOtherKeys = 1;
    expect(keys()).toEqual([5, true]);
    world.set('kitty-keys', 'off');
    expect(keys()).toEqual([0, false]);
    world.set('extended-keys', 'on');
    expect(keys()).toEqual([5, true]);
  });

  test('focus is asked for by options focus-events and pane-notify', () => {
    expect(draw().modes.focus).toBe(true);
    world.set('pane-notify', 'off');
    expect(draw().modes.focus).toBe(false);
    world.set('focus-events', 'on');
    expect(draw().modes.focus).toBe(true);
  });

  test('the title is set by option set-titles, cleaned', () => {
    world.set('set-titles-string', 'a\x1b]2;x\x07\u202e#{session_name}');
    expect(draw().title).toBeUndefined();
    world.set('set-titles', 'on');
    expect(draw().title).toBe('a]2;xs');
    world.set('set-titles-string', 'new');
    expect(draw().title).toBe('a]2;xs');
    scene.refreshStatus();
    expect(draw().title).toBe('new');
  });
});

describe('a held pane', () => {
  test('keeps what the client shows, the rest is drawn', () => {
    start({ cols: 11, rows: 3 });
    const left = world.window.active;
    show(left, 'old');
    const right = world.split('row', ['old']);
    const before = draw();
    show(left, 'half');
    show(right, 'new');
    expect(picture(draw(undefined, before, (pane) => pane === left))[0]).toBe('old  │new');
    expect(picture()[0]).toBe('half │new');
  });

  test('is drawn when it has moved since', () => {
    start({ cols: 11, rows: 3 });
    const left = world.window.active;
    show(left, 'old');
    const before = draw();
    show(left, 'half');
    world.split('row');
    expect(picture(draw(undefined, before, (pane) => pane === left))[0]).toBe('half │');
  });
});

describe('output alone', () => {
  let frames: FramePair;
  beforeEach(() => {
    start({ cols: 11, rows: 4 });
    world.split('row', ['', '', '', '']);
    show(world.window.panes[0]!, 'one', 'two', 'three');
    frames = new FramePair();
    scene.draw(frames.renew(client.client.size), { shown: frames.shown, isHeld: NOBODY });
    frames.swap();
    frames.keep(client.client.size);
  });

  /** Whether output was enough, and the rows that were drawn. */
  function drawn(isHeld = NOBODY as (pane: Pane) => boolean): [boolean, number[]] {
    const isEnough = scene.drawOutput(frames.next, frames, isHeld);
    return [isEnough, frames.next.rows.flatMap((row, y) => (row === frames.shown.rows[y] ? [] : [y]))];
  }

  test('is drawn by its rows, beside what other panes show', () => {
    show(world.window.panes[0]!, 'one', 'zwei', 'three');
    show(world.window.panes[1]!, '', 'deux', '', 'quatre');
    expect(drawn()).toEqual([true, [1, 3]]);
    expect(picture(frames.next)).toEqual(picture());
    expect(picture(frames.next)[1]).toBe('zwei │deux');
  });

  test('moves the cursor without drawing a row', () => {
    screenOf(world.window.active).cursor = { ...screenOf(world.window.active).cursor, x: 3, y: 2 };
    expect(drawn()).toEqual([true, []]);
    expect(frames.next.cursor).toMatchObject({ x: 9, y: 2 });
  });

  test('of a held pane is drawn when it is let go', () => {
    const [left] = world.window.panes;
    show(left!, 'eins', 'two', 'three');
    expect(drawn((pane) => pane === left)).toEqual([true, []]);
    expect(drawn()).toEqual([true, [0]]);
  });

  test.each<[string, () => void]>([
    [
      'a message',
      () => {
        client.client.message = { text: 'hello', until: undefined };
      },
    ],
    ['another window', () => world.session.select(world.session.find(world.addWindow('v', { cols: 11, rows: 4 }))!)],
    ['another layout', () => void world.split('column')],
    ['a zoomed pane', () => world.window.zoom(world.window.panes[0]!)],
    ['a status line less', () => world.set('status', 'off')],
    ['a mode', () => world.window.panes[0]!.pushMode({ close: () => {} } as unknown as PaneMode)],
    [
      'no session',
      () => {
        client.client.session = undefined;
      },
    ],
  ])('is not enough after %s', (_name, change) => {
    change();
    expect(drawn()[0]).toBe(false);
  });
});

describe('what the mouse means', () => {
  beforeEach(() => {
    start({ cols: 11, rows: 4 });
    world.split('row');
    world.set('status-format[0]', '#[range=left]L#[range=window|0]win#[norange] #[range=right]R');
    draw();
  });
  const at = (x: number, y: number) => {
    const place = scene.placeAt({ x, y });
    return place && [place.area, place.pane?.id ?? place.winlink?.index, place.x, place.y];
  };

  test('a cell of a pane', () => {
    expect(at(0, 0)).toEqual(['Pane', 0, 0, 0]);
    expect(at(8, 3)).toEqual(['Pane', 1, 2, 3]);
  });

  test('the border right of a pane', () => {
    expect(at(5, 2)).toEqual(['Border', 0, 5, 2]);
  });

  test('parts of the status line', () => {
    expect([0, 1, 3, 4, 5, 9].map((x) => at(x, 4)?.slice(0, 2))).toEqual([
      ['StatusLeft', undefined],
      ['Status', 0],
      ['Status', 0],
      ['StatusDefault', undefined],
      ['StatusRight', undefined],
      ['StatusDefault', undefined],
    ]);
  });

  test('the status line on top moves the panes down', () => {
    world.set('status-position', 'top');
    draw();
    expect(at(0, 0)?.[0]).toBe('StatusLeft');
    expect(at(0, 1)).toEqual(['Pane', 0, 0, 0]);
  });

  test("nothing outside of a smaller window, its pane's border on the edge", () => {
    client.client.size = { cols: 20, rows: 9 };
    draw();
    expect(at(11, 1)).toEqual(['Border', 1, 11, 1]);
    expect(at(15, 1)).toBeUndefined();
  });

  test('a title belongs to its pane', () => {
    world.set('pane-border-status', 'top');
    draw();
    expect(at(7, 0)).toEqual(['Border', 1, 7, 0]);
  });
});

test('a client without a session is blank', () => {
  start({ cols: 5, rows: 2 });
  client.client.session = undefined;
  expect(picture()).toEqual(['', '', '']);
  expect(scene.placeAt({ x: 0, y: 0 })).toBeUndefined();
  expect(scene.statusIntervalMs).toBe(0);
});
