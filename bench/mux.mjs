/** Drives one multiplexer through a real pty of 51 x 200 cells, as a user's terminal does, and knows its processes. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn } from 'node-pty';

export const SIZE = { cols: 200, rows: 51 };
const LIMIT_MS = 120_000;
const MPLEX = process.env.MPLEX_BIN ?? join(import.meta.dirname, '../bin/mplex');
/** What programs ask a terminal, and what this one says. */
const ANSWERS = [
  ['\x1b[c', '\x1b[?62;22c'],
  ['\x1b[>c', '\x1b[>41;390;0c'],
  ['\x1b[>q', '\x1bP>|XTerm(390)\x1b\\'],
  ['\x1b[6n', '\x1b[1;1R'],
  ['\x1b[5n', '\x1b[0n'],
  ['\x1b[?2026$p', '\x1b[?2026;2$y'],
  ['\x1b[?2027$p', '\x1b[?2027;0$y'],
  ['\x1b[?u', '\x1b[?0u'],
].map(([query, answer]) => [Buffer.from(query), answer]);

const COMMANDS = {
  tmux: ['tmux', '-L', 'bench', '-f', '/dev/null'],
  mplex: [MPLEX, '-L', 'bench', '-f', '/dev/null'],
  // Without the launcher.
  node: [MPLEX, '-L', 'bench', '-f', '/dev/null'],
  screen: ['screen', '-c', '/dev/null'],
  // No multiplexer: what three processes cost that only hand bytes on.
  relay: [process.execPath, join(import.meta.dirname, 'relay.mjs'), 'sh'],
};
/** Those that no command reaches. */
const MUTE = ['screen', 'relay'];

export const sleep = (ms) => new Promise((next) => setTimeout(next, ms));

/** The multiplexers asked for that are there. */
export function installed(names) {
  const has = (name) =>
    ['mplex', 'node', 'relay'].includes(name) || spawnSync(name, [name === 'screen' ? '-v' : '-V']).error === undefined;
  return names.filter(has);
}

/** One terminal: what it was sent, and waiting for that. */
class Terminal {
  bytes = 0;
  #tail = Buffer.alloc(0);
  #wanted;

  constructor(argv, { cwd, env }) {
    this.pty = spawn(argv[0], argv.slice(1), { ...SIZE, cwd, env, encoding: null });
    this.pid = this.pty.pid;
    this.ended = new Promise((done) => this.pty.onExit(done));
    this.firstByteAt = new Promise((done) => {
      this.pty.onData((data) => {
        done(performance.now());
        this.#receive(data);
      });
    });
  }

  #receive(data) {
    this.bytes += data.length;
    for (const [query, answer] of ANSWERS) if (data.includes(query)) this.pty.write(answer);
    if (!this.#wanted) return;
    this.#tail = Buffer.concat([this.#tail.subarray(-4096), data]);
    if (!this.#tail.includes(this.#wanted.text)) return;
    const { found } = this.#wanted;
    this.#wanted = undefined;
    found(performance.now());
  }

  send(text) {
    this.pty.write(text);
  }

  /** Resolves with the time at which the text came; only what comes from now on counts. */
  seen(text, limitMs = LIMIT_MS) {
    this.#tail = Buffer.alloc(0);
    return new Promise((found, fail) => {
      const timer = setTimeout(() => fail(new Error(`${JSON.stringify(text)} did not show`)), limitMs);
      this.#wanted = {
        text: Buffer.from(text),
        found: (at) => {
          clearTimeout(timer);
          found(at);
        },
      };
    });
  }

  /** Until nothing has come for a while. */
  async quiet(ms = 300) {
    for (let before = -1; before !== this.bytes; ) {
      before = this.bytes;
      await sleep(ms);
    }
  }
}

export class Mux {
  #screens = [];

  constructor(name) {
    this.name = name;
    this.dir = mkdtempSync(join(tmpdir(), 'bench-'));
    chmodSync(this.dir, 0o700);
    this.env = {
      ...process.env,
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
      LC_ALL: 'C.UTF-8',
      SHELL: '/bin/sh',
      PS1: 'rdy> ',
    };
    Object.assign(this.env, {
      ENV: '',
      HISTFILE: '',
      HOME: this.dir,
      SCREENDIR: this.dir,
      TMUX_TMPDIR: this.dir,
      MPLEX_TMPDIR: this.dir,
    });
    for (const key of ['TMUX', 'TMUX_PANE', 'MPLEX', 'MPLEX_PANE', 'MPLEX_CONTROL']) delete this.env[key];
    if (name === 'node') this.env.MPLEX_NO_LAUNCHER = '1';
    this.base = COMMANDS[name];
  }

  /** A terminal with the first session on it. */
  open() {
    const session = { screen: ['-S', 'b', '-U', 'sh'], relay: [] }[this.name] ?? ['new-session', '-s', 'b', 'sh'];
    return this.terminal([...this.base, ...session]);
  }

  /** The same, once its shell answers. */
  async ready() {
    const terminal = this.open();
    await terminal.quiet(400);
    const answer = terminal.seen('READY');
    terminal.send("echo REA''DY\r");
    await answer;
    await terminal.quiet();
    return terminal;
  }

  terminal(argv) {
    const terminal = new Terminal(argv, { cwd: this.dir, env: this.env });
    this.#screens.push(terminal);
    return terminal;
  }

  command(...args) {
    return spawnSync(this.base[0], [...this.base.slice(1), ...args], { env: this.env, encoding: 'utf8' }).stdout.trim();
  }

  /** Processes of the server: what has this run's directory in its environment or command line, clients and panes left out. */
  serverPids() {
    const root = Number(this.command('display-message', '-p', '#{pid}'));
    const executable = readlinkSync(`/proc/${root}/exe`);
    const clients = new Set(this.#screens.map(({ pid }) => pid));
    const isOurs = (pid) => {
      try {
        if (readlinkSync(`/proc/${pid}/exe`) !== executable) return false;
        const about = ['environ', 'cmdline'].map((file) => readFileSync(`/proc/${pid}/${file}`, 'latin1')).join('');
        return about.includes(this.dir) && !clients.has(pid);
      } catch {
        return false;
      }
    };
    const pids = readdirSync('/proc')
      .filter((entry) => /^\d+$/.test(entry))
      .map(Number);
    return [...new Set([root, ...pids.filter(isOurs)])];
  }

  async stop() {
    const isMute = MUTE.includes(this.name);
    if (!isMute) this.command('kill-server');
    for (const { pty, ended } of this.#screens) {
      const over = await Promise.race([ended, sleep(isMute ? 0 : 2000)]);
      if (over === undefined) kill(pty.pid, 'SIGHUP');
      if ((await Promise.race([ended, sleep(2000)])) === undefined) kill(pty.pid, 'SIGKILL');
    }
    for (let i = 0; i < 20 && existsSync(this.dir); i++) {
      rmSync(this.dir, { recursive: true, force: true, maxRetries: 5 });
      await sleep(20);
    }
  }
}

function kill(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // It is gone.
  }
}

/** MiB of memory that are the processes' own: shared pages count by their share. */
export function pss(pids) {
  return sum(pids, (pid) => Number(/^Pss:\s+(\d+)/m.exec(readProc(pid, 'smaps_rollup'))?.[1] ?? 0) / 1024);
}

/** The most memory that the processes ever had in MiB, shared pages in full. */
export function peak(pids) {
  return sum(pids, (pid) => Number(/^VmHWM:\s+(\d+)/m.exec(readProc(pid, 'status'))?.[1] ?? 0) / 1024);
}

/** ms of processor time that all threads of the processes have had. */
export function cpu(pids) {
  return sum(pids, (pid) => {
    const threads = readdirSync(`/proc/${pid}/task`);
    return sum(threads, (thread) => Number(readProc(`${pid}/task/${thread}`, 'schedstat').split(' ')[0]) / 1e6);
  });
}

/** Clock ticks (10 ms) of processor time. */
export function ticks(pids) {
  return sum(pids, (pid) => {
    const fields = readProc(pid, 'stat').split(') ')[1]?.split(' ') ?? [];
    return Number(fields[11]) + Number(fields[12]);
  });
}

function readProc(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}

const sum = (items, measure) => items.reduce((total, item) => total + (measure(item) || 0), 0);
