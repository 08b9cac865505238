/** A filtered list on a client: what the command palette and searches offer to choose from. */
import type { InputEvent } from '../../../protocol/key.ts';
import {
  createFilterList,
  type FilterItem,
  type FilterListModel,
  inView,
  updateFilterList,
} from '../../../src/overlay/filter-list.ts';
import type { OverlayModel } from '../../../src/overlay/overlay.ts';
import { type ClientOverlay, type ClientSession, overlayTracking } from '../../model/client-session.ts';
import type { OverlayServices } from './context.ts';

export interface FilterRequest {
  readonly purpose: string;
  readonly title: string;
  readonly items: readonly FilterItem[];
  /** The chosen item's id, or undefined when it was dismissed. Called once. */
  readonly done: (id: number | undefined) => void;
}

export class FilterOverlay implements ClientOverlay {
  readonly purpose: string;
  readonly #overlays: OverlayServices;
  readonly #client: ClientSession;
  readonly #done: (id: number | undefined) => void;
  #model: FilterListModel;
  #isDone = false;

  constructor(overlays: OverlayServices, client: ClientSession, request: FilterRequest) {
    this.purpose = request.purpose;
    this.#overlays = overlays;
    this.#client = client;
    this.#done = request.done;
    this.#model = createFilterList(request.title, request.items);
  }

  get mouseTracking() {
    return overlayTracking(this.#client, 'drag');
  }

  models(): readonly OverlayModel[] {
    return [inView(this.#model, this.#client.size)];
  }

  input(event: InputEvent): 'consumed' {
    const { model, outcome } = updateFilterList(this.#model, event, this.#client.size);
    this.#model = model;
    if (outcome.kind === 'accept') this.#finish(Number(outcome.value));
    else if (outcome.kind === 'dismiss') this.#finish(undefined);
    else this.#overlays.refresh(this.#client);
    return 'consumed';
  }

  resize(): void {
    this.#overlays.refresh(this.#client);
  }

  close(): void {
    this.#finish(undefined);
  }

  #finish(id: number | undefined): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#overlays.close(this.#client, this);
    this.#done(id);
  }
}
