/** From text or argv to commands that can run: parsing, command-alias, and every mistake told before anything runs. */
import type { Registry } from '../../model/registry.ts';
import { parseArgs } from '../args.ts';
import { findEntry } from '../command.ts';
import { type Argument, type ParsedCommand, type ParseOptions, parseArgv, parseCommands } from '../parser.ts';
import type { Entry } from './context.ts';

export type LanguageResult =
  | { readonly ok: true; readonly commands: readonly ParsedCommand[] }
  /** `line` is 1-based; undefined for argv. */
  | { readonly ok: false; readonly error: string; readonly line: number | undefined };

/** Aliases may name aliases this deep. */
const ALIAS_DEPTH_MAX = 8;

export class CommandLanguage {
  readonly #registry: Registry;
  readonly #entries: readonly Entry[];

  constructor(registry: Registry, entries: readonly Entry[]) {
    this.#registry = registry;
    this.#entries = entries;
  }

  parse(text: string, options: ParseOptions): LanguageResult {
    const parsed = parseCommands(text, options);
    if (!parsed.ok) return { ok: false, error: parsed.error, line: parsed.line };
    return this.check(parsed.commands, options);
  }

  parseArgv(argv: readonly string[], options: ParseOptions): LanguageResult {
    const parsed = parseArgv(argv);
    if (!parsed.ok) return { ok: false, error: parsed.error, line: undefined };
    return this.check(parsed.commands, options);
  }

  /** Expands aliases and checks names and flags, in the blocks of arguments too. */
  check(commands: readonly ParsedCommand[], options: ParseOptions): LanguageResult {
    const expanded: ParsedCommand[] = [];
    for (const command of commands) {
      const result = this.#resolve(command, options, 0);
      if (!result.ok) return { ok: false, error: result.error, line: command.line };
      expanded.push(...result.commands);
    }
    return { ok: true, commands: expanded };
  }

  #resolve(
    command: ParsedCommand,
    options: ParseOptions,
    depth: number,
  ): { ok: true; commands: readonly ParsedCommand[] } | { ok: false; error: string } {
    const alias = depth < ALIAS_DEPTH_MAX ? this.#alias(command.name) : undefined;
    if (alias !== undefined) {
      const parsed = parseCommands(alias, options);
      if (!parsed.ok) return { ok: false, error: parsed.error };
      const commands: ParsedCommand[] = [];
      for (const [i, part] of parsed.commands.entries()) {
        const isLast = i === parsed.commands.length - 1;
        const whole = { ...part, line: command.line, file: command.file, group: command.group };
        const next = this.#resolve(
          isLast ? { ...whole, args: [...part.args, ...command.args] } : whole,
          options,
          depth + 1,
        );
        if (!next.ok) return next;
        commands.push(...next.commands);
      }
      return { ok: true, commands };
    }
    const found = findEntry(this.#entries, command.name);
    if (!found.ok) return found;
    const args = parseArgs(command.args, found.entry.args);
    if (!args.ok) return { ok: false, error: `command ${found.entry.name}: ${args.error}` };
    return this.#resolveBlocks(command, options);
  }

  #resolveBlocks(command: ParsedCommand, options: ParseOptions): LanguageResult {
    if (command.args.every((arg) => typeof arg === 'string')) return { ok: true, commands: [command] };
    const args: Argument[] = [];
    for (const arg of command.args) {
      if (typeof arg === 'string') {
        args.push(arg);
        continue;
      }
      const block = this.check(arg, options);
      if (!block.ok) return block;
      args.push(block.commands);
    }
    return { ok: true, commands: [{ ...command, args }] };
  }

  #alias(name: string): string | undefined {
    for (const value of this.#registry.serverOptions.strings('command-alias')) {
      const at = value.indexOf('=');
      if (at > 0 && value.slice(0, at) === name) return value.slice(at + 1);
    }
    return undefined;
  }
}
