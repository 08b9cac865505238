/** The person's terminal is slow, or goes away: nobody else is held up and nothing stays behind. */
import { readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as pty from 'node-pty';
import { afterEach, beforeEach, describe } from 'vitest';
import { fault, growth, memoryOf, Pulse } from '../support/fault.ts';
import { MPLEX, World, waitFor } from '../support/program.ts';
import { serverPid } from '../support/survivor.ts';
import { VirtualTerminal } from '../support/virtual-terminal.ts';

const SIZE = { cols: 80, rows: 24 };
/** Bytes that the slow terminal takes each TICK_MS: 300 a second. */
const TICK_MS = 100;
const TICK_BYTES = 30;

let world: World;
let ends: (() => void)[] = [];

beforeEach(() => {
  world = new World();
});

afterEach(async () => {
  for (const end of ends) end();
  ends = [];
  await world.close();
});

/** What a pty of node-pty's has on Unix beside its types. */
interface RawPty extends pty.IPty {
  readonly fd: number;
  /** Closes the master. */
  destroy(): void;
}

/** A client on a pty that the test reads itself. */
function rawClient(...nodeOptions: string[]): RawPty {
  const argv = [...nodeOptions, MPLEX, 'attach-session'];
  const client = pty.spawn(process.execPath, argv, { ...SIZE, cwd: world.directory, env: world.env });
  ends.push(() => {
    try {
      client.kill('SIGKILL');
    } catch {
      // It ended.
    }
  });
  return client as RawPty;
}

/** Reads a pty at 300 bytes a second; what came, on a screen. */
function readSlowly(client: RawPty): VirtualTerminal {
  client.pause();
  const screen = new VirtualTerminal(SIZE);
  const buffer = Buffer.alloc(TICK_BYTES);
  const decoder = new TextDecoder();
  const timer = setInterval(() => {
    try {
      const count = readSync(client.fd, buffer, 0, TICK_BYTES, null);
      screen.write(decoder.decode(buffer.subarray(0, count), { stream: true }));
    } catch {
      // EAGAIN: nothing to read now.
    }
  }, TICK_MS);
  ends.push(() => clearInterval(timer));
  return screen;
}

async function clientsLeft(): Promise<void> {
  await waitFor(async () => (await world.output('list-clients')) === '', { name: 'no client' });
}

describe('a terminal of 300 bytes a second', () => {
  fault(
    {
      row: '2.2 slow tty',
      injected: 'a client whose terminal takes 300 bytes a second, under a flood of 10 MB',
      expected: 'the flood is over in time; memory flat; server alive; then the slow one shows the end',
    },
    async () => {
      const program = 'read go; seq 1 1400000; clear; echo the-end; exec cat';
      await world.output('-f', '/dev/null', 'new-session', '-d', '-s', 'main', '-x', '80', '-y', '23', program);
      const slow = readSlowly(rawClient());
      const fast = world.attach(['attach-session']);
      await fast.until('[main]');
      await waitFor(async () => (await world.output('list-clients')).split('\n').length === 2, { name: 'two clients' });
      const pid = serverPid(world) ?? 0;
      const before = memoryOf(pid);
      const pulse = await Pulse.start(world.controlPath);
      const start = performance.now();
      fast.type('go\r');
      await fast.until('the-end', { ms: 60_000 });
      const isLate = performance.now() - start > 30_000;
      const state = await pulse.stop(2000);
      // A history of 2,000 lines fills up meanwhile.
      const memory = growth(before, memoryOf(pid), 40);
      await waitFor(
        async () => {
          await slow.settled();
          return /the-end/.test(slow.text());
        },
        { name: 'the end on the slow terminal', ms: 90_000, onTimeout: () => slow.text() },
      );
      return `the flood is over ${isLate ? 'late' : 'in time'}; memory ${memory}; server ${state}; then the slow one shows the end`;
    },
    { ms: 240_000 },
  );
});

const DEAF = `
const on = process.on.bind(process);
on('SIGHUP', () => {});
process.on = (name, handler) => (name === 'SIGHUP' ? process : on(name, handler));
`;

describe('a terminal that vanishes', () => {
  for (const [how, script] of [
    ['with SIGHUP', ''],
    ['without a signal that is heard', DEAF],
  ] as const) {
    fault(
      {
        row: '2.2 ssh drop',
        injected: `the client's terminal is closed ${how}, while it is drawn on`,
        expected: 'the client has ended; no client is left; the session goes on',
      },
      async () => {
        const program = 'while :; do seq 1 50; sleep 0.05; done';
        await world.output('-f', '/dev/null', 'new-session', '-d', '-s', 'main', program);
        const hook = join(world.directory, 'hook.cjs');
        writeFileSync(hook, script);
        const client = rawClient('--require', hook);
        const ended = new Promise<void>((done) => client.onExit(() => done()));
        let seen = '';
        client.onData((data) => {
          seen += data;
        });
        await waitFor(() => seen.includes('[main]'), { name: 'the client' });
        // As sshd does when the line is gone: the master is closed.
        client.destroy();
        await clientsLeft();
        await Promise.race([ended, new Promise((next) => setTimeout(next, 5000))]);
        const isGone = await waitFor(() => !isRunning(client.pid), { name: 'the end of the client' }).then(() => true);
        const lives = (await world.call(['has-session', '-t', 'main'])).code === 0;
        return `the client ${isGone ? 'has ended' : 'runs'}; no client is left; the session ${lives ? 'goes on' : 'is gone'}`;
      },
    );
  }
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
