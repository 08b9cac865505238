/** Filling what a person answered into a command (command-prompt, choose-tree, display-panes). */
import type { ParsedCommand } from './parser.ts';

const QUOTED = /["\\$;~]/g;

/**
 * Replaces `%1` … `%9` by the values, and each `%%` by the value whose turn it is (the first `%%` the first value). One more
 * `%` behind (`%1%`, `%%%`) puts a backslash before what is special in double quotes. Values are not looked into.
 */
export function fillText(template: string, values: readonly string[]): string {
  let turn = 0;
  return template.replace(/%([1-9%])(%?)/g, (match, which: string, quote: string) => {
    const index = which === '%' ? turn : Number(which) - 1;
    const value = values[index];
    if (value === undefined) return match;
    if (which === '%') turn++;
    return quote === '' ? value : value.replace(QUOTED, '\\$&');
  });
}

/** Fills the values into every word of parsed commands, blocks included; each word has its own turn of `%%`. */
export function fillCommands(commands: readonly ParsedCommand[], values: readonly string[]): ParsedCommand[] {
  return commands.map((command) => ({
    ...command,
    args: command.args.map((argument) =>
      typeof argument === 'string' ? fillText(argument, values) : fillCommands(argument, values),
    ),
  }));
}
