import type { Caller, ItemState, Queue, Services } from './command/entries/context.ts';
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
  context.services.keys.fillLater(bindAll(context));
}

function* bindAll(context: DefaultKeysContext): Generator<undefined, void> {
  const queue = context.services.newQueue();
  for (const text of DEFAULT_BINDINGS) {
    bind(context, queue, {
      text,
      failed: (message) => {
        context.failed(`${message}: ${text}`);
        const instead = bindingOfMissing(text, message);
        if (instead !== undefined) bind(context, queue, { text: instead, failed: context.failed });
      },
    });
    yield;
  }
}

function bind(
  { language, parseOptions }: DefaultKeysContext,
  queue: Queue,
  { text, failed }: { readonly text: string; readonly failed: (message: string) => void },
): void {
  const state: ItemState = {
    caller: { ...SILENT_CALLER, error: failed },
    client: undefined,
    current: undefined,
    mouse: undefined,
    isHook: true,
    variables: undefined,
  };
  const parsed = language.parse(text, parseOptions(state));
  if (parsed.ok) queue.append(parsed.commands, state);
  else failed(parsed.error);
}

/** The same key bound to a message that its command is not there: a key of tmux's is never silent. */
function bindingOfMissing(text: string, error: string): string | undefined {
  const name = /^unknown command: ([a-z-]+)$/.exec(error)?.[1];
  const head = /^bind-key (?:-N '[^']*' )?(?:-r )?-T \S+ \S+ /.exec(text)?.[0];
  return name && head && `${head}display-message "${name} is not available yet"`;
}

const SILENT_CALLER: Caller = {
  kind: 'config',
  cwd: undefined,
  environ: undefined,
  callerEnviron: [],
  terminal: undefined,
  pid: undefined,
  print: () => {},
  error: () => {},
  setExitCode: () => {},
  attach: undefined,
  readStdin: undefined,
};
