/** Programs and people of other rights: what a server may not end, and whose environment, limits and sockets are whose. */
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe } from 'vitest';
import { fault, IS_ROOT, missing, OTHER_UID } from '../support/fault.ts';
import { type CallResult, MPLEX, World, waitFor } from '../support/program.ts';

const START = ['-f', '/dev/null', 'new-session', '-d', '-s', 'main', '-x', '80', '-y', '24'];
const NEEDS_ROOT = IS_ROOT ? missing('setpriv') : 'needs root';

let world: World;
let strays: number[] = [];

beforeEach(() => {
  world = new World();
  strays = [];
});

afterEach(async () => {
  for (const pid of strays) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended.
    }
  }
  await world.close();
});

/** A call of another user, whose HOME and sockets are in `base`. */
function callAsOther(base: string, argv: readonly string[]): Promise<CallResult> {
  const env = { ...world.env, HOME: base, MPLEX_TMPDIR: base, XDG_STATE_HOME: base };
  const setpriv = [`--reuid=${OTHER_UID}`, `--regid=${OTHER_UID}`, '--clear-groups', process.execPath, MPLEX];
  const child = spawn('setpriv', [...setpriv, ...argv], { env, cwd: base, stdio: ['ignore', 'pipe', 'pipe'] });
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk;
    });
  }
  return new Promise((done) => child.on('close', (code) => done({ code: code ?? -1, ...text })));
}

/** A directory of the other user, in the world, which ends all that runs there. */
function otherHome(): string {
  chmodSync(world.directory, 0o711);
  const base = mkdtempSync(join(world.directory, 'other-'));
  chownSync(base, OTHER_UID, OTHER_UID);
  return base;
}

function isRunning(pid: number): boolean {
  // kill(2) also finds those that nobody has waited for.
  return existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'latin1'));
}

describe('a program of root in the pane of another user', () => {
  for (const [what, script, after] of [
    ['that ends when its terminal does', 'exec sleep 1000', 'the program has ended'],
    ['that ignores the hang-up', 'trap "" HUP; while :; do sleep 1; done', 'the program runs on'],
  ] as const) {
    fault(
      {
        row: 'E6',
        injected: `kill-pane of a program of root ${what}`,
        expected: `exit 0, the pane is gone; ${after}; another pane echoes; kill-server ends server and host`,
      },
      async () => {
        const base = otherHome();
        // What sudo is: a program of root that anybody may start, real user id included.
        const suid = join(world.directory, 'as-root');
        copyFileSync(execFileSync('sh', ['-c', 'command -v setpriv'], { encoding: 'utf8' }).trim(), suid);
        chmodSync(suid, 0o4755);
        await callAsOther(base, [...START, 'exec cat']);
        const run = `exec ${suid} --reuid=0 --regid=0 --clear-groups sh -c 'echo running; ${script}'`;
        await callAsOther(base, ['new-window', '-d', '-t', 'main:1', run]);
        const text = async (pane: string) => (await callAsOther(base, ['capture-pane', '-pt', pane])).stdout;
        await waitFor(async () => (await text('main:1')).includes('running'), { name: 'the program' });
        const pid = Number((await callAsOther(base, ['list-panes', '-t', 'main:1', '-F', '#{pane_pid}'])).stdout);
        strays.push(pid);
        if (!/^Uid:\s+0\s+0/m.test(readFileSync(`/proc/${pid}/status`, 'latin1'))) return 'it is not of root';
        const { code } = await callAsOther(base, ['kill-pane', '-t', 'main:1']);
        const left = (await callAsOther(base, ['list-windows', '-t', 'main', '-F', '#{window_index}'])).stdout.trim();
        // SIGKILL comes 5 s after the hang-up.
        const end = performance.now() + 7000;
        await waitFor(() => !isRunning(pid) || performance.now() > end, { name: 'the end' });
        const state = isRunning(pid) ? 'the program runs on' : 'the program has ended';
        await callAsOther(base, ['send-keys', '-t', 'main:0', 'still', 'Enter']);
        await waitFor(async () => (await text('main:0')).includes('still'), { name: 'an echo' });
        await callAsOther(base, ['kill-server']);
        const isOver = await waitFor(() => world.serverPids().length === 0, {
          name: 'the end of server and host',
        }).then(() => 'kill-server ends server and host');
        return `exit ${code}, the pane ${left === '0' ? 'is gone' : `is among ${left}`}; ${state}; another pane echoes; ${isOver}`;
      },
      { unless: NEEDS_ROOT },
    );
  }
});

describe('the environment of a second client', () => {
  fault(
    {
      row: 'E2',
      injected: 'a second client with DISPLAY and SSH_CONNECTION of its own and a token, which opens a window',
      expected: 'the window has its DISPLAY and SSH_CONNECTION, and no token; the first pane’s are the starter’s',
    },
    async () => {
      const starter = { DISPLAY: ':1', SSH_CONNECTION: 'one', MPLEX_TOKEN: 'secret-of-one' };
      const show = 'echo "=$DISPLAY,$SSH_CONNECTION,$MPLEX_TOKEN="; exec cat';
      await world.call([...START, show], { env: starter });
      await world.output('set-option', '-g', 'default-command', show);
      const env = { DISPLAY: ':2', SSH_CONNECTION: 'two', MPLEX_TOKEN: 'secret-of-two' };
      const client = world.attach(['attach-session'], { env });
      await client.until('[main]');
      client.press('C-b c');
      await client.until(/1:\S+\*/);
      const shown = async (pane: string) => /=(.*)=/.exec(await world.output('capture-pane', '-pt', pane))?.[1];
      await waitFor(async () => (await shown('main:1')) !== undefined, { name: 'the environment' });
      const [first, second] = [await shown('main:0'), await shown('main:1')];
      return first === ':1,one,' && second === ':2,two,'
        ? 'the window has its DISPLAY and SSH_CONNECTION, and no token; the first pane’s are the starter’s'
        : `${first} then ${second}`;
    },
  );
});

describe('core dumps', () => {
  fault({ row: 'E7', injected: 'a start under ulimit -c 0', expected: 'server, host and panes have 0' }, async () => {
    const child = spawn(
      'sh',
      ['-c', 'ulimit -c 0; exec "$@"', 'sh', process.execPath, MPLEX, ...START, 'ulimit -c; exec cat'],
      {
        env: world.env,
        cwd: world.directory,
        stdio: 'ignore',
      },
    );
    await new Promise((done) => child.on('exit', done));
    // Before it runs its program, a fork of the host looks as the host does.
    await waitFor(async () => /^0/.test(await world.output('capture-pane', '-p')), { name: 'the limit in the pane' });
    const pids = world.serverPids();
    const limits = pids.map(
      (pid) => /^Max core file size\s+(\S+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'latin1'))?.[1],
    );
    return pids.length === 2 && limits.every((limit) => limit === '0')
      ? 'server, host and panes have 0'
      : limits.join();
  });
});

describe('root at the server of a user', () => {
  fault(
    {
      row: 'E8',
      injected: 'an attach as root to the server of another user',
      expected: 'it is told whose server it is; so is who looks at the messages; panes are of that user',
    },
    async () => {
      const base = otherHome();
      await callAsOther(base, [...START, 'exec cat']);
      const socket = join(base, `mplex-${OTHER_UID}`, 'default');
      const client = world.attach(['-S', socket, 'attach-session', '-t', 'main']);
      await client.until(`uid 0 at a server of uid ${OTHER_UID}`);
      const messages = (await callAsOther(base, ['show-messages'])).stdout;
      client.press('C-b :');
      client.type("split-window 'id -u; exec cat'\r");
      await client.until(String(OTHER_UID));
      return `it is told whose server it is; ${messages.includes('uid 0 at a server') ? 'so is who looks at the messages' : messages}; panes are of that user`;
    },
    { unless: NEEDS_ROOT },
  );
});
