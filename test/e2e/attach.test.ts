/** Clients that come, go, are killed and see the same: the built program on real terminals. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MPLEX, PROMPT, type TerminalProgram, World, waitFor } from '../support/program.ts';
import { leftovers, modesAfter } from '../support/terminal-modes.ts';

let world: World;

beforeEach(() => {
  world = new World();
});

afterEach(() => world.close());

const NEW = ['-f', '/dev/null', 'new-session', '-s', '0'];

/** Starts a session whose pane shows a text and echoes what is typed. */
async function attachNew(text = 'hello', options: { size?: { cols: number; rows: number } } = {}) {
  const client = world.attach([...NEW, `printf '${text}\\n'; exec cat`], options);
  await client.until(text);
  return client;
}

async function ended(client: TerminalProgram): Promise<{ code: number; signal: number | undefined; text: string }> {
  const { code, signal } = await client.exit;
  await client.screen.settled();
  return { code, signal, text: client.screen.text().trim() };
}

async function clientCount(): Promise<number> {
  return (await world.output('list-clients')).split('\n').filter(Boolean).length;
}

describe('detaching', () => {
  it('by C-b d says where from, exits with 0 and gives the screen back', async () => {
    const client = await attachNew();
    client.press('C-b d');
    expect(await ended(client)).toEqual({ code: 0, signal: undefined, text: '[detached (from session 0)]' });
  });

  it('leaves the session as it was: attaching again shows the same', async () => {
    const client = await attachNew();
    client.type('typed before\r');
    await client.until((rows) => rows.filter((row) => row === 'typed before').length === 2);
    await world.output('split-window', '-h', 'echo right side; exec cat');
    await client.until('right side');
    const before = client.screen.cells({ height: 23 });
    client.press('C-b d');
    await client.exit;
    const again = world.attach(['attach-session']);
    await again.untilCells(before, { height: 23 });
  });

  it('detach-client -a leaves the current one alone; -s takes all of a session', async () => {
    const first = await attachNew();
    const second = world.attach(['attach-session']);
    await second.until('hello');
    const name = (await world.output('list-clients', '-F', '#{client_pid} #{client_tty}'))
      .split('\n')
      .find((line) => line.startsWith(`${second.pid} `))
      ?.split(' ')[1];
    await world.output('detach-client', '-a', '-t', name ?? '');
    expect((await ended(first)).text).toBe('[detached (from session 0)]');
    expect(await clientCount()).toBe(1);
    await world.output('detach-client', '-s', '0');
    expect((await ended(second)).text).toBe('[detached (from session 0)]');
  });
});

describe('the end', () => {
  it('of the only program is [exited], and the server goes', async () => {
    const client = world.attach([...NEW, 'echo once; read line']);
    await client.until('once');
    client.type('\r');
    expect(await ended(client)).toEqual({ code: 0, signal: undefined, text: '[exited]' });
    await waitFor(() => world.serverPids().length === 0, { name: 'no server' });
  });

  it('by kill-server is [server exited]', async () => {
    const client = await attachNew();
    await world.output('kill-server');
    expect(await ended(client)).toEqual({ code: 0, signal: undefined, text: '[server exited]' });
    await waitFor(() => world.serverPids().length === 0, { name: 'no server' });
  });

  it('by kill-session is [exited] for the clients of that session alone', async () => {
    const client = await attachNew();
    await world.output('new-session', '-d', '-s', 'other', 'cat');
    const other = world.attach(['attach-session', '-t', 'other']);
    await other.until('[other]');
    await world.output('kill-session', '-t', '0');
    expect((await ended(client)).text).toBe('[exited]');
    expect(await clientCount()).toBe(1);
  });
});

describe('two clients', () => {
  it('of different sizes: the window follows the latest; the bigger one shows it with a border', async () => {
    const big = await attachNew('hello', { size: { cols: 100, rows: 30 } });
    const small = world.attach(['attach-session'], { size: { cols: 60, rows: 20 } });
    await small.until('hello');
    await big.until((rows) => rows[0]?.charAt(60) === '│' && rows[10]?.charAt(60) === '│', {
      name: 'a border right of 60 columns',
    });
    expect(await world.output('display-message', '-p', '#{window_width}x#{window_height}')).toBe('60x19');
    await big.until((rows) => /^─+[┘┤┴┼]/.test(rows[19] ?? ''), { name: 'a border below 19 rows' });
    big.type('x');
    await small.until((rows) => rows.some((row) => row === 'x'));
    await waitFor(
      async () => (await world.output('display-message', '-p', '#{window_width}x#{window_height}')) === '100x29',
      { name: 'a window as big as the latest client' },
    );
    expect(big.screen.rows().some((row) => row.includes('│'))).toBe(false);
  });

  it('see the same keys and output', async () => {
    const first = await attachNew();
    const second = world.attach(['attach-session']);
    await second.until('hello');
    first.type('one\r');
    await second.until((rows) => rows.filter((row) => row === 'one').length === 2);
    second.type('two\r');
    await first.until((rows) => rows.filter((row) => row === 'two').length === 2);
  });

  it('one killed by SIGKILL leaves the session and the other alone', async () => {
    const first = await attachNew();
    const second = world.attach(['attach-session']);
    await second.until('hello');
    await waitFor(async () => (await clientCount()) === 2, { name: 'two clients' });
    first.kill('SIGKILL');
    await waitFor(async () => (await clientCount()) === 1, { name: 'one client' });
    second.type('still here\r');
    await second.until((rows) => rows.filter((row) => row === 'still here').length === 2);
  });

  it('the only one killed by SIGKILL leaves a session to attach to', async () => {
    const client = await attachNew();
    client.kill('SIGKILL');
    await waitFor(async () => (await clientCount()) === 0, { name: 'no client' });
    const again = world.attach(['attach-session']);
    await again.until('hello');
  });

  it('a read-only one types nothing, but can detach', async () => {
    const writer = await attachNew();
    const reader = world.attach(['attach-session', '-r']);
    await reader.until('hello');
    reader.type('from the reader\r');
    reader.type('\x1b[200~pasted by the reader\x1b[201~');
    writer.type('from the writer\r');
    await reader.until((rows) => rows.filter((row) => row === 'from the writer').length === 2);
    expect(writer.screen.text()).not.toContain('the reader');
    reader.press('C-b c');
    await reader.until('Client is read-only');
    reader.press('C-b d');
    expect(await ended(reader)).toMatchObject({ code: 0, text: '[detached (from session 0)]' });
    expect(await world.output('list-windows', '-F', '#{window_index}')).toBe('0');
  });
});

describe('the terminal', () => {
  /** Runs the client from a shell that notes the line discipline before and after, and the exit code. */
  async function underShell(size = { cols: 80, rows: 24 }) {
    const script =
      `stty -g >before; ${process.execPath} ${MPLEX} "$@"; echo "code=$?"; stty -g >after; ` +
      'echo finished; read line';
    const command = ['-f', '/dev/null', 'new-session', '-s', '0', 'echo hello; exec cat'];
    const shell = world.run(['/bin/sh', '-c', script, 'sh', ...command], { size, keepBytes: true });
    await shell.until('hello');
    // Everything that a client can switch on.
    await world.output('set-option', '-g', 'mouse', 'on');
    await world.output('set-option', '-g', 'focus-events', 'on');
    await waitFor(
      () => {
        const { decModes } = modesAfter(shell.screen.bytes);
        return [1049, 1002, 1006, 2004].every((mode) => decModes.get(mode));
      },
      { name: 'mouse, paste and alternate screen on' },
    );
    const [pid = ''] = (await world.output('list-clients', '-F', '#{client_pid}')).split('\n');
    return { shell, pid: Number(pid) };
  }

  const ENDS: [way: string, end: (shell: TerminalProgram, pid: number) => unknown, line: string, code: number][] = [
    ['detach', (shell) => shell.press('C-b d'), '[detached (from session 0)]', 0],
    ['the end of the session', (shell) => shell.press('C-d'), '[exited]', 0],
    ['SIGTERM', (_shell, pid) => process.kill(pid, 'SIGTERM'), '[terminated]', 1],
    ['SIGHUP', (_shell, pid) => process.kill(pid, 'SIGHUP'), '[terminated]', 1],
    ['SIGINT', (_shell, pid) => process.kill(pid, 'SIGINT'), '[terminated]', 1],
    ['kill-server', () => world.call(['kill-server']), '[server exited]', 0],
    [
      'SIGKILL of the server and of the pty host that would start another',
      () => {
        for (const pid of world.serverPids()) process.kill(pid, 'SIGKILL');
      },
      '[server exited unexpectedly]',
      1,
    ],
  ];

  it.each(ENDS)('is as it was after %s', async (_way, end, line, code) => {
    const { shell, pid } = await underShell();
    await end(shell, pid);
    await shell.until('finished');
    expect(leftovers(shell.screen.bytes)).toEqual([]);
    expect(shell.screen.rows().filter((row) => row !== '')).toEqual([line, `code=${code}`, 'finished']);
    const read = (name: string) => readFileSync(join(world.directory, name), 'utf8');
    expect(read('after')).toBe(read('before'));
  });

  it('that goes away takes its client with it and leaves the session', async () => {
    const client = await attachNew();
    client.kill('SIGHUP');
    await client.exit;
    await waitFor(async () => (await clientCount()) === 0, { name: 'no client' });
    expect(await world.output('list-sessions', '-F', '#{session_name}')).toBe('0');
  });

  it('of a nested shell gets its prompt back after the suspend key, and the client comes back with fg', async () => {
    const shell = world.run(['/bin/sh'], { keepBytes: true });
    await shell.until(PROMPT);
    shell.type(`stty -g >before; ${process.execPath} ${MPLEX} -f /dev/null new-session "echo hello; exec cat"\r`);
    await shell.until((rows) => rows[0] === 'hello');
    shell.press('C-b C-z');
    await shell.until((rows) => rows.some((row) => /Stopped|Suspended/i.test(row)), { name: 'a stopped job' });
    expect(leftovers(shell.screen.bytes)).toEqual([]);
    shell.type('fg\r');
    await shell.until((rows) => rows[0] === 'hello' && (rows.at(-1) ?? '').includes('[0]'), {
      name: 'the client again',
    });
    shell.press('C-b d');
    await shell.until('[detached (from session 0)]');
  });
});
