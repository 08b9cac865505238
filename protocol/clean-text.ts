/**
 * Text from panes and askers is hostile: it may carry escape sequences, reorder what stands beside it or hide. It is
 * cleaned twice, when it is stored and when it is emitted; cleaning is idempotent.
 */

/**
 * Whether a code point never shows by itself and can deceive: bidi controls, zero width space, word joiner, byte order
 * mark, line and paragraph separator, interlinear annotation, tag characters. Zero width joiner and non-joiner and the
 * variation selectors stay: emoji and several scripts need them.
 */
export function isInvisibleFormat(codePoint: number): boolean {
  if (codePoint < 0x61c) return false;
  return (
    codePoint === 0x61c ||
    codePoint === 0x180e ||
    codePoint === 0x200b ||
    codePoint === 0x200e ||
    codePoint === 0x200f ||
    (codePoint >= 0x2028 && codePoint <= 0x202e) ||
    (codePoint >= 0x2060 && codePoint <= 0x206f) ||
    codePoint === 0xfeff ||
    (codePoint >= 0xfff9 && codePoint <= 0xfffb) ||
    (codePoint >= 0xe0000 && codePoint <= 0xe007f)
  );
}

/** C0, DEL and C1. */
export function isControl(codePoint: number): boolean {
  return codePoint < 0x20 || (codePoint >= 0x7f && codePoint < 0xa0);
}

/** Length in Unicode code points, the unit of every limit on text. */
export function countCodePoints(text: string): number {
  let count = text.length;
  for (let i = 0; i + 1 < text.length; i++) {
    if (isHighSurrogate(text.charCodeAt(i)) && isLowSurrogate(text.charCodeAt(i + 1))) {
      count--;
      i++;
    }
  }
  return count;
}

function isHighSurrogate(unit: number): boolean {
  return (unit & 0xfc00) === 0xd800;
}

function isLowSurrogate(unit: number): boolean {
  return (unit & 0xfc00) === 0xdc00;
}

export interface CleanOptions {
  /** At most so many code points are kept. */
  readonly max: number;
  /** Line breaks stay (`\r\n` and `\r` become `\n`); otherwise they become spaces, as tabs do. */
  readonly lines?: boolean;
}

const PLAIN = /^[\x20-\x7e]*$/;

/** The text without controls, bidi controls and invisible format characters; lone surrogates become U+FFFD. */
export function cleanText(text: string, options: CleanOptions): string {
  const { max, lines = false } = options;
  if (text.length <= max && PLAIN.test(text)) return text;
  let result = '';
  let count = 0;
  let previous = '';
  for (const character of text) {
    if (count >= max) break;
    const cleaned = cleanCharacter(character, previous, lines);
    previous = character;
    if (cleaned === '') continue;
    result += cleaned;
    count++;
  }
  return result;
}

function cleanCharacter(character: string, previous: string, lines: boolean): string {
  const codePoint = character.codePointAt(0) ?? 0;
  if (codePoint === 0x0a) {
    if (previous === '\r') return '';
    return lines ? '\n' : ' ';
  }
  if (codePoint === 0x0d) return lines ? '\n' : ' ';
  if (codePoint === 0x09) return ' ';
  if (isControl(codePoint) || isInvisibleFormat(codePoint)) return '';
  if (codePoint >= 0xd800 && codePoint <= 0xdfff) return '\ufffd';
  return character;
}
