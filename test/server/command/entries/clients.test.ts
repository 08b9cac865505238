import { afterAll, describe, expect, it } from 'vitest';
import { ModelServer } from '../../../support/model-server.ts';
import { TmuxTwin } from '../../../support/tmux-twin.ts';

const twin = await TmuxTwin.start();
afterAll(() => twin?.stop());

async function started(): Promise<ModelServer> {
  const server = new ModelServer();
  await server.run('new-session', '-d', '-s', 'one', '-n', 'w', '-x', '80', '-y', '23', 'cat');
  return server;
}

describe.skipIf(!twin)('client commands compared with tmux 3.3a', () => {
  it('tells what is wrong without a client', async () => {
    await twin?.sameLines(`
      list-clients
      list-clients -t nosuch
      detach-client
      detach-client -s nosuch
      detach-client -t nosuch
      detach -a
      detach -P
      refresh-client
      refresh-client -t nosuch
      refresh-client -C 10,20
      refresh-client -S
      suspend-client
      lock-client
      lock-server
      lock-session
      lock-session -t nosuch
      start-server
      server-access
      server-access -l
      server-access -a nosuchuser
      server-access -a root
      server-access -a daemon
      server-access -ad daemon
      server-access -r daemon
      server-access -l
      server-access -d daemon
      server-access -d daemon
      server-access -rw daemon
      server-access -a daemon
      server-access -a daemon
    `);
  });
});

describe('list-clients', () => {
  it('prints a line for each client, of one session with -t', async () => {
    const server = await started();
    const client = server.addClient();
    const { stdout } = await server.run('list-clients');
    expect(stdout).toMatch(new RegExp(`^${client.name}: one \\[80x24 xterm-256color\\] \\(attached`));
    expect((await server.run('list-clients', '-F', '#{client_tty}', '-t', 'one')).stdout).toBe(`${client.name}\n`);
  });
});

describe('detach-client', () => {
  it('detaches the client named, all others, or those of a session', async () => {
    const server = await started();
    const [a, b, c] = [server.addClient(), server.addClient(), server.addClient()];
    await server.run('detach-client', '-t', a.name);
    expect(server.asked).toEqual([{ kind: 'detach', client: a, command: undefined }]);
    await server.run('detach-client', '-a', '-t', b.name);
    expect(server.asked.at(-1)).toEqual({ kind: 'detach', client: c, command: undefined });
    await server.run('detach-client', '-s', 'one', '-E', 'echo bye');
    expect(server.asked.at(-1)).toEqual({ kind: 'detach', client: b, command: 'echo bye' });
  });
});

describe('refresh-client', () => {
  it('draws again, or only the status line', async () => {
    const server = await started();
    const client = server.addClient();
    await server.run('refresh-client');
    await server.run('refresh-client', '-S');
    expect(server.asked).toEqual([
      { kind: 'redraw', client },
      { kind: 'redraw-status', client },
    ]);
  });

  it('moves the part of a larger window that is shown, inside the window', async () => {
    const server = await started();
    const client = server.addClient(server.session(), { cols: 40, rows: 12 });
    await server.run('resize-window', '-x', '100', '-y', '50');
    await server.run('refresh-client', '-R', '10');
    expect(client.pan).toMatchObject({ x: 10, y: 0 });
    await server.run('refresh-client', '-D', '500');
    expect(client.pan).toMatchObject({ x: 10, y: 39 });
    await server.run('refresh-client', '-L', '500');
    expect(client.pan).toMatchObject({ x: 0, y: 39 });
    await server.run('refresh-client', '-c');
    expect(client.pan).toBeUndefined();
    expect(await server.run('refresh-client', '-L', 'abc')).toMatchObject({ code: 1, stderr: 'adjustment invalid\n' });
  });

  it('sets and takes away the flags of a client', async () => {
    const server = await started();
    const client = server.addClient();
    await server.run('refresh-client', '-f', 'read-only,ignore-size,unknown');
    expect([client.readOnly, client.ignoreSize]).toEqual([true, true]);
    await server.run('refresh-client', '-f', '!read-only,!ignore-size');
    expect([client.readOnly, client.ignoreSize]).toEqual([false, false]);
  });
});

describe('suspend-client and kill-server', () => {
  it('send the client to sleep, and end the server', async () => {
    const server = await started();
    const client = server.addClient();
    await server.run('suspend-client');
    expect(server.sent.get(client)).toContainEqual({ kind: 'suspend' });
    await server.run('kill-server');
    expect(server.asked.at(-1)).toEqual({ kind: 'shutdown' });
  });
});

describe('lock-client, lock-session and lock-server', () => {
  it('give the terminal to lock-command: of one client, of a session, of all', async () => {
    const server = await started();
    await server.run('new-session', '-d', '-s', 'two', 'cat');
    await server.run('set-option', '-g', 'lock-command', 'vlock');
    const clients = [server.addClient(), server.addClient(), server.addClient(server.session('two'))];
    const lock = { kind: 'exec', shell: '/bin/sh', command: 'vlock' };
    const locks = () => clients.map((client) => server.sent.get(client)?.filter(({ kind }) => kind === 'exec').length);
    await server.run('lock-client', '-t', clients[0]?.name ?? '');
    expect(locks()).toEqual([1, 0, 0]);
    await server.run('lock-session', '-t', 'one');
    expect(locks()).toEqual([2, 1, 0]);
    await server.run('lock-server');
    expect(locks()).toEqual([3, 2, 1]);
    expect(server.sent.get(clients[2]!)).toContainEqual(lock);
    await server.run('set-option', '-g', 'lock-command', '');
    await server.run('lock-server');
    expect(locks()).toEqual([3, 2, 1]);
  });
});
