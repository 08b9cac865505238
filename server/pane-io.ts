/**
 * Joins a pane to the world: starts its program through the pty host, parses its output into its screen, and tells the
 * model what the program asked for (title, bell, clipboard) and how it ended.
 */
import type { Size } from '../protocol/geometry.ts';
import type { Log } from './log.ts';
import type { Lifecycle, PaneFactory, PaneRequest } from './model/lifecycle.ts';
import { Pane } from './model/pane.ts';
import type { Registry } from './model/registry.ts';
import { OptionSet } from './options/option-set.ts';
import { OutputPump } from './output-pump.ts';
import type { PtySpawner } from './pty-host/host-client.ts';
import type { ExitStatus } from './pty-host/host-protocol.ts';
import { Emulator } from './terminal/emulator.ts';

/** SIGWINCHs of one pane are at least this far apart, ms; the last size wins. */
export const RESIZE_INTERVAL_MS = 50;

export interface PaneIoContext {
  readonly registry: Registry;
  readonly spawner: PtySpawner;
  readonly log: Log;
  /** ms, monotonic. */
  readonly now: () => number;
  readonly after: (delayMs: number, run: () => void) => () => void;
  readonly nextTurn: (run: () => void) => void;
  readonly lifecycle: () => Lifecycle;
  /** The environment that a pane's program starts with. */
  readonly environOf: (request: PaneRequest) => Record<string, string>;
  readonly hostName: string;
  /** OSC 52 from a pane's program. */
  readonly clipboard: (pane: Pane, selection: string, text: string) => void;
  readonly bell: (pane: Pane) => void;
  /** What a dead pane shows (remain-on-exit-format), expanded. */
  readonly deadLine: (pane: Pane) => string;
}

export class PaneIo implements PaneFactory {
  readonly #context: PaneIoContext;
  readonly #pump: OutputPump;
  /** Exits that wait until the output before them is parsed. */
  readonly #exits = new Map<Pane, ExitStatus>();
  readonly #resizes = new Map<Pane, { last: number; pending: boolean }>();
  readonly #timeouts = new Map<Pane, () => void>();

  constructor(context: PaneIoContext) {
    this.#context = context;
    this.#pump = new OutputPump({
      now: context.now,
      nextTurn: context.nextTurn,
      parse: (pane, bytes) => this.#parse(pane, bytes),
      drained: (pane) => this.#drained(pane),
    });
  }

  /** A person typed into the pane: its output is parsed first. */
  favour(pane: Pane): void {
    this.#pump.favour(pane);
  }

  create(request: PaneRequest, size: Size): Pane {
    const options = new OptionSet(request.window.options);
    let pane: Pane | undefined;
    const of = (run: (pane: Pane) => void) => {
      if (pane) run(pane);
    };
    const emulator = new Emulator({
      size,
      scrollback: request.session.options.number('history-limit'),
      now: this.#context.now,
      handlers: {
        reply: (bytes) => of((self) => self.write(bytes)),
        bell: () => of((self) => this.#context.bell(self)),
        title: (title) => of((self) => this.#setTitle(self, title)),
        windowName: (name) => of((self) => this.#renameWindow(self, name)),
        cwd: (path) => of((self) => this.#setPath(self, path)),
        clipboard: (selection, text) => of((self) => this.#context.clipboard(self, selection, text)),
        failed: (error) => this.#context.log.error('pane output handler', error),
      },
    });
    pane = new Pane({
      id: request.id,
      window: request.window,
      options,
      emulator,
      command: request.command,
      title: this.#context.hostName,
    });
    pane.onResize = () => this.#resizeSoon(pane);
    if (!request.empty) this.#spawn(pane, request, size);
    else {
      pane.state = { kind: 'empty' };
      emulator.write(Buffer.from('\x1b[?25l'));
    }
    return pane;
  }

  respawn(pane: Pane, request: PaneRequest): void {
    pane.pty?.close();
    this.#forget(pane);
    pane.command = request.command;
    pane.state = { kind: 'starting' };
    // Only what scrolled off stays in the history; ED 1 erases what a reset would push there.
    pane.emulator.write(Buffer.from('\x1b[r\x1b[m\x1b[999;999H\x1b[1J'));
    pane.emulator.reset();
    this.#spawn(pane, request, pane.size);
    this.#context.registry.markPane(pane);
  }

  #spawn(pane: Pane, request: PaneRequest, size: Size): void {
    const { session, command } = request;
    const shell = session.options.string('default-shell');
    const argv = commandLine(command.argv, session.options.string('default-command'), shell);
    const pty = this.#context.spawner.spawn(
      { id: pane.id, argv, env: this.#context.environOf(request), cwd: command.cwd, size },
      {
        spawned: ({ pid, tty }) => {
          pane.state = { kind: 'running', pid, tty };
        },
        failed: (message) => {
          this.#pump.push(pane, Buffer.from(`${message}\r\n`));
          this.#ended(pane, { code: 1, signal: null });
        },
        data: (bytes) => this.#pump.push(pane, bytes),
        exit: (status) => this.#ended(pane, status),
      },
    );
    pane.pty = pty;
  }

  #parse(pane: Pane, bytes: Uint8Array): void {
    pane.outputTap?.(bytes);
    pane.emulator.write(bytes);
    pane.pty?.acknowledge(bytes.length);
    pane.window.activity = this.#context.registry.seconds();
    this.#expireLater(pane);
    this.#context.registry.outputs.emit(pane);
    this.#context.registry.markPane(pane);
  }

  /** Unfinished strings and forgotten synchronised updates end by themselves; the emulator says when to look again. */
  #expireLater(pane: Pane): void {
    if (this.#timeouts.has(pane)) return;
    const delay = pane.emulator.nextExpiry();
    if (delay === undefined) return;
    this.#timeouts.set(
      pane,
      this.#context.after(delay, () => {
        this.#timeouts.delete(pane);
        if (!this.#context.registry.panes.has(pane.id)) return;
        pane.emulator.expire();
        this.#context.registry.markPane(pane);
        this.#expireLater(pane);
      }),
    );
  }

  #ended(pane: Pane, status: ExitStatus): void {
    if (this.#pump.hasOutput(pane)) this.#exits.set(pane, status);
    else this.#finish(pane, status);
  }

  #drained(pane: Pane): void {
    const status = this.#exits.get(pane);
    if (!status) return;
    this.#exits.delete(pane);
    this.#finish(pane, status);
  }

  #finish(pane: Pane, status: ExitStatus): void {
    const { registry } = this.#context;
    if (!registry.panes.has(pane.id)) return;
    pane.pty?.close();
    pane.pty = undefined;
    pane.pipe?.close();
    pane.pipe = undefined;
    pane.lastExit = { status: status.code ?? undefined, signal: status.signal ?? undefined, time: registry.seconds() };
    const remain = pane.options.choice('remain-on-exit');
    if (remain === 'on' || (remain === 'failed' && (status.code !== 0 || status.signal !== null))) {
      pane.state = { kind: 'dead', ...pane.lastExit };
      pane.emulator.writeStatusLine(this.#context.deadLine(pane));
      registry.markPane(pane);
      registry.emit('pane-died', { pane, window: pane.window });
      return;
    }
    const { window } = pane;
    registry.emit('pane-exited', { pane, window });
    this.#forget(pane);
    this.#context.lifecycle().closePane(pane);
  }

  #forget(pane: Pane): void {
    this.#pump.forget(pane);
    this.#exits.delete(pane);
    this.#resizes.delete(pane);
    this.#timeouts.get(pane)?.();
    this.#timeouts.delete(pane);
  }

  #resizeSoon(pane: Pane): void {
    const now = this.#context.now();
    let state = this.#resizes.get(pane);
    if (!state) {
      state = { last: Number.NEGATIVE_INFINITY, pending: false };
      this.#resizes.set(pane, state);
    }
    if (state.pending) return;
    state.pending = true;
    const wait = Math.max(0, state.last + RESIZE_INTERVAL_MS - now);
    const apply = () => {
      state.pending = false;
      state.last = this.#context.now();
      pane.pty?.resize(pane.size);
    };
    if (wait === 0) this.#context.nextTurn(apply);
    else this.#context.after(wait, apply);
  }

  #setTitle(pane: Pane, title: string): void {
    if (pane.title === title) return;
    pane.title = title;
    this.#context.registry.emit('pane-title-changed', { pane, window: pane.window });
    this.#context.registry.markWindow(pane.window);
  }

  #renameWindow(pane: Pane, name: string): void {
    if (!pane.options.flag('allow-rename') || name === '') return;
    pane.window.options.setValue('automatic-rename', false);
    pane.window.name = name;
    this.#context.registry.emit('window-renamed', { window: pane.window });
    this.#context.registry.markWindow(pane.window);
  }

  #setPath(pane: Pane, path: string): void {
    pane.path = path;
  }
}

/** What is executed: nothing given → the default command or a login shell; one word → the shell; more → directly. */
export function commandLine(argv: readonly string[], defaultCommand: string, shell: string): string[] {
  const [first] = argv;
  if (argv.length > 1) return [...argv];
  const line = first === undefined || first === '' ? defaultCommand : first;
  if (line !== '') return [shell, '-c', line];
  return [shell, '-l'];
}
