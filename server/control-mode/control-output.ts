/**
 * What a control mode client reads: reply blocks, notifications and pane output in the order in which they came about,
 * but nothing within a block save the reply. All waits in one queue while the client is behind; output that waits for too
 * long pauses its pane or ends the client (tmux(1) CONTROL MODE, refresh-client -A and `pause-after`).
 */
import type { Pane } from '../model/pane.ts';

export interface ControlSink {
  write(bytes: Uint8Array): void;
  /** Bytes that were written and have not left. */
  unsent(): number;
}

export interface ControlOutputContext {
  readonly sink: ControlSink;
  /** ms, monotonic. */
  readonly now: () => number;
  /** Seconds since the epoch, for the guards. */
  readonly seconds: () => number;
  /** The client does not read: it is to be given up. */
  readonly tooFarBehind: () => void;
  /** Commands of the client are not done: what comes about waits for `commandsDone`. */
  readonly isBusy: () => boolean;
}

/** Unsent bytes above which the rest waits. */
const UNSENT_HIGH = 64 * 1024;
/** Without pause-after, a client whose oldest output waits for this long is let go, ms. */
const BEHIND_MAX_MS = 300_000;
/** Bytes of output that may wait for one client. */
const WAITING_MAX = 16 << 20;

type Item =
  | { readonly kind: 'text'; readonly text: string }
  /** What it says is decided when its turn comes. */
  | { readonly kind: 'notice'; readonly line: () => string | undefined }
  | { readonly kind: 'output'; readonly pane: Pane; readonly bytes: Uint8Array; readonly time: number };

export class ControlOutput {
  readonly #context: ControlOutputContext;
  /** Panes whose output is not wanted, for good or until the client says `continue`. */
  readonly #silent = new Map<Pane, 'off' | 'paused'>();
  #queue: Item[] = [];
  /** What came about while a block is open or commands of the client are not done. */
  #held: Item[] = [];
  #waitingBytes = 0;
  #guard: string | undefined;
  /** With pause-after, ms: output that is older pauses its pane. */
  pauseAfterMs: number | undefined;
  noOutput = false;

  constructor(context: ControlOutputContext) {
    this.#context = context;
  }

  /** Opens a reply block; `isOwn` is false for the command that the client was started with, and for hooks. */
  begin(number: number, isOwn: boolean): void {
    this.#guard = `${this.#context.seconds()} ${number} ${isOwn ? 1 : 0}`;
    this.reply(`%begin ${this.#guard}\n`);
  }

  /** Text of the reply, or what frames all. */
  reply(text: string): void {
    this.#queue.push({ kind: 'text', text });
    this.pump();
  }

  end(isError: boolean): void {
    if (this.#guard === undefined) return;
    const guard = this.#guard;
    this.#guard = undefined;
    this.#queue.push({ kind: 'text', text: `${isError ? '%error' : '%end'} ${guard}\n` });
    this.#release();
  }

  /** As in tmux, what a line of commands brought about is told after all its replies. */
  commandsDone(): void {
    this.#release();
  }

  #release(): void {
    if (this.#guard === undefined && !this.#context.isBusy()) this.#queue.push(...this.#held.splice(0));
    this.pump();
  }

  /** A notification, without its newline; one that says nothing is left out. */
  notify(line: string | (() => string | undefined)): void {
    this.#add({ kind: 'notice', line: typeof line === 'string' ? () => line : line });
  }

  /** Output of a pane that the client's session shows. */
  paneOutput(pane: Pane, bytes: Uint8Array): void {
    if (this.noOutput || this.#silent.has(pane)) return;
    this.#waitingBytes += bytes.length;
    this.#add({ kind: 'output', pane, bytes: bytes.slice(), time: this.#context.now() });
    this.checkAge();
  }

  /** refresh-client -A: output of a pane on or off, paused, or going on from now. */
  setPane(pane: Pane, wanted: 'on' | 'off' | 'pause' | 'continue'): void {
    const state = this.#silent.get(pane);
    if (wanted === 'pause') this.#pause(pane);
    else if (wanted === 'off') {
      this.#drop(pane);
      this.#silent.set(pane, 'off');
    } else if (wanted === 'on') {
      if (state === 'off') this.#silent.delete(pane);
    } else if (state === 'paused') {
      this.#silent.delete(pane);
      this.notify(`%continue %${pane.id}`);
    }
  }

  forget(pane: Pane): void {
    this.#silent.delete(pane);
  }

  /** Writes all that waits, however much: nothing comes after. */
  flush(): void {
    for (const item of this.#queue.splice(0)) this.#write(item);
  }

  /** Writes as much of what waits as the client can take. */
  pump(): void {
    let at = 0;
    for (; at < this.#queue.length && this.#context.sink.unsent() < UNSENT_HIGH; at++) {
      const item = this.#queue[at];
      if (item) this.#write(item);
    }
    this.#queue.splice(0, at);
  }

  /** Looks how old the output is that waits; to be called now and then. */
  checkAge(): void {
    const oldest = this.#queue.find((item) => item.kind === 'output');
    if (!oldest) return;
    const age = this.#context.now() - oldest.time;
    const isTooMuch = this.#waitingBytes > WAITING_MAX;
    if (this.pauseAfterMs === undefined) {
      if (age >= BEHIND_MAX_MS || isTooMuch) this.#context.tooFarBehind();
    } else if (age >= this.pauseAfterMs || isTooMuch) this.#pause(oldest.pane);
  }

  #add(item: Item): void {
    if (this.#guard !== undefined || this.#context.isBusy()) this.#held.push(item);
    else {
      this.#queue.push(item);
      this.pump();
    }
  }

  #pause(pane: Pane): void {
    if (this.#silent.has(pane)) return;
    this.#drop(pane);
    this.#silent.set(pane, 'paused');
    this.notify(`%pause %${pane.id}`);
  }

  #drop(pane: Pane): void {
    const isKept = (item: Item) => {
      if (item.kind !== 'output' || item.pane !== pane) return true;
      this.#waitingBytes -= item.bytes.length;
      return false;
    };
    this.#queue = this.#queue.filter(isKept);
    this.#held = this.#held.filter(isKept);
  }

  #write(item: Item): void {
    if (item.kind === 'text') {
      this.#context.sink.write(Buffer.from(item.text));
      return;
    }
    if (item.kind === 'notice') {
      const line = item.line();
      if (line !== undefined) this.#context.sink.write(Buffer.from(`${line}\n`));
      return;
    }
    const { pane, bytes, time } = item;
    this.#waitingBytes -= bytes.length;
    const age = Math.round(this.#context.now() - time);
    const head = this.pauseAfterMs === undefined ? `%output %${pane.id} ` : `%extended-output %${pane.id} ${age} : `;
    this.#context.sink.write(Buffer.from(`${head}${escapeOutput(bytes)}\n`, 'latin1'));
  }
}

/** Control characters and backslashes as three octal digits, other bytes as they are; one character a byte. */
function escapeOutput(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString('latin1')
    .replace(/[\x00-\x1f\\]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);
}
