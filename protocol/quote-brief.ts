/** How values that strangers sent are named in messages. */
import { isControl, isInvisibleFormat } from './clean-text.ts';
import type { JsonValue } from './strict-json.ts';

const QUOTE_MAX = 40;

/** A foreign value in an error message: one line, short, nothing in it can be obeyed by a terminal. */
export function quoteBrief(value: JsonValue): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value !== 'string') return String(value);
  const characters = [...value.slice(0, 2 * QUOTE_MAX)];
  const shown = characters.slice(0, QUOTE_MAX).map(escapeCharacter).join('');
  return `"${shown}${characters.length > QUOTE_MAX ? '…' : ''}"`;
}

function escapeCharacter(character: string): string {
  const codePoint = character.codePointAt(0) ?? 0;
  if (character === '"' || character === '\\') return `\\${character}`;
  const isSafe = !isControl(codePoint) && !isInvisibleFormat(codePoint) && !/[\p{Cf}\p{Cs}]/u.test(character);
  return isSafe ? character : `\\u{${codePoint.toString(16)}}`;
}
