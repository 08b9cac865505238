import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { expandFormat, type FormatSource } from '../../../server/format/format-expand.ts';
import { parseFormat } from '../../../server/format/format-parser.ts';
import { TmuxReference } from '../../support/tmux-reference.ts';

const tmux = TmuxReference.start();
afterAll(() => tmux?.stop());

const VALUES: Readonly<Record<string, string>> = {
  '@a': 'alpha',
  '@n': '12',
  '@z': '0',
  '@f': '#{@a}:#{@n}',
  '@h': 'x##y,z',
};

const source: FormatSource = {
  now: new Date(0),
  variable: (name) => VALUES[name],
  loop: () => [
    { source, active: false },
    { source, active: true },
  ],
  job: (command) => `<${command}>`,
  search: () => 3,
  sessionNameExists: () => false,
  windowNameExists: () => true,
};

/** Pieces that formats are made of; strings of them are formats, well-formed ones and others. */
const PIECES = [
  ...['#{', '}', '#{', '}', ',', ':', ';', '#', '##', '#,', '#}', '#:', '?', '#{?', '#[', ']', '/', '|', ' '],
  ...['@a', '@n', '@z', '@f', '@h', '@none', 'x', '1', '0', '-2', '==:', '!=:', '<:', '&&:', '||:', 'm:', 'm/r:', 'E:'],
  ...['=3:', '=-2:', '=/2/~:', 'p4:', 'p-3:', 'n:', 'w:', 'b:', 'd:', 'l:', 'q:', 'q/h:', 's/a/b/:', 's/(x)/\\1\\1/:'],
  ...['e|+:', 'e|*|f|1:', 'E;=2:', '#{@a}', '#{@n}', '#{?@z,a,b}', '#{==:a,a}', '#{E:@f}', 'a:', 'c:'],
];
const format = fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((pieces) => pieces.join(''));

describe.skipIf(!tmux)('random formats compared with tmux 3.3a', () => {
  it('expands them to the same text', async () => {
    const formats = fc.sample(format, { numRuns: 1500, seed: 11 });
    const setUp = Object.entries(VALUES).map(([name, value]) => ['set', '-g', '--', name, value]);
    const blocks = await tmux?.batch([
      ...setUp,
      ...formats.map((text) => ['display-message', '-p', '--', `<${text}>`]),
    ]);
    const ours = formats.map((text) => `${text} => ${expandFormat(`<${text}>`, source)}`);
    const theirs = formats.map((text, index) => `${text} => ${blocks?.[setUp.length + index]?.out}`);
    expect(ours).toEqual(theirs);
  });
});

describe('any text as a format', () => {
  it('is read and expanded without a throw', () => {
    fc.assert(
      fc.property(fc.oneof(format, fc.string({ unit: 'binary', maxLength: 30 })), (text) => {
        parseFormat(text);
        expect(typeof expandFormat(text, source, { time: true })).toBe('string');
      }),
      { numRuns: 1500 },
    );
  });

  it('ends soon, however deep or wide it calls itself', () => {
    const endless: FormatSource = {
      ...source,
      variable: (name) => (name === 'loop' ? '#{E:loop}#{E:loop}' : undefined),
    };
    expect(expandFormat('#{E:loop}', endless)).toBe('');
    const loops = `${'#{W:'.repeat(60)}x${'}'.repeat(60)}`;
    expect(expandFormat(loops, source).length).toBeLessThanOrEqual(1 << 20);
    const growing: FormatSource = { ...source, variable: () => 'y'.repeat(100_000) };
    expect(expandFormat('#{a}'.repeat(1000), growing).length).toBeLessThanOrEqual(1 << 20);
    expect(expandFormat('#{p2000000000:@a}', source).length).toBeLessThanOrEqual(10_000);
    expect(expandFormat('#{'.repeat(50_000), source)).toBe('');
  });

  it('runs a job with the expanded command, shows its output, and leaves both alone when jobs are off', () => {
    expect(expandFormat('#(echo #{@a})', source)).toBe('<echo alpha>');
    expect(expandFormat('a#(echo (x) #{@a})b', source, { noJobs: true })).toBe('ab');
    const nested: FormatSource = { ...source, job: () => '#[bold]#{@a}#(again)' };
    expect(expandFormat('#(once)', nested)).toBe('#[bold]alpha');
  });
});
