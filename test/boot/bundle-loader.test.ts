import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Bundle, loadBundle } from '../../boot/bundle-loader.ts';
import { waitUntil } from '../support/wait-until.ts';

let home: string;
let bundle: Bundle;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'mplex-loader-'));
  mkdirSync(join(home, 'lib'));
  bundle = { name: 'part', hash: 'abc', directory: home, require: (name) => name, cacheAfterMs: 0 };
  vi.stubEnv('XDG_CACHE_HOME', join(home, 'cache'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

/** As the build writes bundles. */
function asFunction(text: string): string {
  return `(function (exports, require, module, __filename, __dirname) {${text}\n})`;
}

function writeSource(text: string): void {
  writeFileSync(join(home, 'lib/part.js'), asFunction(text));
}

function cacheName(): string {
  return `part-abc-${process.version}-${process.arch}.cache`;
}

/** V8 tells caches apart by the length of the source: one of other code shows whether it is taken. */
function cacheOf(text: string): Buffer {
  return new Script(asFunction(text), { filename: join(home, 'lib/part.js') }).createCachedData();
}

function cachesOfUser(): string[] {
  try {
    return readdirSync(join(home, 'cache/mplex'));
  } catch {
    return [];
  }
}

describe('loadBundle', () => {
  it('gives the exports, with require, its own path and the directory above', () => {
    writeSource('module.exports = [require("x"), __filename, __dirname]; exports.y = 1;');
    expect(loadBundle(bundle)).toEqual(['x', join(home, 'lib/part.js'), home]);
  });

  it('takes the cache beside the bundle, and makes none', () => {
    writeSource('exports.n = 1;');
    writeFileSync(join(home, 'lib', cacheName()), cacheOf('exports.n = 2;'), { mode: 0o644 });
    expect(loadBundle(bundle)).toEqual({ n: 2 });
    expect(cachesOfUser()).toEqual([]);
  });

  it('makes a cache in the user’s directory where there is none, removes old ones, and takes it next time', async () => {
    writeSource('exports.n = 1;');
    mkdirSync(join(home, 'cache/mplex'), { recursive: true });
    writeFileSync(join(home, 'cache/mplex/old.cache'), '');
    utimesSync(join(home, 'cache/mplex/old.cache'), 1, 1);
    expect(loadBundle(bundle)).toEqual({ n: 1 });
    await waitUntil('the cache', () => cachesOfUser().includes(cacheName()), {
      describe: () => String(cachesOfUser()),
    });
    expect(cachesOfUser()).toEqual([cacheName()]);
    writeSource('exports.n = 3;');
    expect(loadBundle(bundle)).toEqual({ n: 1 });
  });

  it('does without a cache that is damaged or that somebody else could have written', () => {
    writeSource('exports.n = 1;');
    const file = join(home, 'lib', cacheName());
    writeFileSync(file, cacheOf('exports.n = 2;').subarray(0, 60));
    expect(loadBundle({ ...bundle, cacheAfterMs: 60_000 })).toEqual({ n: 1 });
    // Another source: V8 remembers what it has compiled in this process.
    writeSource('exports.m = 4;');
    writeFileSync(file, cacheOf('exports.m = 5;'));
    chmodSync(file, 0o666);
    expect(loadBundle({ ...bundle, cacheAfterMs: 60_000 })).toEqual({ m: 4 });
  });

  it('works where no cache can be written', () => {
    writeSource('exports.n = 1;');
    writeFileSync(join(home, 'cache'), '');
    expect(loadBundle(bundle)).toEqual({ n: 1 });
    vi.stubEnv('XDG_CACHE_HOME', undefined);
    vi.stubEnv('HOME', undefined);
    expect(loadBundle(bundle)).toEqual({ n: 1 });
  });
});
