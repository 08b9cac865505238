/**
 * What a program may ask the person, and how it ends: the vocabulary that the control socket, the flow queue and
 * `mplex ask` share. Loads nothing, so that a command line call can use it.
 */

/** Most options of one choice (uiflow PLEXER_FLOW_OPTIONS_MAX). */
export const OPTIONS_MAX = 12;
/** Most code points of a title (uiflow PLEXER_FLOW_TITLE_MAX). */
export const TITLE_MAX = 200;
/** Most code points of a label or an option (uiflow PLEXER_FLOW_LABEL_MAX). */
export const LABEL_MAX = 200;
/** Most code points of a body (uiflow PLEXER_FLOW_TEXT_MAX). */
export const TEXT_MAX = 2000;
/** Most code points of a text answer and of `initial` (uiflow PLEXER_FLOW_ANSWER_MAX). */
export const ANSWER_MAX = 2000;
/** Seconds that a dialog may stay open, counted from its first paint. */
export const TIMEOUT_DEFAULT_S = 300;
export const TIMEOUT_MAX_S = 86_400;
/** Seconds that a `result` may hold its reply. */
export const WAIT_MAX_S = 60;
/** A control line is at most this long, in bytes, line end not counted. */
export const CONTROL_LINE_MAX = 256 * 1024;
/** Version of the control socket's contract. */
export const CONTROL_PROTOCOL = 1;

interface AskCommon {
  /** The asking pane, `%3`. */
  readonly pane?: string | undefined;
  /** A client's name, `/dev/pts/3`: nobody else is asked. */
  readonly client?: string | undefined;
  readonly title?: string | undefined;
  readonly body?: string | undefined;
  readonly label?: string | undefined;
  /** Seconds from the first paint. */
  readonly timeout?: number | undefined;
  /** Wait for a busy client. */
  readonly queue?: boolean | undefined;
  /** Wait for a client to attach. */
  readonly wait_client?: boolean | undefined;
  /** The flow id that this question follows in one conversation. */
  readonly after?: string | undefined;
  /** Seconds that it may wait unseen. */
  readonly expires?: number | undefined;
  /** The end tells who answered and when. */
  readonly meta?: boolean | undefined;
}

/** One question. Fields carry their names on the wire; sizes are already checked. */
export type Ask =
  | (AskCommon & {
      readonly kind: 'choice';
      readonly options: readonly string[];
      readonly default?: number | undefined;
      /** A letter for each option that answers with it at once; see `faultOfOptionKeys`. */
      readonly keys?: readonly string[] | undefined;
    })
  | (AskCommon & { readonly kind: 'text'; readonly initial?: string | undefined })
  | (AskCommon & { readonly kind: 'message' });

/** Letters that a choice has other uses for: they move, scroll and dismiss. */
const TAKEN_LETTERS = 'gjkq';

/** What is wrong with the letters of options: one small letter of a to z for each, none twice, none that moves or dismisses. */
export function faultOfOptionKeys(
  keys: readonly string[],
  options: number,
): { readonly index?: number; readonly message: string } | undefined {
  for (const [index, key] of keys.entries()) {
    if (!/^[a-z]$/.test(key) || TAKEN_LETTERS.includes(key)) {
      return { index, message: `must be a letter of a to z, and none of ${[...TAKEN_LETTERS].join(', ')}` };
    }
    if (keys.indexOf(key) < index) return { index, message: 'is there twice' };
  }
  if (keys.length === options) return undefined;
  return { message: `must be as many as the options (${options}), not ${keys.length}` };
}

/** How a question ended. A clock or a closed pane never gives a value. */
export type DialogOutcome =
  /** The option's index, the text, or null for an acknowledged message. */
  | { readonly outcome: 'ok'; readonly value: number | string | null; readonly by: 'key' }
  | {
      readonly outcome: 'cancelled';
      readonly by: 'escape' | 'interrupt' | 'asker' | 'pane_closed' | 'server';
    }
  | { readonly outcome: 'timeout'; readonly by: 'timeout' };

/** Who answered a question and when; ISO 8601 in UTC. What did not happen is left out. */
export interface DialogMeta {
  /** The client where it ended, and its terminal. */
  readonly client?: string;
  readonly tty?: string;
  readonly asked_at: string;
  /** A client had painted it. */
  readonly shown_at?: string;
  /** The person first pressed a key there while it was in view. */
  readonly seen_at?: string;
  readonly answered_at: string;
}

/** What a question waits for. */
export type DialogState = 'shown' | 'queued' | 'waiting_client';

/** What `result` tells. `position` is 1 for the next in line. */
export type DialogResult =
  | { readonly done: false; readonly state: 'shown' | 'waiting_client' }
  | { readonly done: false; readonly state: 'queued'; readonly position: number }
  | ({ readonly done: true; readonly meta?: DialogMeta } & DialogOutcome);

/** Who asks, as the server knows it: named in every dialog's frame. */
export interface Asker {
  readonly pane: string | undefined;
  /** The pane's foreground program; '' if unknown. */
  readonly program: string;
  readonly pid: number | undefined;
}
