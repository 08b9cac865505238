import { graphemes, textWidth } from './text-width.ts';
import { visibleLines } from './visible-text.ts';

/**
 * Breaks a foreign text into lines of at most `columns` columns (at least 1): at spaces where there are any, else inside
 * the word. The result is visible text; '' gives no line.
 */
export function wrapText(text: string, columns: number): string[] {
  if (text === '') return [];
  const width = Math.max(1, columns);
  return visibleLines(text).flatMap((line) => wrapLine(line, width));
}

function wrapLine(line: string, width: number): string[] {
  if (textWidth(line) <= width) return [line];
  const lines: string[] = [];
  let current = '';
  let used = 0;
  for (const word of line.split(/(?<= )(?! )/)) {
    const bare = textWidth(word.trimEnd());
    if (used > 0 && used + bare > width) {
      lines.push(current.trimEnd());
      current = '';
      used = 0;
    }
    for (const { text, width: columns } of graphemes(bare > width ? word : fitted(word, width - used))) {
      if (used + columns > width && used > 0) {
        lines.push(current);
        current = '';
        used = 0;
      }
      current += text;
      used += columns;
    }
  }
  if (current !== '' || lines.length === 0) lines.push(current.trimEnd());
  return lines;
}

/** The word without the spaces that would hang over the end of the line. */
function fitted(word: string, room: number): string {
  const bare = word.trimEnd();
  return bare + ' '.repeat(Math.max(0, Math.min(word.length - bare.length, room - textWidth(bare))));
}
