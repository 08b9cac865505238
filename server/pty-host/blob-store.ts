/**
 * What a server leaves with the host for the server after it: named blobs that the host does not look into. Changes are
 * staged and take effect together, so that a server killed in the middle of one leaves the state before it. The host's
 * memory holds as much as the server's own state, packed; nothing here is written to disk.
 */
export class BlobStore {
  readonly #blobs = new Map<string, Buffer>();
  /** Changes that are not in effect yet; undefined removes. */
  readonly #staged = new Map<string, Buffer[] | undefined>();

  /** Blobs in effect. */
  get size(): number {
    return this.#blobs.size;
  }

  /** Begins a new value for a key, or goes on with the one staged; the bytes are copied. */
  stage(key: string, bytes: Uint8Array): void {
    // A copy without the frame around it: it may stay for hours.
    const part = Buffer.from(bytes);
    const parts = this.#staged.get(key);
    if (parts) parts.push(part);
    else this.#staged.set(key, [part]);
  }

  /** Stages the removal of every key that is `prefix` or begins with `prefix` and a slash. */
  drop(prefix: string): void {
    for (const key of [...this.#blobs.keys(), ...this.#staged.keys()]) {
      if (key === prefix || key.startsWith(`${prefix}/`)) this.#staged.set(key, undefined);
    }
  }

  commit(): void {
    for (const [key, parts] of this.#staged) {
      if (!parts) this.#blobs.delete(key);
      else this.#blobs.set(key, parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts));
    }
    this.#staged.clear();
  }

  /** Forgets what was staged by a server that is gone. */
  abandon(): void {
    this.#staged.clear();
  }

  entries(): Iterable<[string, Buffer]> {
    return this.#blobs.entries();
  }
}
