/** The clipboard (OSC 52) over a real ssh and inside GNU screen. */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { COMMAND, World, waitFor } from '../support/program.ts';

const SSHD = '/usr/sbin/sshd';
const has = (...programs: readonly (readonly [file: string, flag: string])[]): boolean => {
  const missing = programs.find(([file, flag]) => spawnSync(file, [flag], { stdio: 'ignore' }).error !== undefined);
  if (missing) console.log(`no ${missing[0]} here: the clipboard is not tried through it`);
  return missing === undefined;
};
const TEXT = 'héllo, far clipboard';
const ENCODED = Buffer.from(TEXT).toString('base64');

let world: World;

beforeEach(() => {
  world = new World();
});

afterEach(() => world.close());

/** Copies the first line of the pane in copy mode, as keys would. */
async function copyLine(): Promise<void> {
  for (const words of [
    ['copy-mode'],
    ['send-keys', '-X', 'history-top'],
    ['send-keys', '-X', 'copy-line-and-cancel'],
  ]) {
    await world.output(...words);
  }
}

/** A shell command that starts mplex in this world, wherever it is run. */
function startCommand(): string {
  const names = ['MPLEX_TMPDIR', 'XDG_STATE_HOME', 'HOME', 'SHELL'];
  const env = names.map((name) => `${name}='${world.env[name] ?? ''}'`);
  const words = [...COMMAND, '-f', '/dev/null', 'new-session', '-s', 'far', `printf '%s\\n' '${TEXT}'; exec cat`];
  return `env ${env.join(' ')} ${words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')}`;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}

it.skipIf(!has([SSHD, '-V'], ['ssh', '-V']))('a copy far away reaches the terminal over ssh', async () => {
  const directory = join(world.directory, 'ssh');
  mkdirSync(directory);
  for (const name of ['host', 'user']) {
    spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(directory, name)]);
  }
  const port = await freePort();
  const config = [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${directory}/host`,
    `AuthorizedKeysFile ${directory}/user.pub`,
    'StrictModes no',
    'UsePAM no',
    'PidFile none',
    'PermitRootLogin yes',
    // bash under sshd would read the person's .bashrc.
    'SetEnv SHLVL=1',
  ];
  writeFileSync(join(directory, 'config'), `${config.join('\n')}\n`);
  // sshd started by root wants it.
  if (userInfo().uid === 0) mkdirSync('/run/sshd', { recursive: true });
  chmodSync(join(directory, 'user'), 0o600);
  const sshd = spawn(SSHD, ['-D', '-e', '-f', join(directory, 'config')], { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  sshd.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  try {
    await waitFor(() => log.includes('listening'), { name: 'sshd', onTimeout: () => log });
    const options = [
      'StrictHostKeyChecking=no',
      'UserKnownHostsFile=/dev/null',
      'LogLevel=ERROR',
      'IdentitiesOnly=yes',
    ];
    const ssh = ['ssh', '-tt', '-F', 'none', '-p', String(port), '-i', join(directory, 'user')];
    const near = world.run(
      [...ssh, ...options.flatMap((option) => ['-o', option]), `${userInfo().username}@127.0.0.1`, startCommand()],
      { keepBytes: true },
    );
    await near.until(TEXT);
    await copyLine();
    await near.until(`Copied: sent to terminal, ${Buffer.byteLength(TEXT)} B`);
    expect(near.screen.bytes).toContain(`\x1b]52;;${ENCODED}\x1b\\`);
  } finally {
    sshd.kill();
  }
});

it.skipIf(!has(['screen', '-v']))('a copy reaches the terminal through GNU screen, a long one in pieces', async () => {
  const near = world.run(['screen', '-c', '/dev/null', '-U', '/bin/sh', '-c', startCommand()], {
    keepBytes: true,
    env: { SCREENDIR: screenDirectory(), LC_ALL: 'C.UTF-8' },
  });
  await near.until(TEXT);
  await copyLine();
  await near.until('Copied: sent to screen');
  await waitFor(() => near.screen.bytes.includes(`${ENCODED}\x07`), { name: 'OSC 52 at the terminal' });
  const long = 'long text '.repeat(400);
  await world.output('set-buffer', '-w', long);
  await waitFor(() => near.screen.bytes.includes(`\x1b]52;;${Buffer.from(long).toString('base64')}\x07`), {
    name: 'a long text at the terminal',
  });
});

function screenDirectory(): string {
  const directory = join(world.directory, 'screen');
  mkdirSync(directory, { mode: 0o700 });
  return directory;
}
