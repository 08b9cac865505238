/** Wires the server together: the one place that knows every part. Each part is handed what it needs and no more. */

import type { Socket } from 'node:net';
import { hostname } from 'node:os';
import type { CommandCall } from '../protocol/message.ts';
import { VERSION } from '../protocol/version.ts';
import { Calls } from './clients/calls.ts';
import { Clients } from './clients/clients.ts';
import { Connection } from './clients/connection.ts';
import { HalfOpen } from './clients/half-open.ts';
import { keyCaller } from './clients/key-caller.ts';
import { warnOtherUser } from './clients/other-user.ts';
import { OverlayHost } from './clients/overlay-host.ts';
import { PrefixHints } from './clients/prefix-hints.ts';
import { Router } from './clients/router.ts';
import { logCallError } from './command/entries/command-log.ts';
import { ENTRIES } from './command/entries/command-table.ts';
import type { Services } from './command/entries/context.ts';
import { openConfirm } from './command/entries/prompt-overlay.ts';
import { saveHistory } from './command/history-file.ts';
import { ControlSocket } from './control/control-socket.ts';
import { runControlMode } from './control-mode/control-mode.ts';
import { ExitRules } from './exit-rules.ts';
import { FlowDesk } from './flow/flow-desk.ts';
import { checkHealth } from './health.ts';
import { FormatJobs } from './jobs/format-jobs.ts';
import { JobRunner } from './jobs/job-runner.ts';
import { ownerOf, procfsProbe } from './jobs/processes.ts';
import { SessionKeeper } from './journal/session-keeper.ts';
import { KeyTables } from './keys/key-table.ts';
import { Lifecycle } from './model/lifecycle.ts';
import type { ModelEvent, Registry } from './model/registry.ts';
import { startFollowers } from './model-followers.ts';
import { createOptionChecks } from './option-checks.ts';
import { AgentLinks } from './panes/agent-links.ts';
import { Alerts } from './panes/alerts.ts';
import { FocusTracker } from './panes/focus-tracker.ts';
import { PaneClipboard } from './panes/pane-clipboard.ts';
import { ProcessEnvirons, type ServerPaths, serverPaths } from './panes/pane-environ.ts';
import { PaneIo } from './panes/pane-io.ts';
import { PaneNotices } from './panes/pane-notices.ts';
import { HostClient } from './pty-host/host-client.ts';
import { HostRevival } from './pty-host/host-revival.ts';
import { FrameScheduler } from './render/frame-scheduler.ts';
import { Scene } from './render/scene.ts';
import { after, nextTurn, now } from './server-clock.ts';
import { ServerCommands } from './server-commands.ts';
import { ServerEnd } from './server-end.ts';
import { ServerFormats } from './server-formats.ts';
import type { RunningServer, ServerOptions } from './server-options.ts';
import { ServerSockets } from './server-sockets.ts';
import { createServices } from './services.ts';
import { createRegistry } from './start-state.ts';
import { createReopener } from './survival/reopen.ts';
import { Survival } from './survival/survival.ts';

/** Connections that have not said hello yet. */
const HALF_OPEN_MAX = 64;

/** Starts a server; rejects with SocketTaken when another one has the socket, or MplexError. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  // It connects once the socket is won: a host has one server, and the loser must not become it.
  const host = new HostClient({
    socketPath: `${options.socketPath}.host`,
    hostScript: options.hostScript,
    startedHost: options.startedHost,
    log: (message) => options.log.info(message),
    lost: () => server?.hostLost(),
    replaced: () => server?.hostReplaced(),
  });
  let server: Server | undefined;
  try {
    server = new Server(options, host);
    await server.listen();
    return server;
  } catch (error) {
    host.disconnect();
    throw error;
  }
}

class Server implements RunningServer {
  readonly #options: ServerOptions;
  readonly #host: HostClient;
  readonly #paths: ServerPaths;
  readonly #registry: Registry;
  readonly #formats: ServerFormats;
  readonly #agents: AgentLinks;
  readonly #environs: ProcessEnvirons;
  readonly #clipboard: PaneClipboard;
  readonly #panes: PaneIo;
  readonly #lifecycle: Lifecycle;
  readonly #keys = new KeyTables();
  readonly #overlays = new OverlayHost();
  readonly #scheduler: FrameScheduler;
  readonly #clients: Clients;
  readonly #router: Router;
  readonly #flows: FlowDesk;
  readonly #commands: ServerCommands;
  readonly #services: Services;
  readonly #calls: Calls;
  readonly #formatJobs: FormatJobs;
  readonly #alerts: Alerts;
  readonly #notices: PaneNotices;
  readonly #control: ControlSocket;
  readonly #survival: Survival;
  readonly #keeper: SessionKeeper;
  readonly #hostRevival: HostRevival;
  readonly #end: ServerEnd;
  readonly #exitRules: ExitRules;
  readonly #halfOpen = new HalfOpen(HALF_OPEN_MAX);
  readonly #sockets: ServerSockets;

  constructor(options: ServerOptions, host: HostClient) {
    this.#options = options;
    this.#host = host;
    this.#paths = serverPaths(options);
    this.#registry = createRegistry(
      options.environ,
      createOptionChecks(
        () => this.#commands.language,
        () => this.#commands.parseOptions(),
      ),
    );
    const registry = this.#registry;
    this.#sockets = new ServerSockets({ after, log: options.log, restoreHostSocket: () => host.restoreSocket() });
    this.#formats = new ServerFormats({ registry, socketPath: options.socketPath, jobs: () => this.#formatJobs });
    this.#scheduler = new FrameScheduler({
      registry,
      now,
      after,
      nextTurn,
      meanwhile: nextTurn,
      createScene: (client) =>
        new Scene(client, { registry, expand: (format, about) => this.#formats.expand(format, about) }),
      failed: (client, error) => options.log.error(`drawing for ${client.name}`, error),
    });
    this.#agents = new AgentLinks({ registry, socketPath: options.socketPath, log: options.log });
    this.#environs = new ProcessEnvirons({
      registry,
      paths: this.#paths,
      agentPath: (session, agent) => this.#agents.pathFor(session, agent),
      version: VERSION,
      pid: process.pid,
    });
    this.#clipboard = new PaneClipboard({ registry, after });
    this.#panes = this.#createPanes();
    this.#lifecycle = new Lifecycle(registry, this.#panes);
    this.#clients = this.#createClients();
    this.#services = this.#createServices();
    this.#formatJobs = new FormatJobs({
      now,
      changed: () => registry.markAll(),
      start: (command, onOutput) =>
        this.#services.startJob({ command, withoutInput: true, ...(onOutput ? { onOutput } : {}) }),
    });
    this.#flows = this.#createFlows();
    this.#router = this.#createRouter();
    new FocusTracker(registry);
    this.#commands = new ServerCommands({
      services: this.#services,
      formats: this.#formats,
      environ: options.environ,
      log: options.log,
      nextTurn,
      configLoaded: () => this.#keeper.resurrection.begin(),
    });
    this.#calls = this.#createCalls();
    this.#alerts = new Alerts({
      registry,
      now,
      after,
      showMessage: (client, text) => this.#services.showMessage(client, text),
    });
    this.#notices = new PaneNotices({ registry, after, mark: (pane) => this.#alerts.mark(pane) });
    startFollowers({ registry, formats: this.#formats, after });
    this.#control = this.#createControl();
    this.#keeper = this.#createKeeper();
    this.#survival = this.#createSurvival();
    this.#end = this.#createEnd();
    this.#hostRevival = new HostRevival({ host, now, after });
    this.#exitRules = new ExitRules({
      registry,
      after,
      nextTurn,
      isBusy: () => this.#calls.isBusy || !this.#commands.config.isReady,
      wakeWaiters: () => this.#services.channels.wakeAll(),
      shutdown: () => this.shutdown(),
    });
    registry.events.subscribe((event) => this.#modelChanged(event));
  }

  /** Takes the sockets, binds the default keys and loads the config. */
  async listen(): Promise<void> {
    await this.#sockets.listen(this.#paths.socket, (socket) => this.#accept(socket));
    if (this.#options.startedClient) this.#accept(this.#options.startedClient);
    this.#host.begin();
    this.#host.setRestartCommand(this.#options.restartCommand);
    this.#commands.bindDefaultKeys({ now, after });
    const isBack = (await this.#host.found) && (await this.#survival.takeOver());
    await this.#sockets.listen(this.#paths.control, (socket) => this.#control.accept(socket));
    this.#survival.start();
    this.#keeper.journal.start();
    this.#sockets.keepChecking();
    if (isBack) {
      this.#keeper.inherit(this.#survival.journalBefore);
      this.#commands.config.passOver();
    } else this.#commands.config.load(this.#options.configs);
    if (isBack || !this.#options.isAwaited) this.#exitRules.checkLater();
    this.#commands.config.whenReady(() => this.#exitRules.recheck());
  }

  #accept(socket: Socket): void {
    new Connection(socket, {
      version: VERSION,
      log: this.#options.log,
      after,
      halfOpen: this.#halfOpen,
      handler: {
        call: (call, connection) => this.#calls.run(call, connection),
        message: (message, connection) =>
          this.#commands.config.whenReady(() => this.#clients.message(message, connection)),
        closed: (connection) => this.#clients.closed(connection),
      },
    });
  }

  keepAll(): void {
    this.#survival.flush({ all: true });
  }

  #createSurvival(): Survival {
    return new Survival({
      registry: this.#registry,
      panes: this.#panes,
      clients: this.#clients,
      host: this.#host,
      keys: this.#keys,
      flows: this.#flows.queue,
      restoreFlows: (saved) => this.#flows.restore(saved),
      parsedTo: (pane) => this.#panes.parsedTo(pane),
      bindKeys: (bindings) => this.#commands.bindSavedKeys(bindings),
      silently: (run) => this.#commands.hooks.silently(run),
      ...createReopener(this.#commands.reopening),
      overlayChanges: this.#overlays.changed,
      closePane: (pane) => this.#lifecycle.closePane(pane),
      services: this.#services,
      journalName: this.#keeper.name,
      now,
      after,
      nextTurn,
    });
  }

  #createKeeper(): SessionKeeper {
    const { environ, socketPath, log } = this.#options;
    return new SessionKeeper({
      registry: this.#registry,
      panes: this.#panes,
      lifecycle: this.#lifecycle,
      overlays: this.#overlays,
      environ,
      socketPath,
      parsedTo: (pane) => this.#panes.parsedTo(pane),
      switchClient: (client, session) => this.#clients.switchTo(client, session),
      showMessage: (client, text) => this.#services.showMessage(client, text, { delayMs: NOTICE_MS }),
      started: new Date(),
      now,
      after,
      nextTurn,
      log,
    });
  }

  /** The pty host is gone, and the programs with it: another one is started, for what the panes run next. */
  hostLost(): void {
    if (!this.#end.hasBegun) this.#hostRevival.lost();
  }

  /** What the next server needs goes to the new host before a program does. */
  hostReplaced(): void {
    this.#host.setRestartCommand(this.#options.restartCommand);
    this.#survival.hostLost();
  }

  shutdown(options: { readonly keep?: boolean } = {}): void {
    this.#end.shutdown(options);
  }

  restoreSockets(): void {
    this.#sockets.restore();
  }

  #createClients(): Clients {
    return new Clients({
      registry: this.#registry,
      overlays: this.#overlays,
      scheduler: this.#scheduler,
      router: () => this.#router,
      after,
      isRunning: (pid) => ownerOf(pid) !== undefined,
      arrived: (client) => {
        this.#flows.clientArrived(client);
        this.#commands.config.showErrors(client);
        const { showMessage } = this.#services;
        warnOtherUser(client, { registry: this.#registry, uid: process.getuid?.(), ownerOf, showMessage });
        this.#keeper.resurrection.clientArrived(client);
      },
      left: (client) => this.#flows.clientLeft(client),
      clipboardAnswered: (client, serial, text) => this.#clipboard.answered(client, serial, text),
    });
  }

  #createServices(): Services {
    return createServices({
      registry: this.#registry,
      lifecycle: this.#lifecycle,
      panes: this.#panes,
      keys: this.#keys,
      overlays: this.#overlays,
      flows: () => this.#flows,
      lostSessions: () => this.#keeper.resurrection,
      entries: ENTRIES,
      scheduler: this.#scheduler,
      clients: this.#clients,
      router: () => this.#router,
      runner: () => this.#commands.runner,
      now,
      after,
      clipboard: this.#clipboard,
      startJob: new JobRunner(this.#options.jobProgram).start,
      jobEnviron: (session) => this.#environs.environOf({ session }),
      shutdown: () => this.shutdown(),
      upgrade: (script) => this.#end.handOver(script),
    });
  }

  #createFlows(): FlowDesk {
    return new FlowDesk({
      registry: this.#registry,
      overlays: this.#overlays,
      environ: this.#options.environ,
      now,
      after,
      processes: procfsProbe,
      forward: (client, events) => this.#router.input(client, events),
      showMessage: (client, text) => this.#services.showMessage(client, text),
      keep: () => this.#survival.keepFlows(),
    });
  }

  #createCalls(): Calls {
    return new Calls({
      language: this.#commands.language,
      newQueue: () => this.#services.newQueue(),
      logError: (message, state) => logCallError(this.#registry, message, state),
      parseOptions: this.#commands.parseOptions,
      prepareClient: (request) => this.#clients.prepare(request),
      control: (call, connection) => this.#runControl(call, connection),
      isReady: () => this.#commands.config.isReady,
      whenReady: (run) => this.#commands.config.whenReady(() => this.#panes.catchUp(run)),
      now: (run) => this.#panes.catchUp(run),
      pid: process.pid,
      hasSessions: () => this.#registry.sessions.size > 0,
      keep: () => this.#survival.flush(),
      whenKept: (run) => this.#host.whenTold(run),
      ended: () => this.#exitRules.callEnded(),
    });
  }

  #createControl(): ControlSocket {
    return new ControlSocket({
      flows: this.#flows,
      language: this.#commands.language,
      services: this.#services,
      parseOptions: this.#commands.parseOptions,
      catchUp: (run) => this.#panes.catchUp(run),
      checkHealth: () =>
        checkHealth({
          registry: this.#registry,
          log: this.#options.log,
          hostPid: this.#host.hostPid,
          journal: this.#keeper.journal.status,
          sockets: [this.#paths.socket, this.#paths.control],
          areIntact: this.#sockets.areIntact(),
        }),
      version: VERSION,
      log: this.#options.log,
    });
  }

  #createEnd(): ServerEnd {
    return new ServerEnd({
      host: this.#host,
      sockets: this.#sockets,
      restartCommand: this.#options.restartCommand,
      environ: this.#options.environ,
      keepAll: () => this.keepAll(),
      endJournal: (how) => this.#keeper.journal.end(how),
      close: () => {
        this.#services.channels.wakeAll();
        this.#calls.endAll();
        this.#flows.close();
        for (const client of [...this.#registry.clients]) this.#clients.detach(client, { kind: 'server-exited' });
        this.#formatJobs.close();
        this.#agents.removeAll();
        const unsaved = saveHistory(this.#services);
        if (unsaved !== undefined) this.#options.log.error(`history-file: ${unsaved}`);
      },
      after,
      onExit: this.#options.onExit,
    });
  }

  #createPanes(): PaneIo {
    const registry = this.#registry;
    return new PaneIo({
      registry,
      spawner: this.#host,
      log: this.#options.log,
      now,
      after,
      nextTurn,
      lifecycle: () => this.#lifecycle,
      environOf: ({ session, id, environ }) => this.#environs.environOf({ session, pane: id, extra: environ }),
      hostName: hostname(),
      bell: (pane) => this.#alerts.bell(pane),
      notify: (pane, notice) => this.#notices.notify(pane, notice),
      historyLimited: (pane) => this.#alerts.historyLimited(pane),
      inputRefused: (pane, bytes) => this.#alerts.inputRefused(pane, bytes),
      clipboard: this.#clipboard,
      isSeen: (pane) => pane.outputTap !== undefined || this.#scheduler.isShown(pane) || registry.hasControlClient,
      discarded: (pane) => this.#survival.discarded(pane),
      parsed: (pane) => {
        this.#survival.parsed(pane);
        this.#keeper.journal.parsed(pane);
      },
      lostLine: (pane) => this.#keeper.resurrection.lostLine(pane),
      keep: () => this.#survival.flush(),
      deadLine: (pane) =>
        this.#formats.expand(pane.options.string('remain-on-exit-format'), { pane, window: pane.window }),
    });
  }

  #runControl(call: CommandCall, connection: Connection): void {
    runControlMode(call, connection, {
      registry: this.#registry,
      language: this.#commands.language,
      newQueue: () => this.#services.newQueue(),
      parseOptions: this.#commands.parseOptions,
      expand: (format, about) => this.#formats.expand(format, about),
      attach: (request) => this.#clients.attachControl(request),
      detach: (client, reason) => this.#clients.detach(client, reason),
      now,
      after,
    });
  }

  #createRouter(): Router {
    const hints = new PrefixHints({ keys: this.#keys, overlays: this.#overlays, after });
    return new Router({
      registry: this.#registry,
      keys: this.#keys,
      flows: this.#flows,
      now,
      after,
      nextTurn,
      overlays: this.#overlays,
      queueOf: (client) => this.#services.queueOf(client),
      callerOf: (client) => keyCaller(client, { services: this.#services, nextTurn }),
      hitTest: (client, x, y) => this.#scheduler.placeAt(client, { x, y }),
      tableChanged: (client) => hints.follow(client),
      confirm: (client, question, yes) =>
        openConfirm(client, {
          question,
          services: this.#services,
          expand: (format, about) => this.#formats.expand(format, about ?? {}),
          yes,
        }),
      typed: (client, pane) => {
        this.#scheduler.typed(client, pane);
        this.#panes.favour(pane);
      },
    });
  }

  #modelChanged({ name, session, pane }: ModelEvent): void {
    if (name === 'session-closed' && session) this.#clients.sessionClosed(session);
    if (name === 'pane-closed' && pane) this.#flows.paneClosed(pane);
    if (name === 'destroy-unattached' && session) this.#lifecycle.closeSession(session);
  }
}

/** What is told once, and of what was lost, is shown so long, ms. */
const NOTICE_MS = 5000;
