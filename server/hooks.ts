/** Runs the hooks of tmux(1) HOOKS: commands kept in array options, on events of the model and after commands. */
import type { Args } from './command/args.ts';
import { printArgument } from './command/command-print.ts';
import { callerOf } from './command/entries/caller.ts';
import type { CommandContext, Entry, ItemState, Services } from './command/entries/context.ts';
import type { CommandLanguage } from './command/entries/language.ts';
import type { ParseOptions } from './command/parser.ts';
import { type Target, targetOfPane, targetOfSession } from './command/target.ts';
import type { Log } from './log.ts';
import type { ModelEvent, Registry } from './model/registry.ts';
import type { OptionSet } from './options/option-set.ts';
import { optionEntry } from './options/option-table.ts';

export interface HooksContext {
  readonly services: Services;
  readonly language: CommandLanguage;
  readonly log: Log;
  readonly parseOptions: (state: ItemState) => ParseOptions;
  readonly nextTurn: (run: () => void) => void;
}

/** Hook commands that wait to run; more means hooks that cause each other. */
const PENDING_MAX = 1000;

export class Hooks {
  readonly #context: HooksContext;
  #running = 0;
  #pending: (() => void)[] = [];

  constructor(context: HooksContext) {
    this.#context = context;
    context.services.registry.events.subscribe((event) => this.fire(event));
  }

  /** Has the hooks of an event run once the commands that caused it are done; events that hooks cause run none. */
  fire(event: ModelEvent): void {
    if (this.#running > 0 || !optionEntry(event.name)) return;
    const commands = this.#commandsOf(event);
    if (commands.length === 0) return;
    const variables = eventVariables(event);
    if (this.#pending.length === 0) this.#context.nextTurn(() => this.#runPending());
    for (const text of commands.slice(0, PENDING_MAX - this.#pending.length)) {
      // The place is one that is there by then: a pane that has exited is not.
      this.#pending.push(() => this.#run(text, event.name, { ...this.#stateOf(event), variables }));
    }
  }

  /** Runs something whose events run no hook. */
  silently(run: () => void): void {
    this.#running += 1;
    try {
      run();
    } finally {
      this.#running -= 1;
    }
  }

  /** Has the hooks of a command (`after-NAME`) run right after it, in its queue and for its caller. */
  afterCommand(entry: Entry, context: CommandContext, args: Args): void {
    const name = entry.hook ?? `after-${entry.name}`;
    if (!optionEntry(name)) return;
    const { registry } = this.#context.services;
    const place = livingPlace(registry, context.outcome ?? context.targetIfAny) ?? context.current;
    const options = place.session?.options ?? registry.sessionOptions;
    const commands = options.strings(name);
    if (commands.length === 0) return;
    const variables = { hook: name, ...argumentVariables(args) };
    const { session, winlink, pane } = place;
    const current = { session, winlink, pane, mousePane: undefined };
    for (const text of commands) {
      const parsed = context.parse(text);
      if (parsed.ok) context.insert(parsed.commands, { isHook: true, current, variables });
      else registry.logMessage(`${name}: ${parsed.error}`);
    }
  }

  #runPending(): void {
    for (const run of this.#pending.splice(0)) run();
  }

  #commandsOf(event: ModelEvent): readonly string[] {
    const scopes: (OptionSet | undefined)[] = [
      event.pane?.options,
      event.window?.options ?? event.pane?.window.options,
      event.session?.options ?? this.#sessionOf(event)?.options,
      this.#context.services.registry.windowOptions,
      this.#context.services.registry.sessionOptions,
    ];
    for (const scope of scopes) {
      const commands = scope?.strings(event.name) ?? [];
      if (commands.length > 0) return commands;
    }
    return [];
  }

  #sessionOf(event: ModelEvent) {
    if (event.session) return event.session;
    if (event.client?.session) return event.client.session;
    const window = event.window ?? event.pane?.window;
    return window && [...window.winlinks][0]?.session;
  }

  #run(text: string, name: string, state: ItemState): void {
    const { services, language, log } = this.#context;
    const parsed = language.parse(text, this.#context.parseOptions(state));
    if (!parsed.ok) {
      log.info(`hook ${name}: ${parsed.error}`);
      services.registry.logMessage(`${name}: ${parsed.error}`);
      return;
    }
    const queue = services.newQueue();
    this.#running += 1;
    try {
      queue.append(parsed.commands, state);
    } finally {
      this.#running -= 1;
    }
  }

  #stateOf(event: ModelEvent): ItemState {
    const { registry } = this.#context.services;
    const session = this.#sessionOf(event);
    const window =
      event.window ?? event.pane?.window ?? (session && !session.isEmpty ? session.current.window : undefined);
    const pane = event.pane ?? (window && window.panes.length > 0 ? window.active : undefined);
    const place =
      (pane && registry.panes.has(pane.id) ? targetOfPane(registry, pane, session) : undefined) ??
      (session && !session.isEmpty && registry.sessions.has(session.id) ? targetOfSession(session) : undefined);
    return {
      caller: callerOf('hook', { error: (message) => registry.logMessage(`${event.name}: ${message}`) }),
      client: event.client,
      current: place && { session: place.session, winlink: place.winlink, pane: place.pane, mousePane: undefined },
      mouse: undefined,
      isHook: true,
      variables: undefined,
    };
  }
}

/** What a hook sees of its command: `hook_arguments`, `hook_argument_0`, `hook_flag_t`, `hook_flag_e_1`. */
function argumentVariables(args: Args): Record<string, string> {
  const variables: Record<string, string> = { hook_arguments: args.toArguments().map(printArgument).join(' ') };
  for (const [index, word] of args.positional.entries()) {
    variables[`hook_argument_${index}`] = typeof word === 'string' ? word : printArgument(word);
  }
  for (const [flag, values] of args.flags) {
    variables[`hook_flag_${flag}`] = values.at(-1) ?? '1';
    for (const [index, value] of values.entries()) {
      if (value !== undefined) variables[`hook_flag_${flag}_${index}`] = value;
    }
  }
  return variables;
}

/** A place unless the command closed it. */
function livingPlace(registry: Registry, place: Target | undefined): Target | undefined {
  return place && registry.panes.has(place.pane.id) && registry.sessions.has(place.session.id) ? place : undefined;
}

/** What a hook sees of its event, as much as tmux tells of such an event. */
function eventVariables({ name, session, window, pane, client }: ModelEvent): Record<string, string> {
  const about = (...prefixes: string[]) => prefixes.some((prefix) => name.startsWith(prefix));
  const variables: Record<string, string> = { hook: name };
  if (client && about('client-')) variables.hook_client = client.name;
  if (session && about('session-', 'window-linked', 'window-unlinked', 'alert-')) {
    variables.hook_session = `$${session.id}`;
    variables.hook_session_name = session.name;
  }
  if (window && about('window-', 'alert-')) {
    variables.hook_window = `@${window.id}`;
    variables.hook_window_name = window.name;
  }
  if (pane && about('pane-')) variables.hook_pane = `%${pane.id}`;
  return variables;
}
