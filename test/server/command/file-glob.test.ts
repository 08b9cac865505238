import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { escapePattern, pathsMatching } from '../../../server/command/file-glob.ts';

const directory = mkdtempSync(join(tmpdir(), 'mplex-glob-'));
afterAll(() => rmSync(directory, { recursive: true }));
mkdirSync(join(directory, 'sub'));
for (const name of ['b.conf', 'a.conf', '.hidden.conf', 'c.txt', '[x]', 'sub/d.conf'])
  writeFileSync(join(directory, name), '');

function find(pattern: string): string[] {
  return pathsMatching(`${escapePattern(directory)}/${pattern}`).map((path) => path.slice(directory.length + 1));
}

describe('pathsMatching', () => {
  it('gives the files that fit, in order, without hidden ones', () => {
    expect(find('*.conf')).toEqual(['a.conf', 'b.conf']);
    expect(find('.*.conf')).toEqual(['.hidden.conf']);
    expect(find('?.*')).toEqual(['a.conf', 'b.conf', 'c.txt']);
    expect(find('[bc].*')).toEqual(['b.conf', 'c.txt']);
    expect(find('s*/*')).toEqual(['sub/d.conf']);
  });

  it('gives a plain path if it is there', () => {
    expect(find('a.conf')).toEqual(['a.conf']);
    expect(find('nope')).toEqual([]);
    expect(find('nope/*')).toEqual([]);
    expect(find('\\[x\\]')).toEqual(['[x]']);
  });

  it('finds any name that was escaped, and nothing else', () => {
    const name = fc
      .string({ unit: fc.constantFrom('a', 'é', '*', '?', '[', ']', '\\', '-', '!'), minLength: 1, maxLength: 6 })
      .filter((text) => !/^\.+$/.test(text));
    fc.assert(
      fc.property(name, (text) => {
        writeFileSync(join(directory, 'sub', text), '');
        expect(find(`sub/${escapePattern(text)}`)).toEqual([`sub/${text}`]);
        rmSync(join(directory, 'sub', text));
      }),
    );
  });
});
