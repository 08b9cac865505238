/** What of a terminal nobody guesses, as long as it has not told. */
import type { TerminalCapabilities } from '../../protocol/message.ts';

export const UNTOLD = {
  kittyKeys: false,
  themeReports: false,
  theme: undefined,
  foreground: undefined,
  background: undefined,
  cellPixels: undefined,
} as const satisfies Partial<TerminalCapabilities>;
