/** Formats that a control mode client wants to hear of when their value changes (refresh-client -B). */
import type { FormatContext } from '../format/format-variables.ts';
import type { ClientSession } from '../model/client-session.ts';
import type { Pane } from '../model/pane.ts';
import type { Registry } from '../model/registry.ts';
import type { Winlink } from '../model/session.ts';

/** Values are looked at this often, ms. */
const INTERVAL_MS = 1000;

export interface SubscriptionsContext {
  readonly registry: Registry;
  readonly client: ClientSession;
  readonly after: (delayMs: number, run: () => void) => () => void;
  readonly expand: (format: string, about: Partial<FormatContext>) => string;
  readonly notify: (line: string) => void;
}

interface Subscription {
  /** '' for the session, `%N`, `%*`, `@N` or `@*`. */
  readonly what: string;
  readonly format: string;
  /** The values told last, by where. */
  readonly told: Map<string, string>;
}

export class ControlSubscriptions {
  readonly #context: SubscriptionsContext;
  readonly #byName = new Map<string, Subscription>();
  #stop: (() => void) | undefined;

  constructor(context: SubscriptionsContext) {
    this.#context = context;
  }

  /** A name given again takes the place of the earlier one. */
  add(name: string, what: string, format: string): void {
    this.#byName.set(name, { what, format, told: new Map() });
    if (!this.#stop) this.#checkLater();
  }

  remove(name: string): void {
    this.#byName.delete(name);
    if (this.#byName.size === 0) this.close();
  }

  close(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  #checkLater(): void {
    this.#stop = this.#context.after(INTERVAL_MS, () => {
      for (const [name, subscription] of this.#byName) this.#check(name, subscription);
      this.#checkLater();
    });
  }

  #check(name: string, subscription: Subscription): void {
    const { session } = this.#context.client;
    if (!session || session.isEmpty) return;
    const { what } = subscription;
    const tell = (place: string, about: Partial<FormatContext>) => this.#tell(name, subscription, { place, about });
    if (what === '') {
      const { current } = session;
      const { window } = current;
      tell(`$${session.id} - - -`, { session, winlink: current, window, pane: window.active });
      return;
    }
    for (const winlink of session.winlinks) {
      const { window } = winlink;
      const place = `$${session.id} @${window.id} ${winlink.index}`;
      if (what === '@*' || what === `@${window.id}`) tell(`${place} -`, aboutPane(winlink, window.active));
      for (const pane of window.panes) {
        if (what === '%*' || what === `%${pane.id}`) tell(`${place} %${pane.id}`, aboutPane(winlink, pane));
      }
    }
  }

  #tell(
    name: string,
    { format, told }: Subscription,
    { place, about }: { readonly place: string; readonly about: Partial<FormatContext> },
  ): void {
    const value = this.#context.expand(format, { client: this.#context.client, ...about });
    if (told.get(place) === value) return;
    told.set(place, value);
    this.#context.notify(`%subscription-changed ${name} ${place} : ${value}`);
  }
}

function aboutPane(winlink: Winlink, pane: Pane): Partial<FormatContext> {
  return { session: winlink.session, winlink, window: winlink.window, pane };
}
