/**
 * What is left of a server that ended by a bug: one file with all that a report of the bug needs and nothing that was typed
 * or printed. `mplex doctor` names it.
 */
import { closeSync, constants, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectoriesSync } from '../protocol/make-directories.ts';

/** Older reports than the newest so many are removed. */
const REPORTS_MAX = 5;
const NAME = /^crash-[\dTZ-]+-\d+\.txt$/;

export interface CrashFacts {
  /** What failed, and how. */
  readonly what: string;
  readonly error: unknown;
  readonly version: string;
  readonly now: Date;
  readonly uptimeS: number;
  readonly pid: number;
  /** The newest entries of the log. */
  readonly entries: readonly string[];
  /** Further lines: counts, sizes. */
  readonly facts: readonly string[];
}

/** Where state that lasts is kept: `$XDG_STATE_HOME/mplex`, else `~/.local/state/mplex`; undefined without a home. */
export function stateDirectory(environ: Readonly<Record<string, string | undefined>>): string | undefined {
  if (environ.XDG_STATE_HOME?.startsWith('/')) return join(environ.XDG_STATE_HOME, 'mplex');
  return environ.HOME?.startsWith('/') ? join(environ.HOME, '.local/state/mplex') : undefined;
}

/** Writes a report (0600, in a directory of 0700) and gives its path. Throws what the file system says. */
export function writeCrashReport(directory: string, facts: CrashFacts): string {
  makeDirectoriesSync(directory, 0o700);
  const stamp = facts.now.toISOString().replace(/\.\d+/, '').replaceAll(':', '-');
  const path = join(directory, `crash-${stamp}-${facts.pid}.txt`);
  const fd = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
  try {
    writeSync(fd, reportText(facts));
  } finally {
    closeSync(fd);
  }
  for (const old of crashReports(directory).slice(0, -REPORTS_MAX)) rmSync(old, { force: true });
  return path;
}

/** The reports that are there, oldest first. */
export function crashReports(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => NAME.test(name))
      .sort()
      .map((name) => join(directory, name));
  } catch {
    return [];
  }
}

function reportText({ what, error, version, now, uptimeS, pid, entries, facts }: CrashFacts): string {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return [
    `mplex ${version}: ${what}`,
    `at ${now.toISOString()}, after ${Math.round(uptimeS)} s, pid ${pid}`,
    `node ${process.version}, ${process.platform} ${process.arch}`,
    ...facts,
    '',
    stack,
    '',
    'newest entries of the log:',
    ...entries,
    '',
  ].join('\n');
}
