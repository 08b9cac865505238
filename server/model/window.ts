import { contains, type Size } from '../../protocol/geometry.ts';
import { type BorderStatus, type LayoutCell, paneRects, singleLayout } from '../layout/layout-cell.ts';
import { type Direction, neighbour } from '../layout/layout-neighbours.ts';
import type { PresetName } from '../layout/layout-presets.ts';
import type { OptionSet } from '../options/option-set.ts';
import type { Pane } from './pane.ts';
import type { Winlink } from './session.ts';

export interface WindowInit {
  readonly id: number;
  readonly name: string;
  readonly size: Size;
  readonly options: OptionSet;
  /** Seconds since the epoch. */
  readonly created: number;
}

/** Panes that share a rectangle by a layout tree; one of them is active. */
export class Window {
  readonly id: number;
  name: string;
  readonly options: OptionSet;
  readonly created: number;
  /** Seconds since the epoch of the last output or input. */
  activity: number;
  size: Size;
  /** Set by resize-window: clients no longer decide. */
  manualSize: Size | undefined;
  /** In the order of their indexes. */
  readonly panes: Pane[] = [];
  readonly winlinks = new Set<Winlink>();
  /** The tree that all panes share, also while one of them is zoomed. */
  #layout: LayoutCell | undefined;
  #zoomed: Pane | undefined;
  #active: Pane | undefined;
  /** The pane that was active before; forgotten when it takes the place of an active one that is gone. */
  #last: Pane | undefined;
  #nextActiveOrder = 1;
  /** The preset that next-layout goes on from, and the layout before the last change (select-layout -o). */
  lastPreset: PresetName | undefined;
  oldLayout: string | undefined;

  constructor(init: WindowInit) {
    this.id = init.id;
    this.name = init.name;
    this.size = init.size;
    this.options = init.options;
    this.created = init.created;
    this.activity = init.created;
  }

  get active(): Pane {
    if (!this.#active) throw new Error(`window @${this.id} has no pane`);
    return this.#active;
  }

  /** The pane active before this one (`last-pane`). */
  get lastPane(): Pane | undefined {
    return this.#last;
  }

  get layout(): LayoutCell {
    if (!this.#layout) throw new Error(`window @${this.id} has no layout`);
    return this.#layout;
  }

  /** The tree that is seen: the zoomed pane alone, else the layout. */
  get visibleLayout(): LayoutCell {
    if (!this.#zoomed) return this.layout;
    return singleLayout(this.#zoomed.id, this.size);
  }

  get zoomed(): Pane | undefined {
    return this.#zoomed;
  }

  /** Panes that can be seen now. */
  get visiblePanes(): readonly Pane[] {
    return this.#zoomed ? [this.#zoomed] : this.panes;
  }

  /** The order number that the next pane to become active gets. */
  get nextActiveOrder(): number {
    return this.#nextActiveOrder;
  }

  /** Puts layout and focus back as they were, once all panes are in. */
  restoreFocus(state: {
    readonly layout: LayoutCell;
    readonly zoomed: Pane | undefined;
    readonly active: Pane | undefined;
    readonly last: Pane | undefined;
    readonly nextActiveOrder: number;
  }): void {
    this.#active = state.active ?? this.#active;
    this.#last = state.last;
    this.#nextActiveOrder = state.nextActiveOrder;
    this.#zoomed = state.zoomed;
    this.setLayout(state.layout);
  }

  paneById(id: number): Pane | undefined {
    return this.panes.find((pane) => pane.id === id);
  }

  /**
   * Puts a pane into the list after (or before) another, or at the end (or the beginning); the layout is the caller's.
   */
  insertPane(pane: Pane, beside?: Pane, before = false): void {
    pane.window = this;
    const first = beside ? this.panes.indexOf(beside) : before ? 0 : this.panes.length;
    const at = beside && !before ? first + 1 : first;
    this.panes.splice(at, 0, pane);
    this.#active ??= pane;
  }

  /** Takes a pane out of the list; the one active before it becomes active. The layout is the caller's. */
  removePane(pane: Pane): void {
    const at = this.panes.indexOf(pane);
    if (at < 0) return;
    if (this.#zoomed) this.unzoom();
    this.panes.splice(at, 1);
    const last = this.#last;
    if (last === pane) this.#last = undefined;
    if (this.#active !== pane) return;
    this.#active = last ?? this.panes[at - 1] ?? this.panes[at];
    this.#last = undefined;
    if (this.#active) this.#active.activeOrder = this.#nextActiveOrder++;
  }

  /** Makes a pane active; returns whether that changed anything. A zoomed window is left zoomed only on the same pane. */
  setActive(pane: Pane): boolean {
    if (pane === this.#active) return false;
    this.#last = this.#active;
    this.#active = pane;
    pane.activeOrder = this.#nextActiveOrder++;
    return true;
  }

  /** Exchanges two panes of the list, in this window or across windows; both keep their own layout cells' places. */
  static swapInLists(a: Pane, b: Pane): void {
    const [first, second] = [a.window, b.window];
    const [atFirst, atSecond] = [first.panes.indexOf(a), second.panes.indexOf(b)];
    first.panes[atFirst] = b;
    second.panes[atSecond] = a;
    a.window = second;
    b.window = first;
    if (first === second) return;
    for (const [window, gone, come] of [
      [first, a, b],
      [second, b, a],
    ] as const) {
      if (window.#last === gone || window.#active === gone) window.#last = undefined;
      if (window.#active === gone) window.#active = come;
    }
  }

  /** Puts the list of panes into another order, given by all their ids. */
  reorderPanes(ids: readonly number[]): void {
    const ordered = ids.flatMap((id) => this.paneById(id) ?? []);
    if (ordered.length === this.panes.length) this.panes.splice(0, this.panes.length, ...ordered);
  }

  /** Replaces the layout and puts every pane at its place. Returns the panes whose size changed. */
  setLayout(layout: LayoutCell): Pane[] {
    this.#layout = layout;
    return this.placePanes();
  }

  /** Shows the active pane alone; false if it is the only one or already zoomed. */
  zoom(pane: Pane): boolean {
    if (this.#zoomed || this.panes.length < 2) return false;
    this.#zoomed = pane;
    this.setActive(pane);
    this.placePanes();
    return true;
  }

  unzoom(): boolean {
    if (!this.#zoomed) return false;
    this.#zoomed = undefined;
    this.placePanes();
    return true;
  }

  /** Option pane-border-status. */
  get borderStatus(): BorderStatus {
    const status = this.options.choice('pane-border-status');
    return status === 'top' || status === 'bottom' ? status : 'off';
  }

  /** Gives each visible pane the rectangle of its cell, less the row of pane-border-status. Returns those resized. */
  placePanes(): Pane[] {
    const changed: Pane[] = [];
    for (const [id, rect] of paneRects(this.visibleLayout, this.borderStatus)) {
      const pane = this.paneById(id);
      if (pane?.moveTo(rect)) changed.push(pane);
    }
    return changed;
  }

  /** The pane beside one, around the edges; among several the one last active. */
  neighbour(pane: Pane, direction: Direction): Pane | undefined {
    const id = neighbour(this.layout, pane.id, direction, {
      usedAt: (other) => this.paneById(other)?.activeOrder ?? 0,
      status: this.borderStatus,
      order: this.panes.map((other) => other.id),
    });
    return id === undefined ? undefined : this.paneById(id);
  }

  /** The pane at a cell of the window, borders excluded. */
  paneAt(x: number, y: number): Pane | undefined {
    return this.visiblePanes.find((pane) => contains(pane.rect, { x, y }));
  }
}
