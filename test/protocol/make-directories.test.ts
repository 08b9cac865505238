import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeDirectoriesSync } from '../../protocol/make-directories.ts';
import { makeDirectories } from '../../server/make-directories-async.ts';

let base: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'mplex-dirs-'));
});

afterEach(() => rmSync(base, { recursive: true }));

const WAYS = [
  ['makeDirectories', makeDirectories],
  ['makeDirectoriesSync', async (path: string, mode: number) => makeDirectoriesSync(path, mode)],
] as const;

describe.each(WAYS)('%s', (_name, make) => {
  it('makes what is missing, with its mode, and is content with what is there', async () => {
    const path = join(base, 'a/b/c');
    await make(path, 0o700);
    await make(path, 0o700);
    for (const each of ['a', 'a/b', 'a/b/c']) expect(statSync(join(base, each)).mode & 0o777).toBe(0o700);
  });

  it('says what is wrong with a path that leads through a file', async () => {
    writeFileSync(join(base, 'file'), '');
    await expect(make(join(base, 'file'), 0o700)).rejects.toThrow('EEXIST');
    await expect(make(join(base, 'file/a/b'), 0o700)).rejects.toThrow('ENOTDIR');
  });

  it.skipIf(process.platform !== 'linux')('ends where a file system has no such thing as new directories', async () => {
    await expect(make('/proc/mplex/a/b', 0o700)).rejects.toThrow('ENOENT');
  });
});
