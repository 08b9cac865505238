/** docs/security.md names a test for each threat and each scenario; here each of these is looked for. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const TEXT = readFileSync(join(ROOT, 'docs/security.md'), 'utf8');
const SHORT: Readonly<Record<string, string>> = { F: 'test/faults', T: 'test/server/terminal' };
/** Threats of the project's checklist: the last number of each letter. */
const THREATS: Readonly<Record<string, number>> = { A: 14, B: 10, C: 9, D: 14, E: 8 };
/** The scenarios of the checklist, by a word of each. */
const SCENARIOS = [
  'server kill -9',
  'exception',
  'client kill -9',
  'client stopped',
  'hangs up',
  'ssh drop',
  'signals',
  'disk full',
  'read-only',
  'EMFILE',
  'NPROC',
  'pty exhaustion',
  'exec failure',
  'stale socket',
  '20 starters',
  'other versions',
  'garbage',
  'clock jumps',
  'suspend',
  '1 GiB',
  'tail at exit',
  '200 panes',
  '50 clients',
  '10,000 resizes',
  'tiny sizes',
  'wide characters',
  'clusters',
  'right-to-left',
  'hook storms',
  '24 h soak',
  'deleted under',
];

/** The rows below a heading, without the head, cell by cell. */
function rowsOf(heading: string): string[][] {
  const section = TEXT.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('| '));
  return lines.slice(1).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** `A1–A3, B1` is A1, A2, A3 and B1. */
function threatsIn(cell: string): string[] {
  return cell.split(', ').flatMap((part) => {
    const [first = '', last = first] = part.split('–');
    const [from, to] = [Number(first.slice(1)), Number(last.slice(1))];
    return Array.from({ length: to - from + 1 }, (_, i) => `${first[0]}${from + i}`);
  });
}

/** What is wrong with the files and quotations of a cell. */
function faultsOf(cell: string): string[] {
  const faults: string[] = [];
  let text = '';
  for (const [, file, quoted] of cell.matchAll(/`([^`]+\.ts)`|"([^"]+)"/g)) {
    if (file !== undefined) {
      const path = join(
        ROOT,
        file.replace(/^([FT])\//, (_all, letter: string) => `${SHORT[letter]}/`),
      );
      text = existsSync(path) ? readFileSync(path, 'utf8') : '';
      if (text === '') faults.push(`no ${file}`);
    } else if (quoted !== undefined && !text.includes(quoted)) faults.push(`"${quoted}" is not there`);
  }
  return faults;
}

describe('docs/security.md', () => {
  const threats = rowsOf('Each threat and its test');
  const scenarios = rowsOf('Each scenario and its test');

  it('has every threat of the checklist once', () => {
    const all = Object.entries(THREATS).flatMap(([letter, last]) =>
      Array.from({ length: last }, (_, i) => `${letter}${i + 1}`),
    );
    expect(threats.flatMap(([row = '']) => threatsIn(row)).sort()).toEqual(all.sort());
  });

  it('has every scenario of the checklist once', () => {
    const names = scenarios.map(([name = '']) => name);
    expect(SCENARIOS.filter((word) => names.filter((name) => name.includes(word)).length !== 1)).toEqual([]);
    expect(names).toHaveLength(SCENARIOS.length);
  });

  it('names tests that are there, with what they say', () => {
    const faults = [...threats, ...scenarios].flatMap((row) =>
      faultsOf(row.at(-1) ?? '').map((fault) => `${row[0]}: ${fault}`),
    );
    expect(faults).toEqual([]);
  });

  it('says so where nothing holds a threat', () => {
    const open = [...threats, ...scenarios].filter((row) => !/\.test\.ts`/.test(row.at(-1) ?? ''));
    for (const row of open) expect(row.at(-1)).toMatch(/^not held: /);
  });
});
