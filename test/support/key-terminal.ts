/** Makes a client's virtual terminal one of several kinds: what it answers about keys and its theme. */
import { type TerminalProgram, waitFor } from './program.ts';

export type KeyTerminalKind = 'kitty' | 'xterm' | 'plain';

/** Before the client asks: right after `attach`. */
export function asTerminal(client: TerminalProgram, kind: KeyTerminalKind): TerminalProgram {
  const { parser } = client.screen.terminal;
  const answer = (text: string) => () => {
    client.type(text);
    return true;
  };
  if (kind === 'kitty') parser.registerCsiHandler({ prefix: '?', final: 'u' }, answer('\x1b[?0u'));
  if (kind === 'xterm') parser.registerCsiHandler({ prefix: '>', final: 'q' }, answer('\x1bP>|XTerm(390)\x1b\\'));
  return client;
}

/** Waits until the client has written something to its terminal; it must have been attached with `keepBytes`. */
export function untilWritten(client: TerminalProgram, what: string | RegExp, from = 0): Promise<void> {
  const isWritten = (bytes: string) => (typeof what === 'string' ? bytes.includes(what) : what.test(bytes));
  return waitFor(() => isWritten(client.screen.bytes.slice(from)), {
    name: JSON.stringify(String(what)),
    onTimeout: () => JSON.stringify(client.screen.bytes.slice(-2000)),
  });
}

/** A program that asks for keys with a sequence (printf's notation), then shows every byte it gets. */
export function keyProgram(ask: string): string {
  return `stty raw -echo; printf '${ask}ready '; exec cat -vT`;
}
