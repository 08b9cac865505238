/**
 * Where the journals of servers of a socket are: `<state>/NAME`, and for a socket outside of `/tmp/mplex-UID` a hash of its
 * path behind the name, so that no two sockets share one. The hash is made when it is needed: Node's crypto takes
 * milliseconds to load, and a first prompt does not wait for it.
 */
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

export class JournalFolder {
  readonly #state: string;
  readonly #socketPath: string;
  #path: string | undefined;

  /** `state`: the directory of this program's state, made or not. */
  constructor(state: string, socketPath: string) {
    this.#state = state;
    this.#socketPath = socketPath;
  }

  get path(): string {
    this.#path ??= join(this.#state, this.#folderName());
    return this.#path;
  }

  /** False where there is certainly no journal: nothing in the state's directory begins with the socket's name. */
  mayHoldJournals(): boolean {
    const name = basename(this.#socketPath);
    try {
      return readdirSync(this.#state).some((entry) => entry.startsWith(name));
    } catch {
      // No directory, no journals; one that cannot be read is told when the server writes to it.
      return false;
    }
  }

  #folderName(): string {
    const name = basename(this.#socketPath);
    if (/^\/tmp\/mplex-\d+$/.test(dirname(this.#socketPath))) return name;
    return `${name}-${createHash('sha256').update(this.#socketPath).digest('hex').slice(0, 8)}`;
  }
}
