/** Runs queued commands: finds the row, resolves what it declares, executes, and lets the after- hook follow. */
import { type ExpandOptions, expandFormat } from '../../format/format-expand.ts';
import { type FormatContext, formatSource } from '../../format/format-variables.ts';
import type { Log } from '../../log.ts';
import type { ClientSession } from '../../model/client-session.ts';
import type { ReopenedState, Reopening } from '../../model/reopening.ts';
import type { Session } from '../../model/session.ts';
import { type Args, parseArgs } from '../args.ts';
import { findEntry } from '../command.ts';
import { printCommands } from '../command-print.ts';
import { type CommandQueue, type CommandResult, failed, type QueueItem, type QueueRunner } from '../command-queue.ts';
import type { Argument, ParsedCommand, ParseOptions } from '../parser.ts';
import {
  bestSession,
  type CurrentState,
  findClient,
  resolveTarget,
  type Target,
  type TargetResult,
  targetOfPane,
  targetOfSession,
} from '../target.ts';
import { logCallError, logCommand } from './command-log.ts';
import type { Caller, CommandContext, Entry, ItemState, Services } from './context.ts';
import type { CommandLanguage, LanguageResult } from './language.ts';

export interface RunnerContext {
  readonly services: Services;
  readonly language: CommandLanguage;
  readonly log: Log;
  /** Runs the hooks of an event that a command caused, right after it. */
  readonly afterCommand: (entry: Entry, context: CommandContext, args: Args) => void;
  readonly commandError: (context: { state: ItemState }, message: string) => void;
  readonly parseOptions: (state: ItemState) => ParseOptions;
  /** Adds the server's `#()` runner and clock to a format context. */
  readonly formatContext: (about: Partial<FormatContext>) => FormatContext;
}

export class CommandRunner implements QueueRunner<ItemState> {
  readonly #context: RunnerContext;

  constructor(context: RunnerContext) {
    this.#context = context;
  }

  run(item: QueueItem<ItemState>, queue: CommandQueue<ItemState>): CommandResult | Promise<CommandResult> {
    const { services } = this.#context;
    item.state.caller.block?.begin(item.state.isHook);
    const found = findEntry(services.entries, item.command.name);
    if (!found.ok) return failed(found.error);
    const { entry } = found;
    const parsed = parseArgs(item.command.args, entry.args);
    if (!parsed.ok) return failed(`command ${entry.name}: ${parsed.error}`);
    logCommand(services.registry, item.command, item.state);
    const context = new Context(this.#context, item, queue, entry, parsed.args);
    const problem = context.resolveDeclared();
    if (problem !== undefined) return failed(problem);
    const result = entry.exec(context, parsed.args);
    const withHook = (done: CommandResult): CommandResult => {
      const isFollowed = done.kind === 'ok' && done.hooks !== false && !item.state.isHook;
      if (isFollowed) this.#context.afterCommand(entry, context, parsed.args);
      return done;
    };
    return result instanceof Promise ? result.then(withHook) : withHook(result);
  }

  failed(item: QueueItem<ItemState>, message: string): void {
    const { file, line } = item.command;
    const { caller } = item.state;
    logCallError(this.#context.services.registry, message, item.state);
    // As in tmux, a file and line are told only where nobody asked for the file (the config at start).
    caller.error(file === undefined || isToldPlainly(caller) ? message : `${file}:${line}: ${message}`);
    if (!item.state.isHook) this.#context.commandError({ state: item.state }, message);
  }

  finished(item: QueueItem<ItemState>, isError: boolean): void {
    item.state.caller.block?.end(isError);
  }

  crashed(item: QueueItem<ItemState>, error: unknown): string {
    this.#context.log.error(`command ${item.command.name} failed`, error);
    return `${item.command.name}: internal error`;
  }
}

/** Whether failures of commands in a file are told without the file. */
function isToldPlainly({ kind }: Caller): boolean {
  return kind === 'call' || kind === 'client';
}

/** What an absent target means for a command: tmux(1) COMMANDS, "the current session". */
function currentStateOf(services: Services, state: ItemState): CurrentState {
  return { ...placeOf(services, state), clientSession: state.client?.session };
}

function placeOf(services: Services, state: ItemState): CurrentState {
  const mousePane = state.mouse?.pane ?? state.current?.mousePane;
  const mouseWinlink = state.mouse?.winlink;
  if (state.current) return { ...state.current, mousePane, mouseWinlink };
  if (state.client?.session && !state.client.session.isEmpty) {
    const { session } = state.client;
    return { session, winlink: session.current, pane: session.current.window.active, mousePane, mouseWinlink };
  }
  const fromPane = paneOfCaller(services, state);
  if (fromPane) {
    return { session: fromPane.session, winlink: fromPane.winlink, pane: fromPane.pane, mousePane, mouseWinlink };
  }
  const session = bestSession(services.registry.sessions.values());
  if (!session || session.isEmpty)
    return { session: undefined, winlink: undefined, pane: undefined, mousePane, mouseWinlink };
  const { current } = session;
  return { session, winlink: current, pane: current.window.active, mousePane, mouseWinlink, isGuess: true };
}

/** The pane that a command line call was made from, by its MPLEX_PANE or TMUX_PANE. */
function paneOfCaller(services: Services, state: ItemState): Target | undefined {
  const { callerEnviron } = state.caller;
  const named = (name: string) => callerEnviron.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
  // Where both speak of this server, TMUX_PANE is what scripts written for tmux set.
  const isSame = named('TMUX') === named('MPLEX');
  const id = (isSame ? named('TMUX_PANE') : undefined) ?? named('MPLEX_PANE') ?? named('TMUX_PANE');
  const match = /^%(\d+)$/.exec(id ?? '');
  const pane = match ? services.registry.panes.get(Number(match[1])) : undefined;
  return pane && targetOfPane(services.registry, pane);
}

class Context implements CommandContext {
  readonly #runner: RunnerContext;
  readonly #item: QueueItem<ItemState>;
  readonly #entry: Entry;
  readonly #args: Args;
  readonly queue: CommandQueue<ItemState>;
  readonly current: CurrentState;
  readonly state: ItemState;
  readonly reopened: ReopenedState | undefined;
  outcome: Target | undefined;
  #target: Target | undefined;
  #source: Target | undefined;
  #client: ClientSession | undefined;

  constructor(
    runner: RunnerContext,
    item: QueueItem<ItemState>,
    queue: CommandQueue<ItemState>,
    entry: Entry,
    args: Args,
  ) {
    this.#runner = runner;
    this.#item = item;
    this.queue = queue;
    this.#entry = entry;
    this.#args = args;
    this.current = currentStateOf(runner.services, item.state);
    const { reopened, ...state } = item.state;
    this.reopened = reopened;
    this.state = reopened ? state : item.state;
  }

  get services(): Services {
    return this.#runner.services;
  }

  get registry() {
    return this.services.registry;
  }

  get caller() {
    return this.#item.state.caller;
  }

  get mouse() {
    return this.#item.state.mouse;
  }

  get client(): ClientSession | undefined {
    return this.#client;
  }

  get target(): Target {
    if (!this.#target) throw new Error(`command ${this.#entry.name} has no target`);
    return this.#target;
  }

  get targetIfAny(): Target | undefined {
    return this.#target;
  }

  get source(): Target {
    if (!this.#source) throw new Error(`command ${this.#entry.name} has no source`);
    return this.#source;
  }

  get sourceIfAny(): Target | undefined {
    return this.#source;
  }

  /** Resolves -t, -s and -c as the row declares them; a message if one does not exist. */
  resolveDeclared(): string | undefined {
    const { target, source, client } = this.#entry;
    if (client) {
      const name = this.#args.value(client.flag);
      this.#client = name === undefined ? this.#defaultClient() : findClient(this.registry, this.expandName(name));
      if (!this.#client && !client.canFail) {
        return name === undefined ? 'no current client' : `can't find client: ${name}`;
      }
    } else this.#client = this.#defaultClient();
    if (source) {
      const result = this.#resolve(source);
      if (result.ok) this.#source = result.target;
      else if (!source.canFail) return result.error;
    }
    if (target) {
      const result = this.#resolve(target);
      if (result.ok) this.#target = result.target;
      else if (!target.canFail || this.#args.value(target.flag) !== undefined) return result.error;
    }
    return undefined;
  }

  expandName(name: string): string {
    return name.endsWith(':') ? name.slice(0, -1) : name;
  }

  #resolve(wish: NonNullable<Entry['target']>): TargetResult {
    return resolveTarget(this.registry, this.#args.value(wish.flag), { ...wish, current: this.current });
  }

  #defaultClient(): ClientSession | undefined {
    if (this.state.client) return this.state.client;
    const clients = this.registry.attachedClients();
    const { session } = this.current;
    return clients.find((client) => client.session === session) ?? clients[0];
  }

  print(line: string): void {
    this.caller.print(`${line}\n`);
  }

  reopening(state: ReopenedState, args?: readonly Argument[]): Reopening | undefined {
    const target = this.#target ?? this.#currentTarget();
    if (!target) return undefined;
    const { command } = this.#item;
    return {
      kind: 'command',
      command: printCommands([args ? { ...command, args } : command], 'nested'),
      session: target.session.id,
      window: target.winlink.index,
      pane: target.pane.id,
      state,
    };
  }

  insert(commands: readonly ParsedCommand[], change: Partial<ItemState> = {}): void {
    this.queue.insert(commands, { ...this.state, ...change });
  }

  parse(text: string): LanguageResult {
    const parsed = this.#runner.language.parse(text, { ...this.#runner.parseOptions(this.state), oneGroup: true });
    const { file, line } = this.#item.command;
    // What a file says at its top is told with file and line by `failed`.
    if (parsed.ok || file === undefined || !isToldPlainly(this.caller)) return parsed;
    return { ...parsed, error: `${file}:${line}: ${parsed.error}` };
  }

  parseFile(text: string, file: string, { assigns }: { readonly assigns: boolean }): LanguageResult {
    const { assign, ...options } = this.#runner.parseOptions(this.state);
    return this.#runner.language.parse(text, { ...options, ...(assign && assigns ? { assign } : {}), file });
  }

  check(commands: readonly ParsedCommand[]): LanguageResult {
    return this.#runner.language.check(commands, this.#runner.parseOptions(this.state));
  }

  parseArguments(words: readonly Argument[]): LanguageResult {
    return this.#runner.language.parseArgv(words, this.#runner.parseOptions(this.state));
  }

  expand(format: string, about: FormatAbout = {}, options: Pick<ExpandOptions, 'time' | 'trace'> = {}): string {
    const target = this.#target ?? this.#currentTarget();
    const context = this.#runner.formatContext({
      client: this.#formatClient(),
      session: target?.session,
      winlink: target?.winlink,
      window: target?.window,
      pane: target?.pane,
      mouse: this.mouse,
      extra: { command: this.#entry.name, ...this.state.variables, ...about.extra },
      ...about,
      ...(this.caller.onlyLooks ? { job: () => '' } : {}),
    });
    return expandFormat(format, formatSource(context), options);
  }

  #currentTarget(): Target | undefined {
    const { session, winlink, pane } = this.current;
    if (session && winlink && pane) return { session, winlink, window: winlink.window, pane, index: undefined };
    return session && sessionTarget(session);
  }

  #formatClient(): ClientSession | undefined {
    return this.#client ?? this.state.client;
  }
}

export type FormatAbout = Partial<FormatContext>;

function sessionTarget(session: Session): Target | undefined {
  return session.isEmpty ? undefined : targetOfSession(session);
}
