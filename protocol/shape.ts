/** Checks by hand of values that came over the wire: each gives the value in its type or throws MplexError 'protocol'. */
import { MplexError } from './errors.ts';

export function misshapen(what: string): MplexError {
  return new MplexError('protocol', `malformed message: ${what}`);
}

/** An array of `least` elements or more: later minors may append some. */
export function asArray(value: unknown, least = 0): readonly unknown[] {
  if (!Array.isArray(value) || value.length < least) throw misshapen('list expected');
  return value;
}

/** An integer from `low` to `high`, both included. */
export function asInteger(value: unknown, low: number, high: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < low || value > high) {
    throw misshapen(`integer from ${low} to ${high} expected`);
  }
  return value;
}

/** A string of at most `most` UTF-16 units. */
export function asString(value: unknown, most: number): string {
  if (typeof value !== 'string' || value.length > most) throw misshapen('string expected');
  return value;
}

export function asBoolean(value: unknown): boolean {
  if (typeof value !== 'boolean') throw misshapen('boolean expected');
  return value;
}

export function asBytes(value: unknown): Uint8Array {
  if (!(value instanceof Uint8Array)) throw misshapen('bytes expected');
  return value;
}

/** The entry of `names` that an index stands for. */
export function asNamed<T>(value: unknown, names: readonly T[]): T {
  const name = names[asInteger(value, 0, names.length - 1)];
  if (name === undefined) throw misshapen('name expected');
  return name;
}

/** undefined for nil or a missing element, else what `read` makes of it. */
export function optional<T>(value: unknown, read: (value: unknown) => T): T | undefined {
  return value === undefined || value === null ? undefined : read(value);
}
