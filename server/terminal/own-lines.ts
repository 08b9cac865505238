/** Lines that mplex itself writes into a pane's screen: between two programs, and where one has ended. */
import { cleanText } from '../../protocol/clean-text.ts';
import type { Emulator } from './emulator.ts';

/** Makes the terminal what it is to a new program, but that the text stays in view above, with a line of our own below it. */
export function beginBelow(emulator: Emulator, note: string): void {
  emulator.reset();
  emulator.writeOwn(`\x1b[2m${fitted(emulator, note)}\x1b[m\r\n`);
  emulator.trimBelowCursor();
}

/** Shows a line of our own below the cursor's; the cursor is hidden. */
export function writeNote(emulator: Emulator, note: string): void {
  emulator.writeOwn(`\x1b[m\r\n\x1b[2m${fitted(emulator, note)}\x1b[m\x1b[?25l`);
}

/** Shows a line in the last row, the rest moved up (remain-on-exit); the cursor is hidden. `text` may have SGR sequences. */
export function writeLastRow(emulator: Emulator, text: string): void {
  emulator.writeOwn(`\x1b[r\x1b[m\x1b[${emulator.size.rows};1H\n${text}\r\x1b[?25l`);
}

function fitted(emulator: Emulator, note: string): string {
  return cleanText(note, { max: emulator.size.cols });
}
