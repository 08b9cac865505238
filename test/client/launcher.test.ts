import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseGlobalFlags, startsServer } from '../../client/cli.ts';
import { type CallMessage, decodeCallMessage, encodeCallMessage } from '../../protocol/call-codec.ts';
import { FrameDecoder } from '../../protocol/frame-decoder.ts';
import { CLIENT_FRAME_MAX, type CommandCall, PROTOCOL_MAJOR, PROTOCOL_MINOR } from '../../protocol/message.ts';
import { PROMPT, World } from '../support/program.ts';
import { waitUntil } from '../support/wait-until.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const BIN = join(ROOT, 'bin/mplex');
const LAUNCHER = join(ROOT, 'dist/mplex-launcher');
/** The build makes it wherever there is a C compiler. */
const hasLauncher = existsSync(LAUNCHER);
const WAYS = hasLauncher ? (['launcher', 'node'] as const) : (['node'] as const);
if (!hasLauncher) console.warn('no C compiler at build: the launcher is not tested');

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface CallOptions {
  readonly input?: string | Buffer;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

let world: World;

beforeEach(() => {
  world = new World({}, [BIN]);
});
afterEach(() => world.close());

function environOf(way: string, env: CallOptions['env'] = {}): Record<string, string> {
  return { ...world.env, ...env, ...(way === 'node' ? { MPLEX_NO_LAUNCHER: '1' } : {}) };
}

/** The program as users call it, with a server in another process. */
function callOne(way: string, argv: readonly string[], options: CallOptions = {}): Promise<Outcome> {
  const child = spawn(BIN, argv, { env: environOf(way, options.env), cwd: options.cwd ?? world.directory });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('latin1').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('latin1').on('data', (text: string) => {
    output.stderr += text;
  });
  child.stdin.on('error', () => {});
  child.stdin.end(options.input ?? '');
  return new Promise((done) => child.on('close', (code) => done({ code, ...output })));
}

/** What a call does, which has to be the same both ways. */
async function call(argv: readonly string[], options: CallOptions = {}): Promise<Outcome> {
  const [first, ...others] = await Promise.all(WAYS.map((way) => callOne(way, argv, options)));
  for (const other of others) expect(other).toEqual(first);
  return first ?? { code: null, stdout: '', stderr: '' };
}

/** The words of a process, `NAME.host` as NAME; none where it has ended. */
function argvOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('.host\0', '\0').split('\0');
  } catch {
    return [];
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

describe('a call', () => {
  beforeEach(async () => {
    expect((await callOne('launcher', ['-f/dev/null', 'new-session', '-d', '-s', 'one', 'exec cat'])).code).toBe(0);
  });

  it('prints what the server says, byte for byte, and exits with its code', async () => {
    expect(await call(['list-sessions', '-F', '#{session_name} ä😀'])).toEqual({
      code: 0,
      stdout: Buffer.from('one ä😀\n').toString('latin1'),
      stderr: '',
    });
    expect(await call(['has-session', '-t', 'two'])).toEqual({
      code: 1,
      stdout: '',
      stderr: "can't find session: two\n",
    });
    expect((await call(['no-such-command'])).stderr).toBe('unknown command: no-such-command\n');
    expect((await call(['display-message', '-p', 'a', ';', 'display-message', '-p', 'b\\;'])).stdout).toBe('a\nb;\n');
    expect((await call(['run-shell', 'exit 3'])).stderr).toBe('');
  });

  it('takes standard input when the server asks for it, all of it', async () => {
    const text = `${'0123456789abcdef'.repeat(16)}\n`.repeat(1200);
    for (const way of WAYS) {
      expect((await callOne(way, ['load-buffer', '-b', way, '-'], { input: text })).code).toBe(0);
      expect((await callOne(way, ['show-buffer', '-b', way])).stdout).toBe(text);
    }
    expect((await call(['load-buffer', '-b', 'none', '-'])).code).toBe(0);
    expect((await call(['source-file', '-'], { input: 'display-message -p hello\n' })).stdout).toBe('hello\n');
  });

  it('has nothing to read or to write where standard input or output is closed', async () => {
    const closed = (way: string, redirection: string, argv: readonly string[]) =>
      new Promise<number | null>((done) => {
        const child = spawn('/bin/sh', ['-c', `exec "$0" "$@" ${redirection}`, BIN, ...argv], {
          env: environOf(way),
          stdio: 'ignore',
        });
        child.on('close', done);
      });
    for (const way of WAYS) {
      expect(await closed(way, '<&-', ['load-buffer', '-'])).toBe(0);
      expect(await closed(way, '<&-', ['-C', 'attach-session'])).toBe(0);
      expect(await closed(way, '>&-', ['list-sessions'])).toBe(0);
      expect(await closed(way, '<&- >&- 2>&-', ['new-session', '-d', '-s', `closed-${way}`, 'exec cat'])).toBe(0);
    }
    expect((await call(['has-session', '-t', '=closed-node'])).code).toBe(0);
  });

  it('reads and writes its own descriptors under the names that they have for it', async () => {
    for (const way of WAYS) {
      const run = (line: string) =>
        spawnSync('/bin/sh', ['-c', line, BIN], { env: environOf(way), cwd: world.directory, encoding: 'utf8' });
      expect(run(`echo in | "$0" load-buffer -b '${way}-0' /dev/stdin`)).toMatchObject({ status: 0, stderr: '' });
      expect(run(`"$0" show-buffer -b '${way}-0'`).stdout).toBe('in\n');
      expect(run(`echo five | { "$0" load-buffer -b '${way}-5' /dev/fd/5 5<&0 </dev/null; }`)).toMatchObject({
        status: 0,
      });
      expect(run(`"$0" save-buffer -b '${way}-5' /dev/stdout`).stdout).toBe('five\n');
      expect(run(`"$0" save-buffer -b '${way}-5' /proc/self/fd/7 7>seven; cat seven`).stdout).toBe('five\n');
      const sourced = run('echo display-message -p sourced | "$0" source-file /dev/fd/3 3<&0 </dev/null');
      expect(sourced).toMatchObject({ status: 0, stdout: 'sourced\n' });
      const missing = run('"$0" load-buffer /dev/fd/999');
      expect(missing).toMatchObject({ status: 1, stderr: '/dev/fd/999: No such file or directory\n' });
    }
  });

  it('hands a configuration on that is a descriptor of its own', () => {
    for (const way of WAYS) {
      const run = (line: string) =>
        spawnSync('/bin/sh', ['-c', line, BIN], { env: environOf(way), cwd: world.directory, encoding: 'utf8' });
      const start = '"$0" -L configured -f /dev/fd/5 new-session -d "exec cat" 5<&0 </dev/null';
      expect(run(`echo set-option -g @given ${way} | ${start}`)).toMatchObject({ status: 0, stderr: '' });
      expect(run('"$0" -L configured show-options -gv @given').stdout).toBe(`${way}\n`);
      expect(run('"$0" -L configured kill-server').status).toBe(0);
    }
  });

  it('gives bytes back that are no text', async () => {
    const bytes = Buffer.from([0x61, 0, 0xff, 0xc0, 0x0a, 0xe9]);
    for (const way of WAYS) await callOne(way, ['load-buffer', '-b', way, '-'], { input: bytes });
    for (const name of WAYS) {
      expect((await call(['save-buffer', '-b', name, '-'])).stdout).toBe(bytes.toString('latin1'));
      expect((await call(['show-buffer', '-b', name])).stdout).toBe(bytes.toString('latin1'));
      expect((await call(['save-buffer', '-b', name, 'saved'])).code).toBe(0);
      expect(readFileSync(join(world.directory, 'saved'))).toEqual(bytes);
    }
    expect((await call(['list-buffers', '-F', '#{buffer_size}'])).stdout).toBe('6\n'.repeat(WAYS.length));
  });

  it.each([
    ['--help', 1, ''],
    ['-V', 1, ''],
    ['doctor', 1, ''],
    ['flow schema', 1, ''],
    ['ask --help', 125, 'mplex ask: '],
  ])('tells in one line what a word of its own cannot write: %s', async (words, expected, name) => {
    const env = environOf('node');
    const said = spawnSync('/bin/sh', ['-c', `'${BIN}' ${words} >/dev/full`], { env, encoding: 'utf8' });
    expect(said).toMatchObject({ status: expected, stderr: `${name}can't write: No space left on device\n` });
    const unread = spawnSync('/bin/sh', ['-c', `'${BIN}' ${words} | :`], { env, encoding: 'utf8' });
    expect(unread).toMatchObject({ stderr: '' });
  });

  it('passes long and odd arguments on', async () => {
    const long = 'x'.repeat(100_000);
    expect((await call(['display-message', '-p', long])).stdout).toBe(`${long}\n`);
    const many = Array.from({ length: 500 }, (_, i) => `w${i}`);
    expect((await call(['display-message', '-p', many.join(' ')])).stdout).toBe(`${many.join(' ')}\n`);
    expect((await call(['display-message', '-p', ''])).code).toBe(0);
    expect((await call(['display-message', '-p', 'a\nb\tc'])).code).toBe(0);
  });

  it.each([
    ['list-keys', 0],
    ['list-keys \\; has-session -t nowhere', 1],
  ])('goes on when nobody reads what it prints, and exits with its code: %s', async (words, expected) => {
    for (const way of WAYS) {
      const script = `{ "$PROGRAM" ${words}; echo $? >&3; } 3>code 2>err | :`;
      const cwd = join(world.directory, `unread-${way}`);
      mkdirSync(cwd);
      spawnSync('/bin/sh', ['-c', script], { cwd, env: { ...environOf(way), PROGRAM: BIN } });
      expect(readFileSync(join(cwd, 'code'), 'utf8')).toBe(`${expected}\n`);
      expect(readFileSync(join(cwd, 'err'), 'utf8')).toBe(expected === 0 ? '' : "can't find session: nowhere\n");
    }
  });

  it('says so when what it prints cannot be written', async () => {
    for (const way of WAYS) {
      const env = environOf(way);
      const said = spawnSync('/bin/sh', ['-c', `'${BIN}' list-keys >/dev/full`], { env, encoding: 'utf8' });
      expect(said).toMatchObject({ status: 1, stderr: "can't write: No space left on device\n" });
    }
  });

  it('prints everything where another program has left the output without waiting', async () => {
    const text = `${'0123456789abcdef'.repeat(16)}\n`.repeat(4000);
    await callOne('node', ['load-buffer', '-b', 'long', '-'], { input: text });
    // Node sets O_NONBLOCK, for all who share the pipe, and cannot put it back when it is killed.
    const leave = `'${process.execPath}' -e 'process.stdout; process.kill(process.pid, 9)'`;
    const script = `{ ${leave}; '${BIN}' show-buffer -b long; echo $? >code; } 2>err | cat`;
    for (const way of WAYS) {
      const cwd = join(world.directory, `left-${way}`);
      mkdirSync(cwd);
      const { stdout } = spawnSync('/bin/sh', ['-c', script], { cwd, env: environOf(way), encoding: 'utf8' });
      expect(readFileSync(join(cwd, 'code'), 'utf8')).toBe('0\n');
      expect(stdout).toBe(text);
    }
  });

  it.each([
    ['without', "process.binding = () => { throw new Error('denied'); };"],
    ['with another', 'process.binding = () => ({ Pipe: class {} });'],
  ])('makes a call under a Node %s handle of a pipe', async (_what, preload) => {
    const file = join(world.directory, 'preload.cjs');
    writeFileSync(file, preload);
    const argv = ['--require', file, join(ROOT, 'dist/mplex.js'), 'list-sessions', '-F', 'x'];
    const said = spawnSync(process.execPath, argv, { env: environOf('node'), encoding: 'utf8' });
    expect(said).toMatchObject({ status: 0, stdout: 'x\n', stderr: '' });
  });

  it('is told of no deprecation', async () => {
    const argv = ['--pending-deprecation', join(ROOT, 'dist/mplex.js'), 'list-sessions', '-F', 'x'];
    const said = spawnSync(process.execPath, argv, { env: environOf('node'), encoding: 'utf8' });
    expect(said).toMatchObject({ status: 0, stdout: 'x\n', stderr: '' });
  });

  it('passes on both ways of control mode, however slowly its replies are read', async () => {
    const lines = Array.from({ length: 300 }, (_, i) => `display-message -p ${i} ; list-keys -T copy-mode\n`);
    const heard = async (way: string) => {
      const child = spawn(BIN, ['-C', 'attach-session'], { env: environOf(way), cwd: world.directory });
      // More than pipes and sockets hold, before anything is read.
      const written = new Promise((done) => child.stdin.write(lines.join(''), done));
      child.stdin.end();
      await written;
      let text = '';
      child.stdout.setEncoding('utf8').on('data', (more: string) => {
        text += more;
      });
      const code = await new Promise((done) => child.on('close', done));
      return { code, text: text.replace(/^(%(?:begin|end)) \d+ \d+/gm, '$1') };
    };
    const all = [];
    // One by one: the server answers nobody else while it runs so many commands.
    for (const way of WAYS) all.push(await heard(way));
    const [first] = all;
    expect(first?.code).toBe(0);
    expect(first?.text.match(/^%end 1$/gm)).toHaveLength(2 * lines.length);
    expect(first?.text).toMatch(/%exit\n$/);
    for (const other of all) expect(other).toEqual(first);
  });

  it.skipIf(process.platform !== 'linux')('hands no descriptor of its caller to server and pty host', async () => {
    for (const way of WAYS) {
      const script = `exec 5</etc/passwd 9</etc/passwd; exec '${BIN}' -L own-${way} -f/dev/null new-session -d 'exec cat'`;
      spawnSync('/bin/sh', ['-c', script], { env: environOf(way) });
      const socket = join(world.socketPath, '..', `own-${way}`);
      const processes = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && argvOf(pid).includes(socket));
      // A program between fork and exec looks like the host.
      expect(processes.length).toBeGreaterThanOrEqual(2);
      const open = processes.flatMap((pid) =>
        readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`)),
      );
      expect(open.filter((file) => file === '/etc/passwd')).toEqual([]);
      await callOne('node', ['-L', `own-${way}`, 'kill-server']);
    }
  });

  it('starts a server in control mode as well', async () => {
    await callOne('node', ['kill-server']);
    for (const way of WAYS) {
      const { code, stdout } = await callOne(way, ['-C', 'new-session', '-s', 'new', 'cat'], {
        input: 'kill-server\n',
      });
      expect({ code, stdout }).toEqual({
        code: 0,
        stdout: expect.stringMatching(/%session-changed \$0 new\n.*%exit/s),
      });
    }
  });

  it('ends a control mode client whose reader is gone', async () => {
    for (const way of WAYS) {
      const child = spawn(BIN, ['-C', 'attach-session'], { env: environOf(way), cwd: world.directory });
      child.stdout.once('data', () => {
        child.stdout.destroy();
        child.stdin.write('list-keys\n');
      });
      child.stdin.on('error', () => {});
      let errors = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        errors += text;
      });
      const code = await new Promise((done) => child.on('close', done));
      expect({ code, errors }).toEqual({ code: 0, errors: '' });
    }
  });

  it('runs a shell command with the default shell', async () => {
    expect(await call(['-c', 'echo "$0 said"; exit 7'])).toEqual({ code: 7, stdout: 'sh said\n', stderr: '' });
    expect(await call(['-c', 'kill -TERM $$'])).toMatchObject({ code: 143 });
    expect(await call(['-c', 'true', 'list-keys'])).toMatchObject({ code: 2, stdout: '' });
  });

  it.each([['-Z'], ['-h'], ['-L'], ['--help']])(
    "under tmux's name has tmux's words for a wrong flag: %s",
    async (flag) => {
      const told = await call([flag], { env: { MPLEX_CALLED_AS: 'tmux' } });
      expect(told).toMatchObject({ code: 1, stdout: '' });
      expect(told.stderr).toMatch(/^(?:tmux: .*\n)?usage: tmux \[-2CDlNuvV\]/);
    },
  );

  it('has the long flags that a newcomer tries', async () => {
    expect(await call(['--help'])).toEqual(await call(['-h']));
    expect(await call(['--version'])).toEqual(await call(['-V']));
    expect(await call(['--nosuch'])).toMatchObject({ code: 2, stdout: '' });
  });

  it('refuses a call that is too long for a frame', async () => {
    const words = Array.from({ length: 12 }, () => 'x'.repeat(100_000));
    expect(await call(['display-message', '-p', ...words])).toMatchObject({
      code: 1,
      stderr: 'server exited unexpectedly\n',
    });
  });

  it('works in the directory it was called from', async () => {
    const cwd = join(world.directory, 'sub');
    mkdirSync(cwd);
    for (const way of WAYS) {
      await callOne(way, ['new-session', '-d', '-s', `in-${way}`, 'exec cat'], { cwd });
      expect((await callOne(way, ['display-message', '-p', '-t', `in-${way}`, '#{session_path}'])).stdout).toBe(
        `${cwd}\n`,
      );
    }
  });

  it('finds the server by -S, by MPLEX and by a relative path', async () => {
    const empty = join(world.directory, 'empty');
    mkdirSync(empty);
    const elsewhere = { env: { MPLEX_TMPDIR: empty } };
    expect((await call(['list-sessions'], elsewhere)).code).toBe(1);
    expect((await call(['-S', world.socketPath, 'list-sessions', '-F', 'x'], elsewhere)).stdout).toBe('x\n');
    const env = { MPLEX_TMPDIR: empty, MPLEX: `${world.socketPath},1,0` };
    expect((await call(['list-sessions', '-F', 'x'], { env })).stdout).toBe('x\n');
    expect((await call(['-L', 'other', 'list-sessions'], { env })).code).toBe(1);
    expect((await call(['-Sdefault', 'ls', '-Fx'], { cwd: join(world.socketPath, '..') })).stdout).toBe('x\n');
  });

  it('believes TMUX only where it names a socket of mplex', async () => {
    const directory = join(world.directory, 'other');
    mkdirSync(directory);
    const outside = { MPLEX_TMPDIR: directory };
    const own = join(world.socketPath, '..');
    const cases: readonly (readonly [env: Record<string, string>, found: boolean, asTmux: boolean])[] = [
      [{ TMUX: `${world.socketPath},1,0` }, true, true],
      [{ TMUX: `${world.socketPath}/,1,0` }, false, false],
      [{ TMUX: `${own},1,0` }, false, false],
      [{ TMUX: '/tmp/tmux-0/default,1,0' }, false, false],
      [{ TMUX: '/tmp/tmux-0/default,1,0', MPLEX: `${world.socketPath},1,0` }, true, true],
      [{ MPLEX: `${world.socketPath},1,0` }, true, false],
      [{ TMUX: '', MPLEX: ',1,0' }, false, false],
      [{ TMUX: 'mplex-7/x', MPLEX: `${world.socketPath},1,0` }, true, false],
    ];
    for (const [env, found, asTmux] of cases) {
      expect([env, (await call(['has-session'], { env: { ...outside, ...env } })).code]).toEqual([env, found ? 0 : 1]);
      const tmux = { ...outside, ...env, MPLEX_CALLED_AS: 'tmux' };
      expect([tmux, (await call(['has-session'], { env: tmux })).code]).toEqual([tmux, asTmux ? 0 : 1]);
    }
  });

  it('takes no command from a peer of another protocol', async () => {
    const socket = connect(world.socketPath);
    const greeting = { kind: 'hello', major: PROTOCOL_MAJOR + 1, minor: 0, pid: 7, version: '9.9' } as const;
    const flags = { noStart: false, colors256: false, utf8: false, asTmux: false, control: 0 } as const;
    const command = {
      kind: 'command',
      argv: ['kill-server'],
      cwd: '/',
      environ: [],
      pid: 7,
      terminal: undefined,
      flags,
    } as const;
    socket.write(Buffer.concat([encodeCallMessage(greeting), encodeCallMessage(command)]));
    await new Promise((done) => socket.resume().on('close', done));
    expect((await call(['has-session', '-t', 'one'])).code).toBe(0);
  });

  it('attaches over to node where a terminal is needed, and detaches', async () => {
    for (const way of WAYS) {
      const client = world.attach(['attach-session', '-t', 'one'], { env: environOf(way) });
      await client.until('[one]');
      client.press('C-b d');
      expect(await client.exit).toEqual({ code: 0, signal: undefined });
      await client.until('[detached (from session one)]');
    }
    expect((await call(['attach-session', '-t', 'one'])).stderr).toBe('open terminal failed: not a terminal\n');
  });
});

describe('without a server', () => {
  it('tells what tmux tells', async () => {
    expect(await call(['list-sessions'])).toEqual({
      code: 1,
      stdout: '',
      stderr: `error connecting to ${world.socketPath} (No such file or directory)\n`,
    });
    expect((await call(['-N', 'new-session', '-d'])).stderr).toContain('error connecting to');
    const server = await listen(`${world.socketPath}.old`, () => {});
    linkSync(`${world.socketPath}.old`, world.socketPath);
    await close(server);
    expect((await call(['list-sessions'])).stderr).toBe(`no server running on ${world.socketPath}\n`);
  });

  it('says version, usage and mistakes in the same words', async () => {
    expect((await call(['-V'])).stdout).toMatch(/^mplex \d/);
    expect((await call(['-h'])).stdout).toMatch(/^usage: mplex /);
    expect(await call(['-Z', 'list-sessions'])).toMatchObject({ code: 2, stdout: '' });
    expect(await call(['-S'])).toMatchObject({ code: 2, stdout: '' });
    expect((await call(['-V'], { env: { MPLEX_CALLED_AS: 'tmux' } })).stdout).toBe('tmux 3.3a\n');
  });

  it('refuses the same directories and paths', async () => {
    const directory = join(world.socketPath, '..');
    mkdirSync(directory);
    chmodSync(directory, 0o755);
    expect((await call(['ls'])).stderr).toBe(`directory ${directory} has unsafe permissions\n`);
    rmSync(directory, { recursive: true });
    writeFileSync(directory, '');
    expect((await call(['ls'])).stderr).toBe(`${directory} is not a directory\n`);
    rmSync(directory);
    symlinkSync(world.directory, directory);
    expect((await call(['ls'])).stderr).toBe(`${directory} is not a directory\n`);
    rmSync(directory);
    expect((await call(['ls'], { env: { MPLEX_TMPDIR: '/nonexistent' } })).stderr).toContain("couldn't read directory");
    expect((await call(['-L', 'x'.repeat(120), 'ls'])).stderr).toContain('socket path is too long');
    expect(await call(['-S', '', 'ls'])).toMatchObject({ code: 1, stderr: 'socket path is empty\n' });
    expect(await call(['-L', '', 'ls'])).toMatchObject({ code: 1, stderr: 'socket name is empty\n' });
    expect((await call(['-S', join(world.directory, 'missing/s'), 'ls'])).stderr).toContain(
      'No such file or directory',
    );
  });

  it('tells why a server does not start', async () => {
    const long = join(world.directory, 'y'.repeat(104 - world.directory.length));
    expect(await call(['-S', long, 'new-session', '-d'])).toMatchObject({ code: 1 });
    expect((await call(['-S', long, 'new-session', '-d'])).stderr).toContain('socket path too long');
  });

  it('starts a server with its config, by relative paths too, from either way', async () => {
    writeFileSync(join(world.directory, 'my.conf'), 'set -g @mine yes\n');
    for (const way of WAYS) {
      const flags = ['-S', `${way}.sock`, '-f', 'my.conf'];
      expect(await callOne(way, [...flags, 'new-session', '-d', '-s', 's', 'exec cat'])).toMatchObject({
        code: 0,
        stderr: '',
      });
      expect((await callOne(way, [...flags, 'show-options', '-gv', '@mine'])).stdout).toBe('yes\n');
      expect((await callOne(way, [...flags, 'kill-server'])).code).toBe(0);
    }
  });

  it('keeps variables for Node from mplex and hands them to programs', async () => {
    const env = { NODE_OPTIONS: '--no-such-option', NODE_EXTRA_CA_CERTS: '/nonexistent.pem' };
    for (const way of WAYS) {
      const flags = ['-L', way, '-f', '/dev/null'];
      const started = await callOne(way, [...flags, 'new-session', '-d', 'exec cat'], { env });
      expect(started).toEqual({ code: 0, stdout: '', stderr: '' });
      const shown = await callOne(way, [...flags, 'show-environment', '-g'], { env });
      expect(shown.stdout).toContain('NODE_EXTRA_CA_CERTS=/nonexistent.pem\n');
      expect(shown.stdout).not.toContain('MPLEX_KEPT');
      expect(shown.stdout).not.toContain('MPLEX_LAUNCH');
      await callOne(way, [...flags, 'kill-server']);
    }
  });

  it('comes up with a terminal: server, host and client side by side', async () => {
    for (const way of WAYS) {
      const client = world.attach(['-L', way, '-f', '/dev/null', 'new-session', '-s', 'cold'], { env: environOf(way) });
      await client.until(PROMPT);
      client.type('echo pid=$$; exit\r');
      expect(await client.exit).toEqual({ code: 0, signal: undefined });
    }
    await waitUntil('the servers to end', () => world.serverPids().length === 0);
  });

  it('does not keep the pipes of whoever started it', () => {
    for (const way of WAYS) {
      const script = `x=$('${BIN}' -L ${way} -f /dev/null new-session -d 'exec cat' 9>&1); echo "done $x"`;
      const shell = spawnSync('/bin/sh', ['-c', script], { env: environOf(way), encoding: 'utf8', timeout: 15_000 });
      expect(shell.stdout).toBe('done \n');
      spawnSync(BIN, ['-L', way, 'kill-server'], { env: environOf(way) });
    }
  });

  it('finds itself through links, as npm makes them', () => {
    const link = join(world.directory, 'mplex');
    symlinkSync(BIN, join(world.directory, 'first'));
    symlinkSync('first', link);
    for (const way of WAYS) expect(spawnSync(link, ['-V'], { env: environOf(way) }).status).toBe(0);
    symlinkSync('mplex', join(world.directory, 'tmux'));
    for (const way of WAYS) {
      const said = spawnSync(join(world.directory, 'tmux'), ['-V'], { env: environOf(way), encoding: 'utf8' });
      expect(said.stdout).toBe('tmux 3.3a\n');
    }
  });
});

describe('against a server that misbehaves', () => {
  it('words what is wrong the same', async () => {
    const directory = join(world.directory, 'sockets');
    mkdirSync(directory, { mode: 0o700 });
    const hello = encodeCallMessage({ kind: 'hello', major: PROTOCOL_MAJOR, minor: 99, pid: 7, version: '9.9' });
    const old = encodeCallMessage({ kind: 'hello', major: PROTOCOL_MAJOR + 1, minor: 0, pid: 7, version: '9.9' });
    const cutShort = Buffer.concat([hello, Buffer.from([0, 0, 0, 6, 6, 0, 0, 0, 9, 65])]);
    const cases: readonly (readonly [string, Uint8Array, string, number])[] = [
      ['other-major', old, 'server is mplex 9.9', 3],
      ['no-mplex', Buffer.from('SSH-2.0-OpenSSH_9.2\r\n'), '', 3],
      ['silent-end', Buffer.alloc(0), 'closed the connection', 1],
      ['end-in-call', hello, 'server exited unexpectedly', 1],
      ['cut-short', cutShort, 'message cut short', 3],
    ];
    for (const [name, greeting, words, expected] of cases) {
      const path = join(directory, name);
      const server = await listen(path, (socket) => {
        socket.on('error', () => {});
        socket.on('data', () => socket.end(greeting));
      });
      const { code, stderr } = await call(['-S', path, 'list-sessions']);
      expect([name, code]).toEqual([name, expected]);
      expect(stderr).toContain(words);
      await close(server);
    }
  });

  it('takes frames in any pieces, and ignores those it does not know', async () => {
    const path = join(world.directory, 'pieces');
    const server = await listen(path, (socket) => {
      socket.on('error', () => {});
      socket.once('data', () => {
        const frames = Buffer.concat([
          encodeCallMessage({ kind: 'hello', major: PROTOCOL_MAJOR, minor: PROTOCOL_MINOR, pid: 7, version: '9.9' }),
          Buffer.from([0, 0, 0, 3, 99, 1, 2]),
          encodeCallMessage({ kind: 'stdout', bytes: Buffer.from('one\0two\n') }),
          encodeCallMessage({ kind: 'stderr', bytes: Buffer.from('wrong\n') }),
          encodeCallMessage({ kind: 'exit-code', code: 42 }),
        ]);
        let at = 0;
        const next = () => {
          if (at >= frames.length) return socket.end();
          socket.write(frames.subarray(at, ++at), () => setImmediate(next));
          return undefined;
        };
        next();
      });
    });
    expect(await call(['-S', path, 'x'])).toEqual({ code: 42, stdout: 'one\0two\n', stderr: 'wrong\n' });
    await close(server);
  });
});

describe.skipIf(!hasLauncher)('the launcher’s command line', () => {
  it('ships the same call as client/cli.ts reads from the arguments', async () => {
    const path = join(world.directory, 'record');
    let received: CommandCall | undefined;
    const server = await listen(path, (socket) => {
      const decoder = new FrameDecoder(CLIENT_FRAME_MAX);
      socket.on('error', () => {});
      socket.write(encodeCallMessage({ kind: 'hello', major: PROTOCOL_MAJOR, minor: 0, pid: 7, version: '9.9' }));
      socket.on('data', (chunk) => {
        for (const frame of decoder.push(chunk)) {
          const message: CallMessage | undefined = decodeCallMessage(frame);
          if (message?.kind !== 'command') continue;
          received = message;
          socket.end(encodeCallMessage({ kind: 'exit-code', code: 0 }));
        }
      });
    });
    const flag = fc.constantFrom('-2', '-u', '-N', '-q', '-2u', '-Nq', '-l', '-f', '-uf', '-fx', '-Tx', '-L', '--');
    const word = fc.oneof(
      fc.constantFrom('ls', ';', 'a;', '\\;', '-', '--', '-x', ''),
      fc.string({ unit: 'grapheme' }),
    );
    const clean = word.map((text) => Buffer.from(text.replaceAll('\0', '')).toString());
    await fc.assert(
      fc.asyncProperty(fc.array(flag, { maxLength: 4 }), fc.array(clean, { maxLength: 5 }), async (flags, words) => {
        const argv = [...flags, '-S', path, 'command', ...words];
        const expected = parseGlobalFlags(argv);
        if (expected.socketPath !== path) return;
        received = undefined;
        const child = spawn(LAUNCHER, argv, { env: { A: '1', B: 'x=y ä' }, cwd: world.directory, stdio: 'ignore' });
        await new Promise((done) => child.on('close', done));
        expect(received).toEqual({
          kind: 'command',
          argv: expected.argv,
          cwd: world.directory,
          environ: ['A=1', 'B=x=y ä'],
          pid: child.pid,
          terminal: undefined,
          flags: {
            noStart: expected.noStart,
            colors256: expected.colors256,
            utf8: expected.utf8,
            asTmux: false,
            control: 0,
          },
        });
      }),
      { numRuns: 60 },
    );
    await close(server);
  });

  it('starts a server for the same commands as client/cli.ts', () => {
    const dist = join(world.directory, 'dist');
    mkdirSync(dist);
    copyFileSync(LAUNCHER, join(dist, 'mplex-launcher'));
    writeFileSync(join(dist, 'ptyhost.js'), '');
    writeFileSync(join(dist, 'mplexd.js'), "require('node:fs').writeSync(3, 'not today\\n');");
    const word = fc.constantFrom(
      'n',
      'new',
      'new-',
      'new-s',
      'new-w',
      'a',
      'at',
      'attach',
      'attach-session',
      'attachs',
    );
    const list = fc.constantFrom('list-k', 'list-', 'list-c', 'list-co', 'list-commands', 'lsk', 'lscm', 'ls');
    const other = fc.constantFrom('star', 'start', 'sta', 'start-server', ';', 'ls;', 'ls\\;', 'new;', '-d', '');
    fc.assert(
      fc.property(fc.array(fc.oneof(word, list, other), { maxLength: 4 }), (argv) => {
        const launcher = join(dist, 'mplex-launcher');
        const { stderr } = spawnSync(launcher, ['--', ...argv], { env: world.env, encoding: 'utf8' });
        expect(stderr === 'not today\n').toBe(startsServer(argv));
      }),
      { numRuns: 25, examples: [[[]], [['start']], [['list-keys']], [['ls', ';', 'new']], [['ls\\;', 'new']]] },
    );
  });
});

function listen(path: string, onConnection: Parameters<typeof createServer>[1]): Promise<Server> {
  const server = createServer(onConnection);
  return new Promise((done) => server.listen(path, () => done(server)));
}

function close(server: Server): Promise<void> {
  return new Promise((done) => server.close(() => done()));
}
