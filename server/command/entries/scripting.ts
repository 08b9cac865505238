/** Commands that scripts live on: send-keys, send-prefix, run-shell, if-shell, wait-for. */
import { constants } from 'node:os';
import { type Key, parseKey } from '../../../protocol/key.ts';
import { isTrue } from '../../format/format-expand.ts';
import type { JobResult } from '../../jobs/job.ts';
import { openViewMode } from '../../mode/view-mode.ts';
import { inputTargets } from '../../model/input-targets.ts';
import type { Pane } from '../../model/pane.ts';
import type { ModeCommandOptions } from '../../model/pane-mode.ts';
import { type Args, anyArgument, argumentsFrom } from '../args.ts';
import { type CommandResult, failed, OK, STOP } from '../command-queue.ts';
import type { Target } from '../target.ts';
import { backgroundState } from './background-state.ts';
import type { CommandContext, Entry } from './context.ts';
import type { LanguageResult } from './language.ts';
import { modeMouse } from './mode-mouse.ts';
import { ownPlace, ownTarget } from './own-target.ts';

/** send-keys -N at most (UINT_MAX in tmux; a loop of that length would never end). */
const REPEAT_MAX = 4_294_967_295;
/** Characters that one send-keys types at most, all repeats together. */
const TYPED_MAX = 1 << 24;

const sendKeys: Entry = {
  name: 'send-keys',
  alias: 'send',
  args: { template: 'c:FHKlMN:Rt:X', min: 0, max: -1 },
  usage: '[-FHlMRX] [-N repeat-count] [-t target-pane] key ...',
  target: { flag: 't', kind: 'pane' },
  client: { flag: 'c', canFail: true },
  help: 'Type keys or text into a pane, or give its mode a command (-X)',
  exec(context, args) {
    const { pane } = context.target;
    const repeat = args.has('N') ? repeatCount(context, args) : { ok: true as const, value: 1 };
    if (!repeat.ok) return failed(repeat.error);
    const words = args.strings(0);
    if (args.has('X') || (args.has('N') && words.length === 0 && pane.mode)) {
      return modeCommand(context, args, repeat.value);
    }
    if (args.has('K')) return pressKeys(context, args, { words, repeat: repeat.value });
    if (args.has('M')) {
      const { mouse } = context;
      if (!mouse?.pane) return failed('no mouse target');
      context.services.sendMouse(mouse.pane, mouse, context.client);
      return OK;
    }
    if (args.has('R')) {
      pane.emulator.reset();
      context.registry.markPane(pane);
    }
    const typist = new Typist(context, pane);
    if (words.length === 0 && !args.has('N') && !args.has('R')) {
      if (context.state.key !== undefined) typist.key(context.state.key);
    } else typeWords(typist, args, { words, repeat: repeat.value });
    typist.flush();
    return OK;
  },
};

/** -K (tmux 3.4): keys as if they were pressed on the client, so that bindings run and prompts take them. */
function pressKeys(context: CommandContext, args: Args, { words, repeat }: Typing): CommandResult {
  const { client, services } = context;
  if (!client) return failed('no current client');
  const keys = words.flatMap((word) => {
    const key = args.has('l') || !isTypable(word) ? undefined : parseKey(word);
    return key === undefined ? [...word].flatMap((character) => parseKey(character) ?? []) : [key];
  });
  for (let i = 0; i < Math.min(repeat, Math.ceil(TYPED_MAX / Math.max(1, keys.length))); i++) {
    for (const key of keys) services.typeKey(client, key);
    if (keys.length === 0) break;
  }
  return OK;
}

function repeatCount(context: CommandContext, args: Args) {
  const text = context.expand(args.value('N') ?? '');
  const read = /^[+-]?\d+$/.test(text.trim()) ? Number(text) : undefined;
  if (read === undefined) return { ok: false as const, error: 'repeat count invalid' };
  if (read < 1) return { ok: false as const, error: 'repeat count too small' };
  if (read > REPEAT_MAX) return { ok: false as const, error: 'repeat count too large' };
  return { ok: true as const, value: read };
}

/** A command for the mode that the pane is in. */
function modeCommand(context: CommandContext, args: Args, count: number): CommandResult {
  const { mode } = context.target.pane;
  if (!mode) return failed('not in a mode');
  const words = args.strings(0).map((word) => (args.has('F') ? context.expand(word) : word));
  const { mouse } = context;
  const isWheel = mouse?.event.button.startsWith('wheel') ?? false;
  const options: ModeCommandOptions = {
    count,
    client: context.state.client,
    mouse: mouse?.pane === context.target.pane && !isWheel ? modeMouse(mouse) : undefined,
  };
  if (words.length === 0 && !args.has('N')) return OK;
  const problem = mode.command(words, options);
  return problem === undefined ? OK : failed(problem);
}

interface Typing {
  readonly words: readonly string[];
  readonly repeat: number;
}

function typeWords(typist: Typist, args: Args, { words, repeat }: Typing): void {
  for (let i = 0; i < repeat && typist.typed < TYPED_MAX; i++) {
    for (const word of words) {
      if (args.has('H')) typeByte(typist, word);
      else if (args.has('l')) typist.text(word);
      else typeWord(typist, word);
    }
    if (words.length === 0) return;
  }
}

/** `41` as a byte; what is no byte is passed over. */
function typeByte(typist: Typist, word: string): void {
  if (!/^[0-9a-f]+$/i.test(word)) return;
  const value = Number.parseInt(word, 16);
  if (value <= 0xff) typist.byte(value);
}

/** A key's name, `0x20ac` for a character, or else text. */
function typeWord(typist: Typist, word: string): void {
  const hex = /^0x([0-9a-f]{1,6})$/i.exec(word);
  const codePoint = hex ? Number.parseInt(hex[1] ?? '', 16) : undefined;
  if (codePoint !== undefined && codePoint <= 0x10ffff && (codePoint & 0xfff800) !== 0xd800) {
    typist.text(String.fromCodePoint(codePoint));
    return;
  }
  const key = isTypable(word) ? parseKey(word) : undefined;
  if (key === undefined || (key === word.trim() && [...word].length === 1)) typist.text(word);
  else typist.key(key);
}

/** Names of what no key of a keyboard sends are text here. */
function isTypable(word: string): boolean {
  return !/(?:Mouse|Wheel|Click|Drag)|^(?:[CMS]-)*(?:Any|Focus(?:In|Out)|Paste(?:Start|End)|NUL)$|^esc$/i.test(word);
}

/**
 * Types into a pane as a person would: a mode's bindings run, else the program gets it. Text is gathered so that a long
 * one is written at once.
 */
class Typist {
  readonly #context: CommandContext;
  readonly #pane: Pane;
  #pending: (string | Uint8Array)[] = [];
  /** Characters and keys so far. */
  typed = 0;

  constructor(context: CommandContext, pane: Pane) {
    this.#context = context;
    this.#pane = pane;
  }

  text(text: string): void {
    this.typed += text.length;
    if (this.#pane.mode) for (const character of text) this.#modeKey(character === ' ' ? 'Space' : character);
    else this.#pending.push(text);
  }

  byte(value: number): void {
    this.typed += 1;
    if (this.#pane.mode) this.#modeKey(String.fromCharCode(value));
    else this.#pending.push(Uint8Array.of(value));
  }

  key(key: Key): void {
    this.typed += 1;
    if (this.#pane.mode) {
      this.#modeKey(key);
      return;
    }
    this.flush();
    this.#context.services.sendKey(this.#pane, key);
  }

  /** Writes the text that was gathered. */
  flush(): void {
    if (this.#pending.length === 0) return;
    const bytes = Buffer.concat(this.#pending.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
    this.#pending = [];
    for (const target of inputTargets(this.#pane)) target.write(bytes);
  }

  #modeKey(key: Key): void {
    const { mode } = this.#pane;
    const { services, target } = this.#context;
    const binding = mode?.keyTable === undefined ? undefined : services.keys.get(mode.keyTable, key);
    if (binding) this.#context.insert(binding.commands, { current: currentOf(target), key });
    else if (mode && mode.keyTable === undefined) {
      // Such modes hear a client's keys only.
      if (this.#context.client) services.sendKey(this.#pane, key, this.#context.client);
    }
  }
}

/** A target as what later commands take for the current place. */
function currentOf({ session, winlink, pane }: Target) {
  return { session, winlink, pane, mousePane: undefined };
}

const sendPrefix: Entry = {
  name: 'send-prefix',
  args: { template: '2t:', min: 0, max: 0 },
  usage: '[-2] [-t target-pane]',
  target: { flag: 't', kind: 'pane' },
  help: 'Send the prefix key to a pane',
  exec(context, args) {
    const { session, pane } = context.target;
    const key = parseKey(session.options.string(args.has('2') ? 'prefix2' : 'prefix'));
    const typist = new Typist(context, pane);
    if (key !== undefined) typist.key(key);
    return OK;
  },
};

const runShell: Entry = {
  name: 'run-shell',
  alias: 'run',
  args: { template: 'bc:d:Ct:', min: 0, max: 1, blocks: anyArgument },
  usage: '[-bC] [-d delay] [-t target-pane] [shell-command]',
  help: 'Run a shell command, or a command of ours (-C); its output is shown in view mode',
  exec(context, args) {
    const delayText = args.value('d');
    const delayMs = delayText === undefined ? 0 : secondsToMs(delayText);
    if (delayMs === undefined) return failed(`invalid delay time: ${delayText}`);
    const target = ownTarget(context, args, 'pane');
    const run = args.has('C') ? () => runCommands(context, args) : () => runProgram(context, args, target);
    if (delayText === undefined) {
      const result = run();
      return args.has('b') ? OK : result;
    }
    const later = new Promise<CommandResult>((resolve) => {
      context.services.after(delayMs, () => resolve(run()));
    });
    return args.has('b') ? OK : later;
  },
};

function secondsToMs(text: string): number | undefined {
  const seconds = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
}

/** run-shell -C: the commands run right after this one, or later on a queue of their own. */
function runCommands(context: CommandContext, args: Args): CommandResult {
  const block = args.commands(0);
  const text = args.string(0);
  if (!block && text === undefined) return OK;
  const parsed = block
    ? context.check(block)
    : context.parse(context.expand(text ?? '', ownPlace(context, args, 'pane')));
  if (args.has('b')) runInBackground(context, parsed);
  else if (parsed.ok) context.insert(parsed.commands);
  else return failed(parsed.error);
  return OK;
}

/** Runs commands on a queue of their own; what is wrong with them is told to whom they run for. */
function runInBackground(context: CommandContext, parsed: LanguageResult): void {
  const state = backgroundState(context);
  if (parsed.ok) context.services.newQueue().append(parsed.commands, state);
  else state.caller.error(parsed.error);
}

async function runProgram(context: CommandContext, args: Args, target: Target | undefined): Promise<CommandResult> {
  const text = args.string(0);
  if (text === undefined || text === '') return OK;
  const command = context.expand(text, target);
  // -c is of tmux 3.4.
  const cwd = args.value('c') ?? context.caller.cwd ?? target?.session.cwd;
  const job = context.services.startJob({
    command,
    session: target?.session,
    withoutInput: true,
    ...(cwd === undefined ? {} : { cwd }),
  });
  const result = await job.done;
  const output = result.output + outcome(command, result);
  // A pane that was named and is not there leaves nowhere to show it.
  if (output !== '' && (target || !args.has('t'))) showOutput(context, output, target?.pane);
  if (!args.has('b')) context.caller.setExitCode(exitCode(result));
  return OK;
}

function showOutput(context: CommandContext, text: string, pane: Pane | undefined): void {
  if (pane && context.registry.panes.has(pane.id)) openViewMode({ services: context.services, pane, text });
  else context.caller.print(text.endsWith('\n') ? text : `${text}\n`);
}

/** What is told of a command that failed. */
function outcome(command: string, { code, signal, output }: JobResult): string {
  const gap = output === '' || output.endsWith('\n') ? '' : '\n';
  if (signal !== undefined) return `${gap}'${command}' terminated by signal ${signalNumber(signal)}\n`;
  return code === 0 || code === undefined ? '' : `${gap}'${command}' returned ${code}\n`;
}

function exitCode({ code, signal }: JobResult): number {
  return signal === undefined ? (code ?? 0) : 128 + signalNumber(signal);
}

function signalNumber(name: string): number {
  return Object.entries(constants.signals).find(([known]) => known === name)?.[1] ?? 0;
}

const ifShell: Entry = {
  name: 'if-shell',
  alias: 'if',
  args: { template: 'bFt:', min: 2, max: 3, blocks: argumentsFrom(1) },
  usage: '[-bF] [-t target-pane] shell-command command [command]',
  help: 'Run one command or another, by a shell command or a format (-F)',
  exec(context, args) {
    const target = ownTarget(context, args, 'pane');
    const condition = context.expand(args.string(0) ?? '', ownPlace(context, args, 'pane'));
    if (args.has('F')) return chooseBranch(context, args, isTrue(condition));
    const cwd = context.caller.cwd ?? target?.session.cwd;
    const job = context.services.startJob({
      command: condition,
      session: target?.session,
      withoutInput: true,
      ...(cwd === undefined ? {} : { cwd }),
    });
    if (!args.has('b')) return job.done.then(({ code }) => chooseBranch(context, args, code === 0));
    void job.done.then(({ code }) => {
      const branch = branchOf(context, args, code === 0);
      if (branch) runInBackground(context, branch);
    });
    return OK;
  },
};

function branchOf(context: CommandContext, args: Args, isTaken: boolean) {
  const index = isTaken ? 1 : 2;
  const block = args.commands(index);
  if (block) return context.check(block);
  const text = args.string(index);
  return text === undefined ? undefined : context.parse(text);
}

function chooseBranch(context: CommandContext, args: Args, isTaken: boolean): CommandResult {
  const branch = branchOf(context, args, isTaken);
  if (!branch) return OK;
  if (!branch.ok) return failed(branch.error);
  context.insert(branch.commands);
  return OK;
}

const waitFor: Entry = {
  name: 'wait-for',
  alias: 'wait',
  args: { template: 'LSU', min: 1, max: 1 },
  usage: '[-L|-S|-U] channel',
  help: 'Wait for a channel, wake those that wait (-S), lock (-L) or unlock (-U) it',
  exec(context, args) {
    const { channels } = context.services;
    const name = args.string(0) ?? '';
    if (args.has('S')) {
      channels.signal(name);
      return OK;
    }
    if (args.has('U')) return channels.unlock(name) ? OK : failed(`channel ${name} not locked`);
    const waiting = args.has('L') ? channels.lock(name) : channels.wait(name);
    if (!waiting) return OK;
    const stopWatching = context.caller.whenGone?.(() => waiting.cancel());
    return waiting.done.then((outcome) => {
      stopWatching?.();
      return outcome === 'woken' ? OK : STOP;
    });
  },
};

export const SCRIPTING_ENTRIES: readonly Entry[] = [ifShell, runShell, sendKeys, sendPrefix, waitFor];
