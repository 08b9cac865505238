/** What is measured of one multiplexer: each measure is one run that gives named numbers. */
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { corpus, KINDS, randomOf } from './corpus.mjs';
import { cpu, Mux, peak, pss, sleep, ticks } from './mux.mjs';

const FILLER = 'the quick brown fox jumps over the lazy dog, and then some more text to fill most of a line up to here';

async function withMux(name, run) {
  const mux = new Mux(name);
  try {
    return await run(mux);
  } finally {
    await mux.stop();
  }
}

/** MB/s of `cat` up to the moment the next command's output shows, and by how many MiB the server grew. */
async function throughput(name, { directory }) {
  const result = {};
  let growth = 0;
  for (const kind of KINDS) {
    const path = corpus(directory, kind);
    await withMux(name, async (mux) => {
      const terminal = await mux.ready();
      const pids = name === 'screen' ? [] : mux.serverPids();
      const before = peak(pids);
      const start = performance.now();
      const settled = terminal.seen('SETTLED');
      terminal.send(`cat ${path}; echo SET''TLED\r`);
      result[kind] = statSync(path).size / 1e3 / ((await settled) - start);
      growth = Math.max(growth, peak(pids) - before);
    });
  }
  result.mean = KINDS.reduce((product, kind) => product * result[kind], 1) ** (1 / KINDS.length);
  return { ...result, growth };
}

/** ms from a key to its echo. */
async function echoes(terminal, { count, keys, gapMs }) {
  const times = [];
  const random = randomOf(count);
  for (let i = 0; i < count; i++) {
    const key = keys[i % keys.length];
    const shown = terminal.seen(key, 10_000);
    const start = performance.now();
    terminal.send(key);
    times.push((await shown) - start);
    await sleep(gapMs * (0.5 + random(1000) / 1000));
  }
  return times;
}

/** Nothing else runs. */
function echo(name) {
  return withMux(name, async (mux) => {
    const terminal = await mux.ready();
    terminal.send('cat >/dev/null\r');
    await terminal.quiet();
    const times = await echoes(terminal, { count: 150, keys: 'abcdefghij', gapMs: 20 });
    return { p50: percentile(times, 50), p99: percentile(times, 99) };
  });
}

/** A second pane that is seen prints without end. */
function flood(name, { directory }) {
  const files = ['ascii', 'sgr'].map((kind) => corpus(directory, kind)).join(' ');
  return withMux(name, async (mux) => {
    const terminal = await mux.ready();
    mux.command('split-window', '-h', '-d', '-t', 'b', `while :; do cat ${files}; done`);
    terminal.send('cat >/dev/null\r');
    await sleep(500);
    const times = await echoes(terminal, { count: 80, keys: 'µ¶§ðþøßæ', gapMs: 30 });
    return { p50: percentile(times, 50), p95: percentile(times, 95) };
  });
}

/** ms from ^C during `yes` until the next command's output shows. */
async function interrupt(name) {
  const times = [];
  for (let i = 0; i < 5; i++) {
    await withMux(name, async (mux) => {
      const terminal = await mux.ready();
      terminal.send("yes 'all work and no play makes jack a dull boy 0123456789'\r");
      await sleep(1500);
      const stopped = terminal.seen('STOPPED');
      const start = performance.now();
      terminal.send('\x03');
      terminal.send("echo ST''OPPED\r");
      times.push((await stopped) - start);
    });
  }
  return { p50: percentile(times, 50), p95: percentile(times, 95) };
}

/** Until the processes have done what they put off: less than 5 ms of processor time in half a second. */
async function still(pids) {
  const end = performance.now() + 30_000;
  for (let before = -Infinity, now = cpu(pids); now - before >= 5 && performance.now() < end; now = cpu(pids)) {
    before = now;
    await sleep(500);
  }
}

/** MiB of all server processes and of one client, once it has come to rest. */
async function memory(name) {
  const result = {};
  for (const lines of [0, 2000, 10_000]) {
    await withMux(name, async (mux) => {
      const terminal = await mux.ready();
      if (lines > 0) {
        mux.command('set-option', '-g', 'history-limit', String(lines));
        for (let i = 0; i < 20; i++) {
          const print = `seq 1 ${lines + 100} | sed 's/$/ ${FILLER}/'; sleep 1000`;
          mux.command('new-window', '-d', '-t', 'b', print);
        }
        await terminal.quiet(1000);
        await still(mux.serverPids());
      }
      result[lines === 0 ? 'fresh' : `20x${lines}`] = pss(mux.serverPids());
      if (lines === 0) result.client = pss([terminal.pid]);
    });
  }
  return result;
}

/** ms to the first prompt without a server, of one call, and both in `node -e 0`s. */
async function start(name) {
  const [nodes, colds, calls] = [[], [], []];
  for (let i = 0; i < 5; i++) {
    nodes.push(timed(process.execPath, ['-e', '0'], process.env));
    await withMux(name, async (mux) => {
      const begin = performance.now();
      const terminal = mux.open();
      colds.push((await terminal.seen('rdy>')) - begin);
      await terminal.quiet();
      for (let call = 0; call < 3; call++)
        calls.push(timed(mux.base[0], [...mux.base.slice(1), 'list-sessions'], mux.env));
    });
  }
  const [node, cold, call] = [nodes, colds, calls].map((times) => percentile(times, 50));
  return { cold, call, cold_in_nodes: cold / node, call_in_nodes: call / node };
}

function timed(file, args, env) {
  const begin = performance.now();
  spawnSync(file, args, { env, stdio: 'ignore' });
  return performance.now() - begin;
}

/** Clock ticks of the server and bytes to the terminal in 5 s with 20 quiet panes. */
function idle(name) {
  return withMux(name, async (mux) => {
    const terminal = await mux.ready();
    for (let i = 0; i < 20; i++) mux.command('new-window', '-d', '-t', 'b', 'sleep 1000');
    mux.command('set-option', '-g', 'status-interval', '0');
    await terminal.quiet(1000);
    const pids = [...mux.serverPids(), terminal.pid];
    const [ticksBefore, bytesBefore] = [ticks(pids), terminal.bytes];
    await sleep(5000);
    return { ticks: ticks(pids) - ticksBefore, bytes: terminal.bytes - bytesBefore };
  });
}

/** One line of 80 characters 60 times a second. */
const TICKER = `perl -e '$|=1; $i=0; for(;;){ printf "%08d %s\\n", $i++, "x"x70; select undef,undef,undef,1/60 }'`;

/** ms of processor time a second of the server while 50 panes that nobody sees print at 60 Hz. */
function hidden(name) {
  return withMux(name, async (mux) => {
    await mux.ready();
    for (let i = 0; i < 50; i++) mux.command('new-window', '-d', '-t', 'b', TICKER);
    await sleep(5000);
    return { cpu: await cpuASecond(mux.serverPids()) };
  });
}

/** ms of processor time a second of the server while one pane prints at 60 Hz before one client, and before ten. */
async function clients(name) {
  const result = {};
  for (const count of [1, 10]) {
    await withMux(name, async (mux) => {
      await mux.ready();
      for (let i = 1; i < count; i++) await mux.terminal([...mux.base, 'attach-session', '-t', 'b']).quiet(200);
      mux.command('send-keys', '-t', 'b', TICKER, 'Enter');
      await sleep(5000);
      result[count === 1 ? 'one' : 'ten'] = await cpuASecond(mux.serverPids());
    });
  }
  return { ...result, ratio: result.ten / result.one };
}

async function cpuASecond(pids) {
  const [before, begin] = [cpu(pids), performance.now()];
  await sleep(5000);
  return ((cpu(pids) - before) / (performance.now() - begin)) * 1000;
}

/** ms from the client's first sign of life to its full screen: 10 panes with 10,000 lines each. */
function attach(name) {
  return withMux(name, async (mux) => {
    const terminal = await mux.ready();
    mux.command('set-option', '-g', 'history-limit', '10000');
    for (let i = 0; i < 9; i++) {
      mux.command(
        'split-window',
        '-d',
        '-t',
        'b',
        `seq 1 10100 | sed 's/$/ ${FILLER}/'; printf 'END%s' 'OFPANE'; sleep 1000`,
      );
      mux.command('select-layout', '-t', 'b', 'tiled');
    }
    mux.command('set-option', '-g', 'status-right', 'END-OF-STATUS');
    await terminal.quiet(1000);
    const times = [];
    for (let i = 0; i < 5; i++) {
      const second = mux.terminal([...mux.base, 'attach-session', '-t', 'b']);
      // The last row comes last.
      const full = second.seen('END-OF-STATUS');
      const up = await second.firstByteAt;
      times.push((await full) - up);
      await second.quiet(200);
      second.send('\x02d');
      await second.ended;
    }
    return { ms: percentile(times, 50) };
  });
}

function percentile(values, percent) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))];
}

export const MEASURES = { throughput, echo, flood, interrupt, memory, start, idle, hidden, clients, attach };
/** What there is for screen: it has no commands for the rest. */
export const SCREEN_MEASURES = ['throughput', 'echo', 'interrupt', 'start'];
