/**
 * OSC 52 towards the outer terminal, also through a multiplexer in between. tmux takes it if its set-clipboard is on and
 * hands it on unread if allow-passthrough is; both ways are tried, each does nothing where it is not allowed. GNU screen
 * hands strings on in pieces.
 */
import { CLIPBOARD_READ_MAX, type TerminalCapabilities } from '../../protocol/message.ts';
import type { TerminalReply } from '../terminal/input-recognizer.ts';

/** Bytes of a string that screen hands on: it keeps 256 at most. */
const SCREEN_PIECE = 200;
/** Asks the terminal for its clipboard. */
export const CLIPBOARD_QUESTION = '\x1b]52;c;?\x1b\\';

/** The bytes that put a text into the clipboard; `selection` is made of OSC 52's letters. */
export function clipboardText(selection: string, text: Uint8Array, { name, term }: TerminalCapabilities): string {
  const payload = `\x1b]52;${selection};${Buffer.from(text).toString('base64')}`;
  if (/^tmux\b/.test(name)) {
    const plain = `${payload}\x1b\\`;
    return `${plain}\x1bPtmux;${plain.replaceAll('\x1b', '\x1b\x1b')}\x1b\\`;
  }
  if (name === '' && /^screen\b/.test(term)) {
    // An ST of its own would end screen's string: BEL ends OSC 52 as well.
    const pieces = `${payload}\x07`.match(new RegExp(`[^]{1,${SCREEN_PIECE}}`, 'g')) ?? [];
    return pieces.map((piece) => `\x1bP${piece}\x1b\\`).join('');
  }
  return `${payload}\x1b\\`;
}

/** The text of a terminal's answer; undefined if it is none, or too long to be handed on. */
export function clipboardAnswer(reply: TerminalReply): string | undefined {
  if (reply.kind !== 'osc') return undefined;
  const encoded = /^52;[cpqs0-7]*;([A-Za-z0-9+/]*={0,2})$/.exec(reply.text)?.[1];
  if (encoded === undefined || encoded.length % 4 === 1) return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  return bytes.length > CLIPBOARD_READ_MAX ? undefined : bytes.toString('utf8');
}
