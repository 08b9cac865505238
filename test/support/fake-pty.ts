import type { Size } from '../../protocol/geometry.ts';
import type { Pty, PtyEvents, PtySpawner, PtySpawnOptions } from '../../server/pty-host/host-client.ts';
import type { ExitStatus } from '../../server/pty-host/host-protocol.ts';

/** A pty without a program: records what is done to it, and `emit…` plays the program. */
export class FakePty implements Pty {
  readonly id: number;
  readonly options: PtySpawnOptions;
  /** All input so far, as text. */
  written = '';
  /** The sizes set, the one at spawn first. */
  readonly sizes: Size[];
  /** The signals sent, '' for a hang-up. */
  readonly signals: string[] = [];
  /** Bytes acknowledged. */
  acknowledged = 0;
  /** The offset before which output was released. */
  released = 0;
  isHidden = false;
  isClosed = false;
  readonly #events: PtyEvents;
  #offset = 0;

  constructor(options: PtySpawnOptions, events: PtyEvents) {
    this.id = options.id;
    this.options = options;
    this.sizes = [options.size];
    this.#events = events;
  }

  write(data: Uint8Array | string): void {
    this.written += typeof data === 'string' ? data : Buffer.from(data).toString('utf8');
  }

  resize(size: Size): void {
    this.sizes.push(size);
  }

  kill(signal = ''): void {
    this.signals.push(signal);
  }

  release(to: number): void {
    this.released = Math.max(this.released, to);
  }

  handled(_to: number, input: string): void {
    this.write(input);
  }

  acknowledge(bytes: number): void {
    this.acknowledged += bytes;
  }

  pace(isHidden: boolean): void {
    this.isHidden = isHidden;
  }

  close(): void {
    this.isClosed = true;
  }

  /** Bytes of output that the owner has not acknowledged. */
  get unacknowledged(): number {
    return this.#offset - this.acknowledged;
  }

  /** The input since the last call. */
  takeWritten(): string {
    const text = this.written;
    this.written = '';
    return text;
  }

  emitSpawned(pid = 1000 + this.id, tty = `/dev/pts/${this.id}`): void {
    if (!this.isClosed) this.#events.spawned({ pid, tty });
  }

  emitFailed(message: string): void {
    if (!this.isClosed) this.#events.failed(message);
  }

  emitData(data: Uint8Array | string): void {
    if (this.isClosed) return;
    const bytes = typeof data === 'string' ? Buffer.from(data, 'utf8') : data;
    const offset = this.#offset;
    this.#offset += bytes.length;
    this.#events.data(bytes, offset);
  }

  emitExit(status: Partial<ExitStatus> = { code: 0 }): void {
    if (!this.isClosed) this.#events.exit({ code: null, signal: null, ...status });
  }
}

/** Hands out fake ptys in place of a host client; each says `spawned` on `emitSpawned`, or at once with `autoSpawn`. */
export class FakePtySpawner implements PtySpawner {
  /** Every pty handed out, oldest first. */
  readonly ptys: FakePty[] = [];
  readonly #autoSpawn: boolean;

  constructor(options: { readonly autoSpawn?: boolean } = {}) {
    this.#autoSpawn = options.autoSpawn ?? false;
  }

  spawn(options: PtySpawnOptions, events: PtyEvents): FakePty {
    const pty = new FakePty(options, events);
    this.ptys.push(pty);
    if (this.#autoSpawn) queueMicrotask(() => pty.emitSpawned());
    return pty;
  }

  catchUp(done: () => void): void {
    done();
  }

  /** The latest pty of a pane's number. */
  of(id: number): FakePty {
    const pty = this.ptys.findLast((candidate) => candidate.id === id);
    if (!pty) throw new Error(`no pty was spawned for pane %${id}`);
    return pty;
  }
}
