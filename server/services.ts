/** What commands may do to the server: the implementation of `Services` over its parts. */
import type { Clients } from './clients/clients.ts';
import type { OverlayHost } from './clients/overlay-host.ts';
import { activePane, type Router } from './clients/router.ts';
import { CommandQueue } from './command/command-queue.ts';
import type { Entry, LostSessions, MouseState, Queue, Services } from './command/entries/context.ts';
import type { CommandRunner } from './command/entries/runner.ts';
import { PromptHistory } from './command/prompt-history.ts';
import { WaitChannels } from './command/wait-channels.ts';
import type { FlowDesk } from './flow/flow-desk.ts';
import type { Job, JobRequest } from './jobs/job.ts';
import { JobGate } from './jobs/job-gate.ts';
import type { KeyTables } from './keys/key-table.ts';
import { openViewMode } from './mode/view-mode.ts';
import type { ClientSession } from './model/client-session.ts';
import type { Lifecycle } from './model/lifecycle.ts';
import type { Registry } from './model/registry.ts';
import type { Session } from './model/session.ts';
import { statusLines } from './model/window-size.ts';
import type { PaneClipboard } from './panes/pane-clipboard.ts';
import type { PaneIo } from './panes/pane-io.ts';
import type { FrameScheduler } from './render/frame-scheduler.ts';
import { encodePaste } from './terminal/input-encoder.ts';

export interface ServiceParts {
  readonly registry: Registry;
  readonly lifecycle: Lifecycle;
  readonly panes: PaneIo;
  readonly keys: KeyTables;
  readonly overlays: OverlayHost;
  readonly flows: () => FlowDesk;
  readonly lostSessions: () => LostSessions;
  readonly entries: readonly Entry[];
  readonly scheduler: FrameScheduler;
  readonly clients: Clients;
  readonly router: () => Router;
  readonly runner: () => CommandRunner;
  readonly now: () => number;
  readonly after: (delayMs: number, run: () => void) => () => void;
  readonly clipboard: Pick<PaneClipboard, 'fetch'>;
  readonly startJob: (request: JobRequest) => Job;
  readonly jobEnviron: (session: Session | undefined) => Record<string, string>;
  readonly shutdown: () => void;
  readonly upgrade: (script: string | undefined) => void;
}

export function createServices(parts: ServiceParts): Services {
  const { registry, scheduler, clients } = parts;
  const queues = new WeakMap<ClientSession, Queue>();
  const jobs = new JobGate({ startJob: parts.startJob, after: parts.after, nextTurn: (run) => void setImmediate(run) });
  const newQueue = (): Queue => new CommandQueue(parts.runner());
  const services: Services = {
    registry,
    lifecycle: parts.lifecycle,
    panes: parts.panes,
    keys: parts.keys,
    overlays: parts.overlays,
    get flows() {
      return parts.flows();
    },
    get lostSessions() {
      return parts.lostSessions();
    },
    entries: parts.entries,
    promptHistory: new PromptHistory(),
    channels: new WaitChannels(),
    now: parts.now,
    after: parts.after,
    startJob: (request): Job => jobs.start(jobRequest(parts, request)),
    runningJobs: () => jobs.running,
    switchClient: (client, session) => clients.switchTo(client, session),
    detachClient: (client, how = {}) => {
      const session = client.session?.name ?? '';
      if (how.command !== undefined) {
        const shell = client.session?.options.string('default-shell') ?? '/bin/sh';
        client.send({ kind: 'exec', shell, command: how.command });
      }
      clients.detach(client, { kind: 'detached', session });
    },
    showMessage: (client, text, options) => showMessage(parts, client, text, options),
    showOutput: (client, text) => {
      const pane = activePane(client);
      if (pane) openViewMode({ services, pane, text });
    },
    queueOf: (client) => {
      let queue = queues.get(client);
      if (!queue) {
        queue = newQueue();
        queues.set(client, queue);
      }
      return queue;
    },
    newQueue,
    sendKey: (pane, key, client) => parts.router().sendKey(client, pane, key),
    typeKey: (client, key) => parts.router().input(client, [{ kind: 'key', key }]),
    sendMouse: (pane, mouse: MouseState, client) => {
      const { event, x, y } = mouse;
      if (pane.mode) pane.mode.mouse?.(event, { x, y, clientX: event.x, clientY: event.y }, client);
      else parts.router().sendMouse(undefined, pane, { ...event, x, y });
    },
    paste: (pane, text, { bracketed }) => {
      const modes = pane.emulator.modes;
      pane.write(bracketed ? encodePaste(text, modes) : text);
    },
    windowTop: (client) => windowTop(client),
    placeAt: (client, point) => scheduler.placeAt(client, point),
    fetchClipboard: (client) => parts.clipboard.fetch(client),
    redraw: (client) => scheduler.redrawAll(client),
    redrawStatus: (client) => scheduler.refreshStatus(client),
    shutdown: parts.shutdown,
    upgrade: parts.upgrade,
  };
  return services;
}

function jobRequest(parts: ServiceParts, request: Parameters<Services['startJob']>[0]): JobRequest {
  const { session, ...rest } = request;
  const options = session?.options ?? parts.registry.sessionOptions;
  return {
    shell: options.string('default-shell') || '/bin/sh',
    cwd: session?.cwd ?? '/',
    environ: parts.jobEnviron(session),
    ...rest,
  };
}

/** Rows above the window on the client's screen: the status lines, when they are at the top. */
function windowTop(client: ClientSession): number {
  const { session } = client;
  return session && session.options.choice('status-position') === 'top' ? statusLines(session) : 0;
}

function showMessage(
  parts: ServiceParts,
  client: ClientSession,
  text: string,
  { delayMs, ignoresKeys = false }: Parameters<Services['showMessage']>[2] = {},
): void {
  const delay = delayMs ?? client.session?.options.number('display-time') ?? 750;
  const message = { text, until: delay === 0 ? undefined : parts.now() + delay, ignoresKeys };
  client.message = message;
  parts.registry.logMessage(`${client.name} message: ${text}`);
  parts.registry.markClient(client);
  if (delay === 0) return;
  parts.after(delay, () => {
    if (client.message !== message) return;
    client.message = undefined;
    parts.registry.markClient(client);
  });
}
