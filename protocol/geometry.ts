/** A size in cells. */
export interface Size {
  readonly cols: number;
  readonly rows: number;
}

/** A rectangle in cells, the origin at the top left. */
export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A place in cells, 0-based. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The largest terminal that is taken seriously; anything above is clamped (terminals report 65535x65535). */
export const SIZE_MAX: Size = { cols: 1000, rows: 500 };

/** Clamps a reported size to 1x1 .. SIZE_MAX; non-finite values become 1. */
export function clampSize(size: Size): Size {
  const clamp = (value: number, most: number) =>
    Number.isFinite(value) ? Math.min(most, Math.max(1, Math.trunc(value))) : 1;
  return { cols: clamp(size.cols, SIZE_MAX.cols), rows: clamp(size.rows, SIZE_MAX.rows) };
}

export function sameSize(a: Size, b: Size): boolean {
  return a.cols === b.cols && a.rows === b.rows;
}

export function contains(rect: Rect, point: Point): boolean {
  return point.x >= rect.x && point.x < rect.x + rect.width && point.y >= rect.y && point.y < rect.y + rect.height;
}
