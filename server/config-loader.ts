/** Loads the config files at start: every line that can run runs; mistakes are kept and shown in the first session. */
import { CommandQueue } from './command/command-queue.ts';
import { configPaths, readConfig } from './command/config-file.ts';
import { callerOf } from './command/entries/caller.ts';
import type { ItemState, Queue, Services } from './command/entries/context.ts';
import type { CommandLanguage } from './command/entries/language.ts';
import type { CommandRunner } from './command/entries/runner.ts';
import { loadHistory } from './command/history-file.ts';
import type { ParseOptions } from './command/parser.ts';
import type { ClientSession } from './model/client-session.ts';

export interface ConfigLoaderContext {
  readonly services: Services;
  readonly language: CommandLanguage;
  readonly runner: () => CommandRunner;
  readonly parseOptions: (state: ItemState, file: string) => ParseOptions;
  readonly environ: Readonly<Record<string, string | undefined>>;
  /** What else is to be done, once the files were read, before anybody calls. */
  readonly loaded: () => Promise<void>;
}

export class ConfigLoader {
  readonly #context: ConfigLoaderContext;
  readonly #errors: string[] = [];
  #isReady = false;
  #waiting: (() => void)[] = [];

  constructor(context: ConfigLoaderContext) {
    this.#context = context;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /** Runs `run` once the config has been loaded. */
  whenReady(run: () => void): void {
    if (this.#isReady) run();
    else this.#waiting.push(run);
  }

  /** An earlier server's state holds what the config would set. */
  passOver(): void {
    this.#ready();
  }

  load(given: readonly string[]): void {
    const { HOME, XDG_CONFIG_HOME } = this.#context.environ;
    const paths = configPaths(given, { HOME, XDG_CONFIG_HOME });
    this.#context.services.registry.configFiles = paths;
    const queue: Queue = new CommandQueue(this.#context.runner());
    for (const path of paths) this.#loadOne(path, queue);
    queue.whenIdle(() => {
      loadHistory(this.#context.services);
      void this.#context.loaded().finally(() => this.#ready());
    });
  }

  #ready(): void {
    this.#isReady = true;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const run of waiting) run();
  }

  /** Shows the mistakes once, to the first client that attaches. */
  showErrors(client: ClientSession): void {
    if (this.#errors.length === 0) return;
    this.#context.services.showOutput(client, `${this.#errors.join('\n')}\n`);
    this.#errors.length = 0;
  }

  #loadOne(path: string, queue: Queue): void {
    const read = readConfig(path);
    if (!read.ok) {
      this.#fail(read.error);
      return;
    }
    if (read.text.trim() === '') return;
    // What a config sets (command-alias) has no say in the default keys.
    this.#context.services.keys.ensureFilled();
    const state = this.#state();
    const options = this.#context.parseOptions(state, path);
    const { commands, mistakes } = this.#context.language.parseKeeping(read.text, options);
    for (const { error, line } of mistakes) this.#fail(`${path}:${line ?? 1}: ${error}`);
    queue.append(commands, state);
  }

  #state(): ItemState {
    const caller = callerOf('config', {
      cwd: this.#context.environ.HOME,
      print: (text) => this.#context.services.registry.logMessage(text.trimEnd()),
      error: (message) => this.#fail(message),
    });
    return { caller, client: undefined, current: undefined, mouse: undefined, isHook: false, variables: undefined };
  }

  #fail(message: string): void {
    this.#errors.push(message);
    this.#context.services.registry.logMessage(message);
  }
}
