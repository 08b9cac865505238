import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COLOR_PALETTE16, DEFAULT_STYLE, rowText } from '../../../protocol/cell.ts';
import type { InputEvent } from '../../../protocol/key.ts';
import {
  createMenu,
  type MenuItem,
  type MenuModel,
  type MenuOptions,
  updateMenu,
  viewMenu,
} from '../../../src/overlay/menu.ts';

const SCREEN = { cols: 40, rows: 12 };

function item(text: string, key = '', isEnabled = true): MenuItem {
  return { kind: 'item', text: [{ text, style: DEFAULT_STYLE }], key, isEnabled };
}

const ITEMS: readonly MenuItem[] = [
  item('one', 'a'),
  item('two', 'b', false),
  { kind: 'separator' },
  item('three', 'q'),
];

function menu(options: Partial<MenuOptions> = {}): MenuModel {
  return createMenu({
    x: 5,
    y: 2,
    width: 8,
    title: [{ text: 'title', style: DEFAULT_STYLE }],
    items: ITEMS,
    highlightStyle: { fg: COLOR_PALETTE16, bg: COLOR_PALETTE16 | 3 },
    byMouse: false,
    release: 'stay',
    ...options,
  });
}

function press(model: MenuModel, ...keys: string[]) {
  let result = { model, outcome: { kind: 'open' } } as ReturnType<typeof updateMenu>;
  for (const key of keys) result = updateMenu(result.model, { kind: 'key', key }, SCREEN);
  return result;
}

function mouse(action: 'press' | 'release' | 'motion', x: number, y: number): InputEvent {
  return { kind: 'mouse', action, button: 'left', x, y, ctrl: false, meta: false, shift: false };
}

describe('a menu', () => {
  it('is a box with its title in the upper border and the cursor on the highlighted item', () => {
    const { rect, canvas, cursor } = viewMenu(menu(), SCREEN);
    expect(rect).toEqual({ x: 5, y: 2, width: 12, height: 6 });
    expect(canvas.rows.map(rowText)).toEqual([
      '┌─title────┐',
      '│ one      │',
      '│ two      │',
      '├──────────┤',
      '│ three    │',
      '└──────────┘',
    ]);
    expect(cursor).toMatchObject({ x: 7, y: 3, visible: true });
  });

  it('highlights the next item that can be chosen, round its ends', () => {
    expect(menu().highlight).toBe(0);
    expect(press(menu(), 'Down').model.highlight).toBe(3);
    expect(press(menu(), 'Down', 'j').model.highlight).toBe(0);
    expect(press(menu(), 'Up').model.highlight).toBe(3);
    expect(press(menu(), 'End').model.highlight).toBe(3);
    expect(press(menu(), 'End', 'g').model.highlight).toBe(0);
  });

  it('takes the highlighted item by Enter, and any by its key, even one that closes menus otherwise', () => {
    expect(press(menu(), 'Down', 'Enter').outcome).toEqual({ kind: 'accept', value: 3 });
    expect(press(menu(), 'q').outcome).toEqual({ kind: 'accept', value: 3 });
    expect(press(menu(), 'b').outcome).toEqual({ kind: 'open' });
  });

  it('is closed by Escape and by C-c', () => {
    expect(press(menu(), 'Escape').outcome).toEqual({ kind: 'dismiss', by: 'escape' });
    expect(press(menu(), 'C-c').outcome).toEqual({ kind: 'dismiss', by: 'interrupt' });
  });

  it('opened by a held button takes the item under its release and closes beside the menu', () => {
    const held = menu({ byMouse: true, release: 'choose' });
    expect(held.highlight).toBe(-1);
    const moved = updateMenu(held, mouse('motion', 8, 6), SCREEN).model;
    expect(moved.highlight).toBe(3);
    expect(updateMenu(moved, mouse('release', 8, 6), SCREEN).outcome).toEqual({ kind: 'accept', value: 3 });
    const away = updateMenu(moved, mouse('motion', 30, 1), SCREEN).model;
    expect(updateMenu(away, mouse('release', 30, 1), SCREEN).outcome.kind).toBe('dismiss');
  });

  it('stays after a click that did not move; then a click chooses, and one beside it closes', () => {
    const opened = updateMenu(menu({ byMouse: true, release: 'choose' }), mouse('release', 8, 3), SCREEN);
    expect(opened.outcome).toEqual({ kind: 'open' });
    const pressed = updateMenu(opened.model, mouse('press', 8, 3), SCREEN);
    expect(pressed.outcome).toEqual({ kind: 'open' });
    expect(updateMenu(pressed.model, mouse('release', 8, 3), SCREEN).outcome).toEqual({ kind: 'accept', value: 0 });
    expect(updateMenu(opened.model, mouse('press', 30, 1), SCREEN).outcome.kind).toBe('dismiss');
  });

  it('scrolls on a screen that is too low for it, marked at its edge', () => {
    const items = Array.from({ length: 20 }, (_, at) => item(`item ${at}`));
    const long = press(menu({ items }), ...Array.from({ length: 15 }, () => 'Down')).model;
    const { canvas, cursor } = viewMenu(long, { cols: 40, rows: 10 });
    const rows = canvas.rows.map(rowText);
    expect(rows).toHaveLength(10);
    expect(rows.some((row) => row.includes('item 15'))).toBe(true);
    expect(rows[1]).toMatch(/▲$/);
    expect(rows[8]).toMatch(/▼$/);
    expect(cursor?.visible).toBe(true);
  });

  it('never throws, never highlights what cannot be chosen and stays inside the screen', () => {
    const event = fc.oneof(
      fc
        .constantFrom('Up', 'Down', 'PPage', 'NPage', 'Home', 'End', 'x')
        .map((key): InputEvent => ({ kind: 'key', key })),
      fc.record({
        kind: fc.constant('mouse' as const),
        action: fc.constantFrom('press' as const, 'release' as const, 'motion' as const),
        button: fc.constantFrom('left' as const, 'right' as const, 'wheel-up' as const, 'wheel-down' as const),
        x: fc.nat(60),
        y: fc.nat(40),
        ctrl: fc.constant(false),
        meta: fc.constant(false),
        shift: fc.constant(false),
      }),
    );
    const anyItem = fc.oneof(
      fc.constant<MenuItem>({ kind: 'separator' }),
      fc.boolean().map((isEnabled) => item('x', '', isEnabled)),
    );
    void fc.assert(
      fc.property(
        fc.array(anyItem, { maxLength: 30 }),
        fc.array(event, { maxLength: 20 }),
        fc.record({ cols: fc.integer({ min: 1, max: 50 }), rows: fc.integer({ min: 1, max: 30 }) }),
        (items, events, size) => {
          let model = menu({ items });
          for (const each of events) model = updateMenu(model, each, size).model;
          const highlighted = model.items[model.highlight];
          expect(model.highlight < 0 || (highlighted?.kind === 'item' && highlighted.isEnabled)).toBe(true);
          const { rect } = viewMenu(model, size);
          expect(rect.x + rect.width).toBeLessThanOrEqual(size.cols);
          expect(rect.y + rect.height).toBeLessThanOrEqual(size.rows);
        },
      ),
      { numRuns: 200 },
    );
  });
});
