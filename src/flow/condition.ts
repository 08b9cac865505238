/** `show_if`: whether a screen or field is to be shown, by what was answered so far. */
import type { Condition, Scalar } from './flow-spec.ts';

export type Answers = ReadonlyMap<string, Scalar>;

/**
 * Whether every clause holds: the field was answered, and with the expected scalar or one of the listed ones. Values are
 * equal if type and value are (1 is 1.0, and neither `true` nor "1"). No condition always holds.
 */
export function holds(condition: Condition | undefined, answers: Answers): boolean {
  if (condition === undefined) return true;
  return Object.entries(condition).every(([field, expected]) => {
    const answer = answers.get(field);
    if (answer === undefined) return false;
    // The compiler does not narrow a readonly list by Array.isArray.
    return Array.isArray(expected) ? (expected as readonly Scalar[]).includes(answer) : answer === expected;
  });
}
