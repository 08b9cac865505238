/** What a format is about, and how a variable's row looks. */
import type { ClientSession } from '../model/client-session.ts';
import type { Pane } from '../model/pane.ts';
import type { PasteBuffer } from '../model/paste-buffers.ts';
import type { Registry } from '../model/registry.ts';
import type { Session, Winlink } from '../model/session.ts';
import type { Window } from '../model/window.ts';

/** What can be told of a pane's processes; undefined where the system does not tell. */
export interface PaneProcesses {
  /** Name of the foreground program of the terminal whose leader is `pid`. */
  foregroundCommand(pid: number): string | undefined;
  /** Working directory of that program. */
  workingDirectory(pid: number): string | undefined;
}

/** Where the mouse was: cells of the pane or of the status lines. */
export interface MouseSpot {
  readonly pane: Pane | undefined;
  readonly x: number;
  readonly y: number;
  readonly isOnStatus: boolean;
}

/** The place that a format is expanded for. What is left out follows from what is given: a client's session, and so on. */
export interface FormatContext {
  readonly registry: Registry;
  readonly client?: ClientSession | undefined;
  readonly session?: Session | undefined;
  readonly winlink?: Winlink | undefined;
  readonly window?: Window | undefined;
  readonly pane?: Pane | undefined;
  /** The buffer that is listed; the newest one if absent. */
  readonly buffer?: PasteBuffer | undefined;
  /** Variables of the moment: `hook`, `line`, `command`, `current_file`. */
  readonly extra?: Readonly<Record<string, string | undefined>> | undefined;
  /** The mouse event that led here. */
  readonly mouse?: MouseSpot | undefined;
  /** What `#()` stands for; nothing if absent. */
  readonly job?: ((command: string) => string) | undefined;
  readonly now: Date;
  /** What configs compare: tmux's version. */
  readonly version: string;
  readonly ownVersion?: string | undefined;
  /** The server's process. */
  readonly pid: number;
  readonly socketPath: string;
  /** The machine's name with its domain. */
  readonly host: string;
  readonly processes: PaneProcesses;
  /** The window's cell at the top left of a client that is smaller than the window. */
  readonly viewOffset?: ((client: ClientSession) => { readonly x: number; readonly y: number }) | undefined;
}

/** A context with everything found that follows from what it says. */
export interface FormatPlace extends FormatContext {
  /** What the format was asked for, before the rest was filled in. */
  readonly kind: 'pane' | 'window' | 'session' | 'none';
}

export function completePlace(context: FormatContext): FormatPlace {
  const kind = context.pane
    ? 'pane'
    : context.winlink || context.window
      ? 'window'
      : context.session
        ? 'session'
        : 'none';
  const givenWindow = context.window ?? context.winlink?.window ?? context.pane?.window;
  const session = context.session ?? context.winlink?.session ?? context.client?.session ?? sessionOf(givenWindow);
  const winlink = context.winlink ?? winlinkOf(session, givenWindow);
  const window = givenWindow ?? winlink?.window;
  const pane = context.pane ?? (window && window.panes.length > 0 ? window.active : undefined);
  return { ...context, kind, session, winlink, window, pane };
}

function sessionOf(window: Window | undefined): Session | undefined {
  if (!window) return undefined;
  let best: Session | undefined;
  for (const { session } of window.winlinks) if (!best || session.useOrder > best.useOrder) best = session;
  return best;
}

function winlinkOf(session: Session | undefined, window: Window | undefined): Winlink | undefined {
  if (!session || session.isEmpty) return undefined;
  return window ? session.find(window) : session.current;
}

/** One variable: a row of the table in tmux(1) FORMATS. */
export interface FormatVariable {
  readonly name: string;
  /** What it is replaced with. */
  readonly help: string;
  /** Its value at a place; undefined where it has none. Times are seconds since the epoch. */
  readonly get: (place: FormatPlace) => string | number | boolean | undefined;
}

/** Rows about one kind of thing: a row's value is undefined where that thing is not there. */
export function rowsAbout<Thing>(
  find: (place: FormatPlace) => Thing | undefined,
  rows: readonly (readonly [
    name: string,
    help: string,
    get: (thing: Thing, place: FormatPlace) => string | number | boolean | undefined,
  ])[],
): FormatVariable[] {
  return rows.map(([name, help, get]) => ({
    name,
    help,
    get: (place) => {
      const thing = find(place);
      return thing === undefined ? undefined : get(thing, place);
    },
  }));
}
