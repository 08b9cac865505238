/** From text or argv to commands that can run: parsing, command-alias, and every mistake told before anything runs. */
import type { Registry } from '../../model/registry.ts';
import { type CheckedCommands, checkCommands, type ExpandedAlias } from '../command.ts';
import { type ParsedCommand, type ParseOptions, parseArgv, parseCommands } from '../parser.ts';
import type { Entry } from './context.ts';

/** Commands with full names and flags in order; or a mistake, on a 1-based line (undefined for argv). */
export type LanguageResult = CheckedCommands;

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
