/** A checked uiflow spec as data. Loads nothing, so that a quick question can be one without a schema. */

/** A JSON scalar: an option's value, a recorded answer. */
export type Scalar = string | number | boolean | null;

/** Field ids and the answer, or the answers, that each must have. */
export type Condition = Readonly<Record<string, Scalar | readonly Scalar[]>>;

export type FlowOption = string | { readonly label: string; readonly value: Scalar };

interface FieldCommon {
  readonly id: string;
  readonly show_if?: Condition | undefined;
}

export interface ChoiceField extends FieldCommon {
  readonly type: 'choice';
  readonly label?: string | undefined;
  readonly options: readonly FlowOption[];
  readonly default?: number | undefined;
  /**
   * A confirmation, of the values true and false: `y` and `n` answer at once, and "no" is highlighted first where no
   * default says otherwise. No spec can say so: the command line's own questions do.
   */
  readonly isConfirmation?: true;
}

export interface TextField extends FieldCommon {
  readonly type: 'text';
  readonly label?: string | undefined;
  readonly initial?: string | undefined;
}

/** Shown with its screen, never asked, never recorded. */
export interface InfoField extends FieldCommon {
  readonly type: 'info';
  readonly text: string;
}

export type FlowField = ChoiceField | TextField | InfoField;

export interface FlowAction {
  readonly id: string;
  readonly label: string;
}

export interface FlowScreen {
  readonly id: string;
  readonly title?: string | undefined;
  readonly body?: string | undefined;
  readonly fields?: readonly FlowField[] | undefined;
  readonly actions?: readonly FlowAction[] | undefined;
  /** A target, or one for each action id. */
  readonly next?: string | Readonly<Record<string, string>> | undefined;
  readonly show_if?: Condition | undefined;
}

export interface FlowSpec {
  readonly v?: 1 | undefined;
  readonly title?: string | undefined;
  /** Seconds for the whole flow. */
  readonly timeout?: number | undefined;
  readonly start?: string | undefined;
  readonly screens: readonly FlowScreen[];
}

/** Targets of `next` that are no screens. */
export const DONE = '$done';
export const CANCEL = '$cancel';

export function optionLabel(option: FlowOption): string {
  return typeof option === 'string' ? option : option.label;
}

export function optionValue(option: FlowOption): Scalar {
  return typeof option === 'string' ? option : option.value;
}
