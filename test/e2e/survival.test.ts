/** The server is killed under everything that people have open; nobody should notice much. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { HostClient } from '../../server/pty-host/host-client.ts';
import { Control } from '../support/control.ts';
import { MPLEX, type TerminalProgram, World, waitFor } from '../support/program.ts';
import { killQuietly, killServer, serverPid, stateOf, untilBack } from '../support/survivor.ts';

const worlds: World[] = [];

afterEach(async () => {
  await Promise.all(worlds.splice(0).map((world) => world.close()));
});

function newWorld(): World {
  const world = new World();
  worlds.push(world);
  return world;
}

/** Kills the server and waits for the next one. */
async function killAndWait(world: World): Promise<void> {
  const before = serverPid(world);
  killServer(world);
  await untilBack(world, before);
}

/** Waits until a client has come back: what it is told by the new server is on its screen. */
async function untilBackAt(world: World, client: TerminalProgram): Promise<void> {
  await world.output('display-message', '-d', '3000', 'the next server');
  await client.until('the next server');
}

/** Waits until the panes' output has been seen and stored: what is compared does not move any more. */
async function settled(world: World, what: Record<string, string>): Promise<void> {
  for (const [pane, text] of Object.entries(what)) {
    await waitFor(async () => (await world.call(['capture-pane', '-pt', pane])).stdout.includes(text), {
      name: `${text} in ${pane}`,
    });
  }
}

const PICTURE =
  'printf "\\033[1;31mred\\033[0m \\033[38;2;1;2;3mrgb\\033[0m \\033[4:3mcurly\\033[0m e\\314\\201 \\346\\274\\242\\n\\033]2;a title\\007' +
  '\\033]8;;https://example.org/\\033\\\\link\\033]8;;\\033\\\\ ready"; exec cat';

/** Something of everything that a server remembers. */
const SETUP = String.raw`
split-window -h -t one 'seq 1 500; printf "\033[?1049h\033[?2004h\033[?1002;1006hfull"; exec cat'
split-window -t one -l 5 'seq 1 100; echo done; exec cat'
new-window -t one:5 -n named 'exec cat'
set-option -w -t one:5 remain-on-exit on
respawn-pane -k -t one:5 'echo last words; exit 3'
new-session -d -t one -s two
new-session -d -s zoomed 'exec cat'
split-window -t zoomed 'exec cat'
resize-pane -Z -t zoomed
select-pane -m -t one:0.1
select-pane -t zoomed:0.1 -T given
set-option -g status-left '#[fg=red]left'
set-option -g @mine 'a "quoted" value'
set-option -t two base-index 3
set-option -p -t one:0.0 allow-rename on
set-hook -g session-renamed[5] 'display-message "renamed; twice"'
set-environment -g GIVEN value
set-environment -t two -r TERM
bind-key -T prefix -N 'a note' y display-message 'it works'
unbind-key -T prefix c
bind-key -n -r M-x if-shell true { select-pane -L ; send-keys 'a\;b' }
set-buffer -b named 'text of the buffer'
set-buffer 'ääääääää'
select-layout -t one:0 main-vertical
`;

describe('after kill -9 of the server', () => {
  it('everything that commands tell is as before, and programs run on', async () => {
    const world = newWorld();
    await world.output('-f', '/dev/null', 'new-session', '-d', '-s', 'one', '-x', '90', '-y', '30', PICTURE);
    const setup = join(world.directory, 'setup');
    writeFileSync(setup, SETUP);
    await world.output('source-file', setup);
    await settled(world, { 'one:0.0': 'ready', 'one:0.1': 'full', 'one:0.2': 'done', 'one:5': 'Pane is dead' });
    const before = await stateOf(world);
    await killAndWait(world);
    expect(await stateOf(world)).toEqual(before);
    await killAndWait(world);
    expect(await stateOf(world)).toEqual(before);
    await world.output('send-keys', '-t', 'one:0.0', 'still there', 'Enter');
    await settled(world, { 'one:0.0': 'still there' });
  });

  it('a client comes back by itself with its session, its screen and its keys', async () => {
    const world = newWorld();
    const client = world.attach(['-f', '/dev/null', 'new-session', '-s', 'main', 'echo before; exec cat']);
    await client.until('before');
    client.type('typed');
    await client.until('typed');
    const before = serverPid(world);
    const clients = await world.output('list-clients', '-F', '#{client_name} #{client_pid} #{client_readonly}');
    const screen = client.screen.cells({ height: 23 });
    const start = performance.now();
    killServer(world);
    await client.until('reconnecting…');
    await client.until((rows) => !rows.some((row) => row.includes('reconnecting')), {
      name: 'a screen of the new server',
    });
    expect(performance.now() - start).toBeLessThan(5000);
    expect(client.screen.cells({ height: 23 })).toEqual(screen);
    expect(await world.output('list-clients', '-F', '#{client_name} #{client_pid} #{client_readonly}')).toBe(clients);
    expect(serverPid(world)).not.toBe(before);
    client.type(' more\r');
    await client.until(/typed more\n+typed more/);
    client.press('C-b d');
    expect((await client.exit).code).toBe(0);
    await client.until('[detached (from session main)]');
  });

  it('a server killed before it listens is started again by who started it', async () => {
    const world = newWorld();
    const client = world.attach(['-f', '/dev/null', 'new-session', '-s', 'main', 'echo begun; exec cat']);
    await waitFor(() => serverPid(world) !== undefined, { name: 'the server' });
    killServer(world);
    await client.until('begun');
    const call = newWorld();
    const made = call.call(['-f', '/dev/null', 'new-session', '-d', '-s', 'other', 'exec cat']);
    await waitFor(() => serverPid(call) !== undefined, { name: 'the server' });
    killServer(call);
    expect(await made).toMatchObject({ code: 0, stderr: '' });
    expect(await call.output('list-sessions', '-F', '#{session_name}')).toBe('other');
  });

  it('a client starts a server where the pty host does so no more', async () => {
    const world = newWorld();
    const client = world.attach(['-f', '/dev/null', 'new-session', '-s', 'main', 'echo before; exec cat']);
    await client.until('before');
    // More servers than the host starts in a minute.
    let before: number | undefined;
    for (let kills = 0; kills < 11; kills++) {
      await waitFor(() => serverPid(world) !== undefined && serverPid(world) !== before, { name: 'the next server' });
      before = serverPid(world);
      killServer(world);
    }
    // The host starts none before a minute is over; the client does after a second and a half.
    await untilBack(world, before);
    await untilBackAt(world, client);
    client.type('still\r');
    await client.until(/still\n+still/);
  });

  it('a client whose pty host is gone too ends with a line that says so', async () => {
    const world = newWorld();
    const client = world.attach(['-f', '/dev/null', 'new-session', '-s', 'main', 'echo before; exec cat']);
    await client.until('before');
    for (const pid of world.serverPids()) killQuietly(pid);
    expect((await client.exit).code).toBe(1);
    await client.until('[server exited unexpectedly]');
  });

  it('a half typed dialog goes on with what was typed, and its asker gets the answer once', async () => {
    const world = newWorld();
    const client = world.attach(['-f', '/dev/null', 'new-session', '-s', 'main', 'echo ready; exec cat']);
    await client.until('ready');
    let control = await Control.open(world.controlPath);
    const flow = await control.show({ kind: 'text', title: 'Name?', timeout: 300 });
    await client.until('● ');
    client.type('half');
    await client.until('half');
    await killAndWait(world);
    control.close();
    await waitFor(() => existsSync(world.controlPath), { name: 'the control socket' });
    control = await Control.open(world.controlPath);
    // What is on the screen may still be from before: the dialog comes back unarmed and takes keys when it is armed again.
    await client.until('○ ');
    await client.until('● ');
    await client.until((rows) => rows.some((row) => /● Name\? half /.test(row)), { name: 'the draft' });
    client.type(' and whole');
    await client.until('half and whole');
    client.press('Enter');
    expect(await control.result(flow, 10)).toMatchObject({ done: true, outcome: 'ok', value: 'half and whole' });
    await killAndWait(world);
    control.close();
    control = await Control.open(world.controlPath);
    expect(await control.result(flow)).toMatchObject({ done: true, outcome: 'ok', value: 'half and whole' });
    control.close();
  });

  it('copy mode is where it was', async () => {
    const world = newWorld();
    const client = world.attach(['-f', '/dev/null', 'new-session', '-s', 'main', 'seq 1 300; echo ready; exec cat']);
    await client.until('ready');
    client.press('C-b PPage');
    await client.until(/\[2\d\/2\d\d\]/);
    client.press('Up');
    await world.output('set-option', '-g', 'status-right', '');
    const format = '#{pane_mode} #{scroll_position} #{copy_cursor_x} #{copy_cursor_y} #{copy_cursor_line}';
    const before = await world.output('display-message', '-p', '-t', 'main', format);
    expect(before).toMatch(/^copy-mode /);
    await killAndWait(world);
    expect(await world.output('display-message', '-p', '-t', 'main', format)).toBe(before);
  });

  it('copy mode keeps its selection and its search on their lines, whatever is printed meanwhile', async () => {
    const world = newWorld();
    const go = join(world.directory, 'go');
    const program = `seq 1 300; while [ ! -e ${go} ]; do sleep 0.05; done; seq 301 400; exec cat`;
    await world.output('-f', '/dev/null', 'new-session', '-d', '-s', 'main', '-x', '60', '-y', '20', program);
    await settled(world, { main: '300' });
    await world.output('copy-mode', '-e', '-t', 'main');
    for (const command of [
      'search-backward 25',
      'set-mark',
      'begin-selection',
      'rectangle-on',
      'cursor-down',
      'cursor-right',
    ])
      await world.output('send-keys', '-t', 'main', '-X', ...command.split(' '));
    const format =
      '#{pane_mode} #{copy_cursor_x} #{copy_cursor_y} #{copy_cursor_line} #{selection_start_x} #{selection_end_x} ' +
      '#{selection_active} #{rectangle_toggle} #{search_present} #{pane_search_string}';
    const before = await world.output('display-message', '-p', '-t', 'main', format);
    expect(before).toMatch(/^copy-mode \d+ \d+ 2\d\d /);
    writeFileSync(go, '');
    await settled(world, { main: '400' });
    await killAndWait(world);
    expect(await world.output('display-message', '-p', '-t', 'main', format)).toBe(before);
    await world.output('send-keys', '-t', 'main', '-X', 'copy-selection-and-cancel');
    const copied = await world.output('show-buffer');
    expect(copied.split('\n')).toHaveLength(2);
  });

  it('pipe-pane goes on, and does not empty the file that it has written', async () => {
    const world = newWorld();
    await world.output('-f', '/dev/null', 'new-session', '-d', '-s', 'main', 'exec cat');
    await world.output('new-window', '-d', '-t', 'main:1', 'exec cat');
    const [added, emptied] = [join(world.directory, 'added'), join(world.directory, 'emptied')];
    await world.output('pipe-pane', '-t', 'main:0', `cat >>${added}`);
    await world.output('pipe-pane', '-t', 'main:1', `cat >${emptied}`);
    const typed = async (text: string, ...panes: string[]) => {
      for (const pane of panes) await world.output('send-keys', '-t', pane, text, 'Enter');
    };
    const holds = (file: string, text: RegExp) =>
      waitFor(() => existsSync(file) && text.test(readFileSync(file, 'utf8')), { name: `${text} in ${file}` });
    await typed('before', 'main:0', 'main:1');
    await holds(added, /before\s+before/);
    await holds(emptied, /before\s+before/);
    await killAndWait(world);
    expect(await world.output('display-message', '-p', '-t', 'main:0', '#{pane_pipe}')).toBe('1');
    await typed('after', 'main:0');
    await holds(added, /^before\s+before\s+after\s+after\s+$/);
    // Messages are shown where somebody is attached, as in tmux.
    await world.attach(['attach-session']).until('[main]');
    await waitFor(async () => (await world.output('show-messages')).includes(`cat >${emptied}`), {
      name: 'a word of it',
    });
    expect(readFileSync(emptied, 'utf8')).toMatch(/^before\s+before\s+$/);
    expect(await world.output('display-message', '-p', '-t', 'main:1', '#{pane_pipe}')).toBe('0');
  });

  it('a popup is there again with its program, and goes when that ends', async () => {
    const world = newWorld();
    const client = world.attach(['-f', '/dev/null', 'new-session', '-s', 'main', 'exec cat']);
    await client.until('[main]');
    const program = 'echo popped $$; while read line && [ $line != end ]; do echo got $line; done';
    client.press('C-b :');
    client.type(`display-popup -E -w 40 -h 10 -T above -b double '${program}'\r`);
    await client.until(/popped \d+/);
    const pid = Number(/popped (\d+)/.exec(client.screen.text())?.[1]);
    client.type('one\r');
    await client.until('got one');
    // Not the status line, whose message goes.
    const before = client.screen.cells({ height: 23 });
    await killAndWait(world);
    await untilBackAt(world, client);
    await client.untilCells(before, { height: 23 });
    client.type('two\r');
    await client.until('got two');
    expect(existsSync(`/proc/${pid}`)).toBe(true);
    await killAndWait(world);
    await untilBackAt(world, client);
    client.type('end\r');
    await client.until((rows) => !rows.some((row) => row.includes('above')), { name: 'no popup' });
    await client.until('[main]');
    client.type('below\r');
    await client.until(/below\n+below/);
    expect(existsSync(`/proc/${pid}`)).toBe(false);
  });

  it('an editor goes on with its file, and the buffer is what it saves', async () => {
    const world = newWorld();
    const editor = join(world.directory, 'editor');
    const seen = join(world.directory, 'seen');
    writeFileSync(editor, `#!/bin/sh\necho "$1" >${seen}; echo editing; read line; echo "$line" >"$1"\n`, {
      mode: 0o755,
    });
    const client = world.attach(['-f', '/dev/null', 'new-session', '-s', 'main', 'exec cat']);
    await client.until('[main]');
    await world.output('set-option', '-s', 'editor', editor);
    await world.output('set-buffer', '-b', 'mine', 'old');
    client.press('C-b =');
    await client.until('mine');
    client.press('e');
    await client.until('editing');
    await killAndWait(world);
    await untilBackAt(world, client);
    await client.until('editing');
    client.type('new\r');
    await waitFor(async () => (await world.output('show-buffer', '-b', 'mine')) === 'new', { name: 'the new text' });
    await waitFor(() => !existsSync(readFileSync(seen, 'utf8').trim()), { name: 'the file to be gone' });
  });

  it('a buffer keeps bytes that are no text', async () => {
    const world = newWorld();
    const loaded = join(world.directory, 'loaded');
    const saved = join(world.directory, 'saved');
    writeFileSync(loaded, Buffer.from([0x61, 0, 0xff, 0xe9, 0x0a]));
    await world.output('-f', '/dev/null', 'new-session', '-d', '-s', 'main', 'exec cat');
    await world.output('load-buffer', '-b', 'bytes', loaded);
    await killAndWait(world);
    await world.output('save-buffer', '-b', 'bytes', saved);
    expect(readFileSync(saved)).toEqual(readFileSync(loaded));
  });

  it('signals and locks of wait-for are kept, and who waited and was killed does not count', async () => {
    const world = newWorld();
    await world.output('-f', '/dev/null', 'new-session', '-d', '-s', 'main', 'exec cat');
    await world.output('wait-for', '-S', 'early');
    await world.output('wait-for', '-L', 'lock');
    await killAndWait(world);
    await world.output('wait-for', 'early');
    const killed = world.spawn(['wait-for', '-L', 'lock']);
    const next = world.spawn(['wait-for', '-L', 'lock']);
    // Both have come as far as the server when a later call is answered.
    await world.output('list-sessions');
    killed.kill('SIGKILL');
    await killed.done;
    await world.output('wait-for', '-U', 'lock');
    expect((await next.done).code).toBe(0);
    await world.output('wait-for', '-U', 'lock');
    expect((await world.call(['wait-for', '-U', 'lock'])).stderr).toBe('channel lock not locked\n');
  });

  it('an exit that came meanwhile is handled, with its hook once', async () => {
    const world = newWorld();
    const told = join(world.directory, 'told');
    await world.output('-f', '/dev/null', 'new-session', '-d', '-s', 'main', 'exec cat');
    await world.output('set-hook', '-g', 'pane-exited', `run-shell "echo exited >>${told}"`);
    await world.output('split-window', '-t', 'main', 'read line; echo bye');
    const tty = await world.output('display-message', '-p', '-t', 'main', '#{pane_pid}');
    const before = serverPid(world);
    killServer(world);
    process.kill(Number(tty), 'SIGTERM');
    await untilBack(world, before);
    await waitFor(() => existsSync(told), { name: 'the hook' });
    await waitFor(async () => (await world.output('list-panes', '-t', 'main', '-F', '#{pane_id}')) === '%0', {
      name: 'the pane to be gone',
    });
    await killAndWait(world);
    expect(readFileSync(told, 'utf8')).toBe('exited\n');
  });

  it('an upgrade puts a new server in the place of the old one under running programs and a client', async () => {
    const world = newWorld();
    const client = world.attach(['-f', '/dev/null', 'new-session', '-s', 'main', 'echo before; exec cat']);
    await client.until('before');
    await world.output('set-option', '-g', '@kept', 'yes');
    const before = serverPid(world);
    const program = await world.output('display-message', '-p', '-t', 'main', '#{pane_pid}');
    expect(await world.output('upgrade-server')).toMatch(/^mplex \S+ \(pid \d+\) is now mplex \S+ \(pid \d+\)$/);
    expect(serverPid(world)).not.toBe(before);
    expect(await world.output('display-message', '-p', '-t', 'main', '#{pane_pid} #{@kept}')).toBe(`${program} yes`);
    client.type('after\r');
    await client.until(/after\n+after/);
    const refused = await world.call(['upgrade-server', '-s', '999', '/nowhere']);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('state of version 999') });
  });

  it('the end of the last session ends server and pty host as ever', async () => {
    const world = newWorld();
    await world.output('-f', '/dev/null', 'new-session', '-d', '-s', 'main', 'exec cat');
    // Until the pty host is up there is nobody to leave anything with.
    await waitFor(async () => (await world.output('display-message', '-p', '-t', 'main', '#{pane_pid}')) !== '0', {
      name: 'the program to run',
    });
    await killAndWait(world);
    await world.output('kill-session', '-t', 'main');
    await waitFor(() => world.serverPids().length === 0, { name: 'no process left' });
    expect((await world.call(['list-sessions'])).code).toBe(1);
  });

  it('a call that came to the server when it was killed, unread, is made with the next', async () => {
    const world = newWorld();
    await world.output('-f', '/dev/null', 'new-session', '-d', '-s', 'main', 'exec cat');
    const before = serverPid(world) ?? 0;
    process.kill(before, 'SIGSTOP');
    // The kernel takes the connection; the server never reads from it.
    const call = world.call(['list-sessions', '-F', '#{session_name} #{pid}']);
    // Its own socket, and one more for each connection.
    const sockets = () => readFileSync('/proc/net/unix', 'latin1').split(`${world.socketPath}.${before}\n`).length - 1;
    await waitFor(() => sockets() > 1, { name: 'the connection' });
    process.kill(before, 'SIGKILL');
    const { code, stdout, stderr } = await call;
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^main \d+\n$/);
    expect(stdout).not.toContain(` ${before}\n`);
  });

  it('a part of the state that cannot be read is left out with a word, and the rest is as before', async () => {
    const world = newWorld();
    await world.output('-f', '/dev/null', 'new-session', '-d', '-s', 'main', 'echo first; exec cat');
    await world.output('new-window', '-d', '-t', 'main:1', 'echo second; exec cat');
    await settled(world, { 'main:0': 'first', 'main:1': 'second' });
    await world.output('set-option', '-g', '@kept', 'yes');
    const host = await HostClient.start({ socketPath: `${world.socketPath}.host`, hostScript: '', log: () => {} });
    // From here on the pty host takes this test for its server.
    const blobs = await host.load();
    killServer(world);
    const screen = Buffer.from(blobs.get('pane/0/screen') ?? '');
    screen[0] = 99;
    host.stage('pane/0/screen', screen);
    host.stage('flows', Buffer.from([0xc1]));
    host.commit();
    await host.leave();
    await untilBack(world, undefined);
    expect(await world.output('show-options', '-gv', '@kept')).toBe('yes');
    await settled(world, { 'main:1': 'second' });
    await world.output('send-keys', '-t', 'main:0', 'on and on', 'Enter');
    await settled(world, { 'main:0': 'on and on' });
    const client = world.attach(['attach-session']);
    await client.until('[main]');
    expect(await world.output('show-messages')).toMatch(
      /lost in the take-over: screen of %0: stored screen of version 99/,
    );
    expect(await world.output('show-messages')).toMatch(/lost in the take-over: flows: /);
  });

  it('a server that was started to take over ends where there is nothing any more', async () => {
    const world = newWorld();
    mkdirSync(dirname(world.socketPath), { mode: 0o700 });
    const mplexd = join(dirname(MPLEX), 'mplexd.js');
    const argv = [mplexd, '--socket', world.socketPath, '-f', '/dev/null'];
    const server = spawn(process.execPath, argv, { env: world.env, stdio: 'ignore' });
    const ended = new Promise((done) => server.once('exit', done));
    await waitFor(() => existsSync(world.controlPath), { name: 'the server' });
    await ended;
    await waitFor(() => world.serverPids().length === 0, { name: 'no process left' });
    expect(existsSync(world.socketPath)).toBe(false);
  });
});
