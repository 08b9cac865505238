import type { Frame, MouseTracking } from '../../protocol/frame.ts';
import type { Size } from '../../protocol/geometry.ts';
import type { InputEvent, Key } from '../../protocol/key.ts';
import type { ServerMessage, TerminalCapabilities } from '../../protocol/message.ts';
import type { OverlayModel } from '../../src/overlay/overlay.ts';
import type { Environ } from './environ.ts';
import type { Pane } from './pane.ts';
import type { Reopening } from './reopening.ts';
import type { Session } from './session.ts';
import type { Window } from './window.ts';

/** The way back to an attached client. */
export interface ClientTransport {
  send(message: ServerMessage): void;
  close(): void;
}

/** What commands read and change about a client in control mode: tmux(1) refresh-client. */
export interface ControlClient {
  /** refresh-client -C gave a size; before that the client does not count for the size of windows. */
  hasSize: boolean;
  /** Sizes for single windows. */
  readonly windowSizes: Map<Window, Size>;
  noOutput: boolean;
  waitExit: boolean;
  /** Output that waited for so long pauses its pane, ms. */
  pauseAfterMs: number | undefined;
  setPane(pane: Pane, state: 'on' | 'off' | 'pause' | 'continue'): void;
  subscribe(name: string, what: string, format: string): void;
  unsubscribe(name: string): void;
}

export interface ClientSessionInit {
  /** The tty's path, which is also the client's name. */
  readonly name: string;
  readonly pid: number;
  readonly size: Size;
  readonly term: string;
  readonly environ: Environ;
  readonly cwd: string;
  readonly readOnly: boolean;
  /** `ignore-size`: does not count for the size of windows. */
  readonly ignoreSize: boolean;
  /** Seconds since the epoch. */
  readonly created: number;
  readonly control?: ControlClient | undefined;
}

/** What lies over a client's panes and takes its keys: a prompt, a menu, a flow's dialog. */
export interface ClientOverlay {
  /** What it is for: `command-prompt`, `confirm-before`, `flow`, `message`. */
  readonly purpose: string;
  /** Mouse events that it wants; undefined: those that the panes want. */
  readonly mouseTracking?: MouseTracking | undefined;
  /** A live pane that it shows: output of it draws the client again. */
  readonly pane?: Pane;
  /** What the server itself draws over the panes, cursor and modes included (a popup). */
  draw?(frame: Frame): void;
  /**
   * true: it takes no key, and anything else may have its place (hints) · 'person': what the person opens by a key may.
   */
  readonly givesWay?: boolean | 'person';
  /** The picture; later ones are on top. */
  models(): readonly OverlayModel[];
  /** Takes a key, or passes it on to the panes. */
  input(event: InputEvent): 'consumed' | 'pass';
  /** The client went away or something else takes the place. */
  close(): void;
  /** The client has painted the newest models. */
  painted?(): void;
  /** How the next server opens it again; absent or undefined where it does not. */
  reopening?(): Reopening | undefined;
  resize?(size: Size): void;
}

/** Something that follows the mouse while a button is held. Coordinates are cells of the client's screen. */
export interface MouseDrag {
  move(x: number, y: number): void;
  end(x: number, y: number): void;
}

/** A line in the status row for a while (display-message). */
export interface StatusMessage {
  readonly text: string;
  /** When it goes, in ms of the monotonic clock; undefined: with the next key. */
  readonly until: number | undefined;
  /** Only time takes it away (display-message -N). */
  readonly ignoresKeys?: boolean;
}

/** An attached client as the server sees it: one terminal that shows one session. */
export class ClientSession {
  readonly name: string;
  readonly pid: number;
  readonly term: string;
  readonly environ: Environ;
  readonly cwd: string;
  readonly created: number;
  readOnly: boolean;
  ignoreSize: boolean;
  /** Present in control mode: there is no terminal. */
  readonly control: ControlClient | undefined;
  size: Size;
  capabilities: TerminalCapabilities | undefined;
  session: Session | undefined;
  lastSession: Session | undefined;
  /** Seconds since the epoch; also the order of "most recently used". */
  activity: number;
  /** Grows with each use, for a strict order within a second. */
  useOrder = 0;
  /** Prefix was pressed, or a switch-client -T table is in force; undefined: the session's key-table. */
  keyTable: string | undefined;
  /** Repeatable keys count until then (ms, monotonic). */
  repeatUntil = 0;
  message: StatusMessage | undefined;
  overlay: ClientOverlay | undefined;
  transport: ClientTransport | undefined;
  /** For programs and hooks (option focus-events). */
  focused = true;
  /** Whether the terminal has the focus, by its own word; undefined if it never told. */
  hasFocus: boolean | undefined;
  /** The pane of the last mouse event and where in it, for `{mouse}` targets. */
  mouse: { readonly pane: Pane | undefined; readonly x: number; readonly y: number; readonly key: Key } | undefined;
  /** The cell at the top left, chosen by refresh-client -U -D -L -R for a window larger than the client; for that window only. */
  pan: { readonly window: Window; readonly x: number; readonly y: number } | undefined;
  /** Follows the mouse while a button is held (resize-pane -M, a selection). */
  drag: MouseDrag | undefined;

  constructor(init: ClientSessionInit) {
    this.name = init.name;
    this.pid = init.pid;
    this.size = init.size;
    this.term = init.term;
    this.environ = init.environ;
    this.cwd = init.cwd;
    this.readOnly = init.readOnly;
    this.ignoreSize = init.ignoreSize;
    this.control = init.control;
    this.created = init.created;
    this.activity = init.created;
  }

  send(message: ServerMessage): void {
    this.transport?.send(message);
  }
}

/** The mouse events of an overlay that has a use for them: none of its own with option mouse off. */
export function overlayTracking({ session }: ClientSession, wanted: MouseTracking): MouseTracking | undefined {
  return session?.options.flag('mouse') ? wanted : undefined;
}

/**
 * Whether nothing can be put over the client's panes: it is in control mode, or something that does not give way is
 * there. `byPerson`: the person at the client opens it.
 */
export function isTaken({ control, overlay }: ClientSession, byPerson = false): boolean {
  if (control) return true;
  const givesWay = overlay?.givesWay ?? false;
  return overlay !== undefined && !(givesWay === true || (givesWay === 'person' && byPerson));
}
