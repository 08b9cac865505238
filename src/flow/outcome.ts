/** How a flow ends: the one object that its caller gets, and what only the program around it needs to know. */
import type { Scalar } from './flow-spec.ts';

export type AnswerObject = Readonly<Record<string, Scalar>>;

/** uiflow's outcomes, version 1. `at` is the screen where it ended. */
export type FlowOutcome =
  | {
      readonly status: 'done';
      readonly answers: AnswerObject;
      /** The last taken action of the whole flow. */
      readonly action: string | null;
    }
  | { readonly status: 'cancelled' | 'timeout'; readonly at: string; readonly answers: AnswerObject }
  | { readonly status: 'error'; readonly error: string; readonly at: string; readonly answers: AnswerObject };

/** Who or what ended a question without an answer. */
export type CancelCause = 'escape' | 'interrupt' | 'asker' | 'pane_closed' | 'server';

/** Why a flow ended as it did; `route` is an action or screen that leads to $cancel: a person's "no". */
export type FlowCause = 'finished' | 'route' | CancelCause | 'timeout' | 'visits' | 'failed';

export interface FlowEnd {
  readonly outcome: FlowOutcome;
  readonly cause: FlowCause;
  /** Screens in the order of their visits, skipped ones left out. */
  readonly path: readonly string[];
}
