/** A question of the command line as a flow of one screen: the same driver runs it. */
import { countCodePoints } from '../../protocol/clean-text.ts';
import { LABEL_MAX } from '../../protocol/dialog.ts';
import type { ChoiceField, FlowField, FlowScreen, FlowSpec, TextField } from '../../src/flow/flow-spec.ts';

/** The id of the one screen and of its one field. */
const SCREEN_ID = 'ask';
export const FIELD_ID = 'answer';

export type AskShape = 'option' | 'text' | 'confirm' | 'message';

export interface QuickQuestion {
  readonly shape: AskShape;
  readonly question: string;
  readonly title: string | undefined;
  readonly body: string | undefined;
  readonly options: readonly string[];
  /** Index of the option that is highlighted first. */
  readonly preset: number | undefined;
  readonly initial: string | undefined;
  /** The words for yes and no. */
  readonly words: readonly [yes: string, no: string];
  /** Seconds. */
  readonly timeout: number | undefined;
}

export function quickSpec(quick: QuickQuestion): FlowSpec {
  const { title, timeout } = quick;
  const screen: FlowScreen = {
    id: SCREEN_ID,
    ...(title !== undefined && { title }),
    ...contentOf(quick),
  };
  return { ...(timeout !== undefined && { timeout }), screens: [screen] };
}

function contentOf(quick: QuickQuestion): Pick<FlowScreen, 'body' | 'fields'> {
  const { shape, question, body } = quick;
  // A question that is too long for a label is the body.
  const isLong = countCodePoints(question) > LABEL_MAX || question.includes('\n');
  const whole = body === undefined ? question : `${body}\n\n${question}`;
  if (shape === 'message') return { body: whole };
  const label = isLong ? '' : question;
  const text = isLong ? whole : body;
  return { ...(text !== undefined && { body: text }), fields: [fieldOf(quick, label)] };
}

function fieldOf({ shape, options, preset, initial, words }: QuickQuestion, label: string): FlowField {
  if (shape === 'text') {
    const field: TextField = { id: FIELD_ID, type: 'text', label };
    return initial === undefined ? field : { ...field, initial };
  }
  const field: ChoiceField = {
    id: FIELD_ID,
    type: 'choice',
    label,
    ...(shape === 'confirm' ? confirmation(words) : { options }),
  };
  return preset === undefined ? field : { ...field, default: preset };
}

function confirmation([yes, no]: QuickQuestion['words']): Pick<ChoiceField, 'options' | 'isConfirmation'> {
  const options = [
    { label: yes, value: true },
    { label: no, value: false },
  ];
  return { options, isConfirmation: true };
}
