/**
 * Where questions meet clients: gives the flow queue its clients and their screens, and takes for it the keys that are
 * the person's own: the prefix key always works, and after it Enter arms a dialog, `h` hides it, `M` mutes its asker.
 */

import type { Asker } from '../../protocol/dialog.ts';
import type { InputEvent } from '../../protocol/key.ts';
import { parseFlowLimits } from '../../src/flow/flow.ts';
import { FlowQueue } from '../../src/flow/flow-queue.ts';
import type { FlowHost } from '../../src/flow/flow-stage.ts';
import type { SavedFlows } from '../../src/flow/saved-flow.ts';
import type { MplexFlowScreen } from '../../src/overlay/flow-screen.ts';
import type { PromptPlace } from '../../src/overlay/prompt.ts';
import type { OverlayHost } from '../clients/overlay-host.ts';
import type { ProcessProbe } from '../jobs/processes.ts';
import { type ClientOverlay, type ClientSession, isTaken } from '../model/client-session.ts';
import type { Pane } from '../model/pane.ts';
import type { Registry } from '../model/registry.ts';
import { statusLines } from '../model/window-size.ts';
import { randomId } from '../random-id.ts';
import { FlowAttention } from './flow-attention.ts';
import { FlowLog } from './flow-log.ts';

/** What may take a client away from the pane that it reads. */
const ENDS_READING: ReadonlySet<string> = new Set([
  'window-pane-changed',
  'session-window-changed',
  'client-session-changed',
]);

const ARM_KEY = 'Enter';
const HIDE_KEY = 'h';
const MUTE_KEY = 'M';

export interface FlowDeskContext {
  readonly registry: Registry;
  readonly overlays: OverlayHost;
  /** Has MPLEX_FLOW_MAX and MPLEX_FLOW_KEEP. */
  readonly environ: Readonly<Record<string, string | undefined>>;
  /** ms, monotonic. */
  readonly now: () => number;
  readonly after: (delayMs: number, run: () => void) => () => void;
  readonly processes: ProcessProbe;
  /** Types events at a client as if they came now. */
  readonly forward: (client: ClientSession, events: readonly InputEvent[]) => void;
  readonly showMessage: (client: ClientSession, text: string) => void;
  /** Stores the dialogs as they are now; called before any change of one is drawn. */
  readonly keep?: () => void;
}

export class FlowDesk {
  readonly queue: FlowQueue<ClientSession>;
  readonly #context: FlowDeskContext;
  readonly #attention: FlowAttention;
  readonly #log: FlowLog;
  readonly #shown = new Map<ClientSession, FlowOverlay>();
  /** Panes that clients read in a mode that was entered in front of a question: it waits until they are through. */
  readonly #reading = new WeakMap<ClientSession, Pane>();

  /** Throws MplexError for a bad MPLEX_FLOW_MAX or MPLEX_FLOW_KEEP. */
  constructor(context: FlowDeskContext) {
    this.#context = context;
    this.queue = new FlowQueue({
      host: this.#host(),
      clock: { now: context.now, wall: () => Date.now(), schedule: context.after },
      limits: parseFlowLimits(context.environ),
      newId: randomId,
    });
    this.#attention = new FlowAttention({
      registry: context.registry,
      queue: this.queue,
      clientsFor: (target) => this.#clientsFor(target),
      paneNamed: (name) => this.#paneNamed(name),
    });
    this.#log = new FlowLog({
      queue: this.queue,
      path: () => context.registry.serverOptions.string('flow-log'),
      wall: () => Date.now(),
      failed: (message) => context.registry.logMessage(message),
    });
    context.overlays.freed.subscribe(() => this.queue.clientsChanged());
    context.registry.events.subscribe(({ name, pane }) => {
      if (name === 'pane-mode-changed' && pane) this.#modeChanged(pane);
      else if (ENDS_READING.has(name)) this.queue.clientsChanged();
    });
  }

  takesKeys(client: ClientSession): boolean {
    return this.queue.takesKeys(client);
  }

  /** An event at a client with a dialog: the dialog's, or the panes' as if there were none. */
  input(client: ClientSession, event: InputEvent): 'consumed' | 'pass' {
    if (!this.queue.takesKeys(client)) return 'pass';
    if (event.kind === 'key' && this.#isPersons(client, event.key)) {
      this.queue.noteKey(client);
      return this.#afterPrefix(client, event.key);
    }
    return this.queue.key(client, event);
  }

  clientArrived(client: ClientSession): void {
    if (!client.readOnly) this.queue.clientsChanged();
    this.#attention.refresh();
  }

  clientLeft(client: ClientSession): void {
    this.#shown.delete(client);
    this.queue.clientGone(client);
    this.#attention.refresh();
  }

  /** Goes on with the questions of an earlier server. */
  restore(saved: SavedFlows): void {
    this.queue.restore(saved);
    // Those that wait for a client are shown nowhere: no event of the queue tells of them.
    this.#attention.refresh();
  }

  paneClosed(pane: Pane): void {
    this.queue.paneClosed(`%${pane.id}`);
  }

  close(): void {
    this.queue.close();
    this.#log.close();
  }

  /** Whether a key belongs to the person whatever is shown: the prefix, and what follows it. */
  #isPersons(client: ClientSession, key: string): boolean {
    if (client.keyTable !== undefined) return true;
    const options = client.session?.options;
    return key === options?.string('prefix') || key === options?.string('prefix2');
  }

  #afterPrefix(client: ClientSession, key: string): 'consumed' | 'pass' {
    if (client.keyTable !== 'prefix') return 'pass';
    const done =
      (key === ARM_KEY && this.queue.armNow(client)) ||
      (key === HIDE_KEY && this.queue.hide(client)) ||
      (key === MUTE_KEY && this.#mute(client));
    if (!done) return 'pass';
    client.keyTable = undefined;
    client.repeatUntil = 0;
    this.#context.registry.markClient(client);
    return 'consumed';
  }

  /** A pane enters or leaves a mode: its keys are for that now, and no question may take them. */
  #modeChanged(pane: Pane): void {
    for (const [client, overlay] of [...this.#shown]) {
      if (!pane.mode || client.session?.current.window.active !== pane) continue;
      this.#reading.set(client, pane);
      this.#context.overlays.close(client, overlay);
    }
    // The next time it is entered without a question there, it is in nobody's way.
    if (!pane.mode) {
      for (const client of this.#context.registry.clients) {
        if (this.#reading.get(client) === pane) this.#reading.delete(client);
      }
    }
    this.queue.clientsChanged();
  }

  #isReading(client: ClientSession): boolean {
    const pane = this.#reading.get(client);
    return pane?.mode !== undefined && client.session?.current.window.active === pane;
  }

  /** Mutes whoever asks at the client, and tells how that is taken back. */
  #mute(client: ClientSession): boolean {
    const before = this.queue.mutedPanes;
    if (!this.queue.mute(client)) return false;
    const muted = this.queue.mutedPanes.find((pane) => !before.includes(pane));
    this.#context.showMessage(
      client,
      `Muted ${muted ?? 'who asks from outside'} (flow-queue -u ${muted ?? "''"} undoes it)`,
    );
    return true;
  }

  #host(): FlowHost<ClientSession> {
    const { registry, overlays } = this.#context;
    return {
      clientsFor: (target) => this.#clientsFor(target),
      isBusy: (client) => (isTaken(client) && !(client.overlay instanceof FlowOverlay)) || this.#isReading(client),
      show: (client, screen) => this.#show(client, screen),
      hide: (client) => {
        const overlay = this.#shown.get(client);
        this.#shown.delete(client);
        if (overlay) overlays.close(client, overlay);
      },
      size: (client) => client.size,
      isPaneAlive: (pane) => this.#paneNamed(pane) !== undefined,
      nameOf: (client) => client.name,
      askerOf: (pane) => this.#askerOf(pane),
      armKeys: (client) => `${prefixOf(client)} ${ARM_KEY}`,
      hideKeys: (client) => `${prefixOf(client)} ${HIDE_KEY}`,
      promptPlace: (client) => promptPlace(client),
      forward: (client, events) => {
        if (registry.clients.has(client)) this.#context.forward(client, events);
      },
    };
  }

  #show(client: ClientSession, screen: MplexFlowScreen): void {
    // What a person has seen of his draft must not be lost with this process.
    this.#context.keep?.();
    const overlay = this.#shown.get(client);
    if (overlay) {
      overlay.screen = screen;
      this.#context.overlays.refresh(client);
      return;
    }
    const fresh = new FlowOverlay(screen, {
      painted: () => this.queue.painted(client),
      displaced: () => {
        if (this.#shown.get(client) !== fresh) return;
        this.#shown.delete(client);
        this.queue.clientGone(client);
      },
    });
    this.#shown.set(client, fresh);
    this.#context.overlays.open(client, fresh);
    // It may have been shown before, elsewhere: no event of the queue tells of this.
    this.#attention.refresh();
  }

  #clientsFor(target: { readonly pane: string | undefined; readonly client: string | undefined }): ClientSession[] {
    const writable = this.#context.registry
      .attachedClients()
      .filter((client) => !client.readOnly && !client.control && client.transport !== undefined);
    if (target.client !== undefined) return writable.filter((client) => client.name === target.client);
    if (target.pane === undefined) return writable;
    const window = this.#paneNamed(target.pane)?.window;
    return writable.filter((client) => window !== undefined && client.session?.find(window) !== undefined);
  }

  #paneNamed(name: string): Pane | undefined {
    const match = /^%(\d+)$/.exec(name);
    return match ? this.#context.registry.panes.get(Number(match[1])) : undefined;
  }

  #askerOf(name: string | undefined): Asker | undefined {
    if (name === undefined) return undefined;
    const pid = this.#paneNamed(name)?.pid;
    const program = pid === undefined ? undefined : this.#context.processes.foregroundProgram(pid);
    return { pane: name, program: program?.name ?? '', pid: program?.pid ?? pid };
  }
}

/** The picture of a flow on one client. Keys do not come this way: the router asks the desk first. */
class FlowOverlay implements ClientOverlay {
  readonly purpose = 'flow';
  /** The prefix key works while a question is up; what it opens takes its place, and it comes back behind that. */
  readonly givesWay = 'person';
  screen: MplexFlowScreen;
  readonly #links: { readonly painted: () => void; readonly displaced: () => void };

  constructor(screen: MplexFlowScreen, links: { readonly painted: () => void; readonly displaced: () => void }) {
    this.screen = screen;
    this.#links = links;
  }

  models(): readonly [MplexFlowScreen] {
    return [this.screen];
  }

  input(): 'pass' {
    return 'pass';
  }

  painted(): void {
    this.#links.painted();
  }

  close(): void {
    this.#links.displaced();
  }
}

function prefixOf(client: ClientSession): string {
  return client.session?.options.string('prefix') ?? 'C-b';
}

/** The row for text prompts: the status line's, or the bottom row when there is none. */
function promptPlace(client: ClientSession): PromptPlace {
  const { session } = client;
  const lines = session ? statusLines(session) : 0;
  if (session && lines > 0 && session.options.choice('status-position') === 'top') return { edge: 'top', line: 0 };
  return { edge: 'bottom', line: 0 };
}
