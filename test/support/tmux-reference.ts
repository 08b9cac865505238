import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface TmuxOutput {
  readonly ok: boolean;
  readonly out: string;
}

/** A tmux of one's own, for comparison. Undefined (with a printed word) if none is installed. */
export class TmuxReference {
  readonly #name = `mplex-ref-${process.pid}-${Math.random().toString(36).slice(2, 8)}`;

  static start(
    sessionArgs: readonly string[] = ['sleep 1000'],
    env: Record<string, string> = {},
  ): TmuxReference | undefined {
    const version = spawnSync('tmux', ['-V'], { encoding: 'utf8' });
    if (version.status !== 0 || version.stdout.trim() !== 'tmux 3.3a') {
      console.log('no tmux 3.3a here: comparison left out');
      return undefined;
    }
    const reference = new TmuxReference();
    execFileSync('tmux', ['-L', reference.#name, '-f', '/dev/null', 'new-session', '-d', ...sessionArgs], {
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        TERM: 'xterm',
        SHELL: '/bin/sh',
        LC_ALL: 'C.UTF-8',
        ...env,
      },
    });
    return reference;
  }

  /** Output and error output of one call. */
  run(...argv: string[]): { out: string; code: number } {
    const result = spawnSync('tmux', ['-L', this.#name, ...argv], { encoding: 'utf8' });
    return { out: (result.stdout + result.stderr).replace(/\n$/, ''), code: result.status ?? 1 };
  }

  /** One call with its output and error output apart. */
  call(
    argv: readonly string[],
    { stdin = '', cwd = '/' }: { readonly stdin?: string | Uint8Array; readonly cwd?: string } = {},
  ): { code: number; stdout: string; stderr: string } {
    const { status, stdout, stderr } = spawnSync('tmux', ['-L', this.#name, ...argv], {
      encoding: 'utf8',
      input: stdin,
      cwd,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, TERM: 'xterm', LC_ALL: 'C.UTF-8' },
    });
    return { code: status ?? 1, stdout, stderr };
  }

  /** The outputs of many commands in order, from one control client. */
  async batch(commands: readonly (readonly string[])[]): Promise<TmuxOutput[]> {
    const client = spawn('tmux', ['-L', this.#name, '-C', 'attach', '-f', 'ignore-size,no-output'], {
      env: { PATH: process.env.PATH, TERM: 'xterm', LC_ALL: 'C.UTF-8' },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const blocks: TmuxOutput[] = [];
    let block: string[] | undefined;
    let attached = false;
    for await (const line of createInterface({ input: client.stdout })) {
      if (block === undefined) {
        if (line.startsWith('%begin ')) block = [];
        if (line.startsWith('%session-changed ') && !attached) {
          attached = true;
          blocks.length = 0;
          client.stdin.write(commands.map((argv) => `${argv.map(quoteForTmux).join(' ')}\n`).join(''));
        }
      } else if (/^%(end|error) \d+ \d+ \d+$/.test(line)) {
        blocks.push({ ok: line.startsWith('%end'), out: block.join('\n') });
        block = undefined;
      } else block.push(line);
      if (attached && blocks.length === commands.length) client.stdin.end();
    }
    return blocks;
  }

  /** A shell command that shows this tmux in a pane of another one. */
  attachCommand(): string {
    return `exec env -u TMUX TERM=tmux-256color tmux -u -L ${this.#name} attach`;
  }

  stop(): void {
    spawnSync('tmux', ['-L', this.#name, 'kill-server']);
  }
}

/** An argument as tmux's command parser reads it back, on one line. */
function quoteForTmux(text: string): string {
  const escaped = text.replace(/[\\"$~]/g, '\\$&').replace(/[\u0000-\u001f\u007f]/g, (character) => {
    return `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`;
  });
  return `"${escaped}"`;
}
