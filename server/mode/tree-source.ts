/** What choose-tree lists: sessions, their windows and the windows' panes (tmux(1) choose-tree). */
import type { Row } from '../../protocol/cell.ts';
import type { Size } from '../../protocol/geometry.ts';
import type { Key } from '../../protocol/key.ts';
import type { Pane } from '../model/pane.ts';
import type { Registry } from '../model/registry.ts';
import type { Session, Winlink } from '../model/session.ts';
import { allItems, type ListItem, lineKey } from './list-rows.ts';
import type { ListAction, ListCall, ListSource, ListTemplate, ListView } from './list-source.ts';
import { drawPanes, previewAt } from './tree-preview.ts';

/** What a line stands for; more is given the deeper it is. */
export interface TreePlace {
  readonly session: Session;
  readonly winlink?: Winlink | undefined;
  readonly pane?: Pane | undefined;
}

export interface TreeServices {
  readonly registry: Registry;
  expand(format: string, place: TreePlace, extra?: Readonly<Record<string, string>>): string;
  isTrue(text: string): boolean;
  /** Runs a template with a target in place of `%%`; the target is also what the commands are about. */
  run(template: ListTemplate, target: string, call: ListCall, place: TreePlace): void;
}

export interface TreeOptions {
  /** -s: sessions closed · -w: windows closed · neither: all open. */
  readonly depth: 'session' | 'window' | 'pane';
  /** -F for every line; undefined for the usual. */
  readonly format: string | undefined;
  /** -K. */
  readonly keyFormat: string | undefined;
  readonly template: ListTemplate;
  /** -G: all sessions of a group. */
  readonly showsGroups: boolean;
  /** The picker's own pane. */
  readonly own: Pane;
}

const TITLE = '#{?#{&&:#{pane_title},#{!=:#{pane_title},#{host_short}}},: "#{pane_title}",}';
const FORMATS = {
  session: '#{session_windows} windows#{?session_grouped, (group #{session_group}),}#{?session_attached, (attached),}',
  window: `#{?window_marked_flag,#[reverse],}#{window_name}#{window_flags}#{?#{==:#{window_panes},1},${TITLE},}`,
  pane: `#{?pane_marked,#[reverse],}#{pane_current_command}#{?pane_active,*,}#{?pane_marked,M,}${TITLE}`,
};

export class TreeSource implements ListSource {
  readonly modeName = 'tree-mode';
  readonly sorts = ['index', 'name', 'time'];
  readonly actions: readonly ListAction[] = [
    { key: 'x', help: 'Kill', inMenu: true, run: (call) => this.#askKill(call, [call.item]) },
    { key: 'X', help: 'Kill Tagged', run: (call) => this.#askKill(call, call.list.tagged()) },
    { key: 'm', help: 'Mark', inMenu: true, run: ({ item }) => this.#mark(item) },
    { key: 'M', help: 'Clear Mark', run: () => this.#clearMark() },
    { key: ':', help: 'Command', inMenu: true, run: (call) => this.#askCommand(call) },
  ];
  readonly #services: TreeServices;
  readonly #options: TreeOptions;
  readonly #places = new Map<string, TreePlace>();

  constructor(services: TreeServices, options: TreeOptions) {
    this.#services = services;
    this.#options = options;
  }

  items(view: ListView): readonly ListItem[] {
    this.#places.clear();
    const sessions = ordered(this.#sessions(), view, {
      index: (session) => session.id,
      name: (session) => session.name,
      time: (session) => -session.activity,
    });
    return sessions.flatMap((session) => this.#sessionItem(session, view));
  }

  /** One session of each group, the own pane's if it is among them. */
  #sessions(): Session[] {
    const all = [...this.#services.registry.sessions.values()].filter((session) => !session.isEmpty);
    if (this.#options.showsGroups) return all;
    const own = [...this.#options.own.window.winlinks].map(({ session }) => session);
    return all.filter((session) => {
      if (session.group === undefined) return true;
      const group = all.filter((other) => other.group === session.group);
      return session === (group.find((other) => own.includes(other)) ?? group[0]);
    });
  }

  #sessionItem(session: Session, view: ListView): ListItem[] {
    const winlinks = ordered(session.winlinks, view, {
      index: ({ index }) => index,
      name: ({ window }) => window.name,
      time: ({ window }) => -window.activity,
    });
    const children = winlinks.flatMap((winlink) => this.#windowItem(session, winlink, view));
    if (children.length === 0) return [];
    const id = `$${session.id}`;
    const startsOpen = this.#options.depth !== 'session';
    return [{ ...this.#item(id, { session }, session.name), children, startsOpen }];
  }

  #windowItem(session: Session, winlink: Winlink, view: ListView): ListItem[] {
    const { window } = winlink;
    const panes = ordered(window.panes, view, {
      index: (pane) => pane.place,
      name: (pane) => pane.title,
      time: (pane) => -pane.activeOrder,
    }).filter((pane) => view.filter === undefined || this.#passes(view.filter, { session, winlink, pane }));
    if (panes.length === 0) return [];
    const id = `$${session.id}:${winlink.index}@${window.id}`;
    const base = window.options.number('pane-base-index');
    const place = { session, winlink };
    const content = window.name;
    const children = panes.map((pane) => this.#item(`${id}%${pane.id}`, { ...place, pane }, String(base + pane.place)));
    const item = { ...this.#item(id, place, String(winlink.index)), content };
    if (window.panes.length === 1) return [item];
    return [{ ...item, children, startsOpen: this.#options.depth === 'pane' }];
  }

  #passes(filter: string, place: TreePlace): boolean {
    return this.#services.isTrue(this.#services.expand(filter, place));
  }

  #item(id: string, place: TreePlace, name: string): ListItem {
    this.#places.set(id, place);
    const usual = place.pane ? FORMATS.pane : place.winlink ? FORMATS.window : FORMATS.session;
    return { id, name, text: this.#services.expand(this.#options.format ?? usual, place) };
  }

  /** The place of a line. */
  placeOf(item: ListItem): TreePlace | undefined {
    return this.#places.get(item.id);
  }

  lineKey(item: ListItem, at: number): Key | undefined {
    const { keyFormat } = this.#options;
    const place = this.placeOf(item);
    if (keyFormat === undefined || !place) return lineKey(at);
    return this.#services.expand(keyFormat, place, { line: String(at) }) || undefined;
  }

  choose(call: ListCall): boolean {
    const place = this.placeOf(call.item);
    if (place) this.#services.run(this.#options.template, targetOf(place), call, place);
    return true;
  }

  #askKill(call: ListCall, items: readonly ListItem[]): void {
    const [first] = items;
    const { list, client } = call;
    if (!client || !first) return;
    const place = this.placeOf(first);
    const kind = place ? kindOf(place) : '';
    const label = items.length === 1 ? `Kill ${kind} ${first.name}? ` : `Kill ${items.length} tagged? `;
    list.services.prompt(client, { label, kind: 'confirm' }, () => {
      const places = items.flatMap((item) => this.placeOf(item) ?? []);
      for (const each of places) this.#services.run(`kill-${kindOf(each)} -t '%%'`, targetOf(each), call, each);
    });
  }

  #mark(item: ListItem): void {
    const place = this.placeOf(item);
    const winlink = place?.winlink ?? place?.session.current;
    const { registry } = this.#services;
    registry.setMark(place?.pane ?? winlink?.window.active, winlink);
    registry.markAll();
  }

  #clearMark(): void {
    this.#services.registry.setMark(undefined);
    this.#services.registry.markAll();
  }

  #askCommand({ list, client, item, targets }: ListCall): void {
    if (!client) return;
    const tagged = list.tagged().length;
    const label = tagged > 0 ? `(${tagged} tagged) ` : '(current) ';
    list.services.prompt(client, { label, kind: 'text', history: 'command' }, (template) => {
      for (const target of targets) {
        const place = this.placeOf(target);
        if (place) this.#services.run(template, targetOf(place), { list, client, item, targets }, place);
      }
    });
  }

  preview(item: ListItem, rows: readonly Row[], { scroll }: { readonly scroll: number }): void {
    const place = this.placeOf(item);
    if (place) drawPanes(rows, previewOf(place, this.#services.registry), scroll);
  }

  /** A click on a window or pane of the preview chooses it. */
  clickPreview(call: ListCall, { x, size }: { readonly x: number; readonly size: Size }): boolean {
    const place = this.placeOf(call.item);
    if (!place || place.pane) return false;
    const at = previewAt(previewOf(place, this.#services.registry), { x, cols: size.cols });
    const child = call.item.children?.[at];
    if (!child) return false;
    const chosen = allItems([call.item]).find(({ id }) => id === child.id);
    return chosen !== undefined && this.choose({ ...call, item: chosen });
  }
}

/** What a place's preview shows: a session's windows, a window's panes, or one pane. */
function previewOf({ session, winlink, pane }: TreePlace, registry: Registry) {
  const options = session.options ?? registry.sessionOptions;
  const colors = {
    active: options.color('display-panes-active-colour'),
    other: options.color('display-panes-colour'),
  };
  if (pane) return { colors, parts: [{ pane, label: undefined, isActive: true }] };
  if (winlink) {
    const base = winlink.window.options.number('pane-base-index');
    const { panes } = winlink.window;
    return {
      colors,
      parts: panes.map((each) => ({
        pane: each,
        label: String(base + each.place),
        isActive: each === winlink.window.active,
      })),
    };
  }
  return {
    colors,
    parts: session.winlinks.map((each) => ({
      pane: each.window.active,
      label: `${each.index}:${each.window.name}`,
      isActive: each === session.current,
    })),
  };
}

function kindOf(place: TreePlace): 'pane' | 'window' | 'session' {
  return place.pane ? 'pane' : place.winlink ? 'window' : 'session';
}

/** A target that means this place whatever the names are: `=s:2.%5`. */
export function targetOf({ session, winlink, pane }: TreePlace): string {
  if (!winlink) return `=${session.name}:`;
  const window = `=${session.name}:${winlink.index}.`;
  return pane ? `${window}%${pane.id}` : window;
}

/** In the order of a field, the same fields by their place before. */
function ordered<Thing>(
  things: readonly Thing[],
  { sort, isReversed }: ListView,
  fields: Readonly<Record<string, (thing: Thing) => string | number>>,
): Thing[] {
  const field = fields[sort];
  const sorted = [...things];
  if (field) {
    sorted.sort((a, b) => {
      const [first, second] = [field(a), field(b)];
      return first < second ? -1 : first > second ? 1 : 0;
    });
  }
  return isReversed ? sorted.reverse() : sorted;
}
