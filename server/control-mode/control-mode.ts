/**
 * Control mode (`-C`, `-CC`): a client that sends commands as lines and reads their replies in blocks, notifications and
 * the output of panes. tmux(1) CONTROL MODE. It lives on the connection of its command line call.
 */
import { StringDecoder } from 'node:string_decoder';
import type { CommandCall, ExitReason } from '../../protocol/message.ts';
import type { Connection } from '../clients/connection.ts';
import type { AttachRequest, Caller, ItemState, Queue } from '../command/entries/context.ts';
import type { CommandLanguage, LanguageResult } from '../command/entries/language.ts';
import type { ParseOptions } from '../command/parser.ts';
import type { FormatContext } from '../format/format-variables.ts';
import type { ClientSession, ClientTransport, ControlClient } from '../model/client-session.ts';
import { Environ } from '../model/environ.ts';
import type { Pane } from '../model/pane.ts';
import type { ModelEvent, Registry } from '../model/registry.ts';
import { noticeFor } from './control-notices.ts';
import { ControlOutput } from './control-output.ts';
import { ControlSubscriptions } from './control-subscriptions.ts';

export interface ControlModeContext {
  readonly registry: Registry;
  readonly language: CommandLanguage;
  readonly newQueue: () => Queue;
  readonly parseOptions: (state: ItemState) => ParseOptions;
  readonly expand: (format: string, about: Partial<FormatContext>) => string;
  readonly attach: (request: AttachControl) => ClientSession;
  readonly detach: (client: ClientSession, reason: ExitReason) => void;
  /** ms, monotonic. */
  readonly now: () => number;
  readonly after: (delayMs: number, run: () => void) => () => void;
}

export interface AttachControl extends AttachRequest {
  readonly call: CommandCall;
  readonly control: ControlClient;
  readonly transport: ClientTransport;
}

/** -CC wraps all in a device control string, so that a terminal knows what begins. */
const DCS_START = '\x1bP1000p';
const DCS_END = '\x1b\\';
/** How often waiting output is looked at, ms. */
const AGE_CHECK_MS = 500;
/** A longer line is a mistake, characters. */
const LINE_MAX = 1 << 20;

/** Runs until the client detaches, its input ends or the connection is gone. */
export function runControlMode(call: CommandCall, connection: Connection, context: ControlModeContext): void {
  new ControlMode(call, connection, context).start();
}

class ControlMode {
  readonly #call: CommandCall;
  readonly #connection: Connection;
  readonly #context: ControlModeContext;
  readonly #output: ControlOutput;
  readonly #queue: Queue;
  readonly #caller: Caller;
  readonly #decoder = new StringDecoder('utf8');
  readonly #stops: (() => void)[] = [];
  #client: ClientSession | undefined;
  #subscriptions: ControlSubscriptions | undefined;
  #line = '';
  /** Lines that came together are being taken in. */
  #isReading = false;
  /** Exit code: 1 once a command has failed. */
  #code = 0;
  #isOwn = false;
  #isEnding = false;
  #isOver = false;
  #isTooFarBehind = false;
  #waitsForExit = false;
  /** No line can come any more. */
  #isInputOver = false;

  constructor(call: CommandCall, connection: Connection, context: ControlModeContext) {
    this.#call = call;
    this.#connection = connection;
    this.#context = context;
    this.#output = new ControlOutput({
      sink: { write: (bytes) => connection.stdout(bytes), unsent: () => connection.unsent },
      now: context.now,
      seconds: () => context.registry.seconds(),
      tooFarBehind: () => {
        this.#isTooFarBehind = true;
        this.#exit('too far behind');
      },
      isBusy: () => !this.#isEnding && (this.#isReading || !this.#queue.isIdle),
    });
    this.#queue = context.newQueue();
    this.#caller = this.#createCaller();
  }

  start(): void {
    const { registry } = this.#context;
    const connection = this.#connection;
    if (this.#call.flags.control === 2) this.#output.reply(DCS_START);
    this.#stops.push(
      registry.events.subscribe((event) => this.#event(event)),
      registry.bytes.subscribe(({ pane, bytes }) => this.#paneOutput(pane, bytes)),
    );
    this.#checkAgeLater();
    connection.whenDrained(() => this.#output.pump());
    connection.whenClosed(() => this.#close());
    const argv = this.#call.argv.length > 0 ? this.#call.argv : ['new-session'];
    const state = this.#state();
    this.#run(this.#context.language.parseArgv(argv, this.#context.parseOptions(state)), state);
    this.#queue.whenIdle(() => {
      if (!this.#client) this.#exit();
      else
        connection.streamStdin(
          (bytes) => this.#input(this.#decoder.write(Buffer.from(bytes))),
          () => this.#inputEnded(),
        );
      this.#isOwn = true;
    });
  }

  #createCaller(): Caller {
    const call = this.#call;
    return {
      kind: 'control',
      cwd: call.cwd,
      environ: Environ.from(call.environ),
      callerEnviron: call.environ,
      terminal: undefined,
      pid: call.pid,
      print: (text) => this.#output.reply(text),
      error: (message) => {
        this.#code = 1;
        this.#output.reply(`${message}\n`);
      },
      setExitCode: () => {},
      attach: (request) => this.#attach(request),
      readStdin: undefined,
      block: {
        begin: (isHook) => this.#output.begin(nextNumber(), this.#isOwn && !isHook),
        end: (isError) => this.#output.end(isError),
      },
    };
  }

  #state(): ItemState {
    return {
      caller: this.#caller,
      client: this.#client,
      current: undefined,
      mouse: undefined,
      isHook: false,
      variables: undefined,
    };
  }

  #attach(request: AttachRequest): ClientSession {
    const output = this.#output;
    const control: ControlClient = {
      hasSize: false,
      windowSizes: new Map(),
      get noOutput() {
        return output.noOutput;
      },
      set noOutput(value) {
        output.noOutput = value;
      },
      waitExit: false,
      get pauseAfterMs() {
        return output.pauseAfterMs;
      },
      set pauseAfterMs(value) {
        output.pauseAfterMs = value;
      },
      setPane: (pane, state) => output.setPane(pane, state),
      subscribe: (name, what, format) => this.#subscriptions?.add(name, what, format),
      unsubscribe: (name) => this.#subscriptions?.remove(name),
    };
    const client = this.#context.attach({
      ...request,
      call: this.#call,
      control,
      transport: {
        send: (message) => {
          if (message.kind !== 'exit') return;
          if (message.reason.kind === 'server-exited' || this.#hasLostSession) output.notify('%sessions-changed');
          this.#exit(exitText(message.reason));
        },
        close: () => {},
      },
    });
    this.#client = client;
    const { registry, after, expand } = this.#context;
    const notify = (line: string) => output.notify(line);
    this.#subscriptions = new ControlSubscriptions({ registry, client, after, expand, notify });
    return client;
  }

  /** Its session was closed. */
  get #hasLostSession(): boolean {
    const session = this.#client?.session;
    return session !== undefined && !this.#context.registry.sessions.has(session.id);
  }

  #input(text: string): void {
    const lines = (this.#line + text).split(this.#call.flags.control === 2 ? /\r\n|\r|\n/ : '\n');
    this.#line = lines.pop() ?? '';
    this.#isReading = true;
    for (const line of lines) this.#command(line);
    this.#isReading = false;
    if (this.#queue.isIdle) this.#output.commandsDone();
    if (this.#line.length > LINE_MAX) this.#exit('line too long');
  }

  #command(line: string): void {
    if (this.#waitsForExit) {
      if (line === '') this.#finish();
      return;
    }
    if (this.#isEnding) return;
    if (line === '') {
      this.#leave();
      return;
    }
    const state = this.#state();
    const options = { ...this.#context.parseOptions(state), oneGroup: true };
    this.#run(this.#context.language.parse(line, options), state);
  }

  #run(parsed: LanguageResult, state: ItemState): void {
    if (parsed.ok) {
      this.#queue.append(parsed.commands, state);
      this.#queue.whenIdle(() => this.#output.commandsDone());
      return;
    }
    // What is wrong with a line is told in its turn.
    this.#queue.whenIdle(() => {
      if (!this.#isOwn) this.#code = 1;
      this.#output.begin(nextNumber(), this.#isOwn);
      this.#output.reply(`${this.#isOwn ? 'parse error: ' : ''}${parsed.error}\n`);
      this.#output.end(true);
    });
  }

  #inputEnded(): void {
    this.#isInputOver = true;
    if (this.#waitsForExit) this.#finish();
    else this.#leave();
  }

  /** Once the commands before are done. */
  #leave(): void {
    this.#queue.whenIdle(() => {
      if (this.#client) this.#context.detach(this.#client, { kind: 'exited' });
      else this.#exit();
    });
  }

  #event(event: ModelEvent): void {
    if (event.name === 'pane-closed' && event.pane) this.#output.forget(event.pane);
    if (!this.#isEnding) this.#output.notify(() => this.#notice(event));
  }

  #notice(event: ModelEvent): string | undefined {
    const client = this.#client;
    if (!client?.session) return undefined;
    return noticeFor(event, client, (format, about, window) =>
      this.#context.expand(format, { client: about, session: client.session, window }),
    );
  }

  #paneOutput(pane: Pane, bytes: Uint8Array): void {
    if (this.#client?.session?.find(pane.window) && !this.#isEnding) this.#output.paneOutput(pane, bytes);
  }

  #checkAgeLater(): void {
    let stop = () => {};
    const look = () => {
      stop = this.#context.after(AGE_CHECK_MS, () => {
        this.#output.checkAge();
        look();
      });
    };
    look();
    this.#stops.push(() => stop());
  }

  /** Says `%exit`; with wait-exit the client has to agree by an empty line. */
  #exit(reason = ''): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#output.end(false);
    this.#output.commandsDone();
    this.#output.reply(reason === '' ? '%exit\n' : `%exit ${reason}\n`);
    if (this.#client?.control?.waitExit && !this.#isInputOver) this.#waitsForExit = true;
    else this.#finish();
  }

  #finish(): void {
    if (this.#isOver) return;
    if (this.#call.flags.control === 2) this.#output.reply(DCS_END);
    if (!this.#isTooFarBehind) this.#output.flush();
    this.#connection.exit(this.#code);
    this.#close();
  }

  #close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#isEnding = true;
    this.#queue.close();
    this.#subscriptions?.close();
    for (const stop of this.#stops) stop();
    if (this.#client?.session) this.#context.detach(this.#client, { kind: 'terminated' });
  }
}

let lastNumber = 0;

/** The number of a reply block, of the server's whole life. */
function nextNumber(): number {
  lastNumber += 1;
  return lastNumber;
}

function exitText(reason: ExitReason): string {
  switch (reason.kind) {
    case 'error':
      return reason.message;
    default:
      return '';
  }
}
