/** How this server reads and runs command lines: language, runner, hooks, configuration, and the keys that are bound. */
import { ENTRIES } from './command/entries/command-table.ts';
import type { ItemState, Services } from './command/entries/context.ts';
import { CommandLanguage } from './command/entries/language.ts';
import { CommandRunner } from './command/entries/runner.ts';
import { homeDirectoryOf } from './command/home-directory.ts';
import type { ParseOptions } from './command/parser.ts';
import { ConfigLoader } from './config-loader.ts';
import { Hooks } from './hooks.ts';
import type { Log } from './log.ts';
import type { ServerFormats } from './server-formats.ts';
import { bindDefaultKeys, bindSavedKeys, fillKeysLater, type KeyBindingContext } from './start-keys.ts';
import type { ReopenContext } from './survival/reopen.ts';
import type { SavedBinding } from './survival/survival.ts';

export interface ServerCommandParts {
  readonly services: Services;
  readonly formats: ServerFormats;
  readonly environ: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  readonly nextTurn: (run: () => void) => void;
  /** What else is to be done, once the configuration was read, before anybody calls. */
  readonly configLoaded: () => Promise<void>;
}

export class ServerCommands {
  readonly language: CommandLanguage;
  readonly runner: CommandRunner;
  readonly config: ConfigLoader;
  readonly hooks: Hooks;
  readonly #parts: ServerCommandParts;

  constructor(parts: ServerCommandParts) {
    this.#parts = parts;
    const { services, formats, environ, log, nextTurn, configLoaded } = parts;
    this.language = new CommandLanguage(services.registry, ENTRIES);
    const shared = { services, language: this.language, log };
    this.runner = new CommandRunner({
      ...shared,
      parseOptions: this.parseOptions,
      formatContext: (about) => formats.context(about),
      afterCommand: (entry, context, args) => this.hooks.afterCommand(entry, context, args),
      commandError: ({ state }) => this.hooks.fire({ name: 'command-error', client: state.client }),
    });
    this.config = new ConfigLoader({
      ...shared,
      runner: () => this.runner,
      parseOptions: (state, file) => ({ ...this.parseOptions(state), file }),
      environ,
      loaded: configLoaded,
    });
    this.hooks = new Hooks({ ...shared, parseOptions: this.parseOptions, nextTurn });
  }

  /** What a command line is read by; `state` is of who gave it. */
  readonly parseOptions = (state?: ItemState): ParseOptions => {
    const { services, formats, environ } = this.#parts;
    const { registry } = services;
    return {
      environ: (name) => registry.environ.get(name)?.value,
      expandFormat: (format) => formats.expand(format, { client: state?.client, session: state?.current?.session }),
      home: environ.HOME,
      homeOf: homeDirectoryOf,
      assign: ({ name, value, hidden }) => registry.environ.set(name, value, hidden),
    };
  };

  /** Has tmux's keys and our own bound once they are needed, or some time after the start. */
  bindDefaultKeys(clock: Parameters<typeof fillKeysLater>[1]): void {
    bindDefaultKeys(this.#binding);
    fillKeysLater(this.#parts.services.keys, clock);
  }

  /** Binds the keys of the server before this one, and no others. */
  bindSavedKeys(bindings: readonly SavedBinding[]): void {
    bindSavedKeys(this.#binding, bindings);
  }

  /** For modes and overlays that are opened again. */
  get reopening(): ReopenContext {
    return { services: this.#parts.services, language: this.language, parseOptions: this.parseOptions };
  }

  get #binding(): KeyBindingContext {
    return { ...this.reopening, parseOptions: this.parseOptions, failed: (message) => this.#parts.log.error(message) };
  }
}
