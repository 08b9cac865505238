/** Wrong commands, wrong files, wrong places, wrong bytes: one line that says what, the right exit code, a server alive. */
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Control } from '../support/control.ts';
import { World } from '../support/program.ts';

describe('a wrong command', () => {
  let world: World;

  beforeAll(async () => {
    world = new World();
    await world.output('-f', '/dev/null', 'new-session', '-d', '-s', 'main', 'cat');
  });

  afterAll(() => world.close());

  it.each([
    [['nosuch'], 'unknown command: nosuch'],
    [['new-window', ';', 'nosuch'], 'unknown command: nosuch'],
    [['list-keys', '-Z'], 'command list-keys: unknown flag -Z'],
    [['split-window', '-t'], 'command split-window: -t expects an argument'],
    [['if-shell'], 'command if-shell: too few arguments (need at least 2)'],
    [['kill-server', 'x'], 'command kill-server: too many arguments (need at most 0)'],
    [['kill-session', '-t', 'nope'], "can't find session: nope"],
    [['select-window', '-t', ':99'], "can't find window: 99"],
    [['select-pane', '-t', '%99'], "can't find pane: %99"],
    [['detach-client', '-t', '/dev/nope'], "can't find client: /dev/nope"],
    [['new-session', '-d', '-s', 'main'], 'duplicate session: main'],
    [['attach-session'], 'open terminal failed: not a terminal'],
    [['set-option', 'nosuch', '1'], 'invalid option: nosuch'],
    [['set-option', '-g', 'status', 'maybe'], 'unknown value: maybe'],
    [['bind-key', 'nosuchkey', 'split-window'], 'unknown key: nosuchkey'],
    [['send-keys', '-t', 'main', '-X', 'cancel'], 'not in a mode'],
    [['source-file', '/nonexistent'], '/nonexistent: No such file or directory'],
    [['load-buffer', '/nonexistent'], '/nonexistent: No such file or directory'],
  ])('%j exits with 1 and says so', async (argv, message) => {
    expect(await world.call(argv)).toEqual({ code: 1, stdout: '', stderr: `${message}\n` });
    expect(await world.output('list-sessions', '-F', '#{session_name} #{session_windows}')).toBe('main 1');
  });

  it('that is ambiguous names what it could be', async () => {
    const { code, stderr } = await world.call(['kill-']);
    expect([code, stderr]).toEqual([
      1,
      'ambiguous command: kill-, could be: kill-pane, kill-server, kill-session, kill-window\n',
    ]);
  });

  it.each([
    [['-Z'], 'mplex: unknown option -- Z'],
    [['-L'], 'mplex: option requires an argument -- L'],
    [['-f'], 'mplex: option requires an argument -- f'],
  ])('%j is a mistake of usage: 2', async (argv, message) => {
    const { code, stdout, stderr } = await world.call(argv);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr.split('\n')[0]).toBe(message);
    expect(stderr.split('\n')[1]).toMatch(/^usage: mplex /);
  });
});

describe('a config file', () => {
  let world: World;

  beforeEach(() => {
    world = new World();
  });

  afterEach(() => world.close());

  it('with wrong lines: they are told with file and line, the rest runs', async () => {
    const file = join(world.directory, 'my.conf');
    writeFileSync(file, 'set -g @before yes\nnosuch command\nset -g status maybe\nset -g @after yes\n');
    const client = world.attach(['-f', file, 'new-session', 'cat']);
    await client.until(`${file}:2: unknown command: nosuch`);
    await client.until(`${file}:3: unknown value: maybe`);
    expect(await world.output('show-options', '-gv', '@before')).toBe('yes');
    expect(await world.output('show-options', '-gv', '@after')).toBe('yes');
    client.press('q');
    await client.until((rows) => !rows.join().includes('unknown'));
  });

  it('that is missing or is a directory: told, and the session starts', async () => {
    const client = world.attach(['-f', '/nonexistent', 'new-session', 'echo started; exec cat']);
    await client.until('/nonexistent: No such file or directory');
    client.press('q');
    await client.until('started');
    const other = new World();
    const second = other.attach(['-f', other.directory, 'new-session', 'echo started; exec cat']);
    await second.until(/: Is a directory/);
    second.press('q');
    await second.until('started');
    await other.close();
  });

  it('given to source-file: the call tells file and line and exits with 1', async () => {
    await world.output('-f', '/dev/null', 'new-session', '-d', 'cat');
    const file = join(world.directory, 'late.conf');
    writeFileSync(file, 'set -g @x 1\nbind-key\nset -g @y 1\n');
    const told = `${file}:2: command bind-key: too few arguments (need at least 1)\n`;
    expect(await world.call(['source-file', file])).toEqual({ code: 1, stdout: told, stderr: '' });
    // As tmux: a file that is sourced runs whole or not at all.
    expect(await world.output('show-options', '-gqv', '@x')).toBe('');
  });

  it('with a brace left open: what stands before it runs, nothing after it', async () => {
    const file = join(world.directory, 'open.conf');
    writeFileSync(file, 'set -g @before yes\nbind-key x {\nset -g @after yes\nkill-server\n');
    const client = world.attach(['-f', file, 'new-session', 'cat']);
    await client.until(`${file}:5: syntax error`);
    expect(await world.output('show-options', '-gqv', '@before')).toBe('yes');
    expect(await world.output('show-options', '-gqv', '@after')).toBe('');
  });
});

describe('a place for the socket', () => {
  let world: World;

  beforeEach(() => {
    world = new World();
  });

  afterEach(() => world.close());

  const start = (base: string) => world.call(['new-session', '-d'], { env: { MPLEX_TMPDIR: base } });
  const uid = process.getuid?.() ?? 0;

  it('without a server: commands that start none say so and exit with 1', async () => {
    for (const argv of [['list-sessions'], ['kill-server'], ['-N', 'new-session', '-d']]) {
      expect(await world.call(argv)).toEqual({
        code: 1,
        stdout: '',
        stderr: `error connecting to ${world.socketPath} (No such file or directory)\n`,
      });
    }
    expect(world.serverPids()).toEqual([]);
  });

  it('with a dead socket: no server running, and the next start takes its place', async () => {
    await world.output('-f', '/dev/null', 'new-session', '-d', 'cat');
    for (const pid of world.serverPids()) process.kill(pid, 'SIGKILL');
    const { code, stderr } = await world.call(['list-sessions']);
    expect([code, stderr]).toEqual([1, `no server running on ${world.socketPath}\n`]);
    await world.output('-f', '/dev/null', 'new-session', '-d', '-s', 'again', 'cat');
    expect(await world.output('list-sessions', '-F', '#{session_name}')).toBe('again');
  });

  it('that is missing, a file or not writable is named', async () => {
    expect((await start('/nonexistent')).stderr).toBe(
      "couldn't read directory /nonexistent (No such file or directory)\n",
    );
    const file = join(world.directory, 'file');
    writeFileSync(file, '');
    expect((await start(file)).stderr).toBe(`couldn't create directory ${file}/mplex-${uid} (Not a directory)\n`);
    expect(await world.call(['-S', '/nonexistent/socket', 'new-session', '-d'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'error creating /nonexistent/socket (No such file or directory)\n',
    });
  });

  it('that others can enter is refused', async () => {
    const base = join(world.directory, 'open');
    const directory = join(base, `mplex-${uid}`);
    mkdirSync(directory, { recursive: true });
    for (const mode of [0o755, 0o770, 0o701]) {
      chmodSync(directory, mode);
      expect(await start(base)).toEqual({
        code: 1,
        stdout: '',
        stderr: `directory ${directory} has unsafe permissions\n`,
      });
    }
    expect(statSync(directory).mode & 0o777).toBe(0o701);
  });

  it('whose path has 108 bytes is refused whole; a shorter one works', async () => {
    const path = join(world.directory, 'x'.repeat(107 - world.directory.length));
    expect(Buffer.byteLength(path)).toBe(108);
    expect(await world.call(['-S', path, 'new-session', '-d'])).toEqual({
      code: 1,
      stdout: '',
      stderr: `socket path is too long (108 bytes): ${path}\n`,
    });
    const shorter = path.slice(0, 90);
    expect((await world.call(['-S', shorter, '-f', '/dev/null', 'new-session', '-d', 'cat'])).code).toBe(0);
    expect((await world.call(['-S', shorter, 'kill-server'])).code).toBe(0);
  });
});

describe('wrong bytes', () => {
  let world: World;
  let control: Control;

  beforeAll(async () => {
    world = new World();
    await world.output('-f', '/dev/null', 'new-session', '-d', '-s', 'main', 'cat');
    control = await Control.open(world.controlPath);
  });

  afterAll(async () => {
    control.close();
    await world.close();
  });

  it.each([
    '{',
    'nonsense',
    '',
    '[]',
    'null',
    '{"op":"hello"}x',
    '{"op":"nosuch"}',
    '{"op":"hello","extra":1}',
    '{"op":"hello","op":"hello"}',
    '{"op":"show"}',
    '{"op":"show","kind":"choice","options":[]}',
    '{"op":"show","kind":"message","timeout":0}',
    '{"op":"command","argv":[]}',
    '{"op":"command","argv":["a\\u0000b"]}',
    '['.repeat(100_000),
    'x'.repeat(1 << 20),
    '{"op":"hello","id":"\xff\xfe"}',
  ])('on the control socket (case %#) are a bad request, in one line, and the next request works', async (line) => {
    const reply = await control.raw(Buffer.from(`${line}\n`, 'latin1'));
    expect(reply).toMatchObject({ ok: false, error: { code: 'bad_request' } });
    expect(String((reply.error as { message: string }).message)).toMatch(/^[^\n]{1,300}$/);
    expect(await control.request({ op: 'hello', id: 7 })).toMatchObject({ ok: true, id: 7 });
  });

  it('on the control socket without an end of line do not pile up', async () => {
    const other = await Control.open(world.controlPath);
    for (let n = 0; n < 32; n++) void other.raw('x'.repeat(1 << 20));
    other.close();
    expect(await control.request({ op: 'hello' })).toMatchObject({ ok: true });
  });

  it.each([
    ['text', Buffer.from('garbage garbage garbage')],
    ['ones', Buffer.alloc(100, 255)],
    ['zeros', Buffer.alloc(100)],
    ['a frame that never was', Buffer.from([0, 0, 0, 5, 0, 77, 80, 76, 88])],
    ['HTTP', Buffer.from('GET / HTTP/1.0\r\n\r\n')],
  ])('on the command socket (%s) are hung up on', async (_name, bytes) => {
    const socket = connect(world.socketPath);
    socket.resume();
    socket.on('error', () => {});
    socket.write(bytes);
    await new Promise<void>((closed) => socket.once('close', () => closed()));
    expect(await world.output('list-sessions', '-F', '#{session_name}')).toBe('main');
  });
});
