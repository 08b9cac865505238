import { describe, expect, it } from 'vitest';
import { ModelServer } from '../support/model-server.ts';

async function start() {
  const server = new ModelServer();
  await server.run('new-session', '-d', '-s', 'one');
  const client = server.addClient(server.session(), { cols: 80, rows: 24 });
  return { server, client, window: server.session().current.window };
}

describe('setting an option', () => {
  it('gives the windows the rows that the status line takes or leaves', async () => {
    const { server, window } = await start();
    expect(window.size).toEqual({ cols: 80, rows: 23 });
    await server.run('set', '-g', 'status', 'off');
    expect(window.size).toEqual({ cols: 80, rows: 24 });
    await server.run('set', 'status', '3');
    expect(window.size).toEqual({ cols: 80, rows: 21 });
    await server.run('set', '-u', 'status');
    expect(window.size).toEqual({ cols: 80, rows: 24 });
  });

  it('fits windows anew when window-size changes', async () => {
    const { server, window } = await start();
    server.addClient(server.session(), { cols: 100, rows: 30 });
    expect(window.size).toEqual({ cols: 100, rows: 29 });
    await server.run('set', '-w', 'window-size', 'smallest');
    expect(window.size).toEqual({ cols: 80, rows: 23 });
    await server.run('set', '-wu', 'window-size');
    expect(window.size).toEqual({ cols: 100, rows: 29 });
  });

  it('takes a row from the panes for pane-border-status, in every window that it holds for', async () => {
    const { server, window } = await start();
    await server.run('split-window', '-h');
    const [first] = window.panes;
    expect(first?.rect).toMatchObject({ y: 0, height: 23 });
    await server.run('set', '-g', 'pane-border-status', 'top');
    expect(first?.rect).toMatchObject({ y: 1, height: 22 });
    await server.run('set', '-w', 'pane-border-status', 'off');
    expect(first?.rect).toMatchObject({ y: 0, height: 23 });
  });

  it('puts clients back into the root of their session when key-table changes', async () => {
    const { server, client } = await start();
    client.keyTable = 'prefix';
    await server.run('set', 'key-table', 'mine');
    expect(client.keyTable).toBeUndefined();
  });

  it('does not touch the history of panes that are there', async () => {
    const { server } = await start();
    await server.run('set', '-g', 'history-limit', '5');
    await server.run('new-window');
    const limits = await server.run('list-panes', '-s', '-F', '#{history_limit}');
    expect(limits.stdout).toBe('2000\n5\n');
  });

  it('has everything drawn again, for user options too', async () => {
    const { server } = await start();
    const marks: string[] = [];
    server.registry.dirty.subscribe(({ kind }) => marks.push(kind));
    await server.run('set', '-g', '@theme', 'dark');
    expect(marks).toContain('all');
  });

  it('shortens the list of messages to message-limit', async () => {
    const { server } = await start();
    for (const text of ['a', 'b', 'c']) server.registry.logMessage(text);
    await server.run('set', '-s', 'message-limit', '2');
    expect(server.registry.messages.list.map(({ text }) => text)).toEqual([
      'c',
      'client-1 command: set-option -s message-limit 2',
    ]);
  });
});
