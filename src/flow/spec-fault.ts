/** What is wrong with a spec: where, what stands there, what was expected. */
import { quoteBrief } from '../../protocol/quote-brief.ts';
import { type JsonValue, pointerPart } from '../../protocol/strict-json.ts';

export interface SpecFault {
  /** JSON pointer (RFC 6901) into the spec; '' is the whole. */
  readonly path: string;
  /** What stands there, quoted and shortened; 'nothing' where something is missing. */
  readonly value: string;
  /** What was expected, as the end of "expected …". */
  readonly expected: string;
  /** What was probably meant. */
  readonly suggestion?: string;
}

export type Steps = readonly (string | number)[];

export interface FaultDetails {
  readonly expected: string;
  readonly suggestion?: string | undefined;
}

/** A fault at a place; `value` undefined: nothing is there. */
export function makeFault(steps: Steps, value: JsonValue | undefined, details: FaultDetails): SpecFault {
  return {
    path: steps.map((step) => `/${pointerPart(step)}`).join(''),
    value: value === undefined ? 'nothing' : quoteBrief(value),
    expected: details.expected,
    ...(details.suggestion !== undefined && { suggestion: details.suggestion }),
  };
}

/** `/start: expected the id of a screen, found "mian" (did you mean "main"?)` */
export function faultText({ path, value, expected, suggestion }: SpecFault): string {
  const hint = suggestion === undefined ? '' : ` (did you mean ${JSON.stringify(suggestion)}?)`;
  return `${path === '' ? '' : `${quotedPath(path)}: `}expected ${expected}, found ${value}${hint}`;
}

/** Foreign keys are part of a pointer: nothing in them may reach a terminal as it is. */
function quotedPath(path: string): string {
  return path.replaceAll(/[^\x21-\x7e\p{L}\p{N}]/gu, (character) => {
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}
