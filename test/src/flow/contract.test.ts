import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../../..');
const VECTORS = join(ROOT, 'test/vectors/flow');

interface Clause {
  readonly clause: string;
  readonly file: string;
  readonly title: string;
}

/** The rows of contract.md, one for each title. */
function clauses(): Clause[] {
  const rows = readFileSync(join(VECTORS, 'contract.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| clause'));
  return rows.flatMap((row) => {
    const [clause = '', file = '', titles = ''] = row.slice(2, -2).split(' | ');
    return titles.split(' · ').map((title) => ({ clause, file, title }));
  });
}

function titlesOf(file: string): string {
  const path = file.endsWith('.json') ? join(VECTORS, file) : join(ROOT, file);
  return readFileSync(path, 'utf8').replaceAll("\\'", "'");
}

describe('the list of what holds the contract', () => {
  it('names tests that are there', () => {
    const named = clauses();
    const missing = named.filter(({ file, title }) => {
      const text = titlesOf(file);
      return !(file.endsWith('.json')
        ? text.includes(`"name": ${JSON.stringify(title)}`)
        : text.includes(`'${title}'`));
    });
    expect(missing).toEqual([]);
    expect(named.length).toBeGreaterThan(100);
  });
});
