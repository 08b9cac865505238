/** Earlier commits of the project are upgraded to this one, under their own clients and their own pty host. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { Control } from '../support/control.ts';
import { buildCommit, type EarlierBuild, earlierCommit } from '../support/earlier-build.ts';
import { type CallResult, MPLEX, World, waitFor } from '../support/program.ts';
import { killServer, serverPid } from '../support/survivor.ts';

/** How many commits back; those that are there and could be upgraded then. */
const BACKS = [40, ...(process.env.MPLEX_UPGRADE_BACK ?? '').split(',').filter(Boolean).map(Number)];

const worlds: World[] = [];
const builds: EarlierBuild[] = [];

afterEach(async () => {
  await Promise.all(worlds.splice(0).map((world) => world.close()));
});

afterAll(() => {
  for (const build of builds) build.remove();
});

/** A call of this version where the world's own program is the earlier one. */
function callNew(world: World, argv: readonly string[]): Promise<CallResult> {
  const child = spawn(process.execPath, [MPLEX, ...argv], { env: world.env, cwd: world.directory });
  return new Promise((resolve) => {
    const text = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (chunk: string) => {
        text[name] += chunk;
      });
    }
    child.on('close', (code) => resolve({ code: code ?? -1, ...text }));
  });
}

/** What both versions tell. */
const LOOKS: readonly (readonly string[])[] = [
  ['list-sessions', '-F', '#{session_id} #{session_name} #{session_created} #{session_windows} #{session_attached}'],
  ['list-windows', '-a', '-F', '#{window_id} #{window_index} #{window_name} #{window_layout} #{window_flags}'],
  [
    'list-panes',
    '-a',
    '-F',
    '#{pane_id} #{pane_pid} #{pane_tty} #{pane_title} #{pane_width}x#{pane_height} #{cursor_x},#{cursor_y} ' +
      '#{history_size} #{alternate_on} #{pane_mode} #{scroll_position} #{pane_dead}',
  ],
  ['list-clients', '-F', '#{client_name} #{client_pid} #{client_session} #{client_width}x#{client_height}'],
  ['list-buffers', '-F', '#{buffer_name} #{buffer_sample}'],
  ['show-options', '-g', '@mine'],
  ['show-options', '-w', '-t', 'main:1', 'remain-on-exit'],
  ['show-environment', '-g', 'GIVEN'],
  ['list-keys', '-T', 'prefix', 'y'],
  ['show-hooks', '-g', 'session-renamed'],
  ['capture-pane', '-peJ', '-S', '-', '-t', 'main:0.0'],
  ['capture-pane', '-peJ', '-S', '-', '-t', 'main:0.1'],
  ['capture-pane', '-peJ', '-S', '-', '-t', 'main:1'],
];

async function looksOf(world: World): Promise<string[]> {
  const looks: string[] = [];
  for (const argv of LOOKS) looks.push((await callNew(world, argv)).stdout);
  return looks;
}

const SETUP: readonly (readonly string[])[] = [
  ['split-window', '-t', 'main:0', 'printf "\\033[?1049h\\033[31mfull\\033[m"; exec cat'],
  ['new-window', '-d', '-t', 'main:1', '-n', 'named', 'seq 1 400; echo e\u0301 \u6f22 ready; exec cat'],
  ['set-option', '-g', '@mine', 'a "quoted" value'],
  ['set-option', '-w', '-t', 'main:1', 'remain-on-exit', 'on'],
  ['set-environment', '-g', 'GIVEN', 'value'],
  ['set-buffer', '-b', 'mine', 'text of the buffer'],
  ['bind-key', 'y', 'display-message', 'it works'],
  ['set-hook', '-g', 'session-renamed', 'display-message renamed'],
];

describe.each(BACKS)('an earlier version, %i commits back', (back) => {
  const commit = earlierCommit(back);
  it.skipIf(commit === undefined)(
    `is upgraded under its programs, its clients and its pty host${commit === undefined ? ' (not here: no history)' : ''}`,
    async () => {
      const build = buildCommit(commit ?? '');
      builds.push(build);
      const world = new World({}, [process.execPath, build.program]);
      worlds.push(world);
      const client = world.attach(['-f', '/dev/null', 'new-session', '-s', 'main', 'seq 1 100; echo first; exec cat']);
      await client.until('first');
      for (const argv of SETUP) await world.output(...argv);
      await client.until('full');
      await waitFor(async () => (await world.output('capture-pane', '-pt', 'main:1')).includes('ready'), {
        name: 'the second window',
      });
      await world.output('copy-mode', '-u', '-t', 'main:1');
      let control = await Control.open(world.controlPath);
      const flow = await control.show({ kind: 'text', title: 'Name?', timeout: 300 });
      await client.until('Name?');
      control.close();
      const before = await looksOf(world);
      const old = serverPid(world);
      const host = world.serverPids().find((pid) => pid !== old);

      const { stdout, stderr } = await callNew(world, ['upgrade-server']);
      expect(stdout, stderr).toMatch(/^mplex \S+ \(pid \d+\) is now mplex \S+ \(pid \d+\)$/m);
      const now = serverPid(world);
      expect(now).not.toBe(old);
      expect(readFileSync(`/proc/${now}/cmdline`, 'utf8')).toContain(MPLEX.replace('mplex.js', 'mplexd.js'));
      expect(host !== undefined && existsSync(`/proc/${host}`)).toBe(true);
      expect(await looksOf(world)).toEqual(before);

      // The earlier client on the new server: the question, then the panes.
      control = await Control.open(world.controlPath);
      await control.until(flow, { state: 'shown' });
      await client.until('Name?');
      client.press('C-b Enter');
      await client.until('● ');
      client.type('somebody\r');
      expect(await control.result(flow, 10)).toMatchObject({ done: true, outcome: 'ok', value: 'somebody' });
      control.close();
      client.type('typed after\r');
      await client.until(/typed after\n.*typed after/);

      // The earlier pty host starts programs for it, and starts this version again when it is lost.
      client.press('C-b c');
      await client.until(/2:\S+\*/);
      await world.output('send-keys', '-t', 'main:2', 'echo in-a-new-pane', 'Enter');
      await client.until(/^in-a-new-pane/m);
      const newer = world.run([process.execPath, MPLEX, 'attach-session', '-t', 'main']);
      await newer.until('in-a-new-pane');
      const kept = await looksOf(world);
      killServer(world);
      await waitFor(() => ![undefined, now].includes(serverPid(world)), { name: 'the next server' });
      expect(readFileSync(`/proc/${serverPid(world)}/cmdline`, 'utf8')).toContain(
        MPLEX.replace('mplex.js', 'mplexd.js'),
      );
      expect(await looksOf(world)).toEqual(kept);
      newer.type('echo the-end\r');
      for (const one of [client, newer]) await one.until(/^the-end/m);
    },
    120_000,
  );
});
