import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OBSOLETE_OPTIONS } from '../../server/options/option-table.ts';
import { OWN_KEYS } from './own-keys.ts';
import { hasReference, type Side, Sides, until } from './sides.ts';

const CONFIGS = join(import.meta.dirname, 'configs');
const LISTS: readonly (readonly string[])[] = [
  ['show-options', '-s'],
  ['show-options', '-g'],
  ['show-options', '-gw'],
  ['show-hooks', '-g'],
  ['show-environment', '-g', 'MY_PROGRAM'],
  ['list-keys'],
];

describe.skipIf(!hasReference())('configurations as people write them', () => {
  let sides: Sides;
  beforeEach(() => {
    sides = new Sides();
  });
  afterEach(() => sides.stop());

  for (const name of readdirSync(CONFIGS).sort()) {
    it(`${name} sets and says the same as in tmux`, async () => {
      await sides.start(['new-session', '-d', '-s', 'one', '-n', 'w', 'cat']);
      await sides.each((side) => side.call(['set-option', '-s', 'default-terminal', 'screen']));
      const loaded = await sides.each(async (side) => {
        mkdirSync(join(side.home, 'conf'), { recursive: true });
        copyFileSync(join(CONFIGS, name), join(side.home, 'conf', name));
        const answer = await side.call(['source-file', join(side.home, 'conf', name)]);
        return {
          ...answer,
          stdout: side.normalise(answer.stdout),
          stderr: withoutObsolete(side.normalise(answer.stderr)),
        };
      });
      expect(loaded[1]?.answer).toEqual(loaded[0]?.answer);
      // Conditions that run in the background.
      await sides.each((side) => side.call(['run-shell', 'sleep 0.5']));
      for (const argv of LISTS) {
        const [tmux, mplex] = await sides.each((side) => list(side, argv));
        expect({ argv, lines: mplex?.answer }).toEqual({ argv, lines: tmux?.answer });
      }
    });
  }

  it('mistakes in the configuration at start are told with file and line, and keep nothing else from being done', async () => {
    const { mplex } = sides;
    const path = join(mplex.home, 'start.conf');
    copyFileSync(join(CONFIGS, 'errors.conf'), path);
    await mplex.spawn(['-f', path, 'new-session', '-d', '-s', 'one', '-x', '80', '-y', '24', 'cat']);
    const { stdout } = await mplex.call(['show-options', '-gqv', '@after']);
    expect(stdout).toBe('yes\n');
    const client = await mplex.attach(['attach-session'], { cols: 80, rows: 24 });
    await until('the mistakes', async () => client.screen.text().includes(`${path}:3: unknown command: nonsense`));
  });
});

/** Options of older versions are no mistake to mplex (docs/mplex.md, obsolete-option). */
function withoutObsolete(stderr: string): string {
  const isObsolete = (line: string) => OBSOLETE_OPTIONS.has(/^invalid option: (\S+)$/.exec(line)?.[1] ?? '');
  return stderr
    .split('\n')
    .filter((line) => !isObsolete(line))
    .join('\n');
}

async function list(side: Side, argv: readonly string[]): Promise<string[]> {
  await until(`${side.name}`, async () => (await side.call(['has-session', '-t', 'one'])).code === 0);
  const { stdout, stderr } = await side.call(argv);
  return side
    .normalise(stdout + stderr)
    .split('\n')
    .filter((line) => !OWN_KEYS.test(line))
    .map((line) => line.replace(/ +/g, ' '));
}
