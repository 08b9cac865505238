/** The machine runs out of something, stands still, or jumps: what can be refused is refused with a word, the rest goes on. */
import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe } from 'vitest';
import { Control } from '../support/control.ts';
import { fault, IS_ROOT, missing, OTHER_UID, Pulse, processorMsOf } from '../support/fault.ts';
import { startHooked } from '../support/hooked-server.ts';
import { MPLEX, World, waitFor } from '../support/program.ts';
import { killQuietly, serverPid } from '../support/survivor.ts';

const IS_LONG = process.env.MPLEX_SOAK_RUNS !== undefined;
const START = ['-f', '/dev/null', 'new-session', '-d', '-s', 'main', '-x', '80', '-y', '24', 'exec cat'];
const NEEDS_MOUNT = IS_ROOT ? missing('unshare', 'mount') : 'needs root';

let world: World;

beforeEach(() => {
  world = new World();
});

afterEach(() => world.close());

interface Outcome {
  readonly code: number;
  readonly stderr: string;
}

/** A shell script with the program as `"$@"`; the server that it starts lives under what the script has set. */
function under(script: string, env = world.env, argv: readonly string[] = START): Promise<Outcome> {
  const child: ChildProcess = spawn('sh', ['-c', script, 'sh', process.execPath, MPLEX, ...argv], {
    env,
    cwd: world.directory,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  // The server may hold the pipe: the end of the call is its exit.
  return new Promise((resolve) => child.on('exit', (code) => resolve({ code: code ?? -1, stderr })));
}

/** Whether the first session still takes a key. */
async function echoes(): Promise<string> {
  await world.output('send-keys', '-t', 'main:0.0', 'still-here', 'Enter');
  await waitFor(async () => (await world.output('capture-pane', '-pt', 'main:0.0')).includes('still-here'), {
    name: 'an echo',
  });
  return 'the first pane echoes';
}

/** Makes windows; tells whether some were refused, with the reason in them. */
async function fill(most: number): Promise<string> {
  const argv = Array.from({ length: most }, (_, i) => [
    'new-window',
    '-d',
    '-t',
    `main:${i + 1}`,
    'exec cat',
    ';',
  ]).flat();
  await world.call(argv);
  const states = async () =>
    (await world.output('list-panes', '-a', '-F', '#{pane_dead} #{pane_pid} #{pane_id}')).split('\n');
  // Each is either a running program or dead.
  await waitFor(async () => (await states()).every((line) => /^1|^0 \d{2,}/.test(line)), {
    name: 'the outcome of each',
    ms: 30_000,
  });
  const dead = (await states()).find((line) => line.startsWith('1'));
  if (dead === undefined) return 'none is refused';
  const text = await world.output('capture-pane', '-pt', dead.split(' ')[2] ?? '');
  return /^can't run|forkpty|too many/m.test(text) ? 'more are refused with the reason' : `refused with: ${text}`;
}

describe('descriptors', () => {
  fault(
    {
      row: '2.2 EMFILE',
      injected: 'ulimit -n 64 and as many panes as fit, then one closed',
      expected: 'more are refused with the reason; the first pane echoes; a new one fits again; server alive',
    },
    async () => {
      await under('ulimit -n 64; exec "$@"');
      const pulse = await Pulse.start(world.controlPath);
      const refusal = await fill(80);
      const echo = await echoes();
      await world.call(['kill-window', '-t', 'main:1']);
      await world.call(['kill-window', '-t', 'main:2']);
      await world.output('new-window', '-d', '-t', 'main:190', 'exec cat');
      const again = await waitFor(
        async () => (await world.output('list-windows', '-F', '#{window_index}')).split('\n').includes('190'),
        { name: 'a new one' },
      ).then(() => 'a new one fits again');
      return `${refusal}; ${echo}; ${again}; server ${await pulse.stop(3000)}`;
    },
    { ms: 120_000 },
  );

  fault(
    {
      row: '2.2 EMFILE',
      injected: 'ulimit -n 80 and 100 connections that stay',
      expected: 'no core is spun; calls work when they are gone',
    },
    async () => {
      await under('ulimit -n 80; exec "$@"');
      const pid = serverPid(world) ?? 0;
      const open = await Promise.all(
        Array.from({ length: 100 }, async () => {
          const control = await Control.open(world.controlPath).catch(() => undefined);
          void control?.request({ op: 'hello' });
          return control;
        }),
      );
      const before = processorMsOf(pid);
      await new Promise((next) => setTimeout(next, 1000));
      const used = processorMsOf(pid) - before;
      for (const control of open) control?.close();
      await waitFor(async () => (await world.call(['has-session', '-t', 'main'])).code === 0, { name: 'a call' });
      return `${used < 500 ? 'no core is spun' : `${used} ms of a second used`}; calls work when they are gone`;
    },
  );
});

describe('processes', () => {
  const limits = IS_LONG ? Array.from({ length: 48 }, (_, i) => 20 + 4 * i) : [24, 40, 80];
  fault(
    {
      row: '2.2 NPROC',
      injected: `RLIMIT_NPROC of ${limits[0]} to ${limits.at(-1)} as another user, panes until it is reached`,
      expected: 'never aborted: each start works or says why, each server answers',
    },
    async () => {
      for (const limit of limits) {
        // Within the world, which ends all that runs there.
        const base = mkdtempSync(join(world.directory, 'nproc-'));
        chmodSync(world.directory, 0o711);
        chownSync(base, OTHER_UID, OTHER_UID);
        const env = { ...world.env, HOME: base, MPLEX_TMPDIR: base, XDG_STATE_HOME: base };
        const as = `exec setpriv --reuid=${OTHER_UID} --regid=${OTHER_UID} --clear-groups`;
        const call = (...argv: string[]) => under(`${as} "$@"`, env, argv);
        const { code, stderr } = await under(`${as} prlimit --nproc=${limit} "$@"`, env);
        if (code === 0) {
          for (let i = 0; i < 40; i += 10)
            await Promise.all(Array.from({ length: 10 }, () => call('new-window', '-d', '-t', 'main:', 'exec cat')));
          const answer = await call('has-session', '-t', 'main');
          await call('kill-server');
          // The limit may have kept that call from being made.
          for (const left of world.serverPids()) killQuietly(left);
          if (answer.code !== 0) return `limit ${limit}: ${answer.stderr}`;
        } else if (stderr.trim() === '' || /terminate called|core dumped/.test(stderr))
          return `limit ${limit}: ${stderr}`;
        rmSync(base, { recursive: true, force: true });
      }
      return 'never aborted: each start works or says why, each server answers';
    },
    { ms: 60_000 + limits.length * 20_000, unless: IS_ROOT ? missing('setpriv', 'prlimit') : 'needs another user' },
  );
});

describe('ptys', () => {
  fault(
    {
      row: '2.2 pty exhaustion',
      injected: 'a devpts with room for 8 ptys',
      expected: 'more are refused with the reason; the first pane echoes; server alive',
    },
    async () => {
      const mount =
        'mount -t devpts -o newinstance,ptmxmode=0666,max=8 devpts /dev/pts && mount --bind /dev/pts/ptmx /dev/ptmx';
      await under(`exec unshare -m sh -c '${mount} && exec "$@"' sh "$@"`);
      const pulse = await Pulse.start(world.controlPath);
      const refusal = await fill(12);
      return `${refusal}; ${await echoes()}; server ${await pulse.stop(3000)}`;
    },
    { unless: NEEDS_MOUNT },
  );
});

describe('the disk', () => {
  fault(
    {
      row: '2.2 disk full',
      injected: 'state and log on a full disk',
      expected: 'the server runs; the first pane echoes; doctor warns of the log',
    },
    async () => {
      const full = join(world.directory, 'full');
      mkdirSync(full);
      const env = { ...world.env, XDG_STATE_HOME: full };
      const mount = `mount -t tmpfs -o size=64k tmpfs ${full} && cd ${full} && (dd if=/dev/zero of=filler bs=1k 2>/dev/null; true)`;
      const { code } = await under(`exec unshare -m sh -c '${mount} && exec "$@"' sh "$@"`, env, ['-v', ...START]);
      if (code !== 0) return `exit ${code}`;
      // Something to log: a frame that is none.
      const { connect } = await import('node:net');
      await new Promise<void>((resolve) => {
        const socket = connect(world.socketPath, () => socket.write('garbage garbage'));
        socket.on('error', () => {});
        socket.on('close', () => resolve());
        socket.resume();
      });
      const echo = await echoes();
      const { stdout } = await world.call(['doctor']);
      return `the server runs; ${echo}; doctor ${/^warn {2}log /m.test(stdout) ? 'warns of the log' : 'is content'}`;
    },
    { unless: NEEDS_MOUNT },
  );

  fault(
    {
      row: '2.2 read-only state',
      injected: 'the state directory is read-only',
      expected: 'the server runs; the first pane echoes',
    },
    async () => {
      const state = join(world.directory, 'state');
      mkdirSync(state);
      const { code } = await under(`exec unshare -m sh -c 'mount -t tmpfs -o ro tmpfs ${state} && exec "$@"' sh "$@"`);
      return `${code === 0 ? 'the server runs' : `exit ${code}`}; ${await echoes()}`;
    },
    { unless: NEEDS_MOUNT },
  );

  fault(
    {
      row: '2.2 read-only state',
      injected: 'the place of the sockets is read-only',
      expected: 'exit 1: Read-only file system',
    },
    async () => {
      const place = join(world.directory, 'ro');
      mkdirSync(place);
      const env = { ...world.env, MPLEX_TMPDIR: place };
      const { code, stderr } = await under(
        `exec unshare -m sh -c 'mount -t tmpfs -o ro tmpfs ${place} && exec "$@"' sh "$@"`,
        env,
      );
      return `exit ${code}: ${/\((Read-only file system)\)/.exec(stderr)?.[1] ?? stderr}`;
    },
    { unless: NEEDS_MOUNT },
  );
});

const SHIFTED_CLOCK = `
const now = Date.now.bind(Date);
let shift = 0;
const jumps = [86400e3, -2 * 86400e3, 25 * 3600e3];
process.on('SIGUSR2', () => { shift += jumps.shift() ?? 0; });
Date.now = () => now() + shift;
`;

describe('time', () => {
  fault(
    {
      row: '2.2 clock jumps',
      injected: 'the clock jumps by +1 day, -2 days and +25 hours under a dialog of 3 s',
      expected: 'shown, shown, shown, then timeout; the first pane echoes',
    },
    async () => {
      const pid = await startHooked(world, SHIFTED_CLOCK);
      const client = world.attach(['attach-session']);
      await client.until('[main]');
      const control = await Control.open(world.controlPath);
      const flow = await control.show({ kind: 'message', title: 'Well?', timeout: 3 });
      await control.until(flow, { state: 'shown' });
      const states: unknown[] = [];
      for (let i = 0; i < 3; i++) {
        process.kill(pid, 'SIGUSR2');
        await control.run('display-message', '-p', '%H');
        states.push((await control.result(flow)).state);
      }
      const { outcome } = await control.result(flow, 10);
      control.close();
      return `${states.join(', ')}, then ${outcome}; ${await echoes()}`;
    },
  );

  fault(
    {
      row: '2.2 suspend',
      injected: 'server, host, client and program stopped for 2 s',
      expected: 'all go on: typed text arrives once',
    },
    async () => {
      await world.output(...START);
      const client = world.attach(['attach-session']);
      await client.until('[main]');
      const program = Number(await world.output('display-message', '-p', '#{pane_pid}'));
      const all = [...world.serverPids(), client.pid, program];
      for (const pid of all) process.kill(pid, 'SIGSTOP');
      client.type('while-stopped\r');
      await new Promise((next) => setTimeout(next, 2000));
      for (const pid of all) process.kill(pid, 'SIGCONT');
      await client.until(/while-stopped\n+while-stopped/);
      const text = await world.output('capture-pane', '-p');
      return text.split('while-stopped').length - 1 === 2 ? 'all go on: typed text arrives once' : text;
    },
  );
});

const THROWS = `process.on('SIGUSR2', () => { throw new Error('injected bug'); });`;
const REJECTS = `process.on('SIGUSR2', () => { void Promise.reject(new Error('injected bug')); });`;

describe('a bug in the server', () => {
  for (const [what, script] of [
    ['an exception', THROWS],
    ['a rejection', REJECTS],
  ] as const) {
    fault(
      {
        row: '2.2 server exception',
        injected: `${what} that nobody catches`,
        expected: 'session and client are back; a report 600 with the stack and nothing typed',
      },
      async () => {
        const pid = await startHooked(world, script);
        const client = world.attach(['attach-session']);
        await client.until('[main]');
        client.type('typed-secret\r');
        await client.until(/typed-secret\n+typed-secret/);
        process.kill(pid, 'SIGUSR2');
        await waitFor(() => ![undefined, pid].includes(serverPid(world)), { name: 'another server' });
        await client.until('[main]');
        const back = await echoes();
        const state = join(world.directory, 'state/mplex');
        const report = readdirSync(state).find((name) => name.startsWith('crash-')) ?? '';
        const text = readFileSync(join(state, report), 'utf8');
        const mode = (statSync(join(state, report)).mode & 0o777).toString(8);
        const isGood = text.includes('injected bug') && text.includes('hook.cjs') && !text.includes('typed-secret');
        return back === 'the first pane echoes' && isGood
          ? `session and client are back; a report ${mode} with the stack and nothing typed`
          : text;
      },
    );
  }
});

describe('many', () => {
  const panes = IS_LONG ? 200 : 40;
  fault(
    { row: '2.2 200 panes', injected: `${panes} panes`, expected: 'all run; each echoes; server alive' },
    async () => {
      await world.output(...START);
      const argv = Array.from({ length: panes - 1 }, (_, i) => [
        'new-window',
        '-d',
        '-t',
        `main:${i + 1}`,
        'exec cat',
        ';',
      ]).flat();
      await world.output(...argv);
      const pulse = await Pulse.start(world.controlPath);
      const send = Array.from({ length: panes }, (_, i) => [
        'send-keys',
        '-t',
        `main:${i}`,
        `pane-${i}.`,
        'Enter',
        ';',
      ]).flat();
      await world.output(...send);
      for (let i = 0; i < panes; i++)
        await waitFor(async () => (await world.output('capture-pane', '-pt', `main:${i}`)).includes(`pane-${i}.`), {
          name: `pane ${i}`,
          ms: 20_000,
        });
      return `all run; each echoes; server ${await pulse.stop(2000)}`;
    },
    { ms: 300_000 },
  );

  const clients = IS_LONG ? 50 : 6;
  fault(
    {
      row: '2.2 50 clients',
      injected: `${clients} clients on one session under a flood`,
      expected: 'all see the end; server alive',
    },
    async () => {
      await world.output(
        '-f',
        '/dev/null',
        'new-session',
        '-d',
        '-s',
        'main',
        'read go; seq 1 200000; echo the-end; exec cat',
      );
      const all = Array.from({ length: clients }, () => world.attach(['attach-session']));
      await Promise.all(all.map((client) => client.until('[main]', { ms: 60_000 })));
      const pulse = await Pulse.start(world.controlPath);
      all[0]?.type('go\r');
      await Promise.all(all.map((client) => client.until('the-end', { ms: 60_000 })));
      return `all see the end; server ${await pulse.stop(3000)}`;
    },
    { ms: 300_000 },
  );

  const last = IS_LONG ? 118_000_000 : 2_000_000;
  fault(
    {
      row: '2.2 1 GiB output',
      injected: `numbers up to ${last} printed, ${IS_LONG ? '1 GiB' : '15 MiB'}`,
      expected: 'in order to the last; server alive',
    },
    async () => {
      await world.output('-f', '/dev/null', 'new-session', '-d', '-s', 'main', `seq 1 ${last}; exec cat`);
      const pulse = await Pulse.start(world.controlPath);
      await waitFor(async () => (await world.output('capture-pane', '-p')).includes(`${last}\n`), {
        name: 'the last number',
        ms: 600_000,
      });
      const numbers = (await world.output('capture-pane', '-p', '-S', '-')).trim().split('\n').map(Number);
      const gap = numbers.findIndex((number, i) => i > 0 && number !== (numbers[i - 1] ?? 0) + 1);
      return `${gap < 0 && numbers.at(-1) === last && numbers.length > 2000 ? 'in order to the last' : `gap at ${gap}`}; server ${await pulse.stop(2000)}`;
    },
    { ms: 700_000 },
  );

  const loops = IS_LONG ? 300 : 15;
  fault(
    {
      row: '2.2 client kill -9',
      injected: `${loops} clients attached and killed`,
      expected: 'no client and no descriptor left',
    },
    async () => {
      await world.output(...START);
      const pid = serverPid(world) ?? 0;
      const count = () => readdirSync(`/proc/${pid}/fd`).length;
      const before = count();
      for (let i = 0; i < loops; i++) {
        const client = world.attach(['attach-session']);
        await client.until('[main]');
        client.kill();
        await client.exit;
      }
      await waitFor(async () => (await world.output('list-clients')) === '', { name: 'no client' });
      await waitFor(() => count() <= before + 2, {
        name: 'no descriptor more',
        onTimeout: () => `${before} → ${count()}`,
      });
      return 'no client and no descriptor left';
    },
    { ms: 60_000 + loops * 2000 },
  );
});

describe('logs', () => {
  fault(
    {
      row: 'E4',
      injected: 'a password typed under -v, also as an answer of a dialog',
      expected: 'log 600, no typed text in it',
    },
    async () => {
      await world.output('-v', ...START);
      const client = world.attach(['attach-session']);
      await client.until('[main]');
      client.type('hunter2-in-pane\r');
      await client.until('hunter2-in-pane');
      const control = await Control.open(world.controlPath);
      const flow = await control.show({ kind: 'text', title: 'Password?' });
      await client.until('● ');
      client.type('hunter2-in-dialog\r');
      await control.until(flow, { done: true });
      const listed = await control.run('flow-queue');
      control.close();
      const log = readdirSync(world.directory).find((name) => /^mplex-server-\d+\.log$/.test(name));
      await world.output('kill-server');
      if (log === undefined) {
        // Nothing was worth a line: then nothing typed is in it either.
        return listed.includes('hunter2') ? 'in the list' : 'log 600, no typed text in it';
      }
      const text = readFileSync(join(world.directory, log), 'utf8');
      const mode = (statSync(join(world.directory, log)).mode & 0o777).toString(8);
      return `log ${mode}, ${text.includes('hunter2') || listed.includes('hunter2') ? 'typed text' : 'no typed text'} in it`;
    },
  );

  fault({ row: 'E3', injected: 'a pane and a client', expected: 'pane tty 600, the client’s as before' }, async () => {
    await world.output(...START);
    const client = world.attach(['attach-session']);
    await client.until('[main]');
    const [pane = '', tty = ''] = [
      await world.output('display-message', '-p', '#{pane_tty}'),
      await world.output('list-clients', '-F', '#{client_name}'),
    ];
    const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
    const during = mode(tty);
    client.press('C-b d');
    await client.exit;
    return `pane tty ${mode(pane)}, the client’s ${!existsSync(tty) || during === '620' ? 'as before' : during}`;
  });
});
