/** What a client of the installed tmux shows: an inner tmux runs in a pane of an outer one, which is captured. */
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { Size } from '../../protocol/geometry.ts';

/** One cell as `capture-pane -e` tells it: text, and the SGR parameters in force. */
export interface ScreenCell {
  readonly text: string;
  readonly sgr: string;
}

export function hasTmux(): boolean {
  return spawnSync('tmux', ['-V'], { encoding: 'utf8' }).stdout?.trim() === 'tmux 3.3a';
}

export class TmuxScreen {
  readonly #name = `mplex-test-${randomBytes(6).toString('hex')}`;

  /** Starts a session `s` with one window `w` that runs cat, and a client of that size. */
  constructor(size: Size) {
    this.run('new-session', '-d', '-s', 's', '-n', 'w', '-x', String(size.cols), '-y', String(size.rows), 'cat');
    this.run('set', '-g', 'default-command', 'cat');
    this.run('set', '-g', 'automatic-rename', 'off');
    const attach = `exec env -u TMUX tmux -u -L ${this.#name}-in attach -t s`;
    this.#tmux('out', ['new-session', '-d', '-s', 'o', '-x', String(size.cols), '-y', String(size.rows), attach]);
    this.#tmux('out', ['set', '-g', 'status', 'off']);
    this.#tmux('out', ['resize-window', '-t', 'o', '-x', String(size.cols), '-y', String(size.rows)]);
    this.waitFor(
      () => this.run('list-clients', '-F', '#{client_width}x#{client_height}') === `${size.cols}x${size.rows}\n`,
    );
  }

  /** Runs a command on the inner server and returns what it prints. */
  run(...argv: string[]): string {
    return this.#tmux('in', argv);
  }

  /** Starts a command that waits for a person (a menu, a popup). */
  show(...argv: string[]): void {
    const words = ['-u', '-L', `${this.#name}-in`, ...argv];
    spawn('tmux', words, { stdio: 'ignore', env: { ...process.env, LC_ALL: 'C.UTF-8', TMUX: '' } }).unref();
  }

  /** Types into the client by tmux's names of keys. */
  type(...keys: string[]): void {
    this.#tmux('out', ['send-keys', '-t', 'o', ...keys]);
  }

  /** The client's screen when two captures in a row agree. */
  rows(): string[] {
    let last = '';
    let same = 0;
    this.waitFor(() => {
      const now = this.#tmux('out', ['capture-pane', '-p', '-e', '-N', '-t', 'o']);
      same = now === last ? same + 1 : 0;
      last = now;
      return same >= 3;
    });
    return last.replace(/\n$/, '').split('\n');
  }

  waitFor(condition: () => boolean): void {
    const end = Date.now() + 10_000;
    while (!condition()) {
      if (Date.now() > end) throw new Error('tmux did not get there in 10 s');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 40);
    }
  }

  dispose(): void {
    this.#tmux('in', ['kill-server']);
    this.#tmux('out', ['kill-server']);
  }

  #tmux(which: 'in' | 'out', argv: string[]): string {
    const env = { ...process.env, LC_ALL: 'C.UTF-8', TMUX: '', SHELL: '/bin/sh', HOME: '/' };
    const result = spawnSync('tmux', ['-u', '-L', `${this.#name}-${which}`, '-f', '/dev/null', ...argv], {
      encoding: 'utf8',
      env,
    });
    return result.stdout + result.stderr;
  }
}

/** Takes rows of `capture-pane -e` apart; the SGR state goes on from row to row and is written as tmux left it, `31;7`. */
export function parseRows(rows: readonly string[], cols: number): ScreenCell[][] {
  let state = new Map<string, string>();
  return rows.map((row) => {
    const cells: ScreenCell[] = [];
    for (const part of row.matchAll(/\x1b\[([\d;:]*)m|[^\x1b]/gu)) {
      if (part[0].startsWith('\x1b')) state = applySgr(state, part[1] ?? '');
      else cells.push({ text: part[0], sgr: [...state.values()].sort().join(';') });
    }
    while (cells.length < cols) cells.push({ text: ' ', sgr: '' });
    return cells;
  });
}

function applySgr(state: Map<string, string>, parameters: string): Map<string, string> {
  const next = new Map(state);
  for (const parameter of parameters === '' ? ['0'] : parameters.split(';')) {
    if (parameter === '0') next.clear();
    else if (/^(3|9)\d$/.test(parameter)) next.set('fg', parameter);
    else if (/^(4|10)\d$/.test(parameter)) next.set('bg', parameter);
    else next.set(parameter, parameter);
    if (parameter === '39') next.delete('fg');
    if (parameter === '49') next.delete('bg');
  }
  return next;
}
