// How long a start takes, from outside, as a user's terminal sees it. usage: node bench/start.mjs [RUNS]   (after npm run build)
//   cold    ms from the call of bin/mplex, with no server running, to the first prompt on the terminal
//   call    ms of `mplex list-sessions`
//   memory  MiB (Pss) of server and pty host, and of the attached client, half a second after the prompt
// Each with the launcher and without, beside `node -e 0` and tmux, in turns, so that a busy machine is busy for all of
// them. One JSON line of medians and of ratios to `node -e 0`.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn } from 'node-pty';

const RUNS = Number(process.argv[2] ?? 7);
const CALLS = 3;
const PROMPT = 'bench-prompt';
const LIMIT_MS = 20_000;
const MPLEX = join(import.meta.dirname, '../bin/mplex');

const results = {};
const note = (name, value) => {
  results[name] ??= [];
  results[name].push(value);
};
const wait = (ms) => new Promise((next) => setTimeout(next, ms));

function timed(name, argv, env) {
  const start = performance.now();
  const { status } = spawnSync(argv[0], argv.slice(1), { env, stdio: 'ignore' });
  if (status !== 0) throw new Error(`${argv.join(' ')} exited with ${status}`);
  note(name, performance.now() - start);
}

/** One server from nothing to the prompt, a few calls, and its end. */
async function measure(name, base, extra) {
  const home = mkdtempSync(join(tmpdir(), 'bench-'));
  const env = {
    ...process.env,
    ...extra,
    HOME: home,
    MPLEX_TMPDIR: home,
    TMUX_TMPDIR: home,
    SHELL: '/bin/sh',
    ENV: '',
    PS1: PROMPT,
    TERM: 'xterm-256color',
  };
  for (const key of ['TMUX', 'TMUX_PANE', 'MPLEX', 'MPLEX_PANE', 'MPLEX_CONTROL']) delete env[key];
  const start = performance.now();
  const client = spawn(base[0], [...base.slice(1), 'new-session', 'sh'], { cols: 200, rows: 51, cwd: home, env });
  try {
    await prompt(client);
    note(`cold_${name}`, performance.now() - start);
    await wait(500);
    if (name !== 'tmux') memory(name, client.pid, home);
    for (let i = 0; i < CALLS; i++) timed(`call_${name}`, [...base, 'list-sessions'], env);
  } finally {
    const over = new Promise((done) => client.onExit(done));
    spawnSync(base[0], [...base.slice(1), 'kill-server'], { env, stdio: 'ignore' });
    await Promise.race([over, wait(2000)]);
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

function prompt(client) {
  let seen = '';
  return new Promise((done, fail) => {
    const timer = setTimeout(() => fail(new Error(`no prompt: ${JSON.stringify(seen)}`)), LIMIT_MS);
    client.onData((data) => {
      seen += data;
      if (data.includes('\x1b[c')) client.write('\x1b[?62;22c');
      if (!seen.includes(PROMPT)) return;
      clearTimeout(timer);
      done();
    });
  });
}

function memory(name, clientPid, home) {
  let server = 0;
  for (const pid of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      if (command.includes(home) && /(?:mplexd|ptyhost)\.js/.test(command)) server += pss(pid);
    } catch {
      // It ended meanwhile.
    }
  }
  note(`server_MiB_${name}`, server);
  note(`client_MiB_${name}`, pss(clientPid));
}

function pss(pid) {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0) / 1024;
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

const hasTmux = spawnSync('tmux', ['-V']).status === 0;
const flags = ['-L', 'bench', '-f', '/dev/null'];
for (let run = 0; run < RUNS; run++) {
  timed('node', [process.execPath, '-e', '0'], process.env);
  await measure('launcher', [MPLEX, ...flags], {});
  timed('node', [process.execPath, '-e', '0'], process.env);
  await measure('node_only', [MPLEX, ...flags], { MPLEX_NO_LAUNCHER: '1' });
  if (hasTmux) await measure('tmux', ['tmux', ...flags], {});
}
const medians = Object.fromEntries(Object.entries(results).map(([name, values]) => [name, median(values)]));
const round = (value) => Math.round(value * 10) / 10;
const ratios = Object.fromEntries(
  Object.entries(medians)
    .filter(([name]) => /^(?:cold|call)_/.test(name))
    .map(([name, value]) => [`${name}_to_node`, Math.round((value / medians.node) * 100) / 100]),
);
console.log(
  JSON.stringify({
    ...Object.fromEntries(Object.entries(medians).map(([name, value]) => [name, round(value)])),
    ...ratios,
  }),
);
