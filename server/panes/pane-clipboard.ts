/**
 * OSC 52 of programs in panes. Writing goes by option set-clipboard. Reading goes by option get-clipboard, off at first:
 * the newest buffer, or what the terminal of the client in use answers. An answer is the base64 of a text and nothing
 * else, goes to the one program that asked, and once.
 */
import { CLIPBOARD_READ_MAX } from '../../protocol/message.ts';
import type { ClientSession } from '../model/client-session.ts';
import type { Pane } from '../model/pane.ts';
import type { Registry } from '../model/registry.ts';
import type { Pty } from '../pty-host/host-client.ts';
import type { ClipboardQuestion } from '../terminal/program-strings.ts';

/** A terminal may ask its person first; afterwards an answer is nobody's, ms. */
const ANSWER_MS = 30_000;
/** Programs that wait for an answer at once; more get none. */
const ASKERS_MAX = 16;

export interface PaneClipboardContext {
  readonly registry: Registry;
  readonly after: (delayMs: number, run: () => void) => () => void;
}

/** Who the text of a terminal's clipboard is for. */
type Asker =
  | { readonly kind: 'pane'; readonly pane: Pane; readonly pty: Pty; readonly question: ClipboardQuestion }
  /** refresh-client -l: it becomes a buffer. */
  | { readonly kind: 'buffer' };

interface Waiting {
  readonly asker: Asker;
  readonly client: ClientSession;
  readonly stopTimer: () => void;
}

export class PaneClipboard {
  readonly #context: PaneClipboardContext;
  readonly #waiting = new Map<number, Waiting>();
  #serial = 0;

  constructor(context: PaneClipboardContext) {
    this.#context = context;
  }

  /** A program sets the clipboard: a buffer, and every attached terminal that can. */
  write(pane: Pane, selection: string, text: string): void {
    const { registry } = this.#context;
    if (registry.serverOptions.choice('set-clipboard') !== 'on') return;
    registry.buffers.add(text, registry.serverOptions.number('buffer-limit'));
    registry.emit('pane-set-clipboard', { pane, window: pane.window });
    for (const client of registry.attachedClients()) client.send({ kind: 'clipboard', selection, text });
  }

  /** What a program that asks for the clipboard is told at once; undefined: nothing, or what `request` brings. */
  answerFromBuffer(question: ClipboardQuestion): string | undefined {
    const { registry } = this.#context;
    if (registry.serverOptions.choice('get-clipboard') !== 'buffer') return undefined;
    return answerOf(question, registry.buffers.newest()?.text ?? '');
  }

  /** Asks the terminal of the client in use for a program, where the option allows it. */
  request(pane: Pane, question: ClipboardQuestion): void {
    const { registry } = this.#context;
    const way = registry.serverOptions.choice('get-clipboard');
    if ((way !== 'request' && way !== 'both') || !pane.pty) return;
    for (const { asker } of this.#waiting.values()) if (asker.kind === 'pane' && asker.pane === pane) return;
    const client = registry
      .attachedClients()
      .find((one) => one.session?.current.window === pane.window && canRead(one));
    if (client) this.#ask(client, { kind: 'pane', pane, pty: pane.pty, question });
  }

  /** Makes the clipboard of a client's terminal a buffer. False if the terminal cannot be asked. */
  fetch(client: ClientSession): boolean {
    if (!canRead(client)) return false;
    this.#ask(client, { kind: 'buffer' });
    return true;
  }

  /** A client's terminal has answered. */
  answered(client: ClientSession, serial: number, text: string): void {
    const waiting = this.#waiting.get(serial);
    if (!waiting || waiting.client !== client) return;
    this.#waiting.delete(serial);
    waiting.stopTimer();
    if (Buffer.byteLength(text) > CLIPBOARD_READ_MAX) return;
    const { registry } = this.#context;
    const { asker } = waiting;
    const keeps = asker.kind === 'buffer' || registry.serverOptions.choice('get-clipboard') === 'both';
    if (keeps && text !== '') registry.buffers.add(text, registry.serverOptions.number('buffer-limit'));
    // Another program may run there by now.
    if (asker.kind === 'pane' && asker.pane.pty === asker.pty) asker.pane.write(answerOf(asker.question, text));
  }

  #ask(client: ClientSession, asker: Asker): void {
    if (this.#waiting.size >= ASKERS_MAX) return;
    this.#serial += 1;
    const serial = this.#serial;
    const stopTimer = this.#context.after(ANSWER_MS, () => this.#waiting.delete(serial));
    this.#waiting.set(serial, { asker, client, stopTimer });
    client.send({ kind: 'clipboard-read', serial });
  }
}

function canRead({ capabilities, control }: ClientSession): boolean {
  return !control && capabilities?.clipboard === true;
}

/** OSC 52 as a terminal answers it. Of the selection that was asked for only whether it is the primary one is told. */
function answerOf({ selection, terminator }: ClipboardQuestion, text: string): string {
  const name = /p/.test(selection) && !/c/.test(selection) ? 'p' : 'c';
  let bytes = Buffer.from(text);
  if (bytes.length > CLIPBOARD_READ_MAX) bytes = Buffer.alloc(0);
  return `\x1b]52;${name};${bytes.toString('base64')}${terminator}`;
}
