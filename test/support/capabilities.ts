/** Terminals as they tell the server about themselves. */
import type { TerminalCapabilities } from '../../protocol/message.ts';

/** What of a terminal nobody guesses, as long as it has not told. */
const UNTOLD = {
  kittyKeys: false,
  themeReports: false,
  theme: undefined,
  foreground: undefined,
  background: undefined,
  cellPixels: undefined,
} as const satisfies Partial<TerminalCapabilities>;

/** All that can be drawn, and the clipboard; keys as in xterm's own way. */
export const FULL_TERMINAL: TerminalCapabilities = {
  term: 'xterm-256color',
  name: '',
  colors: 'rgb',
  synchronizedOutput: true,
  styledUnderlines: true,
  hyperlinks: true,
  clipboard: true,
  extendedKeys: false,
  ...UNTOLD,
};

/** Sixteen colours and nothing else. */
export const POOR_TERMINAL: TerminalCapabilities = {
  ...FULL_TERMINAL,
  term: 'xterm',
  colors: 16,
  synchronizedOutput: false,
  styledUnderlines: false,
  hyperlinks: false,
  clipboard: false,
};
