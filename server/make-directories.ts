/**
 * Directories with those above them. Node's own `recursive` never ends where a file system refuses a directory by ENOENT though
 * the one above is there (/proc, some automounts): it makes the one above and tries again, for ever.
 */
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemCode } from '../protocol/system-reason.ts';

/** Makes what is missing of a path, with `mode`; rejects with what the file system says. */
export async function makeDirectories(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    if (isThere(path, error)) return;
    if (!lacksParent(path, error)) throw error;
    await makeDirectories(dirname(path), mode);
    await mkdir(path, { mode });
  }
}

/** The same for a program that is about to end. Throws what the file system says. */
export function makeDirectoriesSync(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (isThere(path, error)) return;
    if (!lacksParent(path, error)) throw error;
    makeDirectoriesSync(dirname(path), mode);
    mkdirSync(path, { mode });
  }
}

function isThere(path: string, error: unknown): boolean {
  return systemCode(error) === 'EEXIST' && statSync(path).isDirectory();
}

function lacksParent(path: string, error: unknown): boolean {
  return systemCode(error) === 'ENOENT' && !existsSync(dirname(path));
}
