import type { Socket } from 'node:net';
import { type Listening, listenAt } from './clients/listener.ts';
import type { ServerLog } from './log.ts';

/** The sockets are looked at this often, and put back when somebody removed them, ms. */
const SELF_CHECK_MS = 60_000;

export interface ServerSocketsContext {
  readonly after: (delayMs: number, run: () => void) => () => void;
  readonly log: ServerLog;
  /** The pty host's is its own affair. */
  readonly restoreHostSocket: () => void;
}

/** The sockets that a server listens at: taken, looked after, closed. */
export class ServerSockets {
  readonly #context: ServerSocketsContext;
  readonly #sockets: Listening[] = [];
  #stopCheck = () => {};

  constructor(context: ServerSocketsContext) {
    this.#context = context;
  }

  /** Listens; rejects with SocketTaken when another server does. */
  async listen(path: string, onConnection: (socket: Socket) => void): Promise<void> {
    this.#sockets.push(await listenAt(path, onConnection));
  }

  /** Whether each socket is still the one at its path. */
  areIntact(): boolean {
    return this.#sockets.every((socket) => socket.isIntact());
  }

  /** Puts those back that somebody removed. */
  restore(): void {
    for (const socket of this.#sockets) {
      socket.restore().catch((error: unknown) => this.#context.log.error("can't put the socket back", error));
    }
    this.#context.restoreHostSocket();
  }

  /** Looks after them from now on. */
  keepChecking(): void {
    this.#stopCheck = this.#context.after(SELF_CHECK_MS, () => {
      this.restore();
      this.keepChecking();
    });
  }

  /** Takes no more connections; those there are go on. */
  close(): void {
    this.#stopCheck();
    for (const socket of this.#sockets) socket.close();
  }
}
