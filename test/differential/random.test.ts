import { describe, expect, it } from 'vitest';
import { randomFrom } from '../support/random.ts';
import { randomCommands } from './random-commands.ts';
import { runRandom } from './run-section.ts';
import { hasReference } from './sides.ts';

/** MPLEX_DIFF_SEEDS=200-400 looks for more. */
const [FIRST, LAST] = (process.env.MPLEX_DIFF_SEEDS ?? '60-62').split('-').map(Number);
const COMMANDS = 40;
/** Seeds that differed once, in the order in which they were found. */
const KEPT = [27, 37, 40, 72, 76, 80, 84, 94];

describe.skipIf(!hasReference())('random commands leave both programs in the same state', () => {
  const seeds = Array.from({ length: (LAST ?? 0) - (FIRST ?? 0) + 1 }, (_, at) => (FIRST ?? 0) + at);
  it.each([...KEPT, ...seeds])('seed %i', { timeout: 120_000 }, async (seed) => {
    expect(await runRandom(randomCommands(randomFrom(seed)), COMMANDS)).toBe('');
  });
});
