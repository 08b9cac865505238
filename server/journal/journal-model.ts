/**
 * What a journal's head says: the sessions, windows and panes of survival/model-state.ts as plain JSON, less what is of the
 * process. What may not be on disk is left out here: values that look like secrets, environments of clients, key bindings,
 * hooks and every option that runs something (they come from the config again).
 */
import type { Size } from '../../protocol/geometry.ts';
import { printLayout } from '../layout/layout-string.ts';
import type { Pane, PaneExit } from '../model/pane.ts';
import type { Registry } from '../model/registry.ts';
import { arrayMembers, type OptionSet } from '../options/option-set.ts';
import { optionEntry } from '../options/option-table.ts';
import { formatOptionValue } from '../options/option-value.ts';
import {
  type SavedEnviron,
  type SavedPane,
  type SavedSession,
  type SavedWindow,
  saveModel,
} from '../survival/model-state.ts';
import type { JournalOwner } from './journal-owner.ts';
import type { PaneFacts } from './pane-facts.ts';

/** Changes with any change of the head that another version could not read. */
export const JOURNAL_VERSION = 1;

/** Own options as text, as set-option takes it; members of arrays as `name[index]`. */
export type JournalOptions = readonly (readonly [name: string, text: string])[];

export interface JournalSession
  extends Pick<SavedSession, 'id' | 'name' | 'cwd' | 'created' | 'activity' | 'useOrder' | 'current' | 'previous'> {
  readonly group?: string | undefined;
  /** null: the variable is removed from what programs get. */
  readonly environ: readonly (readonly [name: string, value: string | null])[];
  readonly winlinks: readonly { readonly index: number; readonly window: number }[];
  readonly options: JournalOptions;
}

export interface JournalWindow extends Pick<SavedWindow, 'id' | 'name' | 'created' | 'size' | 'panes' | 'active'> {
  readonly manualSize?: Size | undefined;
  /** As `#{window_layout}`. */
  readonly layout: string;
  readonly zoomed?: number | undefined;
  readonly last?: number | undefined;
  readonly options: JournalOptions;
}

export interface JournalPane extends Pick<SavedPane, 'id' | 'title' | 'scrollback' | 'activeOrder' | 'inputOff'> {
  readonly cwd: string;
  /** Name of the program that ran in the foreground; '' if that was the shell. */
  readonly program: string;
  /** What the option allows to run again. */
  readonly command?: readonly string[] | undefined;
  /** `command` is what the pane was made with, not what was typed in its shell. */
  readonly isStart: boolean;
  /** Its program had ended and the pane stayed. */
  readonly exit?:
    | { readonly status?: number | undefined; readonly signal?: string | undefined; readonly time: number }
    | undefined;
  /** It never had a program (split-window -I). */
  readonly isEmpty: boolean;
  readonly options: JournalOptions;
}

export interface JournalHead {
  readonly version: typeof JOURNAL_VERSION;
  /** Grows with each head of the journal. */
  readonly serial: number;
  /** Seconds since the epoch. */
  readonly time: number;
  readonly owner: JournalOwner;
  readonly sessions: readonly JournalSession[];
  readonly windows: readonly JournalWindow[];
  readonly panes: readonly JournalPane[];
  readonly marked?: number | undefined;
  /** Names of files by keys of survival/screen-store.ts (`pane/3/screen`). */
  readonly files: readonly (readonly [key: string, file: string])[];
}

export type JournalModel = Pick<JournalHead, 'sessions' | 'windows' | 'panes' | 'marked'>;

/** Names of variables whose values stay out of the journal. */
const SECRET =
  /pass|secret|token|key|credential|auth|cookie|session|private|signature|salt|dsn|_url$|^(?:aws|azure|gcp|google|github|gitlab|npm|docker|pg|mysql)_/i;
/** Options that name something to run, other than hooks. */
const RUNS = new Set(['default-command', 'default-shell', 'lock-command', 'editor', 'copy-command']);
/** Longer texts of options and variables are left out. */
const TEXT_MAX = 16_384;

export interface ModelContext {
  readonly registry: Registry;
  readonly factsOf: (pane: Pane) => PaneFacts;
}

export function journalModel({ registry, factsOf }: ModelContext): JournalModel {
  const model = saveModel({ registry, clients: () => [], parsedTo: () => 0 });
  return {
    sessions: model.sessions.map((saved) => sessionOf(registry, saved)),
    windows: model.windows.map((saved) => windowOf(registry, saved)),
    panes: model.panes.flatMap((saved) => {
      const pane = registry.panes.get(saved.id);
      return pane ? [paneOf(pane, saved, factsOf(pane))] : [];
    }),
    marked: model.marked,
  };
}

function sessionOf(registry: Registry, saved: SavedSession): JournalSession {
  const { id, name, cwd, created, activity, useOrder, current, previous, group, winlinks } = saved;
  const options = registry.sessions.get(id)?.options;
  const environ = environOf(saved.environ, options?.strings('update-environment') ?? []);
  const links = winlinks.map(({ index, window }) => ({ index, window }));
  const own = options ? journalOptions(options) : [];
  return {
    id,
    name,
    cwd,
    created,
    activity,
    useOrder,
    current,
    previous,
    group,
    environ,
    winlinks: links,
    options: own,
  };
}

function windowOf(registry: Registry, saved: SavedWindow): JournalWindow {
  const { id, name, created, size, panes, active, manualSize, zoomed, last, layout } = saved;
  const options = registry.windows.get(id)?.options;
  const own = options ? journalOptions(options) : [];
  return {
    id,
    name,
    created,
    size,
    panes,
    active,
    manualSize,
    zoomed,
    last,
    layout: printLayout(layout),
    options: own,
  };
}

function paneOf(pane: Pane, saved: SavedPane, facts: PaneFacts): JournalPane {
  const { id, title, scrollback, activeOrder, inputOff, state } = saved;
  const exit = state.kind === 'dead' && !isLost(state) ? exitOf(state) : undefined;
  const options = journalOptions(pane.options);
  return { id, title, scrollback, activeOrder, inputOff, ...facts, exit, isEmpty: state.kind === 'empty', options };
}

/** Whether a program ended with the pty host and not by itself. */
export function isLost({ status, signal }: PaneExit): boolean {
  return status === undefined && signal === undefined;
}

function exitOf({ status, signal, time }: PaneExit): PaneExit {
  return { status, signal, time };
}

/** What a client brings along (update-environment) is of its terminal, and is brought again. */
function environOf(environ: SavedEnviron, brought: readonly string[]): JournalSession['environ'] {
  return environ.flatMap(([name, { value, hidden }]) => {
    if (hidden || brought.includes(name) || !mayKeepVariable(name, value ?? null)) return [];
    return [[name, value ?? null] as const];
  });
}

/** Whether a variable may be in a journal; asked when it is written and again when it is read. */
export function mayKeepVariable(name: string, value: string | null): boolean {
  return !SECRET.test(name) && (value?.length ?? 0) <= TEXT_MAX;
}

function journalOptions(set: OptionSet): JournalOptions {
  return [...set.ownValues].flatMap(([name, value]) => {
    const entry = optionEntry(name);
    const texts: (readonly [string, string])[] =
      typeof value === 'object'
        ? arrayMembers(value).map(([index, member]) => [`${name}[${index}]`, formatOptionValue(entry, member)])
        : [[name, formatOptionValue(entry, value)]];
    return texts.filter(([full, text]) => mayKeepOption(full, text));
  });
}

/** Whether an option may be in a journal: none that runs something, whatever its place in the text. */
export function mayKeepOption(name: string, text: string): boolean {
  const plain = name.replace(/\[\d+\]$/, '');
  const entry = optionEntry(plain);
  if (!entry && !plain.startsWith('@')) return false;
  if (entry?.type === 'command' || entry?.hook || RUNS.has(plain)) return false;
  if (!entry && SECRET.test(plain)) return false;
  return !text.includes('#(') && text.length <= TEXT_MAX;
}
