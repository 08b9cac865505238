/**
 * Writes the sessions to disk as they change, so that they can be offered again after the machine, or the pty host, was lost.
 * A second store of what survival/ keeps with the pty host: the same screens and chunks by the same ScreenStore, the same
 * model less what may not be on disk (journal-model.ts).
 *
 * At most one write each GAP_MS; screens and history of a pane only when it is quiet, or each BUSY_MS. All of it is
 * asynchronous: nobody waits for the disk. Sessions that people end are gone from the journal with the next write, and with
 * the last one the journal is removed; when programs are killed from outside, as a machine does that goes down, nothing is
 * written for a while, so that what is on disk is what was there before.
 */
import { systemReason } from '../../protocol/system-reason.ts';
import type { Log } from '../log.ts';
import type { Pane } from '../model/pane.ts';
import type { Registry } from '../model/registry.ts';
import { ScreenStore } from '../survival/screen-store.ts';
import { JournalDirectory } from './journal-directory.ts';
import { JOURNAL_VERSION, type JournalHead, journalModel } from './journal-model.ts';
import type { JournalOwner } from './journal-owner.ts';
import { type FactsContext, PaneFactBook, type PaneFacts } from './pane-facts.ts';

/** The first change after a rest is written after this, with what comes meanwhile, ms. */
export const SETTLE_MS = 500;
/** Writes are at least this far apart, ms. */
export const GAP_MS = 2000;
/** A pane that is never quiet is written this often, ms. */
const BUSY_MS = 60_000;
/** After a program was killed from outside nothing is written for so long, ms. */
export const HOLD_MS = 5000;
/** After a write that failed the next one is tried after this, ms. */
const RETRY_MS = 60_000;
/** Bytes of one pane: its screen and the newest of its history. */
const PANE_BYTES_MAX = 2 << 20;
/** Signals by which a machine that goes down, or short of memory, ends programs. */
const OUTSIDE_SIGNALS: ReadonlySet<string> = new Set(['SIGHUP', 'SIGTERM', 'SIGKILL']);

export interface JournalContext extends FactsContext {
  readonly registry: Registry;
  /** Of this journal alone, asked for when it is needed; undefined where there is no place for one, and then why. */
  readonly path: (() => string) | undefined;
  readonly noPath: string;
  readonly owner: JournalOwner;
  readonly parsedTo: (pane: Pane) => number;
  /** ms, monotonic. */
  readonly now: () => number;
  readonly after: (delayMs: number, run: () => void) => () => void;
  readonly log: Log;
}

export class Journal {
  readonly #context: JournalContext;
  #directory: JournalDirectory | undefined;
  readonly #facts: PaneFactBook;
  #screens: ScreenStore;
  /** Written and waiting files by key, the oldest first. */
  #files = new Map<string, { readonly name: string; readonly bytes: number }>();
  /** Files that are not on disk yet. */
  #waiting = new Map<string, Uint8Array>();
  /** What the newest head says, but for its time. */
  #lastWritten = '';
  #serial = 0;
  #nextFile = 0;
  #isRunning = false;
  #hasEnded = false;
  #cancelTimer: (() => void) | undefined;
  #lastWrite = Number.NEGATIVE_INFINITY;
  #lastBusy: number;
  #heldUntil = Number.NEGATIVE_INFINITY;
  /** Why it could not be written; undefined where it could, as far as is known. */
  #failure: string | undefined;
  /** Writes one after the other. */
  #tail: Promise<void> = Promise.resolve();

  constructor(context: JournalContext) {
    this.#context = context;
    this.#facts = new PaneFactBook(context);
    this.#screens = this.#newStore();
    this.#lastBusy = context.now();
  }

  /** Follows the model from here on, unless option resurrect is off. */
  start(): void {
    const { registry } = this.#context;
    registry.events.subscribe(({ name, pane }) => {
      if (name === 'pane-closed' && pane) this.#screens.forget(pane);
      if (name === 'pane-exited' && OUTSIDE_SIGNALS.has(pane?.lastExit?.signal ?? '')) this.#hold();
      this.changed();
    });
    registry.dirty.subscribe(() => this.changed());
    for (const set of [registry.sessionOptions, registry.windowOptions]) set.onTreeChange(() => this.changed());
    registry.serverOptions.onChange(({ name }) => {
      if (name === 'resurrect') this.#followOption();
      if (name === 'journal-bytes-limit') this.#followLimit();
    });
    this.#followOption();
  }

  /** Whether it is written, or why it is not. */
  get status(): { readonly isOn: boolean; readonly failure: string | undefined } {
    return { isOn: this.#isRunning, failure: this.#failure };
  }

  /** What is known of a pane's program, also when it is gone. */
  factsOf(pane: Pane): PaneFacts {
    return this.#facts.of(pane);
  }

  /** Something changed that the journal may tell. */
  changed(): void {
    if (!this.#isRunning || this.#cancelTimer) return;
    const next = Math.max(this.#lastWrite + GAP_MS, this.#heldUntil, this.#context.now() + SETTLE_MS);
    this.#cancelTimer = this.#context.after(next - this.#context.now(), () => void this.flush());
  }

  /** A pane printed something. */
  parsed(pane: Pane): void {
    // A popup's pane is in no window and does not come back.
    if (!this.#isRunning || !this.#context.registry.panes.has(pane.id)) return;
    this.#screens.parsed(pane);
    this.#facts.printed(pane);
    this.changed();
  }

  /** Writes what changed; resolves when it is on disk, or could not be written, which was told then. */
  flush({ all = false }: { readonly all?: boolean } = {}): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#tail = this.#tail.then(() => this.#write(all));
    return this.#tail;
  }

  /**
   * The server ends. `keep`: what is there is to come back, so the last state is written; else the people ended it and the
   * journal is removed, unless what ended was killed from outside just now.
   */
  async end({ keep }: { readonly keep: boolean }): Promise<void> {
    if (keep && !this.#isHeld) await this.flush({ all: true });
    this.#hasEnded = true;
    this.#isRunning = false;
    this.#cancelTimer?.();
    await this.#tail;
    if (!keep && !this.#isHeld) await this.#remove();
  }

  get #isHeld(): boolean {
    return this.#context.now() < this.#heldUntil;
  }

  #hold(): void {
    this.#heldUntil = this.#context.now() + HOLD_MS;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #followOption(): void {
    const isOn = this.#context.registry.serverOptions.choice('resurrect') !== 'off' && !this.#hasEnded;
    if (isOn && !this.#context.path) {
      this.#tellFailure(this.#context.noPath);
      return;
    }
    if (isOn === this.#isRunning) return;
    this.#isRunning = isOn;
    if (isOn) {
      this.changed();
      return;
    }
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#tail = this.#tail.then(() => this.#remove());
  }

  /** Text that is too much is to be gone from the head before as well. */
  #followLimit(): void {
    if (!this.#isRunning) return;
    void this.flush().then(() => {
      this.#lastWritten = '';
      return this.flush();
    });
  }

  #newStore(): ScreenStore {
    const { now, parsedTo } = this.#context;
    return new ScreenStore({
      now,
      parsedTo,
      unstoredMax: Number.POSITIVE_INFINITY,
      unstoredMs: Number.POSITIVE_INFINITY,
      // The screen, with what is not in a full chunk yet, comes first.
      historyMax: () => this.#paneBytes() / 2,
      sink: { stage: (key, bytes) => this.#stage(key, bytes), drop: (key) => this.#drop(key) },
    });
  }

  /** What one pane may take, bytes. */
  #paneBytes(): number {
    return Math.min(PANE_BYTES_MAX, Math.floor(this.#bytesLimit / Math.max(1, this.#context.registry.panes.size)));
  }

  get #bytesLimit(): number {
    return this.#context.registry.serverOptions.number('journal-bytes-limit');
  }

  #stage(key: string, bytes: Uint8Array): void {
    this.#drop(key);
    if (bytes.length > this.#paneBytes()) return;
    const name = `p${key.split('/')[1]}-${this.#nextFile++}`;
    this.#files.set(key, { name, bytes: bytes.length });
    this.#waiting.set(name, bytes);
  }

  /** Takes a key, or those below it, out of the journal. */
  #drop(prefix: string): void {
    const keys = this.#files.has(prefix) ? [prefix] : [...this.#files.keys()];
    for (const key of keys) if (key === prefix || key.startsWith(`${prefix}/`)) this.#forget(key);
  }

  #forget(key: string): void {
    this.#waiting.delete(this.#files.get(key)?.name ?? '');
    this.#files.delete(key);
  }

  /** Panes that came later make the parts of those before smaller: the history written first goes, then screens. */
  #keepLimit(): void {
    let bytes = 0;
    for (const file of this.#files.values()) bytes += file.bytes;
    for (const isHistory of [true, false]) {
      for (const [key, file] of this.#files) {
        if (bytes <= this.#bytesLimit) return;
        if (key.includes('/h/') !== isHistory) continue;
        bytes -= file.bytes;
        this.#forget(key);
      }
    }
  }

  async #write(all: boolean): Promise<void> {
    const { path } = this.#context;
    if (!this.#isRunning || !path || this.#isHeld) return;
    this.#directory ??= new JournalDirectory(path());
    const directory = this.#directory;
    const { registry, now } = this.#context;
    this.#lastWrite = now();
    if (registry.sessions.size === 0) {
      await this.#remove();
      return;
    }
    const isBusyDue = now() - this.#lastBusy >= BUSY_MS;
    if (isBusyDue) this.#lastBusy = now();
    this.#screens.stage(registry.panes.values(), { all: all || isBusyDue });
    this.#keepLimit();
    const model = journalModel({ registry, factsOf: (pane) => this.#facts.of(pane) });
    const files = new Map(this.#waiting);
    const named = [...this.#files].map(([key, { name }]) => [key, name] as const);
    const text = JSON.stringify([model, named]);
    if (this.#screens.isWaiting) this.changed();
    if (text === this.#lastWritten) return;
    const head: JournalHead = {
      version: JOURNAL_VERSION,
      serial: ++this.#serial,
      time: registry.seconds(),
      owner: this.#context.owner,
      ...model,
      files: named,
    };
    try {
      const names = new Set(named.map(([, name]) => name));
      await directory.commit({ head: Buffer.from(JSON.stringify(head)), files, named: names });
      for (const name of files.keys()) this.#waiting.delete(name);
      this.#lastWritten = text;
      if (this.#failure !== undefined) registry.logMessage('sessions are kept on disk again');
      this.#failure = undefined;
    } catch (error) {
      this.#tellFailure(`${directory.path}: ${systemReason(error)}`);
      this.#lastWrite = now() + RETRY_MS - GAP_MS;
      this.changed();
    }
  }

  async #remove(): Promise<void> {
    this.#files = new Map();
    this.#waiting = new Map();
    this.#lastWritten = '';
    this.#screens = this.#newStore();
    const directory = this.#directory;
    if (!directory?.isMade) return;
    await directory.remove().catch((error: unknown) => this.#tellFailure(`${directory.path}: ${systemReason(error)}`));
  }

  #tellFailure(reason: string): void {
    if (this.#failure === undefined) {
      this.#context.registry.logMessage(`sessions are not kept on disk: ${reason}`);
      this.#context.log.error(`journal: ${reason}`);
    }
    this.#failure = reason;
  }
}
