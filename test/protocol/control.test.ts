import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRequest, requestId } from '../../protocol/control.ts';
import { MplexError } from '../../protocol/errors.ts';
import { quoteBrief } from '../../protocol/quote-brief.ts';
import { type JsonValue, parseStrictJson } from '../../protocol/strict-json.ts';

function faultOf(value: unknown): MplexError {
  try {
    parseRequest(parseStrictJson(JSON.stringify(value)));
  } catch (error) {
    if (error instanceof MplexError) return error;
    throw error;
  }
  throw new Error(`was accepted: ${JSON.stringify(value).slice(0, 200)}`);
}

const choice = { op: 'show', kind: 'choice', options: ['a', 'b'] };

describe('a request', () => {
  it.each([
    { op: 'hello' },
    { op: 'hello', id: 7 },
    { ...choice, pane: '%3', title: 't', body: 'b', label: 'l', default: 1, timeout: 0.5, id: 'x' },
    { ...choice, queue: true, wait_client: false, after: 'f', expires: 86400, client: '/dev/pts/1' },
    { op: 'show', kind: 'text', initial: '😀'.repeat(2000) },
    { op: 'show', kind: 'message' },
    { ...choice, keys: ['y', 'n'] },
    { ...choice, title: '😀'.repeat(200), options: Array(12).fill('x'.repeat(200)) },
    { op: 'result', flow: 'f', wait: 60 },
    { op: 'cancel', flow: 'f' },
    { op: 'command', argv: ['list-panes', '-a'], pane: '%3', cwd: '/x' },
  ])('is accepted: %j', (request) => {
    expect(parseRequest(parseStrictJson(JSON.stringify(request)))).toEqual(request);
  });

  it.each([
    [5, 'a request must be an object, not 5', ''],
    [[], 'a request must be an object, not an empty array', ''],
    [{}, 'field "op" is missing', '/op'],
    [{ op: 'dance' }, '"op" must be one of hello, doctor, show, result, cancel, command: "dance"', '/op'],
    [{ op: 'show' }, 'field "kind" is missing', '/kind'],
    [{ op: 'show', kind: 'menu' }, '"kind" must be one of choice, text, message: "menu"', '/kind'],
    [{ op: 'hello', x: 1 }, 'unknown field "x"', '/x'],
    [{ op: 'show', kind: 'text', options: [] }, 'unknown field "options"', '/options'],
    [{ op: 'show', kind: 'choice' }, 'field "options" is missing', '/options'],
    [{ ...choice, options: [] }, '"options" must not be empty', '/options'],
    [{ ...choice, options: Array(13).fill('a') }, '"options" has 13 items, at most 12 are allowed', '/options'],
    [{ ...choice, options: ['a', 3] }, 'item 1 of "options" must be a string: 3', '/options/1'],
    [
      { ...choice, options: ['a', 'x'.repeat(201)] },
      'item 1 of "options" is 201 characters long, at most 200 are allowed',
      '/options/1',
    ],
    [{ ...choice, title: '😀'.repeat(201) }, '"title" is 201 characters long, at most 200 are allowed', '/title'],
    [{ ...choice, default: 2 }, '"default" must be below 2: 2', '/default'],
    [{ ...choice, keys: ['y'] }, '"keys" must be as many as the options (2), not 1: an array', '/keys'],
    [{ ...choice, keys: ['y', 'n', 'x'] }, '"keys" must be as many as the options (2), not 3: an array', '/keys'],
    [{ ...choice, keys: ['y', 'y'] }, 'item 1 of "keys" is there twice: "y"', '/keys/1'],
    ...['q', 'g', 'j', 'k', 'Y', '1', '', 'yes'].map((key): [object, string, string] => [
      { ...choice, keys: ['n', key] },
      `item 1 of "keys" must be a letter of a to z, and none of g, j, k, q: "${key}"`,
      '/keys/1',
    ]),
    [{ ...choice, default: 0.5 }, '"default" must be a whole number: 0.5', '/default'],
    [{ ...choice, timeout: 0 }, '"timeout" must be above 0: 0', '/timeout'],
    [{ ...choice, timeout: 86401 }, '"timeout" must be at most 86400: 86401', '/timeout'],
    [{ ...choice, pane: '3' }, '"pane" must be a pane id such as "%3": "3"', '/pane'],
    [{ ...choice, queue: 1 }, '"queue" must be a boolean: 1', '/queue'],
    [{ op: 'result', flow: 'f', wait: 61 }, '"wait" must be at most 60: 61', '/wait'],
    [{ op: 'result' }, 'field "flow" is missing', '/flow'],
    [{ op: 'result', flow: '' }, '"flow" must not be empty', '/flow'],
    [{ op: 'result', flow: 'f'.repeat(300) }, '"flow" is 300 characters long, at most 256 are allowed', '/flow'],
    [{ op: 'result', flow: 'f', state: 'x' }, '"state" must be one of shown, queued, waiting_client: "x"', '/state'],
    [{ op: 'hello', id: {} }, '"id" must be a string or a number: an object', '/id'],
    [{ op: 'command', argv: [] }, '"argv" must not be empty', '/argv'],
    [{ op: 'command', argv: ['a\0'] }, 'item 0 of "argv" must not hold a NUL character', '/argv/0'],
    [{ op: 'command', argv: ['a'], cwd: 'x' }, '"cwd" must be an absolute path: "x"', '/cwd'],
  ])('is refused: %j', (request, message, path) => {
    expect(faultOf(request)).toMatchObject({ code: 'bad_request', message, path });
  });

  it('never gets its own text back unescaped or at length', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        const wellFormed = text.replaceAll(/\p{Cs}/gu, '');
        for (const request of [
          { op: wellFormed },
          { op: 'hello', [`x${wellFormed}`]: 1 },
          { ...choice, pane: wellFormed },
        ]) {
          const { message } = faultOf(request);
          expect(message).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u);
          expect(message.length).toBeLessThan(600);
        }
      }),
    );
  });

  it('shows an id that can be echoed, whatever else is wrong', () => {
    const ids: readonly (readonly [JsonValue, unknown])[] = [
      [{ id: 'a', op: 5 }, 'a'],
      [{ id: 0 }, 0],
      [{ id: null }, undefined],
      [{ id: 'x'.repeat(129) }, undefined],
      [[], undefined],
      [null, undefined],
    ];
    for (const [value, id] of ids) expect(requestId(value)).toBe(id);
  });
});

describe('a quoted value', () => {
  it('is short and escaped', () => {
    expect(quoteBrief('a"\\\n\u202e')).toBe('"a\\"\\\\\\u{a}\\u{202e}"');
    expect(quoteBrief('x'.repeat(100))).toBe(`"${'x'.repeat(40)}…"`);
    expect(quoteBrief(null)).toBe('null');
  });
});
