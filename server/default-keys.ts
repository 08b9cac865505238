import type { Caller, ItemState, Services } from './command/entries/context.ts';
import type { CommandLanguage } from './command/entries/language.ts';
import type { ParseOptions } from './command/parser.ts';
import { DEFAULT_BINDINGS } from './keys/default-bindings.ts';

export interface DefaultKeysContext {
  readonly services: Services;
  readonly language: CommandLanguage;
  readonly parseOptions: (state: ItemState) => ParseOptions;
  /** A binding that could not be made; the others are. */
  readonly failed: (message: string) => void;
}

/** Binds the keys that a server starts with, once they are needed. */
export function bindDefaultKeys(context: DefaultKeysContext): void {
  context.services.keys.fillLater(() => bindAll(context));
}

function bindAll(context: DefaultKeysContext): void {
  const { services, language } = context;
  const caller: Caller = {
    kind: 'config',
    cwd: undefined,
    environ: undefined,
    callerEnviron: [],
    terminal: undefined,
    pid: undefined,
    print: () => {},
    error: (message) => context.failed(message),
    setExitCode: () => {},
    attach: undefined,
    readStdin: undefined,
  };
  const state: ItemState = {
    caller,
    client: undefined,
    current: undefined,
    mouse: undefined,
    isHook: true,
    variables: undefined,
  };
  const queue = services.newQueue();
  for (const text of DEFAULT_BINDINGS) {
    const parsed = language.parse(text, context.parseOptions(state));
    if (parsed.ok) queue.append(parsed.commands, state);
    else context.failed(`${parsed.error}: ${text}`);
  }
}
