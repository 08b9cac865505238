import { type ChildProcess, spawn } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HostClient, type Pty, type PtyEvents } from '../../../server/pty-host/host-client.ts';
import { type ExitStatus, encodeRequest } from '../../../server/pty-host/host-protocol.ts';
import { READ_AHEAD_MAX } from '../../../server/pty-host/output-log.ts';
import { buildHostScript } from '../../support/host-script.ts';

const SIZE = { cols: 80, rows: 24 };
const ENV = { PATH: process.env.PATH ?? '', TERM: 'xterm' };

let hostScript = '';
let directory = '';
let socketPath = '';
let log: string[] = [];
let clients: HostClient[] = [];
let hosts = new Set<number>();

beforeAll(async () => {
  hostScript = await buildHostScript();
});

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'mplex-host-'));
  socketPath = join(directory, 't.host');
  log = [];
  clients = [];
  hosts = new Set();
});

afterEach(async () => {
  for (const client of clients) void client.quit();
  for (const pid of hosts) {
    if (isAlive(pid)) process.kill(pid, 'SIGTERM');
    await until(`the end of host ${pid}`, () => !isAlive(pid));
  }
  rmSync(directory, { recursive: true });
});

async function until(name: string, condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`waited for ${name}; log: ${log.join(' | ')}; host: ${hostLog()}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

function hostLog(): string {
  const path = join(directory, 'host.log');
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

async function startClient(restartCommand?: string[]): Promise<HostClient> {
  const client = await HostClient.start({
    socketPath,
    hostScript,
    hostLogFile: join(directory, 'host.log'),
    log: (message) => log.push(message),
    ...(restartCommand ? { restartCommand } : {}),
  });
  clients.push(client);
  return client;
}

async function startReadyClient(restartCommand?: string[]): Promise<HostClient> {
  const client = await startClient(restartCommand);
  await client.ready;
  hosts.add(client.hostPid!);
  return client;
}

/** Everything that was told about one pane. */
class Watcher implements PtyEvents {
  pty: Pty | undefined;
  info: { pid: number; tty: string } | undefined;
  failure: string | undefined;
  output = Buffer.alloc(0);
  firstOffset: number | undefined;
  status: ExitStatus | undefined;
  refused = 0;
  isDrained = false;
  /** Whether every byte is acknowledged as it comes. */
  readonly acknowledges: boolean;

  constructor(acknowledges = true) {
    this.acknowledges = acknowledges;
  }

  spawned(info: { pid: number; tty: string }): void {
    this.info = info;
  }

  failed(message: string): void {
    this.failure = message;
  }

  data(bytes: Uint8Array, offset: number): void {
    this.firstOffset ??= offset;
    expect(offset).toBe(this.firstOffset + this.output.length);
    expect(this.status).toBeUndefined();
    this.output = Buffer.concat([this.output, bytes]);
    if (this.acknowledges) this.pty?.acknowledge(bytes.length);
  }

  exit(status: ExitStatus): void {
    this.status = status;
  }

  inputFull(refused: number): void {
    this.refused += refused;
  }

  inputDrain(): void {
    this.isDrained = true;
  }

  get text(): string {
    return this.output.toString('utf8');
  }

  printed(text: string): Promise<void> {
    return until(`${JSON.stringify(text)} in ${JSON.stringify(this.text.slice(-300))}`, () => this.text.includes(text));
  }

  exited(): Promise<void> {
    return until('an exit', () => this.status !== undefined || this.failure !== undefined);
  }
}

function run(client: HostClient, id: number, script: string, watcher = new Watcher()): Watcher {
  const argv = ['sh', '-c', script];
  watcher.pty = client.spawn({ id, argv, env: ENV, cwd: directory, size: SIZE }, watcher);
  return watcher;
}

/** A program that prints numbered lines, as fast as it is read. */
const COUNT = 'seq 200000';
/** The host reads this much at once, at most. */
const READ_MAX = 64 << 10;

function expectNumbers(text: string, last: number): void {
  const lines = text.split('\r\n');
  expect(lines.pop()).toBe('');
  expect(lines.length).toBe(last);
  expect(lines.every((line, i) => line === String(i + 1))).toBe(true);
}

describe('the pty host', () => {
  it('runs programs that were asked for before it was up', async () => {
    const client = await startClient();
    const first = run(client, 1, 'echo one; pwd; echo $PWD');
    const second = run(client, 2, 'read x; echo "got $x"; exit 5');
    second.pty!.write('später\n');
    await Promise.all([first.exited(), second.exited()]);
    hosts.add(client.hostPid!);
    expect(first.text).toBe(`one\r\n${directory}\r\n${directory}\r\n`);
    expect(first.status).toEqual({ code: 0, signal: null });
    expect(second.text).toContain('got später');
    expect(second.status).toEqual({ code: 5, signal: null });
    expect(second.info?.tty).toMatch(/^\/dev\/pts\/\d+$/);
  });

  it('gives each program the descriptors 0, 1 and 2 alone', async () => {
    const client = await startReadyClient();
    const panes = [1, 2, 3].map((id) => run(client, id, 'ls /proc/self/fd; echo end; read x'));
    for (const pane of panes) {
      await pane.printed('end');
      // The fourth is ls's own look at the directory.
      expect(pane.text.replace('end\r\n', '').trim().split(/\s+/)).toEqual(['0', '1', '2', '3']);
    }
  });

  it('holds no descriptor of its starter', async () => {
    const client = await startReadyClient();
    const pane = run(client, 1, 'echo ready; read x');
    await pane.printed('ready');
    const folder = `/proc/${client.hostPid}/fd`;
    const targets = readdirSync(folder).map((name) => readlinkSync(join(folder, name)));
    const strange = targets.filter(
      (target) => !/^(anon_inode:|pipe:|socket:|\/dev\/null$|\/dev\/ptmx$|\/dev\/pts\/ptmx$)/.test(target),
    );
    expect(strange).toEqual([join(directory, 'host.log')]);
  });

  it('keeps its socket private', async () => {
    await startReadyClient();
    expect(statSync(socketPath).mode & 0o777).toBe(0o600);
  });

  it('says why a program cannot be started, and frees the number', async () => {
    const client = await startReadyClient();
    const watcher = new Watcher();
    client.spawn({ id: 1, argv: ['nosuch-program'], env: ENV, cwd: '/', size: SIZE }, watcher);
    await watcher.exited();
    expect(watcher.failure).toBe("can't run nosuch-program: command not found");
    const next = run(client, 1, 'echo next');
    await next.exited();
    expect(next.text).toBe('next\r\n');
  });

  it('stops reading a program whose output is not acknowledged, and loses nothing of it', async () => {
    const client = await startReadyClient();
    const slow = run(client, 1, COUNT, new Watcher(false));
    const other = run(client, 2, 'echo other; read x');
    await other.printed('other');
    await until('the read-ahead', () => slow.output.length >= READ_AHEAD_MAX);
    const [info] = await client.list();
    expect(info!.end).toBeLessThan(READ_AHEAD_MAX + READ_MAX);
    let acknowledged = 0;
    while (!slow.status) {
      await until('more', () => slow.output.length > acknowledged || slow.status !== undefined);
      slow.pty!.acknowledge(slow.output.length - acknowledged);
      acknowledged = slow.output.length;
    }
    expectNumbers(slow.text, 200_000);
  });

  it('passes sizes on, in cells and in pixels', async () => {
    const client = await startReadyClient();
    const pane = run(client, 1, 'trap "stty size" WINCH; echo ready; while :; do read x; done');
    await pane.printed('ready');
    pane.pty!.resize({ cols: 33, rows: 11 }, { width: 8, height: 16 });
    await pane.printed('11 33');
    const [info] = await client.list();
    expect(info!.size).toEqual({ cols: 33, rows: 11, pixelWidth: 264, pixelHeight: 176 });
  });

  it('refuses input above the cap and says when it has all been read', async () => {
    const client = await startReadyClient();
    const pane = run(client, 1, 'stty raw -echo; echo ready; read go < /dev/null; kill -STOP $$; cat >/dev/null');
    await pane.printed('ready');
    const block = Buffer.alloc(4 << 20, 'x');
    for (let i = 0; i < 3; i++) pane.pty!.write(block);
    await until('a refusal', () => pane.refused === block.length);
    pane.pty!.kill('SIGCONT');
    await until('the drain', () => pane.isDrained);
    pane.pty!.write(Buffer.alloc(11 << 20));
    expect(pane.refused).toBe(block.length + (11 << 20));
  });

  it('ends a program by signal or by closing its pane, and tells nothing of a closed one', async () => {
    const client = await startReadyClient();
    const killed = run(client, 1, 'echo ready; read x');
    await killed.printed('ready');
    killed.pty!.kill();
    await killed.exited();
    expect(killed.status).toEqual({ code: null, signal: 'SIGHUP' });
    const closed = run(client, 2, 'echo ready; read x');
    await closed.printed('ready');
    closed.pty!.close();
    await until('its end', () => !isAlive(closed.info!.pid));
    expect(closed.status).toBeUndefined();
    closed.pty!.write('x');
  });

  it('keeps the events of a number apart that is used again at once', async () => {
    const client = await startReadyClient();
    const old = run(client, 1, 'while :; do echo old; done');
    await old.printed('old');
    old.pty!.close();
    const between = run(client, 1, 'echo between');
    between.pty!.close();
    const seen = old.output.length;
    const next = run(client, 1, 'echo new');
    await next.exited();
    expect(next.text).toBe('new\r\n');
    expect(old.output.length).toBe(seen);
    expect(between.text).toBe('');
  });

  it('keeps programs and their output for the next server, without a gap or a repeat', async () => {
    const first = await startReadyClient();
    const before = run(first, 7, `${COUNT}; read x`, new Watcher(false));
    await until('the read-ahead', () => before.output.length >= READ_AHEAD_MAX);
    before.pty!.acknowledge(READ_AHEAD_MAX);
    await until('more', () => before.output.length > READ_AHEAD_MAX + READ_MAX);
    first.disconnect();
    const got = before.output;
    const second = await startReadyClient();
    expect(second.hostPid).toBe(first.hostPid);
    const [info] = await second.list();
    expect(info).toMatchObject({ id: 7, pid: before.info!.pid, tty: before.info!.tty, exited: false });
    expect(info!.releasedTo).toBe(READ_AHEAD_MAX);
    const after = new Watcher();
    after.pty = second.attach({ id: 7, from: got.length }, after);
    await after.printed('200000\r\n');
    expect(after.firstOffset).toBe(got.length);
    expectNumbers(Buffer.concat([got, after.output]).toString('utf8'), 200_000);
    after.pty.write('\n');
    await after.exited();
  });

  it('keeps the last words of a program that ended while there was no server', async () => {
    const first = await startReadyClient();
    const before = run(first, 1, 'echo ready; read x; echo last words; exit 9', new Watcher(false));
    const other = run(first, 2, 'read x');
    await before.printed('ready');
    before.pty!.write('\n');
    first.disconnect();
    await until('its end', () => !isAlive(before.info!.pid));
    const second = await startReadyClient();
    const after = new Watcher();
    after.pty = second.attach({ id: 1, from: 0 }, after);
    await after.exited();
    expect(after.text).toBe('ready\r\n\r\nlast words\r\n');
    expect(after.status).toEqual({ code: 9, signal: null });
    expect((await second.list()).map((info) => info.id)).toEqual([2]);
    other.pty!.close();
  });

  it('belongs to the server that connected last', async () => {
    const first = await startReadyClient();
    run(first, 1, 'read x');
    const second = await startReadyClient();
    await until('the notice', () => log.includes('another server has taken the pty host over'));
    expect(await second.list()).toHaveLength(1);
    const late = new Watcher();
    first.spawn({ id: 2, argv: ['sh'], env: ENV, cwd: '/', size: SIZE }, late);
    expect(await second.list()).toHaveLength(1);
  });

  it('is not taken over by a stranger, and drops those who talk nonsense', async () => {
    const client = await startReadyClient();
    const pane = run(client, 1, 'read x; echo "got $x"');
    const stranger = createConnection(socketPath);
    stranger.on('error', () => {});
    stranger.on('data', () => {});
    stranger.write('GET / HTTP/1.1\r\n\r\n');
    await until('the end of the connection', () => stranger.destroyed);
    const hasty = createConnection(socketPath);
    hasty.on('data', () => {});
    hasty.write(encodeRequest({ kind: 'quit' }));
    await until('the end of the connection', () => hasty.destroyed);
    pane.pty!.write('it\n');
    await pane.printed('got it');
  });

  it('ends its programs and itself when told to', async () => {
    const client = await startReadyClient();
    const pane = run(client, 1, 'echo ready; read x');
    await pane.printed('ready');
    void client.quit();
    await until('the end of all', () => !isAlive(client.hostPid!) && !isAlive(pane.info!.pid));
    expect(existsSync(socketPath)).toBe(false);
  });

  it('survives the hang-up of its starter’s terminal', async () => {
    const client = await startReadyClient();
    process.kill(client.hostPid!, 'SIGHUP');
    const pane = run(client, 1, 'echo alive');
    await pane.printed('alive');
  });

  it('is replaced when it dies: its programs are reported as ended, the next spawn starts another', async () => {
    const client = await startReadyClient();
    const pane = run(client, 1, 'echo ready; read x');
    await pane.printed('ready');
    const old = client.hostPid!;
    process.kill(old, 'SIGKILL');
    await pane.exited();
    expect(pane.status).toEqual({ code: null, signal: null });
    const next = run(client, 1, 'echo again');
    await next.exited();
    expect(next.text).toBe('again\r\n');
    await client.ready;
    hosts.add(client.hostPid!);
    expect(client.hostPid).not.toBe(old);
  });

  it('tells a spawn that there is no host to be had', async () => {
    const client = await HostClient.start({ socketPath, hostScript: '/nonexistent.js', log: (text) => log.push(text) });
    const watcher = new Watcher();
    client.spawn({ id: 1, argv: ['sh'], env: ENV, cwd: '/', size: SIZE }, watcher);
    await watcher.exited();
    expect(watcher.failure).toBe('the pty host was lost');
    await expect(client.ready).rejects.toThrow('the pty host was lost');
  });

  it('starts the server again when it was lost with a pane left', async () => {
    const mark = join(directory, 'restarted');
    const client = await startReadyClient(['touch', mark]);
    const pane = run(client, 1, 'echo ready; read x');
    await pane.printed('ready');
    client.disconnect();
    await until('the restart', () => existsSync(mark));
    expect(isAlive(pane.info!.pid)).toBe(true);
  });

  it('is shared by two servers that start at the same time', async () => {
    const [first, second] = await Promise.all([startClient(), startClient()]);
    await until('both', () => first!.hostPid !== undefined && second!.hostPid !== undefined);
    hosts.add(first!.hostPid!);
    expect(second!.hostPid).toBe(first!.hostPid);
  });
});

describe('the pty host’s command line', () => {
  let child: ChildProcess | undefined;

  afterEach(() => {
    child?.kill('SIGKILL');
  });

  async function outcome(args: string[]): Promise<{ code: number | null; message: string }> {
    child = spawn(process.execPath, [hostScript, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
    let message = '';
    child.stderr!.on('data', (chunk) => {
      message += chunk;
    });
    const code = await new Promise<number | null>((resolve) => child!.on('close', resolve));
    return { code, message };
  }

  it('needs a socket that nobody else listens on', async () => {
    await startReadyClient();
    const { code, message } = await outcome([socketPath]);
    expect(code).toBe(1);
    expect(message).toContain(`already listening: ${socketPath}`);
  });

  it('replaces a file in the way', async () => {
    writeFileSync(socketPath, '');
    const client = await startReadyClient();
    const pane = run(client, 1, 'echo up');
    await pane.printed('up');
  });
});
