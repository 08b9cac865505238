/** A flow: one question from `show` to its answer, as the queue keeps it, and the limits of all of them. */
import type { Ask, DialogOutcome, DialogResult, DialogState } from '../../protocol/dialog.ts';
import { MplexError } from '../../protocol/errors.ts';
import type { MplexFlowScreen } from '../overlay/flow-screen.ts';

export interface FlowLimits {
  /** Unanswered flows a server (MPLEX_FLOW_MAX). */
  readonly max: number;
  /** Seconds after which a flow that nobody asks about is reclaimed (MPLEX_FLOW_KEEP). */
  readonly keepS: number;
}

const MAX_DEFAULT = 16;
const MAX_HIGHEST = 1000;
const KEEP_DEFAULT_S = 300;
const KEEP_HIGHEST_S = 86_400;

/** Reads the two variables; unset or empty means the default. Throws MplexError 'usage' that names a bad value. */
export function parseFlowLimits(env: Readonly<Record<string, string | undefined>>): FlowLimits {
  return {
    max: parseCount(env, 'MPLEX_FLOW_MAX', { fallback: MAX_DEFAULT, highest: MAX_HIGHEST }),
    keepS: parseCount(env, 'MPLEX_FLOW_KEEP', { fallback: KEEP_DEFAULT_S, highest: KEEP_HIGHEST_S }),
  };
}

function parseCount(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
  { fallback, highest }: { readonly fallback: number; readonly highest: number },
): number {
  const text = env[name];
  if (text === undefined || text === '') return fallback;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= highest) return value;
  const shown = JSON.stringify(text.slice(0, 40));
  throw new MplexError('usage', `${name} must be a whole number from 1 to ${highest}, not ${shown}`);
}

/** Where a flow is. `hidden` was put aside by the person. */
export type FlowPlace<C> =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'hidden' }
  | { readonly kind: 'up'; readonly client: C }
  | { readonly kind: 'answered'; readonly outcome: DialogOutcome };

/** How long a `result` may be held. */
export interface ResultWait {
  readonly ms: number;
  /** The state that the asker knows of: when it changes, the reply comes early. */
  readonly known?: DialogState | undefined;
}

/** When things happened to a flow, ms since the epoch. */
export interface FlowTimes {
  readonly asked: number;
  shown: number | undefined;
  /** The first key at a client that had it in view. */
  seen: number | undefined;
  answered: number | undefined;
}

/** Someone who waits for the end of a flow. */
export interface FlowWaiter {
  readonly known: DialogState | undefined;
  readonly reply: (result: DialogResult) => void;
  readonly cancelTimer: () => void;
}

/** The queue's record of a question. `C` is the server's client. */
export interface Flow<C> {
  /** The capability: who knows it owns the flow. */
  readonly id: string;
  /** A small number for people and lists; opens nothing. */
  readonly serial: number;
  readonly ask: Ask;
  readonly createdAt: number;
  place: FlowPlace<C>;
  /** The draft survives hiding, detaching and another client. */
  screen: MplexFlowScreen;
  firstPaintAt: number | undefined;
  /** It took keys in another process: the person goes on where he was. */
  isResumed: boolean;
  readonly times: FlowTimes;
  /** Name of the client where it was answered. */
  answeredBy: string | undefined;
  /** When somebody last asked for the result, ms. */
  lastContactAt: number;
  readonly waiters: Set<FlowWaiter>;
  /** Runs out: `expires` until the first paint, `timeout` from then on. */
  cancelDeadline: () => void;
  /** When that is, ms; undefined if nothing runs. */
  deadlineAt: number | undefined;
  cancelKeep: () => void;
}

/** A question that nobody has answered yet, as a list shows it. The flow's id stays with its asker. */
export interface WaitingFlow<C> {
  readonly serial: number;
  readonly kind: Ask['kind'];
  /** Title, label or body, whatever comes first; foreign text. */
  readonly text: string;
  readonly pane: string | undefined;
  readonly program: string;
  readonly state: 'queued' | 'waiting_client' | 'hidden' | 'shown';
  readonly client: C | undefined;
  /** ms since it was asked. */
  readonly ageMs: number;
}
