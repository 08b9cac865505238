/**
 * The server is killed at random moments under five panes of output, also while the next one takes over, with and without a
 * client: numbered output has no gap and no repeat, answers come once each, hooks never twice. MPLEX_SOAK_RUNS (default 8)
 * sets the kills; 200 gives the long form. MPLEX_SOAK_SEED repeats a run.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { World, waitFor } from '../support/program.ts';
import { killServer, serverPid, stateOf, untilBack } from '../support/survivor.ts';

const RUNS = Number(process.env.MPLEX_SOAK_RUNS ?? 8);
const SEED = Number(process.env.MPLEX_SOAK_SEED ?? Date.now() % 100_000);
const LINES = 5000 + RUNS * 500;
const KILL_MS = 60_000 + RUNS * 5000;

const worlds: World[] = [];

afterEach(async () => {
  await Promise.all(worlds.splice(0).map((world) => world.close()));
});

/** Numbers from 0 to 1 (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Prints numbered lines in bursts until the file `stop` is there, then `end N`. */
function counter(stop: string): string {
  return `i=0; while [ ! -e ${stop} ]; do seq $((i*25+1)) $((i*25+25)); i=$((i+1)); sleep 0.02; done; echo end $((i*25)); exec cat`;
}

/** Asks the terminal for its state again and again, and counts answers; at the end everything that came too much. */
function prober(stop: string): string {
  return (
    `stty raw -echo; i=0; while [ ! -e ${stop} ]; do printf '\\033[5n'; dd bs=1 count=4 2>/dev/null >/dev/null; i=$((i+1)); ` +
    `printf '\\033]0;probe %d\\007' $i; [ $((i % 20)) = 0 ] && printf '\\007'; sleep 0.01; done; ` +
    `stty min 0 time 10; more=$(dd bs=1 count=100 2>/dev/null | wc -c); printf 'end %d more %d\\r\\n' $i $more; stty sane; exec cat`
  );
}

async function paneText(world: World, pane: string): Promise<string> {
  return world.output('capture-pane', '-p', '-S', '-', '-t', pane);
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

describe.each([false, true])(`kills at random moments (seed ${SEED})`, (hasClient) => {
  it(
    `neither lose nor repeat anything ${hasClient ? 'with' : 'without'} a client`,
    async () => {
      const random = randomFrom(SEED);
      const world = new World();
      worlds.push(world);
      const stop = join(world.directory, 'stop');
      const bells = join(world.directory, 'bells');
      await world.output('-f', '/dev/null', 'new-session', '-d', '-s', 'main', '-x', '80', '-y', '24', 'exec cat');
      await world.output('set-option', '-g', 'history-limit', String(LINES * 20));
      await world.output('set-hook', '-g', 'alert-bell', `run-shell "echo bell >>${bells}"`);
      await world.output('set-option', '-g', 'monitor-bell', 'on');
      for (let i = 0; i < 4; i++) await world.output('new-window', '-d', '-t', `main:${i + 1}`, counter(stop));
      await world.output('new-window', '-d', '-t', 'main:5', prober(stop));
      const client = hasClient ? world.attach(['attach-session', '-t', 'main']) : undefined;
      await client?.until('[main]');
      for (let run = 0; run < RUNS; run++) {
        await new Promise((next) => setTimeout(next, random() * 400));
        const before = serverPid(world);
        killServer(world);
        if (random() < 0.4) {
          // Once more in the middle of the take-over.
          // The call starts the next server at once; the pty host would do so three times a minute.
          const call = world.call(['list-sessions']);
          await waitFor(() => serverPid(world) !== undefined, { name: 'the next server' });
          await new Promise((next) => setTimeout(next, random() * 150));
          killServer(world);
          await call;
        }
        await untilBack(world, before);
      }
      await world.call(['run-shell', `touch ${stop}`]);
      await waitFor(() => existsSync(stop), { name: 'the stop' });
      for (let i = 1; i <= 5; i++) {
        await waitFor(async () => /^end /m.test(await paneText(world, `main:${i}`)), {
          name: `the end of pane ${i}`,
          ms: 30_000,
        });
      }
      for (let i = 1; i <= 4; i++) expect(isWhole(await paneText(world, `main:${i}`))).toBe('whole');
      const probed = await paneText(world, 'main:5');
      expect(probed).toMatch(/^end \d+ more 0$/m);
      const probes = Number(/end (\d+)/.exec(probed)?.[1]);
      expect(await world.output('display-message', '-p', '-t', 'main:5', '#{pane_title}')).toBe(`probe ${probes}`);
      const rings = existsSync(bells) ? readFileSync(bells, 'utf8').split('\n').length - 1 : 0;
      expect(rings).toBeLessThanOrEqual(Math.floor(probes / 20));
      if (client) {
        await client.until('[main]');
        client.type('typed at the end');
        await client.until('typed at the end');
      }
      const state = await stateOf(world);
      const last = serverPid(world);
      killServer(world);
      await untilBack(world, last);
      expect(await stateOf(world)).toEqual(state);
    },
    KILL_MS,
  );
});
