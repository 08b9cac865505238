/** Templates of command-prompt, display-panes and the like: commands with `%%` and `%1` to `%9` in them. */

import type { Argument, ParsedCommand } from '../parser.ts';
import type { CommandContext } from './context.ts';
import type { LanguageResult } from './language.ts';

/** A string to be parsed after the values are in it, or commands whose arguments take them. */
export type Template = string | readonly ParsedCommand[];

/**
 * Puts values into a text: `%1` is the first, all times; the first `%%` is the first, the second `%%` the second.
 * A further `%` (`%%%`, `%1%`) puts a backslash before characters that a parser would take for more than text.
 */
export function fillText(template: string, values: readonly string[]): string {
  let taken = 0;
  return template.replace(/%([1-9%])(%?)/g, (whole: string, which: string, quoted: string) => {
    const index = which === '%' ? taken : Number(which) - 1;
    const value = values[index];
    if (value === undefined) return whole;
    if (which === '%') taken += 1;
    return quoted === '' ? value : value.replace(/["\\$;~]/g, '\\$&');
  });
}

function fillCommands(commands: readonly ParsedCommand[], values: readonly string[]): ParsedCommand[] {
  return commands.map((command) => ({
    ...command,
    args: command.args.map((argument) => fillArgument(argument, values)),
  }));
}

function fillArgument(argument: Argument, values: readonly string[]): Argument {
  return typeof argument === 'string' ? fillText(argument, values) : fillCommands(argument, values);
}

/** The template's commands with the values in place. */
export function fillTemplate(context: CommandContext, template: Template, values: readonly string[]): LanguageResult {
  if (typeof template === 'string') return context.parse(fillText(template, values));
  return context.check(fillCommands(template, values));
}
