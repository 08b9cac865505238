/** The channels of wait-for: waking those that wait, and locks. */

/** Channels that may be known at a time. */
const CHANNELS_MAX = 10_000;

interface Channel {
  /** Woken while nobody waited: the next to wait goes on at once. */
  isWoken: boolean;
  isLocked: boolean;
  readonly waiters: (() => void)[];
  readonly lockers: (() => void)[];
}

export class WaitChannels {
  readonly #channels = new Map<string, Channel>();

  /** Waits until the channel is signalled; a signal that came before counts. Undefined if there is nothing to wait for. */
  wait(name: string): Promise<void> | undefined {
    const channel = this.#open(name);
    if (channel.isWoken) {
      this.#channels.delete(name);
      return undefined;
    }
    return new Promise((resolve) => channel.waiters.push(resolve));
  }

  /** Wakes all that wait, or the next that will. */
  signal(name: string): void {
    const channel = this.#open(name);
    if (channel.waiters.length === 0) channel.isWoken = true;
    for (const wake of channel.waiters.splice(0)) wake();
    this.#forget(name, channel);
  }

  /** Takes the lock; undefined if it was free. */
  lock(name: string): Promise<void> | undefined {
    const channel = this.#open(name);
    if (channel.isLocked) return new Promise((resolve) => channel.lockers.push(resolve));
    channel.isLocked = true;
    return undefined;
  }

  /** Gives the lock to the next that wants it; false if it was not locked. */
  unlock(name: string): boolean {
    const channel = this.#channels.get(name);
    if (!channel?.isLocked) return false;
    const next = channel.lockers.shift();
    if (next) next();
    else channel.isLocked = false;
    this.#forget(name, channel);
    return true;
  }

  #open(name: string): Channel {
    let channel = this.#channels.get(name);
    if (!channel) {
      if (this.#channels.size >= CHANNELS_MAX) this.#dropWoken();
      channel = { isWoken: false, isLocked: false, waiters: [], lockers: [] };
      this.#channels.set(name, channel);
    }
    return channel;
  }

  #forget(name: string, { isWoken, isLocked, waiters, lockers }: Channel): void {
    if (!isWoken && !isLocked && waiters.length + lockers.length === 0) this.#channels.delete(name);
  }

  /** Signals that nobody waited for go first when there are too many. */
  #dropWoken(): void {
    for (const [name, channel] of this.#channels) if (channel.isWoken) this.#channels.delete(name);
  }
}
