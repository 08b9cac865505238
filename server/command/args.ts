/** Flags and arguments of a command, read by a getopt-like template; messages and canonical order are tmux 3.3a's. */
import { type NumberResult, parseNumber, parseSizeValue } from '../layout/size-value.ts';
import type { Argument, ParsedCommand } from './parser.ts';

export interface ArgsSpec {
  /** Flag letters; `x:` takes a value, `x::` may have one in the same word (as getopt(3) has it). */
  readonly template: string;
  /** How many positional arguments there must be; `max` -1 is any number. */
  readonly min: number;
  readonly max: number;
  /** Whether the positional argument at an index may be a block in braces; none may if absent. */
  readonly blocks?: BlockRule;
}

/** `args` holds what was read before this argument. */
export type BlockRule = (index: number, args: Args) => boolean;

/** bind-key, command-prompt, choose-tree, …: every argument may be a block. */
export const anyArgument: BlockRule = () => true;

/** if-shell, set-option, …: those from an index on may. */
export function argumentsFrom(first: number): BlockRule {
  return (index) => index >= first;
}

/** display-menu: name, key, command; an item with an empty name has neither key nor command. */
export const menuCommands: BlockRule = (index, args) => {
  let at = 0;
  while (at < index) {
    if (args.string(at) === '') at++;
    else if (at + 2 === index) return true;
    else at += 3;
  }
  return false;
};

export type ArgsResult =
  | { readonly ok: true; readonly args: Args }
  /** `usage` is true for `-?`: the message is then the usage line. */
  | { readonly ok: false; readonly error: string; readonly usage: boolean };

export type FlagNumber = { readonly ok: true; readonly value: number } | { readonly ok: false; readonly error: string };

export class Args {
  readonly #flags = new Map<string, (string | undefined)[]>();
  /** Flags whose value is optional: they stand in a word of their own with it. */
  readonly #optional = new Set<string>();
  readonly #positional: Argument[] = [];

  /** Notes a flag once more. */
  add(flag: string, value?: string, isOptional = false): void {
    if (isOptional) this.#optional.add(flag);
    const values = this.#flags.get(flag);
    if (values === undefined) this.#flags.set(flag, [value]);
    else values.push(value);
  }

  push(argument: Argument): void {
    this.#positional.push(argument);
  }

  has(flag: string): boolean {
    return this.#flags.has(flag);
  }

  /** How often a flag was given. */
  count(flag: string): number {
    return this.#flags.get(flag)?.length ?? 0;
  }

  /** A flag's value, the last one if it was given more than once. */
  value(flag: string): string | undefined {
    return this.#flags.get(flag)?.at(-1);
  }

  /** All of a flag's values in order. */
  values(flag: string): readonly string[] {
    return (this.#flags.get(flag) ?? []).filter((value) => value !== undefined);
  }

  /** Every flag with its values in order, undefined for one given without. */
  get flags(): ReadonlyMap<string, readonly (string | undefined)[]> {
    return this.#flags;
  }

  get positional(): readonly Argument[] {
    return this.#positional;
  }

  /** The positional argument at an index if it is a word. */
  string(index: number): string | undefined {
    const argument = this.#positional[index];
    return typeof argument === 'string' ? argument : undefined;
  }

  /** The words among the positional arguments from an index on. */
  strings(from: number): string[] {
    return this.#positional.slice(from).filter((argument) => typeof argument === 'string');
  }

  /** The positional argument at an index if it is a block. */
  commands(index: number): readonly ParsedCommand[] | undefined {
    const argument = this.#positional[index];
    return typeof argument === 'object' ? argument : undefined;
  }

  /** A flag's value as a number within bounds; the error begins with `name` (`width too small`). */
  number(flag: string, bounds: { readonly min: number; readonly max: number; readonly name: string }): FlagNumber {
    const value = this.value(flag);
    return named(bounds.name, value === undefined ? { ok: false, error: 'missing' } : parseNumber(value, bounds));
  }

  /** A flag's value as a number of cells or a percentage of `current`, within bounds. */
  size(
    flag: string,
    bounds: { readonly min: number; readonly max: number; readonly current: number; readonly name: string },
  ): FlagNumber {
    const value = this.value(flag);
    // tmux has no word of its own for an empty value here.
    const result: NumberResult = value === undefined ? { ok: false, error: 'missing' } : parseSizeValue(value, bounds);
    return named(bounds.name, !result.ok && result.error === 'empty' ? { ok: false, error: 'invalid' } : result);
  }

  /**
   * The arguments in their one order: flags without values in one word, sorted, then those with values, sorted, then the
   * rest. `--` goes in only where the first of the rest could be taken for a flag.
   */
  toArguments(): Argument[] {
    const flags = [...this.#flags].sort(([a], [b]) => (a < b ? -1 : 1));
    const bundle = flags.map(([flag, values]) => {
      const bare = this.#optional.has(flag) ? 0 : values.filter((value) => value === undefined).length;
      return flag.repeat(bare);
    });
    const valued = flags.flatMap(([flag, values]) =>
      this.#optional.has(flag)
        ? values.map((value) => `-${flag}${value ?? ''}`)
        : values.filter((value) => value !== undefined).flatMap((value) => [`-${flag}`, value]),
    );
    const first = this.#positional[0];
    const isFlagLike = typeof first === 'string' && first.length > 1 && first.startsWith('-');
    const together = bundle.join('');
    return [
      ...(together === '' ? [] : [`-${together}`]),
      ...valued,
      ...(isFlagLike ? ['--'] : []),
      ...this.#positional,
    ];
  }
}

function named(name: string, result: NumberResult): FlagNumber {
  return result.ok ? result : { ok: false, error: `${name} ${result.error}` };
}

/**
 * Reads a command's arguments. Flags may be bundled (`-dP`), values joined (`-tname`); `--`, `-` or the first word that
 * is no flag ends them. Errors are tmux's, without `command NAME: ` before them.
 */
export function parseArgs(argv: readonly Argument[], spec: ArgsSpec): ArgsResult {
  const args = new Args();
  let at = 0;
  for (;;) {
    const word = argv[at];
    if (typeof word !== 'string' || word.length < 2 || !word.startsWith('-')) break;
    at++;
    if (word === '--') break;
    const taken = readFlags(args, word, argv[at], spec.template);
    if (typeof taken !== 'number') return { ok: false, ...taken };
    at += taken;
  }
  for (const [index, argument] of argv.slice(at).entries()) {
    if (typeof argument !== 'string' && !spec.blocks?.(index, args)) {
      return { ok: false, error: `argument ${index + 1} must be "string"`, usage: false };
    }
    args.push(argument);
  }
  const count = args.positional.length;
  const wrong =
    count < spec.min
      ? `too few arguments (need at least ${spec.min})`
      : spec.max >= 0 && count > spec.max
        ? `too many arguments (need at most ${spec.max})`
        : undefined;
  return wrong === undefined ? { ok: true, args } : { ok: false, error: wrong, usage: false };
}

/** Reads one word of flags; gives how many further words it took (0 or 1), or what is wrong. */
function readFlags(
  args: Args,
  word: string,
  next: Argument | undefined,
  template: string,
): number | { readonly error: string; readonly usage: boolean } {
  for (let at = 1; at < word.length; at++) {
    const flag = word[at] ?? '';
    if (flag === '?') return { error: 'usage', usage: true };
    if (!/^[A-Za-z0-9]$/.test(flag)) return { error: `invalid flag -${flag}`, usage: false };
    const found = template.indexOf(flag);
    if (found < 0) return { error: `unknown flag -${flag}`, usage: false };
    if (template[found + 1] !== ':') {
      args.add(flag);
      continue;
    }
    const joined = word.slice(at + 1);
    const isOptional = template[found + 2] === ':';
    if (joined !== '' || isOptional) {
      args.add(flag, joined === '' ? undefined : joined, isOptional);
      return 0;
    }
    if (next === undefined) return { error: `-${flag} expects an argument`, usage: false };
    if (typeof next !== 'string') return { error: `-${flag} argument must be a string`, usage: false };
    args.add(flag, next);
    return 1;
  }
  return 0;
}
