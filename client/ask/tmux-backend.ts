/**
 * Asks in real tmux: a choice is a display-menu where a menu can show it, all else a display-popup in which mplex draws
 * (popup.ts). Answers come back in files of a private directory. What a menu cannot do: it does not tell C-c from Escape,
 * digits do nothing, and nothing is armed.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Asker } from '../../protocol/dialog.ts';
import { MplexError } from '../../protocol/errors.ts';
import type { AskMeta, AskWatch, BackendReply, FlowBackend } from '../../src/flow/backend.ts';
import type { FlowAsk } from '../../src/flow/driver.ts';
import { PLEXER_FLOW_POLL } from '../../src/flow/flow-caps.ts';
import type { Environment } from '../server-socket.ts';
import { type DialogFiles, menuArgs, type PopupAsk, popupArgs, type TmuxClient } from './tmux-dialog.ts';

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
  readonly form: 'menu' | 'popup';
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
    try {
      const menu = ask.kind === 'choice' ? menuArgs(ask, client.size, files) : undefined;
      if (menu) return await this.#open(['display-menu', ...place, ...menu], { form: 'menu', client, files, watch });
      const asked: PopupAsk = { ask, asker: await this.#asker() };
      await writeFile(files.prompt, JSON.stringify(asked), { mode: 0o600 });
      const program = [process.execPath, popupProgram(), files.prompt, files.answer];
      const popup = popupArgs(asked, client.size, program);
      return await this.#open(['display-popup', ...place, ...popup], { form: 'popup', client, files, watch });
    } finally {
      await Promise.all(Object.values(files).map((path) => rm(path, { force: true })));
    }
  }

  /** The asking pane and what runs in it. */
  async #asker(): Promise<Asker> {
    const { TMUX_PANE: pane } = this.#options.env;
    if (!pane) return { pane: undefined, program: '', pid: undefined };
    const { stdout } = await this.#run(['display-message', '-p', '-t', pane, '#{pane_current_command}']);
    return { pane, program: stdout.trim(), pid: undefined };
  }

  /** Runs display-menu or display-popup, which last as long as what they show. */
  async #open(argv: readonly string[], { form, client, files, watch }: Dialog): Promise<Shown> {
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
      const reply = await this.#reply(form, files.answer, watch.signal);
      const meta = metaOf(client, shownAt);
      if (reply) return { ...reply, meta: { ...meta, ...reply.meta, client: client.name, tty: client.name } };
      if (watch.signal.aborted) return { kind: 'cancelled', by: 'asker' };
      if (finished.stderr !== '') throw new MplexError('no_client', `tmux: ${finished.stderr.trim()}`);
      // A popup's program that ended by itself has left a reply; of a menu only time tells.
      if (finished.code === 0 && (form === 'popup' || tookMs < REFUSED_MS)) return 'refused';
      if (form === 'popup' && finished.code <= SIGNALLED) {
        throw new MplexError('no_client', `tmux: the popup's program failed (${finished.code})`);
      }
      return { kind: 'cancelled', by: 'escape', meta };
    } finally {
      stop();
      watch.signal.removeEventListener('abort', takeAway);
    }
  }

  /** The reply that was left behind; undefined if there is none. */
  async #reply(form: Dialog['form'], path: string, signal: AbortSignal): Promise<BackendReply | undefined> {
    for (let waitedMs = 0; ; waitedMs += ANSWER_STEP_MS) {
      const text = await readFile(path, 'utf8').catch(() => undefined);
      if (text !== undefined) {
        // A popup's program is of this same build, and its file in a directory of this process alone.
        return form === 'menu' ? { kind: 'ok', value: Number(text) } : (JSON.parse(text) as BackendReply);
      }
      if (form === 'popup' || waitedMs >= ANSWER_WAIT_MS || signal.aborted) return undefined;
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

/** Exit codes above it tell of a signal: the popup was closed. */
const SIGNALLED = 128;

/** popup.js of this build. */
function popupProgram(): string {
  const path = join(import.meta.dirname, 'popup.js');
  if (!existsSync(path)) throw new MplexError('io', `can't find ${path}`);
  return path;
}

function metaOf({ name }: TmuxClient, shownAt: Date): AskMeta {
  return { client: name, tty: name, shown_at: shownAt.toISOString(), answered_at: new Date().toISOString() };
}
