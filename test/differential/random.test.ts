import { describe, expect, it } from 'vitest';
import { randomFrom } from '../support/random.ts';
import { randomCommands } from './random-commands.ts';
import { runRandom } from './run-section.ts';
import { hasReference } from './sides.ts';

/** Seeds that meet no quirk of tmux (crashes, the size of a pane that is made below a zoomed one). */
const SEEDS = [1, 3, 4, 6, 7, 8, 10, 14];
const COMMANDS = 40;

/** MPLEX_DIFF_SEEDS=200-400 looks for more; what it finds becomes a section of the scripts. */
function wantedSeeds(range = process.env.MPLEX_DIFF_SEEDS): readonly number[] {
  if (range === undefined) return SEEDS;
  const [first = 1, last = first] = range.split('-').map(Number);
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}

describe.skipIf(!hasReference())('random commands leave both programs in the same state', () => {
  it.each(wantedSeeds())('seed %i', { timeout: 120_000 }, async (seed) => {
    expect(await runRandom(randomCommands(randomFrom(seed)), COMMANDS)).toBe('');
  });
});
