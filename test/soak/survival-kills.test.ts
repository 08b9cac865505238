/**
 * The server is killed at random moments under five panes of output, a question half typed and copy mode open, also while
 * the next one takes over, with and without a client. After each kill all that commands tell is as before; at the end the
 * numbered output has no gap and no repeat, and no answer, bell, clipboard write or hook happened twice.
 * MPLEX_SOAK_RUNS (default 5) sets the kills; 200 gives the long form. MPLEX_SOAK_SEED repeats a run.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Control } from '../support/control.ts';
import { type TerminalProgram, World, waitFor } from '../support/program.ts';
import { randomFrom } from '../support/random.ts';
import {
  changesOf,
  killQuietly,
  killServer,
  type StillPart,
  serverPid,
  serverPids,
  stateOf,
  untilBack,
} from '../support/survivor.ts';

const RUNS = Number(process.env.MPLEX_SOAK_RUNS ?? 5);
const SEED = Number(process.env.MPLEX_SOAK_SEED ?? Date.now() % 100_000);
const HISTORY = (5000 + RUNS * 1000) * 20;
const TEST_MS = 90_000 + RUNS * 10_000;
const STILL: StillPart = { session: 'still', buffers: 'named*' };
const LAYOUTS = ['even-horizontal', 'even-vertical', 'main-horizontal', 'main-vertical', 'tiled'];

const worlds: World[] = [];

afterEach(async () => {
  await Promise.all(worlds.splice(0).map((world) => world.close()));
});

/** Prints numbered lines in bursts until the file `stop` is there, then `end N`. */
function counter(stop: string): string {
  return `i=0; while [ ! -e ${stop} ]; do seq $((i*25+1)) $((i*25+25)); i=$((i+1)); sleep 0.02; done; echo end $((i*25)); exec cat`;
}

/**
 * Asks the terminal for its state again and again, and counts answers; every 20th time rings the bell and writes the
 * clipboard, a number each. At the end everything that came too much.
 */
function prober(stop: string): string {
  return (
    `stty raw -echo; i=0; while [ ! -e ${stop} ]; do printf '\\033[5n'; dd bs=1 count=4 2>/dev/null >/dev/null; i=$((i+1)); ` +
    `printf '\\033]0;probe %d\\007' $i; if [ $((i % 20)) = 0 ]; then printf '\\007\\033]52;c;'; printf 'clip %d' $i | base64 | tr -d '\\n'; ` +
    `printf '\\007'; fi; sleep 0.01; done; ` +
    `stty min 0 time 10; more=$(dd bs=1 count=100 2>/dev/null | wc -c); printf 'end %d more %d\\r\\n' $i $more; stty sane; exec cat`
  );
}

/** Commands that change what is compared; the number makes each another. */
const CHANGES: readonly ((run: number) => readonly string[])[] = [
  (run) => ['set-option', '-g', '@run', `${run}`],
  (run) => ['set-option', '-t', 'still', 'status-left', `${run}`],
  (run) => ['set-option', '-p', '-t', 'still:0.0', '@pane', `${run}`],
  (run) => ['bind-key', '-N', `note ${run}`, 'y', 'display-message', `run ${run}`],
  (run) => ['set-buffer', '-b', `named${run % 5}`, `text ${run}`],
  (run) => ['rename-window', '-t', 'still:1', `w${run}`],
  (run) => ['resize-pane', '-t', 'still:0.0', '-x', `${20 + (run % 30)}`],
  (run) => ['select-layout', '-t', 'still:0', LAYOUTS[run % LAYOUTS.length] ?? ''],
  () => ['split-window', '-d', '-t', 'still:2', 'exec cat'],
  () => ['kill-pane', '-a', '-t', 'still:2.0'],
  (run) => ['set-environment', '-g', 'RUN', `${run}`],
  (run) => ['set-hook', '-g', 'session-renamed[3]', `display-message ${run}`],
  (run) => ['send-keys', '-X', '-t', 'still:1', run % 2 === 0 ? 'cursor-up' : 'cursor-left'],
  () => ['send-keys', '-X', '-t', 'still:1', 'begin-selection'],
  (run) => ['select-pane', '-t', 'still:0.0', '-T', `title ${run}`],
  () => ['resize-pane', '-Z', '-t', 'still:0.1'],
  () => ['swap-pane', '-d', '-s', 'still:0.0', '-t', 'still:0.1'],
];

/** A running server with everything in it. */
interface Scene {
  readonly world: World;
  readonly stop: string;
  readonly bells: string;
  readonly clips: string;
  readonly client: TerminalProgram | undefined;
  readonly question: string;
}

async function setUp(world: World, hasClient: boolean): Promise<Scene> {
  const [stop = '', bells = '', clips = ''] = ['stop', 'bells', 'clips'].map((name) => join(world.directory, name));
  await world.output('-f', '/dev/null', 'new-session', '-d', '-s', 'main', '-x', '80', '-y', '24', 'exec cat');
  await world.output('set-option', '-g', 'history-limit', String(HISTORY));
  await world.output('set-option', '-s', 'set-clipboard', 'on');
  await world.output('set-option', '-s', 'buffer-limit', '100000');
  await world.output('set-hook', '-g', 'alert-bell', `run-shell "echo bell >>${bells}"`);
  await world.output('set-hook', '-g', 'pane-set-clipboard', `run-shell "echo clip >>${clips}"`);
  await world.output('set-option', '-g', 'monitor-bell', 'on');
  for (let i = 0; i < 4; i++) await world.output('new-window', '-d', '-t', `main:${i + 1}`, counter(stop));
  await world.output('new-window', '-d', '-t', 'main:5', prober(stop));
  await world.output('new-session', '-d', '-s', 'still', '-x', '90', '-y', '30', 'seq 1 300; echo ready; exec cat');
  await world.output(
    'split-window',
    '-d',
    '-t',
    'still:0',
    'printf "\\033[?1049h\\033[?2004h\\033[?1002;1006hfull"; exec cat',
  );
  await world.output('new-window', '-d', '-t', 'still:1', 'seq 1 300; echo ready; exec cat');
  await world.output('new-window', '-d', '-t', 'still:2', 'exec cat');
  for (const [pane, text] of [
    ['still:0.0', 'ready'],
    ['still:0.1', 'full'],
    ['still:1', 'ready'],
  ] as const) {
    await waitFor(async () => (await paneText(world, pane)).includes(text), { name: `${text} in ${pane}` });
  }
  await world.output('copy-mode', '-u', '-t', 'still:1');
  // automatic-rename takes a moment.
  const isRenamed = async () =>
    (await world.output('display-message', '-p', '-t', 'still:1', '#{window_name}')) === '[tmux]';
  await waitFor(isRenamed, { name: 'the name of a window in copy mode' });
  const client = hasClient ? world.attach(['attach-session', '-t', 'main'], { keepBytes: true }) : undefined;
  await client?.until('[main]');
  const control = await Control.open(world.controlPath);
  const question = await control.show({ kind: 'text', title: 'Name?', timeout: 86_400, wait_client: true });
  control.close();
  if (client) {
    await client.until('● ');
    client.type('half');
    await client.until('half');
  }
  return { world, stop, bells, clips, client, question };
}

async function paneText(world: World, pane: string): Promise<string> {
  return world.output('capture-pane', '-p', '-S', '-', '-t', pane);
}

/** Kills the server after a random time, at times the next one too while it takes over, and waits for one that stays. */
async function killAtRandom(world: World, random: () => number): Promise<void> {
  // The one that answers: another, that came too late to be the server, may be about to end.
  const before = Number(await world.output('display-message', '-p', '#{pid}'));
  await new Promise((next) => setTimeout(next, random() * 400));
  process.kill(before, 'SIGKILL');
  if (random() < 0.4) {
    // The call starts the next server at once; the pty host would do so ten times a minute.
    const call = world.call(['list-sessions']);
    const next = () => serverPids(world).filter((pid) => pid !== before);
    let said: unknown = 'nothing yet';
    void call.then((result) => {
      said = result;
    });
    const onTimeout = () =>
      `the call: ${JSON.stringify(said)}, left: ${world.serverPids()}, ${readdirSync(dirname(world.socketPath))}`;
    await waitFor(() => next().length > 0, { name: 'the next server', onTimeout });
    await new Promise((wait) => setTimeout(wait, random() * 150));
    for (const pid of next()) killQuietly(pid);
    await call;
  }
  await untilBack(world, before);
}

/** How the question stands, as its asker is told who asks by a new connection. */
async function standing(world: World, question: string): Promise<unknown> {
  await waitFor(() => existsSync(world.controlPath), { name: 'the control socket' });
  const control = await Control.open(world.controlPath);
  const { state, error } = await control.result(question);
  control.close();
  return state ?? error;
}

function isWhole(text: string): string {
  const lines = text.split('\n').filter((line) => line !== '');
  const end = lines.findIndex((line) => line.startsWith('end '));
  const numbers = lines.slice(0, end).map(Number);
  for (const [i, number] of numbers.entries()) {
    if (i > 0 && number !== (numbers[i - 1] ?? 0) + 1) return `${numbers[i - 1]} is followed by ${number}`;
  }
  return numbers.at(-1) === Number(lines[end]?.slice(4)) ? 'whole' : `ends with ${numbers.at(-1)}, not ${lines[end]}`;
}

function linesOf(file: string): number {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0;
}

/** Lets the programs come to their end, and checks what each of them counted. */
async function checkOutput({ world, stop, bells, clips }: Scene): Promise<number> {
  await world.output('run-shell', `touch ${stop}`);
  for (let i = 1; i <= 5; i++) {
    const atEnd = async () => /^end /m.test(await paneText(world, `main:${i}`));
    await waitFor(atEnd, { name: `the end of pane ${i}`, ms: 60_000 });
  }
  for (let i = 1; i <= 4; i++) expect(isWhole(await paneText(world, `main:${i}`))).toBe('whole');
  const probed = await paneText(world, 'main:5');
  expect(probed).toMatch(/^end \d+ more 0$/m);
  const probes = Number(/end (\d+)/.exec(probed)?.[1]);
  expect(await world.output('display-message', '-p', '-t', 'main:5', '#{pane_title}')).toBe(`probe ${probes}`);
  const rings = Math.floor(probes / 20);
  expect(linesOf(bells)).toBeLessThanOrEqual(rings);
  expect(linesOf(clips)).toBeLessThanOrEqual(rings);
  const written = (
    await world.output('list-buffers', '-f', '#{m:buffer*,#{buffer_name}}', '-F', '#{buffer_sample}')
  ).split('\n');
  expect(new Set(written).size).toBe(written.length);
  return rings;
}

/** What came to the person's terminal, and that the half typed question goes on. */
async function checkClient({ world, question }: Scene, client: TerminalProgram, rings: number): Promise<void> {
  await client.until('half');
  await client.until((rows) => !rows.some((row) => row.includes('reconnecting')), {
    name: 'a screen of the last server',
  });
  await client.until('● ');
  client.press('Enter');
  const control = await Control.open(world.controlPath);
  expect(await control.result(question, 10)).toMatchObject({ done: true, outcome: 'ok', value: 'half' });
  control.close();
  client.type('typed at the end');
  await client.until('typed at the end');
  const { bytes } = client.screen;
  const clips = bytes.match(/\x1b\]52;[^\x07\x1b]*/g) ?? [];
  expect(new Set(clips).size).toBe(clips.length);
  // OSC strings of the client end with ST: a BEL is a bell.
  expect(bytes.split('\x07').length - 1).toBeLessThanOrEqual(rings);
}

describe.each([false, true])(`kills at random moments (seed ${SEED})`, (hasClient) => {
  it(
    `neither lose nor repeat anything ${hasClient ? 'with' : 'without'} a client`,
    async () => {
      const random = randomFrom(SEED);
      const world = new World();
      worlds.push(world);
      const scene = await setUp(world, hasClient);
      const asked = await standing(world, scene.question);
      expect(asked).toBe(hasClient ? 'shown' : 'waiting_client');
      for (let run = 0; run < RUNS; run++) {
        const change = CHANGES[Math.floor(random() * CHANGES.length)]?.(run) ?? [];
        // Some are refused where nothing is left to be done: that changes nothing either.
        await world.call(change);
        const before = await stateOf(world, STILL);
        await killAtRandom(world, random);
        expect(changesOf(before, await stateOf(world, STILL)), `kill ${run}, after ${change.join(' ')}`).toEqual([]);
        // The client takes a moment to come back.
        const isAsked = async () => (await standing(world, scene.question)) === asked;
        const onTimeout = () => `the client's screen:\n${scene.client?.screen.text()}`;
        await waitFor(isAsked, { name: `the question as before, kill ${run}`, onTimeout });
      }
      const rings = await checkOutput(scene);
      if (scene.client) await checkClient(scene, scene.client, rings);
      const state = await stateOf(world);
      const last = serverPid(world);
      killServer(world);
      await untilBack(world, last);
      expect(changesOf(state, await stateOf(world))).toEqual([]);
    },
    TEST_MS,
  );
});
