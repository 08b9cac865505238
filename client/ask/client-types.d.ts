/** Types of `mplex/client`, as they are published (dist/client.d.ts). */

export type Scalar = string | number | boolean | null;
export type Answers = Readonly<Record<string, Scalar>>;

/** uiflow's outcomes, version 1; only `done` is an answer. */
export type FlowOutcome =
  | { readonly status: 'done'; readonly answers: Answers; readonly action: string | null }
  | { readonly status: 'cancelled' | 'timeout'; readonly at: string; readonly answers: Answers }
  | { readonly status: 'error'; readonly error: string; readonly at: string; readonly answers: Answers };

/** Why nobody could be asked. */
export type ErrorCode =
  | 'bad_request'
  | 'busy'
  | 'no_client'
  | 'no_pane'
  | 'too_many'
  | 'not_found'
  | 'forbidden'
  | 'usage'
  | 'command'
  | 'protocol'
  | 'io';

/** Who answered one question and when; times are ISO 8601 in UTC. */
export interface AskRecord {
  /** Id of the screen. */
  readonly at: string;
  readonly kind: 'choice' | 'text' | 'message';
  readonly client?: string;
  readonly tty?: string;
  readonly asked_at?: string;
  readonly shown_at?: string;
  readonly seen_at?: string;
  readonly answered_at?: string;
}

export interface FlowMeta {
  readonly backend: string;
  /** Why the flow ended as it did; `route` is a way to `$cancel`: a person's no. */
  readonly cause:
    | 'finished'
    | 'route'
    | 'escape'
    | 'interrupt'
    | 'asker'
    | 'pane_closed'
    | 'server'
    | 'timeout'
    | 'visits'
    | 'failed';
  /** Screens in the order of their visits. */
  readonly path: readonly string[];
  readonly asks: readonly AskRecord[];
}

/** An outcome and what is known beside it. */
export type FlowReport = FlowOutcome & {
  readonly code?: ErrorCode;
  /** With `meta: true`. */
  readonly meta?: FlowMeta;
};

export interface ShowOptions {
  /** Default: by where the program stands. */
  readonly backend?: 'native' | 'tmux' | 'tty';
  /** The control socket; default: $MPLEX_CONTROL, else that of the default server. */
  readonly controlPath?: string;
  /** The asking pane, `%3`; default $MPLEX_PANE. */
  readonly pane?: string;
  /** Ask this client and nobody else. */
  readonly client?: string;
  /** Wait while the client is busy with another dialog. */
  readonly queue?: boolean;
  /** Wait until a client is attached. */
  readonly waitClient?: boolean;
  /** Seconds that the first question may wait unseen. */
  readonly expires?: number;
  /** Takes the question back. */
  readonly signal?: AbortSignal;
  readonly onState?: (state: 'shown' | 'queued' | 'waiting_client', screen: string) => void;
  /** The outcome has `meta`: who answered and when. */
  readonly meta?: boolean;
}

/** A spec that breaks the rules; `faults` are lines with JSON pointers. */
export declare class SpecError extends Error {
  readonly name = 'SpecError';
  readonly faults: readonly string[];
  constructor(faults: readonly string[]);
}

/** Checks a spec, shows the flow and gives its outcome. Rejects with SpecError for a bad spec. */
export declare function showFlow(spec: unknown, options?: ShowOptions): Promise<FlowReport>;

/** Asks one thing: with options a choice, without a text. Undefined if it was not answered. */
export declare function ask(
  question: string,
  options?: readonly string[],
  show?: ShowOptions,
): Promise<string | undefined>;

/** Yes or no. Undefined if it was not answered: neither silence nor Escape is a no. */
export declare function confirm(question: string, show?: ShowOptions): Promise<boolean | undefined>;

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command of mplex over the control socket: `command(['list-panes', '-a'])`. */
export declare function command(
  argv: readonly string[],
  options?: { readonly controlPath?: string; readonly pane?: string },
): Promise<CommandResult>;
