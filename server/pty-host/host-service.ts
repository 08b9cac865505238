/** The host's side of its connections: who is the server now, and when to end. */
import type { Socket } from 'node:net';
import type { Delay } from './delay.ts';
import { FrameDecoder } from './host-frame.ts';
import {
  decodeRequest,
  encodeReport,
  HOST_MAJOR,
  HOST_MINOR,
  type HostHello,
  type HostRequest,
} from './host-protocol.ts';
import type { PaneKeeper } from './pane-keeper.ts';
import { HANG_UP_GRACE_MS } from './pty-owner.ts';
import type { ServerRestart } from './server-restart.ts';

/** A connection that has not said hello by then is closed (ms). */
export const HELLO_DEADLINE_MS = 2000;
/** Without a server and without anything that one could take over the host ends after this (ms). */
export const IDLE_MS = 5000;
/** The same where the server that started the host gave up: another that won the sockets may be on its way (ms). */
export const UNWANTED_MS = 1000;

/**
 * What came from the server before is read to its end before the next one is served: that server is dead as a rule, and all
 * it had to say is in its connection. One that lives, but does not go, is waited for so long (ms).
 */
export const OLDER_MS = 500;

/**
 * A program that has not ended by then, although it was hung up and killed (after HANG_UP_GRACE_MS), may not be killed, as
 * one of root: the host ends without it (ms).
 */
const QUIT_MAX_MS = HANG_UP_GRACE_MS + 2000;

export interface HostServiceOptions {
  readonly keeper: PaneKeeper;
  /** Absent: a lost server is not started again. */
  readonly restart: ServerRestart | undefined;
  /** The server says how it is to be started again. */
  readonly onRestartCommand?: (argv: readonly string[]) => void;
  /** The server asks to put the socket's name back. */
  readonly onRestoreSocket?: () => void;
  readonly delay: Delay;
  readonly log: (message: string) => void;
  /** No server will be served any more: the socket's name should go at once. */
  readonly onStopListening: () => void;
  /** All is done: the process may end. */
  readonly onEnd: () => void;
}

export class HostService {
  readonly #options: HostServiceOptions;
  #server: Socket | undefined;
  /** The connection to who started this host, until it has said hello. */
  #starter: Socket | undefined;
  #ending = false;
  #hasEnded = false;
  #cancelIdle: (() => void) | undefined;

  constructor(options: HostServiceOptions) {
    this.#options = options;
    this.settle();
  }

  /**
   * Serves a connection. It becomes the server's, in place of an older one, when it has said hello. `isStarter`: of the
   * process that started this host.
   */
  accept(socket: Socket, { isStarter = false } = {}): void {
    const { delay, log } = this.#options;
    if (isStarter) this.#starter = socket;
    let greeted = false;
    // Requests of a connection that waits for the one before.
    let waiting: HostRequest[] | undefined;
    const cancelDeadline = delay(HELLO_DEADLINE_MS, () => socket.destroy());
    const receive = (request: HostRequest) => {
      if (waiting) {
        waiting.push(request);
      } else if (greeted) {
        this.#handle(socket, request);
      } else if (request.kind === 'hello') {
        greeted = true;
        cancelDeadline();
        if (isStarter) this.#starter = undefined;
        waiting = [];
        this.#whenRead(socket, () => {
          this.#greet(socket, request);
          const requests = waiting ?? [];
          waiting = undefined;
          for (const each of requests) if (!socket.destroyed) receive(each);
        });
      } else {
        socket.destroy();
      }
    };
    readRequests(socket, receive, log);
    socket.on('error', (error) => log(`connection: ${error.message}`));
    socket.on('close', () => {
      cancelDeadline();
      if (isStarter) this.#starter = undefined;
      if (isStarter && !greeted) this.#leftByStarter();
      this.#closed(socket);
    });
    socket.write(encodeReport({ kind: 'hello', major: HOST_MAJOR, minor: HOST_MINOR, pid: process.pid }));
  }

  /** Closes every pane and ends when their programs have. */
  quit(): void {
    if (this.#ending) return;
    this.#ending = true;
    this.#options.onStopListening();
    this.#options.keeper.closeAll();
    this.#options.delay(QUIT_MAX_MS, () => this.#end());
    this.settle();
  }

  /** Looks whether there is still something to do. */
  settle(): void {
    const { keeper, delay } = this.#options;
    if (this.#ending) {
      if (keeper.running === 0) this.#end();
      return;
    }
    const isIdle = this.#server === undefined && keeper.running === 0 && !keeper.hasState;
    if (!isIdle) {
      this.#cancelIdle?.();
      this.#cancelIdle = undefined;
    } else {
      this.#cancelIdle ??= delay(IDLE_MS, () => this.quit());
    }
  }

  /** Runs once the connections before are read to their end; at once where there are none. */
  #whenRead(socket: Socket, run: () => void): void {
    const older = [this.#starter, this.#server].filter((one) => one !== undefined && one !== socket && !one.closed);
    let left = older.length;
    let isDone = false;
    const go = () => {
      if (isDone) return;
      isDone = true;
      cancel?.();
      if (!socket.destroyed) run();
    };
    const cancel = left > 0 ? this.#options.delay(OLDER_MS, go) : undefined;
    for (const one of older) {
      one?.once('close', () => {
        left -= 1;
        if (left === 0) go();
      });
    }
    if (left === 0) go();
  }

  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#options.onEnd();
  }

  #greet(socket: Socket, hello: HostHello): void {
    const { keeper, restart, log } = this.#options;
    if (hello.major !== HOST_MAJOR || this.#ending) {
      log(`connection refused: protocol ${hello.major}, here ${HOST_MAJOR}`);
      socket.destroy();
      return;
    }
    const older = this.#server;
    this.#server = socket;
    older?.end(encodeReport({ kind: 'replaced' }));
    keeper.connect((frame) => socket.write(frame));
    restart?.found();
    this.settle();
  }

  #handle(socket: Socket, request: HostRequest): void {
    if (socket !== this.#server) return;
    if (request.kind === 'quit') {
      this.quit();
      return;
    }
    if (request.kind === 'restart-command') {
      this.#options.onRestartCommand?.(request.argv);
      return;
    }
    if (request.kind === 'restore-socket') {
      this.#options.onRestoreSocket?.();
      return;
    }
    try {
      this.#options.keeper.handle(request);
    } catch (error) {
      // A bug costs this one request: the other panes must live.
      this.#options.log(`bug in ${request.kind}: ${error instanceof Error ? error.stack : error}`);
    }
  }

  #leftByStarter(): void {
    if (!this.#cancelIdle) return;
    this.#cancelIdle();
    this.#cancelIdle = this.#options.delay(UNWANTED_MS, () => this.quit());
  }

  #closed(socket: Socket): void {
    if (socket !== this.#server) return;
    const { keeper, restart } = this.#options;
    this.#server = undefined;
    keeper.disconnect();
    // Otherwise there is nothing that a new server could take over.
    if (!this.#ending && keeper.held > 0) restart?.lost();
    this.settle();
  }
}

/** Hands on the requests that a connection brings; one that brings something else is closed. */
function readRequests(socket: Socket, receive: (request: HostRequest) => void, log: (message: string) => void): void {
  const decoder = new FrameDecoder();
  socket.on('data', (chunk) => {
    try {
      for (const frame of decoder.push(chunk)) {
        const request = decodeRequest(frame);
        if (request && !socket.destroyed) receive(request);
      }
    } catch (error) {
      log(`connection closed: ${error instanceof Error ? error.message : error}`);
      socket.destroy();
    }
  });
}
