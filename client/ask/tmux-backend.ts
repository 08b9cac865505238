/**
 * Asks in real tmux: a choice is a display-menu, a text or message a display-popup with a small shell program. Answers
 * come back in files of a private directory. What tmux cannot do as mplex does: a menu starts at its first item whatever
 * the default, a text starts empty whatever `initial`, a menu does not tell C-c from Escape, nothing is armed.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MplexError } from '../../protocol/errors.ts';
import type { AskMeta, AskWatch, BackendReply, FlowBackend } from '../../src/flow/backend.ts';
import type { FlowAsk } from '../../src/flow/driver.ts';
import { PLEXER_FLOW_POLL } from '../../src/flow/flow-caps.ts';
import type { Environment } from '../connect.ts';
import { type DialogFiles, menuArgs, popupArgs, type TmuxClient } from './tmux-dialog.ts';

const POLL_MS = PLEXER_FLOW_POLL * 1000;
/** A menu's answer is written by a job that may end after the menu; looked for that long, in steps, ms. */
const ANSWER_WAIT_MS = 500;
const ANSWER_STEP_MS = 25;
/** A menu or popup that is gone sooner was never seen: something else is open there. ms. */
const REFUSED_MS = 100;

export interface TmuxBackendOptions {
  readonly env: Environment;
  readonly queue?: boolean;
  readonly waitClient?: boolean;
  readonly client?: string | undefined;
  /** ms, monotonic. */
  readonly now: () => number;
  readonly after: (delayMs: number, run: () => void) => () => void;
}

interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Dialog {
  readonly ask: FlowAsk;
  readonly client: TmuxClient;
  readonly files: DialogFiles;
  readonly watch: AskWatch;
}

/** How a menu or popup ended. */
type Shown = BackendReply | 'refused';

export class TmuxBackend implements FlowBackend {
  readonly name = 'tmux';
  readonly slackMs = 0;
  readonly #options: TmuxBackendOptions;
  readonly #directory: string;
  #count = 0;

  /** Makes the private directory. Throws MplexError 'no_client' if tmux does not answer. */
  static async open(options: TmuxBackendOptions): Promise<TmuxBackend> {
    // tmux's commands, formats and the shell read the path: only plain characters.
    const base = /^[A-Za-z0-9_./-]+$/.test(tmpdir()) ? tmpdir() : '/tmp';
    const backend = new TmuxBackend(options, await mkdtemp(join(base, 'mplex-flow-')));
    const { code, stderr } = await backend.#run(['display-message', '-p', '#{pid}']);
    if (code === 0) return backend;
    await backend.close();
    throw new MplexError('no_client', `tmux does not answer: ${stderr.trim()}`);
  }

  private constructor(options: TmuxBackendOptions, directory: string) {
    this.#options = options;
    this.#directory = directory;
  }

  async ask(ask: FlowAsk, watch: AskWatch): Promise<BackendReply> {
    for (;;) {
      const client = await this.#client(watch);
      if (!client) return { kind: 'cancelled', by: 'asker' };
      const shown = await this.#show(ask, client, watch);
      if (shown !== 'refused') return shown;
      if (!this.#options.queue) throw new MplexError('busy', 'the tmux client is busy with another menu or popup');
      watch.state('queued');
      await this.#pause(POLL_MS);
      if (watch.signal.aborted) return { kind: 'cancelled', by: 'asker' };
    }
  }

  async close(): Promise<void> {
    await rm(this.#directory, { recursive: true, force: true });
  }

  /** The client to ask at, waited for if the asker said so; undefined if he gave up meanwhile. */
  async #client(watch: AskWatch): Promise<TmuxClient | undefined> {
    for (;;) {
      const client = await this.#findClient();
      if (client) return client;
      if (!this.#options.waitClient) throw new MplexError('no_client', 'no tmux client shows this session');
      watch.state('waiting_client');
      await this.#pause(POLL_MS);
      if (watch.signal.aborted) return undefined;
    }
  }

  /** The most recently used writable client that shows the caller's session. */
  async #findClient(): Promise<TmuxClient | undefined> {
    const { env, client: named } = this.#options;
    const target = env.TMUX_PANE === undefined ? [] : ['-t', env.TMUX_PANE];
    const { stdout: session } = await this.#run(['display-message', '-p', ...target, '#{session_id}']);
    const format =
      '#{client_readonly}#{client_control_mode} #{client_activity} #{client_width} #{client_height} #{client_name}';
    const { stdout } = await this.#run(['list-clients', '-t', session.trim(), '-F', format]);
    const clients = stdout.split('\n').flatMap((line) => {
      const [flags, activity = '', cols = '', rows = '', ...name] = line.split(' ');
      if (flags !== '00') return [];
      return [{ activity: Number(activity), size: { cols: Number(cols), rows: Number(rows) }, name: name.join(' ') }];
    });
    clients.sort((a, b) => b.activity - a.activity);
    return clients.find(({ name }) => named === undefined || name === named);
  }

  async #show(ask: FlowAsk, client: TmuxClient, watch: AskWatch): Promise<Shown> {
    const base = join(this.#directory, `tai-flow-${++this.#count}`);
    const files = { prompt: `${base}.prompt`, answer: `${base}.answer` };
    const { TMUX_PANE: pane } = this.#options.env;
    const place = ['-c', client.name, ...(pane ? ['-t', pane] : [])];
    const dialog = { ask, client, files, watch };
    try {
      if (ask.kind === 'choice') {
        return await this.#open(['display-menu', ...place, ...menuArgs(ask, client.size, files)], dialog);
      }
      const popup = popupArgs(ask, client.size, files);
      await writeFile(files.prompt, popup.prompt, { mode: 0o600 });
      return await this.#open(['display-popup', ...place, ...popup.args], dialog);
    } finally {
      await Promise.all(Object.values(files).map((path) => rm(path, { force: true })));
    }
  }

  /** Runs display-menu or display-popup, which last as long as what they show. */
  async #open(argv: readonly string[], { ask, client, files, watch }: Dialog): Promise<Shown> {
    const { now } = this.#options;
    const shownAt = new Date();
    const started = now();
    const end = this.#run(argv);
    let isOver = false;
    void end.then(() => {
      isOver = true;
    });
    // It is up unless tmux refuses it at once.
    const stop = this.#options.after(REFUSED_MS, () => {
      if (!isOver) watch.state('shown');
    });
    const takeAway = () => void this.#run(['display-popup', '-C', '-c', client.name]);
    watch.signal.addEventListener('abort', takeAway, { once: true });
    try {
      const finished = await end;
      const tookMs = now() - started;
      const value = await this.#answer(ask, files.answer, watch.signal);
      const meta = metaOf(client, shownAt);
      if (value !== undefined) return { kind: 'ok', value, meta };
      if (watch.signal.aborted) return { kind: 'cancelled', by: 'asker' };
      if (finished.stderr !== '') throw new MplexError('no_client', `tmux: ${finished.stderr.trim()}`);
      // A popup's program says by its exit code that it was dismissed; of a menu only time tells.
      if (finished.code === 0 && (ask.kind !== 'choice' || tookMs < REFUSED_MS)) return 'refused';
      return { kind: 'cancelled', by: finished.code === SIGQUIT ? 'interrupt' : 'escape', meta };
    } finally {
      stop();
      watch.signal.removeEventListener('abort', takeAway);
    }
  }

  /** The answer that was left behind; undefined if there is none. */
  async #answer(ask: FlowAsk, path: string, signal: AbortSignal): Promise<number | string | null | undefined> {
    for (let waitedMs = 0; ; waitedMs += ANSWER_STEP_MS) {
      const text = await readFile(path, 'utf8').catch(() => undefined);
      if (text !== undefined) return ask.kind === 'choice' ? Number(text) : ask.kind === 'text' ? text : null;
      if (ask.kind !== 'choice' || waitedMs >= ANSWER_WAIT_MS || signal.aborted) return undefined;
      await this.#pause(ANSWER_STEP_MS);
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#options.after(ms, resolve));
  }

  #run(argv: readonly string[]): Promise<Finished> {
    return new Promise((resolve) => {
      const child = spawn('tmux', argv, { env: this.#options.env, stdio: ['ignore', 'pipe', 'pipe'] });
      let stdout = '';
      let stderr = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        stdout += text;
      });
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        stderr += text;
      });
      child.on('error', (error) => resolve({ code: 127, stdout, stderr: error.message }));
      child.on('close', (code) => resolve({ code: code ?? 1, stdout, stderr }));
    });
  }
}

/** The exit code of a popup whose program C-c ended. */
const SIGQUIT = 3;

function metaOf({ name }: TmuxClient, shownAt: Date): AskMeta {
  return { client: name, tty: name, shown_at: shownAt.toISOString(), answered_at: new Date().toISOString() };
}
