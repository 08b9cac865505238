/** The lasting path to the SSH agent, through real clients, a killed server and a real socket behind it. */
import { existsSync, readlinkSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { World, waitFor } from '../support/program.ts';

let world: World;

beforeEach(() => {
  world = new World();
});

afterEach(() => world.close());

const link = () => `${world.socketPath}.ssh-agent.0`;

async function pointsTo(path: string): Promise<void> {
  await waitFor(() => existsSync(world.socketPath) && readlinkSafe() === path, { name: path, onTimeout: readlinkSafe });
}

function readlinkSafe(): string {
  try {
    return readlinkSync(link());
  } catch {
    return 'no link';
  }
}

it('a shell keeps one path while clients come and go and the server is killed', async () => {
  const agents = ['one', 'two'].map((name) => join(world.directory, name));
  const [one = '', two = ''] = agents;
  const listener = createServer((socket) => socket.end('two')).listen(two);
  try {
    const show = 'echo "<$SSH_AUTH_SOCK>"; exec cat';
    const first = world.attach(['-f', '/dev/null', 'new-session', '-s', 's', show], { env: { SSH_AUTH_SOCK: one } });
    await first.until((rows) => rows.join('').includes(`<${link()}>`));
    await pointsTo(one);
    expect(await world.output('show-environment', '-t', 's', 'SSH_AUTH_SOCK')).toBe(`SSH_AUTH_SOCK=${one}`);
    const second = world.attach(['attach', '-t', 's'], { env: { SSH_AUTH_SOCK: two } });
    await second.until((rows) => rows.join('').includes(link()));
    await pointsTo(two);
    expect(await world.output('show-environment', '-t', 's', 'SSH_AUTH_SOCK')).toBe(`SSH_AUTH_SOCK=${two}`);
    const said = await new Promise<string>((done) => connect(link()).on('data', (data) => done(data.toString())));
    expect(said).toBe('two');
    first.type('x');
    await pointsTo(one);
    const server = Number(await world.output('display-message', '-p', '#{pid}'));
    process.kill(server, 'SIGKILL');
    await waitFor(async () => Number((await world.call(['display-message', '-p', '#{pid}'])).stdout) !== server, {
      name: 'another server',
    });
    await pointsTo(one);
    await second.until('x');
    second.type('y');
    await pointsTo(two);
    second.press('C-b d');
    await second.exit;
    await pointsTo(one);
    await world.output('new-window', '-t', 's', '-e', `SSH_AUTH_SOCK=${two}`, show);
    await first.until((rows) => rows.join('').includes(`<${two}>`));
    await world.call(['kill-server']);
    await waitFor(() => readlinkSafe() === 'no link', { name: 'no link' });
  } finally {
    listener.close();
  }
});
