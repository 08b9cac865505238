/** From text or argv to commands that can run: parsing, command-alias, and every mistake told before anything runs. */
import type { Registry } from '../../model/registry.ts';
import { type CheckedCommands, checkCommands, type ExpandedAlias } from '../command.ts';
import { type ParsedCommand, type ParseOptions, parseArgv, parseCommands } from '../parser.ts';
import type { Entry } from './context.ts';

/** Commands with full names and flags in order; or a mistake, on a 1-based line (undefined for argv). */
export type LanguageResult = CheckedCommands;

export interface Mistake {
  readonly error: string;
  readonly line: number | undefined;
}

/** What can run, and every mistake that was met, in order. */
export interface KeptCommands {
  readonly commands: readonly ParsedCommand[];
  readonly mistakes: readonly Mistake[];
}

/** How many lines before the one that an error names a brace left open is looked for. */
const LINES_BACK_MAX = 1000;

export class CommandLanguage {
  readonly #registry: Registry;
  readonly #entries: readonly Entry[];

  constructor(registry: Registry, entries: readonly Entry[]) {
    this.#registry = registry;
    this.#entries = entries;
  }

  parse(text: string, options: ParseOptions): LanguageResult {
    const parsed = parseCommands(text, options);
    return parsed.ok ? this.check(parsed.commands, options) : parsed;
  }

  /**
   * As `parse`, for a file whose good lines are to run whatever the others say: a command with a mistake is left out with
   * those that `;` joins to it; after a line that cannot be read nothing is taken, since a brace left open would make
   * commands of what was none.
   */
  parseKeeping(text: string, options: ParseOptions): KeptCommands {
    const parsed = parseCommands(text, options);
    if (parsed.ok) return this.#checkEach(parsed.commands, options);
    const before = this.#readableBefore(text, { line: parsed.line, options });
    const { commands, mistakes } = this.#checkEach(before, options);
    return { commands, mistakes: [...mistakes, { error: parsed.error, line: parsed.line }] };
  }

  #checkEach(commands: readonly ParsedCommand[], options: ParseOptions): KeptCommands {
    const good: ParsedCommand[] = [];
    const mistakes: Mistake[] = [];
    const bad = new Set<object>();
    for (const command of commands) {
      const checked = this.check([command], options);
      if (checked.ok) good.push(...checked.commands);
      else {
        bad.add(command.group);
        mistakes.push(checked);
      }
    }
    return { commands: good.filter(({ group }) => !bad.has(group)), mistakes };
  }

  /** The commands of the longest beginning of the text, in whole lines, that can be read; the line is the one that cannot. */
  #readableBefore(
    text: string,
    { line, options }: { readonly line: number | undefined; readonly options: ParseOptions },
  ): readonly ParsedCommand[] {
    const lines = text.split('\n');
    const last = Math.min((line ?? 1) - 1, lines.length);
    for (let end = last; end > Math.max(0, last - LINES_BACK_MAX); end--) {
      const parsed = parseCommands(lines.slice(0, end).join('\n'), options);
      if (parsed.ok) return parsed.commands;
    }
    return [];
  }

  parseArgv(argv: Parameters<typeof parseArgv>[0], options: ParseOptions): LanguageResult {
    const parsed = parseArgv(argv);
    return parsed.ok ? this.check(parsed.commands, options) : { ok: false, error: parsed.error, line: undefined };
  }

  /** Expands aliases and checks names and flags, in the blocks of arguments too. */
  check(commands: readonly ParsedCommand[], options: ParseOptions): LanguageResult {
    return checkCommands(commands, this.#entries, (name) => this.#alias(name, options));
  }

  #alias(name: string, options: ParseOptions): ExpandedAlias | undefined {
    for (const value of this.#registry.serverOptions.strings('command-alias')) {
      const at = value.indexOf('=');
      if (at > 0 && value.slice(0, at) === name) return parseCommands(value.slice(at + 1), options);
    }
    return undefined;
  }
}
