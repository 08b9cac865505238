import { describe, expect, it } from 'vitest';
import type { ServerMessage } from '../../../protocol/message.ts';
import { CLIPBOARD_MAX } from '../../../protocol/message.ts';
import { ClientSession } from '../../../server/model/client-session.ts';
import { printBytes, sendToClipboard } from '../../../server/model/clipboard.ts';
import { Environ } from '../../../server/model/environ.ts';
import { FULL_TERMINAL } from '../../support/capabilities.ts';

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
  client.capabilities = { ...FULL_TERMINAL, clipboard };
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

  it.each([
    ['tmux 3.3a', 'tmux-256color', true, "sent to tmux, 4 B (if its set-clipboard or allow-passthrough is 'on')"],
    ['mplex 0.1.0', 'tmux-256color', true, 'sent to mplex, 4 B'],
    ['mplex 0.1.0', 'tmux-256color', false, "the mplex outside does not take it: its set-clipboard is not 'on'"],
    ['', 'screen.xterm-256color', true, 'sent to screen, 4 B'],
    ['', 'xterm', true, 'sent to terminal, 4 B'],
  ])('is told of truly inside %j on %j', (name, term, takes, expected) => {
    const { client, sent } = terminal(takes);
    client.capabilities = { ...FULL_TERMINAL, name, term, clipboard: takes };
    expect(sendToClipboard(client, 'text')).toBe(expected);
    expect(sent).toHaveLength(takes ? 1 : 0);
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
