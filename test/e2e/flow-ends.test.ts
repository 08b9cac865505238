/** A flow has exactly one outcome, whatever is killed in the middle of it. */
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { type CallResult, type TerminalProgram, World } from '../support/program.ts';

const ARMED = /┏|● /;
const SPEC = {
  timeout: 60,
  screens: [
    { id: 'one', fields: [{ id: 'a', type: 'choice', label: 'First thing', options: ['x', 'y'] }] },
    { id: 'two', fields: [{ id: 'b', type: 'text', label: 'Second thing' }] },
  ],
};

const HAS_PYTHON = spawnSync('python3', ['--version']).status === 0;
if (!HAS_PYTHON) console.log('no python3 here: its example is left out');

const worlds: World[] = [];
afterEach(async () => {
  await Promise.all(worlds.splice(0).map((world) => world.close()));
});

/** A world with one client, and a flow whose first question is answered and whose second is half typed. */
async function inTheMiddle(...flags: string[]) {
  const world = new World();
  worlds.push(world);
  const client = world.attach(['-f', '/dev/null', 'new-session', '-s', 'main', 'echo ready; exec cat']);
  await client.until('ready');
  const asker = world.spawn(['ask', ...flags, '--spec', '-'], { input: JSON.stringify(SPEC) });
  await armed(client, 'First thing');
  client.press('Enter');
  await armed(client, 'Second thing');
  client.type('half');
  await client.until('Second thing: half');
  return { world, client, asker };
}

async function armed(client: TerminalProgram, text: string): Promise<void> {
  await client.until((rows) => rows.some((row) => row.includes(text)) && ARMED.test(rows.join('\n')), {
    name: `an armed dialog that says ${text}`,
  });
}

/** The one outcome; more or less than one line of JSON throws. */
function outcomeOf({ stdout }: CallResult): unknown {
  expect(stdout.split('\n')).toHaveLength(2);
  return JSON.parse(stdout);
}

describe('a flow in the middle', () => {
  it('goes on at the second client when the first is killed', async () => {
    const { world, client, asker } = await inTheMiddle();
    const second = world.attach(['attach-session', '-t', 'main']);
    await second.until('ready');
    client.kill('SIGKILL');
    await armed(second, 'Second thing: half');
    second.type(' done');
    second.press('Enter');
    const ended = await asker.done;
    expect(outcomeOf(ended)).toEqual({ status: 'done', answers: { a: 'x', b: 'half done' }, action: null });
    expect(ended.code).toBe(0);
  });

  it('waits for its person who comes back, with what was typed', async () => {
    const { world, client, asker } = await inTheMiddle();
    client.press('C-b d');
    await client.exit;
    const again = world.attach(['attach-session']);
    await armed(again, 'Second thing: half');
    again.press('Enter');
    expect(outcomeOf(await asker.done)).toMatchObject({ status: 'done', answers: { b: 'half' } });
  });

  it('is cancelled when the server ends', async () => {
    const { world, asker } = await inTheMiddle();
    await world.call(['kill-server']);
    const ended = await asker.done;
    expect(ended.code).toBe(5);
    expect(outcomeOf(ended)).toMatchObject({ at: 'two', answers: { a: 'x' } });
  });

  it('has one outcome when the server is killed', async () => {
    const { world, asker } = await inTheMiddle();
    for (const pid of world.serverPids()) process.kill(pid, 'SIGKILL');
    const ended = await asker.done;
    expect([5, 125]).toContain(ended.code);
    expect(outcomeOf(ended)).toMatchObject({ status: 'error', at: 'two', answers: { a: 'x' } });
  });

  it('is cancelled when its asker is told to stop, and the dialog goes', async () => {
    const { client, asker } = await inTheMiddle();
    asker.kill('SIGTERM');
    const ended = await asker.done;
    expect(ended.code).toBe(7);
    expect(outcomeOf(ended)).toEqual({ status: 'cancelled', at: 'two', answers: { a: 'x' } });
    await client.until((rows) => !rows.some((row) => row.includes('Second thing')), { name: 'no dialog' });
  });

  it('tells who answered and when, if that is wanted', async () => {
    const { client, asker } = await inTheMiddle('--meta');
    client.press('Enter');
    const { meta } = outcomeOf(await asker.done) as { meta: { asks: Record<string, string>[] } };
    expect(meta).toMatchObject({ backend: 'native', cause: 'finished', path: ['one', 'two'] });
    expect(meta.asks).toHaveLength(2);
    for (const ask of meta.asks) {
      expect(ask.client).toMatch(/^\/dev\//);
      const times = ['asked_at', 'shown_at', 'seen_at', 'answered_at'].map((name) => Date.parse(ask[name] ?? ''));
      expect(times).toEqual([...times].sort((a, b) => a - b));
    }
  });

  it('answers by the environment: exit codes can be changed', async () => {
    const world = new World();
    worlds.push(world);
    const nobody = await world.call(['ask', 'Anybody?'], { env: { MPLEX_ASK_EXIT_NOBODY: '77' } });
    expect(nobody.code).toBe(77);
    const bad = await world.call(['ask', 'Anybody?'], { env: { MPLEX_ASK_EXIT_NOBODY: 'many' } });
    expect([bad.code, bad.stderr.split('\n')[0]]).toEqual([
      2,
      'mplex ask: MPLEX_ASK_EXIT_NOBODY must be a number from 0 to 255, not "many"',
    ]);
  });
});

describe.skipIf(!HAS_PYTHON)('the example in Python', () => {
  it('asks over the control socket and prints the answer', async () => {
    const text = readFileSync(resolve(import.meta.dirname, '../../docs/agents.md'), 'utf8');
    const code = /```python\n([\s\S]+?)```/.exec(text)?.[1] ?? '';
    expect(code.trim().split('\n').length).toBeLessThanOrEqual(10);
    const world = new World();
    worlds.push(world);
    const client = world.attach(['-f', '/dev/null', 'new-session', 'echo ready; exec cat']);
    await client.until('ready');
    const env = { ...world.env, MPLEX_CONTROL: world.controlPath, MPLEX_PANE: '%0' };
    const asked = promisify(execFile)('python3', ['-c', code], { env });
    await armed(client, 'Deploy where?');
    client.press('j Enter');
    expect((await asked).stdout).toBe('1\n');
  });
});
