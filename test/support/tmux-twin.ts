/** The installed tmux and a ModelServer side by side: the same calls on both must answer the same. */
import { expect } from 'vitest';
import { ModelServer } from './model-server.ts';
import { TmuxReference } from './tmux-reference.ts';

export interface TwinCallOptions {
  readonly stdin?: string | Uint8Array;
  readonly cwd?: string;
}

export class TmuxTwin {
  readonly tmux: TmuxReference;
  readonly model: ModelServer;

  private constructor(tmux: TmuxReference, model: ModelServer) {
    this.tmux = tmux;
    this.model = model;
  }

  /** A session `one` on each; undefined (with a printed word) where there is no tmux 3.3a. */
  static async start(): Promise<TmuxTwin | undefined> {
    const tmux = TmuxReference.start(['-s', 'one', '-n', 'w', 'sleep 1000']);
    if (!tmux) return undefined;
    const model = new ModelServer({ environ: { HOME: process.env.HOME ?? '/' } });
    await model.run('new-session', '-d', '-s', 'one', '-n', 'w', 'sleep 1000');
    return new TmuxTwin(tmux, model);
  }

  /** Runs a call on both and compares exit code, output and error output. */
  async same(argv: readonly string[], options: TwinCallOptions = {}): Promise<void> {
    const wanted = this.tmux.call(argv, options);
    const answer = await this.model.call(argv, options);
    expect({ argv, ...answer }).toEqual({ argv, ...wanted });
  }

  /** Runs many calls; each is a line of words, those with blanks in single quotes. */
  async sameLines(script: string, options: TwinCallOptions = {}): Promise<void> {
    for (const line of script.split('\n')) {
      const words = wordsOf(line);
      if (words.length > 0) await this.same(words, options);
    }
  }

  stop(): void {
    this.tmux.stop();
  }
}

function wordsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2] ?? '');
}
