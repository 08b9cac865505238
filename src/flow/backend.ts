/** What renders the asks of a flow, one at a time: a multiplexer, another multiplexer, a plain terminal. */
import type { AskReply, FlowAsk } from './driver.ts';

/** How an ask stands while its answer is awaited. */
export type AskState = 'shown' | 'queued' | 'waiting_client';

/** Who answered an ask and when; times are ISO 8601. */
export interface AskMeta {
  readonly client?: string;
  readonly tty?: string;
  readonly asked_at?: string;
  readonly shown_at?: string;
  readonly seen_at?: string;
  readonly answered_at?: string;
}

export interface AskWatch {
  /** Aborted when the answer is wanted no more: the backend takes the ask away and settles soon. */
  readonly signal: AbortSignal;
  /** To be called as the ask becomes visible, is queued, and so on. */
  state(state: AskState): void;
}

export type BackendReply = AskReply & { readonly meta?: AskMeta };

export interface FlowBackend {
  readonly name: string;
  /** Ms that the backend gets beyond the budget, if it keeps the time itself. */
  readonly slackMs: number;
  /**
   * Shows one ask after the other and gives its reply. Rejects with MplexError when it cannot be asked; its code says why
   * (`no_client`, `busy`, …).
   */
  ask(ask: FlowAsk, watch: AskWatch): Promise<BackendReply>;
  /** No ask follows: whatever is still in view goes. */
  close(): Promise<void>;
}
