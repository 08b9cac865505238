import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runInstallShim } from '../../client/install-shim.ts';
import { socketOfPane } from '../../client/server-socket.ts';
import { type CallResult, MPLEX, World, waitFor } from '../support/program.ts';
import { runProgram } from './sides.ts';

const SHIM = resolve(dirname(MPLEX), '../shim');
const MPLEX_BIN = resolve(dirname(MPLEX), '../bin/mplex');

describe('the tmux in panes and jobs', () => {
  let world: World;
  let count = 0;
  beforeEach(async () => {
    world = new World();
    await world.output('-f', '/dev/null', 'new-session', '-d', '-s', 'one', '-x', '80', '-y', '24', 'cat');
  });
  afterEach(() => world.close());

  /** What a shell command prints in a new pane. */
  async function inPane(command: string): Promise<string> {
    count += 1;
    const file = join(world.directory, `out-${count}`);
    await world.output('new-window', '-d', `{ ${command}; } >${file}.part 2>&1; mv ${file}.part ${file}`);
    await waitFor(() => existsSync(file), { name: `the output of ${command}` });
    return readFileSync(file, 'utf8');
  }

  it('is mplex, first on PATH, and says that it is tmux 3.3a', async () => {
    expect(await inPane('command -v tmux; tmux -V')).toBe(`${join(SHIM, 'tmux')}\ntmux 3.3a\n`);
  });

  it('speaks to the server of its pane and about its pane', async () => {
    const [id, own] = (await inPane("echo $TMUX_PANE; tmux display-message -p '#{pane_id}'")).trim().split('\n');
    expect(own).toBe(id);
  });

  it('finds the environment that tmux gives', async () => {
    const text = await inPane('echo "$TMUX|$TERM_PROGRAM|$TERM_PROGRAM_VERSION"');
    const pid = await world.output('display-message', '-p', '#{pid}');
    expect(text).toBe(`${world.socketPath},${pid},0|tmux|3.3a\n`);
  });

  it('answers what a configuration runs while the configuration waits for it', { timeout: 20_000 }, async () => {
    const config = join(world.directory, 'plugins.conf');
    writeFileSync(
      config,
      [
        "set -g @plugin 'me/one'",
        `run-shell 'tmux set-option -g @loaded "$(tmux start-server \\; show-options -gqv @plugin)"'`,
        `if-shell 'test "$(tmux show-options -gv @loaded)" = me/one' 'set -g @checked yes'`,
        'run-shell "TMUX= tmux -L plugins set-option -g @outside yes"',
        // Known by its ancestors alone.
        `run-shell 'env -i PATH="$PATH" HOME="$HOME" tmux -S "#{socket_path}" set-option -g @bare yes'`,
        'set -g @last yes',
      ].join('\n'),
    );
    await world.output('-L', 'plugins', '-f', config, 'new-session', '-d', '-s', 'two', 'cat');
    const shown = await world.output('-L', 'plugins', 'show-options', '-g');
    await world.output('-L', 'plugins', 'kill-server');
    expect(shown.split('\n').filter((line) => line.startsWith('@'))).toEqual([
      '@bare yes',
      '@checked yes',
      '@last yes',
      '@loaded me/one',
      '@outside yes',
      '@plugin me/one',
    ]);
  });

  it('is there in run-shell, if-shell and #() as well', async () => {
    await world.output('run-shell', 'tmux set-option -g @run yes');
    await world.output('if-shell', 'tmux set-option -g @if yes', '');
    await world.output('run-shell', '-t', 'one:0', 'true');
    expect(await world.output('show-options', '-gv', '@run')).toBe('yes');
    expect(await world.output('show-options', '-gv', '@if')).toBe('yes');
  });

  it('answers for the pane that TMUX_PANE names, though MPLEX_PANE names another', async () => {
    expect(await inPane("TMUX_PANE=%0 tmux display-message -p '#{pane_id}'")).toBe('%0\n');
  });

  it('shows no session inside itself, unless TMUX is taken away', async () => {
    const file = join(world.directory, 'nested');
    const words = 'sessions should be nested with care, unset $TMUX to force\n';
    for (const call of ['tmux attach-session', 'tmux new-session -s inner', 'tmux new-session -A -s one', 'tmux']) {
      await world.output('new-window', '-d', `${call} 2>${file}.part; echo $? >>${file}.part; mv ${file}.part ${file}`);
      await waitFor(() => existsSync(file), { name: call });
      expect(readFileSync(file, 'utf8')).toBe(`${words}1\n`);
      rmSync(file);
    }
    expect(await inPane('tmux new-session -d -s inner; echo $?')).toBe('0\n');
    await world.output('new-window', '-d', '-n', 'forced', 'TMUX= tmux attach-session -t inner');
    await waitFor(async () => (await world.output('list-clients', '-F', '#{session_name}')) === 'inner', {
      name: 'the client in a pane',
    });
  });

  it('shows no session inside itself by its own name, unless MPLEX is taken away as well', async () => {
    const call = `${MPLEX_BIN} attach-session`;
    const ending = (variable: string) => `sessions should be nested with care, unset $${variable} to force\n`;
    const file = join(world.directory, 'nested');
    for (const [before, variable] of [
      ['', 'TMUX'],
      ['unset TMUX; ', 'MPLEX'],
    ] as const) {
      await world.output('new-window', '-d', `${before}${call} 2>${file}.part; mv ${file}.part ${file}`);
      await waitFor(() => existsSync(file), { name: call });
      expect(readFileSync(file, 'utf8')).toBe(ending(variable));
      rmSync(file);
    }
  });

  it('goes to the default server where TMUX is empty', async () => {
    expect(await inPane('TMUX= tmux list-sessions -F "#{session_name}"')).toBe('one\n');
    expect(await inPane('TMUX= tmux -L other list-sessions')).toContain('mplex-');
  });

  it('is not put on PATH with tmux-shim off', async () => {
    await world.output('set-option', '-s', 'tmux-shim', 'off');
    expect(await inPane('echo "[$TMUX][$TMUX_PANE][$TERM_PROGRAM]"; echo $PATH')).toBe(
      `[][][mplex]\n${world.env.PATH}:${resolve(SHIM, '../bin')}\n`,
    );
  });
});

describe('whose server a caller means', () => {
  const ours = '/tmp/mplex-0/work,12,0';
  const theirs = '/tmp/tmux-0/default,12,0';
  it.each([
    [{ MPLEX: ours, TMUX: theirs }, false, '/tmp/mplex-0/work'],
    [{ TMUX: ours }, false, '/tmp/mplex-0/work'],
    [{ TMUX: theirs }, false, undefined],
    [{}, false, undefined],
    [{ MPLEX: ours, TMUX: ours }, true, '/tmp/mplex-0/work'],
    [{ MPLEX: ours, TMUX: theirs }, true, '/tmp/mplex-0/work'],
    [{ MPLEX: ours, TMUX: '' }, true, undefined],
    [{ MPLEX: ours }, true, undefined],
  ])('%j, called as tmux: %j', (env, isTmux, socket) => {
    expect(socketOfPane(env, isTmux)).toBe(socket);
  });
});

describe('mplex install-shim', () => {
  let world: World;
  beforeEach(() => {
    world = new World();
    mkdirSync(join(world.directory, 'bin'));
  });
  afterEach(() => world.close());

  function install(...argv: string[]): CallResult {
    let stdout = '';
    let stderr = '';
    const code = runInstallShim(argv, {
      stdout: { write: (text) => (stdout += text) },
      stderr: { write: (text) => (stderr += text) },
      shim: join(SHIM, 'tmux'),
    });
    return { code, stdout, stderr };
  }

  it('puts a tmux there that runs mplex, and may be repeated', async () => {
    const path = join(world.directory, 'bin', 'tmux');
    expect(install(join(world.directory, 'bin'))).toEqual({ code: 0, stdout: `${path}\n`, stderr: '' });
    expect(install(join(world.directory, 'bin')).code).toBe(0);
    expect((await runProgram([path, '-V'], { cwd: world.directory, env: world.env })).stdout).toBe('tmux 3.3a\n');
  });

  it('makes the folder where there is none', () => {
    const folder = join(world.directory, 'new', 'bin');
    expect(install(folder)).toEqual({ code: 0, stdout: `${join(folder, 'tmux')}\n`, stderr: '' });
  });

  it('replaces no other tmux unless it is told to', () => {
    const path = join(world.directory, 'bin', 'tmux');
    writeFileSync(path, '#!/bin/sh\n');
    chmodSync(path, 0o755);
    expect(install(join(world.directory, 'bin')).stderr).toBe(`${path} exists and is not a shim; -f replaces it\n`);
    expect(install('-f', join(world.directory, 'bin')).code).toBe(0);
  });

  it.each([[[]], [['a', 'b']], [['-x']]])('tells its usage for %j', (argv) => {
    expect(install(...argv)).toMatchObject({ code: 2, stderr: 'usage: mplex install-shim [-f] directory\n' });
  });

  it('needs a directory', () => {
    const path = join(world.directory, 'file');
    writeFileSync(path, '');
    expect(install(path).stderr).toBe(`not a directory: ${path}\n`);
  });
});
