/** The two programs that are compared, each with a server, a home and sockets of its own. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import * as pty from 'node-pty';
import { connectServer } from '../../client/connect.ts';
import { decodeCallMessage, encodeCallMessage } from '../../protocol/call-codec.ts';
import type { Size } from '../../protocol/geometry.ts';
import { ENTRIES } from '../../server/command/entries/command-table.ts';
import { OPTION_TABLE } from '../../server/options/option-table.ts';
import { keyBytes } from '../support/key-bytes.ts';
import { MPLEX } from '../support/program.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { VirtualTerminal } from '../support/virtual-terminal.ts';

export interface Answer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CallOptions {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Options and commands that tmux has not: show-options and list-commands list them as well. */
const OWN_NAMES = new Set([...OPTION_TABLE, ...ENTRIES].flatMap((row) => (row.own ? [row.name] : [])));

/** The version that is the reference; the tests are skipped, and say so, without it. */
const REFERENCE = 'tmux 3.3a';

export function hasReference(): boolean {
  const version = spawnSync('tmux', ['-V'], { encoding: 'utf8' });
  const has = version.status === 0 && version.stdout.trim() === REFERENCE;
  if (!has) console.log(`no ${REFERENCE} here: the differential tests are skipped`);
  return has;
}

/** One program with its world. */
export abstract class Side {
  abstract readonly name: 'tmux' | 'mplex';
  readonly home: string;
  readonly clients: SideClient[] = [];

  constructor(home: string) {
    this.home = home;
    mkdirSync(home, { recursive: true });
  }

  get env(): Record<string, string> {
    return {
      PATH: process.env.PATH ?? '/usr/bin:/bin',
      HOME: this.home,
      PWD: this.home,
      SHELL: '/bin/sh',
      PS1: '$ ',
      TERM: 'xterm-256color',
      LC_ALL: 'C.UTF-8',
      TZ: 'UTC',
      ...this.ownEnv(),
    };
  }

  protected abstract ownEnv(): Record<string, string>;
  /** The program's words before the command. */
  abstract programArgv(): readonly [string, ...string[]];
  abstract call(argv: readonly string[], options?: CallOptions): Promise<Answer>;

  /** The real program as a process. */
  spawn(argv: readonly string[], { stdin = '', env = {} }: CallOptions = {}): Promise<Answer> {
    const [file, ...first] = this.programArgv();
    return runProgram([file, ...first, ...argv], { cwd: this.home, env: { ...this.env, ...env }, stdin });
  }

  /** The program on a terminal, attached. */
  async attach(argv: readonly string[], size: Size): Promise<SideClient> {
    const [file, ...first] = this.programArgv();
    const listed = async () => (await this.call(['list-clients', '-F', '#{client_name}'])).stdout.split('\n');
    const before = new Set(await listed());
    const client = new SideClient([file, ...first, ...argv], { cwd: this.home, env: this.env, size });
    await until(`a client of ${this.name}`, async () => {
      client.tty = (await listed()).find((tty) => tty !== '' && !before.has(tty)) ?? '';
      return client.tty !== '';
    });
    this.clients.push(client);
    return client;
  }

  /** Lines about what the other program has not. */
  isOwnLine(_line: string): boolean {
    return false;
  }

  /** What differs by nature (home, pids, terminals, times) under the names it has in scripts. */
  normalise(text: string): string {
    let result = text;
    for (const [index, client] of this.clients.entries()) {
      if (client.tty !== '') result = replaceAll(result, client.tty, `{client${index === 0 ? '' : index + 1}}`);
    }
    const lines = replaceAll(result, this.home, '{home}').split('\n');
    return (
      lines
        .filter((line) => !this.isOwnLine(line))
        .join('\n')
        .replace(/(created|attached) \w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}/g, '$1 {time}')
        .replace(/^\d\d:\d\d:/gm, '{time}:')
        .replace(/^(\{time\}:) client-\d+ /gm, '$1 client-{pid} ')
        // Asked of tmux alone, between the steps of a script.
        .replace(/^\{time\}: client-\{pid\} command: has-session\n/gm, '')
        // A cell of history takes another number of bytes in each program.
        .replace(/(\[history \d+\/\d+), \d+ bytes\]/g, '$1, {n} bytes]')
    );
  }

  /** Puts the side's own values where a script has placeholders. */
  fill(word: string): string {
    let result = replaceAll(word, '{home}', this.home);
    for (const [index, client] of this.clients.entries()) {
      result = replaceAll(result, `{client${index === 0 ? '' : index + 1}}`, client.tty);
    }
    return result;
  }

  async stop(): Promise<void> {
    await this.call(['kill-server']).catch(() => undefined);
    for (const client of this.clients) client.kill();
  }
}

export class TmuxSide extends Side {
  readonly name = 'tmux';

  protected ownEnv(): Record<string, string> {
    return { TMUX_TMPDIR: this.home };
  }

  programArgv(): readonly [string, ...string[]] {
    return ['tmux', '-f', '/dev/null'];
  }

  call(argv: readonly string[], options?: CallOptions): Promise<Answer> {
    return this.spawn(argv, options);
  }
}

export class MplexSide extends Side {
  readonly name = 'mplex';

  protected ownEnv(): Record<string, string> {
    return { MPLEX_TMPDIR: this.home, XDG_STATE_HOME: join(this.home, 'state') };
  }

  override isOwnLine(line: string): boolean {
    const [word = ''] = line.split(/[ (]/);
    return OWN_NAMES.has(word.replace(/(?:\[\d+\])?\*?$/, ''));
  }

  get socketPath(): string {
    return join(this.home, `mplex-${process.getuid?.() ?? 0}`, 'default');
  }

  programArgv(): readonly [string, ...string[]] {
    return [process.execPath, MPLEX, '-f', '/dev/null'];
  }

  /** The frames of a call, without the time that starting a process takes. */
  async call(argv: readonly string[], { stdin = '', env = {} }: CallOptions = {}): Promise<Answer> {
    const found = await connectServer(this.socketPath, { version: '0', pid: process.pid });
    if (found.kind === 'absent') return { code: 1, stdout: '', stderr: `${found.message}\n` };
    const { connection } = found;
    const out: Uint8Array[] = [];
    const err: Uint8Array[] = [];
    return new Promise((done) => {
      const finish = (code: number) => {
        connection.destroy();
        done({ code, stdout: Buffer.concat(out).toString('utf8'), stderr: Buffer.concat(err).toString('utf8') });
      };
      connection.listen({
        onFrames: (frames) => {
          for (const frame of frames) {
            const message = decodeCallMessage(frame);
            if (message?.kind === 'stdout') out.push(message.bytes.slice());
            else if (message?.kind === 'stderr') err.push(message.bytes.slice());
            else if (message?.kind === 'exit-code') finish(message.code);
            else if (message?.kind === 'handover') finish(-2);
            else if (message?.kind === 'want-stdin') {
              connection.send(encodeCallMessage({ kind: 'stdin', bytes: Buffer.from(stdin) }));
              connection.send(encodeCallMessage({ kind: 'stdin-end' }));
            }
          }
        },
        onClose: () => finish(-1),
      });
      connection.sendCall({
        kind: 'command',
        argv,
        cwd: this.home,
        environ: Object.entries({ ...this.env, ...env }).map(([name, value]) => `${name}=${value}`),
        pid: process.pid,
        terminal: undefined,
        flags: { noStart: false, colors256: false, utf8: false, asTmux: true, control: 0 },
      });
    });
  }
}

/** A program in a real pty. */
export class SideClient {
  tty = '';
  /** All that was written to the terminal. */
  bytes = '';
  readonly screen: VirtualTerminal;
  readonly #pty: pty.IPty;
  #isDone = false;

  constructor(argv: readonly string[], options: { cwd: string; env: Record<string, string>; size: Size }) {
    // Below a shell, which is the one that `detach-client -P` hangs up.
    const [file, ...rest] = ['/bin/sh', '-c', '"$@"; exit $?', 'sh', ...argv];
    this.screen = new VirtualTerminal(options.size);
    this.#pty = pty.spawn(file, rest, {
      name: 'xterm-256color',
      cols: options.size.cols,
      rows: options.size.rows,
      cwd: options.cwd,
      env: options.env,
    });
    this.#pty.onData((data) => {
      this.bytes += data;
      this.screen.write(data);
    });
    this.screen.terminal.onData((reply) => {
      if (!this.#isDone) this.#pty.write(reply);
    });
    this.#pty.onExit(() => {
      this.#isDone = true;
    });
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  type(text: string): void {
    this.#pty.write(text);
  }

  press(keys: string): void {
    for (const key of keys.split(' ')) this.type(keyBytes(key));
  }

  kill(): void {
    if (!this.#isDone) this.#pty.kill('SIGKILL');
  }
}

/** Both programs side by side in a private directory. */
export class Sides {
  readonly tmux: TmuxSide;
  readonly mplex: MplexSide;
  readonly #directory: string;

  constructor() {
    this.#directory = realpathSync(mkdtempSync(join(tmpdir(), 'mplex-diff-')));
    this.tmux = new TmuxSide(join(this.#directory, 't'));
    this.mplex = new MplexSide(join(this.#directory, 'm'));
  }

  get both(): readonly [Side, Side] {
    return [this.tmux, this.mplex];
  }

  /** Starts both servers with the same session. */
  async start(argv: readonly string[]): Promise<void> {
    for (const { side, answer } of await this.each((each) => each.spawn(argv.map((word) => each.fill(word))))) {
      if (answer.code !== 0) throw new Error(`${side.name} did not start: ${answer.stderr}`);
    }
  }

  each<T>(run: (side: Side) => Promise<T>): Promise<{ side: Side; answer: T }[]> {
    return Promise.all(this.both.map(async (side) => ({ side, answer: await run(side) })));
  }

  async stop(): Promise<void> {
    await this.each((side) => side.stop());
    await removeFolder(this.#directory);
  }
}

export function runProgram(
  argv: readonly [string, ...string[]],
  { cwd, env, stdin = '' }: { cwd: string; env: Record<string, string>; stdin?: string },
): Promise<Answer> {
  const [file, ...args] = argv;
  const child = spawn(file, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
  return new Promise((done) => {
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(stdin);
    child.on('error', (error) => done({ code: -1, stdout, stderr: error.message }));
    child.on('close', (code) => done({ code: code ?? -1, stdout, stderr }));
  });
}

const WAIT_MS = 8000;

export async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + WAIT_MS;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`waited too long for ${what}`);
    await new Promise((next) => setTimeout(next, 15));
  }
}

function replaceAll(text: string, from: string, to: string): string {
  return text.split(from).join(to);
}

/** The repository's folder, for files that tests read. */
export const ROOT = resolve(import.meta.dirname, '../..');
