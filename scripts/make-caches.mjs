// Makes V8's code caches of a build by running it once as a person would: a server, a client, a prompt, the end. What is
// compiled by then is what a start needs. Without them everything works, and boot/bundle-loader.ts makes its own.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const TIMEOUT_MS = 15_000;
/** One character: a longer prompt may come in two frames. Nothing else that is drawn has it. */
const PROMPT = '^';

export async function makeCaches(dist) {
  const home = mkdtempSync(join(tmpdir(), 'mplex-build-'));
  try {
    await runSession(resolve(dist, 'mplex.js'), home);
    const has = (part) =>
      readdirSync(join(dist, 'lib')).some((name) => name.startsWith(part) && name.endsWith('.cache'));
    await until(
      () =>
        has('server-') &&
        has('command-line-') &&
        has('attach-') &&
        !existsSync(join(home, `mplex-${process.getuid()}`, 'default')),
    );
  } catch (error) {
    console.warn(`no code cache: ${error instanceof Error ? error.message : error}`);
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function runSession(mplex, home) {
  const { spawn } = await import('node-pty');
  const { PATH } = process.env;
  const env = {
    PATH,
    HOME: home,
    MPLEX_TMPDIR: home,
    SHELL: '/bin/sh',
    PS1: PROMPT,
    TERM: 'xterm-256color',
    MPLEX_BUILD_CACHE: '1',
  };
  const argv = [mplex, '-f', '/dev/null', 'new-session', 'sh'];
  const pty = spawn(process.execPath, argv, { cols: 80, rows: 24, cwd: home, env });
  let seen = '';
  let isOver = false;
  pty.onExit(() => {
    isOver = true;
  });
  pty.onData((data) => {
    seen += data;
    if (data.includes('\x1b[c')) pty.write('\x1b[?62;22c');
  });
  try {
    await until(() => seen.includes(PROMPT));
    pty.write('exit\r');
    await until(() => isOver);
  } finally {
    // What hangs would hold the build up, and stay.
    if (!isOver) {
      pty.kill();
      spawnSync(process.execPath, [mplex, 'kill-server'], { env });
    }
  }
}

async function until(claim) {
  const end = performance.now() + TIMEOUT_MS;
  while (!claim()) {
    if (performance.now() > end) throw new Error('the build did not start in time');
    await new Promise((next) => setTimeout(next, 20));
  }
}
