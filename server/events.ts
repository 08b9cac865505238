/** A private emitter with a public `subscribe`; handlers may unsubscribe while it fires. */
export class Emitter<T> {
  readonly #handlers = new Set<(value: T) => void>();

  /** Calls `handler` for each value until the returned function is called. */
  subscribe(handler: (value: T) => void): () => void {
    this.#handlers.add(handler);
    return () => {
      this.#handlers.delete(handler);
    };
  }

  emit(value: T): void {
    for (const handler of [...this.#handlers]) if (this.#handlers.has(handler)) handler(value);
  }
}
