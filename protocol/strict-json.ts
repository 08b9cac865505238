/**
 * JSON (RFC 8259) for lines that strangers send: refuses what JSON.parse lets through or chokes on. Duplicate keys and
 * `__proto__`, lone surrogates, a byte order mark and nesting beyond DEPTH_MAX are errors; objects have no prototype.
 */
import { MplexError } from './errors.ts';

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

export const DEPTH_MAX = 16;

const SPACE = /[ \t\r\n]*/y;
const STRING = /"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const WORD = /true|false|null/y;
const LONE_SURROGATE = /\p{Cs}/u;

/** Text that is no JSON, and where that shows. */
export class JsonSyntaxError extends MplexError {
  /** What is wrong there: `expected a value`. */
  readonly reason: string;
  /** Where, in UTF-16 units from the beginning. */
  readonly offset: number;

  constructor(reason: string, offset: number) {
    super('bad_request', `not JSON: ${reason} at character ${offset}`);
    this.reason = reason;
    this.offset = offset;
  }
}

/**
 * Parses one value that takes the whole text. Throws MplexError 'bad_request' with a JSON pointer, or a JsonSyntaxError; never
 * echoes the text.
 */
export function parseStrictJson(text: string): JsonValue {
  if (text.startsWith('\ufeff')) throw new MplexError('bad_request', 'the line starts with a byte order mark');
  const reader = new Reader(text);
  const value = reader.value('', 1);
  reader.end();
  return value;
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(path: string, depth: number): JsonValue {
    this.#match(SPACE);
    switch (this.#text[this.#at]) {
      case '{':
        return this.#object(path, this.#deeper(path, depth));
      case '[':
        return this.#array(path, this.#deeper(path, depth));
      case '"':
        return this.#string(path);
      default:
        return this.#scalar(path);
    }
  }

  end(): void {
    this.#match(SPACE);
    if (this.#at < this.#text.length) throw this.#fault('text after the value');
  }

  #object(path: string, depth: number): JsonValue {
    // Without a prototype no key can reach one.
    const result: Record<string, JsonValue> = Object.create(null);
    this.#at++;
    if (this.#take('}')) return result;
    do {
      this.#match(SPACE);
      const key = this.#string(path);
      const at = `${path}/${pointerPart(key)}`;
      if (key === '__proto__') throw new MplexError('bad_request', 'the key "__proto__" is not allowed', path);
      if (Object.hasOwn(result, key)) throw new MplexError('bad_request', 'duplicate key', at);
      if (!this.#take(':')) throw this.#fault('expected ":"');
      result[key] = this.value(at, depth);
    } while (this.#take(','));
    if (!this.#take('}')) throw this.#fault('expected "," or "}"');
    return result;
  }

  #array(path: string, depth: number): JsonValue {
    const result: JsonValue[] = [];
    this.#at++;
    if (this.#take(']')) return result;
    do result.push(this.value(`${path}/${result.length}`, depth));
    while (this.#take(','));
    if (!this.#take(']')) throw this.#fault('expected "," or "]"');
    return result;
  }

  #string(path: string): string {
    const literal = this.#match(STRING);
    if (literal === undefined) throw this.#fault('expected a string');
    // The literal was checked by the grammar above, so that this gives a string and cannot throw.
    const value = JSON.parse(literal) as string;
    if (LONE_SURROGATE.test(value)) throw new MplexError('bad_request', 'a string holds a lone surrogate', path);
    return value;
  }

  #scalar(path: string): JsonValue {
    const word = this.#match(WORD);
    if (word !== undefined) return word === 'null' ? null : word === 'true';
    const digits = this.#match(NUMBER);
    if (digits === undefined) throw this.#fault('expected a value');
    const value = Number(digits);
    if (!Number.isFinite(value)) throw new MplexError('bad_request', 'a number is too large', path);
    return value;
  }

  #deeper(path: string, depth: number): number {
    if (depth > DEPTH_MAX) throw new MplexError('bad_request', `nested deeper than ${DEPTH_MAX}`, path.slice(0, 200));
    return depth + 1;
  }

  #take(mark: string): boolean {
    this.#match(SPACE);
    if (this.#text[this.#at] !== mark) return false;
    this.#at++;
    return true;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #fault(reason: string): JsonSyntaxError {
    return new JsonSyntaxError(reason, this.#at);
  }
}

/** Most characters of a foreign key inside a JSON pointer. */
const POINTER_PART_MAX = 64;

/** A key as part of a JSON pointer (RFC 6901), bounded. */
export function pointerPart(key: string | number): string {
  return String(key).slice(0, POINTER_PART_MAX).replaceAll('~', '~0').replaceAll('/', '~1');
}
