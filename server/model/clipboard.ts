/** Text for the clipboards of the terminals that clients run in (OSC 52), and what can be said of its way. */
import { CLIPBOARD_MAX, type TerminalCapabilities } from '../../protocol/message.ts';
import type { ClientSession } from './client-session.ts';

/**
 * Sends text to a client's terminal if that can take it. Returns what became of it: a terminal does not say whether it
 * has obeyed, so `sent` is all that is known.
 */
export function sendToClipboard(client: ClientSession, text: string, selection = ''): string {
  const { capabilities } = client;
  const bytes = Buffer.byteLength(text);
  const between = multiplexerOf(capabilities);
  if (capabilities && !capabilities.clipboard) {
    return between === 'mplex'
      ? "the mplex outside does not take it: its set-clipboard is not 'on'"
      : 'terminal does not support the clipboard';
  }
  if (bytes > CLIPBOARD_MAX) {
    return `too long for the terminal: ${printBytes(bytes)}, ${printBytes(CLIPBOARD_MAX)} at most`;
  }
  client.send({ kind: 'clipboard', selection, text });
  return `sent to ${between ?? 'terminal'}, ${printBytes(bytes)}${between === 'tmux' ? TMUX_CONDITION : ''}`;
}

/** tmux does not tell whether it takes it. */
const TMUX_CONDITION = " (if its set-clipboard or allow-passthrough is 'on')";

/** The multiplexer that the client runs in, by the name that it gives its terminal. */
function multiplexerOf(capabilities: TerminalCapabilities | undefined): 'mplex' | 'tmux' | 'screen' | undefined {
  if (!capabilities) return undefined;
  const { name, term } = capabilities;
  if (/^mplex\b/.test(name)) return 'mplex';
  if (/^tmux\b/.test(name)) return 'tmux';
  return name === '' && /^screen\b/.test(term) ? 'screen' : undefined;
}

/** `812 B`, `1.2 kB`, `3.4 MB`: powers of 1000. */
export function printBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const [value, unit] = bytes < 999_950 ? [bytes / 1000, 'kB'] : [bytes / 1_000_000, 'MB'];
  return `${value.toFixed(1)} ${unit}`;
}
