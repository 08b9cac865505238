/** The keys that a server starts with: tmux's and its own, or those that the server before it had. */
import { callerOf } from './command/entries/caller.ts';
import type { ItemState, Queue, Services } from './command/entries/context.ts';
import type { CommandLanguage } from './command/entries/language.ts';
import type { ParseOptions } from './command/parser.ts';
import { DEFAULT_BINDINGS } from './keys/default-bindings.ts';
import type { KeyTables } from './keys/key-table.ts';
import type { SavedBinding } from './survival/survival.ts';

/** The default keys are bound this long after the start unless they were needed before, ms. */
const FILL_AFTER_MS = 600;
/** They are bound for so long at a time, then calls have their turn, ms. */
const FILL_SLICE_MS = 2;
const FILL_GAP_MS = 8;

export interface KeyBindingContext {
  readonly services: Services;
  readonly language: CommandLanguage;
  readonly parseOptions: (state: ItemState | undefined) => ParseOptions;
  /** A binding that could not be made; the others are. */
  readonly failed: (message: string) => void;
}

/** Binds the keys that a server starts with, once they are needed. */
export function bindDefaultKeys(context: KeyBindingContext): void {
  context.services.keys.fillLater(bindAll(context));
}

/** Binds the default keys bit by bit, when nobody needed them for some time: whoever calls meanwhile does not wait. */
export function fillKeysLater(
  keys: KeyTables,
  { now, after }: { readonly now: () => number; readonly after: (delayMs: number, run: () => void) => () => void },
): void {
  const fill = () => {
    const end = now() + FILL_SLICE_MS;
    while (keys.fillSome()) {
      if (now() < end) continue;
      after(FILL_GAP_MS, fill);
      return;
    }
  };
  after(FILL_AFTER_MS, fill);
}

/** Binds the keys of the server before this one, and no others. */
export function bindSavedKeys(
  { services, language, parseOptions, failed }: KeyBindingContext,
  bindings: readonly SavedBinding[],
): void {
  const { keys } = services;
  for (const [table] of keys.tables()) keys.clear(table);
  for (const { table, commands: text, ...binding } of bindings) {
    const parsed = language.parse(text, parseOptions(undefined));
    if (parsed.ok) keys.bind(table, { ...binding, commands: parsed.commands });
    else failed(`key ${binding.key} of ${table}: ${parsed.error}`);
  }
}

function* bindAll(context: KeyBindingContext): Generator<undefined, void> {
  const queue = context.services.newQueue();
  for (const text of DEFAULT_BINDINGS) {
    bind(context, queue, {
      text,
      failed: (message) => {
        context.failed(`default binding: ${message}: ${text}`);
        const instead = bindingOfMissing(text, message);
        if (instead !== undefined)
          bind(context, queue, { text: instead, failed: (fault) => context.failed(`default binding: ${fault}`) });
      },
    });
    yield;
  }
}

function bind(
  { language, parseOptions }: KeyBindingContext,
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

const SILENT_CALLER = callerOf('config');
