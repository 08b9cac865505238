/**
 * Runs a flow: which screen comes next, what is asked of it, what the answers mean, when it ends. Knows no terminal and
 * no timer: it is handed answers and a clock, and ends exactly once.
 *
 * The budget counts from the moment the first ask is shown; each ask gets what is left of it.
 */
import { holds } from './condition.ts';
import { PLEXER_FLOW_ANSWER_MAX, PLEXER_FLOW_TIMEOUT_DEFAULT, PLEXER_FLOW_VISITS_MAX } from './flow-caps.ts';
import type { ChoiceField, FlowScreen, FlowSpec, Scalar } from './flow-spec.ts';
import { CANCEL, DONE, optionValue } from './flow-spec.ts';
import type { AnswerObject, CancelCause, FlowCause, FlowEnd, FlowOutcome } from './outcome.ts';
import { nextStep, SCREEN_START, type ScreenProgress, type Step, type StepAsk } from './steps.ts';

/** What came of one ask. */
export type AskReply =
  /** Index of the option, the text, or null for an acknowledged message. */
  | { readonly kind: 'ok'; readonly value: number | string | null }
  | { readonly kind: 'cancelled'; readonly by: CancelCause }
  | { readonly kind: 'timeout' };

/** One ask for a backend. */
export type FlowAsk = StepAsk & {
  /** Seconds that are left of the budget. */
  readonly timeoutS: number;
  /** The screen. */
  readonly at: string;
};

export type FlowStep =
  | { readonly kind: 'ask'; readonly ask: FlowAsk }
  | { readonly kind: 'end'; readonly end: FlowEnd };

export class FlowDriver {
  readonly #spec: FlowSpec;
  readonly #now: () => number;
  readonly #answers = new Map<string, Scalar>();
  readonly #path: string[] = [];
  /** The screen that is visited; undefined before the start. */
  #screen: FlowScreen | undefined;
  #progress: ScreenProgress = SCREEN_START;
  #pending: { readonly step: Step; readonly after: ScreenProgress } | undefined;
  #visits = 0;
  #action: string | null = null;
  /** The action taken on this screen. */
  #taken: string | undefined;
  #firstShownAt: number | undefined;
  #end: FlowEnd | undefined;

  /** `spec` is checked; `now` is a clock in ms that never goes back. */
  constructor(spec: FlowSpec, now: () => number) {
    this.#spec = spec;
    this.#now = now;
  }

  /** The whole budget, seconds. */
  get budgetS(): number {
    return this.#spec.timeout ?? PLEXER_FLOW_TIMEOUT_DEFAULT;
  }

  /** What is left of the budget, seconds; all of it until something was shown. */
  get remainingS(): number {
    if (this.#firstShownAt === undefined) return this.budgetS;
    const usedMs = this.#now() - this.#firstShownAt;
    return Math.min(this.budgetS, Math.max(0, this.budgetS - usedMs / 1000));
  }

  /** What was answered so far. */
  get answers(): AnswerObject {
    return Object.fromEntries(this.#answers);
  }

  /** Whether the clock of the budget runs. */
  get isShown(): boolean {
    return this.#firstShownAt !== undefined;
  }

  /** The ask whose reply is awaited. */
  get pending(): Step | undefined {
    return this.#pending?.step;
  }

  /** The screen that is visited. */
  get at(): string {
    return this.#screen?.id ?? this.#spec.start ?? this.#spec.screens[0]?.id ?? '';
  }

  /** A driver that stands where this one does and has all the time there is: to see where answers would lead. */
  fork(): FlowDriver {
    const fork = new FlowDriver(this.#spec, () => 0);
    for (const [field, answer] of this.#answers) fork.#answers.set(field, answer);
    fork.#path.push(...this.#path);
    fork.#screen = this.#screen;
    fork.#progress = this.#progress;
    fork.#pending = this.#pending;
    fork.#visits = this.#visits;
    fork.#action = this.#action;
    fork.#taken = this.#taken;
    return fork;
  }

  /** The first ask, or the end of a flow that shows nothing. */
  start(): FlowStep {
    return this.#goTo(this.#spec.start ?? this.#spec.screens[0]?.id ?? DONE);
  }

  /** The person sees the pending ask, since `agoMs`; the first time starts the budget. */
  shown(agoMs = 0): void {
    this.#firstShownAt ??= this.#now() - agoMs;
  }

  /** Takes the reply to the pending ask; the next ask, or the end. After the end, the end again. */
  reply(reply: AskReply): FlowStep {
    if (this.#end || !this.#pending) return this.fail('a reply came to nothing that was asked');
    switch (reply.kind) {
      case 'cancelled':
        return this.#finish('cancelled', reply.by);
      case 'timeout':
        return this.#finish('timeout', 'timeout');
      case 'ok':
        this.shown();
        return this.#accept(this.#pending.step, reply.value);
    }
  }

  /** Ends the flow because it cannot go on (a backend failed, nobody can be asked). After the end, the end again. */
  fail(error: string): FlowStep {
    if (this.#end) return { kind: 'end', end: this.#end };
    return this.#endWith({ status: 'error', error, at: this.at, answers: this.answers }, 'failed');
  }

  #accept(step: Step, value: number | string | null): FlowStep {
    const { subject } = step;
    switch (subject.kind) {
      case 'message':
        break;
      case 'text':
        this.#answers.set(subject.field.id, capAnswer(String(value ?? '')));
        break;
      case 'choice': {
        const option = optionAt(subject.field, value);
        if (option === undefined) return this.fail(`no such option: ${String(value)}`);
        this.#answers.set(subject.field.id, optionValue(option));
        break;
      }
      case 'action': {
        const action = typeof value === 'number' ? this.#screen?.actions?.[value] : undefined;
        if (!action) return this.fail(`no such action: ${String(value)}`);
        this.#action = action.id;
        this.#taken = action.id;
      }
    }
    this.#progress = this.#pending?.after ?? SCREEN_START;
    return this.#askNext();
  }

  /** Visits a screen, and those after it as long as they are skipped or have nothing to ask. */
  #goTo(first: string): FlowStep {
    let target = first;
    for (;;) {
      if (target === DONE) {
        return this.#endWith({ status: 'done', answers: this.answers, action: this.#action }, 'finished');
      }
      if (target === CANCEL) return this.#finish('cancelled', 'route');
      const screen = this.#spec.screens.find(({ id }) => id === target);
      // A checked spec has no such target.
      if (!screen) return this.fail(`no such screen: ${target}`);
      this.#screen = screen;
      if (++this.#visits > PLEXER_FLOW_VISITS_MAX) {
        const error = `more than ${PLEXER_FLOW_VISITS_MAX} screen visits`;
        return this.#endWith({ status: 'error', error, at: screen.id, answers: this.answers }, 'visits');
      }
      this.#progress = SCREEN_START;
      this.#taken = undefined;
      if (holds(screen.show_if, this.#answers)) {
        this.#path.push(screen.id);
        const step = this.#ask(screen);
        if (step) return step;
      }
      target = this.#route(screen);
    }
  }

  #askNext(): FlowStep {
    const screen = this.#screen;
    if (!screen) return this.fail('no screen');
    return this.#ask(screen) ?? this.#goTo(this.#route(screen));
  }

  #ask(screen: FlowScreen): FlowStep | undefined {
    const next = nextStep(this.#spec, screen, { answers: this.#answers, progress: this.#progress });
    this.#pending = next;
    if (!next) return undefined;
    const timeoutS = this.remainingS;
    if (timeoutS <= 0) return this.#finish('timeout', 'timeout');
    return { kind: 'ask', ask: { ...next.step.ask, timeoutS, at: screen.id } };
  }

  /** Where a screen leads: its string, or what its map says of the action taken, else the next in order. */
  #route(screen: FlowScreen): string {
    const { next } = screen;
    if (typeof next === 'string') return next;
    const taken = this.#taken;
    const target = next !== undefined && taken !== undefined && Object.hasOwn(next, taken) ? next[taken] : undefined;
    return target ?? this.#spec.screens[this.#spec.screens.indexOf(screen) + 1]?.id ?? DONE;
  }

  #finish(status: 'cancelled' | 'timeout', cause: FlowCause): FlowStep {
    return this.#endWith({ status, at: this.at, answers: this.answers }, cause);
  }

  #endWith(outcome: FlowOutcome, cause: FlowCause): FlowStep {
    this.#pending = undefined;
    this.#end = { outcome, cause, path: [...this.#path] };
    return { kind: 'end', end: this.#end };
  }
}

function optionAt(field: ChoiceField, value: number | string | null) {
  return typeof value === 'number' ? field.options[value] : undefined;
}

function capAnswer(text: string): string {
  return text.length <= PLEXER_FLOW_ANSWER_MAX ? text : [...text].slice(0, PLEXER_FLOW_ANSWER_MAX).join('');
}
