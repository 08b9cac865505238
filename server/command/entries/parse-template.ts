/** Templates of command-prompt, display-panes and the like: commands with `%%` and `%1` to `%9` in them. */

import type { ParsedCommand } from '../parser.ts';
import { fillCommands, fillText } from '../template.ts';
import type { CommandContext } from './context.ts';
import type { LanguageResult } from './language.ts';

/** A string to be parsed after the values are in it, or commands whose arguments take them. */
export type Template = string | readonly ParsedCommand[];

/** The template's commands with the values in place. */
export function parseTemplate(context: CommandContext, template: Template, values: readonly string[]): LanguageResult {
  if (typeof template === 'string') return context.parse(fillText(template, values));
  return context.check(fillCommands(template, values));
}
