/** Puts overlays on clients: sends their models, routes the client's acknowledgement of a paint back to them. */
import { Emitter } from '../events.ts';
import type { ClientOverlay, ClientSession } from '../model/client-session.ts';

interface Shown {
  seq: number;
  acknowledged: number;
}

export class OverlayHost {
  /** A client whose overlay was closed and not followed by another. */
  readonly freed = new Emitter<ClientSession>();
  /** A client whose overlay is another, or has other models. */
  readonly changed = new Emitter<ClientSession>();
  /** An overlay is shown. */
  readonly opened = new Emitter<ClientSession>();
  readonly #shown = new WeakMap<ClientSession, Shown>();

  /** Shows an overlay in place of the one before, which is closed. */
  open(client: ClientSession, overlay: ClientOverlay): void {
    const before = client.overlay;
    client.overlay = overlay;
    if (before && before !== overlay) before.close();
    this.refresh(client);
    this.opened.emit(client);
  }

  /** Takes an overlay away if it is still the one shown. */
  close(client: ClientSession, overlay: ClientOverlay): void {
    if (client.overlay !== overlay) return;
    client.overlay = undefined;
    overlay.close();
    this.refresh(client);
    if (client.overlay === undefined) this.freed.emit(client);
  }

  /** Sends the models again after a change. */
  refresh(client: ClientSession): void {
    this.changed.emit(client);
    let shown = this.#shown.get(client);
    if (!shown) {
      if (!client.overlay) return;
      shown = { seq: 0, acknowledged: 0 };
      this.#shown.set(client, shown);
    }
    shown.seq += 1;
    client.send({ kind: 'overlay', seq: shown.seq, overlays: client.overlay?.models() ?? [] });
  }

  /** The client has painted overlay message `seq`. */
  acknowledged(client: ClientSession, seq: number): void {
    const shown = this.#shown.get(client);
    if (!shown || seq <= shown.acknowledged) return;
    shown.acknowledged = seq;
    if (seq === shown.seq) client.overlay?.painted?.();
  }
}
