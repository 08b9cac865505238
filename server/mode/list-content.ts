/** What a picker lists: the items of its source in their order and through a filter, which of them are open, and tags. */
import type { ListState } from '../model/reopening.ts';
import { allItems, type ListItem, type ListLine, listLines } from './list-rows.ts';
import type { ListSource } from './list-source.ts';

export interface ListOrder {
  readonly sort?: string | undefined;
  readonly isReversed?: boolean | undefined;
  /** A format; undefined for all. */
  readonly filter?: string | undefined;
}

/** The part of a picker's state that says what is listed. */
export type ContentState = Pick<ListState, 'tags' | 'opened' | 'sort' | 'isReversed' | 'filter'>;

export class ListContent {
  readonly #source: ListSource;
  readonly #tags = new Set<string>();
  readonly #open = new Map<string, boolean>();
  #sort: number;
  #isReversed: boolean;
  #filter: string | undefined;
  #hasNoMatches = false;
  #items: readonly ListItem[] = [];
  #lines: readonly ListLine[] = [];

  constructor(source: ListSource, { sort, isReversed = false, filter }: ListOrder) {
    this.#source = source;
    this.#sort = Math.max(0, source.sorts.indexOf(sort ?? ''));
    this.#isReversed = isReversed;
    this.#filter = filter;
  }

  get state(): ContentState {
    return {
      tags: [...this.#tags],
      opened: [...this.#open],
      sort: this.#source.sorts[this.#sort] ?? null,
      isReversed: this.#isReversed,
      filter: this.#filter ?? null,
    };
  }

  /** Puts what `state` gave into this fresh one. */
  resume({ tags, opened, sort, isReversed, filter }: ContentState): void {
    for (const id of tags) this.#tags.add(id);
    for (const [id, isOpen] of opened) this.#open.set(id, isOpen);
    this.#sort = Math.max(0, this.#source.sorts.indexOf(sort ?? ''));
    this.#isReversed = isReversed;
    this.#filter = filter ?? undefined;
  }

  /** What is to be seen. */
  get lines(): readonly ListLine[] {
    return this.#lines;
  }

  get filter(): string | undefined {
    return this.#filter;
  }

  set filter(filter: string | undefined) {
    this.#filter = filter;
  }

  /** Order and filter in words, for the title. */
  get description(): string {
    const order = this.#source.sorts[this.#sort];
    const sort = order === undefined ? '' : ` (sort: ${order}${this.#isReversed ? ', reversed' : ''})`;
    const filter = this.#filter === undefined ? '' : ` (filter: ${this.#hasNoMatches ? 'no matches' : 'active'})`;
    return sort + filter;
  }

  /** Lists everything anew; tags of what is gone go. Where nothing passes the filter, all is listed. */
  build(): void {
    const view = {
      sort: this.#source.sorts[this.#sort] ?? '',
      isReversed: this.#isReversed,
      filter: this.#filter,
    };
    this.#items = this.#source.items(view);
    this.#hasNoMatches = this.#items.length === 0 && view.filter !== undefined;
    if (this.#hasNoMatches) this.#items = this.#source.items({ ...view, filter: undefined });
    const known = new Set(allItems(this.#items).map((item) => item.id));
    for (const tag of this.#tags) if (!known.has(tag)) this.#tags.delete(tag);
    this.#flatten();
  }

  #flatten(): void {
    this.#lines = listLines(this.#items, (item) => this.isOpen(item));
  }

  /** The next order; false where there is but one. */
  resort(): boolean {
    if (this.#source.sorts.length === 0) return false;
    this.#sort = (this.#sort + 1) % this.#source.sorts.length;
    return true;
  }

  reverse(): void {
    this.#isReversed = !this.#isReversed;
  }

  isOpen(item: ListItem): boolean {
    return this.#open.get(item.id) ?? item.startsOpen ?? false;
  }

  setOpen(item: ListItem, isOpen: boolean): void {
    this.#open.set(item.id, isOpen);
    this.#flatten();
  }

  openAll(isOpen: boolean): void {
    for (const item of allItems(this.#items)) if (item.children?.length) this.#open.set(item.id, isOpen);
    this.#flatten();
  }

  /** The outermost item that an item hangs on, or is. */
  topOf(item: ListItem | undefined): ListItem | undefined {
    return this.#items.find((top) => allItems([top]).some((each) => each === item));
  }

  isTagged({ id }: ListItem): boolean {
    return this.#tags.has(id);
  }

  /** The tagged items in the order of the list. */
  tagged(): readonly ListItem[] {
    return allItems(this.#items).filter(({ id }) => this.#tags.has(id));
  }

  /** Tags the item or takes its tag; those above and below it lose their tags, since they hold the same things. */
  toggleTag(item: ListItem): void {
    if (this.#tags.delete(item.id)) return;
    for (const other of allItems(this.#items)) {
      const isAbove = other !== item && allItems([other]).some(({ id }) => id === item.id);
      if (isAbove) this.#tags.delete(other.id);
    }
    for (const below of allItems(item.children ?? [])) this.#tags.delete(below.id);
    this.#tags.add(item.id);
  }

  /** Tags all items of the outermost level that is no heading. */
  tagAll(): void {
    const level = this.#items.some((item) => item.isHeading)
      ? this.#items.flatMap((item) => item.children ?? [])
      : this.#items;
    for (const item of level) if (!item.isHeading) this.#tags.add(item.id);
  }

  clearTags(): void {
    this.#tags.clear();
  }
}
