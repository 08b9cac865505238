/**
 * Runs one of the large bundles in `dist/lib/` with V8's code cache, so that a start neither parses nor compiles what the
 * last one did. The build makes a cache beside the bundle for the Node it runs on; under another Node the first start
 * makes one in `$XDG_CACHE_HOME/mplex`. A cache that is missing, foreign or refused by V8 costs time and nothing else.
 *
 * V8 compares only versions, flags and the length of the source: the name of a cache therefore holds a hash of the bundle.
 * What a cache holds is run, so one that somebody else may have written is not taken.
 */
import {
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { makeDirectoriesSync } from '../protocol/make-directories.ts';

export interface Bundle {
  /** The file in `lib/`, without `.js`. */
  readonly name: string;
  /** Identifies the bundle's content; part of its caches' names. */
  readonly hash: string;
  /** The directory that holds `lib/`. */
  readonly directory: string;
  readonly require: (name: string) => unknown;
  /** When a missing cache is made, ms after the start. */
  readonly cacheAfterMs?: number;
}

/** A new cache is made this long after the start, ms: by then the functions that a start needs have been compiled. */
const CACHE_AFTER_MS = 3000;
/** Caches in the user's directory that were written longer ago than this are removed, ms. */
const CACHE_KEEP_MS = 30 * 24 * 3600 * 1000;
/** Set by the build: the process writes the bundle's cache beside it when it ends. */
const BUILD_VARIABLE = 'MPLEX_BUILD_CACHE';

/** Loads a bundle and gives its exports. */
export function loadBundle(bundle: Bundle): unknown {
  const file = join(bundle.directory, 'lib', `${bundle.name}.js`);
  // A function expression, as the build writes it. It is ASCII; as latin1 the text is stored in one byte a character.
  const source = readFileSync(file, 'latin1');
  const isBuilding = process.env[BUILD_VARIABLE] !== undefined;
  const cacheName = `${bundle.name}-${bundle.hash}-${process.version}-${process.arch}.cache`;
  const besideBundle = join(bundle.directory, 'lib', cacheName);
  const directory = userCacheDirectory();
  const ofUser = directory && join(directory, cacheName);
  const cachedData = isBuilding ? undefined : (readTrusted(besideBundle) ?? (ofUser && readTrusted(ofUser)));
  const script = new Script(source, { filename: file, ...(cachedData ? { cachedData } : {}) });
  if (isBuilding) process.once('exit', () => writeCache(script, besideBundle));
  else if (ofUser && (!cachedData || script.cachedDataRejected)) makeCacheLater(script, ofUser, bundle.cacheAfterMs);
  const module = { exports: {} };
  // What the sources look for beside them is beside `lib/`.
  script.runInThisContext()(module.exports, bundle.require, module, file, bundle.directory);
  return module.exports;
}

function userCacheDirectory(): string | undefined {
  const { XDG_CACHE_HOME: cacheHome, HOME: home } = process.env;
  if (cacheHome?.startsWith('/')) return join(cacheHome, 'mplex');
  return home?.startsWith('/') ? join(home, '.cache', 'mplex') : undefined;
}

/** A file that only root or this user can have written. */
function readTrusted(file: string): Buffer | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(file, 'r');
    const { uid, mode } = fstatSync(fd);
    const isTrusted = (uid === 0 || uid === process.geteuid?.()) && (mode & 0o022) === 0;
    return isTrusted ? readFileSync(fd) : undefined;
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function makeCacheLater(script: Script, file: string, afterMs = CACHE_AFTER_MS): void {
  const directory = dirname(file);
  const make = () => {
    try {
      makeDirectoriesSync(directory, 0o700);
      if (statSync(directory).uid !== process.geteuid?.()) return;
      removeOldCaches(directory);
      writeCache(script, file);
    } catch {
      // Without a cache the next start is slower, that is all.
    }
  };
  setTimeout(make, afterMs).unref();
}

function removeOldCaches(directory: string): void {
  const limit = Date.now() - CACHE_KEEP_MS;
  for (const name of readdirSync(directory)) {
    const file = join(directory, name);
    if (name.endsWith('.cache') && statSync(file).mtimeMs < limit) rmSync(file, { force: true });
  }
}

function writeCache(script: Script, file: string): void {
  const temporary = `${file}.${process.pid}`;
  try {
    writeFileSync(temporary, script.createCachedData(), { mode: 0o644, flag: 'wx' });
    renameSync(temporary, file);
  } catch {
    rmSync(temporary, { force: true });
  }
}
