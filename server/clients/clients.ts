/** Attached clients: prepared by a command, bound to a connection, moved between sessions, detached with a reason. */
import { cleanText } from '../../protocol/clean-text.ts';
import { clampSize, sameSize } from '../../protocol/geometry.ts';
import type { CallerTerminal, ClientMessage, ExitReason, TerminalCapabilities } from '../../protocol/message.ts';
import type { AttachRequest } from '../command/entries/context.ts';
import type { AttachControl } from '../control-mode/control-mode.ts';
import { ClientSession } from '../model/client-session.ts';
import { Environ } from '../model/environ.ts';
import type { Registry } from '../model/registry.ts';
import type { Session } from '../model/session.ts';
import { fitWindows } from '../model/window-size.ts';
import { randomId } from '../random-id.ts';
import type { FrameScheduler } from '../render/frame-scheduler.ts';
import type { Connection } from './connection.ts';
import { expectTerminal } from './expected-terminal.ts';
import { IdleLocks } from './idle-locks.ts';
import type { OverlayHost } from './overlay-host.ts';
import { activePane, type Router } from './router.ts';
import { terminalChanges } from './terminal-changes.ts';

export interface ClientsContext {
  readonly registry: Registry;
  readonly overlays: OverlayHost;
  readonly scheduler: FrameScheduler;
  readonly router: () => Router;
  readonly after: (delayMs: number, run: () => void) => () => void;
  /** Whether a process runs, as far as the system tells. */
  readonly isRunning: (pid: number) => boolean;
  /** The client is there / is gone; dialogs look for another place. */
  readonly arrived: (client: ClientSession) => void;
  readonly left: (client: ClientSession) => void;
  /** The client's terminal told its clipboard. */
  readonly clipboardAnswered: (client: ClientSession, serial: number, text: string) => void;
}

export interface PrepareRequest extends AttachRequest {
  readonly terminal: CallerTerminal;
  readonly environ: readonly string[];
  readonly cwd: string;
  readonly pid: number;
}

/** Options that clients are told. */
const CLIENT_SETTINGS: ReadonlySet<string> = new Set(['escape-time', 'terminal-features', 'terminal-overrides']);

interface Prepared {
  readonly client: ClientSession;
  /** It was attached to an earlier server. */
  readonly isBack: boolean;
  readonly expire: () => void;
}

export class Clients {
  readonly #context: ClientsContext;
  readonly #prepared = new Map<string, Prepared>();
  readonly #byConnection = new Map<Connection, ClientSession>();
  /** The word by which a client attaches, and finds back after the server was lost. */
  readonly #tokens = new Map<ClientSession, string>();

  constructor(context: ClientsContext) {
    this.#context = context;
    new IdleLocks({ registry: context.registry, after: context.after });
    context.registry.serverOptions.onChange(({ name }) => {
      if (CLIENT_SETTINGS.has(name)) for (const client of context.registry.clients) this.#sendSettings(client);
    });
  }

  /** Makes the client of a terminal that will attach with the token; it counts as attached at once. */
  prepare(request: PrepareRequest): { token: string; client: ClientSession } {
    const { registry } = this.#context;
    const client = new ClientSession({
      name: cleanText(request.terminal.tty, { max: 256 }) || `client-${request.pid}`,
      pid: request.pid,
      size: clampSize(request.terminal.size),
      term: cleanText(request.terminal.term, { max: 256 }),
      environ: Environ.from(request.environ),
      cwd: request.cwd,
      readOnly: request.readOnly,
      ignoreSize: request.ignoreSize,
      created: registry.seconds(),
    });
    const token = randomId();
    this.#expect(token, client, false);
    this.#show(client, request.session, { fits: false });
    return { token, client };
  }

  /** A client in control mode, which is there at once. */
  attachControl(request: AttachControl): ClientSession {
    const { registry } = this.#context;
    const { call, control, session, transport } = request;
    const client = new ClientSession({
      name: `client-${call.pid}`,
      pid: call.pid,
      size: { cols: 80, rows: 24 },
      term: termOf(call.environ),
      environ: Environ.from(call.environ),
      cwd: call.cwd,
      readOnly: request.readOnly,
      ignoreSize: request.ignoreSize,
      created: registry.seconds(),
      control,
    });
    client.transport = transport;
    registry.clients.add(client);
    this.#show(client, session);
    registry.emit('client-session-changed', { client, session });
    registry.emit('client-attached', { client, session });
    return client;
  }

  /** Clients with the words by which they find back. */
  tokens(): Iterable<readonly [token: string, client: ClientSession]> {
    return [...this.#tokens].map(([client, token]) => [token, client] as const);
  }

  /** A client of an earlier server, with its session: it counts as attached, and is expected back with its token. */
  expectBack(token: string, client: ClientSession): void {
    this.#expect(token, client, true);
    if (client.session) client.session.attached += 1;
  }

  #expect(token: string, client: ClientSession, isBack: boolean): void {
    const { after, isRunning } = this.#context;
    const forget = () => {
      this.#prepared.delete(token);
      this.#remove(client);
    };
    const expire = expectTerminal({ pid: client.pid, isRunning, after, forget });
    this.#prepared.set(token, { client, isBack, expire });
    this.#tokens.set(client, token);
    this.#context.registry.clients.add(client);
  }

  /** A message from an attached client, or the one that attaches. */
  message(message: ClientMessage, connection: Connection): void {
    if (message.kind === 'attach') {
      this.#attach(message, connection);
      return;
    }
    const client = this.#byConnection.get(connection);
    if (!client) return;
    switch (message.kind) {
      case 'input':
        this.#context.router().input(client, message.events);
        return;
      case 'resize':
        this.#resize(client, message.size);
        return;
      case 'frame-ack':
        this.#context.scheduler.acknowledged(client, message.seq);
        return;
      case 'overlay-ack':
        this.#context.overlays.acknowledged(client, message.seq);
        return;
      case 'capabilities':
        this.#learn(client, message.capabilities);
        return;
      case 'clipboard-text':
        this.#context.clipboardAnswered(client, message.serial, message.text);
        return;
      case 'bye':
        this.detach(client, { kind: 'terminated' });
        return;
    }
  }

  closed(connection: Connection): void {
    const client = this.#byConnection.get(connection);
    this.#byConnection.delete(connection);
    if (client) this.#remove(client);
  }

  /** Moves a client to another session. */
  switchTo(client: ClientSession, session: Session): void {
    if (client.session === session) return;
    this.#hide(client);
    client.session = session;
    this.#context.registry.emit('client-session-changed', { client, session });
    this.#show(client, session);
  }

  /** Tells the client why, then lets it go. */
  detach(client: ClientSession, reason: ExitReason): void {
    client.send({ kind: 'exit', reason });
    client.transport?.close();
    this.#remove(client);
  }

  /** After a session is gone: its clients go to another (detach-on-destroy) or away. */
  sessionClosed(session: Session): void {
    for (const client of [...this.#context.registry.clients]) {
      if (client.lastSession === session) client.lastSession = undefined;
      if (client.session !== session) continue;
      const next = this.#sessionInstead(session);
      if (next) this.switchTo(client, next);
      else this.detach(client, { kind: 'exited' });
    }
  }

  #sessionInstead(closed: Session): Session | undefined {
    const policy = closed.options.choice('detach-on-destroy');
    if (policy === 'on') return undefined;
    const others = [...this.#context.registry.sessions.values()].filter(
      (session) => policy !== 'no-detached' || session.attached > 0,
    );
    return others.reduce<Session | undefined>(
      (best, next) => (!best || next.useOrder > best.useOrder ? next : best),
      undefined,
    );
  }

  #attach(message: Extract<ClientMessage, { kind: 'attach' }>, connection: Connection): void {
    const prepared = this.#prepared.get(message.token);
    if (!prepared?.client.session) {
      connection.send({ kind: 'exit', reason: { kind: 'exited' } });
      connection.end();
      return;
    }
    this.#prepared.delete(message.token);
    prepared.expire();
    const { client } = prepared;
    if (prepared.isBack) client.capabilities = message.capabilities;
    else this.#learn(client, message.capabilities);
    client.transport = { send: (out) => connection.send(out), close: () => connection.end() };
    this.#byConnection.set(connection, client);
    client.size = clampSize(message.size);
    this.#sendSettings(client);
    this.#context.scheduler.add(client);
    // A program that starts with its client says its first words about now: they do not wait for the next frame's time.
    const pane = activePane(client);
    if (pane) this.#context.scheduler.typed(client, pane);
    if (!prepared.isBack) {
      const { session } = client;
      this.#context.registry.emit('client-session-changed', { client, session });
      this.#context.registry.emit('client-attached', { client, session });
    }
    fitWindows(this.#context.registry);
    if (!prepared.isBack) this.#context.registry.emit('client-resized', { client, session: client.session });
    this.#context.arrived(client);
    if (!client.overlay) return;
    // The terminal may have another size than it had at the server before.
    client.overlay.resize?.(client.size);
    this.#context.overlays.refresh(client);
  }

  /** tmux's hooks client-dark-theme and client-light-theme are of later versions than 3.3a. */
  #learn(client: ClientSession, capabilities: TerminalCapabilities): void {
    const before = client.capabilities?.theme;
    client.capabilities = capabilities;
    const { theme } = capabilities;
    if (theme === undefined || theme === before) return;
    this.#context.registry.emit(`client-${theme}-theme`, { client, session: client.session });
    this.#context.registry.markClient(client);
  }

  #sendSettings(client: ClientSession): void {
    const { serverOptions } = this.#context.registry;
    const features = terminalChanges(serverOptions, client.term);
    client.send({ kind: 'settings', escapeTimeMs: serverOptions.number('escape-time'), features });
  }

  #resize(client: ClientSession, reported: { cols: number; rows: number }): void {
    const size = clampSize(reported);
    if (sameSize(size, client.size)) return;
    client.size = size;
    fitWindows(this.#context.registry);
    client.overlay?.resize?.(size);
    this.#context.scheduler.redrawAll(client);
    this.#context.registry.emit('client-resized', { client, session: client.session });
  }

  /** Windows are fitted later where the client's terminal is still to come. */
  #show(client: ClientSession, session: Session, { fits = true } = {}): void {
    client.session = session;
    client.keyTable = undefined;
    session.attached += 1;
    session.lastAttached = this.#context.registry.seconds();
    session.current.alerts.clear();
    this.#context.registry.touch(session, client);
    if (fits) fitWindows(this.#context.registry);
    this.#context.registry.markClient(client);
  }

  #hide(client: ClientSession): void {
    const { session } = client;
    if (!session) return;
    session.attached -= 1;
    client.lastSession = session;
    client.session = undefined;
  }

  #remove(client: ClientSession): void {
    const { registry } = this.#context;
    this.#tokens.delete(client);
    if (!registry.clients.delete(client)) return;
    const { session } = client;
    this.#hide(client);
    for (const [connection, other] of this.#byConnection) if (other === client) this.#byConnection.delete(connection);
    client.transport = undefined;
    this.#context.left(client);
    client.overlay?.close();
    client.overlay = undefined;
    this.#context.scheduler.remove(client);
    fitWindows(registry);
    registry.emit('client-detached', { client, session });
    if (session?.attached === 0 && session.options.flag('destroy-unattached'))
      registry.emit('destroy-unattached', { session });
  }
}

function termOf(environ: readonly string[]): string {
  const pair = environ.find((one) => one.startsWith('TERM='));
  return cleanText(pair?.slice('TERM='.length) ?? '', { max: 256 });
}
