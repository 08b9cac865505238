/** Commands back to text that parses to the same commands, as tmux 3.3a's list-keys prints it. */
import type { Argument, ParsedCommand } from './parser.ts';

/** `listed`: separators are `\;`, as after bind-key's key. `nested`: plain `;`, as in braces and options. */
export type PrintForm = 'listed' | 'nested';

/** Prints commands on one line; where one sequence ends and the next begins, the separator is doubled. */
export function printCommands(commands: readonly ParsedCommand[], form: PrintForm = 'listed'): string {
  const separator = form === 'listed' ? '\\;' : ';';
  let text = '';
  let group: object | undefined;
  for (const command of commands) {
    if (group !== undefined) text += command.group === group ? ` ${separator} ` : ` ${separator}${separator} `;
    text += [command.name, ...command.args].map(printArgument).join(' ');
    group = command.group;
  }
  return text;
}

/** One argument: a word quoted where it must be, a block in braces. */
export function printArgument(argument: Argument): string {
  if (typeof argument === 'string') return escapeArgument(argument);
  return argument.length === 0 ? '{ }' : `{ ${printCommands(argument, 'nested')} }`;
}

const NEEDS_DOUBLE = /[ #';${}%]/;

/**
 * A word as the language reads it: bare if it can be, else in double quotes, in single quotes for the sake of `"`, a
 * lone special character after a backslash. Unlike tmux, single quotes are not used where a backslash is needed within.
 */
export function escapeArgument(word: string): string {
  if (word === '') return "''";
  const quote = NEEDS_DOUBLE.test(word) ? '"' : word.includes('"') ? "'" : '';
  if (word.length === 1 && word !== ' ' && (quote !== '' || word === '~')) return `\\${word}`;
  const escaped = escapeControls(word);
  if (quote === "'" && escaped === word) return `'${word}'`;
  const inner = quote === '' ? escaped : escaped.replaceAll('"', '\\"').replace(/\$(?=[A-Za-z_{])/g, '\\$');
  const safe = inner.startsWith('~') ? `\\${inner}` : inner;
  return quote === '' ? safe : `"${safe}"`;
}

const CONTROL_NAMES: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '\\': '\\\\',
};

/** Backslashes doubled, controls named or octal by the bytes of their UTF-8. */
function escapeControls(word: string): string {
  return word.replace(/[\x00-\x1f\x7f-\x9f\\]/g, (char) => {
    const name = CONTROL_NAMES[char];
    if (name !== undefined) return name;
    return [...Buffer.from(char)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
  });
}
