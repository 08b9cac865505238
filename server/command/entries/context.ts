/** What a command may reach. Rows take a CommandContext; everything else of the server is behind `services`. */

import type { Point } from '../../../protocol/geometry.ts';
import type { Key } from '../../../protocol/key.ts';
import type { CallerTerminal } from '../../../protocol/message.ts';
import type { FlowQueue } from '../../../src/flow/flow-queue.ts';
import type { ExpandOptions } from '../../format/format-expand.ts';
import type { FormatContext } from '../../format/format-variables.ts';
import type { Job, JobRequest } from '../../jobs/job.ts';
import type { RunningJob } from '../../jobs/job-gate.ts';
import type { KeyTables } from '../../keys/key-table.ts';
import type { MouseEvent, MousePlace } from '../../keys/mouse-keys.ts';
import type { ClientOverlay, ClientSession } from '../../model/client-session.ts';
import type { Environ } from '../../model/environ.ts';
import type { Lifecycle, PaneFactory } from '../../model/lifecycle.ts';
import type { Pane } from '../../model/pane.ts';
import type { Registry } from '../../model/registry.ts';
import type { ReopenedState, Reopening } from '../../model/reopening.ts';
import type { Session, Winlink } from '../../model/session.ts';
import type { CommandEntry } from '../command.ts';
import type { CommandQueue } from '../command-queue.ts';
import type { Argument, ParsedCommand } from '../parser.ts';
import type { PromptHistory } from '../prompt-history.ts';
import type { CurrentState, Target } from '../target.ts';
import type { WaitChannels } from '../wait-channels.ts';
import type { LanguageResult } from './language.ts';

export type Entry = CommandEntry<CommandContext>;
export type Queue = CommandQueue<ItemState>;

/** Who gave a command: where its output and errors go, and what it may ask of the caller. */
export interface Caller {
  readonly kind: 'call' | 'client' | 'config' | 'hook' | 'control';
  /** Its commands change nothing: formats run no `#()` for it. */
  readonly onlyLooks?: boolean;
  /** The caller's working directory; new panes start there unless told otherwise. */
  readonly cwd: string | undefined;
  /** The caller's environment, for update-environment and targets. */
  readonly environ: Environ | undefined;
  /** The same as `NAME=value`, nothing dropped. */
  readonly callerEnviron: readonly string[];
  readonly terminal: CallerTerminal | undefined;
  readonly pid: number | undefined;
  /** Called under tmux's name: only tmux's variables count. */
  readonly asTmux?: boolean;
  /** A whole text, lines ended by newline. */
  print(text: string): void;
  /** The same for what is no text; absent where only text can be told. */
  printBytes?(bytes: Uint8Array): void;
  error(message: string): void;
  /** Exit status of the call, when no error says otherwise. */
  setExitCode(code: number): void;
  /** Goes on as an attached client of `session`; undefined where there is no terminal to attach. */
  readonly attach: ((request: AttachRequest) => ClientSession) | undefined;
  /** Standard input of the call (load-buffer -, source-file -, split-window -I). */
  readonly readStdin: (() => Promise<Uint8Array>) | undefined;
  /** Calls back when nobody is there any more who could hear of the end; gives what calls it off. */
  readonly whenGone?: (callback: () => void) => () => void;
  /** Told before and after each command, what hooks and blocks bring included: control mode frames its replies. */
  readonly block?: { begin(isHook: boolean): void; end(isError: boolean): void };
}

export interface AttachRequest {
  readonly session: Session;
  readonly readOnly: boolean;
  readonly ignoreSize: boolean;
}

/** The state that goes with each queued command. */
export interface ItemState {
  readonly caller: Caller;
  /** The attached client that a key was pressed on, or that an earlier command of the call attached. */
  client: ClientSession | undefined;
  /** What an absent target means; computed afresh for each command when undefined. new-session sets it for those after. */
  current: CurrentState | undefined;
  readonly mouse: MouseState | undefined;
  /** The key whose binding this is (send-keys without a key sends it on). */
  readonly key?: Key | undefined;
  /** The file and line that errors name. */
  readonly isHook: boolean;
  /** Format variables of a hook (`hook`, `hook_session`, …), `current_file` of a config file. */
  readonly variables: Readonly<Record<string, string>> | undefined;
  /** How many files led here by source-file; 0 if absent. */
  readonly sourceDepth?: number;
  /** The command opens what it opened under an earlier server; not handed on to commands that follow from it. */
  readonly reopened?: ReopenedState | undefined;
}

/** The mouse event that ran a command. */
export interface MouseState {
  readonly pane: Pane | undefined;
  readonly session: Session | undefined;
  /** The window whose name in the status line was hit. */
  readonly winlink: Winlink | undefined;
  /** Cell in the pane, or of the status lines. */
  readonly x: number;
  readonly y: number;
  readonly isOnStatus: boolean;
  readonly event: MouseEvent;
  /** Where the button went down, for a drag, whose first event tells already how far it went. */
  readonly from?: MouseOrigin | undefined;
}

export interface MouseOrigin {
  /** Cell in the pane. */
  readonly x: number;
  readonly y: number;
  /** Cell of the client's screen. */
  readonly clientX: number;
  readonly clientY: number;
}

export interface CommandContext {
  readonly services: Services;
  readonly registry: Registry;
  readonly caller: Caller;
  readonly state: ItemState;
  readonly queue: Queue;
  readonly current: CurrentState;
  /** The row's -t; throws if the row declares none. */
  readonly target: Target;
  readonly targetIfAny: Target | undefined;
  /** The row's -s. */
  readonly source: Target;
  readonly sourceIfAny: Target | undefined;
  /** The client that -c (or -t of client commands) names, else the one the command came from or the last used. */
  readonly client: ClientSession | undefined;
  readonly mouse: MouseState | undefined;
  /** What the mode or overlay had become that this command opened under an earlier server. */
  readonly reopened: ReopenedState | undefined;
  /** What the command made or went to (the new pane): hooks that follow it are about this; the target if undefined. */
  outcome: Target | undefined;
  print(line: string): void;
  /** How the next server opens again what this command opened; with `args` in place of its own. */
  reopening(state: ReopenedState, args?: readonly Argument[]): Reopening | undefined;
  /** Runs commands right after this one. */
  insert(commands: readonly ParsedCommand[], change?: Partial<ItemState>): void;
  /** Parses a command string, which is one sequence also over several lines; an error is a message. */
  parse(text: string): LanguageResult;
  /** Parses a file's text: each line is a sequence of its own, and errors name the file. */
  parseFile(text: string, file: string, how: { readonly assigns: boolean }): LanguageResult;
  /** Checks commands that were changed after parsing (a template filled in), as `parse` does. */
  check(commands: readonly ParsedCommand[]): LanguageResult;
  /** The commands of words and blocks with `;` between them, as bind-key's arguments. */
  parseArguments(words: readonly Argument[]): LanguageResult;
  /** Expands a format about the target, or about what is given; with `time`, strftime(3) conversions as well. */
  expand(format: string, about?: Partial<FormatContext>, options?: Pick<ExpandOptions, 'time' | 'trace'>): string;
}

/** How the prompts and pictures that commands open reach a client. */
export interface OverlayServices {
  open(client: ClientSession, overlay: ClientOverlay): void;
  close(client: ClientSession, overlay: ClientOverlay): void;
  refresh(client: ClientSession): void;
}

/** A session that was lost with the machine or the pty host and can come back. */
export interface LostSession {
  readonly name: string;
  readonly windows: number;
  /** When it was written to disk last, seconds since the epoch. */
  readonly time: number;
  /** It may be that of a living server in another container. */
  readonly isElsewhere: boolean;
  /** Names of programs that ran in it. */
  readonly programs: readonly string[];
}

export interface LostSessions {
  list(): Promise<readonly LostSession[]>;
  /** Brings sessions back by their names, all of the newest journal if there are none; a message if that cannot be. */
  bringBack(names: readonly string[]): Promise<readonly Session[] | string>;
  /** Forgets them all; gives how many there were. */
  forget(): Promise<number>;
  /** Asks at a client; false if there is nothing to ask or the client is not free. */
  ask(client: ClientSession): Promise<boolean>;
}

export interface Services {
  readonly registry: Registry;
  readonly lifecycle: Lifecycle;
  readonly panes: PaneFactory;
  readonly keys: KeyTables;
  readonly overlays: OverlayServices;
  /** Questions that programs ask. */
  readonly flows: { readonly queue: FlowQueue<ClientSession> };
  readonly lostSessions: LostSessions;
  readonly entries: readonly Entry[];
  /** Lines entered at prompts. */
  readonly promptHistory: PromptHistory;
  /** The channels of wait-for. */
  readonly channels: WaitChannels;
  /** ms, monotonic. */
  now(): number;
  /** Runs `callback` once after a time; the returned function calls it off. */
  after(delayMs: number, callback: () => void): () => void;
  /** Starts `shell -c command` with the environment of a session. */
  startJob(request: Pick<JobRequest, 'command'> & Partial<JobRequest> & { session?: Session | undefined }): Job;
  /** The newest first. */
  runningJobs(): readonly RunningJob[];
  /** Moves a client to a session, or detaches it with the reason that it prints. */
  switchClient(client: ClientSession, session: Session): void;
  detachClient(client: ClientSession, how?: { readonly command?: string }): void;
  /**
   * Shows a line in a client's status row for a time (display-time if absent), 0 ms: until a key is pressed. A key takes
   * it away in any case, unless it ignores them.
   */
  showMessage(
    client: ClientSession,
    text: string,
    options?: { readonly delayMs?: number | undefined; readonly ignoresKeys?: boolean },
  ): void;
  /** Shows output of a command in a pane's view mode. */
  showOutput(client: ClientSession, text: string): void;
  /** The queue that a client's keys run on. */
  queueOf(client: ClientSession): Queue;
  /** A queue of its own, for background work. */
  newQueue(): Queue;
  /** Sends a key to a pane as if typed: its mode's key table first when `viaTables`. */
  sendKey(pane: Pane, key: string, client?: ClientSession): void;
  /** Goes on as if a key had been pressed at the client, after what its queue still has to do. */
  typeKey(client: ClientSession, key: Key): void;
  /** Hands a mouse event to a pane's mode, else to its program if it asked for such events. */
  sendMouse(pane: Pane, mouse: MouseState, client?: ClientSession): void;
  paste(pane: Pane, text: string, options: { readonly bracketed: boolean }): void;
  /** Row of the client's screen where the window begins (below a status line on top). */
  windowTop(client: ClientSession): number;
  /** What the mouse means at a cell of the client's screen; undefined for nothing. */
  placeAt(client: ClientSession, point: Point): MousePlace | undefined;
  /** Makes the clipboard of the client's terminal a buffer, when it has answered. False if it cannot be asked. */
  fetchClipboard(client: ClientSession): boolean;
  redraw(client: ClientSession): void;
  redrawStatus(client: ClientSession): void;
  shutdown(): void;
  /** A new server takes over: of this script, or of the one that this server was started from. */
  upgrade(script: string | undefined): void;
}
