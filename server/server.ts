/** Wires the server together: the one place that knows every part. Each part is handed what it needs and no more. */
import { hostname, userInfo } from 'node:os';
import { performance } from 'node:perf_hooks';
import { VERSION } from '../protocol/version.ts';
import { Calls } from './calls.ts';
import { Clients } from './clients.ts';
import { CommandQueue } from './command/command-queue.ts';
import { ENTRIES } from './command/entries/command-table.ts';
import type { Caller, ItemState, Queue, Services } from './command/entries/context.ts';
import { CommandLanguage } from './command/entries/language.ts';
import { CommandRunner } from './command/entries/runner.ts';
import { type ConfigLoader, createConfigLoader } from './config-loader.ts';
import { Connection } from './connection.ts';
import { openControlSocket } from './control-socket.ts';
import { AutoRename } from './auto-rename.ts';
import { Alerts } from './alerts.ts';
import { FlowDesk } from './flow-desk.ts';
import { FormatJobs } from './jobs/format-jobs.ts';
import { Hooks } from './jobs/hooks.ts';
import { startJob } from './jobs/job.ts';
import { procfsProbe } from './jobs/processes.ts';
import { DEFAULT_BINDINGS } from './keys/default-bindings.ts';
import { KeyTables } from './keys/key-table.ts';
import { type Listening, listenAt } from './listener.ts';
import type { Log } from './log.ts';
import type { ClientSession } from './model/client-session.ts';
import { Environ } from './model/environ.ts';
import { Lifecycle } from './model/lifecycle.ts';
import { Registry } from './model/registry.ts';
import { environmentDefaults, globalOptions } from './options/option-set.ts';
import { OverlayHost } from './overlay-host.ts';
import { defaultTerminal, processEnviron, type ServerPaths } from './pane-environ.ts';
import { PaneIo } from './pane-io.ts';
import { HostClient } from './pty-host/host-client.ts';
import { FrameScheduler } from './render/frame-scheduler.ts';
import { Router } from './router.ts';
import { createServices } from './services.ts';

/** The sockets are looked at this often, and put back when somebody removed them, ms. */
const SELF_CHECK_MS = 60_000;

export interface ServerOptions {
  /** The command and attach socket; the control socket is `<path>.ctl`, the pty host's `<path>.host`. */
  readonly socketPath: string;
  /** Config files given by -f. */
  readonly configs: readonly string[];
  readonly environ: Readonly<Record<string, string | undefined>>;
  readonly hostScript: string;
  readonly log: Log;
  readonly onExit: () => void;
}

export interface RunningServer {
  shutdown(): void;
  restoreSockets(): void;
}

/** Starts a server; rejects with SocketTaken when another one has the socket, or MplexError. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const server = new Server(options);
  await server.listen();
  return server;
}

const now = () => performance.now();
const nextTurn = (run: () => void) => {
  setImmediate(run);
};
const after = (delayMs: number, run: () => void) => {
  const timer = setTimeout(run, delayMs);
  return () => clearTimeout(timer);
};

class Server implements RunningServer {
  readonly #options: ServerOptions;
  readonly #paths: ServerPaths;
  readonly #registry: Registry;
  readonly #lifecycle: Lifecycle;
  readonly #keys = new KeyTables();
  readonly #overlays = new OverlayHost();
  readonly #scheduler: FrameScheduler;
  readonly #clients: Clients;
  readonly #router: Router;
  readonly #flows: FlowDesk;
  readonly #language: CommandLanguage;
  readonly #runner: CommandRunner;
  readonly #services: Services;
  readonly #calls: Calls;
  readonly #config: ConfigLoader;
  readonly #queues = new WeakMap<ClientSession, Queue>();
  #host: HostClient | undefined;
  #sockets: Listening[] = [];
  #isStopping = false;
  #stopSelfCheck = () => {};

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#paths = { socket: options.socketPath, control: `${options.socketPath}.ctl` };
    this.#registry = createRegistry(options.environ);
    const registry = this.#registry;
    const formatJobs = new FormatJobs({
      now,
      changed: () => registry.markAll(),
      start: (command, onOutput) => this.#services.startJob({ command, ...(onOutput ? { onOutput } : {}) }),
    });
    // TODO-LEAD wiring is completed below
    void formatJobs;
  }
}
