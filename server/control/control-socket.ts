/** The control socket's connections: lines to and from each, and commands that programs run over it. */
import type { Socket } from 'node:net';
import type { HealthCheck } from '../../protocol/control.ts';
import { MplexError } from '../../protocol/errors.ts';
import { HalfOpen } from '../clients/half-open.ts';
import { callerOf } from '../command/entries/caller.ts';
import type { ItemState, Services } from '../command/entries/context.ts';
import type { CommandLanguage } from '../command/entries/language.ts';
import type { ParseOptions } from '../command/parser.ts';
import { targetOfPane } from '../command/target.ts';
import type { FlowDesk } from '../flow/flow-desk.ts';
import type { Log } from '../log.ts';
import { checkLooking, grantOf } from './control-access.ts';
import type { CommandOutput, ControlCommand, ControlConnection } from './control-connection.ts';

export interface ControlSocketContext {
  readonly flows: FlowDesk;
  readonly language: CommandLanguage;
  readonly services: Services;
  readonly parseOptions: (state: ItemState) => ParseOptions;
  /** Runs once what programs have printed by now is on their panes' screens. */
  readonly catchUp: (run: () => void) => void;
  readonly checkHealth: () => readonly HealthCheck[];
  readonly version: string;
  readonly log: Log;
}

/** Longest standard output or error of one command that is returned, characters. */
const OUTPUT_MAX = 4 << 20;
/** Connections at a time; one more is told so and closed. */
const CONNECTIONS_MAX = 512;
/** Connections that have said nothing yet; above it the oldest of them goes. */
const SILENT_MAX = 64;
/** How long a peer that has closed its side may wait for a command to end: whether it still listens cannot be seen. */
const ENDED_MAX_MS = 60_000;
const REFUSAL = `{"ok":false,"error":{"code":"too_many","message":"too many connections: ${CONNECTIONS_MAX}"}}\n`;

export class ControlSocket {
  readonly #context: ControlSocketContext;
  readonly #silent = new HalfOpen(SILENT_MAX);
  #count = 0;

  constructor(context: ControlSocketContext) {
    this.#context = context;
  }

  /** Serves a connection. The checks of requests are loaded with the first one: a start without askers does without. */
  async accept(socket: Socket): Promise<void> {
    socket.on('error', () => socket.destroy());
    if (this.#count >= CONNECTIONS_MAX) {
      socket.end(REFUSAL, () => socket.destroy());
      return;
    }
    // Who sends a last request and closes its side for writing (`… | socat - UNIX:…`) still gets the reply.
    socket.allowHalfOpen = true;
    this.#count += 1;
    socket.on('close', () => {
      this.#count -= 1;
    });
    try {
      const { ControlConnection } = await import('./control-connection.ts');
      this.#serve(socket, ControlConnection);
    } catch (error) {
      this.#context.log.error('control connection', error);
      socket.destroy();
    }
  }

  /** Nothing has been read yet, so nothing is lost: a socket without a listener for data does not flow. */
  #serve(socket: Socket, Connection: typeof ControlConnection): void {
    const connection = new Connection(
      {
        flows: this.#context.flows.queue,
        runCommand: (command) => this.#run(command),
        grantOf: (token) => grantOf(this.#context.services.registry.serverOptions, token),
        checkHealth: this.#context.checkHealth,
        version: this.#context.version,
        failed: (error) => this.#context.log.error('control request', error),
      },
      {
        write: (line) => socket.write(line),
        pause: () => socket.pause(),
        resume: () => socket.resume(),
        end: () => socket.end(),
      },
    );
    const speaks = this.#silent.enter(() => socket.destroy());
    socket.on('close', () => {
      speaks();
      connection.closed();
    });
    socket.on('data', (chunk) => {
      speaks();
      connection.receive(chunk);
    });
    socket.on('end', () => {
      socket.setTimeout(ENDED_MAX_MS, () => socket.destroy());
      connection.ended();
    });
    socket.on('drain', () => connection.drained());
  }

  async #run(command: ControlCommand): Promise<CommandOutput> {
    await new Promise<void>((run) => this.#context.catchUp(run));
    const output = { code: 0, stdout: '', stderr: '' };
    const state = this.#state(command, output);
    const parsed = this.#context.language.parseArgv(command.argv, this.#context.parseOptions(state));
    if (!parsed.ok) return { code: 1, stdout: '', stderr: `${parsed.error}\n` };
    if (command.readOnly) checkLooking(parsed.commands, this.#context.services.entries);
    const queue = this.#context.services.newQueue();
    queue.append(parsed.commands, state);
    return new Promise((resolve) => queue.whenIdle(() => resolve(output)));
  }

  #state(command: ControlCommand, output: { code: number; stdout: string; stderr: string }): ItemState {
    const caller = callerOf('control', {
      onlyLooks: command.readOnly,
      cwd: command.cwd,
      print: (text) => {
        if (output.stdout.length < OUTPUT_MAX) output.stdout += text;
      },
      error: (message) => {
        output.code = 1;
        if (output.stderr.length < OUTPUT_MAX) output.stderr += `${message}\n`;
      },
      setExitCode: (code) => {
        output.code = code;
      },
    });
    return {
      caller,
      client: undefined,
      current: command.pane === undefined ? undefined : this.#placeOf(command.pane),
      mouse: undefined,
      isHook: false,
      variables: undefined,
    };
  }

  #placeOf(name: string): NonNullable<ItemState['current']> {
    const { registry } = this.#context.services;
    const pane = registry.panes.get(Number(name.slice(1)));
    const place = pane && targetOfPane(registry, pane);
    if (!place) throw new MplexError('no_pane', `can't find pane: ${name}`, '/pane');
    return { session: place.session, winlink: place.winlink, pane: place.pane, mousePane: undefined };
  }
}
