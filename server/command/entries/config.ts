/** Commands about the language itself: running files of commands, and listing what commands there are. */

import { printCommands } from '../command-print.ts';
import { type CommandResult, failed, OK } from '../command-queue.ts';
import { CONFIG_MAX } from '../config-file.ts';
import { escapePattern, pathsMatching } from '../file-glob.ts';
import type { ParsedCommand } from '../parser.ts';
import type { CommandContext, Entry } from './context.ts';
import { callerDirectory, callersDescriptor, readForCaller } from './files.ts';

/** Files that source each other end here. */
const SOURCE_DEPTH_MAX = 50;
const LIST_TEMPLATE = '#{command_list_name}#{?command_list_alias, (#{command_list_alias}),} #{command_list_usage}';

const sourceFile: Entry = {
  name: 'source-file',
  alias: 'source',
  args: { template: 'Fnqv', min: 1, max: -1 },
  usage: '[-Fnqv] path ...',
  help: 'Run the commands of files',
  async exec(context, args) {
    if ((context.state.sourceDepth ?? 0) >= SOURCE_DEPTH_MAX) return failed('too many nested files');
    const errors: string[] = [];
    const paths: string[] = [];
    for (const given of args.strings(0)) {
      const pattern = args.has('F') ? context.expand(given) : given;
      const found = isStream(context, pattern) ? [pattern] : pathsMatching(absolutePattern(context, pattern));
      if (found.length === 0 && !args.has('q')) errors.push(`${pattern}: No such file or directory`);
      paths.push(...found);
    }
    // Only a call that found nothing at all fails, and so stops what follows it on its line.
    if (paths.length === 0) return failAll(context, errors);
    for (const error of errors) context.caller.error(error);
    for (const path of paths)
      await runFile(context, path, { isQuiet: args.has('q'), isDry: args.has('n'), isVerbose: args.has('v') });
    return OK;
  },
};

function isStream(context: CommandContext, path: string): boolean {
  return path === '-' || callersDescriptor(context, path) !== undefined;
}

function absolutePattern(context: CommandContext, pattern: string): string {
  return pattern.startsWith('/') ? pattern : `${escapePattern(callerDirectory(context))}/${pattern}`;
}

function failAll(context: CommandContext, errors: readonly string[]): CommandResult {
  const last = errors.at(-1);
  for (const error of errors.slice(0, -1)) context.caller.error(error);
  return last === undefined ? OK : failed(last);
}

async function runFile(
  context: CommandContext,
  path: string,
  how: { readonly isQuiet: boolean; readonly isDry: boolean; readonly isVerbose: boolean },
): Promise<void> {
  const { caller, state } = context;
  const read = await readForCaller(context, path, CONFIG_MAX);
  if (!read.ok) {
    if (!(how.isQuiet && read.isMissing)) caller.error(`${path}: ${read.error}`);
    return;
  }
  const parsed = context.parseFile(read.bytes.toString('utf8'), path, { assigns: !how.isDry });
  const known = parsed.ok ? parsed.commands : (parsed.before ?? []);
  if (how.isVerbose) for (const line of sequenceLines(known)) context.print(`${path}:${line}`);
  if (!parsed.ok) {
    tellMistake(context, `${path}:${parsed.line ?? 1}: ${parsed.error}`);
    return;
  }
  if (how.isDry) return;
  context.insert(parsed.commands, {
    variables: { ...state.variables, current_file: path },
    sourceDepth: (state.sourceDepth ?? 0) + 1,
  });
}

/** A file that could not be parsed. As in tmux, whoever sourced it finds that in the output, with the exit code of an error. */
function tellMistake(context: CommandContext, message: string): void {
  const { caller } = context;
  if (caller.kind === 'config' || caller.kind === 'hook') {
    caller.error(message);
    return;
  }
  context.print(message);
  caller.setExitCode(1);
}

/** `12: new-window ; split-window` for each sequence, those in blocks before the one that holds them. */
function sequenceLines(commands: readonly ParsedCommand[]): string[] {
  const lines: string[] = [];
  for (let from = 0; from < commands.length; ) {
    const first = commands[from];
    let to = from + 1;
    while (commands[to]?.group === first?.group && to < commands.length) to += 1;
    const sequence = commands.slice(from, to);
    for (const { args } of sequence) {
      for (const argument of args) if (typeof argument !== 'string') lines.push(...sequenceLines(argument));
    }
    lines.push(`${first?.line ?? 1}: ${printCommands(sequence, 'nested')}`);
    from = to;
  }
  return lines;
}

const listCommands: Entry = {
  name: 'list-commands',
  alias: 'lscm',
  args: { template: 'F:', min: 0, max: 1 },
  usage: '[-F format] [command]',
  help: 'List the commands and their usage',
  startsServer: true,
  exec(context, args) {
    const only = args.string(0);
    for (const { name, alias, usage } of context.services.entries) {
      if (only !== undefined && only !== name && only !== alias) continue;
      const extra = { command_list_name: name, command_list_alias: alias ?? '', command_list_usage: usage };
      const line = context.expand(args.value('F') ?? LIST_TEMPLATE, { extra });
      if (line !== '') context.print(line);
    }
    return OK;
  },
};

export const CONFIG_ENTRIES: readonly Entry[] = [listCommands, sourceFile];
