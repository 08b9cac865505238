/** What customize-mode lists: options with their values and key bindings (tmux(1) customize-mode). */
import { FG_BOLD, type Row, rowColumns } from '../../protocol/cell.ts';
import { wrapText } from '../../src/overlay/word-wrap.ts';
import { quoteForStyle } from '../format/format-text.ts';
import type { Pane } from '../model/pane.ts';
import type { Registry } from '../model/registry.ts';
import type { Session } from '../model/session.ts';
import { printOption } from '../options/option-list.ts';
import { matchOption, type OptionMatch, type OptionSet } from '../options/option-set.ts';
import { OPTION_TABLE, type OptionEntry } from '../options/option-table.ts';
import { drawPlain } from './buffer-source.ts';
import type { ListItem } from './list-rows.ts';
import type { ListAction, ListCall, ListSource, ListView } from './list-source.ts';

/** A key as it is bound. */
export interface BoundKey {
  readonly key: string;
  /** Commands as list-keys prints them. */
  readonly command: string;
  readonly note: string;
  readonly repeat: boolean;
}

export interface CustomizeServices {
  readonly registry: Registry;
  keyTables(): readonly { readonly name: string; readonly keys: readonly BoundKey[] }[];
  /** Binds a key anew; what is wrong with the command, or undefined. */
  bind(table: string, key: BoundKey): string | undefined;
  unbind(table: string, key: string): void;
  /** Binds a key as the server did when it started, or unbinds it. */
  resetKey(table: string, key: string): void;
  expand(format: string, extra: Readonly<Record<string, string>>): string;
  isTrue(text: string): boolean;
}

export interface CustomizeOptions {
  readonly session: Session;
  readonly pane: Pane;
  /** -F for every line; undefined for the usual. */
  readonly format: string | undefined;
}

/** Where an option may be set: `global` first. */
interface OptionPlace {
  readonly label: string;
  readonly set: OptionSet;
}

type Subject =
  | { readonly kind: 'option'; readonly entry: OptionEntry | undefined; readonly spec: string; readonly group: Group }
  | { readonly kind: 'key'; readonly table: string; readonly bound: BoundKey; readonly part: KeyPart | undefined };

type KeyPart = 'Command' | 'Note' | 'Repeat';
type Group = 'server' | 'session' | 'window';

const GROUPS: readonly { readonly id: Group; readonly name: string }[] = [
  { id: 'server', name: 'Server Options' },
  { id: 'session', name: 'Session Options' },
  { id: 'window', name: 'Window & Pane Options' },
];
const KEY_PARTS: readonly KeyPart[] = ['Command', 'Note', 'Repeat'];

export class CustomizeSource implements ListSource {
  readonly modeName = 'options-mode';
  readonly sorts = [];
  readonly actions: readonly ListAction[] = [
    { key: 's', help: 'Set', inMenu: true, run: (call) => this.#set(call, 'local') },
    { key: 'S', help: 'Set Global', inMenu: true, run: (call) => this.#set(call, 'global') },
    { key: 'w', help: 'Set Window', inMenu: true, run: (call) => this.#set(call, 'window') },
    { key: 'd', help: 'Set to Default', inMenu: true, run: (call) => this.#change(call, [call.item], 'default') },
    { key: 'D', help: 'Set Tagged to Default', run: (call) => this.#change(call, call.list.tagged(), 'default') },
    { key: 'u', help: 'Unset', inMenu: true, run: (call) => this.#change(call, [call.item], 'unset') },
    { key: 'U', help: 'Unset Tagged', run: (call) => this.#change(call, call.list.tagged(), 'unset') },
  ];
  readonly #services: CustomizeServices;
  readonly #options: CustomizeOptions;
  readonly #subjects = new Map<string, Subject>();

  constructor(services: CustomizeServices, options: CustomizeOptions) {
    this.#services = services;
    this.#options = options;
  }

  items({ filter }: ListView): readonly ListItem[] {
    this.#subjects.clear();
    const options = GROUPS.map(({ id, name }) => ({
      ...heading(name),
      children: this.#optionItems(id).filter((item) => this.#passes(item, filter)),
    }));
    const tables = this.#services.keyTables().map(({ name, keys }) => ({
      ...heading(`Key Table - ${name}`),
      children: keys.map((bound) => this.#keyItem(name, bound)).filter((item) => this.#passes(item, filter)),
    }));
    return [...options, ...tables].filter(({ children }) => children.length > 0);
  }

  #passes(item: ListItem, filter: string | undefined): boolean {
    if (filter === undefined) return true;
    const { expand, isTrue } = this.#services;
    return isTrue(expand(filter, this.#variables(item)));
  }

  /** The variables of filters and of -F. */
  #variables({ id, name }: ListItem): Record<string, string> {
    const subject = this.#subjects.get(id);
    if (subject?.kind === 'key') {
      const { bound } = subject;
      const about = { key: bound.key, key_command: bound.command, key_note: bound.note };
      return { is_option: '0', is_key: '1', ...about };
    }
    if (!subject) return { is_option: '0', is_key: '0' };
    const place = this.#placeOf(subject);
    return {
      is_option: '1',
      is_key: '0',
      option_name: name,
      option_is_global: place.label === 'global' ? '1' : '0',
      option_scope: place.label,
      option_unit: subject.entry?.unit ?? '',
      option_value: this.#valueOf(subject),
    };
  }

  #optionItems(group: Group): ListItem[] {
    const sets = this.#places(group, true).map(({ set }) => set);
    const own = [...new Set(sets.flatMap((set) => set.userOptions()))].sort();
    const user = own.map((name) => this.#optionItem({ kind: 'option', entry: undefined, spec: name, group }));
    const known = OPTION_TABLE.filter((entry) => !entry.hook && groupOf(entry) === group).map((entry) =>
      this.#optionItem({ kind: 'option', entry, spec: entry.name, group }),
    );
    return [...user, ...known];
  }

  #optionItem(subject: Extract<Subject, { kind: 'option' }>): ListItem {
    const { spec, group, entry } = subject;
    const id = `${group}:${spec}`;
    this.#subjects.set(id, subject);
    const isArray = entry?.array !== undefined && spec === entry.name;
    const members = isArray ? this.#placeOf(subject).set.array(spec) : [];
    const children = members.map(([index]) => this.#optionItem({ ...subject, spec: `${spec}[${index}]` }));
    const item = { id, name: spec, text: '', children };
    return { ...item, text: this.#textOf(item, subject, isArray) };
  }

  #textOf(item: ListItem, subject: Extract<Subject, { kind: 'option' }>, isArray: boolean): string {
    const { format } = this.#options;
    if (format !== undefined) return this.#services.expand(format, this.#variables(item));
    const place = this.#placeOf(subject);
    const where = place.label === 'global' ? '' : `#[reverse](${quoteForStyle(place.label)})#[default] `;
    if (isArray) return where.trimEnd();
    const unit = subject.entry?.unit === undefined ? '' : ` ${subject.entry.unit}`;
    return `${where}${quoteForStyle(this.#valueOf(subject) + unit)}`;
  }

  #keyItem(table: string, bound: BoundKey): ListItem {
    const id = `key:${table}:${bound.key}`;
    this.#subjects.set(id, { kind: 'key', table, bound, part: undefined });
    const values = { Command: bound.command, Note: bound.note, Repeat: bound.repeat ? 'on' : 'off' };
    const children = KEY_PARTS.map((part) => {
      const own = `${id}:${part}`;
      this.#subjects.set(own, { kind: 'key', table, bound, part });
      return { id: own, name: part, text: quoteForStyle(values[part]) };
    });
    return { id, name: bound.key, text: quoteForStyle(bound.note), content: bound.command, children };
  }

  /** The places of a group, the outermost first; of those that only a window has, without the pane. */
  #places(group: Group, hasPane: boolean): OptionPlace[] {
    const { registry } = this.#services;
    const { session, pane } = this.#options;
    if (group === 'server') return [{ label: 'global', set: registry.serverOptions }];
    if (group === 'session') {
      const own = { label: `session ${session.name}`, set: session.options };
      return [{ label: 'global', set: registry.sessionOptions }, own];
    }
    const window = { label: `window ${session.find(pane.window)?.index ?? ''}`, set: pane.window.options };
    const inner = hasPane ? [{ label: `pane ${pane.place}`, set: pane.options }] : [];
    return [{ label: 'global', set: registry.windowOptions }, window, ...inner];
  }

  #placesOf({ group, entry }: Extract<Subject, { kind: 'option' }>): OptionPlace[] {
    return this.#places(group, !entry || entry.scopes.includes('pane'));
  }

  /** Where the option's value comes from. */
  #placeOf(subject: Extract<Subject, { kind: 'option' }>): OptionPlace {
    const match = matchOption(subject.spec);
    const name = match.kind === 'found' ? match.name : subject.spec;
    const places = this.#placesOf(subject);
    const holds = places.findLast(({ set }) => set.own(name) !== undefined) ?? places[0];
    if (!holds) throw new Error(`no place for option ${subject.spec}`);
    return holds;
  }

  #valueOf(subject: Extract<Subject, { kind: 'option' }>): string {
    const { set } = this.#placeOf(subject);
    return (printOption(set, matchOption(subject.spec), { valuesOnly: true }) ?? []).join(' ');
  }

  choose(call: ListCall): boolean {
    this.#set(call, 'local');
    return false;
  }

  #set(call: ListCall, where: 'local' | 'global' | 'window'): void {
    const subject = this.#subjects.get(call.item.id);
    if (!subject) return;
    if (subject.kind === 'key') this.#setKey(call, subject);
    else {
      const places = this.#placesOf(subject);
      const place = where === 'global' ? places[0] : where === 'window' ? places[1] : places.at(-1);
      if (place && (where !== 'window' || subject.group === 'window')) this.#setOption(call, subject, place);
    }
  }

  /** A flag is turned over, a choice goes to the next, all else is asked for. */
  #setOption({ list, client }: ListCall, subject: Extract<Subject, { kind: 'option' }>, place: OptionPlace): void {
    const match = matchOption(subject.spec);
    if (match.kind === 'unknown' || (match.entry?.array && match.index === undefined)) return;
    const { entry } = subject;
    const value = this.#valueOf(subject);
    const put = (text: string) => {
      const result = place.set.set(match, text);
      if (!result.ok && client) list.services.showMessage(client, result.error);
      this.#services.registry.markAll();
      list.refresh();
    };
    if (entry?.type === 'flag') put(value === 'on' ? 'off' : 'on');
    else if (entry?.type === 'choice') {
      put(entry.choices[(entry.choices.indexOf(value) + 1) % entry.choices.length] ?? value);
    } else if (client) {
      const label = `(${subject.spec}${place.label === 'global' ? ', global' : `, for ${place.label}`}) `;
      list.services.prompt(client, { label, kind: 'text', initial: value }, put);
    }
  }

  #setKey({ list, client, item }: ListCall, { table, bound, part }: Extract<Subject, { kind: 'key' }>): void {
    const bind = (key: BoundKey) => {
      const error = this.#services.bind(table, key);
      if (error !== undefined && client) list.services.showMessage(client, error);
      list.refresh();
    };
    if (part === 'Repeat') bind({ ...bound, repeat: !bound.repeat });
    else if (part && client) {
      const initial = part === 'Command' ? bound.command : bound.note;
      list.services.prompt(client, { label: `(${bound.key}) `, kind: 'text', initial }, (text) =>
        bind(part === 'Command' ? { ...bound, command: text } : { ...bound, note: text }),
      );
    } else if (!part) list.toggle(item);
  }

  #change({ list, client }: ListCall, items: readonly ListItem[], to: 'default' | 'unset'): void {
    const [first] = items;
    if (!client || !first || !this.#subjects.has(first.id)) return;
    const what = items.length === 1 ? first.name : `${items.length} tagged`;
    const label = to === 'default' ? `Reset ${what} to default? ` : `Unset or unbind ${what}? `;
    list.services.prompt(client, { label, kind: 'confirm' }, () => {
      for (const { id } of items) this.#changeOne(id, to);
      this.#services.registry.markAll();
      list.refresh();
    });
  }

  #changeOne(id: string, to: 'default' | 'unset'): void {
    const subject = this.#subjects.get(id);
    if (!subject) return;
    if (subject.kind === 'key') {
      if (to === 'default') this.#services.resetKey(subject.table, subject.bound.key);
      else this.#services.unbind(subject.table, subject.bound.key);
      return;
    }
    const match: OptionMatch = matchOption(subject.spec);
    const sets = to === 'default' ? this.#placesOf(subject).map(({ set }) => set) : [this.#placeOf(subject).set];
    for (const set of sets) set.unset(match);
  }

  preview(item: ListItem, rows: readonly Row[]): void {
    const [first] = rows;
    const subject = this.#subjects.get(item.id);
    if (!first || !subject) return;
    const parts = subject.kind === 'key' ? keyFacts(subject.bound, subject.table) : this.#optionFacts(subject);
    const lines = parts.flatMap((part) => (part === '' ? [''] : wrapText(part, rowColumns(first))));
    for (const [y, row] of rows.entries()) drawPlain(row, lines[y] ?? '', y === 0 ? { fg: FG_BOLD, bg: 0 } : undefined);
  }

  #optionFacts(subject: Extract<Subject, { kind: 'option' }>): string[] {
    const { entry } = subject;
    const facts = [
      entry ? `${entry.help.charAt(0).toUpperCase()}${entry.help.slice(1)}.` : 'This is a user option.',
      '',
    ];
    if (entry) facts.push(`This is a ${entry.scopes.join(' and ')} option.`);
    if (entry?.array) facts.push('This is an array option.');
    if (entry?.type === 'choice') facts.push(`Available values are: ${entry.choices.join(', ')}`);
    const unit = entry?.unit === undefined ? '' : ` ${entry.unit}`;
    facts.push('');
    for (const { label, set } of this.#placesOf(subject).toReversed()) {
      const value = printOption(set, matchOption(subject.spec), { valuesOnly: true });
      if (value && value.length > 0) facts.push(`${capitalised(label)} value: ${value.join(' ')}${unit}`);
    }
    return facts;
  }
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function keyFacts({ note, repeat, command }: BoundKey, table: string): string[] {
  return [
    note === '' ? 'There is no note for this key.' : `${note}.`,
    '',
    `This key is in the ${table} table.`,
    `This key ${repeat ? 'repeats' : 'does not repeat'}.`,
    '',
    `Command: ${command}`,
  ];
}

function heading(name: string): ListItem {
  return { id: `heading:${name}`, name, text: '', isHeading: true };
}

function groupOf({ scopes }: OptionEntry): Group {
  return scopes.includes('server') ? 'server' : scopes.includes('session') ? 'session' : 'window';
}
