/** The command line before the command: tmux(1)'s global flags, and what mplex adds. Pure. */
import { MplexError } from '../protocol/errors.ts';

export interface GlobalFlags {
  /** -L, default `default`. */
  readonly socketName: string;
  /** -S: a path that takes the place of -L. */
  readonly socketPath: string | undefined;
  /** -f, may be repeated. */
  readonly configs: readonly string[];
  readonly noStart: boolean;
  readonly colors256: boolean;
  /** -T, joined: features of the terminal. */
  readonly features: string;
  readonly utf8: boolean;
  readonly control: 0 | 1 | 2;
  readonly version: boolean;
  readonly help: boolean;
  /** -v, once for each. */
  readonly verbose: number;
  /** -c shell-command: run it with the default shell. */
  readonly shellCommand: string | undefined;
  /** The command and its arguments; empty: attach or make a session. */
  readonly argv: readonly string[];
}

export const USAGE =
  'usage: mplex [-2CDhlNuVv] [-c shell-command] [-f file] [-L socket-name] [-S socket-path] [-T features] [command [flags]]';

/** What tmux 3.3a says, for calls under its name. */
const TMUX_USAGE =
  'usage: tmux [-2CDlNuvV] [-c shell-command] [-f file] [-L socket-name]\n' +
  '            [-S socket-path] [-T features] [command [flags]]';

/** What `mplex help`, `mplex --help` and `mplex -h` print. */
export const HELP = `${USAGE}

Without a command: attach to the newest session, or make one. Commands are tmux's; list-commands lists them, list-keys the keys.
  mplex new-session -s NAME     a new session; attach-session -t NAME comes back to it, prefix d leaves it
  mplex ask QUESTION [OPTION…]  ask the person at the terminal and print the answer
  mplex flow check FILE         look for mistakes in a flow of questions
  mplex mcp                     serve agents (Model Context Protocol, standard input and output)
  mplex doctor                  look at the terminal, the machine and the server
  mplex upgrade-server          put a new version in place under running programs
  mplex install-shim DIR        put a program \`tmux\` that is mplex into a folder of PATH
The prefix is C-b: C-b ? shows the keys, C-b Space all there is. More in docs/mplex.md.`;

const WITH_VALUE = 'cfLST';
const PLAIN = '2CDhlNuVvq';
/** What a newcomer tries first. tmux has no long flags. */
const LONG: Readonly<Record<string, string>> = { '--help': 'h', '--version': 'V' };

/** Splits argv (without the program's name). Throws what usageError gives for a flag that does not exist. */
export function parseGlobalFlags(argv: readonly string[], asTmux = false): GlobalFlags {
  const values = new Map<string, string[]>();
  const counts = new Map<string, number>();
  let at = 0;
  for (; at < argv.length; at++) {
    const word = argv[at] ?? '';
    if (word === '--') {
      at += 1;
      break;
    }
    if (!word.startsWith('-') || word === '-') break;
    const long = asTmux ? undefined : LONG[word];
    if (long) {
      counts.set(long, 1);
      continue;
    }
    at = parseCluster(argv, at, { values, counts, asTmux });
  }
  const count = (flag: string) => counts.get(flag) ?? 0;
  return {
    socketName: values.get('L')?.at(-1) ?? 'default',
    socketPath: values.get('S')?.at(-1),
    configs: values.get('f') ?? [],
    noStart: count('N') > 0,
    colors256: count('2') > 0,
    features: values.get('T')?.join(',') ?? '',
    utf8: count('u') > 0,
    control: count('C') > 1 ? 2 : count('C') > 0 ? 1 : 0,
    version: count('V') > 0,
    help: count('h') > 0,
    verbose: count('v'),
    shellCommand: values.get('c')?.at(-1),
    argv: argv.slice(at),
  };
}

/** MplexError 'usage'; under tmux's name its words and, by 'command', its exit code. */
export function usageError(problem: string, asTmux: boolean): MplexError {
  if (!asTmux) return new MplexError('usage', `mplex: ${problem}\n${USAGE}`);
  // A word such as --help: tmux says its usage alone.
  const line = problem === '' || problem.endsWith('-- -') ? '' : `tmux: ${problem}\n`;
  return new MplexError('command', line + TMUX_USAGE);
}

function parseCluster(
  argv: readonly string[],
  at: number,
  into: { readonly values: Map<string, string[]>; readonly counts: Map<string, number>; readonly asTmux: boolean },
): number {
  const word = argv[at] ?? '';
  for (let i = 1; i < word.length; i++) {
    const flag = word[i] ?? '';
    if (PLAIN.includes(flag) && !(into.asTmux && flag === 'h')) {
      into.counts.set(flag, (into.counts.get(flag) ?? 0) + 1);
      continue;
    }
    if (!WITH_VALUE.includes(flag)) throw usageError(`unknown option -- ${flag}`, into.asTmux);
    const rest = word.slice(i + 1);
    const value = rest !== '' ? rest : argv[at + 1];
    if (value === undefined) throw usageError(`option requires an argument -- ${flag}`, into.asTmux);
    into.values.set(flag, [...(into.values.get(flag) ?? []), value]);
    return rest !== '' ? at : at + 1;
  }
  return at;
}

/** Words that the client carries out by itself, by files that are loaded for them alone. */
export function isOwnWord(word: string | undefined): boolean {
  return word === 'ask' || word === 'doctor' || word === 'flow' || word === 'mcp' || word === 'install-shim';
}

/** Commands that start a server when none runs, each with the length of the shortest beginning that no other shares. */
const STARTERS: Readonly<Record<string, number>> = {
  'new-session': 'new-s'.length,
  'attach-session': 'a'.length,
  'start-server': 'star'.length,
  'list-keys': 'list-k'.length,
  'list-commands': 'list-co'.length,
};
const STARTER_ALIASES = new Set(['new', 'attach', 'start', 'lsk', 'lscm', 'resurrect']);

/** Whether one of the commands of a call starts a server. */
export function startsServer(argv: readonly string[]): boolean {
  if (argv.length === 0) return true;
  let isName = true;
  for (const word of argv) {
    if (isName && isStarter(word.replace(/;$/, ''))) return true;
    isName = word === ';' || (word.endsWith(';') && !word.endsWith('\\;'));
  }
  return false;
}

function isStarter(name: string): boolean {
  if (STARTER_ALIASES.has(name)) return true;
  return Object.entries(STARTERS).some(([starter, shortest]) => name.length >= shortest && starter.startsWith(name));
}
