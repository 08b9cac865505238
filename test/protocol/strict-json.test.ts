import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MplexError } from '../../protocol/errors.ts';
import { DEPTH_MAX, parseStrictJson } from '../../protocol/strict-json.ts';

function faultOf(text: string): MplexError {
  try {
    parseStrictJson(text);
  } catch (error) {
    if (error instanceof MplexError) return error;
    throw error;
  }
  throw new Error(`was accepted: ${text.slice(0, 80)}`);
}

describe('strict JSON', () => {
  it('reads what JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const text = JSON.stringify(value);
        if (text.includes('__proto__') || /\\ud[89a-f]/.test(text)) return;
        expect(JSON.stringify(parseStrictJson(` ${text}\t`))).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  it('agrees with JSON.parse on what is no JSON', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"b"',
      '1',
      '-',
      '0',
      '.5',
      'e3',
      'true',
      'nul',
      ' ',
      '\\',
      '"',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        let isAccepted = true;
        try {
          parseStrictJson(text);
        } catch (error) {
          isAccepted = /duplicate|large/.test((error as Error).message);
        }
        expect(isAccepted).toBe(isJson);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['{"a":1,"b":{"x":1,"x":2}}', 'duplicate key', '/b/x'],
    ['{"a":{"__proto__":1}}', 'the key "__proto__" is not allowed', '/a'],
    ['{"a/b":"\\ud800"}', 'a string holds a lone surrogate', '/a~1b'],
    ['[1,1e999]', 'a number is too large', '/1'],
    ['\ufeff{}', 'the line starts with a byte order mark', undefined],
    ['{"a":1} x', 'not JSON: text after the value at character 8', undefined],
    ['"\u0000"', 'not JSON: expected a string at character 0', undefined],
    ['', 'not JSON: expected a value at character 0', undefined],
  ])('refuses %j', (text, message, path) => {
    expect(faultOf(text)).toMatchObject({ code: 'bad_request', message, path });
  });

  it('stops at its depth, however deep the text goes on', () => {
    expect(() => parseStrictJson('['.repeat(DEPTH_MAX) + ']'.repeat(DEPTH_MAX))).not.toThrow();
    expect(faultOf('['.repeat(1_000_000)).message).toBe('nested deeper than 16');
    expect(faultOf('{"a":'.repeat(1_000_000)).message).toBe('nested deeper than 16');
  });

  it('makes objects that inherit nothing', () => {
    expect(Object.getPrototypeOf(parseStrictJson('{"constructor":1}'))).toBeNull();
  });
});
