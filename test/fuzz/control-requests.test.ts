/** The control socket under requests that are nearly right. MPLEX_FUZZ_RUNS sets the runs; inputs that once failed stay in `examples`. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ControlConnection } from '../../server/control/control-connection.ts';
import { FlowWorld } from '../support/flow-world.ts';

const RUNS = Number(process.env.MPLEX_FUZZ_RUNS ?? 300);
const TEST_MS = 60_000 + RUNS * 20;
const CODES = ['bad_request', 'busy', 'no_client', 'no_pane', 'too_many', 'not_found', 'forbidden'];

const word = fc.constantFrom(
  'op',
  'id',
  'kind',
  'pane',
  'title',
  'body',
  'label',
  'options',
  'default',
  'timeout',
  'queue',
  'wait_client',
  'after',
  'expires',
  'flow',
  'wait',
  'argv',
  'cwd',
  'token',
  'meta',
  'state',
  'client',
  'initial',
  '__proto__',
  'constructor',
  '',
);
const value: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    'hello',
    'show',
    'result',
    'cancel',
    'command',
    'doctor',
    'choice',
    'text',
    'message',
    '%1',
    '%',
    '%99999999999',
    0,
    -1,
    1e308,
    0.5,
    true,
    null,
    [],
    {},
    '\ud800',
    '\u0000',
    '\u001b]0;x\u0007',
    '\u202e',
    'x'.repeat(3000),
    Array(13).fill('a'),
    ['a', 'b'],
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.jsonValue({ maxDepth: 3 }),
);
const request = fc
  .tuple(
    fc.constantFrom('hello', 'show', 'result', 'cancel', 'command', 'doctor', 'nosuch'),
    fc.array(fc.tuple(word, value), { maxLength: 8 }),
  )
  .map(
    ([op, fields]) =>
      `{${[['op', op], ...fields].map(([key, given]) => `${JSON.stringify(key)}:${JSON.stringify(given)}`).join()}}`,
  );
const line = fc.oneof(
  { weight: 4, arbitrary: request },
  {
    weight: 1,
    arbitrary: fc.tuple(request, fc.nat(), fc.string({ maxLength: 3 })).map(([text, at, noise]) => {
      const cut = at % (text.length + 1);
      return text.slice(0, cut) + noise + text.slice(cut + noise.length);
    }),
  },
);

describe('requests that are nearly right', () => {
  it(
    'get exactly one reply each, in one line, with a code of the contract, and never a bug',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(
            line.filter((text) => !text.includes('\n')),
            { minLength: 1, maxLength: 20 },
          ),
          async (lines) => {
            const world = new FlowWorld({ max: 4, keepS: 300 });
            world.attach();
            const replies: string[] = [];
            const bugs: unknown[] = [];
            const connection = new ControlConnection(
              {
                flows: world.queue,
                version: '0',
                runCommand: async () => ({ code: 0, stdout: '', stderr: '' }),
                grantOf: (token) => (token === undefined ? { access: 'full', pane: undefined } : undefined),
                checkHealth: () => [],
                failed: (error) => bugs.push(error),
              },
              { write: (text) => replies.push(text) > 0, pause: () => {}, resume: () => {}, end: () => {} },
            );
            for (const text of lines) connection.receive(Buffer.from(`${text}\n`));
            await new Promise((done) => setImmediate(done));
            // Held results end with their time.
            world.clock.advance(61_000);
            await new Promise((done) => setImmediate(done));
            expect(bugs).toEqual([]);
            expect(replies).toHaveLength(lines.length);
            for (const reply of replies) {
              expect(reply.indexOf('\n')).toBe(reply.length - 1);
              const { ok, error } = JSON.parse(reply) as { ok: boolean; error?: { code: string; message: string } };
              if (!ok) expect(CODES).toContain(error?.code);
              // Nothing that a terminal obeys comes back in a message.
              if (!ok) expect(error?.message).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
            }
          },
        ),
        {
          numRuns: RUNS,
          examples: [[['{"op":"hello","token":"x"}']], [['{"op":"show","kind":"message","__proto__":1}']]],
        },
      );
    },
    TEST_MS,
  );
});
