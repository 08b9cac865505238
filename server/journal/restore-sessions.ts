/** Makes sessions of a journal again, beside those that are there: ids and names that are taken are passed over. */
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { mapPanes, paneRect } from '../layout/layout-cell.ts';
import { parseLayout } from '../layout/layout-string.ts';
import type { PaneRequest } from '../model/lifecycle.ts';
import type { Pane } from '../model/pane.ts';
import type { Registry } from '../model/registry.ts';
import type { Session } from '../model/session.ts';
import type { Window } from '../model/window.ts';
import { OptionSet } from '../options/option-set.ts';
import type { PaneIo } from '../panes/pane-io.ts';
import { addSession, addWindow, fillWindow } from '../survival/model-restore.ts';
import { readScreen } from '../survival/screen-store.ts';
import { packedLines } from '../terminal/packed-text.ts';
import type { JournalHead, JournalOptions, JournalPane, JournalSession, JournalWindow } from './journal-model.ts';
import { allowedCommand, commandThenShell } from './resurrect-commands.ts';

/** Text is put into a pane in parts of about this size, characters. */
const PART_CHARACTERS = 64 * 1024;

export interface SessionsContext {
  readonly registry: Registry;
  readonly panes: Pick<PaneIo, 'adopt' | 'revive'>;
  /** A remark for show-messages and the log. */
  readonly say: (line: string) => void;
}

/** A pane that has no program yet. */
export interface RestoredPane {
  readonly pane: Pane;
  readonly session: Session;
  readonly saved: JournalPane;
}

export interface RestoredSessions {
  /** The one used last comes last. */
  readonly sessions: readonly Session[];
  readonly panes: readonly RestoredPane[];
}

export interface RestoreRequest {
  readonly head: JournalHead;
  readonly names: readonly string[];
  /** A session that will be closed: its name is free. */
  readonly instead?: Session | undefined;
}

/** Makes the sessions of these names, all of them if none are given; their panes are empty and without programs. */
export function restoreSessions(context: SessionsContext, { head, names, instead }: RestoreRequest): RestoredSessions {
  const { registry } = context;
  const wanted = head.sessions
    .filter(({ name }) => names.length === 0 || names.includes(name))
    .sort((a, b) => a.id - b.id);
  const shown = new Set(wanted.flatMap(({ winlinks }) => winlinks.map(({ window }) => window)));
  const windows = head.windows.filter(({ id }) => shown.has(id)).sort((a, b) => a.id - b.id);
  const held = new Set(windows.flatMap((window) => window.panes));
  const panes = head.panes.filter(({ id }) => held.has(id)).sort((a, b) => a.id - b.id);
  const ids = takeIds(registry, { sessions: wanted, windows, panes });
  const made = new Map(windows.map((window) => [window.id, restoreWindow(registry, window, ids)]));
  const savedPanes = new Map(panes.map((pane) => [pane.id, pane]));
  const pairs = windows.flatMap((window) =>
    window.panes.flatMap((id) => {
      const saved = savedPanes.get(id);
      const into = made.get(window.id);
      return saved && into ? [{ saved, pane: restorePane(context, { saved, into, window, ids }) }] : [];
    }),
  );
  for (const window of windows) fillWindow(registry, savedWindow(window, ids, panes));
  const groups = new Map<string, string>();
  const byId = new Map(wanted.map((saved) => [saved, restoreSession(context, { saved, ids, groups, instead })]));
  const sessions = [...byId]
    .sort(([a], [b]) => a.useOrder - b.useOrder)
    .map(([saved, session]) => {
      registry.touch(session);
      session.activity = saved.activity;
      return session;
    });
  const marked = head.marked === undefined ? undefined : ids.pane(head.marked);
  if (marked !== undefined && !registry.mark) registry.setMark(registry.panes.get(marked));
  for (const session of byId.values()) registry.emit('session-created', { session });
  registry.markAll();
  return { sessions, panes: pairs.flatMap(({ saved, pane }) => withSession(saved, pane)) };
}

function withSession(saved: JournalPane, pane: Pane): RestoredPane[] {
  const [winlink] = pane.window.winlinks;
  return winlink ? [{ pane, session: winlink.session, saved }] : [];
}

/** Puts what the pane showed back into it, as text. */
export function restoreText(
  { say }: Pick<SessionsContext, 'say'>,
  { pane, saved }: RestoredPane,
  blobs: ReadonlyMap<string, Buffer>,
): void {
  let fault: string | undefined;
  const damaged = (error: unknown) => {
    fault ??= `text of %${pane.id} came back in part: ${error instanceof Error ? error.message : error}`;
  };
  try {
    const screen = readScreen(blobs, saved.id);
    if (!screen) return;
    let part = '';
    for (const line of packedLines(screen.terminal, damaged)) {
      part += `${line}\r\n`;
      if (part.length < PART_CHARACTERS) continue;
      pane.emulator.write(Buffer.from(part));
      part = '';
    }
    // The next line begins where the cursor is.
    pane.emulator.write(Buffer.from(part.slice(0, -2)));
  } catch (error) {
    damaged(error);
  }
  if (fault !== undefined) say(fault);
}

/** Gives the pane what it had: a shell or the command that is allowed, in its directory; nothing where nothing ran. */
export function restoreProgram(context: SessionsContext, restored: RestoredPane, kept: string): void {
  const { pane, saved } = restored;
  if (saved.isEmpty) pane.state = { kind: 'empty' };
  else if (saved.exit) {
    const { status, signal, time } = saved.exit;
    pane.lastExit = { status, signal, time };
    pane.state = { kind: 'dead', status, signal, time };
  } else startAgain(context, restored, kept);
  context.registry.markPane(pane);
}

/** A pane, and what ran in it. */
export interface Program {
  readonly pane: Pane;
  readonly session: Session;
  readonly saved: Pick<JournalPane, 'cwd' | 'program' | 'command' | 'isStart'>;
}

/** Starts a shell, or the command that may run again, below a line that says `kept` and what ran. */
export function startAgain(
  { registry, panes, say }: SessionsContext,
  { pane, session, saved }: Program,
  kept: string,
): void {
  const { isStart, program } = saved;
  // What the journal says was allowed when it was written is asked again: it may have been written by anybody.
  const allowed = registry.serverOptions.strings('resurrect-commands');
  const command = saved.command && allowedCommand(allowed, { words: saved.command, isExact: !isStart });

  const cwd = nearestDirectory(saved.cwd);
  if (cwd !== saved.cwd) say(`%${pane.id}: ${saved.cwd} is missing, started in ${cwd}`);
  const shell = session.options.string('default-shell');
  const after = session.options.string('default-command');
  const typed = command && !isStart ? commandThenShell(command, { shell, after }) : [];
  const argv = command && isStart ? command : typed;
  const request: PaneRequest = { id: pane.id, session, window: pane.window, command: { argv, cwd } };
  const notes = [kept];
  if (program !== '') notes.push(command ? `${program} runs again` : `${program} ran here`);
  if (cwd !== saved.cwd) notes.push(`${saved.cwd} is missing`);
  panes.revive(pane, request, noteLine(notes));
  pane.command = { argv: isStart ? argv : [], cwd };
  registry.markWindow(pane.window);
}

/** A line of ours in a pane. */
export function noteLine(parts: readonly string[]): string {
  return `── ${parts.join(' · ')} ──`;
}

/** The directory, or the nearest one above it that is there. */
function nearestDirectory(path: string): string {
  for (let at = path; ; at = dirname(at)) {
    if (at === dirname(at)) return at;
    try {
      if (statSync(at).isDirectory()) return at;
    } catch {
      // The one above is looked at next.
    }
  }
}

/** The ids that things of the journal get. */
interface Ids {
  readonly session: (id: number) => number;
  readonly window: (id: number) => number;
  readonly pane: (id: number) => number;
}

interface Numbered {
  readonly id: number;
}

function takeIds(
  registry: Registry,
  things: {
    readonly sessions: readonly Numbered[];
    readonly windows: readonly Numbered[];
    readonly panes: readonly Numbered[];
  },
): Ids {
  const { counters } = registry;
  const session = renumber(things.sessions, counters.session);
  const window = renumber(things.windows, counters.window);
  const pane = renumber(things.panes, counters.pane);
  registry.restoreCounters({ ...counters, session: session.next, window: window.next, pane: pane.next });
  return { session: session.id, window: window.id, pane: pane.id };
}

/** Where nothing has an id yet all keep theirs; else they get those that are free, in their order. */
function renumber(
  things: readonly Numbered[],
  free: number,
): { readonly id: (id: number) => number; readonly next: number } {
  const ids = new Map(things.map(({ id }, at) => [id, free === 0 ? id : free + at]));
  const next = [...ids.values()].reduce((most, id) => Math.max(most, id + 1), free);
  return { id: (id) => ids.get(id) ?? -1, next };
}

function restoreWindow(registry: Registry, saved: JournalWindow, ids: Ids): Window {
  const window = addWindow(registry, savedWindow(saved, ids, []), []);
  setOptions(window.options, saved.options);
  return window;
}

function savedWindow(saved: JournalWindow, ids: Ids, panes: readonly JournalPane[]): Parameters<typeof addWindow>[1] {
  const { id, name, created, size, manualSize } = saved;
  const pane = (one: number | undefined) => (one === undefined ? undefined : ids.pane(one));
  const mine = panes.filter((one) => saved.panes.includes(one.id));
  return {
    id: ids.window(id),
    name,
    created,
    activity: created,
    size,
    manualSize,
    panes: saved.panes.map(ids.pane),
    layout: mapPanes(layoutOf(saved), ids.pane),
    zoomed: pane(saved.zoomed),
    active: ids.pane(saved.active),
    last: pane(saved.last),
    nextActiveOrder: mine.reduce((most, one) => Math.max(most, one.activeOrder), 0) + 1,
    lastPreset: undefined,
    oldLayout: undefined,
  };
}

/** Checked when the head was read. */
function layoutOf({ id, layout }: JournalWindow) {
  const parsed = parseLayout(layout);
  if (!parsed.ok) throw new Error(`window ${id} of a journal: ${parsed.error}`);
  return parsed.layout;
}

function restorePane(
  { registry, panes }: SessionsContext,
  request: { readonly saved: JournalPane; readonly into: Window; readonly window: JournalWindow; readonly ids: Ids },
): Pane {
  const { saved, into, window, ids } = request;
  const rect = paneRect(layoutOf(window), saved.id, into.borderStatus);
  const size = { cols: rect?.width ?? window.size.cols, rows: rect?.height ?? window.size.rows };
  const pane = panes.adopt({
    id: ids.pane(saved.id),
    window: into,
    options: new OptionSet(into.options),
    command: { argv: [], cwd: saved.cwd },
    title: saved.title,
    size,
    scrollback: saved.scrollback,
    screen: undefined,
    start: { from: 0, knownTo: 0, handledTo: 0 },
    attach: undefined,
  });
  setOptions(pane.options, saved.options);
  // A pane beside a zoomed one gets no place before it is seen.
  if (rect) pane.rect = rect;
  pane.inputOff = saved.inputOff;
  pane.activeOrder = saved.activeOrder;
  registry.panes.set(pane.id, pane);
  into.insertPane(pane);
  return pane;
}

function restoreSession(
  { registry, say }: SessionsContext,
  request: {
    readonly saved: JournalSession;
    readonly ids: Ids;
    readonly groups: Map<string, string>;
    readonly instead: Session | undefined;
  },
): Session {
  const { saved, ids, groups, instead } = request;
  const others = [...registry.sessions.values()].filter((other) => other !== instead);
  const taken = (name: string) => others.some((other) => other.name === name);
  const name = freeName(saved.name, taken);
  if (name !== saved.name) say(`session ${saved.name} came back as ${name}`);
  const group = saved.group;
  if (group !== undefined && !groups.has(group)) {
    groups.set(
      group,
      freeName(group, (one) => [...registry.sessions.values()].some((other) => other.group === one)),
    );
  }
  const session = addSession(
    registry,
    {
      id: ids.session(saved.id),
      name,
      cwd: nearestDirectory(saved.cwd),
      created: saved.created,
      activity: saved.activity,
      useOrder: 0,
      lastAttached: undefined,
      group: group === undefined ? undefined : groups.get(group),
      environ: saved.environ.map(([key, value]) => [key, { value: value ?? undefined, hidden: false }]),
      winlinks: saved.winlinks.map(({ index, window }) => ({ index, window: ids.window(window), alerts: [] })),
      current: saved.current,
      previous: saved.previous,
    },
    [],
  );
  setOptions(session.options, saved.options);
  return session;
}

function freeName(name: string, isTaken: (name: string) => boolean): string {
  if (!isTaken(name)) return name;
  let at = 2;
  while (isTaken(`${name}-${at}`)) at++;
  return `${name}-${at}`;
}

/** What an option does not take is left at what it inherits. */
function setOptions(set: OptionSet, options: JournalOptions): void {
  for (const [name, text] of options) set.setText(name, text);
}
