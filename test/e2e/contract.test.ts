import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');

interface Clause {
  readonly clause: string;
  readonly file: string;
  readonly title: string;
}

/** The rows of contract.md, one for each title. */
function clauses(): Clause[] {
  const rows = readFileSync(join(import.meta.dirname, 'contract.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| clause'));
  return rows.flatMap((row) => {
    const [clause = '', file = '', titles = ''] = row.slice(2, -2).split(' | ');
    return titles.split(' · ').map((title) => ({ clause, file, title }));
  });
}

it('the list of what shows scrollback, copy mode and pickers names tests that are there', () => {
  const named = clauses();
  const missing = named.filter(({ file, title }) => {
    const text = readFileSync(join(ROOT, file), 'utf8').replaceAll("\\'", "'");
    return !text.includes(`'${title}'`);
  });
  expect(missing).toEqual([]);
  expect(named.length).toBeGreaterThan(80);
});
