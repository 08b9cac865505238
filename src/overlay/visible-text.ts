/**
 * Makes every character of a foreign text visible: what would be obeyed, reorder its neighbours or hide is shown as a
 * mark instead (ESC as ␛, U+202E as <U+202E>). The result holds printable characters only and is left alone by a second
 * pass.
 */
import { isControl, isInvisibleFormat } from '../../protocol/clean-text.ts';

/** Marks that one base character may carry before further ones are shown as marks. */
const MARKS_MAX = 4;

/** U+2400 SYMBOL FOR NULL and the 31 after it. */
const CONTROL_PICTURES = 0x2400;
const DELETE_PICTURE = '\u2421';
/** What a line break looks like inside one line. */
const NEWLINE_MARK = '\u2424';
const TAB_COLUMNS = 4;

// Classes of Unicode are compiled where they are first used: a start has no foreign text and does without them.

/** Takes no column and says nothing: joiners, fillers, selectors, tags, bidi controls. */
const isUnseen = (text: string) => /^[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Zl}\p{Zp}]$/u.test(text);
const isMark = (text: string) => /^\p{M}$/u.test(text);
const isBase = (text: string) => /^[\p{L}\p{N}\p{P}\p{S}]$/u.test(text);
/** Units of the text so far that hold its last character and a selector. */
const TAIL = 4;
/** What a joiner may stand behind (a variation selector may come between), and before. */
const joinsBehind = (text: string) => /[\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}]\ufe0f?$/u.test(text);
const joinsBefore = (text: string) => /^[\p{L}\p{Extended_Pictographic}]$/u.test(text);
const endsInBase = (text: string) => /[\p{L}\p{N}\p{P}\p{S}]$/u.test(text);
const PLAIN = /^[\x20-\x7e]*$/;
const ZWNJ = 0x200c;
const ZWJ = 0x200d;
/** Text and emoji presentation; the other selectors only hide data. */
const VS15 = 0xfe0e;
const VS16 = 0xfe0f;

/** The text on one line, all of it visible: line breaks are ␤, tabs ␉. */
export function visibleText(text: string): string {
  if (PLAIN.test(text)) return text;
  const characters = [...text];
  let result = '';
  /** Marks on the present base; without a base no mark is drawn. */
  let marks = MARKS_MAX;
  for (const [index, character] of characters.entries()) {
    const codePoint = character.codePointAt(0) ?? 0;
    if (codePoint === VS15 || codePoint === VS16) {
      result += endsInBase(result.slice(-TAIL)) ? character : codePointMark(codePoint);
    } else if (codePoint === ZWJ || codePoint === ZWNJ) {
      const next = characters[index + 1] ?? '';
      const joins = joinsBefore(next) && !isUnseen(next) && joinsBehind(result.slice(-TAIL));
      result += joins ? character : codePointMark(codePoint);
    } else if (isMark(character) && !isUnseen(character)) {
      result += marks < MARKS_MAX ? character : codePointMark(codePoint);
      marks++;
    } else {
      result += visibleCharacter(character);
      marks = isBase(character) ? 0 : MARKS_MAX;
    }
  }
  return result;
}

/** As visibleText, with line breaks kept (`\r\n` counts as one) and tabs as four spaces. Gives at least one line. */
export function visibleLines(text: string): string[] {
  return text.split(/\r\n|\n/).map((line) => visibleText(line.replaceAll('\t', ' '.repeat(TAB_COLUMNS))));
}

function visibleCharacter(character: string): string {
  const codePoint = character.codePointAt(0) ?? 0;
  if (codePoint === 0x0a) return NEWLINE_MARK;
  if (codePoint < 0x20) return String.fromCodePoint(CONTROL_PICTURES + codePoint);
  if (codePoint === 0x7f) return DELETE_PICTURE;
  const isLoneSurrogate = codePoint >= 0xd800 && codePoint <= 0xdfff;
  const isHidden = isControl(codePoint) || isInvisibleFormat(codePoint) || isUnseen(character);
  return isHidden || isLoneSurrogate ? codePointMark(codePoint) : character;
}

function codePointMark(codePoint: number): string {
  return `<U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}>`;
}
