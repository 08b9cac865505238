import { spawn } from 'node:child_process';
import { hideNodeVariables } from '../protocol/node-environ.ts';
import type { HostClient } from './pty-host/host-client.ts';
import type { ServerSockets } from './server-sockets.ts';

/** Time for the last messages to leave, ms. */
const GRACE_MS = 20;
/** A pty host that does not take the word by then is given up, ms. */
const END_MS_MAX = 5000;

export interface ServerEndContext {
  readonly host: Pick<HostClient, 'quit' | 'leave' | 'setRestartCommand'>;
  readonly sockets: Pick<ServerSockets, 'close'>;
  /** The command line that starts this server: node, the script, its arguments. */
  readonly restartCommand: readonly string[];
  readonly environ: Readonly<Record<string, string | undefined>>;
  /** Stores everything for the next server. */
  readonly keepAll: () => void;
  readonly endJournal: (how: { readonly keep: boolean }) => Promise<void>;
  /** Ends questions, clients and jobs. */
  readonly close: () => void;
  readonly after: (delayMs: number, run: () => void) => () => void;
  readonly onExit: () => void;
}

/** How a server ends: with everything it has, or leaving that to the next one. */
export class ServerEnd {
  readonly #context: ServerEndContext;
  #hasBegun = false;

  constructor(context: ServerEndContext) {
    this.#context = context;
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Leaves everything to a new server, of `script` or the same one, and ends; clients find it by themselves. */
  handOver(script: string | undefined): void {
    this.#context.after(GRACE_MS, () => void this.#handOver(script));
  }

  async #handOver(script: string | undefined): Promise<void> {
    const { host, sockets, restartCommand, environ, keepAll, onExit } = this.#context;
    const [node = process.execPath, own = '', ...rest] = restartCommand;
    const argv = [script ?? own, ...rest];
    keepAll();
    this.#hasBegun = true;
    host.setRestartCommand([node, ...argv]);
    sockets.close();
    await host.leave();
    const env = hideNodeVariables(environ);
    spawn(node, argv, { detached: true, cwd: '/', env, stdio: 'ignore' }).unref();
    onExit();
  }

  /** Ends every session, client and program, and the process. `keep`: the sessions are to come back. */
  shutdown({ keep = false }: { readonly keep?: boolean } = {}): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const { host, sockets, endJournal, close, after, onExit } = this.#context;
    const waitsFor: Promise<void>[] = [];
    const late = new Promise<void>((resolve) => after(END_MS_MAX, resolve));
    // What was said to clients goes out before the process ends; it ends whatever goes wrong on the way.
    after(GRACE_MS, () => void Promise.race([Promise.allSettled(waitsFor), late]).then(onExit));
    waitsFor.push(endJournal({ keep }));
    close();
    waitsFor.push(host.quit());
    sockets.close();
  }
}
