/** A server that runs with a script of the test's inside: for faults that nothing outside can bring about. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { MPLEX, type World, waitFor } from './program.ts';

/** Starts the world's server with `script` (CommonJS) required first, and a session `main` that runs `command`. */
export async function startHooked(world: World, script: string, command = 'exec cat'): Promise<number> {
  const file = join(world.directory, 'hook.cjs');
  writeFileSync(file, script);
  mkdirSync(dirname(world.socketPath), { mode: 0o700 });
  const mplexd = join(dirname(MPLEX), 'mplexd.js');
  const argv = ['--require', file, mplexd, '--socket', world.socketPath, '--ready-fd', '3', '-f', '/dev/null'];
  const child = spawn(process.execPath, argv, {
    cwd: '/',
    env: world.env,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    detached: true,
  });
  child.unref();
  const ready = child.stdio[3];
  if (ready instanceof Socket) ready.unref();
  await waitFor(() => existsSync(world.controlPath), { name: 'the server' });
  await world.output('new-session', '-d', '-s', 'main', command);
  return child.pid ?? 0;
}
