/**
 * A server under mixed load, for hours: output of several kinds in 20 panes, clients that come and go, splits, copy mode,
 * dialogs. Memory and descriptors of server and pty host do not grow. MPLEX_SOAK_HOURS sets how long (24 for a day);
 * without it a short form, which finds what leaks with each round.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { Control } from '../support/control.ts';
import { descriptorsOf, memoryOf } from '../support/fault.ts';
import { World } from '../support/program.ts';
import { serverPid } from '../support/survivor.ts';

const IS_LONG = process.env.MPLEX_SOAK_RUNS !== undefined;
const HOURS = Number(process.env.MPLEX_SOAK_HOURS ?? (IS_LONG ? 0.1 : 0.005));
const PANES = HOURS >= 0.1 ? 20 : 6;
const END_MS = HOURS * 3600_000;
/** The first part of the time, in which histories and caches fill up. */
const WARM_UP = 0.3;
/** Lines of history a pane: in a short run few enough to be full after the warm-up. */
const HISTORY = HOURS >= 1 ? 2000 : 500;
/** From one floor to the next memory may be higher by the moods of the collector, MiB. */
const MOODS = 40;
/** MiB an hour, of runs long enough for moods not to count. */
const SLOPE_MAX = 1;
const SLOPE_HOURS = 8;
/** Parts of the time whose lowest sample counts: memory rises until the collector runs. */
const PARTS = 12;

const LOADS = [
  'while :; do seq 1 200; sleep 0.5; done',
  'i=0; while :; do i=$((i+1)); printf "\\033[%d;%dH\\033[3%dm%d\\033[m\\033]2;title %d\\007" $((i%20+1)) $((i%60+1)) $((i%8)) $i $i; sleep 0.05; done',
  'while :; do printf "e\\314\\201 \\346\\274\\242 \\360\\237\\221\\251\\342\\200\\215\\360\\237\\222\\273 \\033]8;;https://example.org/%s\\033\\\\link\\033]8;;\\033\\\\\\n" $RANDOM; sleep 0.1; done',
  'while :; do printf "\\033[?1049h\\033[2Jfull"; sleep 0.3; printf "\\033[?1049l"; sleep 0.3; done',
  'exec cat',
];

let world: World | undefined;

afterEach(() => world?.close());

interface Sample {
  readonly hours: number;
  readonly server: number;
  readonly host: number;
}

/** Least squares: MiB an hour. */
function slopeOf(samples: readonly Sample[], of: (sample: Sample) => number): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(samples.map(({ hours }) => hours)), mean(samples.map(of))];
  const above = samples.reduce((sum, sample) => sum + (sample.hours - x) * (of(sample) - y), 0);
  return above / samples.reduce((sum, { hours }) => sum + (hours - x) ** 2, 0);
}

/** The lowest samples of parts of the time. */
function floorsOf(samples: readonly Sample[], of: (sample: Sample) => number): Sample[] {
  const size = Math.max(1, Math.ceil(samples.length / PARTS));
  const floors: Sample[] = [];
  for (let at = 0; at < samples.length; at += size) {
    floors.push(samples.slice(at, at + size).reduce((least, sample) => (of(sample) < of(least) ? sample : least)));
  }
  return floors;
}

/** One round of what people do; leaves everything as it was. */
async function round(running: World, number: number): Promise<void> {
  const client = running.attach(['attach-session', '-t', 'main']);
  await client.until('[main]');
  client.press(`C-b ${number % PANES < 10 ? number % PANES : 'n'}`);
  await running.output('split-window', '-t', 'main:0', 'exec cat');
  client.resize({ cols: 60 + (number % 60), rows: 15 + (number % 20) });
  await running.output('copy-mode', '-u', '-t', 'main:0.0');
  await running.output('send-keys', '-t', 'main:0.0', '-X', 'cancel');
  const control = await Control.open(running.controlPath);
  const flow = await control.show({ kind: 'choice', title: `Round ${number}`, options: ['a', 'b'] });
  await client.until(`Round ${number}`);
  await control.cancel(flow);
  control.close();
  await running.output('kill-pane', '-t', 'main:0.1');
  await running.output('set-buffer', `text ${number}`);
  client.press('C-b d');
  await client.exit;
}

describe('a day', () => {
  it(
    `of ${HOURS} hours under mixed load costs no memory and no descriptors`,
    async () => {
      const running = new World();
      world = running;
      await running.output(
        '-f',
        '/dev/null',
        'set-option',
        '-g',
        'history-limit',
        String(HISTORY),
        ';',
        'new-session',
        '-d',
        '-s',
        'main',
        '-x',
        '80',
        '-y',
        '24',
        LOADS[0] ?? '',
      );
      for (let i = 1; i < PANES; i++)
        await running.output('new-window', '-d', '-t', `main:${i}`, LOADS[i % LOADS.length] ?? '');
      const server = serverPid(running) ?? 0;
      const host = running.serverPids().find((pid) => pid !== server) ?? 0;
      const start = performance.now();
      const samples: Sample[] = [];
      let descriptors: number | undefined;
      for (let number = 0; performance.now() - start < END_MS; number++) {
        await round(running, number);
        const hours = (performance.now() - start) / 3600_000;
        if (hours < HOURS * WARM_UP) continue;
        descriptors ??= descriptorsOf(server);
        samples.push({ hours, server: memoryOf(server), host: memoryOf(host) });
      }
      expect(serverPid(running)).toBe(server);
      expect(descriptorsOf(server)).toBeLessThanOrEqual((descriptors ?? 0) + 2);
      expect(await running.output('list-clients')).toBe('');
      for (const of of [({ server: one }: Sample) => one, ({ host: one }: Sample) => one]) {
        const floors = floorsOf(samples, of);
        const part = Math.ceil(floors.length / 3);
        const lowest = (some: readonly Sample[]) => Math.min(...some.map(of));
        const growth = lowest(floors.slice(-part)) - lowest(floors.slice(0, part));
        expect(growth, JSON.stringify(floors)).toBeLessThan(MOODS);
        if (HOURS >= SLOPE_HOURS) expect(slopeOf(floors, of), JSON.stringify(floors)).toBeLessThan(SLOPE_MAX);
      }
    },
    END_MS + 120_000,
  );
});
