import { describe, expect, test } from 'vitest';
import { fitWindow, windowPoint } from '../../../server/render/window-fit.ts';

function offset(window: [number, number], cursor: [number, number] | undefined, pan?: [number, number]) {
  const fit = fitWindow({
    client: { cols: 20, rows: 9 },
    window: { cols: window[0], rows: window[1] },
    statusLines: 1,
    statusPosition: 'bottom',
    cursor: cursor && { x: cursor[0], y: cursor[1] },
    pan: pan && { x: pan[0], y: pan[1] },
  });
  return [fit.offset.x, fit.offset.y];
}

function share(rows: number, statusLines: number, statusPosition: 'top' | 'bottom') {
  const { status, view } = fitWindow({
    client: { cols: 20, rows },
    window: { cols: 20, rows: 4 },
    statusLines,
    statusPosition,
    cursor: undefined,
    pan: undefined,
  });
  return { status, y: view.y, height: view.height };
}

describe('fitWindow', () => {
  // The expected values were read off tmux 3.3a: a 60x20 window on a 20x9 client.
  test.each([
    [
      [0, 0],
      [0, 0],
    ],
    [
      [19, 0],
      [0, 0],
    ],
    [
      [20, 0],
      [10, 0],
    ],
    [
      [21, 0],
      [11, 0],
    ],
    [
      [29, 8],
      [19, 4],
    ],
    [
      [29, 9],
      [19, 5],
    ],
    [
      [29, 10],
      [19, 6],
    ],
    [
      [49, 14],
      [40, 12],
    ],
    [
      [44, 19],
      [40, 12],
    ],
    [
      [59, 19],
      [40, 12],
    ],
  ] as const)('a window larger than the client with its cursor at %j is seen from %j on', (cursor, expected) => {
    expect(offset([60, 20], [...cursor])).toEqual([...expected]);
  });

  test('a window that fits is seen whole wherever its cursor is', () => {
    expect(offset([20, 8], [19, 7])).toEqual([0, 0]);
    expect(offset([10, 5], [9, 4])).toEqual([0, 0]);
  });

  test('a hidden cursor shows the start', () => {
    expect(offset([60, 20], undefined)).toEqual([0, 0]);
  });

  test('a pan wins over the cursor and stays in the window', () => {
    expect(offset([60, 20], [59, 19], [7, 2])).toEqual([7, 2]);
    expect(offset([60, 20], [0, 0], [100, 100])).toEqual([40, 12]);
    expect(offset([20, 8], [0, 0], [3, 3])).toEqual([0, 0]);
  });

  test('status lines take rows at the bottom or at the top', () => {
    expect(share(9, 1, 'bottom')).toEqual({ status: { y: 8, lines: 1 }, y: 0, height: 8 });
    expect(share(9, 3, 'top')).toEqual({ status: { y: 0, lines: 3 }, y: 3, height: 6 });
    expect(share(9, 0, 'top')).toEqual({ status: { y: 0, lines: 0 }, y: 0, height: 9 });
  });

  test('a terminal without a row to spare has no status lines', () => {
    expect(share(3, 3, 'bottom')).toEqual({ status: { y: 3, lines: 0 }, y: 0, height: 3 });
    expect(share(4, 3, 'bottom')).toEqual({ status: { y: 1, lines: 3 }, y: 0, height: 1 });
    expect(share(1, 1, 'top')).toEqual({ status: { y: 0, lines: 0 }, y: 0, height: 1 });
  });
});

test('windowPoint gives the cell of the window, or nothing on the status lines', () => {
  const fit = fitWindow({
    client: { cols: 20, rows: 9 },
    window: { cols: 60, rows: 20 },
    statusLines: 2,
    statusPosition: 'top',
    cursor: { x: 30, y: 0 },
    pan: undefined,
  });
  expect(windowPoint(fit, { x: 3, y: 1 })).toBeUndefined();
  expect(windowPoint(fit, { x: 3, y: 2 })).toEqual({ x: 23, y: 0 });
  expect(windowPoint(fit, { x: 20, y: 2 })).toBeUndefined();
});
