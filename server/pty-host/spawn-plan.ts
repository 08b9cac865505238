/**
 * What can be known before a fork: node-pty reports a failed chdir or exec by printing into the pty, so both are looked
 * at first.
 */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';

/** Linux's limit on one argument or variable (MAX_ARG_STRLEN, execve(2)), with its final NUL. */
const ARGUMENT_MAX = 128 << 10;
/** Arguments and environment together; below the usual quarter of the stack limit. */
const ARGUMENTS_MAX = (2 << 20) - (64 << 10);
/** execvp(3)'s search path where PATH is unset. */
const DEFAULT_PATH = '/bin:/usr/bin';

export interface SpawnWish {
  readonly argv: readonly string[];
  /** `NAME=value` strings. */
  readonly env: readonly string[];
  readonly cwd: string;
}

export type SpawnPlan =
  | {
      readonly kind: 'ready';
      readonly file: string;
      readonly args: readonly string[];
      readonly env: readonly string[];
      readonly cwd: string;
    }
  /** `message`: for the user, `can't run foo: no such file or directory`. */
  | { readonly kind: 'refused'; readonly message: string };

/**
 * Checks a program and finds its directory: `cwd`, else $HOME, else `/`, as tmux does, with PWD set to match.
 */
export function planSpawn(wish: SpawnWish): SpawnPlan {
  const [file, ...args] = wish.argv;
  if (file === undefined || file === '') return { kind: 'refused', message: "can't run: no command" };
  const cwd = findDirectory([wish.cwd, readVariable(wish.env, 'HOME')]);
  const env = [...wish.env.filter((entry) => !entry.startsWith('PWD=')), `PWD=${cwd}`];
  const obstacle = findSizeObstacle([...wish.argv, ...env]) ?? findExecObstacle(file, env, cwd);
  if (obstacle !== undefined) return { kind: 'refused', message: `can't run ${file.slice(0, 200)}: ${obstacle}` };
  return { kind: 'ready', file, args, env, cwd };
}

function findDirectory(candidates: readonly (string | undefined)[]): string {
  for (const path of candidates) {
    if (path === undefined || !path.startsWith('/') || path.includes('\0')) continue;
    try {
      accessSync(path, constants.X_OK);
      if (statSync(path).isDirectory()) return path;
    } catch {
      // Not there or not ours to enter: the next one.
    }
  }
  return '/';
}

function findSizeObstacle(strings: readonly string[]): string | undefined {
  let total = 0;
  for (const text of strings) {
    if (text.includes('\0')) return 'NUL character in an argument or variable';
    const bytes = Buffer.byteLength(text) + 1;
    if (bytes > ARGUMENT_MAX) return 'argument list too long';
    total += bytes + 8; // The pointer to it counts as well.
  }
  return total > ARGUMENTS_MAX ? 'argument list too long' : undefined;
}

function findExecObstacle(file: string, env: readonly string[], cwd: string): string | undefined {
  const candidates = file.includes('/')
    ? [resolve(cwd, file)]
    : (readVariable(env, 'PATH') ?? DEFAULT_PATH).split(delimiter).map((directory) => resolve(cwd, directory, file));
  let obstacle = file.includes('/') ? 'no such file or directory' : 'command not found';
  for (const path of candidates) {
    try {
      if (statSync(path).isDirectory()) {
        obstacle = 'is a directory';
        continue;
      }
      accessSync(path, constants.X_OK);
      return undefined;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EACCES') obstacle = 'permission denied';
    }
  }
  return obstacle;
}

function readVariable(env: readonly string[], name: string): string | undefined {
  return env.find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1);
}
