import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allowedCommand, commandThenShell } from '../../../server/journal/resurrect-commands.ts';

const exact = (...words: string[]) => ({ words, isExact: true });
const line = (text: string) => ({ words: [text], isExact: false });

describe('what may run again', () => {
  it.each([
    ['nothing by default', [], exact('vim', 'a'), undefined],
    ['a name', ['vim'], exact('vim', 'a'), ['vim', 'a']],
    ['a name, by the one in PATH', ['vim'], exact('/tmp/evil/vim', 'a'), ['vim', 'a']],
    ['a pattern of names', ['git-*'], exact('git-gui'), ['git-gui']],
    ['no other name', ['vim'], exact('vimdiff'), undefined],
    ['a whole line', ['npm run *'], exact('npm', 'run', 'dev'), ['npm', 'run', 'dev']],
    ['no other line', ['npm run *'], exact('npm', 'install'), undefined],
    ['a path by a path only', ['/usr/bin/vim *'], exact('/usr/bin/vim', 'a'), ['/usr/bin/vim', 'a']],
    ["a pane's own command", ['tail'], line('tail -f log'), ['tail -f log']],
    ['not what a shell would do more', ['tail'], line('tail -f log; rm -rf x'), undefined],
    ['not by a pattern either', ['tail *'], line('tail $(rm -rf x)'), undefined],
    ['to the letter', ['tail -f log | grep x'], line('tail -f log | grep x'), ['tail -f log | grep x']],
    ['not an empty line', ['*'], line('  '), undefined],
  ] as const)('is %s', (_name, patterns, command, words) => {
    expect(allowedCommand(patterns, command)).toEqual(words);
  });

  it('is written so that a shell runs exactly these words', () => {
    const word = fc.string({
      unit: fc.constantFrom('a', "'", '"', '$', ' ', '\\', ';', '`', '\n', 'ä', '*'),
      maxLength: 6,
    });
    fc.assert(
      fc.property(fc.array(word, { maxLength: 4 }), (words) => {
        const argv = commandThenShell(['printf', '<%s>', ...words], { shell: '/bin/sh', after: 'true' });
        const out = execFileSync('/bin/sh', ['-c', argv.at(-1) ?? ''], { encoding: 'utf8' });
        expect(out).toBe(words.length === 0 ? '<>' : words.map((one) => `<${one}>`).join(''));
      }),
      { numRuns: 40 },
    );
  });
});
