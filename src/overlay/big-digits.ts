/** Large digits, five cells by five, for clocks and pane numbers. */

export const DIGIT_SIZE = 5;

/** Five rows of five cells each, `#` where something is drawn. */
const GLYPHS: Readonly<Record<string, readonly string[]>> = {
  '0': ['#####', '#   #', '#   #', '#   #', '#####'],
  '1': ['    #', '    #', '    #', '    #', '    #'],
  '2': ['#####', '    #', '#####', '#    ', '#####'],
  '3': ['#####', '    #', '#####', '    #', '#####'],
  '4': ['#   #', '#   #', '#####', '    #', '    #'],
  '5': ['#####', '#    ', '#####', '    #', '#####'],
  '6': ['#####', '#    ', '#####', '#   #', '#####'],
  '7': ['#####', '    #', '    #', '    #', '    #'],
  '8': ['#####', '#   #', '#####', '#   #', '#####'],
  '9': ['#####', '#   #', '#####', '    #', '#####'],
  ':': ['     ', '  #  ', '     ', '  #  ', '     '],
  A: ['#####', '#   #', '#####', '#   #', '#   #'],
  P: ['#####', '#   #', '#####', '#    ', '#    '],
  M: ['#   #', '## ##', '# # #', '#   #', '#   #'],
};

/** Columns of a text in large digits, the gaps between them included. */
export function bigWidth(text: string): number {
  return Math.max(0, text.length * (DIGIT_SIZE + 1) - 1);
}

/** The five rows of a text; characters without a large form are blank. */
export function bigRows(text: string): string[] {
  return Array.from({ length: DIGIT_SIZE }, (_, y) =>
    [...text].map((character) => GLYPHS[character]?.[y] ?? ' '.repeat(DIGIT_SIZE)).join(' '),
  );
}
