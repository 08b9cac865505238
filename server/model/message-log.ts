/**
 * What show-messages lists (tmux(1), `message-limit`): texts that were shown, commands that ran and errors of calls.
 * Texts that were shown outlive the server process; what calls did does not, so that a call changes nothing that must be
 * stored before its reply.
 */

export interface LoggedMessage {
  /** Seconds since the epoch. */
  readonly time: number;
  readonly text: string;
}

interface Entry extends LoggedMessage {
  readonly isPassing: boolean;
}

/** Characters kept of one text: a command is no longer in tmux. */
const TEXT_MAX = 16_384;
/** Characters of all texts together; the oldest go. */
const TOTAL_MAX = 4_194_304;

export class MessageLog {
  readonly #entries: Entry[] = [];
  #characters = 0;
  #lasting: readonly LoggedMessage[] | undefined = [];

  /** The oldest first. */
  get list(): readonly LoggedMessage[] {
    return this.#entries;
  }

  /** Those that the next server gets; the same array until one is added or dropped. */
  get lasting(): readonly LoggedMessage[] {
    this.#lasting ??= this.#entries.filter(({ isPassing }) => !isPassing).map(({ time, text }) => ({ time, text }));
    return this.#lasting;
  }

  /** Adds a text and drops the oldest beyond `limit`. `isPassing`: it ends with this process. */
  add(
    message: LoggedMessage,
    { limit, isPassing = false }: { readonly limit: number; readonly isPassing?: boolean },
  ): void {
    const text = message.text.slice(0, TEXT_MAX);
    this.#entries.push({ time: message.time, text, isPassing });
    this.#characters += text.length;
    if (!isPassing) this.#lasting = undefined;
    this.trim(limit);
  }

  /** Drops the oldest, so that `limit` stay. */
  trim(limit: number): void {
    let dropped = Math.max(0, this.#entries.length - limit);
    for (const { text } of this.#entries.slice(0, dropped)) this.#characters -= text.length;
    for (; this.#characters > TOTAL_MAX; dropped++) this.#characters -= this.#entries[dropped]?.text.length ?? 0;
    if (dropped === 0) return;
    const gone = this.#entries.splice(0, dropped);
    if (gone.some(({ isPassing }) => !isPassing)) this.#lasting = undefined;
  }
}
