import { describe, expect, it } from 'vitest';
import { fillText } from '../../../../server/command/template.ts';
import type { ClientSession } from '../../../../server/model/client-session.ts';
import type { PromptModel } from '../../../../src/overlay/prompt.ts';
import { ModelServer } from '../../../support/model-server.ts';

interface Desk {
  readonly server: ModelServer;
  readonly client: ClientSession;
}

async function started(): Promise<Desk> {
  const server = new ModelServer();
  await server.run('new-session', '-d', '-s', 'one', '-n', 'w', '-x', '40', '-y', '8', 'cat');
  return { server, client: server.addClient() };
}

/** Keys in a row; a word of one letter or a key's name each. */
function type({ client }: Desk, keys: string): void {
  for (const key of keys.split(' ')) client.overlay?.input({ kind: 'key', key });
}

function prompt({ client }: Desk): PromptModel {
  const [model] = client.overlay?.models() ?? [];
  if (model?.kind !== 'prompt') throw new Error('no prompt is open');
  return model;
}

/** Opens a prompt, types, waits for the end; gives what `@a` is then. */
async function answered(desk: Desk, command: string, keys: string): Promise<string> {
  const done = desk.server.press(desk.client, command);
  await Promise.resolve();
  type(desk, keys);
  await done;
  return desk.server.registry.sessionOptions.string('@a');
}

describe('command-prompt', () => {
  it('runs what is typed when there is no template', async () => {
    const desk = await started();
    const done = desk.server.press(desk.client, 'command-prompt');
    await Promise.resolve();
    expect(prompt(desk).label).toBe(':');
    type(desk, 's e t Space - g Space @ a Space x Enter');
    await done;
    expect(desk.server.registry.sessionOptions.string('@a')).toBe('x');
    expect(desk.client.overlay).toBeUndefined();
  });

  it('is named after its template', async () => {
    const desk = await started();
    const done = desk.server.press(desk.client, `command-prompt 'set -g @a "%%"'`);
    await Promise.resolve();
    expect(prompt(desk).label).toBe('(set) ');
    type(desk, 'Escape');
    await done;
    expect(desk.server.registry.sessionOptions.string('@a')).toBe('');
  });

  it('asks one question after the other and fills the template', async () => {
    const desk = await started();
    const command = `command-prompt -p "first:,second" -I "i1,#S" 'set -g @a "%1-%2-%%-%1"'`;
    expect(await answered(desk, command, 'X Enter Y Enter')).toBe('i1X-oneY-i1X-i1X');
  });

  it('takes one key with -1, a key name with -k and digits with -N', async () => {
    const desk = await started();
    expect(await answered(desk, `command-prompt -1 -p x 'set -g @a "%%"'`, 'x')).toBe('x');
    expect(await answered(desk, `command-prompt -k -p x 'set -g @a "%%"'`, 'C-Up')).toBe('C-Up');
    expect(await answered(desk, `command-prompt -N -I 1 -p x { set -g @a "%%" }`, '2 j')).toBe('12');
    expect(desk.server.asked.at(-1)).toEqual({ kind: 'typed', client: desk.client, key: 'j' });
  });

  it('runs the template on each change with -i', async () => {
    const desk = await started();
    const { server, client } = desk;
    await server.press(client, `command-prompt -i -I before -p x 'set -g @a "%%"'`);
    const value = () => server.registry.sessionOptions.string('@a');
    expect(value()).toBe('=');
    type(desk, 'a b');
    expect(value()).toBe('=ab');
    type(desk, 'C-r');
    expect(value()).toBe('-ab');
    type(desk, 'C-u C-s');
    expect(value()).toBe('=before');
    type(desk, 'Enter');
    expect(client.overlay).toBeUndefined();
  });

  it('remembers lines by type and walks through them', async () => {
    const desk = await started();
    await answered(desk, `command-prompt -T search -p x 'set -g @a "%%"'`, 'o n e Enter');
    expect(await answered(desk, `command-prompt -T search -p x 'set -g @a "%%"'`, 'Up Enter')).toBe('one');
    const { stdout } = await desk.server.run('show-prompt-history', '-T', 'search');
    expect(stdout).toBe('History for search:\n\n1: one\n\n');
    await desk.server.run('clear-prompt-history', '-T', 'search');
    expect((await desk.server.run('show-prompt-history', '-T', 'search')).stdout).toBe('History for search:\n\n\n');
  });

  it('completes commands and options with Tab', async () => {
    const desk = await started();
    void desk.server.press(desk.client, 'command-prompt');
    await Promise.resolve();
    type(desk, 's p l i t - w Tab');
    expect(prompt(desk).editor.text).toBe('split-window ');
    type(desk, 'C-u s e t - o Tab s t a t u s - l e f t - l Tab');
    expect(prompt(desk).editor.text).toBe('set-option status-left-length ');
    type(desk, 'Escape');
  });

  it('completes targets and layouts', async () => {
    const desk = await started();
    await desk.server.run('new-session', '-d', '-s', 'elsewhere', 'cat');
    void desk.server.press(desk.client, 'command-prompt');
    await Promise.resolve();
    for (const letter of 'kill-session -t else') type(desk, letter === ' ' ? 'Space' : letter);
    type(desk, 'Tab');
    expect(prompt(desk).editor.text).toBe('kill-session -t elsewhere:');
    type(desk, 'C-u');
    for (const letter of 'select-layout ti') type(desk, letter === ' ' ? 'Space' : letter);
    type(desk, 'Tab');
    expect(prompt(desk).editor.text).toBe('select-layout tiled ');
    type(desk, 'Escape');
  });

  it('tells a mistake in the status line', async () => {
    const desk = await started();
    await answered(desk, 'command-prompt', 'n o s u c h Enter');
    expect(desk.server.asked.at(-1)).toMatchObject({ kind: 'message', text: 'Unknown command: nosuch' });
  });

  it('ends when its client goes away', async () => {
    const { server, client } = await started();
    const done = server.press(client, 'command-prompt');
    await Promise.resolve();
    client.overlay?.close();
    await done;
    expect(server.services.queueOf(client).isIdle).toBe(true);
  });

  it('refuses what it does not know', async () => {
    const { server } = await started();
    expect(await server.run('command-prompt', '-T', 'bogus')).toMatchObject({
      stderr: 'unknown type: bogus\n',
      code: 1,
    });
    expect(await server.run('show-prompt-history', '-T', 'foo')).toMatchObject({
      stderr: 'invalid type: foo\n',
      code: 1,
    });
    const empty = new ModelServer();
    await empty.run('new-session', '-d');
    expect(await empty.run('command-prompt')).toMatchObject({ stderr: 'no current client\n', code: 1 });
    expect(await empty.run('confirm-before', 'display x')).toMatchObject({ stderr: 'no current client\n', code: 1 });
  });
});

describe('confirm-before', () => {
  it('runs the command on y and on nothing else', async () => {
    const desk = await started();
    const { server, client } = desk;
    const call = server.run('confirm-before', 'set -g @a yes');
    await Promise.resolve();
    expect(prompt(desk).label).toBe("Confirm 'set-option'? (y/n) ");
    type(desk, 'n');
    expect(await call).toMatchObject({ code: 1 });
    expect(await answered(desk, `confirm-before -p "really #S?" { set -g @a yes }`, 'Enter')).toBe('');
    expect(await answered(desk, `confirm-before -p "really #S?" { set -g @a yes }`, 'y')).toBe('yes');
    expect(client.overlay).toBeUndefined();
  });
});

describe('templates', () => {
  it('put values in once, so that a value cannot bring another one in', () => {
    expect(fillText('%1 %2', ['%2', 'secret'])).toBe('%2 secret');
    expect(fillText('%% %% %%', ['a', 'b'])).toBe('a b %%');
    expect(fillText('100% %3', ['a'])).toBe('100% %3');
  });

  it('escape what a parser would take for more with a further %', () => {
    expect(fillText('"%%%"', ['a"b$c;d~\\'])).toBe('"a\\"b\\$c\\;d\\~\\\\"');
  });
});
