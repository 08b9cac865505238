/** What the caller of a flow gets in the end: uiflow's outcome, and beside it what version 1 has no word for. */
import type { ErrorCode } from '../../protocol/errors.ts';
import type { AskRecord, FlowRun } from './flow-runner.ts';
import type { FlowCause, FlowOutcome } from './outcome.ts';

/** Provenance of a whole flow. */
export interface FlowMeta {
  /** Where it was asked: `native`, `tmux`, `tty`. */
  readonly backend: string;
  readonly cause: FlowCause;
  /** Screens in the order of their visits. */
  readonly path: readonly string[];
  readonly asks: readonly AskRecord[];
}

export type FlowReport = FlowOutcome & {
  /** Why nobody could be asked. */
  readonly code?: ErrorCode;
  /** If the caller wants it. */
  readonly meta?: FlowMeta;
};

/** The report of a run; with its provenance if `metaOf`, the name of the backend, is given. */
export function reportOf(run: FlowRun, metaOf?: string): FlowReport {
  const { outcome, code, cause, path, asks } = run;
  return {
    ...outcome,
    ...(code !== undefined && { code }),
    ...(metaOf !== undefined && { meta: { backend: metaOf, cause, path, asks } }),
  };
}
