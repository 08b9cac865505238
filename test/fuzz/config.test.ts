/** Config files of any text: read or refused, with lines that exist, in bounded time. MPLEX_FUZZ_RUNS sets the runs. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ENTRIES } from '../../server/command/entries/command-table.ts';
import { CommandLanguage } from '../../server/command/entries/language.ts';
import type { ParseOptions } from '../../server/command/parser.ts';
import { createOptionChecks } from '../../server/option-checks.ts';
import { createRegistry } from '../../server/start-state.ts';

const RUNS = Number(process.env.MPLEX_FUZZ_RUNS ?? 300);
const TEST_MS = 60_000 + RUNS * 20;

const OPTIONS: ParseOptions = {
  environ: (name) => (name === 'SET' ? 'a value' : undefined),
  expandFormat: (format) => (format.includes('1') ? '1' : '0'),
  home: '/home/me',
  homeOf: () => undefined,
  assign: () => {},
};
const language = new CommandLanguage(
  createRegistry(
    {},
    createOptionChecks(
      () => language,
      () => OPTIONS,
    ),
  ),
  ENTRIES,
);

const piece = fc.constantFrom(
  'set -g status off',
  'bind-key x',
  'bind x {',
  '}',
  'if-shell -F 1 {',
  '%if #{==:1,1}',
  '%if 0',
  '%elif 1',
  '%else',
  '%endif',
  '%hidden A=1',
  'A=b',
  '\\\n',
  '\n',
  '\r\n',
  ';',
  ' \\; ',
  '"',
  "'",
  '$SET',
  '${SET}',
  '${',
  '~',
  '~root',
  '#',
  '# x',
  '{',
  'a\\033',
  '\\u00e9',
  '\\U0001f600',
  '\\777',
  '\u0000',
  '\u00e9',
  'new-window -n',
  'nosuch',
  'unbind -a',
  'source-file -q /x',
  ' ',
  '\t',
  '%1',
);
const text = fc.oneof(
  fc.array(piece, { maxLength: 60 }).map((parts) => parts.join('')),
  fc.array(piece, { maxLength: 60 }).map((parts) => parts.join('\n')),
  fc.string({ unit: 'binary', maxLength: 200 }),
);

describe('a config of any text', () => {
  it(
    'gives commands and mistakes, each on a line of the file, and never throws',
    () => {
      fc.assert(
        fc.property(text, (source) => {
          const { commands, mistakes } = language.parseKeeping(source, { ...OPTIONS, file: 'f' });
          const lines = source.split('\n').length;
          for (const { line } of [...commands, ...mistakes]) {
            if (line === undefined) continue;
            expect(line).toBeGreaterThanOrEqual(1);
            expect(line).toBeLessThanOrEqual(lines);
          }
          for (const { error } of mistakes) expect(error).not.toBe('');
        }),
        { numRuns: RUNS, examples: [['bind x {\n'], ['%if 1\n%else\n%else\n%endif'], ['"\\u"'], ['~\u0000']] },
      );
    },
    TEST_MS,
  );

  it('of 256 KiB is read in bounded time, whatever is repeated', () => {
    for (const part of ['{', '"', '%if 1\n', 'a;', '#{', '\\\n', 'set -g @a b\n', '${']) {
      const source = part.repeat(Math.ceil((1 << 18) / part.length));
      const start = performance.now();
      language.parseKeeping(source, { ...OPTIONS, file: 'f' });
      expect(performance.now() - start, part).toBeLessThan(15_000);
    }
  }, 200_000);
});
