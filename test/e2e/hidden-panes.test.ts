/** A pane that nobody looks at is read a little later, and nobody who asks for it notices. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Control } from '../support/control.ts';
import { World, waitFor } from '../support/program.ts';

const RUNS = 5;
/** Prints a line every 10 ms, so that the pane rests, then the last line, and makes a file. */
const talk = (mark: string) =>
  `i=0; while [ $i -lt 30 ]; do echo line $i; i=$((i+1)); sleep 0.01; done; echo last; : >'${mark}'; sleep 100`;

let directory: string;
let world: World;
let control: Control;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'hidden-'));
  world = new World();
  await world.output('-f', '/dev/null', 'new-session', '-d', '-s', 'main', '-x', '100', '-y', '40', 'cat');
  control = await Control.open(world.controlPath);
});

afterAll(async () => {
  control.close();
  await world.close();
  rmSync(directory, { recursive: true, force: true });
});

describe('a detached pane that keeps printing', () => {
  it.each(['the control socket', 'a call'])('is captured as it was when it was asked for, by %s', async (by) => {
    for (let run = 0; run < RUNS; run++) {
      const mark = join(directory, `${by}-${run}`);
      const pane = await control.run('new-window', '-d', '-P', '-F', '#{pane_id}', '-t', 'main:', talk(mark));
      await waitFor(() => existsSync(mark), { name: 'the last line' });
      const capture = ['capture-pane', '-p', '-t', pane];
      const shown = by === 'a call' ? await world.output(...capture) : await control.run(...capture);
      expect(shown).toContain('line 29\nlast');
      await control.run('kill-window', '-t', pane);
    }
  });

  it('prints as fast as its program can', async () => {
    const pane = await control.run('new-window', '-d', '-P', '-F', '#{pane_id}', '-t', 'main:', 'cat');
    await control.run('set-option', '-w', '-t', pane, 'remain-on-exit', 'on');
    await control.run('respawn-pane', '-k', '-t', pane, 'seq 1 200000');
    await waitFor(async () => (await control.run('display-message', '-p', '-t', pane, '#{pane_dead}')) === '1', {
      name: 'the end of seq',
      ms: 20_000,
    });
    expect(await control.run('capture-pane', '-p', '-t', pane)).toContain('200000');
  });
});
