/** `mplex install-shim DIR`: puts a program `tmux` that runs mplex into a folder of the person's PATH, made if need be. */
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeDirectoriesSync } from '../protocol/make-directories.ts';
import { systemReason } from '../protocol/system-reason.ts';

export interface InstallShimIo {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  /** The shim that is installed with mplex. */
  readonly shim?: string;
}

const USAGE = 'usage: mplex install-shim [-f] directory';
/** Stands in every shim, so that one may be replaced and nothing else is by accident. */
const MARK = '# mplex under the name tmux';
const EXIT_USAGE = 2;

/** Gives the exit code: 0, 1 where something is in the way, 2 for wrong words. */
export function runInstallShim(argv: readonly string[], io: InstallShimIo): number {
  const isForced = argv.includes('-f');
  const words = argv.filter((word) => word !== '-f');
  const [directory] = words;
  if (directory === undefined || words.length !== 1 || directory.startsWith('-')) {
    io.stderr.write(`${USAGE}\n`);
    return EXIT_USAGE;
  }
  const problem = install(resolve(directory), { isForced, shim: io.shim ?? ownShim() });
  if (problem !== undefined) {
    io.stderr.write(`${problem}\n`);
    return 1;
  }
  io.stdout.write(`${join(resolve(directory), 'tmux')}\n`);
  return 0;
}

function install(
  directory: string,
  options: { readonly isForced: boolean; readonly shim: string },
): string | undefined {
  if (existsSync(directory) && !statSync(directory).isDirectory()) return `not a directory: ${directory}`;
  const path = join(directory, 'tmux');
  if (existsSync(path) && !options.isForced && !isShim(path)) {
    return `${path} exists and is not a shim; -f replaces it`;
  }
  try {
    makeDirectoriesSync(directory, 0o777);
    writeFileSync(path, `#!/bin/sh\n${MARK}\nexec ${quoted(options.shim)} "$@"\n`, { mode: 0o755 });
    chmodSync(path, 0o755);
  } catch (error) {
    return `can't write ${path}: ${systemReason(error)}`;
  }
  return undefined;
}

function isShim(path: string): boolean {
  try {
    return readFileSync(path, 'utf8').includes(MARK);
  } catch {
    return false;
  }
}

function ownShim(): string {
  return join(import.meta.dirname, '../shim/tmux');
}

/** A word for sh. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
