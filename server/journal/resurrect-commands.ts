/**
 * Which command lines may run again (option resurrect-commands) and how they are written. A member is a name (`vim`, `git-*`)
 * or, with a blank or a slash in it, a whole command line (`npm run *`); `*`, `?` and `[…]` are as in fnmatch(3).
 *
 * A line that a shell would read (`new-window 'vim a; rm b'`) is never split by us: one with characters that mean something
 * to a shell is allowed only by a member that is the same to the letter.
 */
import { basename } from 'node:path';
import { globMatcher } from '../model/environ.ts';

/** A command line: of a program in the foreground its words, of a pane's own command what it was started with. */
export interface CommandLine {
  /** One word is for the shell, more are run directly. */
  readonly words: readonly string[];
  /** The words are a program's real arguments, whatever their number. */
  readonly isExact: boolean;
}

const SHELL_MEANING = /[^\w\s@%+=:,./-]/;

/** The words to run again; undefined where nothing allows them. */
export function allowedCommand(
  patterns: readonly string[],
  { words, isExact }: CommandLine,
): readonly string[] | undefined {
  const line = words.join(' ');
  if (line.trim() === '') return undefined;
  const isForShell = !isExact && words.length === 1;
  const isPlain = !isForShell || !SHELL_MEANING.test(line);
  const first = isForShell ? (line.trim().split(/\s+/)[0] ?? '') : (words[0] ?? '');
  for (const pattern of patterns) {
    if (pattern === line) return words;
    if (!isPlain || pattern === '') continue;
    if (/[\s/]/.test(pattern)) {
      if (globMatcher(pattern).test(line)) return words;
    } else if (globMatcher(pattern).test(basename(first))) {
      // By name it is the one in PATH that runs, wherever the other one was.
      const name = basename(first);
      return isForShell ? [line.trim().replace(first, () => name)] : [name, ...words.slice(1)];
    }
  }
  return undefined;
}

/**
 * What runs words as if they had been typed (the shell reads its files and gives the program a process group of its own) and
 * goes on with a shell, also when the program was interrupted. For POSIX shells and fish.
 */
export function commandThenShell(
  words: readonly string[],
  { shell, after }: { readonly shell: string; readonly after: string },
): readonly string[] {
  const next = after === '' ? `exec ${quoteWord(shell)} -l` : after;
  return [shell, '-l', '-i', '-c', `trap : INT; ${words.map(quoteWord).join(' ')}; ${next}`];
}

function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`;
}
