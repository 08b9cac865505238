/** What all histories of a server may take together: when it is more, the largest one loses its oldest lines. */

/** A history that can be made smaller. */
export interface Droppable {
  /** Bytes that its full chunks take. */
  readonly byteLength: number;
  /** Drops the oldest chunk; false if there is none. */
  dropOldest(): boolean;
}

/** What a history needs of a budget. */
export type BudgetShare = Pick<HistoryBudget, 'join' | 'changed' | 'leave'>;

export class HistoryBudget {
  readonly #histories = new Set<Droppable>();
  #bytes = 0;
  #limitBytes = Number.POSITIVE_INFINITY;

  get bytes(): number {
    return this.#bytes;
  }

  /** Infinity for no limit; lowering it drops at once. */
  set limitBytes(limit: number) {
    this.#limitBytes = limit;
    this.#enforce();
  }

  /** The budget for one history; `dropped` is called when that loses lines to the limit. */
  share(dropped: () => void): BudgetShare {
    let told: Droppable | undefined;
    return {
      join: (history) => {
        told = {
          get byteLength() {
            return history.byteLength;
          },
          dropOldest: () => {
            const isDone = history.dropOldest();
            if (isDone) dropped();
            return isDone;
          },
        };
        this.join(told);
      },
      changed: (bytes) => this.changed(bytes),
      leave: () => {
        if (told) this.leave(told);
      },
    };
  }

  join(history: Droppable): void {
    this.#histories.add(history);
  }

  /** A history of the budget grew or shrank by so many bytes. */
  changed(bytes: number): void {
    this.#bytes += bytes;
    if (bytes > 0) this.#enforce();
  }

  leave(history: Droppable): void {
    if (this.#histories.delete(history)) this.#bytes -= history.byteLength;
  }

  #enforce(): void {
    while (this.#bytes > this.#limitBytes) {
      let largest: Droppable | undefined;
      for (const history of this.#histories) {
        if (!largest || history.byteLength > largest.byteLength) largest = history;
      }
      if (!largest?.dropOldest()) return;
    }
  }
}
