/** Command line calls: argv from a connection runs on a queue of its own; output, errors and exit code go back. */
import type { CommandCall } from '../../protocol/message.ts';
import type { AttachRequest, Caller, ItemState, Queue } from '../command/entries/context.ts';
import type { CommandLanguage } from '../command/entries/language.ts';
import type { ParseOptions } from '../command/parser.ts';
import { Emitter } from '../events.ts';
import { parentOf } from '../jobs/processes.ts';
import type { ClientSession } from '../model/client-session.ts';
import { Environ } from '../model/environ.ts';
import type { PrepareRequest } from './clients.ts';
import type { Connection } from './connection.ts';

export interface CallsContext {
  readonly language: CommandLanguage;
  readonly newQueue: () => Queue;
  /** A call's command line could not be parsed. */
  readonly logError: (message: string, state: ItemState) => void;
  readonly parseOptions: (state: ItemState) => ParseOptions;
  readonly prepareClient: (request: PrepareRequest) => { token: string; client: ClientSession };
  /** -C and -CC. */
  readonly control: (call: CommandCall, connection: Connection) => void;
  /** Whether the config is loaded. */
  readonly isReady: () => boolean;
  /** Runs once the config is loaded; calls that come earlier wait. */
  readonly whenReady: (run: () => void) => void;
  /** Runs at once. */
  readonly now: (run: () => void) => void;
  /** This server's process, as `TMUX` and `MPLEX` of its jobs name it. */
  readonly pid: number;
  readonly hasSessions: () => boolean;
  /** What the commands did is to outlive this process before the caller knows of it. */
  readonly keep: () => void;
  /** Runs once that outlives this process. */
  readonly whenKept: (run: () => void) => void;
  /** A call has come to its end. */
  readonly ended: () => void;
}

/** Exit code of a call whose command failed. */
const EXIT_FAILED = 1;

/** Whether `TMUX` or `MPLEX` (`socket,pid,session`) names this server. */
function isJobOf(pid: number, environ: readonly string[]): boolean {
  return environ.some((pair) => /^(?:TMUX|MPLEX)=/.test(pair) && pair.split(',').at(-2) === String(pid));
}

/** Generations between a job of the config and the call that it makes. */
const ANCESTORS_MAX = 64;

/** Whether a process was started by another, through others or not, as far as the system tells. */
function descendsFrom(pid: number, ancestor: number): boolean {
  let at: number | undefined = pid;
  for (let i = 0; at !== undefined && i < ANCESTORS_MAX; i++) {
    if (at === ancestor) return true;
    at = parentOf(at);
  }
  return false;
}

/** How a call will end: with an exit code, or as the client that a command attached. */
interface CallEnd {
  code: number;
  attached: ReturnType<CallsContext['prepareClient']> | undefined;
}

interface RunningCall {
  readonly connection: Connection;
  readonly end: CallEnd;
  /** Emits when the caller is gone. */
  readonly gone: Emitter<void>;
}

export class Calls {
  readonly #context: CallsContext;
  /** The calls that have no answer yet. */
  readonly #running = new Map<Connection, CallEnd>();

  constructor(context: CallsContext) {
    this.#context = context;
  }

  /** Whether a call waits or runs. */
  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  /** Gives every call its answer as far as it has come: the server ends. */
  endAll(): void {
    for (const [connection, { code }] of [...this.#running]) this.#exit(connection, code);
  }

  run(call: CommandCall, connection: Connection): void {
    const end: CallEnd = { code: 0, attached: undefined };
    const gone = new Emitter<void>();
    this.#running.set(connection, end);
    connection.whenClosed(() => {
      this.#forget(connection);
      gone.emit();
    });
    // A plugin that the config runs calls back, and the config waits for it.
    const { isReady, whenReady, now, pid } = this.#context;
    const begin = isReady() || isJobOf(pid, call.environ) || descendsFrom(call.pid, pid) ? now : whenReady;
    begin(() => {
      if (call.flags.control > 0) {
        this.#forget(connection);
        this.#context.control(call, connection);
      } else this.#run(call, { connection, end, gone });
    });
  }

  #run(call: CommandCall, { connection, end, gone }: RunningCall): void {
    if (connection.isClosed) return;
    const state: ItemState = {
      caller: this.#callerOf(call, { connection, end, gone }),
      client: undefined,
      current: undefined,
      mouse: undefined,
      isHook: false,
      variables: undefined,
    };
    const argv = call.argv.length > 0 ? call.argv : this.#bareCommand(call);
    const parsed = this.#context.language.parseArgv(argv, this.#context.parseOptions(state));
    if (!parsed.ok) {
      this.#context.logError(parsed.error, state);
      connection.stderr(`${parsed.error}\n`);
      this.#exit(connection, EXIT_FAILED);
      return;
    }
    const queue = this.#context.newQueue();
    queue.append(parsed.commands, state);
    queue.whenIdle(() => {
      // No reply yet: the client gets on with attaching while the state is kept, in this very turn.
      if (end.attached) connection.handover(end.attached.token);
      this.#context.keep();
      if (end.attached) this.#forget(connection);
      else this.#context.whenKept(() => this.#exit(connection, end.code));
    });
  }

  /** Answers once. */
  #exit(connection: Connection, code: number): void {
    if (this.#forget(connection)) connection.exit(code);
  }

  #forget(connection: Connection): boolean {
    const wasRunning = this.#running.delete(connection);
    if (wasRunning) this.#context.ended();
    return wasRunning;
  }

  #callerOf(call: CommandCall, { connection, end, gone }: RunningCall): Caller {
    const { terminal, environ, cwd, pid } = call;
    const attach = (request: AttachRequest): ClientSession => {
      if (!terminal) throw new Error('attach without a terminal');
      end.attached ??= this.#context.prepareClient({ ...request, terminal, environ, cwd, pid });
      return end.attached.client;
    };
    return {
      kind: 'call',
      cwd,
      environ: Environ.from(environ),
      callerEnviron: environ,
      terminal,
      pid,
      asTmux: call.flags.asTmux,
      print: (text) => connection.stdout(text),
      printBytes: (bytes) => connection.stdout(bytes),
      error: (message) => {
        end.code = EXIT_FAILED;
        connection.stderr(`${message}\n`);
      },
      setExitCode: (value) => {
        end.code = value;
      },
      attach: terminal ? attach : undefined,
      readStdin: () => connection.readStdin(),
      whenGone: (callback) => gone.subscribe(callback),
    };
  }

  /** Bare `mplex` shows the last session or makes one; bare `tmux` always makes one. */
  #bareCommand(call: CommandCall): readonly string[] {
    return call.flags.asTmux || !this.#context.hasSessions() ? ['new-session'] : ['attach-session'];
  }
}
