/**
 * What travels between our own clients and the server on the command and attach socket.
 *
 * Every frame is `u32 length (big endian, of what follows), u8 type, body`. Types below FIRST_PACKED have a fixed layout
 * of length-prefixed strings that a small program in any language can speak (see codec.ts); the rest carry one
 * msgpack value. HELLO is frame 0 in both directions and its layout never changes.
 */
import type { Damage } from './damage.ts';
import type { Size } from './geometry.ts';
import type { InputEvent } from './key.ts';
import type { FeatureChanges } from './terminal-features.ts';

export const FRAME_TYPE = {
  hello: 0,
  command: 1,
  stdin: 2,
  stdout: 3,
  stderr: 4,
  exit: 5,
  handover: 6,
  stdinEnd: 7,
  /** The server asks for the call's standard input (load-buffer -, source-file -); sent at most once. */
  wantStdin: 8,
  packed: 16,
} as const;

/** Changes when an older peer could not follow; minor grows with additions that an older peer may ignore. */
export const PROTOCOL_MAJOR = 1;
export const PROTOCOL_MINOR = 5;
/** The first minor whose clients know `notice` and `notice-end`; earlier ones get a bell. */
export const NOTICE_MINOR = 1;
/** The first minor whose clients know `clipboard-read`. */
export const CLIPBOARD_READ_MINOR = 2;
/** The first minor whose clients know `pane-notice`; earlier ones get a bell. */
export const PANE_NOTICE_MINOR = 4;
export const PROTOCOL_MAGIC = 'MPLX';

/** The `seq` of frames that need no `frame-ack`; the first other one is 1. Clients before 1.5 acknowledge it, which counts for nothing. */
export const NO_ACK = 0;

/** A frame from a client is at most this long (bytes); one from the server 16 MiB. */
export const CLIENT_FRAME_MAX = 1 << 20;
export const SERVER_FRAME_MAX = 1 << 24;

/** A text longer than this is not put into a terminal's clipboard, bytes: terminals cut or refuse it. */
export const CLIPBOARD_MAX = 512 * 1024;
/** A longer text of a terminal's clipboard, or of a buffer, is not given to a program that asks, bytes. */
export const CLIPBOARD_READ_MAX = 128 * 1024;

export interface Hello {
  readonly kind: 'hello';
  readonly major: number;
  readonly minor: number;
  readonly pid: number;
  /** The program's version, for messages. */
  readonly version: string;
}

/** The terminal a command line call was made from. */
export interface CallerTerminal {
  readonly size: Size;
  /** Path of the tty, `/dev/pts/3`. */
  readonly tty: string;
  readonly term: string;
}

/** One call of the command line. */
export interface CommandCall {
  readonly kind: 'command';
  readonly argv: readonly string[];
  readonly cwd: string;
  /** `NAME=value` strings. */
  readonly environ: readonly string[];
  readonly pid: number;
  /** Present if standard input and output are a terminal that could be attached. */
  readonly terminal: CallerTerminal | undefined;
  readonly flags: CallFlags;
}

export interface CallFlags {
  /** -N: do not start a server. */
  readonly noStart: boolean;
  /** -2: assume 256 colours. -u: assume UTF-8. */
  readonly colors256: boolean;
  readonly utf8: boolean;
  /** Called under the name `tmux`. */
  readonly asTmux: boolean;
  /** -C (1) or -CC (2); reserved. */
  readonly control: 0 | 1 | 2;
}

/** The command needs the caller's terminal: go on as an attached client, on this connection or a new one. */
export interface Handover {
  readonly kind: 'handover';
  /** Names the client that the server prepared. */
  readonly token: string;
}

/** What the outer terminal can do, asked for by the client with a time limit. */
export interface TerminalCapabilities {
  readonly term: string;
  /** XTVERSION's text, cleaned; '' if unanswered. */
  readonly name: string;
  readonly colors: 16 | 256 | 'rgb';
  /** DECSET 2026 is known. */
  readonly synchronizedOutput: boolean;
  readonly styledUnderlines: boolean;
  readonly hyperlinks: boolean;
  readonly clipboard: boolean;
  /** It can tell all modifiers of keys, in one way or another. */
  readonly extendedKeys: boolean;
  /** It answered the kitty keyboard protocol's question. */
  readonly kittyKeys: boolean;
  /** DECSET 2031 is known: it tells when it turns dark or light. */
  readonly themeReports: boolean;
  /** By its own word (DECSET 2031) or by its background (OSC 11); undefined if it told neither. */
  readonly theme: 'dark' | 'light' | undefined;
  /** Its colours, 0xRRGGBB (OSC 10 and 11). */
  readonly foreground: number | undefined;
  readonly background: number | undefined;
  /** A cell in pixels (CSI 16 t, CSI 14 t). */
  readonly cellPixels: { readonly width: number; readonly height: number } | undefined;
}

export type ClientMessage =
  | {
      readonly kind: 'attach';
      readonly token: string;
      readonly size: Size;
      readonly capabilities: TerminalCapabilities;
    }
  /** Sent again when an answer of the terminal comes after `attach`. */
  | { readonly kind: 'capabilities'; readonly capabilities: TerminalCapabilities }
  | { readonly kind: 'input'; readonly events: readonly InputEvent[] }
  | { readonly kind: 'resize'; readonly size: Size }
  /** The terminal's answer to `clipboard-read`. */
  | { readonly kind: 'clipboard-text'; readonly serial: number; readonly text: string }
  /** Frame `seq` has been written to the terminal; the next may come. */
  | { readonly kind: 'frame-ack'; readonly seq: number }
  /** Overlay `seq` has been painted. A dialog's arming is counted from here. */
  | { readonly kind: 'overlay-ack'; readonly seq: number }
  /** The client gives up by itself (SIGHUP, SIGTERM). */
  | { readonly kind: 'bye' };

export type ExitReason =
  | { readonly kind: 'detached'; readonly session: string }
  | { readonly kind: 'exited' }
  | { readonly kind: 'server-exited' }
  | { readonly kind: 'terminated' }
  | { readonly kind: 'error'; readonly message: string };

/** An overlay's model as it travels; src/overlay knows what each kind holds. */
export interface OverlayValue {
  readonly kind: string;
}

/** Ways of calling, options flow-notify and pane-notify without `off`. */
export const NOTICE_KINDS = ['bell', 'osc9', 'osc777', 'osc99', 'auto'] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

export type ServerMessage =
  /**
   * The first damage after attach, a resize or refresh-client starts from a blank frame of `damage.size`. A frame whose
   * `seq` is NO_ACK is not acknowledged.
   */
  | { readonly kind: 'frame'; readonly seq: number; readonly damage: Damage }
  /** What lies over the frame now: later in the list is on top. Empty removes all. */
  | { readonly kind: 'overlay'; readonly seq: number; readonly overlays: readonly OverlayValue[] }
  | { readonly kind: 'bell' }
  /** Call the person: a program asks something (option flow-notify). `serial` names the call for its end. */
  | {
      readonly kind: 'notice';
      readonly serial: number;
      readonly how: NoticeKind;
      readonly title: string;
      readonly body: string;
    }
  /** A program in a pane has something to tell (option pane-notify); a later one of the same pane may replace it. */
  | {
      readonly kind: 'pane-notice';
      readonly pane: number;
      readonly how: NoticeKind;
      readonly title: string;
      readonly body: string;
    }
  /** What the call was about is settled: it goes if the terminal can take it back. */
  | { readonly kind: 'notice-end'; readonly serial: number }
  /** Put text into the outer clipboard (OSC 52); `selection` is `c`, `p` or ''. */
  | { readonly kind: 'clipboard'; readonly selection: string; readonly text: string }
  /** Ask the terminal for its clipboard (OSC 52); `serial` names the question. There may be no answer. */
  | { readonly kind: 'clipboard-read'; readonly serial: number }
  /** Run a command on the client's terminal in place of the client (detach-client -E, lock); the client execs `shell -c`. */
  | { readonly kind: 'exec'; readonly shell: string; readonly command: string }
  | { readonly kind: 'suspend' }
  /**
   * Options of the server that the client acts on, sent after attach and when they change: escape-time in ms, and what
   * terminal-features and terminal-overrides say of its terminal.
   */
  | { readonly kind: 'settings'; readonly escapeTimeMs: number; readonly features: FeatureChanges }
  | { readonly kind: 'exit'; readonly reason: ExitReason };
