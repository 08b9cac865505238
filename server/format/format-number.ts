/** Arithmetic of `#{e|...}`: numbers as strtod(3) reads and printf(3) writes them. */

const DECIMAL = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/;
const HEXADECIMAL = /^\s*([-+]?)0[xX]([0-9a-fA-F]+)$/;
const SPECIAL = /^\s*([-+]?)(inf(?:inity)?|nan)$/i;
/** What a conversion to a 64-bit integer gives when the number does not fit. */
const LONG_MIN = -9223372036854775808n;
const LONG_LIMIT = 2 ** 63;
/** Places that printf("%.*f") is asked for at most. */
const PLACES_MAX = 100;

/** The whole text as a number; '' is 0; undefined for anything else. */
function parseReal(text: string): number | undefined {
  if (text === '') return 0;
  if (DECIMAL.test(text)) return Number(text);
  const hexadecimal = HEXADECIMAL.exec(text);
  if (hexadecimal) return Number(`0x${hexadecimal[2]}`) * (hexadecimal[1] === '-' ? -1 : 1);
  const special = SPECIAL.exec(text);
  if (!special) return undefined;
  const size = special[2]?.toLowerCase() === 'nan' ? Number.NaN : Number.POSITIVE_INFINITY;
  return special[1] === '-' ? -size : size;
}

function toLong(value: number): bigint {
  if (!(value >= -LONG_LIMIT && value < LONG_LIMIT)) return LONG_MIN;
  return BigInt(Math.trunc(value));
}

/** `%.*f`. */
function printFixed(value: number, places: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf';
  const count = Math.min(places < 0 ? 6 : places, PLACES_MAX);
  if (Math.abs(value) >= 1e21) return BigInt(value).toString() + (count > 0 ? `.${'0'.repeat(count)}` : '');
  return (value < 0 || Object.is(value, -0) ? '-' : '') + roundHalfEven(Math.abs(value), count);
}

/** Digits beyond the last place that tell an exact half from what is near it. */
const HALF_DIGITS = 30;

/** Where `value` lies just between two numbers of so many places, C takes the even one; toFixed the larger. */
function roundHalfEven(value: number, places: number): string {
  const exact = value.toFixed(Math.min(PLACES_MAX, places + HALF_DIGITS));
  const end = exact.indexOf('.') + 1 + places;
  if (!/^50*$/.test(exact.slice(end))) return value.toFixed(places);
  const below = exact.slice(0, places === 0 ? end - 1 : end);
  return /[02468]$/.test(below) ? below : value.toFixed(places);
}

const EPSILON = 1e-9;
const truth = (holds: boolean) => (holds ? 1 : 0);

const OPERATORS: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
  m: (a, b) => a % b,
  '==': (a, b) => truth(Math.abs(a - b) < EPSILON),
  '!=': (a, b) => truth(Math.abs(a - b) > EPSILON),
  '<': (a, b) => truth(a < b),
  '<=': (a, b) => truth(a <= b),
  '>': (a, b) => truth(a > b),
  '>=': (a, b) => truth(a >= b),
};

/** The result of `left operator right`, or undefined if any of the three is none. Integers unless flags have an `f`. */
export function calculate(
  [left, right]: readonly [string, string],
  { operator, flags, precision }: { operator: string; flags: string; precision: string | undefined },
): string | undefined {
  const apply = Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator] : undefined;
  const isReal = flags.includes('f');
  if (precision !== undefined && !/^\s*[-+]?\d+$/.test(precision)) return undefined;
  const places = precision === undefined ? (isReal ? 2 : 0) : Number(precision);
  const a = parseReal(left);
  const b = parseReal(right);
  if (!apply || a === undefined || b === undefined) return undefined;
  if (isReal) return printFixed(apply(a, b), places);
  return printFixed(Number(toLong(apply(Number(toLong(a)), Number(toLong(b))))), places);
}
