/** The last bytes of a program that prints and exits, and panes beside one that asks for a lot of work. */
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Control } from '../support/control.ts';
import { type TerminalProgram, World, waitFor } from '../support/program.ts';

const LAST_BYTES = resolve(import.meta.dirname, '../fixtures/programs/last-bytes.mjs');
const RUNS = process.env.MPLEX_TEST_FULL ? 25 : 3;

let world: World;
let control: Control;

beforeAll(async () => {
  world = new World();
  await world.output('-f', '/dev/null', 'new-session', '-d', '-s', 'main', '-x', '100', '-y', '30', 'cat');
  control = await Control.open(world.controlPath);
  await control.run('set-option', '-g', 'history-limit', '200000');
  await control.run('set-option', '-g', 'remain-on-exit', 'on');
});

afterAll(async () => {
  control.close();
  await world.close();
});

describe('a program that prints and exits', () => {
  it.each([1, 4096, 200_000, 2_000_000])('loses none of %i bytes', async (bytes) => {
    const expected = execFileSync(process.execPath, [LAST_BYTES, String(bytes)], {
      encoding: 'utf8',
      maxBuffer: 1 << 23,
    });
    for (let run = 0; run < (bytes > 1_000_000 ? 1 : RUNS); run++) {
      const command = `${process.execPath} ${LAST_BYTES} ${bytes}`;
      const pane = await control.run('new-window', '-d', '-P', '-F', '#{pane_id}', '-t', 'main:', command);
      await waitFor(async () => (await control.run('display-message', '-p', '-t', pane, '#{pane_dead}')) === '1', {
        name: 'the end of the program',
        ms: 20_000,
      });
      const shown = (await world.output('capture-pane', '-p', '-J', '-S', '-', '-t', pane)).split('\n');
      const end = shown.findIndex((line) => line.startsWith('Pane is dead'));
      const lines = expected.split('\n').map((line) => line.trimEnd());
      // The dead pane's line stands on the row below the last one.
      const seen = shown.slice(0, end).map((line) => line.trimEnd());
      expect(withoutBlanksAtEnd(seen)).toEqual(withoutBlanksAtEnd(lines));
      await control.run('kill-window', '-t', pane);
    }
  });

  it('a short one beside the flood of another loses nothing either', async () => {
    const flood = await control.run('new-window', '-d', '-P', '-F', '#{pane_id}', '-t', 'main:', 'yes');
    for (let run = 0; run < RUNS; run++) {
      const pane = await control.run('new-window', '-d', '-P', '-F', '#{pane_id}', '-t', 'main:', 'seq 3000');
      await waitFor(async () => (await control.run('display-message', '-p', '-t', pane, '#{pane_dead}')) === '1', {
        name: 'the end of seq',
      });
      const shown = (await world.output('capture-pane', '-p', '-S', '-', '-t', pane)).split('\n');
      expect(shown.slice(0, 3000)).toEqual(Array.from({ length: 3000 }, (_, n) => String(n + 1)));
      await control.run('kill-window', '-t', pane);
    }
    await control.run('kill-window', '-t', flood);
  });
});

describe('other panes', () => {
  let client: TerminalProgram;

  beforeAll(async () => {
    client = world.attach(['attach-session', '-t', 'main'], { size: { cols: 100, rows: 31 } });
    await client.until('[main]');
  });

  const C1: readonly (readonly [spelling: string, csi: string])[] = [
    ['ESC [', '\\033['],
    ['U+009B', '\\302\\233'],
  ];
  const ECHO_MS = 100;
  const FINALS = ['b', 'L', 'M', 'S', 'T', 'Z', 'I', '@', 'P', 'X', 'A', 'B', 'C', 'D', 'E', 'F', 'G', 'd'];

  /** How long a key takes to show while another pane begins with huge counts, ms. */
  async function echoBeside(csi: string, final: string): Promise<number> {
    const huge = `${csi}2147483647${final}`;
    const command = `printf 'x${huge}done${huge}${csi}2147483647;2147483647${final}'; exec cat`;
    const pane = await control.run('split-window', '-d', '-P', '-F', '#{pane_id}', '-t', 'main:', command);
    const text = `echo-${final.charCodeAt(0)}-`;
    const begin = performance.now();
    client.type(text);
    await client.until(text);
    const tookMs = performance.now() - begin;
    await control.run('kill-pane', '-t', pane);
    client.type('\x15');
    await client.until((rows) => !rows.join().includes(text));
    return tookMs;
  }

  it.each(C1)('echo within 100 ms while one is told to do something 2147483647 times (%s)', async (_spelling, csi) => {
    await control.run('new-window', '-t', 'main:', 'cat');
    const stops: string[] = [];
    for (const final of FINALS) {
      // Somebody else's work on this machine may delay one echo, not each of three.
      let tookMs = Number.POSITIVE_INFINITY;
      for (let attempt = 0; attempt < 3 && tookMs > ECHO_MS; attempt++) tookMs = await echoBeside(csi, final);
      if (tookMs > ECHO_MS) stops.push(`${final}: ${Math.round(tookMs)} ms`);
    }
    expect(stops).toEqual([]);
    await control.run('kill-window', '-t', 'main:');
  });
});

function withoutBlanksAtEnd(lines: readonly string[]): readonly string[] {
  let length = lines.length;
  while (length > 0 && lines[length - 1] === '') length -= 1;
  return lines.slice(0, length);
}
