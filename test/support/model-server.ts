import { randomUUID } from 'node:crypto';
/**
 * The server's model and commands without sockets, ptys or a real clock: a command line runs on it as a call, and what it
 * printed comes back. Programs are played by `ptys.of(paneId).emitData(…)`; what commands ask of the rest of the server
 * is written down in `asked`.
 */
import { resolve } from 'node:path';
import type { Size } from '../../protocol/geometry.ts';
import type { ServerMessage } from '../../protocol/message.ts';
import { OverlayHost } from '../../server/clients/overlay-host.ts';
import { CommandQueue } from '../../server/command/command-queue.ts';
import { callerOf } from '../../server/command/entries/caller.ts';
import { ENTRIES } from '../../server/command/entries/command-table.ts';
import type { Caller, Entry, ItemState, MouseState, Queue, Services } from '../../server/command/entries/context.ts';
import { CommandLanguage } from '../../server/command/entries/language.ts';
import { CommandRunner } from '../../server/command/entries/runner.ts';
import type { ParseOptions } from '../../server/command/parser.ts';
import { PromptHistory } from '../../server/command/prompt-history.ts';
import { WaitChannels } from '../../server/command/wait-channels.ts';
import { expandFormat } from '../../server/format/format-expand.ts';
import { type FormatContext, formatSource } from '../../server/format/format-variables.ts';
import { Hooks } from '../../server/hooks.ts';
import { startJob } from '../../server/jobs/job.ts';
import { JobGate } from '../../server/jobs/job-gate.ts';
import { KeyTables } from '../../server/keys/key-table.ts';
import type { Log } from '../../server/log.ts';
import { ClientSession } from '../../server/model/client-session.ts';
import { Environ } from '../../server/model/environ.ts';
import { Lifecycle } from '../../server/model/lifecycle.ts';
import type { Pane } from '../../server/model/pane.ts';
import { Registry } from '../../server/model/registry.ts';
import type { Session } from '../../server/model/session.ts';
import { fitWindows } from '../../server/model/window-size.ts';
import { createOptionChecks } from '../../server/option-checks.ts';
import { OptionEffects } from '../../server/option-effects.ts';
import { environmentDefaults, globalOptions } from '../../server/options/option-set.ts';
import type { OptionChecks } from '../../server/options/option-value.ts';
import { PaneIo } from '../../server/panes/pane-io.ts';
import { bindDefaultKeys } from '../../server/start-keys.ts';
import { FlowQueue } from '../../src/flow/flow-queue.ts';
import { FakePtySpawner } from './fake-pty.ts';
import { ManualClock } from './manual-delay.ts';

export interface CallResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ModelServerOptions {
  /** Working directory of calls. */
  readonly cwd?: string;
  /** Environment of the server and of calls. */
  readonly environ?: Readonly<Record<string, string>>;
  /** Without, no default keys are bound. */
  readonly defaultKeys?: boolean;
  /** Rows in place of the whole table. */
  readonly entries?: readonly Entry[];
}

/** What a command asked of the server's other parts. */
export type Asked =
  | {
      readonly kind: 'message';
      readonly client: ClientSession;
      readonly text: string;
      readonly delayMs?: number | undefined;
      readonly ignoresKeys?: boolean | undefined;
    }
  | { readonly kind: 'output'; readonly client: ClientSession; readonly text: string }
  | { readonly kind: 'key'; readonly pane: Pane; readonly key: string }
  | { readonly kind: 'typed'; readonly client: ClientSession; readonly key: string }
  | { readonly kind: 'mouse'; readonly pane: Pane; readonly mouse: MouseState }
  | { readonly kind: 'paste'; readonly pane: Pane; readonly text: string; readonly bracketed: boolean }
  | { readonly kind: 'detach'; readonly client: ClientSession; readonly command: string | undefined }
  | { readonly kind: 'redraw'; readonly client: ClientSession }
  | { readonly kind: 'redraw-status'; readonly client: ClientSession }
  | { readonly kind: 'shutdown' };

const SILENT_LOG: Log = { info: () => {}, error: () => {} };
const ENVIRON = { HOME: '/home/user', SHELL: '/bin/sh', PATH: '/usr/bin:/bin', TERM: 'xterm' };

export class ModelServer {
  readonly clock = new ManualClock();
  readonly ptys = new FakePtySpawner({ autoSpawn: true });
  readonly keys = new KeyTables();
  readonly overlays = new OverlayHost();
  readonly registry: Registry;
  readonly lifecycle: Lifecycle;
  readonly panes: PaneIo;
  readonly language: CommandLanguage;
  readonly runner: CommandRunner;
  readonly services: Services;
  /** Oldest first. */
  readonly asked: Asked[] = [];
  /** Messages sent to each attached client. */
  readonly sent = new Map<ClientSession, ServerMessage[]>();
  /** Mistakes in the default keys: commands that the table does not have. */
  readonly keyErrors: string[] = [];
  cwd: string;
  readonly #environ: Readonly<Record<string, string>>;
  readonly #hooks: Hooks;
  readonly #jobs = new JobGate({ startJob, after: (ms, run) => this.clock.delay(ms, run), nextTurn: (run) => run() });
  readonly #queues = new Map<ClientSession, Queue>();
  #clientCount = 0;

  constructor(options: ModelServerOptions = {}) {
    this.cwd = options.cwd ?? '/';
    this.#environ = { ...ENVIRON, ...options.environ };
    const entries = options.entries ?? ENTRIES;
    this.registry = createRegistry(this.#environ, {
      now: () => this.seconds,
      checks: createOptionChecks(
        () => this.language,
        () => this.#parseOptions(undefined),
      ),
    });
    const { registry } = this;
    this.panes = this.#createPanes();
    this.lifecycle = new Lifecycle(registry, this.panes);
    this.services = this.#createServices(entries);
    this.language = new CommandLanguage(registry, entries);
    this.runner = this.#createRunner();
    this.#hooks = new Hooks({
      services: this.services,
      language: this.language,
      log: SILENT_LOG,
      parseOptions: (state) => this.#parseOptions(state),
      nextTurn: queueMicrotask,
    });
    new OptionEffects(registry);
    if (options.defaultKeys ?? true) {
      bindDefaultKeys({
        services: this.services,
        language: this.language,
        parseOptions: (state) => this.#parseOptions(state),
        failed: (message) => this.keyErrors.push(message),
      });
    }
  }

  /** Seconds since the epoch by the manual clock. */
  get seconds(): number {
    return 1_700_000_000 + this.clock.now / 1000;
  }

  /** Runs a command line as `mplex …` would, given as words. */
  async run(...argv: string[]): Promise<CallResult> {
    return this.call(argv);
  }

  /** Runs a call with standard input, from a pane, in a directory. */
  async call(
    argv: readonly string[],
    about: {
      readonly stdin?: string | Uint8Array;
      readonly pane?: Pane;
      readonly cwd?: string;
      readonly client?: ClientSession;
      readonly mouse?: MouseState;
    } = {},
  ): Promise<CallResult> {
    let [code, stdout, stderr] = [0, '', ''];
    const environ = { ...this.#environ, ...(about.pane ? { TMUX_PANE: `%${about.pane.id}` } : {}) };
    const fail = (message: string) => {
      code = 1;
      stderr += `${message}\n`;
    };
    const caller: Caller = {
      kind: 'call',
      cwd: about.cwd ?? this.cwd,
      environ: environOf(environ),
      callerEnviron: Object.entries(environ).map(([name, value]) => `${name}=${value}`),
      terminal: undefined,
      pid: 1,
      print: (text) => {
        stdout += text;
      },
      error: fail,
      setExitCode: (value) => {
        code = value;
      },
      attach: undefined,
      readStdin: () => Promise.resolve(Buffer.from(about.stdin ?? '')),
    };
    const state = stateOf(caller, { client: about.client, mouse: about.mouse });
    const parsed = this.language.parseArgv(argv, this.#parseOptions(state));
    if (!parsed.ok) {
      fail(parsed.error);
      return { code, stdout, stderr };
    }
    const queue = this.services.newQueue();
    queue.append(parsed.commands, state);
    await new Promise<void>((done) => queue.whenIdle(done));
    return { code, stdout, stderr };
  }

  /** Runs commands as a key binding of a client does: output and errors become `asked`. */
  async press(client: ClientSession, text: string): Promise<void> {
    const caller = callerOf('client', {
      environ: client.environ,
      pid: client.pid,
      print: (output) => this.services.showOutput(client, output),
      error: (message) => this.services.showMessage(client, message),
    });
    const state = stateOf(caller, { client });
    const parsed = this.language.parse(text, this.#parseOptions(state));
    if (!parsed.ok) throw new Error(parsed.error);
    const queue = this.services.queueOf(client);
    queue.append(parsed.commands, state);
    await new Promise<void>((done) => queue.whenIdle(done));
  }

  /** A client that shows a session. */
  addClient(session: Session = this.session(), size: Size = { cols: 80, rows: 24 }): ClientSession {
    this.#clientCount += 1;
    const client = new ClientSession({
      name: `/dev/pts/${100 + this.#clientCount}`,
      pid: 5000 + this.#clientCount,
      size,
      term: 'xterm-256color',
      environ: environOf(this.#environ),
      cwd: '/',
      readOnly: false,
      ignoreSize: false,
      created: Math.floor(this.seconds),
    });
    const messages: ServerMessage[] = [];
    this.sent.set(client, messages);
    client.transport = { send: (message) => messages.push(message), close: () => {} };
    client.session = session;
    session.attached += 1;
    this.registry.clients.add(client);
    this.registry.touch(session, client);
    fitWindows(this.registry);
    return client;
  }

  /** The session of a name, or the only one. */
  session(name?: string): Session {
    const session = name === undefined ? [...this.registry.sessions.values()][0] : this.registry.sessionNamed(name);
    if (!session) throw new Error(`no session ${name ?? ''}`);
    return session;
  }

  /** The active pane of the current window. */
  pane(session: Session = this.session()): Pane {
    return session.current.window.active;
  }

  expand(format: string, about: Partial<FormatContext> = {}): string {
    return expandFormat(format, formatSource(this.#formatContext(about)), { time: true });
  }

  #createPanes(): PaneIo {
    return new PaneIo({
      registry: this.registry,
      spawner: this.ptys,
      log: SILENT_LOG,
      now: () => this.clock.now,
      after: this.clock.delay,
      nextTurn: (run) => queueMicrotask(run),
      lifecycle: () => this.lifecycle,
      environOf: () => ({}),
      hostName: 'host',
      clipboard: { write: () => {}, answerFromBuffer: () => undefined, request: () => {} },
      bell: () => {},
      deadLine: (pane) => this.expand(pane.options.string('remain-on-exit-format'), { pane }),
    });
  }

  /** A queue of questions that no client can be shown. */
  #createFlows(): FlowQueue<ClientSession> {
    return new FlowQueue<ClientSession>({
      clock: { now: () => this.clock.now, wall: () => 0, schedule: this.clock.delay },
      limits: { max: 16, keepS: 300 },
      newId: randomUUID,
      host: {
        nameOf: ({ name }) => name,
        clientsFor: () => [],
        isBusy: () => false,
        show: () => {},
        hide: () => {},
        size: (client) => client.size,
        isPaneAlive: () => true,
        askerOf: () => undefined,
        armKeys: () => 'C-b Enter',
        hideKeys: () => 'C-b h',
        promptPlace: () => ({ edge: 'bottom', line: 0 }),
        forward: () => {},
      },
    });
  }

  #createServices(entries: readonly Entry[]): Services {
    const ask = (asked: Asked) => {
      this.asked.push(asked);
    };
    return {
      registry: this.registry,
      lifecycle: this.lifecycle,
      panes: this.panes,
      keys: this.keys,
      overlays: this.overlays,
      flows: { queue: this.#createFlows() },
      lostSessions: {
        list: async () => [],
        bringBack: async () => 'no lost sessions',
        forget: async () => 0,
        ask: async () => false,
      },
      entries,
      promptHistory: new PromptHistory(),
      channels: new WaitChannels(),
      now: () => this.clock.now,
      after: this.clock.delay,
      startJob: ({ session: _session, ...request }) =>
        this.#jobs.start({ shell: '/bin/sh', cwd: this.cwd, environ: this.#environ, ...request }),
      runningJobs: () => this.#jobs.running,
      switchClient: (client, session) => {
        client.lastSession = client.session;
        client.session = session;
        this.registry.touch(session, client);
      },
      detachClient: (client, how) => {
        ask({ kind: 'detach', client, command: how?.command });
        this.registry.clients.delete(client);
        client.session = undefined;
      },
      showMessage: (client, text, options) =>
        ask({ kind: 'message', client, text, delayMs: options?.delayMs, ignoresKeys: options?.ignoresKeys }),
      showOutput: (client, text) => ask({ kind: 'output', client, text }),
      queueOf: (client) => {
        const queue = this.#queues.get(client) ?? new CommandQueue(this.runner);
        this.#queues.set(client, queue);
        return queue;
      },
      newQueue: () => new CommandQueue(this.runner),
      sendKey: (pane, key) => ask({ kind: 'key', pane, key }),
      typeKey: (client, key) => ask({ kind: 'typed', client, key }),
      sendMouse: (pane, mouse) => ask({ kind: 'mouse', pane, mouse }),
      paste: (pane, text, { bracketed }) => ask({ kind: 'paste', pane, text, bracketed }),
      windowTop: () => 0,
      placeAt: () => undefined,
      fetchClipboard: () => false,
      redraw: (client) => ask({ kind: 'redraw', client }),
      redrawStatus: (client) => ask({ kind: 'redraw-status', client }),
      shutdown: () => ask({ kind: 'shutdown' }),
      upgrade: () => {},
    };
  }

  #createRunner(): CommandRunner {
    return new CommandRunner({
      services: this.services,
      language: this.language,
      log: {
        info: () => {},
        error: (message, error) => {
          throw new Error(message, { cause: error });
        },
      },
      parseOptions: (state) => this.#parseOptions(state),
      formatContext: (about) => this.#formatContext(about),
      afterCommand: (entry, { current, client }) =>
        this.#hooks.fire({
          name: `after-${entry.name}`,
          session: current.session,
          window: current.winlink?.window,
          pane: current.pane,
          client,
        }),
      commandError: ({ state }) => this.#hooks.fire({ name: 'command-error', client: state.client }),
    });
  }

  #parseOptions(state: ItemState | undefined): ParseOptions {
    return {
      environ: (name) => this.registry.environ.get(name)?.value,
      expandFormat: (format) => this.expand(format, { client: state?.client, session: state?.current?.session }),
      home: this.#environ.HOME,
      assign: ({ name, value, hidden }) => this.registry.environ.set(name, value, hidden),
    };
  }

  #formatContext(about: Partial<FormatContext>): FormatContext {
    return {
      registry: this.registry,
      now: new Date(this.seconds * 1000),
      version: '0.0.0',
      pid: 4242,
      socketPath: resolve('/tmp/mplex-0/default'),
      host: 'host',
      processes: { foregroundCommand: () => 'sh', workingDirectory: () => '/' },
      ...about,
    };
  }
}

function stateOf(
  caller: Caller,
  about: { client?: ClientSession | undefined; mouse?: MouseState | undefined },
): ItemState {
  return {
    caller,
    client: about.client,
    current: undefined,
    mouse: about.mouse,
    isHook: false,
    variables: undefined,
  };
}

function environOf(environ: Readonly<Record<string, string>>): Environ {
  return Environ.from(Object.entries(environ).map(([name, value]) => `${name}=${value}`));
}

function createRegistry(
  environ: Readonly<Record<string, string>>,
  { now, checks }: { readonly now: () => number; readonly checks: OptionChecks },
): Registry {
  const overrides = environmentDefaults(environ, environ.SHELL ?? '/bin/sh');
  return new Registry({
    environ: environOf(environ),
    now,
    options: {
      server: globalOptions('server', { overrides, checks }),
      session: globalOptions('session', { overrides, checks }),
      window: globalOptions('window', { overrides, checks }),
    },
  });
}
