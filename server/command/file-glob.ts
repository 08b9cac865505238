/** Paths by pattern, as glob(3) finds them: `*`, `?`, `[…]`, a backslash before what is meant literally. */
import { lstatSync, readdirSync } from 'node:fs';
import { fnmatch } from '../format/fnmatch.ts';

const MAGIC = /[*?[]/;
/** Most paths that one pattern may give. */
const PATHS_MAX = 1000;

/** The paths that fit an absolute pattern, in order; hidden files only where the pattern has the dot. */
export function pathsMatching(pattern: string): string[] {
  let paths = [''];
  for (const part of pattern.split('/').slice(1)) {
    paths = MAGIC.test(part)
      ? paths.flatMap((path) => namesMatching(path, part).map((name) => `${path}/${name}`))
      : paths.map((path) => `${path}/${part.replace(/\\(.)/g, '$1')}`);
    if (paths.length > PATHS_MAX) paths.length = PATHS_MAX;
  }
  return paths.filter(exists);
}

/** A path with everything that a pattern reads in a special way escaped. */
export function escapePattern(path: string): string {
  return path.replace(/[*?[\]\\]/g, '\\$&');
}

function namesMatching(directory: string, pattern: string): string[] {
  try {
    return readdirSync(directory === '' ? '/' : directory)
      .filter((name) => (!name.startsWith('.') || pattern.startsWith('.')) && fnmatch(pattern, name))
      .sort();
  } catch {
    return [];
  }
}

function exists(path: string): boolean {
  try {
    lstatSync(path === '' ? '/' : path);
    return true;
  } catch {
    return false;
  }
}
