/**
 * The kit of all pickers that take a pane (choose-tree, choose-buffer, choose-client, customize-mode): a list or tree with
 * keys, tags, search, filter and sort order above a preview of the chosen item. What is listed, how it is shown and what
 * is done with it is a ListSource.
 */
import { blankRow, copyCells, type Row, rowColumns } from '../../protocol/cell.ts';
import { type Cursor, HIDDEN_CURSOR } from '../../protocol/frame.ts';
import type { Key } from '../../protocol/key.ts';
import type { ClientSession } from '../model/client-session.ts';
import type { Pane } from '../model/pane.ts';
import type { ModeMouse, PaneMode } from '../model/pane-mode.ts';
import type { ListState, PromptState, Reopening } from '../model/reopening.ts';
import type { MouseEvent } from '../terminal/input-encoder.ts';
import { enterMode, leaveMode } from './copy-mode.ts';
import { ListContent } from './list-content.ts';
import { LIST_KEYS, type ListCommand, MENU_KEYS, MENU_NAMES } from './list-keys.ts';
import { type DrawnLine, drawList, listHeight } from './list-picture.ts';
import { type ListItem, type ListLine, lineKey, searchLines } from './list-rows.ts';
import type { ListServices, ListSource, MenuLine, OpenList } from './list-source.ts';

export interface ListModeInit {
  readonly services: ListServices;
  readonly pane: Pane;
  readonly source: ListSource;
  readonly sort?: string | undefined;
  readonly isReversed?: boolean;
  readonly filter?: string | undefined;
  /** Id of the item to begin at. */
  readonly start?: string | undefined;
  readonly hidePreview?: boolean;
  /** -Z: zoom the pane while the mode lasts. */
  readonly zoom?: boolean;
  /** How the next server opens it again. */
  readonly reopening?: ((state: ListState) => Reopening | undefined) | undefined;
  /** What it was under an earlier server. */
  readonly reopened?: ListState | undefined;
}

/** Two presses within this time are a double click, ms. */
const DOUBLE_MS = 700;
/** A burst of changes is taken up once, ms. */
const REFRESH_MS = 50;

class ListMode implements PaneMode, OpenList {
  readonly name: string;
  readonly keyTable = undefined;
  readonly pane: Pane;
  readonly services: ListServices;
  readonly #init: ListModeInit;
  readonly #source: ListSource;
  readonly #content: ListContent;
  readonly #unsubscribe: readonly (() => void)[];
  readonly #start: string | undefined;
  readonly #didZoom: boolean;
  #at = 0;
  #top = 0;
  #showsPreview: boolean;
  #previewScroll = 0;
  #search = '';
  /** The key that is being dealt with, and the prompt that it had led to under an earlier server. */
  #pressed: Key = '';
  #promptBefore: PromptState | undefined;
  #lastPress: { readonly id: string; readonly timeMs: number } | undefined;
  #cancelRefresh: (() => void) | undefined;
  #picture: Row[] | undefined;

  constructor(init: ListModeInit) {
    const { services, pane, source } = init;
    this.name = source.modeName;
    this.pane = pane;
    this.#init = init;
    this.services = {
      ...services,
      prompt: (client, prompt, done) => services.prompt(client, { ...prompt, ...this.#ofKey() }, done),
    };
    this.#source = source;
    this.#content = new ListContent(source, init);
    const { reopened } = init;
    this.#start = reopened ? (reopened.start ?? undefined) : init.start;
    this.#showsPreview = !init.hidePreview;
    this.#didZoom = reopened ? reopened.didZoom : init.zoom === true && pane.window.zoom(pane);
    if (reopened) this.#resume(reopened);
    else {
      this.#build();
      this.#goTo(init.start);
    }
    this.#unsubscribe = [
      services.registry.events.subscribe(({ name }) => {
        if (name !== 'pane-mode-changed') this.#refreshSoon();
      }),
      services.registry.buffers.changed.subscribe(() => this.#refreshSoon()),
    ];
  }

  reopening(): Reopening | undefined {
    return this.#init.reopening?.({
      kind: 'list',
      current: this.current?.id ?? null,
      start: this.#start ?? null,
      top: this.#top,
      ...this.#content.state,
      search: this.#search,
      showsPreview: this.#showsPreview,
      previewScroll: this.#previewScroll,
      didZoom: this.#didZoom,
    });
  }

  #resume(state: ListState): void {
    this.#content.resume(state);
    this.#search = state.search;
    this.#showsPreview = state.showsPreview;
    this.#build();
    this.#goTo(state.current ?? undefined);
    this.#top = state.top;
    this.#previewScroll = state.previewScroll;
    this.#keepInView();
  }

  promptAgain(key: Key, client: ClientSession, state: PromptState): void {
    this.#promptBefore = state;
    this.key(key, client);
    this.#promptBefore = undefined;
  }

  /** How a prompt that a key leads to is asked again. */
  #ofKey() {
    const key = this.#pressed;
    return {
      reopening: (state: PromptState): Reopening => ({ kind: 'key', pane: this.pane.id, key, state }),
      reopened: this.#promptBefore,
    };
  }

  get current(): ListItem | undefined {
    return this.#lines[this.#at]?.item;
  }

  get #lines(): readonly ListLine[] {
    return this.#content.lines;
  }

  drawRow(y: number, into: Row): void {
    this.#picture ??= this.#draw(rowColumns(into));
    const row = this.#picture[y];
    const cols = rowColumns(into);
    if (row && rowColumns(row) === cols) copyCells(row, 0, into, 0, cols);
    else copyCells(blankRow(cols), 0, into, 0, cols);
    // The rows of one frame are drawn from top to bottom; the next frame shows the previews as they are then.
    if (y === this.pane.size.rows - 1) this.#picture = undefined;
  }

  #draw(cols: number): Row[] {
    const { rows } = this.pane.size;
    const size = { cols, rows };
    const height = this.#listHeight();
    const item = this.current;
    return drawList({
      size,
      height,
      lines: this.#lines.slice(this.#top, this.#top + height).map((line, i) => this.#drawnLine(line, this.#top + i)),
      keyWidth: this.#lines.reduce((most, line, at) => Math.max(most, this.#keyOf(line, at)?.length ?? 0), 0),
      style: this.pane.options.string('mode-style'),
      title: this.#title(),
      preview:
        item && height < rows ? (into) => this.#source.preview(item, into, { scroll: this.#previewScroll }) : undefined,
    });
  }

  #drawnLine(line: ListLine, at: number): DrawnLine {
    const { item, branch, mark } = line;
    return {
      key: this.#keyOf(line, at),
      lead: branch + mark,
      name: item.name,
      text: item.text,
      isTagged: this.#content.isTagged(item),
      isCurrent: at === this.#at,
    };
  }

  #keyOf({ item }: ListLine, at: number): Key | undefined {
    return this.#source.lineKey ? this.#source.lineKey(item, at) : lineKey(at);
  }

  #title(): string {
    return `${this.current?.name ?? ''}${this.#content.description}`;
  }

  #listHeight(): number {
    return listHeight(this.pane.size, { lines: this.#lines.length, showsPreview: this.#showsPreview });
  }

  cursor(): Cursor {
    return { ...HIDDEN_CURSOR, x: 0, y: this.#at - this.#top, visible: this.#lines.length > 0 };
  }

  resize(): void {
    this.#picture = undefined;
    this.#keepInView();
  }

  key(key: Key, client: ClientSession | undefined): void {
    this.#pressed = key;
    const byLine = this.#lines.findIndex((line, at) => this.#keyOf(line, at) === key);
    if (byLine >= 0) {
      this.#at = byLine;
      this.#choose(client);
    } else if (!this.#own(key, client)) this.#act(key, client);
    this.#changed();
  }

  /** Keys that all pickers have. */
  #own(key: Key, client: ClientSession | undefined): boolean {
    const action = LIST_KEYS[key];
    if (!action) return false;
    this.#commands[action](client);
    return true;
  }

  readonly #commands: Readonly<Record<ListCommand, (client: ClientSession | undefined) => void>> = {
    up: () => this.#move(this.#at === 0 ? this.#lines.length - 1 : this.#at - 1),
    down: () => this.#move(this.#at === this.#lines.length - 1 ? 0 : this.#at + 1),
    'page-up': () => this.#move(Math.max(0, this.#at - this.#listHeight())),
    'page-down': () => this.#move(Math.min(this.#lines.length - 1, this.#at + this.#listHeight())),
    top: () => this.#move(0),
    bottom: () => this.#move(this.#lines.length - 1),
    expand: () => this.#expand(),
    collapse: () => this.#collapse(),
    'expand-all': () => this.#openAll(true),
    'collapse-all': () => this.#openAll(false),
    tag: () => this.#toggleTag(),
    'tag-none': () => this.#content.clearTags(),
    'tag-all': () => this.#content.tagAll(),
    sort: () => {
      if (this.#content.resort()) this.#build();
    },
    reverse: () => {
      this.#content.reverse();
      this.#build();
    },
    preview: () => this.#togglePreview(),
    'scroll-left': () => this.#scrollPreview(-1),
    'scroll-right': () => this.#scrollPreview(1),
    'go-to-start': () => this.#goTo(this.#start),
    search: (client) => this.#askSearch(client),
    'search-next': () => this.#searchNext(1),
    'search-previous': () => this.#searchNext(-1),
    filter: (client) => this.#askFilter(client),
    choose: (client) => this.#choose(client),
    exit: () => this.leave(),
  };

  #act(key: Key, client: ClientSession | undefined): void {
    const item = this.current;
    const action = this.#source.actions.find((each) => each.key === key);
    if (action && item) action.run({ list: this, client, item, targets: this.#targets(item) });
  }

  #targets(item: ListItem): readonly ListItem[] {
    const tagged = this.tagged();
    return tagged.length > 0 ? tagged : [item];
  }

  /** The tagged items in the order of the list. */
  tagged(): readonly ListItem[] {
    return this.#content.tagged();
  }

  #choose(client: ClientSession | undefined): void {
    const item = this.current;
    if (!item) return;
    if (item.isHeading) this.#setOpen(item, !this.#content.isOpen(item));
    else if (this.#source.choose({ list: this, client, item, targets: this.#targets(item) })) this.leave();
  }

  mouse(event: MouseEvent, at: ModeMouse, client: ClientSession | undefined): void {
    if (event.button === 'wheel-up') this.#move(Math.max(0, this.#at - 1));
    else if (event.button === 'wheel-down') this.#move(Math.min(this.#lines.length - 1, this.#at + 1));
    else if (event.action === 'press' && event.button === 'left') this.#press(at, client);
    else if (event.action === 'press' && event.button === 'right') this.#openMenu(at, client);
    this.#changed();
  }

  #press({ x, y }: ModeMouse, client: ClientSession | undefined): void {
    const height = this.#listHeight();
    const item = this.current;
    if (y >= height) {
      const { cols, rows } = this.pane.size;
      const size = { cols: cols - 4, rows: rows - height - 2 };
      const inside = { x: x - 2, y: y - height - 1, size };
      const call = item && { list: this, client, item, targets: [item] };
      if (call && this.#source.clickPreview?.(call, inside)) this.leave();
      return;
    }
    const line = this.#lines[this.#top + y];
    if (!line) return;
    const timeMs = this.services.registry.now() * 1000;
    const last = this.#lastPress;
    this.#lastPress = { id: line.item.id, timeMs };
    this.#at = this.#top + y;
    if (last?.id === line.item.id && timeMs - last.timeMs < DOUBLE_MS) {
      this.#lastPress = undefined;
      this.#choose(client);
    }
  }

  #openMenu({ y, clientX, clientY }: ModeMouse, client: ClientSession | undefined): void {
    const line = y < this.#listHeight() ? this.#lines[this.#top + y] : undefined;
    if (!client) return;
    if (line) this.#at = this.#top + y;
    const own = this.#source.actions.filter(({ inMenu }) => inMenu);
    const keys = line ? ['Enter', ...own.map(({ key }) => key), 't', 'q'] : [...MENU_KEYS];
    const lines: MenuLine[] = keys.map((key) => ({
      name: own.find((action) => action.key === key)?.help ?? MENU_NAMES[key] ?? key,
      key,
    }));
    const menu = { title: this.current?.name ?? '', lines, x: clientX, y: clientY };
    this.services.menu(client, menu, (index) => {
      const key = lines[index]?.key;
      if (key !== undefined && this.pane.mode === this) this.key(key, client);
    });
  }

  command(): string | undefined {
    return undefined;
  }

  variable(): string | undefined {
    return undefined;
  }

  close(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#cancelRefresh?.();
    if (this.#didZoom && this.pane.window.zoomed === this.pane) this.pane.window.unzoom();
  }

  leave(): void {
    leaveMode(this.services.registry, this.pane, this);
  }

  /** The things listed have changed. */
  refresh(): void {
    this.#build();
    this.#changed();
  }

  #refreshSoon(): void {
    this.#cancelRefresh ??= this.services.after(REFRESH_MS, () => {
      this.#cancelRefresh = undefined;
      this.refresh();
    });
  }

  /** Lists everything anew; the current item stays current. */
  #build(): void {
    const id = this.current?.id;
    this.#content.build();
    this.#comeTo(id);
  }

  /** The lines are others; the item is current if it is among them. */
  #comeTo(id: string | undefined): void {
    const at = this.#lines.findIndex(({ item }) => item.id === id);
    this.#at = at >= 0 ? at : Math.max(0, Math.min(this.#at, this.#lines.length - 1));
    this.#keepInView();
  }

  /** Opens an item's children, or closes them. */
  toggle(item: ListItem): void {
    if (item.children?.length) this.#setOpen(item, !this.#content.isOpen(item));
  }

  #setOpen(item: ListItem, isOpen: boolean): void {
    const id = this.current?.id;
    this.#content.setOpen(item, isOpen);
    this.#comeTo(id);
  }

  #move(at: number): void {
    this.#at = Math.max(0, at);
    this.#previewScroll = 0;
    this.#keepInView();
  }

  #keepInView(): void {
    const height = Math.max(1, this.#listHeight());
    this.#top = Math.max(0, Math.min(Math.max(this.#top, this.#at - height + 1), this.#at));
    if (this.#lines.length <= height) this.#top = 0;
  }

  #goTo(id: string | undefined): void {
    const at = this.#lines.findIndex(({ item }) => item.id === id);
    if (at >= 0) this.#move(at);
  }

  #expand(): void {
    const line = this.#lines[this.#at];
    if (!line?.item.children?.length) return;
    if (line.isOpen) this.#move(this.#at + 1);
    else this.#setOpen(line.item, true);
  }

  /** Closes the item, or the one it hangs on. */
  #collapse(): void {
    const line = this.#lines[this.#at];
    if (!line) return;
    if (line.isOpen) {
      this.#setOpen(line.item, false);
      return;
    }
    const parent = this.#lines.find(({ item }) => item.id === line.parent);
    if (!parent) return;
    this.#goTo(parent.item.id);
    this.#setOpen(parent.item, false);
  }

  #openAll(isOpen: boolean): void {
    const { current } = this;
    const top = isOpen ? undefined : this.#content.topOf(current);
    this.#content.openAll(isOpen);
    this.#comeTo(top?.id ?? current?.id);
  }

  #toggleTag(): void {
    const { current } = this;
    if (!current || current.isHeading) return;
    this.#content.toggleTag(current);
    this.#move(Math.min(this.#lines.length - 1, this.#at + 1));
  }

  #togglePreview(): void {
    this.#showsPreview = !this.#showsPreview;
    this.#keepInView();
  }

  #scrollPreview(step: 1 | -1): void {
    this.#previewScroll = Math.max(0, this.#previewScroll + step);
  }

  #askSearch(client: ClientSession | undefined): void {
    if (!client) return;
    this.services.prompt(client, { label: '(search) ', kind: 'text', history: 'search' }, (text) => {
      this.#search = text;
      this.#searchNext(1);
      this.#changed();
    });
  }

  #searchNext(step: 1 | -1): void {
    if (this.#search === '') return;
    const at = searchLines(this.#lines, this.#search, this.#at, step);
    if (at !== undefined) this.#move(at);
  }

  #askFilter(client: ClientSession | undefined): void {
    if (!client) return;
    const prompt = {
      label: '(filter) ',
      kind: 'text',
      history: 'search',
      initial: this.#content.filter ?? '',
    } as const;
    this.services.prompt(client, prompt, (text) => {
      this.#content.filter = text === '' ? undefined : text;
      this.refresh();
    });
  }

  #changed(): void {
    this.#picture = undefined;
    if (this.pane.mode === this) this.services.registry.markPane(this.pane);
  }
}

/** Puts a picker in front of a pane's screen. */
export function openList(init: ListModeInit): ListMode {
  const mode = new ListMode(init);
  enterMode(init.services.registry, init.pane, mode);
  return mode;
}
