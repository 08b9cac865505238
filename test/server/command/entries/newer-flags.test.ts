import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ModelServer } from '../../../support/model-server.ts';

async function started() {
  const server = new ModelServer();
  await server.run('new-session', '-d', '-s', 'one', '-n', 'w', '-x', '40', '-y', '8', 'cat');
  return { server, client: server.addClient() };
}

describe('flags of tmux after 3.3a', () => {
  it('display-message -l prints its text as it is', async () => {
    const { server } = await started();
    expect((await server.run('display-message', '-p', '-l', '#{pane_id} %H #[bold]')).stdout).toBe(
      '#{pane_id} %H #[bold]\n',
    );
  });

  it('run-shell -c runs in a directory', async () => {
    const { server } = await started();
    const directory = realpathSync(mkdtempSync(join(tmpdir(), 'mplex-newer-')));
    await server.run('run-shell', '-c', directory, 'pwd > here');
    expect(readFileSync(join(directory, 'here'), 'utf8')).toBe(`${directory}\n`);
    rmSync(directory, { recursive: true });
  });

  it('list-clients -f lists those for which a format is true', async () => {
    const { server } = await started();
    expect((await server.run('list-clients', '-f', '#{==:#{session_name},one}', '-F', '#{line}')).stdout).toBe('0\n');
    expect((await server.run('list-clients', '-f', '#{==:#{session_name},two}')).stdout).toBe('');
  });

  it('send-keys -K presses keys on the client', async () => {
    const { server, client } = await started();
    await server.run('send-keys', '-K', '-c', client.name, 'C-b', ':');
    await server.run('send-keys', '-K', '-l', '-N', '2', 'Up');
    const typed = server.asked.flatMap((asked) => (asked.kind === 'typed' ? [asked.key] : []));
    expect(typed).toEqual(['C-b', ':', 'U', 'p', 'U', 'p']);
    const empty = new ModelServer();
    await empty.run('new-session', '-d', 'cat');
    expect(await empty.run('send-keys', '-K', 'a')).toMatchObject({ code: 1, stderr: 'no current client\n' });
  });

  it('clear-history -H is taken', async () => {
    const { server } = await started();
    expect(await server.run('clear-history', '-H')).toMatchObject({ code: 0, stderr: '' });
  });

  it('confirm-before -c waits for another key and -y takes Enter', async () => {
    const { server, client } = await started();
    const answer = async (flags: string, key: string) => {
      await server.run('set-option', '-g', '@a', 'no');
      const done = server.press(client, `confirm-before ${flags} "set -g @a yes"`);
      await Promise.resolve();
      const [model] = client.overlay?.models() ?? [];
      client.overlay?.input({ kind: 'key', key });
      await done;
      return [model?.kind === 'prompt' && model.label, server.registry.sessionOptions.string('@a')];
    };
    expect(await answer('-c x', 'x')).toEqual(["Confirm 'set-option'? (x/n) ", 'yes']);
    expect(await answer('-c x', 'y')).toEqual(["Confirm 'set-option'? (x/n) ", 'no']);
    expect(await answer('-y', 'Enter')).toEqual(["Confirm 'set-option'? (y/n) ", 'yes']);
    expect(await server.run('confirm-before', '-c', 'xy', 'display x')).toMatchObject({
      code: 1,
      stderr: 'invalid confirm key\n',
    });
  });

  it('command-prompt -l leaves commas in the prompt and what it begins with', async () => {
    const { server, client } = await started();
    const done = server.press(client, 'command-prompt -l -p "a,b" -I "c,d" "set -g @a \'%%\'"');
    await Promise.resolve();
    const [model] = client.overlay?.models() ?? [];
    expect(model?.kind === 'prompt' && model.label).toBe('a,b ');
    client.overlay?.input({ kind: 'key', key: 'Enter' });
    await done;
    expect(server.registry.sessionOptions.string('@a')).toBe('c,d');
  });
});
