/**
 * A screen as a sequence of asks: one for each visible choice and text field, then one for the actions. The first carries
 * the screen's context (title, body, visible info texts); a screen with nothing to ask but something to say is a
 * message. Which field comes next depends on the answers, those of the same screen included.
 */
import { countCodePoints } from '../../protocol/clean-text.ts';
import type { Answers } from './condition.ts';
import { holds } from './condition.ts';
import { PLEXER_FLOW_TEXT_MAX } from './flow-caps.ts';
import type { ChoiceField, FlowField, FlowScreen, FlowSpec, Scalar, TextField } from './flow-spec.ts';
import { optionLabel, optionValue } from './flow-spec.ts';

interface AskText {
  readonly title?: string;
  readonly body?: string;
  readonly label?: string;
}

/** What a backend is to show, apart from the time it may take. */
export type StepAsk =
  | (AskText & {
      readonly kind: 'choice';
      readonly options: readonly string[];
      readonly default?: number;
      /** A letter for each option that answers at once. */
      readonly keys?: readonly string[];
    })
  | (AskText & { readonly kind: 'text'; readonly initial?: string })
  | (AskText & { readonly kind: 'message' });

/** One ask of a screen and what its answer means. */
export interface Step {
  readonly ask: StepAsk;
  readonly subject:
    | { readonly kind: 'choice'; readonly field: ChoiceField }
    | { readonly kind: 'text'; readonly field: TextField }
    | { readonly kind: 'action' }
    | { readonly kind: 'message' };
}

/** Where a screen stands: fields before `field` are done with, `isFirst` until something was asked. */
export interface ScreenProgress {
  readonly field: number;
  readonly isFirst: boolean;
  readonly isActionDone: boolean;
}

export const SCREEN_START: ScreenProgress = { field: 0, isFirst: true, isActionDone: false };

export interface NextStep {
  readonly step: Step;
  /** The progress once the step is answered. */
  readonly after: ScreenProgress;
}

/** The next ask of a visible screen; undefined when it has none left. */
export function nextStep(
  spec: FlowSpec,
  screen: FlowScreen,
  { answers, progress }: { readonly answers: Answers; readonly progress: ScreenProgress },
): NextStep | undefined {
  const fields = screen.fields ?? [];
  for (let at = progress.field; at < fields.length; at++) {
    const field = fields[at];
    if (!field || field.type === 'info' || !holds(field.show_if, answers)) continue;
    const context = progress.isFirst ? contextOf(spec, screen, answers) : {};
    const after = { field: at + 1, isFirst: false, isActionDone: false };
    return { step: fieldStep(field, context, answers), after };
  }
  const done: ScreenProgress = { field: fields.length, isFirst: false, isActionDone: true };
  if (progress.isActionDone) return undefined;
  const context = contextOf(spec, screen, answers);
  const actions = screen.actions ?? [];
  if (actions.length > 0) {
    // Actions have no label of their own: the title says what they are about.
    const text = progress.isFirst ? context : titleOf(spec, screen);
    const ask: StepAsk = { kind: 'choice', ...text, options: actions.map(({ label }) => label) };
    return { step: { ask, subject: { kind: 'action' } }, after: done };
  }
  if (!progress.isFirst || context.body === undefined) return undefined;
  return { step: { ask: { kind: 'message', ...context }, subject: { kind: 'message' } }, after: done };
}

function fieldStep(field: ChoiceField | TextField, context: AskText, answers: Answers): Step {
  const label = field.label ?? field.id;
  const earlier = answers.get(field.id);
  if (field.type === 'text') {
    const initial = typeof earlier === 'string' ? earlier : field.initial;
    const ask: StepAsk = { kind: 'text', ...context, label, ...(initial !== undefined && { initial }) };
    return { ask, subject: { kind: 'text', field } };
  }
  const options = field.options.map(optionLabel);
  const placeOf = (value: Scalar) => field.options.findIndex((option) => optionValue(option) === value);
  const chosen = earlier === undefined ? -1 : placeOf(earlier);
  const preset = chosen >= 0 ? chosen : (field.default ?? (field.isConfirmation ? placeOf(false) : undefined));
  const ask: StepAsk = {
    kind: 'choice',
    ...context,
    label,
    options,
    ...(preset !== undefined && { default: preset }),
    ...(field.isConfirmation && { keys: field.options.map((option) => (optionValue(option) === true ? 'y' : 'n')) }),
  };
  return { ask, subject: { kind: 'choice', field } };
}

function titleOf(spec: FlowSpec, screen: FlowScreen): AskText {
  const title = screen.title ?? spec.title;
  return title === undefined || title === '' ? {} : { title };
}

/** Title, body and the info texts that show now; the text is cut where an ask's may not be longer. */
function contextOf(spec: FlowSpec, screen: FlowScreen, answers: Answers): AskText {
  const notes = (screen.fields ?? []).flatMap((field: FlowField) =>
    field.type === 'info' && holds(field.show_if, answers) ? [field.text] : [],
  );
  const body = [screen.body ?? '', ...notes].filter((part) => part !== '').join('\n\n');
  return { ...titleOf(spec, screen), ...(body !== '' && { body: cutText(body) }) };
}

function cutText(text: string): string {
  if (countCodePoints(text) <= PLEXER_FLOW_TEXT_MAX) return text;
  return `${[...text].slice(0, PLEXER_FLOW_TEXT_MAX - 1).join('')}…`;
}
