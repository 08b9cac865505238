import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const RUN = join(import.meta.dirname, '../../bench/run.mjs');
const bench = (...argv: string[]) => spawnSync(process.execPath, [RUN, ...argv], { encoding: 'utf8' });

describe('the benchmarks', () => {
  test('tell how they are called', () => {
    const { status, stdout, stderr } = bench('--help');
    expect(stdout).toMatch(/^usage: npm run bench .*\n {2}MEASURE {4}throughput echo /);
    expect([status, stderr]).toEqual([0, '']);
  });

  test.each([
    [['nosuch'], 'no such measure: nosuch'],
    [['echo', 'toString'], 'no such measure: toString'],
    [['--nosuch'], "Unknown option '--nosuch'"],
    [['--runs', '0'], '--runs: not a number of runs: 0'],
  ])('refuse %j in one line', (argv, words) => {
    const { status, stdout, stderr } = bench(...argv);
    expect(stderr).toContain(`bench: ${words}`);
    expect([status, stdout, stderr.trimEnd().split('\n').length]).toEqual([2, '', 1]);
  });
});
