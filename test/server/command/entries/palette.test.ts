import { beforeEach, describe, expect, it } from 'vitest';
import { rowText } from '../../../../protocol/cell.ts';
import { hintsOf, PrefixHints } from '../../../../server/clients/prefix-hints.ts';
import type { ClientSession } from '../../../../server/model/client-session.ts';
import { viewOverlay } from '../../../../src/overlay/composite.ts';
import { ModelServer } from '../../../support/model-server.ts';

let server: ModelServer;
let client: ClientSession;

beforeEach(async () => {
  server = new ModelServer();
  await server.run('new-session', '-d', '-s', 's', '-n', 'w', '-x', '80', '-y', '23', 'cat');
  await server.run('new-window', '-d', '-n', 'second', 'cat');
  client = server.addClient();
});

function shown(): string[] {
  return (client.overlay?.models() ?? []).flatMap((model) => viewOverlay(model, client.size).canvas.rows.map(rowText));
}

function press(...keys: string[]): void {
  for (const key of keys) client.overlay?.input({ kind: 'key', key });
}

describe('command-palette', () => {
  it('lists windows, keys by their notes and commands', async () => {
    void server.press(client, 'command-palette');
    await Promise.resolve();
    press(...'second');
    expect(shown()[2]).toMatch(/s:1 second +window/);
    press('C-u', ...'create a new');
    expect(shown()[2]).toMatch(/Create a new window +C-b c/);
    press('C-u', ...'display-popup');
    expect(shown()[2]).toMatch(/display-popup +Show a program/);
  });

  it('goes to a window, and does what a key would', async () => {
    const first = server.press(client, 'command-palette');
    await Promise.resolve();
    press(...'second', 'Enter');
    await first;
    expect(server.session().current.index).toBe(1);
    const next = server.press(client, 'command-palette');
    await Promise.resolve();
    press(...'Create', 'Space', 'a', 'Enter');
    await next;
    expect(server.session().winlinks).toHaveLength(3);
  });

  it('asks for the rest of a command', async () => {
    const first = server.press(client, 'command-palette');
    await Promise.resolve();
    press(...'rename-window', 'Enter');
    await first;
    expect(client.overlay?.purpose).toBe('command-prompt');
    press(...'fresh', 'Enter');
    await new Promise<void>((done) => server.services.queueOf(client).whenIdle(done));
    expect(server.session().current.window.name).toBe('fresh');
  });
});

describe('prefix hints', () => {
  let hints: PrefixHints;
  beforeEach(() => {
    hints = new PrefixHints({ keys: server.keys, overlays: server.overlays, after: server.clock.delay });
  });

  it('appear when nothing follows the prefix for half a second, and let the next key pass', () => {
    client.keyTable = 'prefix';
    hints.follow(client);
    server.clock.advance(499);
    expect(client.overlay).toBeUndefined();
    server.clock.advance(1);
    expect(shown().join('\n')).toContain('Create a new window');
    expect(client.overlay?.input({ kind: 'key', key: 'c' })).toBe('pass');
    expect(client.overlay).toBeUndefined();
  });

  it('do not appear when a key came in time, while a key repeats, or with prefix-hints off', async () => {
    client.keyTable = 'prefix';
    hints.follow(client);
    client.keyTable = undefined;
    hints.follow(client);
    server.clock.advance(1000);
    expect(client.overlay).toBeUndefined();
    client.keyTable = 'prefix';
    hints.follow(client);
    client.repeatUntil = 1;
    server.clock.advance(1000);
    expect(client.overlay).toBeUndefined();
    client.repeatUntil = 0;
    await server.run('set-option', '-g', 'prefix-hints', 'off');
    hints.follow(client);
    server.clock.advance(1000);
    expect(client.overlay).toBeUndefined();
  });

  it('tell the digits of windows as one and leave keys without a note out', async () => {
    await server.run('bind-key', 'y', 'new-window');
    const keys = hintsOf(server.keys, 'prefix').map(({ key }) => key);
    expect(keys[0]).toBe('0-9');
    expect(keys).not.toContain('5');
    expect(keys).not.toContain('y');
    expect(keys.indexOf('c')).toBeLessThan(keys.indexOf('C-o'));
  });
});
