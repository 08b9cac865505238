/**
 * Asks on the caller's own terminal where there is no multiplexer: the same queue, dialogs and keys as in the server,
 * with one client, drawn on a screen of its own (/dev/tty; standard input and output are left alone).
 */
import { randomUUID } from 'node:crypto';
import { openSync, readlinkSync } from 'node:fs';
import { ReadStream, WriteStream } from 'node:tty';
import type { Asker } from '../../protocol/dialog.ts';
import { MplexError } from '../../protocol/errors.ts';
import type { Frame } from '../../protocol/frame.ts';
import { blankFrame } from '../../protocol/frame.ts';
import type { InputEvent } from '../../protocol/key.ts';
import { plainEvent } from '../../protocol/legacy-key.ts';
import type { AskWatch, BackendReply, FlowBackend } from '../../src/flow/backend.ts';
import type { FlowAsk } from '../../src/flow/driver.ts';
import { FlowQueue } from '../../src/flow/flow-queue.ts';
import type { FlowHost } from '../../src/flow/flow-stage.ts';
import { composite } from '../../src/overlay/composite.ts';
import type { MplexFlowScreen } from '../../src/overlay/flow-screen.ts';
import { removeColors } from '../../src/overlay/monochrome.ts';
import { BOTTOM_ROW } from '../../src/overlay/prompt.ts';
import { render } from '../attach/renderer.ts';
import type { Environment } from '../server-socket.ts';
import { CapabilityProbe } from '../terminal/capabilities.ts';
import { InputParser, type ParsedInput } from '../terminal/input-parser.ts';
import type { TerminalInputStream, TerminalOutputStream, TtyProcess } from '../terminal/tty.ts';
import { Tty } from '../terminal/tty.ts';

/** The queue keeps the time; this is for its last reply, ms. */
const SLACK_MS = 1000;
/** A lone Escape is one after this, ms. */
const ESCAPE_MS = 50;
/** Longest delay of a Node timer, ms. */
const TIMER_MAX_MS = 2_147_483_647;

export interface TtyBackendOptions {
  readonly env: Environment;
  /** Who asks, for the dialog's frame; by default this process. */
  readonly asker?: Asker;
  /** ms, monotonic. */
  readonly now: () => number;
  readonly after: (delayMs: number, run: () => void) => () => void;
}

interface Terminal {
  /** Path of the device. */
  readonly name: string;
  readonly stdin: TerminalInputStream;
  readonly stdout: TerminalOutputStream;
  readonly process: TtyProcess;
  /** Lets go of the device. */
  close(): void;
}

/** The only client of the queue. */
interface Seat {
  readonly name: string;
}

export class TtyBackend implements FlowBackend {
  readonly name = 'tty';
  readonly slackMs = SLACK_MS;
  readonly #options: TtyBackendOptions;
  readonly #terminal: Terminal;
  readonly #seat: Seat;
  readonly #tty: Tty;
  readonly #parser = new InputParser();
  readonly #probe: CapabilityProbe;
  readonly #queue: FlowQueue<Seat>;
  #screen: MplexFlowScreen | undefined;
  #shown: Frame | undefined;
  #isWriting = false;
  #stopFlushTimer = () => {};
  #before: string | undefined;
  /** Ends the pending ask from this side. */
  #end: (reply: BackendReply | MplexError) => void = () => {};
  #isLost = false;

  /** Opens the controlling terminal. Throws MplexError 'no_client' if there is none that can be drawn on. */
  static open(options: TtyBackendOptions): TtyBackend {
    const { TERM: term = '' } = options.env;
    if (term === '' || term === 'dumb') throw noTerminal(`TERM is ${term === '' ? 'not set' : term}`);
    return new TtyBackend(options, openControllingTerminal());
  }

  constructor(options: TtyBackendOptions, terminal: Terminal) {
    this.#options = options;
    this.#terminal = terminal;
    this.#seat = { name: terminal.name };
    this.#parser.escapeMs = ESCAPE_MS;
    this.#probe = new CapabilityProbe({ env: options.env });
    this.#tty = new Tty({
      stdin: terminal.stdin,
      stdout: terminal.stdout,
      term: options.env.TERM ?? '',
      process: terminal.process,
      after: options.after,
      hooks: {
        onInput: (bytes) => this.#dispatch(this.#parser.feed(bytes, options.now())),
        onResize: () => this.#redraw(),
        onLost: () => this.#lose(),
        onTerminate: () => this.#end({ kind: 'cancelled', by: 'asker' }),
        onSuspendRequest: () =>
          this.#tty.suspend(() => {
            this.#tty.enter();
            this.#redraw();
          }),
      },
    });
    this.#queue = new FlowQueue<Seat>({
      host: this.#host(),
      clock: { now: options.now, wall: () => Date.now(), schedule: options.after },
      // The asker is this very process: nothing is reclaimed from under it.
      limits: { max: 2, keepS: TIMER_MAX_MS / 1000 },
      newId: randomUUID,
    });
  }

  ask(ask: FlowAsk, watch: AskWatch): Promise<BackendReply> {
    if (this.#isLost) return Promise.reject(noTerminal('it hung up'));
    const { timeoutS, at: _at, ...shown } = ask;
    return new Promise((resolve, reject) => {
      const end = (reply: BackendReply | MplexError) => {
        leave();
        this.#end = () => {};
        if (reply instanceof MplexError) reject(reply);
        else resolve(reply);
      };
      this.#end = end;
      const leave = this.#queue.subscribe(({ kind }) => {
        if (kind === 'shown') watch.state('shown');
      });
      this.#tty.enter();
      const after = this.#before === undefined ? {} : { after: this.#before };
      const flow = this.#queue.show({ ...shown, ...after, timeout: timeoutS, meta: true });
      this.#before = flow;
      watch.signal.addEventListener('abort', () => this.#queue.cancel(flow), { once: true });
      this.#queue.result(flow, { ms: TIMER_MAX_MS }, (result) => {
        if (!result.done) return;
        const meta = result.meta && { meta: result.meta };
        if (result.outcome === 'ok') end({ kind: 'ok', value: result.value, ...meta });
        else if (result.outcome === 'timeout') end({ kind: 'timeout', ...meta });
        else end({ kind: 'cancelled', by: result.by, ...meta });
      });
    });
  }

  async close(): Promise<void> {
    this.#queue.close();
    this.#stopFlushTimer();
    this.#tty.dispose();
    this.#terminal.close();
  }

  #host(): FlowHost<Seat> {
    return {
      clientsFor: () => (this.#isLost ? [] : [this.#seat]),
      isBusy: () => false,
      show: (_seat, screen) => {
        this.#screen = screen;
        this.#paint();
      },
      hide: () => {
        this.#screen = undefined;
        this.#paint();
      },
      size: () => this.#tty.size,
      isPaneAlive: () => true,
      nameOf: ({ name }) => name,
      askerOf: () => this.#options.asker ?? { pane: undefined, program: 'mplex ask', pid: this.#terminal.process.pid },
      armKeys: () => '',
      hideKeys: () => '',
      promptPlace: () => BOTTOM_ROW,
      // Nobody else reads this terminal: what was typed for nothing is dropped.
      forward: () => {},
    };
  }

  #dispatch({ events }: Pick<ParsedInput, 'events'>): void {
    for (const event of events) this.#event(event);
    this.#stopFlushTimer();
    const { deadline } = this.#parser;
    if (deadline === undefined) return;
    const delayMs = Math.max(0, Math.ceil(deadline - this.#options.now()));
    this.#stopFlushTimer = this.#options.after(delayMs, () => this.#dispatch(this.#parser.flush(this.#options.now())));
  }

  /** Keys before a dialog is armed are dropped, except for the one that stops programs. */
  #event(told: InputEvent): void {
    const event = plainEvent(told);
    if (!event) return;
    const isTaken = this.#queue.key(this.#seat, event) === 'consumed';
    if (isTaken || event.kind !== 'key' || event.key !== 'C-c') return;
    const before = this.#before;
    this.#end({ kind: 'cancelled', by: 'interrupt' });
    if (before !== undefined) this.#queue.cancel(before);
  }

  #redraw(): void {
    this.#shown = undefined;
    this.#paint();
  }

  /** Draws the newest picture, now or when the write under way is done. */
  #paint(): void {
    if (this.#isWriting || this.#isLost) return;
    const size = this.#tty.size;
    const drawn = this.#screen;
    const wanted = composite(blankFrame(size), drawn ? [drawn] : []);
    if (this.#options.env.NO_COLOR) removeColors(wanted);
    const text = render(this.#shown, wanted, this.#probe.capabilities);
    this.#shown = wanted;
    const done = () => {
      this.#isWriting = false;
      if (this.#screen !== drawn) this.#paint();
      else if (drawn) this.#queue.painted(this.#seat);
    };
    if (text === '') {
      done();
      return;
    }
    this.#isWriting = true;
    this.#tty.write(text, done);
  }

  #lose(): void {
    this.#isLost = true;
    this.#end(noTerminal('it hung up'));
  }
}

function noTerminal(reason: string): MplexError {
  return new MplexError('no_client', `no terminal to ask on: ${reason}`);
}

function openControllingTerminal(): Terminal {
  let fds: readonly [number, number];
  try {
    fds = [openSync('/dev/tty', 'r+'), openSync('/dev/tty', 'r+')];
  } catch (error) {
    throw noTerminal(error instanceof Error ? (error.message.split(',')[0] ?? '') : String(error));
  }
  const stdin = new ReadStream(fds[0]);
  const stdout = new SizedOutput(fds[1]);
  // Registered before the Tty's own listener, so that it finds the new size.
  const resized = () => stdout.forgetSize();
  process.on('SIGWINCH', resized);
  return {
    name: deviceName(),
    stdin,
    stdout,
    process,
    close: () => {
      process.off('SIGWINCH', resized);
      stdin.destroy();
      stdout.destroy();
    },
  };
}

/** Node tells a new size to the standard streams only; another stream keeps the one that it was made with. */
class SizedOutput extends WriteStream {
  #size: [number, number] | undefined;

  forgetSize(): void {
    this.#size = undefined;
  }

  override getWindowSize(): [number, number] {
    this.#size ??= terminalSize();
    return this.#size;
  }
}

function terminalSize(): [number, number] {
  const stream = new WriteStream(openSync('/dev/tty', 'r+'));
  const size = stream.getWindowSize();
  stream.destroy();
  return size;
}

/** The device behind a standard descriptor, `/dev/pts/3`; /dev/tty if none of them is a terminal. */
function deviceName(): string {
  for (const fd of [0, 2, 1]) {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      if (/^\/dev\/(?:pts\/|tty)/.test(path)) return path;
    } catch {
      // No /proc, or the descriptor is closed.
    }
  }
  return '/dev/tty';
}
