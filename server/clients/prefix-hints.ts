/**
 * After the prefix, a pause shows what can come next (option prefix-hints). The hints take no key: the next one takes them
 * away and means what it would have meant without them.
 */
import type { InputEvent } from '../../protocol/key.ts';
import type { KeyHint, KeyHintsModel } from '../../src/overlay/key-hints.ts';
import type { OverlayModel } from '../../src/overlay/overlay.ts';
import { promptPlace } from '../command/entries/prompt-overlay.ts';
import { printKeyName } from '../keys/key-names.ts';
import type { KeyBinding, KeyTables } from '../keys/key-table.ts';
import type { ClientOverlay, ClientSession } from '../model/client-session.ts';
import type { OverlayHost } from './overlay-host.ts';

export interface HintsContext {
  readonly keys: KeyTables;
  readonly overlays: OverlayHost;
  readonly after: (delayMs: number, run: () => void) => () => void;
}

export class PrefixHints {
  readonly #context: HintsContext;
  readonly #waiting = new WeakMap<ClientSession, () => void>();

  constructor(context: HintsContext) {
    this.#context = context;
  }

  /** The client's key table has changed. */
  follow(client: ClientSession): void {
    this.#waiting.get(client)?.();
    const { keyTable: table, session } = client;
    if (table === undefined || !session?.options.flag('prefix-hints')) return;
    const cancel = this.#context.after(session.options.number('prefix-hints-time'), () => this.#show(client, table));
    this.#waiting.set(client, cancel);
  }

  #show(client: ClientSession, table: string): void {
    // A key that repeats leaves the table in force for a while; that is no question.
    if (client.keyTable !== table || client.repeatUntil !== 0 || client.overlay || !client.session) return;
    const hints = hintsOf(this.#context.keys, table);
    if (hints.length === 0) return;
    const prefix = table === 'prefix' ? printKeyName(client.session.options.string('prefix')) : table;
    this.#context.overlays.open(
      client,
      new HintsOverlay(this.#context.overlays, client, {
        kind: 'key-hints',
        title: prefix,
        hints,
        moreHint: '? lists all',
        place: promptPlace(client),
      }),
    );
  }
}

class HintsOverlay implements ClientOverlay {
  readonly purpose = 'key-hints';
  readonly givesWay = true;
  readonly #overlays: OverlayHost;
  readonly #client: ClientSession;
  readonly #model: KeyHintsModel;

  constructor(overlays: OverlayHost, client: ClientSession, model: KeyHintsModel) {
    this.#overlays = overlays;
    this.#client = client;
    this.#model = model;
  }

  models(): readonly OverlayModel[] {
    return [this.#model];
  }

  input(event: InputEvent): 'pass' {
    if (event.kind !== 'mouse' || event.action === 'press') this.#overlays.close(this.#client, this);
    return 'pass';
  }

  resize(): void {
    this.#overlays.refresh(this.#client);
  }

  close(): void {
    // Nothing waits for hints.
  }
}

/** Bindings that have a note: plain keys first, those of a digit told as one. */
export function hintsOf(keys: KeyTables, table: string): KeyHint[] {
  const [, bindings = []] = keys.tables().find(([name]) => name === table) ?? [];
  const noted = bindings.filter(({ key, note }) => note && !/(?:Mouse|Wheel|Click)/.test(key));
  const digits = noted.filter(isWindowNumber);
  const rest = digits.length > 1 ? noted.filter((binding) => !isWindowNumber(binding)) : noted;
  const [first, last] = [digits[0], digits.at(-1)];
  const ordered = [...rest].sort((a, b) => rankOf(a.key) - rankOf(b.key));
  const hints = ordered.map(({ key, note = '' }) => ({ key: printKeyName(key), text: note }));
  if (digits.length > 1 && first && last) hints.unshift({ key: `${first.key}-${last.key}`, text: 'Select a window' });
  return hints;
}

function isWindowNumber({ key, commands }: KeyBinding): boolean {
  return /^\d$/.test(key) && commands[0]?.name === 'select-window';
}

/** Letters, other characters, named keys, keys with modifiers. */
function rankOf(key: string): number {
  if (/^[a-z]$/.test(key)) return 0;
  if (/^[A-Z]$/.test(key)) return 1;
  if ([...key].length === 1) return 2;
  return /^[CMS]-/.test(key) ? 4 : 3;
}
