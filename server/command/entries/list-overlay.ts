/** A list on a client from which one thing is chosen: menus, the command palette, what a search found. */
import type { Size } from '../../../protocol/geometry.ts';
import type { InputEvent } from '../../../protocol/key.ts';
import {
  createFilterList,
  type FilterItem,
  type FilterListModel,
  inView,
  resumeFilterList,
  updateFilterList,
} from '../../../src/overlay/filter-list.ts';
import type { OverlayModel, OverlayUpdate } from '../../../src/overlay/overlay.ts';
import { type ClientOverlay, type ClientSession, overlayTracking } from '../../model/client-session.ts';
import type { FilterState, Reopening } from '../../model/reopening.ts';
import type { OverlayServices } from './context.ts';

/** What is listed, how keys change it, and who is told of the choice. */
export interface ListRequest<Model extends OverlayModel> {
  readonly purpose: string;
  readonly model: Model;
  readonly update: (model: Model, event: InputEvent, size: Size) => OverlayUpdate<Model>;
  /** What of a long list is sent to a client of `size`; the whole where it is absent. */
  readonly inView?: (model: Model, size: Size) => Model;
  readonly tracking: 'drag' | 'motion';
  /** The number of what was chosen, or undefined when the list was dismissed. Called once. */
  readonly done: (chosen: number | undefined) => void;
  /** How the next server lists it again; absent where it does not. */
  readonly reopening?: (model: Model) => Reopening | undefined;
}

export class ListOverlay<Model extends OverlayModel> implements ClientOverlay {
  readonly purpose: string;
  readonly #overlays: OverlayServices;
  readonly #client: ClientSession;
  readonly #request: ListRequest<Model>;
  #model: Model;
  #isDone = false;

  constructor(overlays: OverlayServices, client: ClientSession, request: ListRequest<Model>) {
    this.purpose = request.purpose;
    this.#overlays = overlays;
    this.#client = client;
    this.#request = request;
    this.#model = request.model;
  }

  get mouseTracking() {
    return overlayTracking(this.#client, this.#request.tracking);
  }

  models(): readonly OverlayModel[] {
    return [this.#request.inView?.(this.#model, this.#client.size) ?? this.#model];
  }

  input(event: InputEvent): 'consumed' {
    const { model, outcome } = this.#request.update(this.#model, event, this.#client.size);
    this.#model = model;
    if (outcome.kind === 'accept') this.#finish(Number(outcome.value));
    else if (outcome.kind === 'dismiss') this.#finish(undefined);
    else this.#overlays.refresh(this.#client);
    return 'consumed';
  }

  reopening(): Reopening | undefined {
    return this.#request.reopening?.(this.#model);
  }

  resize(): void {
    this.#overlays.refresh(this.#client);
  }

  close(): void {
    this.#finish(undefined);
  }

  #finish(chosen: number | undefined): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#overlays.close(this.#client, this);
    this.#request.done(chosen);
  }
}

/** A list on a client that is narrowed by typing; `done` gets the chosen item's id, once. */
export function createFilterOverlay(
  overlays: OverlayServices,
  client: ClientSession,
  { purpose, title, items, isPager = false, done, reopening, reopened }: FilterRequest,
): ClientOverlay {
  const fresh = createFilterList(title, items, { isPager });
  const model = reopened ? resumeFilterList(fresh, reopened) : fresh;
  return new ListOverlay(overlays, client, {
    purpose,
    model,
    update: updateFilterList,
    inView,
    tracking: 'drag',
    done,
    reopening: (now) => reopening?.(filterState(now)),
  });
}

function filterState({ editor, items, matches, highlight }: FilterListModel): FilterState {
  const item = items[matches[highlight] ?? -1];
  const highlighted = item ? { text: item.text, detail: item.detail } : null;
  return { kind: 'filter', text: editor.text, cursor: editor.cursor, highlighted };
}

/** A list that typing narrows. */
export interface FilterRequest {
  readonly purpose: string;
  readonly title: string;
  readonly items: readonly FilterItem[];
  /** See createFilterList. */
  readonly isPager?: boolean;
  /** The chosen item's id, or undefined when it was dismissed. Called once. */
  readonly done: (id: number | undefined) => void;
  /** How the next server lists it again; absent where it does not. */
  readonly reopening?: (state: FilterState) => Reopening | undefined;
  /** What the list was under an earlier server. */
  readonly reopened?: FilterState | undefined;
}
