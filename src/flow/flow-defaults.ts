/**
 * Answers that a caller's policy takes from the spec when nobody gave one (`--on-timeout default`, `--if-unattended
 * default`): only what the spec states as a default, never an action and never a `true`: a clock says no yes.
 */
import type { FlowDriver } from './driver.ts';
import { optionValue } from './flow-spec.ts';
import type { FlowEnd } from './outcome.ts';
import type { Step } from './steps.ts';

export interface DefaultsPolicy {
  readonly timeout: boolean;
  readonly unattended: boolean;
}

export interface DefaultedEnd extends FlowEnd {
  readonly defaulted: readonly string[];
}

/** How it ended for lack of a person. */
export type Unanswered = { readonly kind: 'timeout' } | { readonly kind: 'failed'; readonly error: string };

/**
 * Goes on with defaults from the pending ask to the end; the driver stays as it is. The status tells what happened, the
 * answers are complete. Undefined if an ask on the way has no default, or the way leads elsewhere than to the end.
 */
export function answerByDefaults(driver: FlowDriver, why: Unanswered): DefaultedEnd | undefined {
  const fork = driver.fork();
  const defaulted: string[] = [];
  for (;;) {
    const { pending } = fork;
    const value = pending && defaultOf(pending);
    if (pending === undefined || value === undefined) return undefined;
    if (pending.subject.kind === 'choice' || pending.subject.kind === 'text') defaulted.push(pending.subject.field.id);
    const step = fork.reply({ kind: 'ok', value });
    if (step.kind === 'ask') continue;
    const { outcome, path } = step.end;
    if (outcome.status !== 'done') return undefined;
    const rest = { at: driver.at, answers: outcome.answers };
    if (why.kind === 'timeout') return { outcome: { status: 'timeout', ...rest }, cause: 'timeout', path, defaulted };
    return { outcome: { status: 'error', error: why.error, ...rest }, cause: 'failed', path, defaulted };
  }
}

function defaultOf({ subject }: Step): number | string | undefined {
  switch (subject.kind) {
    case 'choice': {
      const option = subject.field.default === undefined ? undefined : subject.field.options[subject.field.default];
      return option === undefined || optionValue(option) === true ? undefined : subject.field.default;
    }
    case 'text':
      return subject.field.initial;
    case 'action':
    case 'message':
      return undefined;
  }
}
