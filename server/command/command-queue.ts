/**
 * The order in which commands run. A queue belongs to one client, one command line call or the config; an item that
 * waits (run-shell, command-prompt, wait-for) holds up its own queue alone. Commands that an item brings (if-shell,
 * source-file, a hook) run right after it.
 */
import type { ParsedCommand } from './parser.ts';

export type CommandResult =
  /** `hooks` is false where no hook is to follow. */
  | { readonly kind: 'ok'; readonly hooks?: false }
  | { readonly kind: 'error'; readonly message: string }
  /** Nothing more of the queue runs. */
  | { readonly kind: 'stop' };

export const OK: CommandResult = { kind: 'ok' };
/** Done without a change that a hook waits for. */
export const UNCHANGED: CommandResult = { kind: 'ok', hooks: false };
export const STOP: CommandResult = { kind: 'stop' };

export function failed(message: string): CommandResult {
  return { kind: 'error', message };
}

/** A command with what it needs to run; `state` is the runner's. */
export interface QueueItem<State> {
  readonly command: ParsedCommand;
  readonly state: State;
  /** Items of one group stop together when one fails; a fresh symbol for each line and each inserted block. */
  readonly group: object;
}

export interface QueueRunner<State> {
  run(item: QueueItem<State>, queue: CommandQueue<State>): CommandResult | Promise<CommandResult>;
  /** Tells the failure of an item to whoever gave it. */
  failed(item: QueueItem<State>, message: string): void;
  /** An item is done, its failure told. */
  finished?(item: QueueItem<State>, isError: boolean): void;
  /** A bug in a command: it is logged, the queue goes on. */
  crashed(item: QueueItem<State>, error: unknown): string;
}

/** Most items that may wait in one queue; more is a loop in somebody's config. */
const QUEUE_MAX = 100_000;

export class CommandQueue<State> {
  readonly #runner: QueueRunner<State>;
  #items: QueueItem<State>[] = [];
  #insertAt = 0;
  #running = false;
  #closed = false;
  #idleCallbacks: (() => void)[] = [];

  constructor(runner: QueueRunner<State>) {
    this.#runner = runner;
  }

  get isIdle(): boolean {
    return !this.#running && this.#items.length === 0;
  }

  /** Adds commands at the end and runs what can run. */
  append(commands: readonly ParsedCommand[], state: State): void {
    this.#items.push(...toItems(commands, state));
    this.#trim();
    this.#run();
  }

  /** From within an item: adds commands right after it, in order. */
  insert(commands: readonly ParsedCommand[], state: State): void {
    const items = toItems(commands, state);
    this.#items.splice(this.#insertAt, 0, ...items);
    this.#insertAt += items.length;
    this.#trim();
    if (!this.#running) this.#run();
  }

  /** Calls back once, when nothing is left to run. */
  whenIdle(callback: () => void): void {
    if (this.isIdle) callback();
    else this.#idleCallbacks.push(callback);
  }

  /** Drops everything that has not begun; a waiting item ends on its own. */
  close(): void {
    this.#closed = true;
    this.#items = [];
  }

  #trim(): void {
    if (this.#items.length > QUEUE_MAX) this.#items.length = QUEUE_MAX;
  }

  #run(): void {
    if (this.#running) return;
    this.#running = true;
    for (;;) {
      const item = this.#items.shift();
      if (!item || this.#closed) break;
      this.#insertAt = 0;
      const result = this.#runOne(item);
      if (result instanceof Promise) {
        void result.then((late) => {
          this.#finish(item, late);
          this.#running = false;
          this.#run();
        });
        return;
      }
      this.#finish(item, result);
    }
    this.#running = false;
    const callbacks = this.#idleCallbacks;
    this.#idleCallbacks = [];
    for (const callback of callbacks) callback();
  }

  #runOne(item: QueueItem<State>): CommandResult | Promise<CommandResult> {
    try {
      const result = this.#runner.run(item, this);
      if (!(result instanceof Promise)) return result;
      return result.catch((error: unknown) => failed(this.#runner.crashed(item, error)));
    } catch (error) {
      return failed(this.#runner.crashed(item, error));
    }
  }

  #finish(item: QueueItem<State>, result: CommandResult): void {
    if (result.kind === 'error') this.#runner.failed(item, result.message);
    this.#runner.finished?.(item, result.kind === 'error');
    if (result.kind === 'ok') return;
    if (result.kind === 'error') {
      this.#items = this.#items.filter((other) => other.group !== item.group);
    } else this.#items = [];
  }
}

function toItems<State>(commands: readonly ParsedCommand[], state: State): QueueItem<State>[] {
  const groups = new Map<unknown, object>();
  return commands.map((command) => {
    let group = groups.get(command.group);
    if (!group) {
      group = {};
      groups.set(command.group, group);
    }
    return { command, state, group };
  });
}
