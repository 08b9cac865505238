/** Programs ask, the person answers: over the control socket and with `mplex ask`, on real terminals. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Control } from '../support/control.ts';
import { type CallResult, MPLEX, PROMPT, type TerminalProgram, World, waitFor } from '../support/program.ts';

/** Borders and marks of dialogs that take keys, and that do not yet. */
const ARMED = /┏|● /;
const UNARMED = /╌|○ /;

const worlds: World[] = [];
const controls: Control[] = [];

afterEach(async () => {
  for (const control of controls.splice(0)) control.close();
  await Promise.all(worlds.splice(0).map((world) => world.close()));
});

function newWorld(env: Record<string, string> = {}): World {
  const world = new World(env);
  worlds.push(world);
  return world;
}

/** A program in the pane that writes every byte it gets into a file, and shows nothing. */
function recorder(world: World): { command: string; received: () => string } {
  const file = join(world.directory, 'received');
  return {
    command: `stty raw -echo; echo ready; exec cat >${file}`,
    received: () => (existsSync(file) ? readFileSync(file, 'utf8') : ''),
  };
}

async function start(options: { env?: Record<string, string>; size?: { cols: number; rows: number } } = {}) {
  const world = newWorld(options.env);
  const { command, received } = recorder(world);
  const client = world.attach(['-f', '/dev/null', 'new-session', '-s', 'main', command], {
    ...(options.size && { size: options.size }),
  });
  await client.until('ready');
  const control = await Control.open(world.controlPath);
  controls.push(control);
  return { world, client, control, received };
}

async function armed(client: TerminalProgram, text: string): Promise<void> {
  await client.until((rows) => rows.some((row) => row.includes(text)) && ARMED.test(rows.join('\n')), {
    name: `an armed dialog that says ${text}`,
  });
}

async function gone(client: TerminalProgram, text: string): Promise<void> {
  await client.until((rows) => !rows.some((row) => row.includes(text)), { name: `no ${text} on the screen` });
}

/** `mplex ask` outside any pane: starts, and gives how it ended. */
function ask(world: World, ...argv: string[]): Promise<CallResult> {
  return world.call(['ask', ...argv]);
}

describe('a question over the control socket', () => {
  it('is a choice that keys move and Enter answers', async () => {
    const { client, control, received } = await start();
    const flow = await control.show({ kind: 'choice', title: 'Deploy where?', options: ['staging', 'prod', 'none'] });
    await client.until(UNARMED);
    expect(await control.result(flow)).toEqual({ ok: true, done: false, state: 'shown' });
    await armed(client, 'Deploy where?');
    client.press('3');
    await client.until('▸ 3 none');
    client.press('Up');
    await client.until('▸ 2 prod');
    client.press('Enter');
    expect(await control.result(flow, 10)).toEqual({ ok: true, done: true, outcome: 'ok', value: 1, by: 'key' });
    await gone(client, 'Deploy where?');
    expect(received()).toBe('');
  });

  it('is a text that emacs keys edit', async () => {
    const { client, control, received } = await start();
    const flow = await control.show({ kind: 'text', label: 'Tag', initial: 'hello old world' });
    await armed(client, 'Tag: hello old world');
    client.press('C-a X C-e C-w');
    client.type('moon');
    client.press('M-b M-b C-k C-y Left Right BSpace n Enter');
    expect(await control.result(flow, 10)).toMatchObject({ done: true, value: 'Xhello old moon' });
    expect(received()).toBe('');
  });

  it('takes a paste into a text without answering at its line ends', async () => {
    const { client, control } = await start();
    const flow = await control.show({ kind: 'text', label: 'Notes' });
    await armed(client, 'Notes:');
    client.type('\x1b[200~two\nlines\x1b[201~');
    await client.until('two');
    expect(await control.result(flow)).toMatchObject({ done: false });
    client.press('Enter');
    const { value } = await control.result(flow, 10);
    expect(String(value).replaceAll(/[^a-z]+/g, ' ')).toBe('two lines');
  });

  it('is a message that Enter acknowledges', async () => {
    const { client, control } = await start();
    const flow = await control.show({ kind: 'message', title: 'Done', body: 'All 12 checks passed.' });
    await armed(client, 'All 12 checks passed.');
    client.press('Enter');
    expect(await control.result(flow, 10)).toEqual({ ok: true, done: true, outcome: 'ok', value: null, by: 'key' });
  });

  it('ends by Escape, by C-c, by its asker and by the clock, and says which', async () => {
    const { client, control } = await start();
    const ends: [key: string | undefined, expected: object][] = [
      ['Escape', { outcome: 'cancelled', by: 'escape' }],
      ['C-c', { outcome: 'cancelled', by: 'interrupt' }],
      [undefined, { outcome: 'cancelled', by: 'asker' }],
    ];
    for (const [index, [key, expected]] of ends.entries()) {
      const flow = await control.show({ kind: 'choice', title: `Question ${index}`, options: ['a'] });
      await armed(client, `Question ${index}`);
      if (key === undefined) await control.cancel(flow);
      else client.press(key);
      expect(await control.result(flow, 10)).toEqual({ ok: true, done: true, ...expected });
      await gone(client, `Question ${index}`);
    }
    const late = await control.show({ kind: 'message', title: 'Hurry', timeout: 0.3 });
    expect(await control.result(late, 10)).toEqual({ ok: true, done: true, outcome: 'timeout', by: 'timeout' });
    await gone(client, 'Hurry');
  });

  it('is refused while another is up, or waits for its turn if asked to', async () => {
    const { client, control } = await start();
    const first = await control.show({ kind: 'message', title: 'First' });
    const refused = await control.request({ op: 'show', kind: 'message', title: 'Second' });
    expect(refused).toMatchObject({ ok: false, error: { code: 'busy' } });
    const second = await control.show({ kind: 'message', title: 'Second', queue: true });
    expect(await control.result(second)).toMatchObject({ done: false, state: 'queued', position: 1 });
    await armed(client, 'First');
    client.press('Enter');
    expect(await control.result(first, 10)).toMatchObject({ done: true, outcome: 'ok' });
    await control.cancel(first);
    await armed(client, 'Second');
  });

  it.each([
    ['a prompt', 'C-b :', 'C-c'],
    ['the prompt for a name', 'C-b ,', 'C-c'],
    ['a list', 'C-b w', 'q'],
    ['copy mode', 'C-b [', 'q'],
    ['the clock', 'C-b t', 'q'],
  ])('steps aside for %s that is opened over it, and comes back behind that', async (_what, opening, closing) => {
    const { client, control } = await start();
    const flow = await control.show({ kind: 'choice', title: 'Aside', options: ['a', 'b'] });
    await armed(client, 'Aside');
    client.press('Down');
    await client.until('▸ 2 b');
    client.press(opening);
    await gone(client, '▸ 2 b');
    expect(await control.result(flow, 0)).toMatchObject({ done: false, state: 'queued' });
    client.press(closing);
    await armed(client, '▸ 2 b');
    client.press('Enter');
    expect(await control.result(flow, 10)).toMatchObject({ done: true, value: 1 });
  });

  it('comes over a mode that was entered before it, also where one before it has stepped aside for that pane', async () => {
    const { world, client, control } = await start();
    const first = await control.show({ kind: 'message', title: 'First' });
    await armed(client, 'First');
    client.press('C-b [');
    await gone(client, 'First');
    client.press('q');
    await armed(client, 'First');
    client.press('Enter');
    expect(await control.result(first, 10)).toMatchObject({ done: true, outcome: 'ok' });
    await control.cancel(first);
    await world.output('copy-mode');
    const second = await control.show({ kind: 'message', title: 'Second' });
    await armed(client, 'Second');
    client.press('Enter');
    expect(await control.result(second, 10)).toMatchObject({ done: true, outcome: 'ok' });
  });

  it('stays for what a program opens at its client', async () => {
    const { world, client, control } = await start();
    const flow = await control.show({ kind: 'choice', title: 'Stay', options: ['a', 'b'] });
    await armed(client, 'Stay');
    await world.output('command-prompt', '-b');
    await world.output('display-menu', 'item', 'i', 'kill-server');
    expect(await control.result(flow, 0)).toMatchObject({ done: false, state: 'shown' });
    client.press('Enter');
    expect(await control.result(flow, 10)).toMatchObject({ done: true, value: 0 });
  });

  it('is armed at once by the prefix and Enter', async () => {
    const { client, control } = await start();
    const flow = await control.show({ kind: 'choice', title: 'Quick', options: ['a', 'b'] });
    await client.until(UNARMED);
    client.press('C-b Enter 2 Enter');
    expect(await control.result(flow, 10)).toMatchObject({ done: true, value: 1 });
  });

  it('closes when its pane dies', async () => {
    const { world, client, control } = await start();
    const pane = await world.output('split-window', '-d', '-P', '-F', '#{pane_id}', 'cat');
    const flow = await control.show({ kind: 'message', title: 'From below', pane });
    await armed(client, 'From below');
    await world.output('kill-pane', '-t', pane);
    expect(await control.result(flow, 10)).toEqual({ ok: true, done: true, outcome: 'cancelled', by: 'pane_closed' });
    await gone(client, 'From below');
  });
});

describe('a half-filled dialog', () => {
  it('survives detach and attach, a resize, another window and 20x6 cells', async () => {
    const { world, client, control, received } = await start();
    const flow = await control.show({ kind: 'text', label: 'Name', body: 'Of the branch to make.' });
    await armed(client, 'Name:');
    client.type('fix-');
    await client.until('Name: fix-');
    client.press('C-b d');
    expect((await client.exit).code).toBe(0);
    expect(await control.result(flow)).toMatchObject({ done: false, state: 'waiting_client' });

    const again = world.attach(['attach-session']);
    await armed(again, 'Name: fix-');
    again.type('the-');
    again.resize({ cols: 60, rows: 15 });
    await again.until((rows) => rows.length === 15 && rows.some((row) => row.includes('Name: fix-the-')));
    again.press('C-b c');
    await waitFor(
      async () => (await world.output('list-windows', '-F', '#{window_index}#{window_active}')) === '00\n11',
      { name: 'a second window' },
    );
    await again.until('Name: fix-the-');
    again.type('parser');
    again.resize({ cols: 20, rows: 6 });
    await again.until((rows) => rows.length === 6 && (rows.at(-1) ?? '').includes('ser'), {
      name: 'a draft at 20x6',
    });
    again.press('Enter');
    expect(await control.result(flow, 10)).toMatchObject({ done: true, value: 'fix-the-parser' });
    expect(received()).toBe('');
  });

  it('is a choice that can be answered on 20x6 cells', async () => {
    const { client, control } = await start({ size: { cols: 20, rows: 6 } });
    const flow = await control.show({
      kind: 'choice',
      title: 'Where?',
      body: 'A long explanation that needs many more lines than there are on such a small screen.',
      options: ['one', 'two', 'three', 'four', 'five', 'six'],
    });
    await armed(client, '▸ 1 one');
    client.press('5');
    await client.until(/▸ 5 five/);
    client.press('Enter');
    expect(await control.result(flow, 10)).toMatchObject({ done: true, value: 4 });
  });

  it('moves with its draft to the second client when the first is killed', async () => {
    const { world, client, control, received } = await start();
    const second = world.attach(['attach-session', '-t', 'main'], { size: { cols: 100, rows: 30 } });
    await second.until('ready');
    // The first is the most recently used one.
    client.type('x');
    await waitFor(() => received() === 'x', { name: 'a key in the pane' });
    const flow = await control.show({ kind: 'text', label: 'Tag' });
    await armed(client, 'Tag:');
    client.type('v1.');
    await client.until('Tag: v1.');
    expect(second.screen.text()).not.toContain('Tag:');
    client.kill('SIGKILL');
    await armed(second, 'Tag: v1.');
    second.type('2');
    second.press('Enter');
    expect(await control.result(flow, 10)).toMatchObject({ done: true, value: 'v1.2' });
  });
});

describe('a dialog and the keys of somebody who types', () => {
  const RUNS = process.env.MPLEX_TEST_FULL ? 50 : 8;
  const AT_ONCE = 4;
  const KEY_MS = 125;
  /** A typist who stops for longer than this is one that a dialog may take for idle. */
  const LATE_MS = 400;

  /** Types 8 keys a second, Enter every fifth; a question arrives somewhere in between. False if the machine stalled. */
  async function typeThroughAQuestion(seed: number): Promise<boolean> {
    const world = newWorld();
    const { command, received } = recorder(world);
    const client = world.attach(['-f', '/dev/null', 'new-session', command]);
    await client.until('ready');
    const control = await Control.open(world.controlPath);
    let typed = '';
    let last = performance.now();
    let longestGap = 0;
    let flow: string | undefined;
    const arrival = 5 + ((seed * 7919) % 10);
    const jitterMs = (seed * 104_729) % KEY_MS;
    for (let n = 1; n <= arrival + 14; n++) {
      if (n === arrival)
        setTimeout(() => {
          const kinds = [
            { kind: 'message' },
            { kind: 'text', label: 'Sure?' },
            { kind: 'choice', options: ['y', 'n'] },
          ];
          void control.show({ title: 'Sure?', ...kinds[seed % 3] }).then((id) => {
            flow = id;
          });
        }, jitterMs);
      const key = n % 5 === 0 ? '\r' : String.fromCharCode(97 + (n % 26));
      client.type(key);
      typed += key;
      longestGap = Math.max(longestGap, performance.now() - last);
      last = performance.now();
      await new Promise((next) => setTimeout(next, KEY_MS));
    }
    if (longestGap > LATE_MS) return false;
    await waitFor(() => received().length >= typed.length, { name: 'all keys in the pane', onTimeout: received });
    expect(received()).toBe(typed);
    expect(flow).toBeDefined();
    expect(await control.result(flow ?? '')).toMatchObject({ ok: true, done: false, state: 'shown' });
    control.close();
    await world.close();
    return true;
  }

  it(
    `answers nothing and steals no key in ${RUNS} runs`,
    async () => {
      let seed = 1;
      let done = 0;
      for (let tries = 0; done < RUNS && tries < RUNS; tries++) {
        const runs = Array.from({ length: Math.min(AT_ONCE, RUNS - done) }, () => typeThroughAQuestion(seed++));
        done += (await Promise.all(runs)).filter(Boolean).length;
      }
      expect(done).toBe(RUNS);
    },
    60_000 + RUNS * 4000,
  );

  it('gives nothing to the pane between three questions that follow each other, typed at 20 keys a second', async () => {
    const { client, control, received } = await start();
    const answers: unknown[] = [];
    const askAll = async () => {
      let after: string | undefined;
      for (const label of ['First', 'Second', 'Third']) {
        after = await control.show({ kind: 'text', label, ...(after && { after }) });
        for (;;) {
          const { done, value } = await control.result(after, 25);
          if (done !== true) continue;
          answers.push(value);
          break;
        }
      }
      await control.cancel(after ?? '');
    };
    const asking = askAll();
    await armed(client, 'First:');
    for (const key of 'first answer\rsecond answer\rthird answer\r') {
      client.type(key);
      await new Promise((next) => setTimeout(next, 50));
    }
    await asking;
    expect(answers).toEqual(['first answer', 'second answer', 'third answer']);
    await gone(client, 'Third');
    client.type('after');
    await waitFor(() => received() === 'after', { name: 'only what was typed afterwards', onTimeout: received });
  });
});

describe('limits of questions', () => {
  it.each([
    ['MPLEX_FLOW_MAX', 'many', 'MPLEX_FLOW_MAX must be a whole number from 1 to 1000, not "many"'],
    ['MPLEX_FLOW_MAX', '0', 'MPLEX_FLOW_MAX must be a whole number from 1 to 1000, not "0"'],
    ['MPLEX_FLOW_KEEP', '-1', 'MPLEX_FLOW_KEEP must be a whole number from 1 to 86400, not "-1"'],
    ['MPLEX_FLOW_KEEP', '1.5', 'MPLEX_FLOW_KEEP must be a whole number from 1 to 86400, not "1.5"'],
  ])('%s=%s stops the start with a message', async (name, value, message) => {
    const world = newWorld({ [name]: value });
    expect(await world.call(['new-session', '-d'])).toEqual({ code: 1, stdout: '', stderr: `${message}\n` });
  });

  it('that are wrong leave nothing running', async () => {
    const world = newWorld({ MPLEX_FLOW_MAX: 'many' });
    expect((await world.call(['new-session', '-d'])).code).toBe(1);
    await waitFor(() => world.serverPids().length === 0, { name: 'nothing left running' });
  });

  it('are 16 unanswered questions; the 17th is one too many', async () => {
    const { control } = await start();
    expect(await control.request({ op: 'hello' })).toMatchObject({ limits: { flow_max: 16, flow_keep: 300 } });
    const flows: string[] = [];
    for (let n = 1; n <= 16; n++) flows.push(await control.show({ kind: 'message', title: `No ${n}`, queue: true }));
    const refused = await control.request({ op: 'show', kind: 'message', title: 'No 17', queue: true });
    expect(refused).toMatchObject({ ok: false, error: { code: 'too_many' } });
    await control.cancel(flows[3] ?? '');
    await control.show({ kind: 'message', title: 'No 17', queue: true });
  });

  it('reclaim a question whose asker has not been heard of for MPLEX_FLOW_KEEP seconds', async () => {
    const { client, control } = await start({ env: { MPLEX_FLOW_KEEP: '2' } });
    const polled = await control.show({ kind: 'message', title: 'Left alone' });
    await client.until('Left alone');
    const held = await Control.open((worlds.at(-1) as World).controlPath);
    controls.push(held);
    const waiting = await control.show({ kind: 'message', title: 'Waited for', queue: true });
    const ending = held.result(waiting, 30);
    await gone(client, 'Left alone');
    expect(await control.result(polled)).toMatchObject({ ok: false, error: { code: 'not_found' } });
    // Held for longer than the time of grace, and still there.
    await armed(client, 'Waited for');
    client.press('Enter');
    expect(await ending).toMatchObject({ done: true, outcome: 'ok' });
  });
});

describe('mplex ask', () => {
  it('prints the option and exits with 0; yes is 0 and no is 1', async () => {
    const { world, client } = await start();
    const choice = ask(world, 'Which?', 'red', 'green');
    await armed(client, 'Which?');
    client.press('Down Enter');
    expect(await choice).toEqual({ code: 0, stdout: 'green\n', stderr: '' });
    for (const [key, code] of [
      ['1 Enter', 0],
      ['Enter', 1],
      ['y', 0],
      ['n', 1],
    ] as const) {
      const confirm = ask(world, '--confirm', `Really ${key}?`);
      await armed(client, `Really ${key}?`);
      client.press(key);
      expect(await confirm).toEqual({ code, stdout: '', stderr: '' });
    }
  });

  it('prints a typed text, and JSON if wanted', async () => {
    const { world, client } = await start();
    const text = ask(world, '--initial', 'v1', 'Tag');
    await armed(client, 'Tag: v1');
    client.type('.0\r');
    expect(await text).toEqual({ code: 0, stdout: 'v1.0\n', stderr: '' });
    const json = ask(world, '--json', 'Which?', 'red', 'green');
    await armed(client, 'Which?');
    client.press('2 Enter');
    const { code, stdout } = await json;
    expect([code, JSON.parse(stdout)]).toEqual([0, { status: 'done', answers: { answer: 'green' }, action: null }]);
  });

  it('exits with 4 when dismissed, 130 after C-c, 124 on time-out', async () => {
    const { world, client } = await start();
    for (const [key, code] of [
      ['Escape', 4],
      ['q', 4],
      ['C-c', 130],
    ] as const) {
      const dismissed = ask(world, `Now ${key}?`, 'a', 'b');
      await armed(client, `Now ${key}?`);
      client.press(key);
      expect(await dismissed).toEqual({ code, stdout: '', stderr: '' });
      await gone(client, `Now ${key}?`);
    }
    expect(await ask(world, '--timeout', '0.2', 'Quick?', 'a')).toEqual({ code: 124, stdout: '', stderr: '' });
  });

  it('exits with 5 when there is nobody: no server, no client, a server that ends', async () => {
    const empty = newWorld();
    expect((await ask(empty, 'Anybody?')).code).toBe(5);
    await empty.output('-f', '/dev/null', 'new-session', '-d', 'cat');
    const nobody = await ask(empty, 'Anybody?');
    expect(nobody).toEqual({ code: 5, stdout: '', stderr: 'mplex ask: no client is attached\n' });
    const { world, client } = await start();
    const pending = ask(world, 'Still there?', 'yes');
    await armed(client, 'Still there?');
    await world.call(['kill-server']);
    expect((await pending).code).toBe(5);
  });

  it('asks in the popup where it stands', async () => {
    const { world, client } = await start();
    const answer = join(world.directory, 'answer');
    const popup = world.call(['display-popup', '-E', `"${process.execPath}" "${MPLEX}" ask Inside? a b >${answer}`]);
    await armed(client, 'Inside?');
    client.press('Down');
    await client.until('▸ 2 b');
    client.press('Enter');
    await popup;
    expect(readFileSync(answer, 'utf8')).toBe('b\n');
  });

  it('exits with 6 when the client is busy', async () => {
    const { world, control } = await start();
    await control.show({ kind: 'message', title: 'First' });
    const busy = await ask(world, 'Me too?', 'yes');
    expect(busy).toMatchObject({ code: 6, stdout: '' });
    expect(busy.stderr).toMatch(/^mplex ask: the client \/dev\/\S+ is busy with another dialog\n$/);
  });

  it('takes the question back when told to stop: 7 for SIGTERM and SIGHUP, 130 for SIGINT', async () => {
    const { world, client } = await start();
    for (const [signal, code] of [
      ['SIGTERM', 7],
      ['SIGHUP', 7],
      ['SIGINT', 130],
    ] as const) {
      const asker = world.spawn(['ask', `Until ${signal}?`, 'yes']);
      await armed(client, `Until ${signal}?`);
      asker.kill(signal);
      expect(await asker.done).toEqual({ code, stdout: '', stderr: '' });
      await gone(client, `Until ${signal}?`);
    }
  });

  it('exits with 2 for usage, told in one line and the usage', async () => {
    const { world } = await start();
    for (const argv of [
      [],
      ['--no-such'],
      ['--confirm', 'Q', 'option'],
      ['--timeout', '0', 'Q'],
      ['--pane', '%99', 'Q'],
    ]) {
      const { code, stdout, stderr } = await ask(world, ...argv);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(/^mplex ask: [^\n]+\n/);
    }
  });

  it('says nothing to a reader that has left, and no word of it', async () => {
    const world = newWorld();
    for (const words of ['ask --help', 'flow schema']) {
      const script = `{ "$0" "$1" ${words} 2>err; echo "code $?" >>err; } | exec true; cat err`;
      const { stdout } = spawnSync('sh', ['-c', script, process.execPath, MPLEX], {
        cwd: world.directory,
        env: world.env,
        encoding: 'utf8',
      });
      expect(stdout).toBe('code 0\n');
    }
  });

  it('exits with 125 when the socket answers nonsense', async () => {
    const world = newWorld();
    const path = join(world.directory, 'fake');
    const server = createServer((socket) => socket.on('data', () => socket.write('who are you\n')));
    await new Promise<void>((listening) => server.listen(`${path}.ctl`, listening));
    const { code, stdout, stderr } = await world.call(['-S', path, 'ask', 'Hello?']);
    server.close();
    expect([code, stdout]).toEqual([125, '']);
    expect(stderr).toMatch(/^mplex ask: [^\n]+\n$/);
  });

  it('names the script that asks, and its pid', async () => {
    const world = newWorld();
    const client = world.attach(['-f', '/dev/null', 'new-session', 'sh']);
    await client.until(PROMPT);
    writeFileSync(
      join(world.directory, 'deploy.sh'),
      `echo "I am $$"; ${process.execPath} ${MPLEX} ask Colour red blue\n`,
    );
    client.type(`sh ${world.directory}/deploy.sh\r`);
    await armed(client, 'Colour');
    const pid = /I am (\d+)/.exec(client.screen.text())?.[1];
    expect(client.screen.text()).toContain(`asked by deploy.sh in %0 (pid ${pid})`);
  });

  it('says how the asker is heard again when it is muted', async () => {
    const { world, client } = await start();
    const call = ask(world, '--pane', '%0', 'Again?', 'yes');
    await armed(client, 'Again?');
    client.press('C-b M');
    expect(await call).toEqual({ code: 4, stdout: '', stderr: '' });
    await client.until('Muted %0 (flow-queue -u %0 undoes it)');
    expect(await ask(world, '--pane', '%0', 'Again?', 'yes')).toMatchObject({ code: 5 });
    expect(await world.output('flow-queue')).toBe('muted: %0');
    await world.output('flow-queue', '-u', '%0');
    expect(await world.output('flow-queue')).toBe('');
    const heard = ask(world, '--pane', '%0', 'Again?', 'yes');
    await armed(client, 'Again?');
    client.press('Enter');
    expect(await heard).toMatchObject({ code: 0, stdout: 'yes\n' });
  });

  it('waits where nobody is attached, and is listed there', async () => {
    const world = newWorld();
    await world.output('-f', '/dev/null', 'new-session', '-d', 'cat');
    const call = world.spawn(['ask', '--wait-client', 'Later?', 'yes']);
    await waitFor(async () => (await world.output('flow-queue')).includes('Later?'), { name: 'the question' });
    expect(await world.call(['flow-queue', '-u', '%7'])).toMatchObject({ code: 1, stderr: 'not muted: %7\n' });
    expect(await world.call(['flow-queue', '-t', 'x'])).toMatchObject({ code: 1, stderr: "can't find client: x\n" });
    call.kill('SIGTERM');
    await call.done;
  });

  it('finds its server and names its pane when a program in a pane asks', async () => {
    const world = newWorld();
    const client = world.attach(['-f', '/dev/null', 'new-session', 'sh']);
    await client.until(PROMPT);
    client.type(`${process.execPath} ${MPLEX} ask Colour red blue; echo "code=$?"\r`);
    await armed(client, 'Colour');
    await client.until(/asked by .*%0/);
    client.press('2 Enter');
    await client.until('code=0');
    expect(client.screen.text()).toContain('blue');
  });
});
