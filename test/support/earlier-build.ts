/** Builds of earlier commits of the project, beside this one, to be upgraded. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

export interface EarlierBuild {
  readonly commit: string;
  /** Its mplex.js. */
  readonly program: string;
  remove(): void;
}

/** The last commit but `back`; undefined where the history does not go so far, as in a shallow clone or a package. */
export function earlierCommit(back: number): string | undefined {
  return git('rev-parse', '--verify', '--quiet', `HEAD~${back}`);
}

function git(...argv: string[]): string | undefined {
  try {
    const text = execFileSync('git', ['-C', ROOT, ...argv], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return text.trim() || undefined;
  } catch {
    return undefined;
  }
}

/** Unpacks a commit into a directory of its own and builds it with the packages of this one. */
export function buildCommit(commit: string): EarlierBuild {
  const directory = mkdtempSync(join(tmpdir(), 'mplex-earlier-'));
  const tree = execFileSync('git', ['-C', ROOT, 'archive', commit], { maxBuffer: 1 << 28 });
  execFileSync('tar', ['-x', '-C', directory], { input: tree });
  mkdirSync(join(directory, 'node_modules'));
  for (const name of execFileSync('ls', ['-A', join(ROOT, 'node_modules')], { encoding: 'utf8' }).split('\n')) {
    // The cache is the build's own.
    if (name !== '' && name !== '.cache')
      symlinkSync(join(ROOT, 'node_modules', name), join(directory, 'node_modules', name));
  }
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: directory, stdio: 'ignore' });
  return {
    commit,
    program: join(directory, 'dist', 'mplex.js'),
    remove: () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }),
  };
}
