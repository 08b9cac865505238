/** The machine, or the pty host, is lost; the sessions come back. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { PROMPT, World, waitFor } from '../support/program.ts';
import {
  headText,
  hostPid,
  journalPaths,
  losePower,
  stateFolder,
  untilJournaled,
  untilTextJournaled,
} from '../support/reboot.ts';
import { killServer, serverPid, untilBack } from '../support/survivor.ts';

const worlds: World[] = [];

afterEach(async () => {
  await Promise.all(worlds.splice(0).map((world) => world.close()));
});

function newWorld(env: Record<string, string> = {}): World {
  const world = new World(env);
  worlds.push(world);
  return world;
}

/** What lists tell that is not of a process. */
async function lists(world: World): Promise<string[]> {
  return [
    await world.output(
      'list-sessions',
      '-F',
      '#{session_id} #{session_name} #{session_path} #{session_windows} #{session_group} #{session_created} #{session_activity}',
    ),
    await world.output(
      'list-windows',
      '-a',
      '-F',
      '#{session_name} #{window_index} #{window_id} #{window_name} #{window_layout} #{window_flags} #{window_zoomed_flag}',
    ),
    await world.output(
      'list-panes',
      '-a',
      '-F',
      '#{session_name} #{window_index} #{pane_index} #{pane_id} #{pane_title} #{pane_width}x#{pane_height} #{pane_active} #{pane_current_path} #{pane_last}',
    ),
    await world.output('show-options', '-t', 'main'),
    await world.output('show-options', '-w', '-t', 'main:0'),
    await world.output('show-options', '-p', '-t', 'main:0.0'),
    await world.output('show-environment', '-t', 'main'),
  ];
}

async function begin(world: World, ...command: string[]): Promise<void> {
  await world.output('-f', '/dev/null', 'new-session', '-d', '-s', 'main', '-x', '80', '-y', '24', ...command);
}

describe('after the machine was lost', () => {
  it('sessions come back with windows, layouts, directories, titles, options and text above a line', async () => {
    const world = newWorld();
    const place = join(world.directory, 'a place');
    mkdirSync(place);
    await begin(world);
    const setup = join(world.directory, 'setup');
    writeFileSync(
      setup,
      `split-window -h -t main -c "${place}"
       split-window -t main -l 5
       new-window -d -t main:4 -n 'logs; all' 'seq 1 300; printf "\\033[31mred end\\033[0m"; exec cat'
       new-session -d -s other -n one
       new-session -d -t main -s twin
       split-window -t other
       resize-pane -Z -t other
       select-window -t main:4
       select-window -t main:0
       select-pane -t main:0.1 -T 'a title'
       set-option -t main status-left 'hello'
       set-option -t main @mine 'own "value"'
       set-option -t main status-right 'now #(date)'
       set-option -w -t main:0 mode-keys vi
       set-option -p -t main:0.0 allow-rename on
       set-hook -t main session-renamed 'display-message renamed'
       set-environment -t main PLACE here
       set-environment -t main API_TOKEN hidden
       set-environment -t main -r GONE
       set-option -g automatic-rename off`,
    );
    await world.output('source-file', setup);
    await world.output('send-keys', '-t', 'main:0.0', 'echo said be""fore', 'Enter');
    await untilTextJournaled(world, 'said before');
    await untilJournaled(world, '"twin"', 'logs; all', 'a title', place);
    const before = await lists(world);
    expect(before.join('\n')).toContain('now #(date)');
    await losePower(world);
    expect(await world.output('-f', '/dev/null', 'resurrect', '-l')).toMatch(
      /^main: 2 windows, kept .*\(cat\)\n.*other: 1 windows.*\n.*twin: 2/s,
    );
    expect(await world.output('resurrect', '-y')).toMatch(/^(?:main|other|twin):\n/);
    await world.output('set-option', '-g', 'automatic-rename', 'off');
    // What runs something, and what looks like a secret, is not on disk.
    const kept = before.map((text) =>
      text
        .replace(/^status-right .*\n?/m, '')
        .replace(/^session-renamed.*\n?/m, '')
        .replace(/^API_TOKEN.*\n?/m, '')
        // Of the client's terminal: update-environment.
        .replace(/^-(?!GONE)[A-Z_0-9]+\n?/gm, '')
        .trimEnd(),
    );
    let now: readonly string[] = [];
    await waitFor(
      async () => {
        now = await lists(world);
        return now[2] === kept[2];
      },
      { name: 'directories of the shells', onTimeout: () => `${kept[2]}\n${now[2]}` },
    );
    expect(await lists(world)).toEqual(kept);
    const screen = await world.output('capture-pane', '-p', '-t', 'main:0.0');
    expect(screen).toMatch(/^said before\n[#$] *\n── kept 2\d{3}-\d\d-\d\d \d\d:\d\d:\d\d ──$/m);
    const logs = await world.output('capture-pane', '-pe', '-S', '-', '-t', 'main:4.0');
    expect(logs).toMatch(/^1\n2\n3\n/);
    expect(logs).toContain('300\n\x1b[31mred end');
    expect(logs).toContain('cat ran here');
    expect(headText(journalPaths(world)[0] ?? '')).not.toContain('hidden');
    await world.output('send-keys', '-t', 'main:0.0', 'echo al""ive', 'Enter');
    await waitFor(async () => (await world.output('capture-pane', '-p', '-t', 'main:0.0')).includes('alive'), {
      name: 'a shell',
    });
  });

  it('the first client is asked, and sees what it brings back in place of the session just made', async () => {
    const world = newWorld();
    await begin(world);
    await world.output('send-keys', '-t', 'main', 'echo said be""fore', 'Enter');
    await untilTextJournaled(world, 'said before');
    await losePower(world);
    const client = world.attach(['-f', '/dev/null']);
    await client.until('Bring lost sessions back?');
    await client.until('main: 1 window ');
    client.press('Enter');
    await client.until(
      (rows) => rows.some((row) => /^── kept /.test(row)) && rows.some((row) => row.includes('[main]')),
      { name: 'the session' },
    );
    await client.until('said before');
    expect(await world.output('list-sessions', '-F', '#{session_name}')).toBe('main');
    await waitFor(async () => journalPaths(world).length === 1, { name: 'one journal' });
    expect((await world.call(['resurrect', '-y'])).stderr).toBe('no lost sessions\n');
  });

  it('an attach that finds no session tells of those that can come back', async () => {
    const world = newWorld();
    await begin(world, 'exec cat');
    await world.output('new-session', '-d', '-s', 'other', 'exec cat');
    await untilJournaled(world, '"main"', '"other"');
    await losePower(world);
    const { code, stderr } = await world.call(['-f', '/dev/null', 'attach-session']);
    expect(code).toBe(1);
    expect(stderr).toBe('no sessions; kept from before: main, other (mplex resurrect -l lists, -y brings back)\n');
    expect((await newWorld().call(['-f', '/dev/null', 'attach-session'])).stderr).toBe('no sessions\n');
  });

  it('"not now" keeps them, and "forget" does not', async () => {
    const world = newWorld();
    await begin(world);
    await untilJournaled(world, '"main"');
    await losePower(world);
    const first = world.attach(['-f', '/dev/null']);
    await first.until('Bring lost sessions back?');
    first.press('Escape');
    await first.until((rows) => !rows.some((row) => row.includes('Bring lost')), { name: 'no question' });
    expect(await world.output('resurrect', '-l')).toMatch(/^main: 1 windows/);
    await world.output('resurrect', '-t', await world.output('list-clients', '-F', '#{client_name}'));
    await first.until('Bring lost sessions back?');
    first.type('3');
    first.press('Enter');
    await waitFor(async () => (await world.output('resurrect', '-l')) === '', { name: 'nothing' });
    const second = world.attach();
    await second.until(PROMPT);
    expect(second.screen.text()).not.toContain('Bring lost');
  });

  it('with resurrect on they are there when the server is, and with off nothing is', async () => {
    const world = newWorld();
    const config = join(world.directory, 'config');
    writeFileSync(config, 'set -s resurrect on\n');
    await world.output('-f', config, 'new-session', '-d', '-s', 'main');
    await world.output('new-session', '-d', '-s', 'late');
    await untilJournaled(world, '"late"');
    await losePower(world);
    expect(
      await world.output(
        '-f',
        config,
        'new-session',
        '-d',
        '-s',
        'third',
        ';',
        'list-sessions',
        '-F',
        '#{session_name}',
      ),
    ).toBe('late\nmain\nthird');
    await world.output('set-option', '-s', 'resurrect', 'off');
    await waitFor(async () => journalPaths(world).length === 0, { name: 'no journal' });
    await world.output('send-keys', '-t', 'main', 'echo more', 'Enter');
    await losePower(world);
    writeFileSync(config, 'set -s resurrect off\n');
    await world.output('-f', config, 'new-session', '-d', '-s', 'third');
    expect(await world.output('list-sessions', '-F', '#{session_name}')).toBe('third');
    expect(existsSync(stateFolder(world)) ? readdirSync(stateFolder(world)) : []).toEqual([]);
  });

  it('only commands of the allow list run again', async () => {
    const world = newWorld();
    const config = join(world.directory, 'config');
    writeFileSync(config, "set -s resurrect-commands 'sleep,tail -f *'\n");
    await world.output('-f', config, 'new-session', '-d', '-s', 'main');
    await world.output('send-keys', '-t', 'main', 'sleep 4321', 'Enter');
    await world.output('new-window', '-d', '-t', 'main:1');
    await world.output('send-keys', '-t', 'main:1', 'cat -u /dev/tty', 'Enter');
    await world.output('new-window', '-d', '-t', 'main:2', 'sleep 1234; touch evil');
    await world.output('new-window', '-d', '-t', 'main:3', 'tail -f /dev/null');
    await untilJournaled(world, '["sleep","4321"]', '"cat"', '["tail -f /dev/null"]');
    // The folder's name is random, and may have anything in it.
    const kept = journalPaths(world).map(headText).join().replaceAll(world.directory, '');
    expect(kept).not.toMatch(/evil|-u/);
    await losePower(world);
    await world.output('-f', config, 'resurrect', '-y');
    const running = () =>
      world.output('list-panes', '-s', '-t', 'main', '-F', '#{pane_current_command} #{pane_start_command}');
    let now = '';
    await waitFor(
      async () => {
        now = await running();
        return /^sleep \nsh \nsh \n(?:sh|tail) "tail -f \/dev\/null"$/.test(now);
      },
      { name: 'what runs', onTimeout: () => now },
    );
    await world.output('send-keys', '-t', 'main:0', 'C-c', '');
    await world.output('send-keys', '-t', 'main:0', 'echo sh""ell', 'Enter');
    await waitFor(async () => (await world.output('capture-pane', '-p', '-t', 'main:0')).includes('shell\n'), {
      name: 'the shell behind it',
    });
    expect(await world.output('capture-pane', '-p', '-t', 'main:1')).toContain('cat ran here');
    // What is in the journal is not enough: the option is asked when they come back.
    await untilJournaled(world, '["tail -f /dev/null"]');
    await losePower(world);
    await world.output('-f', '/dev/null', 'resurrect', '-y');
    expect(await world.output('capture-pane', '-p', '-t', 'main:3')).toMatch(/(?:sh|tail) ran here/);
    await waitFor(async () => !/tail|sleep/.test(await running()), { name: 'shells alone', onTimeout: () => now });
  });

  it('a directory that is gone gives way to the nearest one, and that is said', async () => {
    const world = newWorld();
    const gone = join(world.directory, 'gone', 'deep');
    mkdirSync(gone, { recursive: true });
    await world.output('-f', '/dev/null', 'new-session', '-d', '-s', 'main', '-c', gone);
    await untilJournaled(world, gone);
    await losePower(world);
    rmSync(join(world.directory, 'gone'), { recursive: true });
    await world.output('-f', '/dev/null', 'resurrect', 'main');
    await waitFor(
      async () =>
        (await world.output('display-message', '-p', '-t', 'main', '#{pane_current_path}')) === world.directory,
      { name: 'the parent' },
    );
    expect(await world.output('show-messages', '-t', 'main').catch(() => '')).toMatch(
      /^$|gone\/deep is missing, started in/,
    );
    expect((await world.output('capture-pane', '-pJ', '-t', 'main')).replaceAll('\n', '')).toContain('is missing');
  });

  it('a torn head costs the last change and is said; without any head the journal is put aside', async () => {
    const world = newWorld();
    await begin(world);
    await untilJournaled(world, '"main"');
    await world.output('new-session', '-d', '-s', 'second');
    await untilJournaled(world, '"second"');
    await world.output('new-session', '-d', '-s', 'third');
    await untilJournaled(world, '"third"');
    await losePower(world);
    const [journal = ''] = journalPaths(world);
    truncateSync(join(journal, 'head'), 500);
    expect(await world.output('-f', '/dev/null', 'resurrect', '-y')).toMatch(/^main:\nsecond:$/);
    expect(
      await world.output('new-session', '-d', ';', 'show-messages', '-t', 'main').catch(() => 'head is cut short'),
    ).toContain('head is cut short');
    await untilJournaled(world, '"second"');
    await losePower(world);
    for (const path of journalPaths(world))
      for (const name of readdirSync(path)) if (name.startsWith('head')) truncateSync(join(path, name), 30);
    const client = world.attach(['-f', '/dev/null']);
    await client.until(/cannot be read/);
    expect(journalPaths(world).filter((path) => path.endsWith('.damaged'))).toHaveLength(1);
  });

  it('text that is damaged comes back in part, and the rest as it was', async () => {
    const world = newWorld();
    await begin(world);
    await world.output('send-keys', '-t', 'main', 'echo said be""fore', 'Enter');
    await untilTextJournaled(world, 'said before');
    await losePower(world);
    const [journal = ''] = journalPaths(world);
    for (const name of readdirSync(journal)) if (name.startsWith('p')) truncateSync(join(journal, name), 100);
    await world.output('-f', '/dev/null', 'resurrect', '-y');
    expect(await world.output('capture-pane', '-p', '-t', 'main')).toMatch(/^── kept .*\n/);
    const client = world.attach();
    await client.until(/pane\/0\/screen is cut short/);
  });
});

describe('what people end themselves', () => {
  it('does not come back: kill-session, the exit of the last shell, kill-server', async () => {
    const world = newWorld();
    await begin(world);
    await world.output('new-session', '-d', '-s', 'other');
    await untilJournaled(world, '"other"');
    await world.output('kill-session', '-t', 'other');
    await waitFor(async () => !journalPaths(world).map(headText).join().includes('"other"'), {
      name: 'other to be gone',
    });
    await world.output('send-keys', '-t', 'main', 'exit 3', 'Enter');
    await waitFor(async () => world.serverPids().length === 0, { name: 'no server' });
    expect(journalPaths(world)).toEqual([]);
    await begin(world);
    await untilJournaled(world, '"main"');
    await world.output('kill-server');
    await waitFor(async () => world.serverPids().length === 0, { name: 'no server' });
    expect(journalPaths(world)).toEqual([]);
  });

  it('comes back when signals end it, as those of a machine that goes down', async () => {
    const world = newWorld();
    await begin(world);
    await world.output('send-keys', '-t', 'main', 'echo said be""fore', 'Enter');
    await waitFor(async () => (await world.output('capture-pane', '-p', '-t', 'main')).includes('said before\n'), {
      name: 'output',
    });
    process.kill(serverPid(world) ?? 0, 'SIGTERM');
    await waitFor(async () => world.serverPids().length === 0, { name: 'no server' });
    await world.output('-f', '/dev/null', 'resurrect', '-y');
    expect(await world.output('capture-pane', '-p', '-t', 'main')).toContain('said before');
    await untilTextJournaled(world, 'said before');
    process.kill(Number(await world.output('display-message', '-p', '-t', 'main', '#{pane_pid}')), 'SIGHUP');
    await waitFor(async () => world.serverPids().length === 0, { name: 'no server' });
    expect(await world.output('-f', '/dev/null', 'resurrect', '-l')).toMatch(/^main: 1 windows/);
  });
});

describe('when the pty host alone dies', () => {
  it('panes say so and keep their text; shells start in their places when the client says so', async () => {
    const world = newWorld();
    const place = join(world.directory, 'place');
    mkdirSync(place);
    const client = world.attach(['-f', '/dev/null', 'new-session', '-s', 'main', '-c', place]);
    await client.until(PROMPT);
    await world.output('split-window', '-t', 'main', '-c', place, 'echo said before; exec cat');
    await client.until('said before');
    await untilJournaled(world, '"cat"', place);
    const layout = await world.output('display-message', '-p', '#{window_layout}');
    process.kill(hostPid(world), 'SIGKILL');
    await client.until('The pty host died');
    await client.until('The programs of 2 panes are gone (cat)');
    client.press('Escape');
    await client.until(/── cat was lost with the pty host/);
    expect(await world.output('list-panes', '-F', '#{pane_dead}')).toBe('1\n1');
    await world.output('respawn-pane', '-t', 'main:0.1', 'exec cat');
    process.kill(hostPid(world), 'SIGKILL');
    await client.until('The pty host died');
    client.press('Enter');
    await waitFor(
      async () =>
        (await world.output('list-panes', '-F', '#{pane_current_command} #{pane_current_path}')) ===
        `sh ${place}`.concat(`\nsh ${place}`),
      { name: 'shells' },
    );
    expect(await world.output('display-message', '-p', '#{window_layout}')).toBe(layout);
    // The host that was started for them keeps what the next server needs.
    const before = serverPid(world);
    killServer(world);
    await untilBack(world, before);
    expect(await world.output('list-panes', '-F', '#{pane_current_command}')).toBe('sh\nsh');
  });

  it('with resurrect on shells start by themselves, with off the sessions end', async () => {
    const world = newWorld();
    await begin(world);
    await world.output('set-option', '-s', 'resurrect', 'on');
    const shell = () => world.output('display-message', '-p', '-t', 'main', '#{pane_pid}');
    const before = await shell();
    process.kill(hostPid(world), 'SIGKILL');
    await waitFor(async () => Number(await shell()) > 0 && (await shell()) !== before, { name: 'another shell' });
    expect(await world.output('capture-pane', '-p', '-t', 'main')).toContain('── started again');
    await world.output('set-option', '-s', 'resurrect', 'off');
    process.kill(hostPid(world), 'SIGKILL');
    await waitFor(async () => world.serverPids().length === 0, { name: 'no process' });
  });
});

describe('the journal on disk', () => {
  it('is for the user alone, one a socket, and goes on under the next server', async () => {
    const world = newWorld();
    await begin(world);
    await world.output('-L', 'two', '-f', '/dev/null', 'new-session', '-d', '-s', 'elsewhere');
    await untilJournaled(world, '"main"');
    await untilJournaled(world, '"elsewhere"');
    const paths = journalPaths(world);
    expect(paths).toHaveLength(2);
    for (const path of paths) {
      expect(statSync(path).mode & 0o777).toBe(0o700);
      for (const name of readdirSync(path)) expect(statSync(join(path, name)).mode & 0o777).toBe(0o600);
    }
    const before = serverPid(world);
    killServer(world);
    await untilBack(world, before);
    await waitFor(
      async () => journalPaths(world).length === 2 && journalPaths(world).every((path) => headText(path) !== ''),
      { name: 'two journals' },
    );
    await waitFor(async () => !journalPaths(world).some((path) => path.endsWith(`-${before}`)), {
      name: "the new server's",
    });
    await losePower(world);
    expect(await world.output('-f', '/dev/null', 'resurrect', '-l')).toMatch(/^main: 1 windows[^\n]*$/);
    expect(await world.output('-L', 'two', '-f', '/dev/null', 'resurrect', '-l')).toMatch(
      /^elsewhere: 1 windows[^\n]*$/,
    );
  });

  it('that cannot be written is said once, and nothing else breaks', async () => {
    const world = newWorld();
    const file = join(world.directory, 'file');
    writeFileSync(file, '');
    world.env.XDG_STATE_HOME = join(file, 'state');
    await begin(world);
    const client = world.attach(['attach-session', '-t', 'main']);
    await client.until(PROMPT);
    await waitFor(async () => (await world.output('show-messages')).includes('sessions are not kept on disk'), {
      name: 'the word',
    });
    await world.output('split-window', '-t', 'main');
    await world.output('rename-session', '-t', 'main', 'still');
    expect((await world.output('show-messages')).match(/not kept on disk/g)).toHaveLength(1);
    expect(await world.output('list-panes', '-t', 'still')).toMatch(/^0: .*\n1: /);
    expect((await world.call(['doctor'])).stdout).toMatch(/^warn +journal +sessions are not kept on disk: /m);
  });

  it('on a full disk is said once; what was written before still comes back', async ({ skip }) => {
    const world = newWorld();
    const disk = join(world.directory, 'disk');
    mkdirSync(disk);
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk]);
    if (mounted.status !== 0) skip('no right to mount a small disk');
    world.env.XDG_STATE_HOME = disk;
    try {
      const client = world.attach(['-f', '/dev/null', 'new-session', '-s', 'main']);
      await client.until(PROMPT);
      await untilJournaled(world, '"main"');
      await world.output('send-keys', '-t', 'main', 'head -c 300000 /dev/urandom | base64 -w 79; echo do""ne', 'Enter');
      await waitFor(
        async () => /not kept on disk: .*: No space left on device/.test(await world.output('show-messages')),
        {
          name: 'the word',
        },
      );
      await client.until(/^done$/m);
      await world.output('rename-session', '-t', 'main', 'still');
      await losePower(world);
      expect(await world.output('-f', '/dev/null', 'resurrect', '-l')).toMatch(/^main: 1 windows/);
      await waitFor(async () => world.serverPids().length === 0, { name: 'no server' });
    } finally {
      spawnSync('umount', ['-l', disk]);
    }
  });

  it('needs a home', async () => {
    const world = newWorld({ HOME: '', XDG_STATE_HOME: '' });
    const client = world.attach(['-f', '/dev/null', 'new-session', '-s', 'main']);
    await client.until(PROMPT);
    expect(await world.output('show-messages')).toContain('sessions are not kept on disk: HOME is not set');
  });

  it('of others is not believed', async () => {
    const world = newWorld();
    await begin(world);
    await untilJournaled(world, '"main"');
    await losePower(world);
    chmodSync(journalPaths(world)[0] ?? '', 0o777);
    expect((await world.call(['-f', '/dev/null', 'resurrect', '-y'])).stderr).toBe('no lost sessions\n');
    expect(readFileSync(join(journalPaths(world)[0] ?? '', 'head')).length).toBeGreaterThan(0);
  });
});
