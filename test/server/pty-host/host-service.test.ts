import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { realSystem } from '../../../server/pty-host/headroom.ts';
import { FrameDecoder } from '../../../server/pty-host/host-frame.ts';
import {
  decodeReport,
  encodeRequest,
  HOST_MINOR,
  type HostReport,
  type HostRequest,
} from '../../../server/pty-host/host-protocol.ts';
import {
  HELLO_DEADLINE_MS,
  HostService,
  IDLE_MS,
  OLDER_MS,
  UNWANTED_MS,
} from '../../../server/pty-host/host-service.ts';
import { PaneKeeper } from '../../../server/pty-host/pane-keeper.ts';
import { ManualClock } from '../../support/manual-delay.ts';

const HELLO: HostRequest = { kind: 'hello', major: 1, minor: HOST_MINOR, pid: 1 };

let directory = '';
let clock: ManualClock;
let server: Server;
let service: HostService;
let acceptOptions: { isStarter?: boolean } = {};
let keeper: PaneKeeper;
let ended = 0;
/** Times that were waited for, ms. */
let delays: number[] = [];
let connections: Connection[] = [];

class Connection {
  readonly socket: Socket;
  readonly reports: HostReport[] = [];
  readonly #decoder = new FrameDecoder();
  #wake = (): void => {};

  constructor() {
    this.socket = createConnection(join(directory, 's'));
    this.socket.on('data', (chunk) => {
      for (const frame of this.#decoder.push(chunk)) {
        const report = decodeReport(frame);
        if (report) this.reports.push(report);
      }
      this.#wake();
    });
    this.socket.on('error', () => {});
    this.socket.on('close', () => this.#wake());
    connections.push(this);
  }

  send(...requests: HostRequest[]): void {
    for (const request of requests) this.socket.write(encodeRequest(request));
  }

  async report(kind: HostReport['kind']): Promise<void> {
    while (!this.reports.some((report) => report.kind === kind)) await this.#change();
  }

  async closed(): Promise<void> {
    while (!this.socket.closed) await this.#change();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

async function connect(): Promise<Connection> {
  const connection = new Connection();
  await connection.report('hello');
  return connection;
}

function spawnRequest(pane: number, script: string): HostRequest {
  const size = { cols: 80, rows: 24, pixelWidth: 0, pixelHeight: 0 };
  return { kind: 'spawn', pane, argv: ['sh', '-c', script], env: [`PATH=${process.env.PATH}`], cwd: '/', size };
}

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'mplex-service-'));
  clock = new ManualClock();
  ended = 0;
  delays = [];
  // A service of an earlier test may still be ending.
  const [own, waited] = [clock, delays];
  connections = [];
  const log = () => {};
  keeper = new PaneKeeper({ delay: clock.delay, system: realSystem, log, onFewer: () => service.settle() });
  service = new HostService({
    keeper,
    restart: undefined,
    delay: (ms, run) => {
      waited.push(ms);
      return own.delay(ms, run);
    },
    log,
    onStopListening: () => server.close(),
    onEnd: () => {
      ended++;
    },
  });
  server = createServer((socket) => service.accept(socket, acceptOptions));
  await new Promise<void>((resolve) => server.listen(join(directory, 's'), resolve));
});

afterEach(() => {
  keeper.closeAll();
  for (const connection of connections) connection.socket.destroy();
  server.close();
  rmSync(directory, { recursive: true });
});

describe('HostService', () => {
  it('ends when nobody has connected for a while', () => {
    clock.advance(IDLE_MS - 1);
    expect(ended).toBe(0);
    clock.advance(1);
    expect(ended).toBe(1);
  });

  it('ends soon when the server that started it gave up, unless another comes', async () => {
    acceptOptions = { isStarter: true };
    const starter = await connect();
    starter.socket.end();
    await starter.closed();
    acceptOptions = {};
    clock.advance(UNWANTED_MS - 1);
    expect(ended).toBe(0);
    const winner = await connect();
    winner.send(HELLO, { kind: 'list' });
    await winner.report('panes');
    clock.advance(IDLE_MS);
    expect(ended).toBe(0);
    winner.socket.end();
    await winner.closed();
    while (clock.waiting === 0) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(IDLE_MS);
    expect(ended).toBe(1);
  });

  it('reads what a dead server left in its connection before it serves the next', async () => {
    let started: Socket | undefined;
    server.removeAllListeners('connection');
    // The first connection is not looked at until the next one has asked.
    server.once('connection', (socket) => {
      started = socket;
      server.on('connection', (next) => service.accept(next));
    });
    const dead = new Connection();
    dead.send(HELLO, { kind: 'stage', key: 'model', bytes: Buffer.from('kept') }, { kind: 'commit' });
    dead.socket.end();
    while (!started) await new Promise((resolve) => setImmediate(resolve));
    service.accept(started, { isStarter: true });
    started.pause();
    const next = await connect();
    next.send(HELLO, { kind: 'load' });
    while (!delays.includes(OLDER_MS)) await new Promise((resolve) => setImmediate(resolve));
    started.resume();
    await next.report('loaded');
    expect(next.reports).toContainEqual({ kind: 'blob', key: 'model', bytes: Buffer.from('kept') });
  });

  it('does not wait long for a server that lives and does not go', async () => {
    const first = await connect();
    first.send(HELLO, { kind: 'list' });
    await first.report('panes');
    const second = await connect();
    second.send(HELLO, { kind: 'list' });
    while (!delays.includes(OLDER_MS)) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(OLDER_MS);
    await second.report('panes');
    await first.report('replaced');
  });

  it('stays while a server is connected or a program runs, and ends a while after both are gone', async () => {
    const connection = await connect();
    connection.send(HELLO, { kind: 'list' });
    await connection.report('panes');
    clock.advance(10 * IDLE_MS);
    connection.send(spawnRequest(1, 'read x'));
    await connection.report('spawned');
    connection.socket.end();
    await connection.closed();
    clock.advance(10 * IDLE_MS);
    expect(ended).toBe(0);
    const next = await connect();
    next.send(HELLO, { kind: 'attach', pane: 1, from: 0 }, { kind: 'kill', pane: 1, signal: 'SIGKILL' });
    await next.report('exit');
    expect(clock.waiting).toBe(0);
    next.socket.end();
    while (clock.waiting === 0) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(IDLE_MS);
    expect(ended).toBe(1);
  });

  it('closes a connection that says nothing, and serves the others', async () => {
    const silent = await connect();
    const server = await connect();
    server.send(HELLO, { kind: 'list' });
    await server.report('panes');
    clock.advance(HELLO_DEADLINE_MS);
    await silent.closed();
    expect(server.socket.closed).toBe(false);
  });

  it('says which protocol it speaks and refuses a server of another', async () => {
    const connection = await connect();
    connection.send({ ...HELLO, major: 2 });
    await connection.closed();
    expect(connection.reports).toEqual([{ kind: 'hello', major: 1, minor: HOST_MINOR, pid: process.pid }]);
  });

  it('ends only when the last program has, after a quit', async () => {
    const connection = await connect();
    connection.send(HELLO, spawnRequest(1, 'trap "" HUP; echo ready; while :; do sleep 1; done'));
    await connection.report('data');
    connection.send({ kind: 'quit' });
    while (keeper.held > 0) await new Promise((resolve) => setImmediate(resolve));
    expect(ended).toBe(0);
    clock.advance(5000);
    while (ended === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(keeper.running).toBe(0);
  });
});
