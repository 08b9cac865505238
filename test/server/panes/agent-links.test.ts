import { chmodSync, lstatSync, mkdtempSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ClientSession } from '../../../server/model/client-session.ts';
import type { Session } from '../../../server/model/session.ts';
import { AgentLinks } from '../../../server/panes/agent-links.ts';
import { ModelServer } from '../../support/model-server.ts';

let directory: string;
let server: ModelServer;
let session: Session;
let links: AgentLinks;
let errors: string[];

function start(): AgentLinks {
  errors = [];
  return new AgentLinks({
    registry: server.registry,
    socketPath: join(directory, 'default'),
    log: { error: (message) => errors.push(message) },
  });
}

function attach(agent: string | undefined, to = session): ClientSession {
  const client = server.addClient(to);
  if (agent !== undefined) client.environ.set('SSH_AUTH_SOCK', agent);
  server.registry.emit('client-attached', { client, session: to });
  return client;
}

function leave(client: ClientSession): void {
  const { session: left } = client;
  server.registry.clients.delete(client);
  client.session = undefined;
  server.registry.emit('client-detached', { client, session: left });
}

const isThere = (link: string) => lstatSync(link, { throwIfNoEntry: false }) !== undefined;
const target = () => readlinkSync(join(directory, `default.ssh-agent.${session.id}`));

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'mplex-test-'));
  chmodSync(directory, 0o700);
  server = new ModelServer({ defaultKeys: false });
  await server.run('new-session', '-d', '-s', 's', 'cat');
  session = server.session();
  links = start();
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe('the lasting path to the SSH agent', () => {
  it('is a link to what the session’s environment has, before any client is there', () => {
    expect(links.pathFor(session, '/run/first')).toBe(join(directory, `default.ssh-agent.${session.id}`));
    expect(target()).toBe('/run/first');
  });

  it('follows the client in use: attach, another key, switch, detach', async () => {
    const one = attach('/run/one');
    expect(target()).toBe('/run/one');
    const two = attach('/run/two');
    expect(target()).toBe('/run/two');
    server.registry.touch(session, one);
    server.registry.emit('client-active', { client: one, session });
    expect(target()).toBe('/run/one');
    leave(one);
    expect(target()).toBe('/run/two');
    await server.run('new-session', '-d', '-s', 'other', 'cat');
    const three = attach('/run/three');
    three.session = server.session('other');
    server.registry.emit('client-session-changed', { client: three, session: server.session('other') });
    expect(target()).toBe('/run/two');
    expect(readlinkSync(join(directory, `default.ssh-agent.${server.session('other').id}`))).toBe('/run/three');
    leave(two);
    expect(target()).toBe('/run/two');
  });

  it('passes over clients without an agent, and over those that run in a pane', () => {
    attach('/run/one');
    attach(undefined);
    attach('not/a/path');
    attach(join(directory, 'default.ssh-agent.7'));
    expect(target()).toBe('/run/one');
    expect(links.pathFor(session, join(directory, 'default.ssh-agent.7'))).toMatch(/ssh-agent\.7$/);
  });

  it('goes with the session, and with the server', () => {
    const link = links.pathFor(session, '/run/one');
    server.lifecycle.closeSession(session);
    expect(isThere(link)).toBe(false);
    expect(errors).toEqual([]);
  });

  it('is taken over from a server that was killed, whatever it left', () => {
    const link = links.pathFor(session, '/run/one');
    symlinkSync('/run/half', `${link}.new`);
    const next = start();
    attach('/run/two');
    expect(target()).toBe('/run/two');
    expect(next.pathFor(session, '/run/one')).toBe(link);
    next.removeAll();
    expect(isThere(link)).toBe(false);
  });

  it.each([
    ['ssh-agent-link is off', () => session.options.setValue('ssh-agent-link', false)],
    ['update-environment leaves it out', () => server.run('set-option', '-g', 'update-environment', 'DISPLAY')],
    ['the directory is open to others', () => chmodSync(directory, 0o755)],
  ])('is not made where %s', async (_name, change) => {
    await change();
    links = start();
    expect(links.pathFor(session, '/run/one')).toBe('/run/one');
    attach('/run/two');
    expect(isThere(join(directory, `default.ssh-agent.${session.id}`))).toBe(false);
  });
});
