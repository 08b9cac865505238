/**
 * Options that are set somewhere: on the server, globally, on a session, window or pane. A set asks its parent for what
 * it does not have itself; the three global sets (server, session, window) have every option of theirs.
 */
import { OBSOLETE_OPTIONS, OPTION_TABLE, type OptionEntry, type OptionScope, optionEntry } from './option-table.ts';
import {
  defaultMembers,
  defaultValue,
  formatOptionValue,
  LENIENT_CHECKS,
  type OptionChecks,
  type OptionValue,
  parseOptionValue,
} from './option-value.ts';
import { DEFAULT_STYLE_VALUE, DEFAULT_TEXT_STYLE, parseStyle, type Style } from './style.ts';

/** Members of an array option by index. Indices have gaps; `arrayMembers` gives them in order. */
export type OptionArray = ReadonlyMap<number, OptionValue>;

export type OptionResult = { readonly ok: true } | { readonly ok: false; readonly error: string };

/** An option as somebody wrote it: `status-format[1]`, `status-left-l`, `@mine`. */
export type OptionMatch =
  | {
      readonly kind: 'found';
      /** The full name, without an index. */
      readonly name: string;
      /** Undefined for a user option. */
      readonly entry: OptionEntry | undefined;
      readonly index: number | undefined;
    }
  /** Nothing may be set by this name. `obsolete`: it was an option once. */
  | { readonly kind: 'unknown'; readonly error: string; readonly obsolete: boolean };

export interface OptionChange {
  readonly name: string;
  readonly set: OptionSet;
}

export type OptionListener = (change: OptionChange) => void;

/** The greatest index of an array member that is taken. */
const INDEX_MAX = 4294967295;
const OK: OptionResult = { ok: true };

/** One place where options are set. Throws (a bug) when asked for a name that is in no table row. */
export class OptionSet {
  readonly parent: OptionSet | undefined;
  readonly #checks: OptionChecks;
  readonly #values = new Map<string, OptionValue | OptionArray>();
  readonly #listeners = new Set<OptionListener>();
  readonly #treeListeners = new Set<OptionListener>();

  /** `checks` are the parent's if left out. */
  constructor(parent?: OptionSet, checks?: OptionChecks) {
    this.parent = parent;
    this.#checks = checks ?? parent?.checks ?? LENIENT_CHECKS;
  }

  get checks(): OptionChecks {
    return this.#checks;
  }

  /** Everything that is set here, by full name. */
  get ownValues(): ReadonlyMap<string, OptionValue | OptionArray> {
    return this.#values;
  }

  /** The value set here, or undefined. */
  own(name: string): OptionValue | OptionArray | undefined {
    return this.#values.get(name);
  }

  /** The value that holds here: set here or, failing that, in the nearest parent. */
  get(name: string): OptionValue | OptionArray | undefined {
    for (let set: OptionSet | undefined = this; set; set = set.parent) {
      const value = set.#values.get(name);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  /** A string, style, key, choice or command option, or a user option ('' if that is not set). */
  string(name: string): string {
    const value = this.#single(name);
    return typeof value === 'string' ? value : '';
  }

  /** A number or colour option. */
  number(name: string): number {
    const value = this.#single(name);
    return typeof value === 'number' ? value : 0;
  }

  flag(name: string): boolean {
    return this.#single(name) === true;
  }

  /** A choice option's chosen name. */
  choice(name: string): string {
    const value = this.#single(name);
    return typeof value === 'string' ? value : '';
  }

  /** A colour option, as color.ts's Color. */
  color(name: string): number {
    return this.number(name);
  }

  /**
   * A style option that needs no expansion. Undefined if its text is a format (`#{...}`): expand `string(name)` and
   * parse that.
   */
  style(name: string): Style | undefined {
    const text = this.string(name);
    return text.includes('#{') ? undefined : parseStyle(text, DEFAULT_STYLE_VALUE, DEFAULT_TEXT_STYLE);
  }

  /** An array option's members, lowest index first. */
  array(name: string): [index: number, value: OptionValue][] {
    const value = this.get(name);
    return typeof value === 'object' ? arrayMembers(value) : [];
  }

  /** An array option's members as texts, lowest index first. */
  strings(name: string): string[] {
    return this.array(name).map(([, value]) => String(value));
  }

  /** The value of `name` or `name[index]` inside a format; undefined if there is none. */
  formatValue(spec: string): string | undefined {
    const { name, index } = splitIndex(spec);
    const value = this.get(name);
    if (value === undefined) return undefined;
    if (typeof value !== 'object') return index === undefined ? formatOptionValue(optionEntry(name), value) : undefined;
    if (index === undefined) return '';
    const member = value.get(index);
    return member === undefined ? '' : formatOptionValue(optionEntry(name), member);
  }

  /**
   * Sets an option from text, as `set-option` does. `text` undefined toggles. With `append` strings and styles grow,
   * and arrays get more members.
   */
  set(option: OptionMatch, text: string | undefined, { append = false }: { append?: boolean } = {}): OptionResult {
    if (option.kind === 'unknown') return { ok: false, error: option.error };
    const { name, entry, index } = option;
    if (!entry) return this.#setUser(name, index, text, append);
    if (entry.array) return this.#setArray(entry, index, text, append);
    if (index !== undefined) return notArray(name, index);
    const whole = append && text !== undefined ? this.#appended(entry, text) : text;
    const parsed = parseOptionValue(entry, whole, { current: this.#single(name), checks: this.#checks });
    if (!parsed.ok) return parsed;
    this.#store(name, parsed.value);
    return OK;
  }

  /** `set` by a name as somebody wrote it. */
  setText(name: string, text: string | undefined, options: { append?: boolean } = {}): OptionResult {
    return this.set(matchOption(name), text, options);
  }

  /** Sets an option by its full name to a value of its type; for the program itself. */
  setValue(name: string, value: OptionValue | OptionArray): void {
    this.#store(name, value);
  }

  /** Removes an option here: the parent's holds again; of a global set, the default. */
  unset(option: OptionMatch): OptionResult {
    if (option.kind === 'unknown') return { ok: false, error: option.error };
    const { name, entry, index } = option;
    if (index !== undefined) {
      const own = this.#values.get(name);
      if (!entry?.array) return notArray(name, index);
      if (typeof own !== 'object' || !own.has(index)) return OK;
      const rest = new Map(own);
      rest.delete(index);
      this.#store(name, rest);
      return OK;
    }
    if (entry && !this.parent) this.#store(name, initialValue(entry));
    else if (this.#values.delete(name)) this.#changed(name);
    return OK;
  }

  /** Names of the user options set here, in order. */
  userOptions(): string[] {
    return [...this.#values.keys()].filter((name) => name.startsWith('@')).sort(compareText);
  }

  /** Calls the listener after each change here. Changes of a parent are told by the parent only. */
  onChange(listener: OptionListener): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Calls the listener after each change here or in a set below; `change.set` is where it happened. */
  onTreeChange(listener: OptionListener): () => void {
    this.#treeListeners.add(listener);
    return () => {
      this.#treeListeners.delete(listener);
    };
  }

  #single(name: string): OptionValue | undefined {
    const value = this.get(name);
    if (value === undefined && !name.startsWith('@')) throw new Error(`no such option here: ${name}`);
    return typeof value === 'object' ? undefined : value;
  }

  #setUser(name: string, index: number | undefined, text: string | undefined, append: boolean): OptionResult {
    if (index !== undefined) return notArray(name, index);
    if (text === undefined) return { ok: false, error: 'empty value' };
    const old = append ? this.#values.get(name) : undefined;
    this.#store(name, (typeof old === 'string' ? old : '') + text);
    return OK;
  }

  #appended(entry: OptionEntry, text: string): string {
    const old = this.#values.get(entry.name);
    if ((entry.type !== 'string' && entry.type !== 'style') || typeof old !== 'string') return text;
    return entry.type === 'style' ? `${old},${text}` : old + text;
  }

  #setArray(entry: OptionEntry, index: number | undefined, text: string | undefined, append: boolean): OptionResult {
    if (text === undefined) return { ok: false, error: 'empty value' };
    const own = this.#values.get(entry.name);
    const old: OptionArray = typeof own === 'object' ? own : new Map();
    const members = new Map(index === undefined && !append ? [] : old);
    const put = (at: number, part: string): OptionResult => {
      const before = append && index !== undefined && entry.type === 'string' ? (old.get(at) ?? '') : '';
      const parsed = parseOptionValue(entry, `${before}${part}`, { current: undefined, checks: this.#checks });
      if (!parsed.ok) return parsed;
      members.set(at, parsed.value);
      return OK;
    };
    for (const part of index === undefined ? splitMembers(entry, text) : [text]) {
      const result = put(index ?? firstFree(members), part);
      if (!result.ok) return result;
    }
    this.#store(entry.name, members);
    return OK;
  }

  #store(name: string, value: OptionValue | OptionArray): void {
    this.#values.set(name, value);
    this.#changed(name);
  }

  #changed(name: string): void {
    const change = { name, set: this };
    for (const listener of [...this.#listeners]) listener(change);
    for (let set: OptionSet | undefined = this; set; set = set.parent) {
      for (const listener of [...set.#treeListeners]) listener(change);
    }
  }
}

/** A global set: every option of the scope at its default, or at the text that `overrides` gives by full name. */
export function globalOptions(
  scope: Exclude<OptionScope, 'pane'>,
  { overrides = {}, checks }: { overrides?: Readonly<Record<string, string>>; checks?: OptionChecks } = {},
): OptionSet {
  const set = new OptionSet(undefined, checks);
  for (const entry of OPTION_TABLE) if (entry.scopes.includes(scope)) set.setValue(entry.name, initialValue(entry));
  for (const [name, text] of Object.entries(overrides)) {
    const entry = optionEntry(name);
    if (entry?.scopes.includes(scope)) set.set({ kind: 'found', name, entry, index: undefined }, text);
  }
  return set;
}

/**
 * The defaults that depend on the environment: the shell, the editor, and vi keys if the editor is one of vi's family.
 * `shell` is the user's login shell where SHELL is of no use.
 */
export function environmentDefaults(
  environ: { readonly VISUAL?: string | undefined; readonly EDITOR?: string | undefined },
  shell: string,
): Readonly<Record<string, string>> {
  const editor = environ.VISUAL || environ.EDITOR;
  const defaults: Record<string, string> = { 'default-shell': shell };
  if (!editor) return defaults;
  const keys = editor.slice(editor.lastIndexOf('/') + 1).includes('vi') ? 'vi' : 'emacs';
  return { ...defaults, editor, 'status-keys': keys, 'mode-keys': keys };
}

function initialValue(entry: OptionEntry): OptionValue | OptionArray {
  return entry.array ? new Map(defaultMembers(entry).entries()) : defaultValue(entry);
}

/** An array's members, lowest index first. */
export function arrayMembers(array: OptionArray): [index: number, value: OptionValue][] {
  return [...array].sort(([a], [b]) => a - b);
}

function splitMembers(entry: OptionEntry, text: string): string[] {
  const separators = entry.array?.separators ?? '';
  if (separators === '') return text === '' ? [] : [text];
  const parts: string[] = [];
  let part = '';
  for (const character of `${text}${separators[0]}`) {
    if (!separators.includes(character)) part += character;
    else if (part !== '') {
      parts.push(part);
      part = '';
    }
  }
  return parts;
}

function firstFree(members: OptionArray): number {
  let index = 0;
  while (members.has(index)) index++;
  return index;
}

function notArray(name: string, index: number): OptionResult {
  return { ok: false, error: `not an array: ${name}[${index}]` };
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function splitIndex(spec: string): { name: string; index: number | undefined } {
  const match = spec.endsWith(']') ? /^(.*)\[(\d+)\]$/s.exec(spec) : undefined;
  if (!match) return { name: spec, index: undefined };
  return { name: match[1] ?? '', index: Math.min(Number(match[2]), INDEX_MAX) };
}

/** Finds what a written name means: `@mine`, a full name, a unique beginning of one, American spelling, an index. */
export function matchOption(spec: string): OptionMatch {
  const { name, index } = splitIndex(spec);
  const unknown = (kind: 'invalid' | 'ambiguous'): OptionMatch => ({
    kind: 'unknown',
    error: `${kind} option: ${spec}`,
    obsolete: OBSOLETE_OPTIONS.has(name),
  });
  if (name === '' || name === '@') return unknown('invalid');
  if (name.includes('[')) return unknown('ambiguous');
  if (name.startsWith('@')) return { kind: 'found', name, entry: undefined, index };
  const british = name.replace(/color/g, 'colour');
  const exact = optionEntry(name) ?? optionEntry(british);
  if (exact) return { kind: 'found', name: exact.name, entry: exact, index };
  if (OBSOLETE_OPTIONS.has(name)) return unknown('invalid');
  const fitting = OPTION_TABLE.filter((entry) => entry.name.startsWith(name) || entry.name.startsWith(british));
  // tmux's abbreviations mean what they meant, whatever options there are beside its own.
  const known = fitting.filter((entry) => !entry.own);
  const [found, another] = known.length > 0 ? known : fitting;
  if (another) return unknown('ambiguous');
  return found ? { kind: 'found', name: found.name, entry: found, index } : unknown('invalid');
}
