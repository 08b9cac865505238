/** Commands that ask at a client's status line: command-prompt, confirm-before, and the history of what was entered. */

import { PRESET_NAMES } from '../../layout/layout-presets.ts';
import type { ClientSession } from '../../model/client-session.ts';
import type { PromptQuestion, PromptState } from '../../model/reopening.ts';
import { OPTION_TABLE } from '../../options/option-table.ts';
import { type Args, anyArgument } from '../args.ts';
import { findEntry } from '../command.ts';
import { type CommandResult, failed, OK } from '../command-queue.ts';
import { PROMPT_TYPES, type PromptType, parsePromptType } from '../prompt-history.ts';
import { isTakenFor } from './caller.ts';
import type { CommandContext, Entry, ItemState } from './context.ts';
import { parseTemplate, type Template } from './parse-template.ts';
import { messageStyle, PromptOverlay, type PromptRequest, promptLabel } from './prompt-overlay.ts';

const NO_CLIENT = 'no current client';

const commandPrompt: Entry = {
  name: 'command-prompt',
  // -l is of tmux 3.4.
  args: { template: '1bFkiI:lNp:t:T:', min: 0, max: 1, blocks: anyArgument },
  usage: '[-1bFkiN] [-I inputs] [-p prompts] [-t target-client] [-T type] [template]',
  client: { flag: 't' },
  help: 'Ask for a command, or for what a template needs',
  exec(context, args) {
    const { client } = context;
    if (!client) return failed(NO_CLIENT);
    if (isTakenFor(context, client)) return OK;
    const typeText = args.value('T') ?? 'command';
    const type = parsePromptType(typeText);
    if (!type) return failed(`unknown type: ${typeText}`);
    return ask(context, client, { args, type });
  },
};

function ask(
  context: CommandContext,
  client: ClientSession,
  { args, type }: { args: Args; type: PromptType },
): CommandResult | Promise<CommandResult> {
  const reopened = promptReopened(context);
  const template = reopened?.template ?? templateOf(context, args, client);
  const isIncremental = args.has('i');
  const isBackground = args.has('b') || isIncremental;
  const request = {
    purpose: 'command-prompt',
    mode: modeOf(args),
    questions: reopened?.questions ?? questionsOf(context, client, args),
    reopening: (state: PromptState) =>
      context.reopening({ ...state, template: typeof template === 'string' ? template : null }),
    reopened,
    type,
    incremental: isIncremental,
    style: messageStyle(context, client),
    ...(type === 'command' ? { complete: (text: string) => completeCommand(context, text) } : {}),
    ...(isIncremental ? { changed: changeRunner(context, template) } : {}),
  } as const;
  const asked = new Promise<CommandResult>((resolve) => {
    const done: PromptRequest['done'] = (answers, unusedKey) => {
      const result = answers && !isIncremental ? runTemplate(context, { template, answers, isBackground, client }) : OK;
      resolve(result);
      // A key that ended a numeric prompt counts as typed after the command that the prompt runs.
      if (unusedKey !== undefined) context.services.typeKey(client, unusedKey);
    };
    context.services.overlays.open(client, new PromptOverlay(context.services, client, { ...request, done }));
  });
  if (isIncremental && !reopened) request.changed?.('', '=');
  return isBackground ? OK : asked;
}

/** The prompt that this command had open under an earlier server. */
function promptReopened({ reopened }: CommandContext): PromptState | undefined {
  return reopened?.kind === 'prompt' ? reopened : undefined;
}

function modeOf(args: Args): PromptRequest['mode'] {
  if (args.has('1')) return 'single-key';
  if (args.has('N')) return 'numeric';
  return args.has('k') ? 'key' : 'text';
}

/** The commands to run; with -F expanded now. */
function templateOf(context: CommandContext, args: Args, client: ClientSession): Template {
  const block = args.commands(0);
  if (block) return block;
  const text = args.string(0);
  if (text === undefined) return '%1';
  return args.has('F') ? context.expand(text, { client }) : text;
}

/** One question for each comma separated part of -p; without -p, one named after the template. */
function questionsOf(context: CommandContext, client: ClientSession, args: Args): PromptQuestion[] {
  // -l: commas are as they are.
  const split = (text: string) => (args.has('l') ? [text] : text.split(','));
  const inputs = split(args.value('I') ?? '');
  const prompts = args.value('p');
  const labels = prompts === undefined ? [defaultLabel(args)] : split(prompts).map((label) => `${label} `);
  return labels.map((label, i) => ({
    label: promptLabel(context, client, label),
    initial: context.expand(inputs[i] ?? '', { client }),
  }));
}

function defaultLabel(args: Args): string {
  const first = args.commands(0)?.[0]?.name ?? args.string(0)?.split(/[ ,]/)[0];
  return first === undefined ? ':' : `(${first}) `;
}

interface Answered {
  readonly template: Template;
  readonly answers: readonly string[];
  readonly isBackground: boolean;
  readonly client: ClientSession;
}

function runTemplate(context: CommandContext, { template, answers, isBackground, client }: Answered): CommandResult {
  const filled = parseTemplate(context, template, answers);
  if (!filled.ok) {
    context.services.showMessage(client, filled.error.charAt(0).toUpperCase() + filled.error.slice(1));
    return OK;
  }
  if (isBackground) context.services.queueOf(client).append(filled.commands, stateFor(context, client));
  else context.insert(filled.commands);
  return OK;
}

/** What runs after the prompt runs for the client that it was on. */
function stateFor(context: CommandContext, client: ClientSession): ItemState {
  return { ...context.state, client };
}

/** Runs the template on each change, on a queue of its own: that of the client waits. */
function changeRunner(context: CommandContext, template: Template): NonNullable<PromptRequest['changed']> {
  return (text, prefix) => {
    const filled = parseTemplate(context, template, [`${prefix}${text}`]);
    if (filled.ok) context.services.newQueue().append(filled.commands, context.state);
  };
}

/** Tab: the longest common start of what can stand there and begins as the last word does. */
function completeCommand(context: CommandContext, text: string): string | undefined {
  const at = text.search(/\S*$/);
  const word = text.slice(at);
  if (word === '') return undefined;
  const found = completions(context, text.slice(0, at), word);
  const [first] = found;
  if (first === undefined) return undefined;
  const only = found.length === 1 ? `${first} ` : found.reduce(commonStart);
  return only.length > word.length ? text.slice(0, at) + only : undefined;
}

/** What a word may become: commands (else their aliases) at the beginning, elsewhere what may stand there. */
function completions(context: CommandContext, before: string, word: string): readonly string[] {
  const fits = (name: string | undefined) => name?.startsWith(word) ?? false;
  if (!/(?:^|;)\s*$/.test(before)) return argumentsAfter(context, before).filter(fits);
  const { entries } = context.services;
  const names = entries.map(({ name }) => name).filter(fits);
  return names.length > 0 ? names : entries.flatMap(({ alias }) => alias ?? []).filter(fits);
}

/** Targets after -t and -s, layouts for select-layout, else options. */
function argumentsAfter(context: CommandContext, before: string): readonly string[] {
  if (/\s-[ts]\s+$/.test(before)) {
    return context.registry
      .sessionsByName()
      .flatMap(({ name, winlinks }) => [`${name}:`, ...winlinks.map(({ index }) => `${name}:${index}`)]);
  }
  const command = /(?:^|;)\s*(\S+)[^;]*$/.exec(before)?.[1] ?? '';
  if (command === 'selectl' || (command.length > 7 && 'select-layout'.startsWith(command))) return PRESET_NAMES;
  return OPTION_TABLE.map(({ name }) => name);
}

function commonStart(a: string, b: string): string {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return a.slice(0, length);
}

const confirmBefore: Entry = {
  name: 'confirm-before',
  alias: 'confirm',
  // -c and -y are of tmux 3.4.
  args: { template: 'bc:p:t:y', min: 1, max: 1, blocks: anyArgument },
  usage: '[-b] [-p prompt] [-t target-client] command',
  client: { flag: 't' },
  help: 'Run a command if it is confirmed with y',
  exec(context, args) {
    const { client, services } = context;
    const block = args.commands(0);
    const parsed = block ? context.check(block) : context.parse(args.string(0) ?? '');
    if (!parsed.ok) return failed(parsed.error);
    const confirmKey = args.value('c') ?? 'y';
    if (!/^[ -~]$/.test(confirmKey)) return failed('invalid confirm key');
    if (!client) return failed(NO_CLIENT);
    if (isTakenFor(context, client)) return OK;
    const given = args.value('p');
    const name = commandName(context, parsed.commands[0]?.name);
    const label = given === undefined ? `Confirm '${name}'? (${confirmKey}/n) ` : `${given} `;
    const reopened = promptReopened(context);
    const question = () => ({ label: given === undefined ? label : promptLabel(context, client, label), initial: '' });
    const asked = new Promise<CommandResult>((resolve) => {
      const overlay = new PromptOverlay(services, client, {
        purpose: 'confirm-before',
        mode: 'confirm',
        confirmKey,
        enterConfirms: args.has('y'),
        questions: reopened?.questions ?? [question()],
        reopening: (state) => context.reopening(state),
        reopened,
        type: 'command',
        style: messageStyle(context, client),
        done: (answers) => {
          if (!answers) context.caller.setExitCode(1);
          else if (args.has('b')) services.queueOf(client).append(parsed.commands, stateFor(context, client));
          else context.insert(parsed.commands);
          resolve(OK);
        },
      });
      services.overlays.open(client, overlay);
    });
    return args.has('b') ? OK : asked;
  },
};

function commandName(context: CommandContext, name = ''): string {
  const found = findEntry(context.services.entries, name);
  return found.ok ? found.entry.name : name;
}

function typesOf(args: Args): { ok: true; types: readonly PromptType[] } | { ok: false; error: string } {
  const text = args.value('T');
  if (text === undefined) return { ok: true, types: PROMPT_TYPES };
  const type = parsePromptType(text);
  return type ? { ok: true, types: [type] } : { ok: false, error: `invalid type: ${text}` };
}

const showPromptHistory: Entry = {
  name: 'show-prompt-history',
  alias: 'showphist',
  args: { template: 'T:', min: 0, max: 0 },
  usage: '[-T type]',
  help: 'Show what was entered at prompts',
  exec(context, args) {
    const wanted = typesOf(args);
    if (!wanted.ok) return failed(wanted.error);
    for (const type of wanted.types) {
      context.print(`History for ${type}:\n`);
      for (const [i, line] of context.services.promptHistory.lines(type).entries()) context.print(`${i + 1}: ${line}`);
      context.print('');
    }
    return OK;
  },
};

const clearPromptHistory: Entry = {
  name: 'clear-prompt-history',
  alias: 'clearphist',
  args: { template: 'T:', min: 0, max: 0 },
  usage: '[-T type]',
  help: 'Forget what was entered at prompts',
  exec(context, args) {
    const wanted = typesOf(args);
    if (!wanted.ok) return failed(wanted.error);
    for (const type of wanted.types) context.services.promptHistory.clear(type);
    return OK;
  },
};

export const PROMPT_ENTRIES: readonly Entry[] = [clearPromptHistory, commandPrompt, confirmBefore, showPromptHistory];
