/** The server's side of the pty host: starts it or finds it, and gives each pane a handle. */
import { createConnection, type Socket } from 'node:net';
import { MplexError } from '../../protocol/errors.ts';
import type { Size } from '../../protocol/geometry.ts';
import { FrameDecoder } from './host-frame.ts';
import {
  decodeReport,
  type ExitStatus,
  encodeRequest,
  HOST_MAJOR,
  HOST_MINOR,
  type HostHello,
  type HostPaneInfo,
  type HostReport,
  type HostRequest,
} from './host-protocol.ts';
import { HostPty, type HostPtyStart, toPtySize } from './host-pty.ts';
import { type HostStartOptions, type StartedHost, startHostProcess } from './host-start.ts';

/** A program on a pty, as the server sees it. After exit or close every call does nothing. */
export interface Pty {
  readonly id: number;
  /** Input for the program; all of it is queued or, above INPUT_MAX waiting bytes, all refused (event inputFull). */
  write(data: Uint8Array | string): void;
  /** `cell`: the size of a cell in pixels, if known. */
  resize(size: Size, cell?: CellPixels): void;
  /** Without a signal: SIGHUP, and SIGKILL 5 s later. To the program's process group. */
  kill(signal?: string): void;
  /** This many more bytes of output have been dealt with; without it the output stops after READ_AHEAD_MAX. */
  acknowledge(bytes: number): void;
  /** Output before this offset will not be asked for again; only where it is retained. */
  release(to: number): void;
  /** What output before this offset asks for has happened; `input` is written to the program with the mark, or neither. */
  handled(to: number, input: string): void;
  /** Whether nobody looks at the pane: its output may then come in larger pieces, a little later. */
  pace(isHidden: boolean): void;
  /** Forgets the pane: no more events; its number may be used again; a program that still runs is hung up. */
  close(): void;
}

export interface CellPixels {
  readonly width: number;
  readonly height: number;
}

/** What a pane's owner is told: `spawned` or `failed` first, then data, `exit` last. */
export interface PtyEvents {
  spawned(info: { readonly pid: number; readonly tty: string }): void;
  /** The program could not be started; the message is for the user. */
  failed(message: string): void;
  /** `offset`: of the first byte, counted from the program's start. The bytes are the receiver's to keep. */
  data(bytes: Uint8Array, offset: number): void;
  /** After the last byte of output. Both null: the host was lost and the program with it. */
  exit(status: ExitStatus): void;
  /** Input of this many bytes was refused, since the program does not read. */
  inputFull?(refused: number): void;
  /** After inputFull: all input has been taken. */
  inputDrain?(): void;
}

export interface PtySpawnOptions {
  /** The pane's number; may be that of a closed pane. */
  readonly id: number;
  readonly argv: readonly string[];
  /** The program's whole environment; PWD is set to the directory it starts in. */
  readonly env: Readonly<Record<string, string>>;
  /** Where this directory is missing: $HOME, else `/`. */
  readonly cwd: string;
  readonly size: Size;
  readonly cell?: CellPixels;
  /** The host keeps the output until `release`, for a server that takes over; else until it is dealt with. */
  readonly retain?: boolean;
}

/** Starts programs on ptys: the host client, or a fake. */
export interface PtySpawner {
  spawn(options: PtySpawnOptions, events: PtyEvents): Pty;
  /** Calls back when all that hidden panes have printed by now was told (event data). */
  catchUp(done: () => void): void;
}

export interface HostClientOptions extends HostStartOptions {
  /** The connection to a host that was started for this server; another is looked for if it does not answer. */
  readonly startedHost?: Socket | undefined;
  readonly log: (message: string) => void;
  /** The host that was there is gone and its programs with it; every pane has been told. */
  readonly lost?: () => void;
  /** Another host is begun in place of a lost one; it holds nothing yet. What is sent now is the first that it gets. */
  readonly replaced?: () => void;
}

/** Attempts to find or start a host: two servers may start one at the same time, and one of these gives way. */
const CONNECT_ATTEMPTS = 3;
/** Bytes of a blob in one frame. */
const STAGE_CHUNK = 4 << 20;

type HostState = 'connecting' | 'connected' | 'lost' | 'closed';

interface Waiter<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

export class HostClient implements PtySpawner {
  readonly #options: HostClientOptions;
  /** By pane number; a number whose pane is closed is free. */
  readonly #ptys = new Map<number, HostPty>();
  /** Spawns that the host has not answered, by pane number, oldest first; closed ones included. */
  readonly #unanswered = new Map<number, HostPty[]>();
  readonly #lists: Waiter<readonly HostPaneInfo[]>[] = [];
  /** Calls of `load`, and the parts of the blobs that came for the first of them. */
  readonly #loads: Waiter<ReadonlyMap<string, Buffer>>[] = [];
  #loading = new Map<string, Buffer[]>();
  /** Calls of `catchUp` that the host has not answered, oldest first. */
  readonly #catchUps: (() => void)[] = [];
  #hostMinor = 0;
  /** Requests made before the host said hello. */
  #queue: Buffer[] = [];
  #socket: Socket | undefined;
  #started: Socket | undefined;
  #state: HostState = 'connecting';
  #attempts = 0;
  #hostPid: number | undefined;
  #ready: Promise<void> = Promise.resolve();
  #readyWaiter: Waiter<void> | undefined;
  readonly #found: Promise<boolean>;
  #tellFound: (found: boolean) => void = () => {};

  /** Begins to connect to the host or to start one, and does not wait for it: spawns are queued until it is there. */
  static async start(options: HostClientOptions): Promise<HostClient> {
    const client = new HostClient(options);
    client.begin();
    return client;
  }

  /** Does nothing yet: requests wait for `begin`. */
  constructor(options: HostClientOptions) {
    this.#options = options;
    this.#started = options.startedHost;
    this.#found = new Promise((resolve) => {
      this.#tellFound = resolve;
    });
  }

  /** Whether a host was there already, and may hold what an earlier server left. Known at once, unlike `ready`. */
  get found(): Promise<boolean> {
    return this.#found;
  }

  /** Resolves when the host is connected, rejects with MplexError `io` when there will be none. */
  get ready(): Promise<void> {
    return this.#ready;
  }

  /** Runs once what was said to the host has left this process: at once, unless a host is on its way up. */
  whenTold(run: () => void): void {
    if (this.#state === 'connecting') void this.#ready.then(run, run);
    else run();
  }

  /** The host's process, once it is connected. */
  get hostPid(): number | undefined {
    return this.#hostPid;
  }

  /** The host is gone; the next spawn, or `begin`, looks for another. */
  get isLost(): boolean {
    return this.#state === 'lost';
  }

  spawn(options: PtySpawnOptions, events: PtyEvents): Pty {
    if (this.#state === 'lost') this.begin();
    const { id, argv, cwd, size, cell } = options;
    const pty = this.#addPty(id, { events, from: 0, retain: options.retain ?? false, isRunning: false });
    this.#unanswered.set(id, [...(this.#unanswered.get(id) ?? []), pty]);
    const env = Object.entries(options.env).map(([name, value]) => `${name}=${value}`);
    this.#send({ kind: 'spawn', pane: id, argv, env, cwd, size: toPtySize(size, cell) });
    return pty;
  }

  catchUp(done: () => void): void {
    // Without a host nothing is behind, nor with one that knows of no pace.
    if (this.#state !== 'connected' || this.#hostMinor < 2) {
      done();
      return;
    }
    this.#catchUps.push(done);
    this.#send({ kind: 'catch-up' });
  }

  /** The panes that a host which was there before holds. */
  list(): Promise<readonly HostPaneInfo[]> {
    if (this.#state === 'lost' || this.#state === 'closed') return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      this.#lists.push({ resolve, reject });
      this.#send({ kind: 'list' });
    });
  }

  /** Takes over a pane of `list`: its output from offset `from` on, then what comes. `spawned` is not told again. */
  attach(options: { readonly id: number; readonly from: number; readonly retain?: boolean }, events: PtyEvents): Pty {
    const { retain = false } = options;
    const pty = this.#addPty(options.id, { events, from: options.from, retain, isRunning: true });
    this.#send({ kind: 'attach', pane: options.id, from: options.from });
    return pty;
  }

  /** Begins a blob's new value; it holds with the next `commit`. */
  stage(key: string, bytes: Uint8Array): void {
    let at = 0;
    do {
      this.#send({ kind: 'stage', key, bytes: bytes.subarray(at, at + STAGE_CHUNK) });
      at += STAGE_CHUNK;
    } while (at < bytes.length);
  }

  /** Removes a blob and those below its key with the next `commit`. */
  drop(key: string): void {
    this.#send({ kind: 'drop', key });
  }

  /** Lets what was staged and dropped take effect together. */
  commit(): void {
    this.#send({ kind: 'commit' });
  }

  /** All blobs that an earlier server left; none from a host that does not know of them. */
  async load(): Promise<ReadonlyMap<string, Buffer>> {
    await this.#ready;
    if (this.#hostMinor < 1) return new Map();
    return new Promise((resolve, reject) => {
      this.#loads.push({ resolve, reject });
      this.#send({ kind: 'load' });
    });
  }

  /** How the host is to start the server again if it is lost. */
  setRestartCommand(argv: readonly string[]): void {
    this.#send({ kind: 'restart-command', argv });
  }

  /** Has the host put its socket back if somebody removed it. */
  restoreSocket(): void {
    this.#send({ kind: 'restore-socket' });
  }

  /** A pane of `list` that nobody knows: hangs its program up. */
  closePane(id: number): void {
    this.#send({ kind: 'close', pane: id });
  }

  /** Ends the host and every program on it. No event is told any more. Resolves once the host has been sent the word. */
  quit(): Promise<void> {
    this.#ptys.clear();
    this.#unanswered.clear();
    if (this.#state === 'connecting') {
      // A host is on its way up and must not be left behind.
      return this.#ready.then(
        () => this.quit(),
        () => {},
      );
    }
    this.#send({ kind: 'quit' });
    return this.leave();
  }

  /** `disconnect`, once everything that was said has left this process. */
  leave(): Promise<void> {
    const socket = this.#socket;
    this.disconnect();
    if (!socket || socket.destroyed) return Promise.resolve();
    return new Promise((resolve) => {
      socket.once('finish', resolve);
      socket.once('close', resolve);
    });
  }

  /** Leaves the host and its programs to a later server. */
  disconnect(): void {
    this.#state = 'closed';
    this.#ptys.clear();
    this.#started?.destroy();
    this.#socket?.end();
    for (const done of this.#catchUps.splice(0)) done();
  }

  #addPty(id: number, start: HostPtyStart): HostPty {
    if (this.#ptys.has(id)) throw new Error(`pane %${id} has a pty already`);
    const pty = new HostPty(id, start, {
      send: (request) => this.#send(request),
      forget: (gone) => {
        if (this.#ptys.get(id) === gone) this.#ptys.delete(id);
      },
    });
    this.#ptys.set(id, pty);
    return pty;
  }

  /** Connects to the host that is there, or starts one. A host has one server: this takes it from any other. */
  begin(): void {
    const isReplacement = this.#state === 'lost';
    this.#state = 'connecting';
    this.#attempts = 0;
    this.#ready = new Promise((resolve, reject) => {
      this.#readyWaiter = { resolve, reject };
    });
    // Whoever does not ask for it learns of a failure by the spawns' `failed`.
    this.#ready.catch(() => {});
    this.#connect();
    if (isReplacement) this.#options.replaced?.();
  }

  /** Connects to a host that is there, or starts one. */
  #connect(): void {
    this.#attempts++;
    const started = this.#started;
    this.#started = undefined;
    if (started) {
      this.#tellFound(false);
      this.#use(started);
      return;
    }
    const socket = createConnection(this.#options.socketPath);
    const startInstead = () => {
      this.#tellFound(false);
      this.#startHost();
    };
    socket.once('error', startInstead);
    socket.once('connect', () => {
      socket.off('error', startInstead);
      this.#tellFound(true);
      this.#use(socket);
    });
  }

  #startHost(): void {
    let host: StartedHost;
    try {
      host = startHostProcess(this.#options);
    } catch (error) {
      this.#giveUp(`can't start the pty host: ${error instanceof Error ? error.message : error}`);
      return;
    }
    host.process.on('error', (error) => this.#giveUp(`can't start the pty host: ${error.message}`));
    host.process.on('exit', (code, signal) => this.#options.log(`pty host ended: ${signal ?? code}`));
    if (host.socket) this.#use(host.socket);
  }

  #use(socket: Socket): void {
    this.#socket = socket;
    if (socket.destroyed) {
      this.#closed(socket);
      return;
    }
    const decoder = new FrameDecoder();
    socket.on('data', (chunk) => {
      try {
        for (const frame of decoder.push(chunk)) {
          const report = decodeReport(frame);
          if (report) this.#handle(report);
        }
      } catch (error) {
        if (!(error instanceof MplexError)) throw error;
        this.#options.log(error.message);
        socket.destroy();
      }
    });
    socket.on('error', (error) => this.#options.log(`pty host connection: ${error.message}`));
    socket.on('close', () => this.#closed(socket));
    socket.write(encodeRequest({ kind: 'hello', major: HOST_MAJOR, minor: HOST_MINOR, pid: process.pid }));
  }

  #handle(report: HostReport): void {
    switch (report.kind) {
      case 'hello':
        this.#greeted(report);
        break;
      case 'panes':
        this.#lists.shift()?.resolve(report.panes);
        break;
      case 'blob':
        this.#loading.set(report.key, [...(this.#loading.get(report.key) ?? []), Buffer.from(report.bytes)]);
        break;
      case 'loaded':
        this.#loaded();
        break;
      case 'caught-up':
        this.#catchUps.shift()?.();
        break;
      case 'replaced':
        this.#options.log('another server has taken the pty host over');
        this.disconnect();
        break;
      case 'spawned':
      case 'spawn-failed':
        this.#takeUnanswered(report.pane)?.answered(report);
        break;
      default:
        // A number whose latest spawn is unanswered: this is about a closed pane that had it before.
        if (!this.#unanswered.has(report.pane)) this.#ptys.get(report.pane)?.told(report);
    }
  }

  #greeted(hello: HostHello): void {
    if (hello.major !== HOST_MAJOR) {
      this.#giveUp(`pty host ${hello.pid} speaks protocol ${hello.major}, this server ${HOST_MAJOR}`);
      return;
    }
    this.#hostPid = hello.pid;
    this.#hostMinor = hello.minor;
    this.#state = 'connected';
    for (const frame of this.#queue) this.#socket?.write(frame);
    this.#queue = [];
    this.#readyWaiter?.resolve();
  }

  #loaded(): void {
    const blobs = new Map<string, Buffer>();
    for (const [key, parts] of this.#loading) blobs.set(key, Buffer.concat(parts));
    this.#loading = new Map();
    this.#loads.shift()?.resolve(blobs);
  }

  #takeUnanswered(id: number): HostPty | undefined {
    const [first, ...rest] = this.#unanswered.get(id) ?? [];
    if (rest.length > 0) this.#unanswered.set(id, rest);
    else this.#unanswered.delete(id);
    return first;
  }

  #send(request: HostRequest): void {
    if (this.#state === 'lost' || this.#state === 'closed') return;
    const frame = encodeRequest(request);
    if (this.#state === 'connected') this.#socket?.write(frame);
    else this.#queue.push(frame);
  }

  #closed(socket: Socket): void {
    if (socket !== this.#socket || this.#state === 'closed' || this.#state === 'lost') return;
    if (this.#state === 'connecting' && this.#attempts < CONNECT_ATTEMPTS) this.#connect();
    else this.#giveUp('the pty host was lost');
  }

  /** The host is gone and its programs with it. The next spawn starts another. */
  #giveUp(message: string): void {
    this.#options.log(message);
    const ptys = [...this.#ptys.values()];
    const wasThere = this.#state === 'connected';
    this.#state = 'lost';
    this.#ptys.clear();
    this.#unanswered.clear();
    this.#queue = [];
    this.#socket?.destroy();
    const error = new MplexError('io', message);
    this.#readyWaiter?.reject(error);
    for (const waiter of [...this.#lists.splice(0), ...this.#loads.splice(0)]) waiter.reject(error);
    for (const pty of ptys) pty.lost(message);
    for (const done of this.#catchUps.splice(0)) done();
    if (wasThere) this.#options.lost?.();
  }
}
