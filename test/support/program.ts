/** Runs the built program as users do: in a real pty read by a virtual terminal, in private directories. */
import { spawn as spawnChild } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import * as pty from 'node-pty';
import type { Size } from '../../protocol/geometry.ts';
import { keyBytes } from './key-bytes.ts';
import { removeFolder } from './remove-folder.ts';
import { differences, VirtualTerminal } from './virtual-terminal.ts';

/** The built program; MPLEX_TEST_DIST names another build to try. */
export const MPLEX = resolve(import.meta.dirname, '../..', process.env.MPLEX_TEST_DIST ?? 'dist', 'mplex.js');
/** How tests call it: with node, or as users do with MPLEX_TEST_BIN=bin/mplex (launcher included). */
export const COMMAND: readonly string[] = process.env.MPLEX_TEST_BIN
  ? [resolve(import.meta.dirname, '../..', process.env.MPLEX_TEST_BIN)]
  : [process.execPath, MPLEX];
/** A shell that waits for a command, root's or not. */
export const PROMPT = /^[#$]/m;
const WAIT_MS = 20_000;

export interface CallResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CallOptions {
  readonly env?: Record<string, string>;
  readonly input?: string;
  readonly cwd?: string;
}

export interface RunningCall {
  readonly done: Promise<CallResult>;
  kill(signal: NodeJS.Signals): void;
}

/** A private world: HOME, sockets and a server of its own. Call `close` in afterEach. */
export class World {
  readonly directory: string;
  readonly env: Record<string, string>;
  readonly #command: readonly string[];
  readonly #terminals = new Set<TerminalProgram>();
  #isClosed = false;

  constructor(env: Record<string, string> = {}, command = COMMAND) {
    this.#command = command;
    this.directory = mkdtempSync(join(tmpdir(), 'mplex-test-'));
    this.env = {
      PATH: process.env.PATH ?? '/usr/bin:/bin',
      HOME: this.directory,
      MPLEX_TMPDIR: this.directory,
      XDG_STATE_HOME: join(this.directory, 'state'),
      SHELL: '/bin/sh',
      PS1: '$ ',
      TERM: 'xterm-256color',
      ...env,
    };
  }

  get socketPath(): string {
    return join(this.directory, `mplex-${process.getuid?.() ?? 0}`, 'default');
  }

  get controlPath(): string {
    return `${this.socketPath}.ctl`;
  }

  /** One command line call without a terminal. */
  call(argv: readonly string[], options: CallOptions = {}): Promise<CallResult> {
    return this.spawn(argv, options).done;
  }

  /** The same, to be signalled while it runs. */
  spawn(argv: readonly string[], options: CallOptions = {}): RunningCall {
    const [file = '', ...args] = this.#command;
    const child = spawnChild(file, [...args, ...argv], {
      env: { ...this.env, ...options.env },
      cwd: options.cwd ?? this.directory,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const done = new Promise<CallResult>((resolveCall) => {
      let stdout = '';
      let stderr = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        stdout += text;
      });
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        stderr += text;
      });
      child.stdin.on('error', () => {});
      child.stdin.end(options.input ?? '');
      child.on('error', (error) => resolveCall({ code: -1, stdout, stderr: error.message }));
      child.on('close', (code) => resolveCall({ code: code ?? -1, stdout, stderr }));
    });
    return { done, kill: (signal) => void child.kill(signal) };
  }

  /** The call's standard output without its last newline; throws when the call fails. */
  async output(...argv: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.call(argv);
    if (code !== 0) throw new Error(`mplex ${argv.join(' ')} exited with ${code}: ${stderr}`);
    return stdout.replace(/\n$/, '');
  }

  /** The program on a terminal of its own. */
  attach(
    argv: readonly string[] = [],
    options: { size?: Size; env?: Record<string, string>; keepBytes?: boolean } = {},
  ): TerminalProgram {
    return this.run([...this.#command, ...argv], options);
  }

  /** Any program on a terminal of its own. */
  run(
    argv: readonly string[],
    options: { size?: Size; env?: Record<string, string>; keepBytes?: boolean } = {},
  ): TerminalProgram {
    const program = new TerminalProgram(argv, {
      cwd: this.directory,
      size: options.size ?? { cols: 80, rows: 24 },
      env: { ...this.env, ...options.env },
      keepBytes: options.keepBytes ?? false,
    });
    this.#terminals.add(program);
    return program;
  }

  /** Pids of this world's processes that carry its socket on their command line: the server and its pty host. */
  serverPids(): number[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .filter((name) => {
        try {
          const argv = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0');
          const isOurs = argv.some((word) => word.startsWith(`${this.directory}/`));
          return isOurs && argv.some((word) => /\/(?:mplexd|ptyhost)\.js$/.test(word));
        } catch {
          return false;
        }
      })
      .map(Number);
  }

  /** Ends all that runs here and removes the directory; once. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.call(['kill-server']);
    for (const program of this.#terminals) program.kill();
    for (const pid of this.serverPids()) killQuietly(pid);
    await removeFolder(this.directory);
  }
}

/** A program in a real pty whose output a virtual terminal shows. */
export class TerminalProgram {
  readonly screen: VirtualTerminal;
  readonly exit: Promise<{ code: number; signal: number | undefined }>;
  readonly #pty: pty.IPty;
  #exited = false;

  constructor(
    argv: readonly string[],
    options: { cwd: string; size: Size; env: Record<string, string>; keepBytes: boolean },
  ) {
    const [file = '', ...args] = argv;
    this.screen = new VirtualTerminal(options.size, { keepBytes: options.keepBytes });
    this.#pty = pty.spawn(file, args, {
      cols: options.size.cols,
      rows: options.size.rows,
      cwd: options.cwd,
      env: options.env,
      name: options.env.TERM ?? 'xterm-256color',
    });
    this.#pty.onData((data) => this.screen.write(data));
    // The virtual terminal answers what a real one would (DA1, DSR, DECRQM).
    this.screen.terminal.onData((reply) => {
      if (!this.#exited) this.#pty.write(reply);
    });
    this.exit = new Promise((done) => {
      this.#pty.onExit(({ exitCode, signal }) => {
        this.#exited = true;
        done({ code: exitCode, signal: signal === 0 ? undefined : signal });
      });
    });
  }

  get pid(): number {
    return this.#pty.pid;
  }

  type(text: string): void {
    this.#pty.write(text);
  }

  /** Presses keys by tmux's names, blanks between: `C-b c`. */
  press(keys: string): void {
    for (const key of keys.split(' ')) this.type(keyBytes(key));
  }

  /** A mouse event at a cell counted from 0, in xterm's SGR encoding (1006): code 0 left, 1 middle, 2 right, 64 wheel up. */
  mouse(action: 'press' | 'release' | 'drag' | 'move', at: { x: number; y: number }, code = 0): void {
    const value = action === 'drag' ? code + 32 : action === 'move' ? 35 : code;
    this.type(`\x1b[<${value};${at.x + 1};${at.y + 1}${action === 'release' ? 'm' : 'M'}`);
  }

  click(x: number, y: number, code = 0): void {
    this.mouse('press', { x, y }, code);
    this.mouse('release', { x, y }, code);
  }

  resize(size: Size): void {
    this.screen.resize(size);
    this.resizePty(size);
  }

  /** TIOCSWINSZ alone: the virtual terminal keeps its size, for sizes that no terminal has. */
  resizePty(size: Size): void {
    this.#pty.resize(size.cols, size.rows);
  }

  kill(signal = 'SIGKILL'): void {
    if (this.#exited) return;
    try {
      this.#pty.kill(signal);
    } catch {
      // It ended meanwhile.
    }
  }

  /** Waits until the screen holds a text or satisfies a claim; on time-out the error shows the screen. */
  async until(
    what: string | RegExp | ((rows: string[]) => boolean),
    options: { ms?: number; name?: string } = {},
  ): Promise<void> {
    const holds = () => {
      if (typeof what === 'function') return what(this.screen.rows());
      return typeof what === 'string' ? this.screen.text().includes(what) : what.test(this.screen.text());
    };
    await waitFor(
      async () => {
        await this.screen.settled();
        return holds();
      },
      {
        ms: options.ms ?? WAIT_MS,
        name: options.name ?? String(what),
        onTimeout: () => `screen:\n${this.screen.text()}`,
      },
    );
  }

  /** Waits until the screen shows a picture, cell by cell; on time-out the error says where it differs. */
  async untilCells(expected: readonly string[], area: Parameters<VirtualTerminal['cells']>[0] = {}): Promise<void> {
    await waitFor(
      async () => {
        await this.screen.settled();
        return differences(this.screen.cells(area), expected).length === 0;
      },
      {
        name: 'a picture',
        onTimeout: () => `${differences(this.screen.cells(area), expected).join('\n')}\nscreen:\n${this.screen.text()}`,
      },
    );
  }
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended meanwhile.
  }
}

/** Polls a claim until it holds. */
export async function waitFor(
  claim: () => boolean | Promise<boolean>,
  options: { ms?: number; name: string; onTimeout?: () => string },
): Promise<void> {
  const end = performance.now() + (options.ms ?? WAIT_MS);
  while (!(await claim())) {
    if (performance.now() > end) throw new Error(`waited too long for ${options.name}\n${options.onTimeout?.() ?? ''}`);
    await new Promise((next) => setTimeout(next, 10));
  }
}
