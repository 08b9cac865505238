/** Directories with those above them, made without holding up the process: see protocol/make-directories.ts. */
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isThere, lacksParent } from '../protocol/make-directories.ts';

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
