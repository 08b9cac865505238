/** Flows as plain data, to go on in another process. */
import type { Ask, DialogOutcome } from '../../protocol/dialog.ts';
import type { MplexFlowScreen } from '../overlay/flow-screen.ts';
import type { Flow, FlowTimes } from './flow.ts';

/** A flow as plain data; times are ms before now, so that another process's clock can take them. */
export interface SavedFlow {
  readonly id: string;
  readonly serial: number;
  readonly ask: Ask;
  readonly screen: MplexFlowScreen;
  readonly isHidden: boolean;
  /** It took keys. */
  readonly wasArmed: boolean;
  readonly outcome: DialogOutcome | undefined;
  readonly times: FlowTimes;
  readonly answeredBy: string | undefined;
  readonly age: number;
  readonly paintAge: number | undefined;
  readonly contactAge: number;
  /** ms until `expires` or `timeout`. */
  readonly timeLeft: number | undefined;
}

export interface SavedFlows {
  readonly serial: number;
  readonly muted: readonly (string | undefined)[];
  /** Oldest first. */
  readonly flows: readonly SavedFlow[];
}

/** `now`: the queue's clock, ms. */
export function saveFlow<C>(flow: Flow<C>, now: number): SavedFlow {
  return {
    id: flow.id,
    serial: flow.serial,
    ask: flow.ask,
    screen: flow.screen,
    isHidden: flow.place.kind === 'hidden',
    wasArmed: flow.place.kind === 'up' && flow.screen.phase === 'armed',
    outcome: flow.place.kind === 'answered' ? flow.place.outcome : undefined,
    age: now - flow.createdAt,
    times: flow.times,
    answeredBy: flow.answeredBy,
    paintAge: flow.firstPaintAt === undefined ? undefined : now - flow.firstPaintAt,
    contactAge: now - flow.lastContactAt,
    timeLeft: flow.deadlineAt === undefined ? undefined : flow.deadlineAt - now,
  };
}

const NOTHING = () => {};

/** The flow again, without timers: what was shown waits for its client, with its draft. */
export function restoreFlow<C>(saved: SavedFlow, now: number): Flow<C> {
  const { id, serial, ask, outcome } = saved;
  return {
    id,
    serial,
    ask,
    createdAt: now - saved.age,
    place: outcome ? { kind: 'answered', outcome } : { kind: saved.isHidden ? 'hidden' : 'waiting' },
    screen: { ...saved.screen, phase: 'unarmed' },
    isResumed: saved.wasArmed,
    times: { ...saved.times },
    answeredBy: saved.answeredBy,
    firstPaintAt: saved.paintAge === undefined ? undefined : now - saved.paintAge,
    lastContactAt: now - saved.contactAge,
    waiters: new Set(),
    cancelDeadline: NOTHING,
    deadlineAt: undefined,
    cancelKeep: NOTHING,
  };
}
