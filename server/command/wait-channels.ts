/** The channels of wait-for: waking those that wait, and locks. */

/** Channels that may be known at a time. */
const CHANNELS_MAX = 10_000;

type Outcome = 'woken' | 'cancelled';

interface Waiter {
  end(outcome: Outcome): void;
}

interface Channel {
  /** Woken while nobody waited: the next to wait goes on at once. */
  isWoken: boolean;
  isLocked: boolean;
  readonly waiters: Set<Waiter>;
  readonly lockers: Set<Waiter>;
}

/** Somebody who waits. */
export interface Waiting {
  readonly done: Promise<Outcome>;
  /** It waits no more, and counts no more: a signal or a lock goes to somebody else. */
  cancel(): void;
}

/** What outlives the server: those that wait do not. */
export interface SavedChannels {
  readonly woken: readonly string[];
  readonly locked: readonly string[];
}

export class WaitChannels {
  readonly #channels = new Map<string, Channel>();

  /** Waits until the channel is signalled; a signal that came before counts. Undefined if there is nothing to wait for. */
  wait(name: string): Waiting | undefined {
    const channel = this.#open(name);
    if (channel.isWoken) {
      channel.isWoken = false;
      this.#forget(name, channel);
      return undefined;
    }
    return this.#enter(name, channel, channel.waiters);
  }

  /** Wakes all that wait, or the next that will. */
  signal(name: string): void {
    const channel = this.#open(name);
    if (channel.waiters.size === 0) channel.isWoken = true;
    for (const waiter of [...channel.waiters]) waiter.end('woken');
    this.#forget(name, channel);
  }

  /** Takes the lock; undefined if it was free. */
  lock(name: string): Waiting | undefined {
    const channel = this.#open(name);
    if (channel.isLocked) return this.#enter(name, channel, channel.lockers);
    channel.isLocked = true;
    return undefined;
  }

  /** Gives the lock to the next that wants it; false if it was not locked. */
  unlock(name: string): boolean {
    const channel = this.#channels.get(name);
    if (!channel?.isLocked) return false;
    const [next] = channel.lockers;
    if (next) next.end('woken');
    else channel.isLocked = false;
    this.#forget(name, channel);
    return true;
  }

  /** Ends all waiting, as signals and unlocking would. */
  wakeAll(): void {
    for (const { waiters, lockers } of [...this.#channels.values()]) {
      for (const waiter of [...waiters, ...lockers]) waiter.end('woken');
    }
    this.#channels.clear();
  }

  save(): SavedChannels {
    const named = (has: (channel: Channel) => boolean) =>
      [...this.#channels].filter(([, channel]) => has(channel)).map(([name]) => name);
    return { woken: named(({ isWoken }) => isWoken), locked: named(({ isLocked }) => isLocked) };
  }

  restore({ woken, locked }: SavedChannels): void {
    for (const name of woken) this.#open(name).isWoken = true;
    for (const name of locked) this.#open(name).isLocked = true;
  }

  #enter(name: string, channel: Channel, line: Set<Waiter>): Waiting {
    let waiter: Waiter | undefined;
    const done = new Promise<Outcome>((resolve) => {
      const entered: Waiter = {
        end: (outcome) => {
          line.delete(entered);
          resolve(outcome);
        },
      };
      waiter = entered;
      line.add(entered);
    });
    return {
      done,
      cancel: () => {
        waiter?.end('cancelled');
        this.#forget(name, channel);
      },
    };
  }

  #open(name: string): Channel {
    let channel = this.#channels.get(name);
    if (!channel) {
      if (this.#channels.size >= CHANNELS_MAX) this.#dropWoken();
      channel = { isWoken: false, isLocked: false, waiters: new Set(), lockers: new Set() };
      this.#channels.set(name, channel);
    }
    return channel;
  }

  #forget(name: string, { isWoken, isLocked, waiters, lockers }: Channel): void {
    if (!isWoken && !isLocked && waiters.size + lockers.size === 0) this.#channels.delete(name);
  }

  /** Signals that nobody waited for go first when there are too many. */
  #dropWoken(): void {
    for (const [name, channel] of this.#channels) if (channel.isWoken) this.#channels.delete(name);
  }
}
