/** Waiting questions: told in the status line, called for, chosen from a list; and the log of them. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Control } from '../support/control.ts';
import { type TerminalProgram, World, waitFor } from '../support/program.ts';

const ARMED = /┏|● /;
const worlds: World[] = [];
const controls: Control[] = [];

afterEach(async () => {
  for (const control of controls.splice(0)) control.close();
  await Promise.all(worlds.splice(0).map((world) => world.close()));
});

async function start(env: Record<string, string> = {}, keepBytes = false) {
  const world = new World(env);
  worlds.push(world);
  const client = world.attach(['-f', '/dev/null', 'new-session', '-s', 'main', 'echo ready; exec cat'], { keepBytes });
  await client.until('ready');
  const control = await Control.open(world.controlPath);
  controls.push(control);
  return { world, client, control };
}

async function armed(client: TerminalProgram, text: string): Promise<void> {
  await client.until((rows) => rows.some((row) => row.includes(text)) && ARMED.test(rows.join('\n')), {
    name: `an armed dialog that says ${text}`,
  });
}

const statusRow = (rows: readonly string[]) => rows.at(-1) ?? '';

describe('waiting questions', () => {
  it('are counted in the status line with the panes they come from, and mark the window and the border', async () => {
    const { world, client, control } = await start();
    const pane = await world.output('split-window', '-d', '-P', '-F', '#{pane_id}', 'cat');
    const plain = client.screen.cells({ height: 1, y: 11 });
    const flows = [];
    for (const title of ['One', 'Two', 'Three']) {
      flows.push(await control.show({ kind: 'message', title, pane, queue: true }));
    }
    await client.until((rows) => statusRow(rows).includes(' 2 questions: %1 '), { name: 'two that wait' });
    expect(statusRow(client.screen.rows())).toMatch(/ 0:\w+\*\?/);
    expect(client.screen.cells({ height: 1, y: 11 })).not.toEqual(plain);
    expect(await world.output('display-message', '-p', '#{flow_count} #{flow_panes}')).toBe('3 %1');
    await world.output('set-option', '-g', 'flow-marker', 'off');
    await client.until((rows) => !statusRow(rows).includes('questions'), { name: 'no marker' });
    for (const flow of flows) await control.cancel(flow);
    await client.until((rows) => !statusRow(rows).includes('?'), { name: 'no mark' });
    expect(await world.output('display-message', '-p', '#{flow_count}')).toBe('0');
  });

  it('can be chosen from a list, any of them first', async () => {
    const { client, control } = await start();
    const flows = [];
    for (const title of ['First one', 'Second one', 'Third one']) {
      flows.push(await control.show({ kind: 'choice', title, options: ['a', 'b'], queue: true }));
    }
    await armed(client, 'First one');
    client.press('C-b a');
    await client.until((rows) => ['First one', 'Second one', 'Third one'].every((text) => rows.join().includes(text)));
    client.type('third');
    await client.until((rows) => !rows.join().includes('Second one'), { name: 'a narrowed list' });
    client.press('Enter');
    await armed(client, 'Third one');
    client.press('j Enter');
    expect(await control.result(flows[2] ?? '', 10)).toMatchObject({ done: true, value: 1 });
    await control.cancel(flows[2] ?? '');
    await armed(client, 'First one');
  });

  it('can be dismissed in the list, which follows what happens meanwhile', async () => {
    const { client, control } = await start();
    const flows = [];
    for (const title of ['First one', 'Second one', 'Third one']) {
      flows.push(await control.show({ kind: 'message', title, queue: true, meta: true }));
    }
    await armed(client, 'First one');
    client.press('C-b a');
    await client.until('Questions · ');
    client.press('Down C-x');
    const second = await control.result(flows[1] ?? '', 10);
    expect(second).toMatchObject({ done: true, outcome: 'cancelled', by: 'escape' });
    expect((second.meta as { client: string }).client).toMatch(/^\/dev\//);
    await client.until((rows) => !rows.join().includes('Second one'), { name: 'a shorter list' });
    await control.cancel(flows[0] ?? '');
    await client.until((rows) => !rows.join().includes('First one'), { name: 'an even shorter list' });
    client.press('Escape');
    await armed(client, 'Third one');
  });

  it('keep what was typed while the list is open, and while another is answered first', async () => {
    const { client, control } = await start();
    const text = await control.show({ kind: 'text', label: 'Branch' });
    await armed(client, 'Branch:');
    client.type('fix-');
    await client.until('Branch: fix-');
    const other = await control.show({ kind: 'message', title: 'Urgent', queue: true });
    client.press('C-b a');
    await client.until('Urgent');
    client.type('urg');
    client.press('Enter');
    await armed(client, 'Urgent');
    client.press('Enter');
    expect(await control.result(other, 10)).toMatchObject({ done: true, outcome: 'ok' });
    await control.cancel(other);
    await armed(client, 'Branch: fix-');
    client.type('it\r');
    expect(await control.result(text, 10)).toMatchObject({ done: true, value: 'fix-it' });
  });

  it('close the list with the last of them', async () => {
    const { client, control } = await start();
    await control.show({ kind: 'message', title: 'The only one' });
    await armed(client, 'The only one');
    client.press('C-b a');
    await client.until('Questions · ');
    client.press('C-x');
    await client.until((rows) => !rows.join().includes('Questions'), { name: 'a closed list' });
  });

  it('are said to be none where there are none', async () => {
    const { client } = await start();
    client.press('C-b a');
    await client.until('No questions wait');
  });

  it('that were asked while nobody was attached wait for the next who attaches', async () => {
    const { world, client, control } = await start();
    client.press('C-b d');
    await client.exit;
    const flow = await control.show({ kind: 'message', title: 'Welcome back', wait_client: true });
    expect(await control.result(flow)).toMatchObject({ state: 'waiting_client' });
    const waiting = control.request({ op: 'result', flow, wait: 30, state: 'waiting_client' });
    const again = world.attach(['attach-session']);
    expect(await waiting).toMatchObject({ done: false, state: 'shown' });
    await armed(again, 'Welcome back');
  });
});

describe('a question', () => {
  it.each([
    ['xterm-kitty', 'osc99', /\x1b\]99;i=mplex-1:d=0:e=1:p=title;.*\x1b\]99;i=mplex-1:d=1:e=1:p=body;/, true],
    ['xterm-kitty', 'osc9', /\x1b\]9;mplex: .*Deploy\?/, false],
    ['xterm-ghostty', 'auto', /\x1b\]777;notify;.*;Deploy\?/, false],
    ['xterm-256color', 'osc99', /\x07/, false],
    ['xterm-256color', 'bell', /\x07/, false],
  ] as const)('calls in %s by option flow-notify %s', async (term, how, expected, isTakenBack) => {
    const { world, client, control } = await start({ TERM: term }, true);
    await world.output('set-option', '-g', 'flow-notify', how);
    await client.screen.settled();
    client.screen.bytes = '';
    const flow = await control.show({ kind: 'message', title: 'Deploy?' });
    await client.until('Deploy?');
    await waitFor(() => expected.test(client.screen.bytes), { name: `a call by ${how}` });
    await control.cancel(flow);
    if (isTakenBack) {
      await waitFor(() => client.screen.bytes.includes('\x1b]99;i=mplex-1:p=close;'), { name: 'the end of the call' });
    }
  });

  it('is silent with flow-notify off, and calls once for a flow of several asks', async () => {
    const { world, client, control } = await start({}, true);
    const askTwo = async () => {
      const first = await control.show({ kind: 'message', title: 'Part one' });
      await armed(client, 'Part one');
      client.press('Enter');
      await control.result(first, 10);
      const second = await control.show({ kind: 'message', title: 'Part two', after: first });
      await armed(client, 'Part two');
      client.press('Enter');
      await control.result(second, 10);
      await control.cancel(second);
    };
    client.screen.bytes = '';
    await askTwo();
    expect(client.screen.bytes.match(/\x07/g)).toHaveLength(1);
    await world.output('set-option', '-g', 'flow-notify', 'off');
    client.screen.bytes = '';
    await askTwo();
    expect(client.screen.bytes).not.toContain('\x07');
  });
});

describe('the log of questions', () => {
  it('says who asked and answered what and when, and never what was typed', async () => {
    const { world, client, control } = await start();
    const path = join(world.directory, 'flows.log');
    await world.output('set-option', '-s', 'flow-log', path);
    const secret = await control.show({ kind: 'text', label: 'Token', initial: 'hunter2', pane: '%0' });
    await armed(client, 'Token');
    client.type('-s3cret\r');
    await control.result(secret, 10);
    await control.cancel(secret);
    const choice = await control.show({ kind: 'choice', label: 'Where', options: ['a', 'b'] });
    await armed(client, 'Where');
    client.press('j Enter');
    await control.result(choice, 10);
    const lines = () => readFileSync(path, 'utf8').trim().split('\n');
    await waitFor(() => lines().length === 7, { name: 'seven lines', onTimeout: () => lines().join('\n') });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, 'utf8')).not.toMatch(/hunter2|s3cret/);
    const records = lines().map((line) => JSON.parse(line) as object);
    expect(records).toMatchObject(
      [
        { event: 'asked', question: 1, pane: '%0', kind: 'text', label: 'Token', shown: /^sha256:/ },
        { event: 'shown', question: 1, client: expect.stringMatching(/^\/dev\//) },
        { event: 'answered', outcome: 'ok', by: 'key', length: 14 },
        { event: 'closed', question: 1 },
        { event: 'asked', question: 2, pane: null },
        { event: 'shown', question: 2 },
        { event: 'answered', outcome: 'ok', index: 1, option: 'b' },
      ].map(({ shown, ...rest }) => ({ ...rest, ...(shown && { shown: expect.stringMatching(shown) }) })),
    );
  });

  it('is not written to a file that others can read, or that is a link', async () => {
    const { world, control } = await start();
    const path = join(world.directory, 'open.log');
    const { chmodSync, symlinkSync, writeFileSync } = await import('node:fs');
    writeFileSync(path, '');
    chmodSync(path, 0o644);
    const link = join(world.directory, 'link.log');
    symlinkSync(path, link);
    for (const file of [path, link]) {
      await world.output('set-option', '-s', 'flow-log', file);
      await control.cancel(await control.show({ kind: 'message', title: 'x' }));
    }
    expect(readFileSync(path, 'utf8')).toBe('');
    const messages = await world.output('show-messages');
    expect(messages).toMatch(/flow-log .*open\.log: can be read by others/);
    expect(messages).toMatch(/flow-log .*link\.log: is not a regular file/);
    expect((await world.call(['set-option', '-s', 'flow-log', 'relative'])).code).toBe(1);
  });
});
