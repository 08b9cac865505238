/** The host's panes, and what a server's requests do to them. Knows nothing of sockets: reports go to a function. */
import { MplexError } from '../../protocol/errors.ts';
import { BlobStore } from './blob-store.ts';
import type { Delay } from './delay.ts';
import { findSpawnObstacle, type SystemView } from './headroom.ts';
import { HiddenPanes, type ReadablePane } from './hidden-panes.ts';
import {
  DATA_START,
  type ExitStatus,
  encodeData,
  encodeReport,
  type HostPaneInfo,
  type HostReport,
  type HostRequest,
  type SpawnRequest,
} from './host-protocol.ts';
import { OutputLog } from './output-log.ts';
import { PtyOwner } from './pty-owner.ts';
import { planSpawn } from './spawn-plan.ts';

export interface PaneKeeperOptions {
  readonly delay: Delay;
  readonly system: SystemView;
  readonly log: (message: string) => void;
  /** A program has ended or a pane was closed: there may be nothing left. */
  readonly onFewer: () => void;
}

/** Takes encoded frames to the server, one or several in one buffer. */
export type SendFrame = (frame: Buffer) => void;

/** Bytes of a blob in one frame. */
const BLOB_CHUNK = 4 << 20;

interface HeldPane extends ReadablePane {
  readonly id: number;
  readonly owner: PtyOwner;
  readonly output: OutputLog;
  /** The connected server has spawned it or asked for it. */
  attached: boolean;
  exit: ExitStatus | undefined;
  /** Reads on or stops. */
  settle(): void;
}

/** Requests about a pane that is there. */
type PaneRequest = Exclude<Extract<HostRequest, { readonly pane: number }>, { readonly kind: 'spawn' }>;

export class PaneKeeper {
  readonly #options: PaneKeeperOptions;
  readonly #panes = new Map<number, HeldPane>();
  readonly #blobs = new BlobStore();
  /** Programs that run, closed panes' included. */
  #running = 0;
  #send: SendFrame | undefined;
  readonly #hidden: HiddenPanes<HeldPane>;
  /** Frames that go to the server in one piece; undefined: each goes at once. */
  #gathered: Buffer[] | undefined;

  constructor(options: PaneKeeperOptions) {
    this.#options = options;
    this.#hidden = new HiddenPanes({ delay: options.delay, together: (read) => this.#together(read) });
  }

  /** Programs that have not ended. */
  get running(): number {
    return this.#running;
  }

  /** Whether there is state of a server that another can take over. */
  get hasState(): boolean {
    return this.#blobs.size > 0;
  }

  /** Panes and blobs that a server could still ask for, ended programs with unreleased output included. */
  get held(): number {
    return this.#panes.size + this.#blobs.size;
  }

  /** A server is there; it gets nothing about the panes held so far until it attaches to them. */
  connect(send: SendFrame): void {
    this.disconnect();
    this.#send = send;
  }

  disconnect(): void {
    this.#send = undefined;
    this.#blobs.abandon();
    this.#hidden.clear();
    for (const pane of this.#panes.values()) pane.attached = false;
  }

  handle(request: HostRequest): void {
    switch (request.kind) {
      case 'spawn':
        this.#spawn(request);
        break;
      case 'list':
        this.#report({ kind: 'panes', panes: [...this.#panes.values()].map(describePane) });
        break;
      case 'stage':
        this.#blobs.stage(request.key, request.bytes);
        break;
      case 'drop':
        this.#blobs.drop(request.key);
        break;
      case 'commit':
        this.#blobs.commit();
        break;
      case 'load':
        this.#load();
        break;
      case 'catch-up':
        this.#hidden.catchUp();
        this.#report({ kind: 'caught-up' });
        break;
      case 'hello':
      case 'quit':
      case 'restart-command':
      case 'restore-socket':
        break;
      default: {
        const pane = this.#panes.get(request.pane);
        // None: it was forgotten while the request was on its way.
        if (pane) this.#handlePane(pane, request);
      }
    }
  }

  /** Closes every pane; programs that live on are killed after a grace. */
  closeAll(): void {
    for (const pane of [...this.#panes.values()]) this.#close(pane);
  }

  #load(): void {
    for (const [key, blob] of this.#blobs.entries()) {
      let at = 0;
      do {
        this.#report({ kind: 'blob', key, bytes: blob.subarray(at, at + BLOB_CHUNK) });
        at += BLOB_CHUNK;
      } while (at < blob.length);
    }
    this.#report({ kind: 'loaded' });
  }

  #handlePane(pane: HeldPane, request: PaneRequest): void {
    switch (request.kind) {
      case 'handled':
        pane.output.handled(request.to);
        if (request.input.length > 0) this.#write(pane, request.input);
        break;
      case 'write':
        this.#write(pane, request.bytes);
        break;
      case 'pace':
        this.#hidden.setHidden(pane, request.isHidden);
        break;
      case 'resize':
        pane.owner.resize(request.size);
        break;
      case 'kill':
        if (request.signal === '') pane.owner.hangUp();
        else if (!pane.owner.kill(request.signal)) this.#options.log(`no such signal: ${request.signal}`);
        break;
      case 'ack':
        pane.output.acknowledge(request.consumedTo, request.releasedTo);
        this.#settle(pane);
        break;
      case 'close':
        this.#close(pane);
        break;
      case 'attach':
        this.#attach(pane, request.from);
        break;
    }
  }

  #spawn(request: SpawnRequest): void {
    const { pane: id } = request;
    const message = this.#trySpawn(request);
    if (message !== undefined) this.#report({ kind: 'spawn-failed', pane: id, message });
  }

  /** Starts a program; returns why not. */
  #trySpawn(request: SpawnRequest): string | undefined {
    const { pane: id, size } = request;
    if (this.#panes.has(id)) return `pane in use: %${id}`;
    const plan = planSpawn(request);
    if (plan.kind === 'refused') return plan.message;
    const obstacle = findSpawnObstacle(this.#options.system);
    if (obstacle !== undefined) return `can't run ${plan.file}: ${obstacle}`;
    try {
      const owner: PtyOwner = new PtyOwner(
        { ...plan, size, delay: this.#options.delay },
        {
          output: (bytes) => this.#output(pane, bytes),
          exit: (status) => this.#exit(pane, status),
          inputFull: (refused) => this.#reportOf(pane, { kind: 'input-full', pane: id, refused }),
          inputDrained: () => this.#reportOf(pane, { kind: 'input-drain', pane: id }),
          done: () => this.#programDone(),
        },
      );
      const pane = holdPane(id, owner);
      this.#panes.set(id, pane);
      this.#running++;
      this.#reportOf(pane, { kind: 'spawned', pane: id, pid: owner.pid, tty: owner.tty });
      return undefined;
    } catch (error) {
      if (error instanceof MplexError) return error.message;
      throw error;
    }
  }

  #output(pane: HeldPane, bytes: Uint8Array): void {
    // One copy serves as the frame to send and, without its header, as the bytes to keep.
    const frame = encodeData(pane.id, pane.output.marks.end, bytes);
    pane.output.append(frame.subarray(DATA_START));
    if (pane.attached) this.#sendFrame(frame);
    this.#hidden.printed(pane, bytes.length);
    if (pane.output.full) pane.owner.setReading(false);
  }

  #write(pane: HeldPane, bytes: Uint8Array): void {
    pane.owner.write(bytes);
    this.#hidden.answering(pane);
  }

  #exit(pane: HeldPane, status: ExitStatus): void {
    pane.exit = status;
    this.#hidden.forget(pane);
    this.#reportOf(pane, { kind: 'exit', pane: pane.id, ...status });
    this.#settle(pane);
  }

  #attach(pane: HeldPane, from: number): void {
    const { offset, chunks } = pane.output.rewind(from);
    pane.attached = true;
    let at = offset;
    for (const chunk of chunks) {
      this.#sendFrame(encodeData(pane.id, at, chunk));
      at += chunk.length;
    }
    if (pane.exit) this.#reportOf(pane, { kind: 'exit', pane: pane.id, ...pane.exit });
    this.#settle(pane);
  }

  /**
   * After the marks moved: reads on or stops. An ended pane stays until the server closes it: the one that was told of the
   * end may be dead by now.
   */
  #settle(pane: HeldPane): void {
    if (!pane.exit) pane.settle();
  }

  #close(pane: HeldPane): void {
    this.#panes.delete(pane.id);
    this.#hidden.forget(pane);
    pane.owner.close();
    this.#options.onFewer();
  }

  #programDone(): void {
    this.#running--;
    this.#options.onFewer();
  }

  #reportOf(pane: HeldPane, report: HostReport): void {
    if (pane.attached) this.#report(report);
  }

  #report(report: HostReport): void {
    this.#sendFrame(encodeReport(report));
  }

  #sendFrame(frame: Buffer): void {
    if (this.#gathered) this.#gathered.push(frame);
    else this.#send?.(frame);
  }

  #together(run: () => void): void {
    const frames: Buffer[] = [];
    this.#gathered = frames;
    try {
      run();
    } finally {
      this.#gathered = undefined;
      if (frames.length > 0) this.#send?.(Buffer.concat(frames));
    }
  }
}

function holdPane(id: number, owner: PtyOwner): HeldPane {
  const output = new OutputLog();
  let rests = false;
  const settle = () => owner.setReading(!rests && !output.full);
  return {
    id,
    owner,
    output,
    attached: true,
    exit: undefined,
    settle,
    setResting: (isResting) => {
      rests = isResting;
      settle();
    },
    readWaiting: () => (output.full ? 0 : owner.readWaiting()),
  };
}

function describePane(pane: HeldPane): HostPaneInfo {
  const { id, owner, output, exit } = pane;
  return { id, pid: owner.pid, tty: owner.tty, size: owner.size, ...output.marks, exited: exit !== undefined };
}
