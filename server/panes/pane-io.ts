/**
 * Joins a pane to the world: starts its program through the pty host, parses its output into its screen, and tells the
 * model what the program asked for (title, bell, clipboard) and how it ended.
 */
import type { Size } from '../../protocol/geometry.ts';
import { formatLine } from '../format/format-line.ts';
import type { FloatingHandlers, Lifecycle, PaneFactory, PaneRequest } from '../model/lifecycle.ts';
import { Pane, type PaneCommand, type PaneExit, type PaneInit } from '../model/pane.ts';
import type { Window } from '../model/window.ts';
import { OptionSet } from '../options/option-set.ts';
import type { Pty, PtyEvents, PtySpawner } from '../pty-host/host-client.ts';
import type { ExitStatus } from '../pty-host/host-protocol.ts';
import { OutputTrack, type TrackStart } from '../survival/output-track.ts';
import { Emulator } from '../terminal/emulator.ts';
import type { PackedTerminal } from '../terminal/emulator-state.ts';
import { beginBelow, writeLastRow, writeNote } from '../terminal/own-lines.ts';
import { HistoryTidier } from './history-tidier.ts';
import { hostTerminalOf } from './host-terminal.ts';
import { OutputPump } from './output-pump.ts';
import { PaneResizes } from './pane-resizes.ts';
import { type ProgramSays, programHandlers } from './program-says.ts';

/** So long after output of a hidden pane more of it may wait in the host, ms: twice the time that the host waits. */
const BEHIND_MS = 100;

/** DECTCEM off. */
const HIDE_CURSOR = Buffer.from('\x1b[?25l');
/** What names the pane in its program's environment: a popup's program is in none. */
const PANE_NAMES = ['MPLEX_PANE', 'TMUX_PANE'];

/** What PaneIo needs of the server. */
export interface PaneIoContext extends Omit<ProgramSays, 'floatingOf'> {
  readonly spawner: PtySpawner;
  /** ms, monotonic. */
  readonly now: () => number;
  readonly after: (delayMs: number, run: () => void) => () => void;
  readonly nextTurn: (run: () => void) => void;
  readonly lifecycle: () => Lifecycle;
  /** The environment that a pane's program starts with. */
  readonly environOf: (request: PaneRequest) => Record<string, string>;
  readonly hostName: string;
  /** The pane's history lost lines to history-bytes-limit. */
  readonly historyLimited?: (pane: Pane) => void;
  /** So many bytes of input were refused: as much as may wait for the program does. */
  readonly inputRefused?: (pane: Pane, bytes: number) => void;
  /** What a dead pane shows (remain-on-exit-format), expanded. */
  readonly deadLine: (pane: Pane) => string;
  /** Whether somebody sees the pane's output as it comes; if not, it may come a little later. */
  readonly isSeen?: (pane: Pane) => boolean;
  /** Output was parsed, up to this offset. */
  readonly parsed?: (pane: Pane) => void;
  /** A floating pane is gone; no event of the model tells of it. */
  readonly discarded?: (pane: Pane) => void;
  /** What a pane shows whose program was lost with the pty host; undefined if it goes as after any other exit. */
  readonly lostLine?: (pane: Pane) => string | undefined;
  /** What happened is to outlive this process before anything else happens. */
  readonly keep?: () => void;
}

/** A pane of an earlier server. */
export interface AdoptRequest {
  readonly id: number;
  readonly window: Window;
  readonly options: OptionSet;
  readonly command: PaneCommand;
  readonly title: string;
  readonly size: Size;
  readonly scrollback: number;
  readonly screen: PackedTerminal | undefined;
  readonly start: TrackStart;
  /** It is in no window: a popup's. */
  readonly floating?: FloatingHandlers | undefined;
  /** Takes the program over, if it is there. */
  readonly attach: ((events: PtyEvents) => Pty) | undefined;
}

export class PaneIo implements PaneFactory {
  readonly #context: PaneIoContext;
  readonly #pump: OutputPump;
  readonly #tidier: HistoryTidier;
  /** Exits that wait until the output before them is parsed. */
  readonly #exits = new Map<Pane, ExitStatus>();
  /** Panes whose program could not be started: they stay, with the reason on them, and can be respawned. */
  readonly #unstarted = new WeakSet<Pane>();
  readonly #resizes: PaneResizes;
  readonly #timeouts = new Map<Pane, () => void>();
  readonly #tracks = new WeakMap<Pane, OutputTrack>();
  readonly #floating = new Map<Pane, FloatingHandlers>();
  /** Panes with output on the screen from which nothing else has followed yet; true if some of it is live. */
  #untold = new Map<Pane, boolean>();
  #isTelling = false;
  /** Until then output of hidden panes may wait in the host, ms. */
  #behindUntil = Number.NEGATIVE_INFINITY;
  /** Callers that wait for it. */
  #catchingUp = 0;

  constructor(context: PaneIoContext) {
    this.#context = context;
    this.#resizes = new PaneResizes(context);
    this.#tidier = new HistoryTidier({
      now: context.now,
      after: context.after,
      nextTurn: context.nextTurn,
      limitBytes: () => context.registry.serverOptions.number('history-bytes-limit'),
    });
    this.#pump = new OutputPump({
      now: context.now,
      nextTurn: context.nextTurn,
      after: context.after,
      parse: (pane, bytes) => this.#parse(pane, bytes),
      drained: (pane) => this.#drained(pane),
    });
  }

  /** A person typed into the pane: its output is parsed first. */
  favour(pane: Pane): void {
    this.#pump.favour(pane);
  }

  /** Runs once everything that programs have printed by now is parsed; at once where nothing can be behind. */
  catchUp(run: () => void): void {
    this.#tellOutput();
    if (this.#catchingUp === 0 && this.#context.now() >= this.#behindUntil) {
      run();
      return;
    }
    this.#catchingUp++;
    this.#context.spawner.catchUp(() => {
      this.#catchingUp--;
      run();
    });
  }

  create(request: PaneRequest, size: Size): Pane {
    const pane = this.#freshPane(request, size);
    if (!request.empty) this.#spawn(pane, request, size);
    else {
      pane.state = { kind: 'empty' };
      pane.emulator.write(HIDE_CURSOR);
    }
    return pane;
  }

  #freshPane(request: PaneRequest, size: Size): Pane {
    return this.#newPane({
      ...request,
      options: new OptionSet(request.window.options),
      title: this.#context.hostName,
      size,
      scrollback: request.session.options.number('history-limit'),
      track: new OutputTrack(),
    });
  }

  /** Makes a pane of an earlier server again: its screen as it was stored, then the output from there on. */
  adopt(request: AdoptRequest): Pane {
    const pane = this.#newPane({ ...request, track: new OutputTrack(request.start) });
    if (request.screen) {
      pane.emulator.restore(request.screen);
      this.#tidier.printed(pane);
    }
    if (request.floating) this.#floating.set(pane, request.floating);
    pane.pty = request.attach?.(this.#eventsOf(pane));
    return pane;
  }

  /** Offset after the last byte of a pane's output that was parsed. */
  parsedTo(pane: Pane): number {
    return this.#tracks.get(pane)?.parsedTo ?? 0;
  }

  #newPane(init: Omit<PaneInit, 'emulator'> & { size: Size; scrollback: number; track: OutputTrack }): Pane {
    let pane: Pane | undefined;
    const of = (run: (pane: Pane, track: OutputTrack) => void) => {
      const track = pane && this.#tracks.get(pane);
      if (pane && track) run(pane, track);
    };
    const emulator = new Emulator({
      size: init.size,
      scrollback: init.scrollback,
      budget: this.#tidier.budget.share(() => of((self) => this.#context.historyLimited?.(self))),
      now: this.#context.now,
      host: () => (pane ? hostTerminalOf(this.#context.registry, pane) : {}),
      hasKittyKeys: () => this.#context.registry.serverOptions.flag('kitty-keys'),
      handlers: programHandlers(of, {
        ...this.#context,
        floatingOf: (self) => this.#floating.get(self),
      }),
    });
    const { id, window, options, command, title } = init;
    const created = new Pane({ id, window, options, emulator, command, title });
    pane = created;
    this.#tracks.set(created, init.track);
    created.onResize = () => this.#resizes.tellSoon(created);
    return created;
  }

  createFloating(request: PaneRequest, size: Size, handlers: FloatingHandlers): Pane {
    const pane = this.#freshPane(request, size);
    pane.rect = { x: 0, y: 0, width: size.cols, height: size.rows };
    this.#floating.set(pane, handlers);
    this.#spawn(pane, request, size);
    return pane;
  }

  discard(pane: Pane): void {
    this.#tellOutput();
    this.#floating.delete(pane);
    this.#context.discarded?.(pane);
    this.#forget(pane);
    pane.dispose();
  }

  settle(pane: Pane): void {
    this.#floating.delete(pane);
  }

  respawn(pane: Pane, request: PaneRequest): void {
    this.#tellOutput();
    pane.pty?.close();
    this.#forget(pane);
    while (pane.popMode());
    pane.command = request.command;
    pane.state = { kind: 'starting' };
    // Only what scrolled off stays in the history; ED 1 erases what a reset would push there.
    pane.emulator.write(Buffer.from('\x1b[r\x1b[m\x1b[999;999H\x1b[1J'));
    pane.emulator.reset();
    this.#spawn(pane, request, pane.size);
    this.#context.registry.markPane(pane);
  }

  /** Starts a program in a pane that has none, below what it shows; `note` is a line of ours between the two. */
  revive(pane: Pane, request: PaneRequest, note: string): void {
    this.#forget(pane);
    while (pane.popMode());
    pane.state = { kind: 'starting' };
    beginBelow(pane.emulator, note);
    this.#tidier.printed(pane);
    this.#spawn(pane, request, pane.size);
    this.#context.registry.markPane(pane);
  }

  #spawn(pane: Pane, request: PaneRequest, size: Size): void {
    const { session, command } = request;
    const shell = session.options.string('default-shell');
    const argv = commandLine(command.argv, session.options.string('default-command'), shell);
    const env = this.#context.environOf(request);
    if (this.#floating.has(pane)) for (const name of PANE_NAMES) delete env[name];
    this.#tracks.set(pane, new OutputTrack());
    this.#unstarted.delete(pane);
    pane.pty = this.#context.spawner.spawn(
      { id: pane.id, argv, env, cwd: command.cwd, size, retain: true },
      this.#eventsOf(pane),
    );
  }

  #eventsOf(pane: Pane): PtyEvents {
    return {
      spawned: ({ pid, tty }) => {
        pane.state = { kind: 'running', pid, tty };
      },
      failed: (message) => {
        this.#pump.push(pane, Buffer.from(`${message}\r\n`));
        this.#unstarted.add(pane);
        this.#ended(pane, { code: 1, signal: null });
      },
      data: (bytes) => {
        this.#pump.push(pane, bytes);
        if (this.#catchingUp > 0 && this.#isHidden(pane)) this.#pump.finish(pane);
      },
      exit: (status) => this.#ended(pane, status),
      inputFull: (refused) => this.#context.inputRefused?.(pane, refused),
    };
  }

  #parse(pane: Pane, bytes: Uint8Array): void {
    const track = this.#tracks.get(pane);
    if (!track) return;
    for (let at = 0; at < bytes.length; ) {
      const part = track.cut(bytes.subarray(at));
      at += part.length;
      const { isLive } = track;
      const { replies, announcements } = track.parse(part, (slice) => pane.emulator.write(slice));
      const input = pane.inputOff ? '' : replies;
      if (input !== '' || announcements.length > 0) pane.pty?.handled(track.parsedTo, input);
      for (const announce of announcements) announce();
      pane.pty?.acknowledge(part.length);
      if (isLive) this.#passOn(pane, part);
      this.#untold.set(pane, isLive || this.#untold.get(pane) === true);
    }
    this.#context.registry.markPane(pane);
    if (this.#isTelling) return;
    this.#isTelling = true;
    // Behind the drawing, which marking may have set for the same turn: an echo goes out first.
    this.#context.nextTurn(() => {
      this.#isTelling = false;
      this.#tellOutput();
    });
  }

  /** Who reads a pane's output gets it in its place among replies: what a command shows of it is not sent after that. */
  #passOn(pane: Pane, bytes: Uint8Array): void {
    if (this.#floating.has(pane)) return;
    pane.outputTap?.(bytes);
    this.#context.registry.bytes.emit({ pane, bytes });
  }

  /** All that follows from output but the picture and the bytes themselves. */
  #tellOutput(): void {
    const untold = this.#untold;
    this.#untold = new Map();
    for (const [pane, isLive] of untold) if (isLive && this.#tracks.has(pane)) this.#noteActivity(pane);
    for (const pane of untold.keys()) {
      if (!this.#tracks.has(pane)) continue;
      this.#context.parsed?.(pane);
      this.#expireLater(pane);
      this.#tidier.printed(pane);
      this.#pace(pane);
    }
  }

  #isHidden(pane: Pane): boolean {
    return this.#context.isSeen?.(pane) === false;
  }

  /** Tells the host whether the pane's output may take its time. */
  #pace(pane: Pane): void {
    const isHidden = this.#isHidden(pane);
    if (isHidden) this.#behindUntil = this.#context.now() + BEHIND_MS;
    pane.pty?.pace(isHidden);
  }

  #noteActivity(pane: Pane): void {
    // What a popup prints is no activity of the window that it was opened from.
    if (this.#floating.has(pane)) return;
    pane.window.activity = this.#context.registry.seconds();
    this.#context.registry.outputs.emit(pane);
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
        if (!this.#context.registry.panes.has(pane.id) && !this.#floating.has(pane)) return;
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
    this.#tellOutput();
    const { registry } = this.#context;
    const floating = this.#floating.get(pane);
    if (!floating && !registry.panes.has(pane.id)) return;
    const exit = { status: status.code ?? undefined, signal: status.signal ?? undefined, time: registry.seconds() };
    pane.lastExit = exit;
    if (floating) {
      closePty(pane);
      pane.state = { kind: 'dead', ...exit };
      registry.markPane(pane);
      floating.ended(exit);
      return;
    }
    const remains = this.#remains(pane, exit);
    closePty(pane);
    pane.pipe?.close();
    pane.pipe = undefined;
    if (remains) {
      registry.markPane(pane);
      registry.emit('pane-died', { pane, window: pane.window });
      return;
    }
    const { window } = pane;
    registry.emit('pane-exited', { pane, window });
    this.#forget(pane);
    if (window.panes.length === 1) this.#context.lifecycle().layoutChanged(window);
    this.#context.lifecycle().closePane(pane);
  }

  /** Whether the pane stays without its program; if so it is dead, and says why. */
  #remains(pane: Pane, exit: PaneExit): boolean {
    const remain = pane.options.choice('remain-on-exit');
    const hasFailed = exit.status !== 0 || exit.signal !== undefined;
    const isLost = exit.status === undefined && exit.signal === undefined;
    const lostLine = isLost ? this.#context.lostLine?.(pane) : undefined;
    const isUnstarted = this.#unstarted.has(pane);
    if (lostLine === undefined && !isUnstarted && remain !== 'on' && !(remain === 'failed' && hasFailed)) return false;
    pane.state = { kind: 'dead', ...exit };
    // The reason why it did not start says more, and would scroll away.
    if (lostLine !== undefined) writeNote(pane.emulator, lostLine);
    else if (!isUnstarted) this.#writeDeadLine(pane);
    // Once the host has forgotten the pane nobody else knows how it ended.
    this.#context.keep?.();
    return true;
  }

  /** Nothing moves for an empty remain-on-exit-format. */
  #writeDeadLine(pane: Pane): void {
    const text = this.#context.deadLine(pane);
    if (text === '') pane.emulator.write(HIDE_CURSOR);
    else writeLastRow(pane.emulator, formatLine(text, pane.size.cols));
  }

  #forget(pane: Pane): void {
    this.#pump.forget(pane);
    this.#tidier.forget(pane);
    this.#exits.delete(pane);
    this.#tracks.delete(pane);
    this.#timeouts.get(pane)?.();
    this.#timeouts.delete(pane);
  }
}

function closePty(pane: Pane): void {
  pane.pty?.close();
  pane.pty = undefined;
}

/** What is executed: nothing given → the default command or a login shell; one word → the shell; more → directly. */
function commandLine(argv: readonly string[], defaultCommand: string, shell: string): string[] {
  const [first] = argv;
  if (argv.length > 1) return [...argv];
  const line = first === undefined || first === '' ? defaultCommand : first;
  if (line !== '') return [shell, '-c', line];
  return [shell, '-l'];
}
