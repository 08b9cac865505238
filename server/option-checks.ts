/** What options ask of the rest of the server before they take a value. */
import { accessSync, constants, statSync } from 'node:fs';
import { basename } from 'node:path';
import { printCommands } from './command/command-print.ts';
import type { CommandLanguage } from './command/entries/language.ts';
import type { ParseOptions } from './command/parser.ts';
import type { OptionChecks } from './options/option-value.ts';

/** Both are asked for late: the options are there before the language is. */
export function createOptionChecks(language: () => CommandLanguage, parseOptions: () => ParseOptions): OptionChecks {
  return {
    isShell,
    normalizeCommand: (text) => {
      const parsed = language().parse(text, { ...parseOptions(), oneGroup: true });
      return parsed.ok ? { ok: true, text: printCommands(parsed.commands, 'nested') } : parsed;
    },
  };
}

/** Whether a path can be a login shell: absolute, a program, and not a multiplexer, which would start itself for ever. */
export function isShell(path: string): boolean {
  if (!path.startsWith('/') || ['mplex', 'tmux'].includes(basename(path))) return false;
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
