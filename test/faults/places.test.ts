/** The socket's directory and files, squatted, linked, open or raced for: nothing of anybody else's is used or touched. */
import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe } from 'vitest';
import { Control } from '../support/control.ts';
import { fault, IS_ROOT, missing, OTHER_UID } from '../support/fault.ts';
import { MPLEX, World, waitFor } from '../support/program.ts';
import { killServer, serverPid } from '../support/survivor.ts';

const UID = process.getuid?.() ?? 0;
const IS_LONG = process.env.MPLEX_SOAK_RUNS !== undefined;
const NEEDS_ROOT = IS_ROOT ? undefined : 'needs the rights of another user';

let world: World;
let directory = '';

beforeEach(() => {
  world = new World();
  directory = join(world.directory, `mplex-${UID}`);
});

afterEach(() => world.close());

const start = (...flags: string[]) =>
  world.call([...flags, '-f', '/dev/null', 'new-session', '-d', '-s', 'main', 'exec cat']);

/** What a start in a wrong place says, and what became of the place. */
async function refused(untouched: () => string): Promise<string> {
  const before = untouched();
  const { code, stderr } = await start();
  const said = stderr.trim().replaceAll(directory, 'DIR');
  const started = world.serverPids().length > 0 ? '; a server runs' : '';
  return `exit ${code}: ${said}; ${untouched() === before ? 'untouched' : 'changed'}${started}`;
}

function lookAt(path: string): string {
  const { mode, uid, ino, size } = lstatSync(path);
  return [mode, uid, ino, size].join();
}

describe('a squatted directory', () => {
  fault(
    {
      row: 'D1',
      injected: 'the directory belongs to another user',
      expected: `exit 1: directory DIR belongs to somebody else (uid ${OTHER_UID}); untouched`,
    },
    async () => {
      mkdirSync(directory, { mode: 0o700 });
      chownSync(directory, OTHER_UID, OTHER_UID);
      return refused(() => lookAt(directory));
    },
    { unless: NEEDS_ROOT },
  );

  fault(
    {
      row: 'D1',
      injected: 'it is a link to a private directory',
      expected: 'exit 1: DIR is not a directory; untouched',
    },
    async () => {
      const real = join(world.directory, 'real');
      mkdirSync(real, { mode: 0o700 });
      symlinkSync(real, directory);
      return refused(() => lookAt(directory) + lookAt(real) + readdirSync(real).join());
    },
  );

  fault(
    {
      row: 'D1',
      injected: 'it is open to all (0777)',
      expected: 'exit 1: directory DIR has unsafe permissions; untouched',
    },
    async () => {
      mkdirSync(directory);
      chmodSync(directory, 0o777);
      return refused(() => lookAt(directory));
    },
  );

  fault({ row: 'D1', injected: 'it is a file', expected: 'exit 1: DIR is not a directory; untouched' }, async () => {
    writeFileSync(directory, 'mine');
    return refused(() => lookAt(directory) + readFileSync(directory, 'utf8'));
  });

  fault(
    {
      row: 'D1',
      injected: 'a live socket of a stranger is at the name',
      expected: 'exit 3: not an mplex server: DIR/default; untouched',
    },
    async () => {
      mkdirSync(directory, { mode: 0o700 });
      const stranger = createServer((socket) => socket.end('hello, I am somebody else\n'));
      await new Promise<void>((resolve) => stranger.listen(world.socketPath, resolve));
      const seen = await refused(() => lookAt(world.socketPath));
      stranger.close();
      return seen;
    },
  );
});

describe('modes', () => {
  for (const umask of ['000', '022', '077']) {
    fault(
      { row: 'D2', injected: `a start under umask ${umask}`, expected: 'directory 700; sockets 600 600 600' },
      async () => {
        await new Promise<void>((resolve) => {
          const argv = [process.execPath, MPLEX, '-f', '/dev/null', 'new-session', '-d', 'exec cat'];
          const child = spawn('sh', ['-c', `umask ${umask}; exec "$@"`, 'sh', ...argv], {
            env: world.env,
            stdio: 'ignore',
          });
          child.on('exit', () => resolve());
        });
        await waitFor(() => existsSync(`${world.socketPath}.host`), { name: 'the host' });
        const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
        const sockets = [world.socketPath, world.controlPath, `${world.socketPath}.host`];
        return `directory ${mode(directory)}; sockets ${sockets.map(mode).join(' ')}`;
      },
    );
  }

  fault(
    { row: 'D2', injected: 'a start under umask 000, each call traced', expected: 'every bind under 0177' },
    async () => {
      const trace = join(world.directory, 'trace');
      const argv = [process.execPath, MPLEX, '-f', '/dev/null', 'new-session', '-d', 'exec cat'];
      const strace = ['-f', '-e', 'trace=umask,bind', '-o', trace, ...argv];
      await new Promise<void>((resolve) => {
        const child = spawn('sh', ['-c', 'umask 000; exec strace "$@"', 'sh', ...strace], {
          env: world.env,
          stdio: 'ignore',
        });
        // strace goes on with the server; the sockets are there when the caller has its answer.
        waitFor(() => existsSync(world.controlPath) && existsSync(`${world.socketPath}.host`), {
          name: 'the sockets',
          ms: 30_000,
        }).then(resolve, resolve);
        child.on('exit', () => resolve());
      });
      await world.call(['kill-server']);
      const masks = new Map<string, string>();
      let bad = 0;
      let binds = 0;
      for (const line of readFileSync(trace, 'latin1').split('\n')) {
        const [, pid = '', call = ''] = /^(\d+)\s+(.*)$/.exec(line) ?? [];
        const mask = /^umask\((0\d*)/.exec(call)?.[1];
        if (mask !== undefined) masks.set(pid, mask);
        if (!call.startsWith('bind(') || !call.includes('AF_UNIX')) continue;
        binds += 1;
        if (masks.get(pid) !== '0177') bad += 1;
      }
      return binds >= 3 && bad === 0 ? 'every bind under 0177' : `${bad} of ${binds} binds not`;
    },
    { unless: missing('strace') },
  );
});

describe('another user', () => {
  fault(
    { row: 'D3', injected: 'a call and a control connection as another uid', expected: 'Permission denied; EACCES' },
    async () => {
      await start();
      const base = mkdtempSync(join(tmpdir(), 'mplex-other-'));
      chmodSync(base, 0o777);
      const run = (...argv: string[]) => {
        try {
          execFileSync('setpriv', [`--reuid=${OTHER_UID}`, `--regid=${OTHER_UID}`, '--clear-groups', ...argv], {
            env: { ...world.env, HOME: base, MPLEX_TMPDIR: base },
            stdio: ['ignore', 'pipe', 'pipe'],
            encoding: 'utf8',
          });
          return 'let in';
        } catch (error) {
          return String((error as { stderr: string }).stderr);
        }
      };
      const call = run(process.execPath, MPLEX, '-S', world.socketPath, 'list-sessions');
      const script = `require('node:net').connect(${JSON.stringify(world.controlPath)}).on('error', (e) => { console.error(e.code); process.exit(1); })`;
      const control = run(process.execPath, '-e', script);
      rmSync(base, { recursive: true });
      return `${/\((Permission denied)\)/.exec(call)?.[1] ?? call}; ${control.trim()}`;
    },
    { unless: NEEDS_ROOT ?? missing('setpriv') },
  );
});

describe('odd names', () => {
  const names: readonly (readonly [string, string, string])[] = [
    ['a name of 200 bytes', 'x'.repeat(200), 'exit 1: socket path is too long; no file'],
    ['a name with a newline', 'a\nb', 'works'],
    ['a name with a blank and a quote', `a 'b`, 'works'],
  ];
  for (const [what, name, expected] of names) {
    fault({ row: 'D4', injected: `-L ${what}`, expected }, async () => {
      const { code, stderr } = await start('-L', name);
      if (code === 0) {
        const { stdout } = await world.call(['-L', name, 'list-sessions', '-F', '#{session_name}']);
        await world.call(['-L', name, 'kill-server']);
        return stdout === 'main\n' ? 'works' : stdout;
      }
      const files = readdirSync(directory);
      return `exit ${code}: ${stderr.split(' (')[0]}; ${files.length === 0 ? 'no file' : files.join()}`;
    });
  }
});

describe('links where mplex writes', () => {
  fault(
    {
      row: 'D5',
      injected: 'the socket names are links to a file of the user',
      expected: 'a server runs; the file untouched',
    },
    async () => {
      mkdirSync(directory, { mode: 0o700 });
      const victim = join(world.directory, 'victim');
      writeFileSync(victim, 'precious');
      const before = lookAt(victim);
      for (const name of ['default', 'default.ctl', 'default.host']) symlinkSync(victim, join(directory, name));
      await start();
      const { stdout } = await world.call(['list-sessions', '-F', '#{session_name}']);
      const isSame = lookAt(victim) === before && readFileSync(victim, 'utf8') === 'precious';
      return `${stdout === 'main\n' ? 'a server runs' : 'no server'}; the file ${isSame ? 'untouched' : 'changed'}`;
    },
  );

  fault(
    { row: 'D5', injected: 'the log is a link to a file of the user', expected: 'a server runs; the file untouched' },
    async () => {
      const victim = join(world.directory, 'victim');
      writeFileSync(victim, 'precious');
      // The name holds the starter's pid, so the shell that becomes the starter makes the link.
      const script = `ln -s ${victim} mplex-server-$$.log; exec "$@"`;
      const argv = [process.execPath, MPLEX, '-v', '-f', '/dev/null', 'new-session', '-d', '-s', 'main', 'exec cat'];
      execFileSync('sh', ['-c', script, 'sh', ...argv], { env: world.env, cwd: world.directory, stdio: 'ignore' });
      await world.call(['kill-session']);
      return `a server runs; the file ${readFileSync(victim, 'utf8') === 'precious' ? 'untouched' : 'changed'}`;
    },
  );
});

describe('an election', () => {
  const rounds = IS_LONG ? 50 : 2;
  for (const [what, prepare] of [
    ['nothing is there', async () => {}],
    [
      'a dead server left its sockets',
      async () => {
        await start();
        for (const pid of world.serverPids()) process.kill(pid, 'SIGKILL');
        await waitFor(() => world.serverPids().length === 0, { name: 'the end of all' });
      },
    ],
  ] as const) {
    fault(
      {
        row: '2.2 election',
        injected: `20 starters at once where ${what}, ${rounds} times`,
        expected: 'one server, 20 sessions, each time',
      },
      async () => {
        for (let round = 0; round < rounds; round++) {
          await prepare();
          const calls = Array.from({ length: 20 }, (_, i) =>
            world.call(['-f', '/dev/null', 'new-session', '-d', '-s', `s${i}`, 'exec cat']),
          );
          const failed = (await Promise.all(calls)).filter(({ code }) => code !== 0);
          if (failed.length > 0) return `${failed.length} failed: ${failed[0]?.stderr}`;
          const sessions = (await world.output('list-sessions', '-F', '#{session_name}'))
            .split('\n')
            .filter((name) => /^s\d+$/.test(name));
          await waitFor(() => world.serverPids().length === 2, { name: 'one server and one host', ms: 15_000 });
          if (sessions.length !== 20) return `${sessions.length} sessions`;
          await world.output('kill-server');
          await waitFor(() => world.serverPids().length === 0, { name: 'the end of all' });
        }
        return 'one server, 20 sessions, each time';
      },
      { ms: 60_000 + rounds * 30_000 },
    );
  }
});

describe('sockets that go away', () => {
  for (const what of ['the names', 'the whole directory'] as const) {
    fault(
      {
        row: '2.2 deleted socket',
        injected: `${what} removed, then SIGUSR1`,
        expected: 'calls and control work again, mode 600',
      },
      async () => {
        await start();
        const pid = serverPid(world) ?? 0;
        if (what === 'the names') for (const path of [world.socketPath, world.controlPath]) rmSync(path);
        else rmSync(directory, { recursive: true });
        process.kill(pid, 'SIGUSR1');
        await waitFor(async () => (await world.call(['-N', 'list-sessions'])).stdout.startsWith('main:'), {
          name: 'an answer',
        });
        const control = await Control.open(world.controlPath);
        const { ok } = await control.request({ op: 'hello' });
        control.close();
        const modes = [world.socketPath, world.controlPath].map((path) => (statSync(path).mode & 0o777).toString(8));
        return ok === true && modes.join() === '600,600' ? 'calls and control work again, mode 600' : `${ok} ${modes}`;
      },
    );
  }

  fault(
    {
      row: '2.2 deleted socket',
      injected: 'the host socket removed, then the server killed',
      expected: 'the session is back',
    },
    async () => {
      await start();
      const pid = serverPid(world);
      rmSync(`${world.socketPath}.host`);
      process.kill(pid ?? 0, 'SIGUSR1');
      await waitFor(() => readdirSync(directory).includes('default.host'), { name: 'the host socket', ms: 5000 });
      killServer(world);
      await waitFor(async () => (await world.call(['list-sessions'])).stdout.startsWith('main:'), {
        name: 'the session',
      });
      return 'the session is back';
    },
  );
});
