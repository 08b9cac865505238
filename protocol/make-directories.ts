/**
 * Directories with those above them. Node's own `recursive` never ends where a file system refuses a directory by ENOENT though
 * the one above is there (/proc, some automounts): it makes the one above and tries again, for ever.
 */
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemCode } from './system-reason.ts';

/** Makes what is missing of a path, with `mode`. Throws what the file system says. */
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

/** Whether a directory could not be made because it is there. */
export function isThere(path: string, error: unknown): boolean {
  return systemCode(error) === 'EEXIST' && statSync(path).isDirectory();
}

/** Whether a directory could not be made because the one above is missing. */
export function lacksParent(path: string, error: unknown): boolean {
  return systemCode(error) === 'ENOENT' && !existsSync(dirname(path));
}
