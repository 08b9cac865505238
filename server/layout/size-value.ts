/** Sizes as people write them: a number of cells, or a percentage of what there is ("40", "25%"). */

const DECIMAL = /^[ \t\n\v\f\r]*([+-]?)([0-9]+)$/;

export interface SizeBounds {
  readonly min: number;
  readonly max: number;
  /** What 100% is, in cells. */
  readonly current: number;
  /** The largest percentage that is taken, 100 if absent. */
  readonly percentMax?: number;
}

export type NumberResult =
  | { readonly ok: true; readonly value: number }
  | { readonly ok: false; readonly error: 'invalid' | 'too small' | 'too large' | 'missing' | 'empty' };

/** Reads a decimal number within bounds as strtonum(3) does: leading space and a sign are taken, nothing may follow. */
export function parseNumber(text: string, bounds: { readonly min: number; readonly max: number }): NumberResult {
  const match = DECIMAL.exec(text);
  if (match === null) return { ok: false, error: 'invalid' };
  const value = Number(`${match[1]}${match[2]}`);
  if (value < bounds.min) return { ok: false, error: 'too small' };
  if (value > bounds.max) return { ok: false, error: 'too large' };
  // A negative zero would print as "-0".
  return { ok: true, value: value === 0 ? 0 : value };
}

/** Reads a number of cells or a percentage (from 0% on, rounded down) within bounds. */
export function parseSizeValue(text: string, bounds: SizeBounds): NumberResult {
  if (text === '') return { ok: false, error: 'empty' };
  if (!text.endsWith('%')) return parseNumber(text, bounds);
  const percentage = parseNumber(text.slice(0, -1), { min: 0, max: bounds.percentMax ?? 100 });
  if (!percentage.ok) return percentage;
  const value = Math.floor((bounds.current * percentage.value) / 100);
  if (value < bounds.min) return { ok: false, error: 'too small' };
  if (value > bounds.max) return { ok: false, error: 'too large' };
  return { ok: true, value };
}
