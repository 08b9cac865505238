import { describe, expect, it } from 'vitest';
import type { ServerMessage, TerminalCapabilities } from '../../../protocol/message.ts';
import { CLIPBOARD_MAX } from '../../../protocol/message.ts';
import { ClientSession } from '../../../server/model/client-session.ts';
import { printBytes, sendToClipboard } from '../../../server/model/clipboard.ts';
import { Environ } from '../../../server/model/environ.ts';

const CAPABILITIES: TerminalCapabilities = {
  term: 'xterm',
  name: '',
  colors: 'rgb',
  synchronizedOutput: true,
  styledUnderlines: true,
  hyperlinks: true,
  clipboard: true,
  extendedKeys: false,
};

function terminal(clipboard: boolean) {
  const sent: ServerMessage[] = [];
  const client = new ClientSession({
    name: '/dev/pts/1',
    pid: 1,
    size: { cols: 80, rows: 24 },
    term: 'xterm',
    environ: new Environ(),
    cwd: '/',
    readOnly: false,
    ignoreSize: false,
    created: 0,
  });
  client.capabilities = { ...CAPABILITIES, clipboard };
  client.transport = { send: (message) => sent.push(message), close: () => {} };
  return { client, sent };
}

describe('text for the clipboard', () => {
  it('goes to a terminal that can take it, and the person is told how much', () => {
    const { client, sent } = terminal(true);
    expect(sendToClipboard(client, 'ä'.repeat(600))).toBe('sent to terminal, 1.2 kB');
    expect(sent).toEqual([{ kind: 'clipboard', selection: '', text: 'ä'.repeat(600) }]);
  });

  it('does not go to one that cannot, nor when it is too long', () => {
    const other = terminal(false);
    expect(sendToClipboard(other.client, 'text')).toBe('terminal does not support the clipboard');
    const { client, sent } = terminal(true);
    expect(sendToClipboard(client, 'x'.repeat(CLIPBOARD_MAX + 1))).toBe(
      'too long for the terminal: 524.3 kB, 524.3 kB at most',
    );
    expect([...other.sent, ...sent]).toEqual([]);
  });

  it('is measured in bytes, kB and MB', () => {
    expect([0, 999, 1000, 999_949, 1_500_000].map(printBytes)).toEqual([
      '0 B',
      '999 B',
      '1.0 kB',
      '999.9 kB',
      '1.5 MB',
    ]);
  });
});
