import { beforeEach, describe, expect, it } from 'vitest';
import { CLIPBOARD_READ_MAX } from '../../../protocol/message.ts';
import type { ClientSession } from '../../../server/model/client-session.ts';
import type { Pane } from '../../../server/model/pane.ts';
import { PaneClipboard } from '../../../server/panes/pane-clipboard.ts';
import type { ClipboardQuestion } from '../../../server/terminal/program-strings.ts';
import { FULL_TERMINAL } from '../../support/capabilities.ts';
import { ModelServer } from '../../support/model-server.ts';

let server: ModelServer;
let clipboard: PaneClipboard;
let pane: Pane;
let client: ClientSession;

const answer = (text: string, name = 'c') => `\x1b]52;${name};${Buffer.from(text).toString('base64')}\x1b\\`;
const asking = (selection: string): ClipboardQuestion => ({ selection, terminator: '\x1b\\' });
const written = (of = pane) => server.ptys.of(of.id).written;
const questions = (of = client) => (server.sent.get(of) ?? []).filter(({ kind }) => kind === 'clipboard-read');
const serial = () => questions().length;

async function getClipboard(value: string): Promise<void> {
  await server.run('set-option', '-s', 'get-clipboard', value);
}

beforeEach(async () => {
  server = new ModelServer({ defaultKeys: false });
  await server.run('new-session', '-d', '-s', 's', 'cat');
  pane = server.pane();
  client = server.addClient();
  client.capabilities = FULL_TERMINAL;
  clipboard = new PaneClipboard({ registry: server.registry, after: server.clock.delay });
  await server.run('set-buffer', 'the newest');
});

describe('a program that asks for the clipboard', () => {
  it('is told nothing unless an option says so', () => {
    expect(clipboard.answerFromBuffer(asking('c'))).toBeUndefined();
    clipboard.request(pane, asking('c'));
    expect(questions()).toEqual([]);
  });

  it('gets the newest buffer, or an empty answer where there is none or it is too long', async () => {
    await getClipboard('buffer');
    expect(clipboard.answerFromBuffer(asking(''))).toBe(answer('the newest'));
    expect(clipboard.answerFromBuffer(asking('p'))).toBe(answer('the newest', 'p'));
    const rung = clipboard.answerFromBuffer({ selection: 'c', terminator: '\x07' });
    expect(rung).toBe(answer('the newest').replace('\x1b\\', '\x07'));
    server.registry.buffers.add('x'.repeat(CLIPBOARD_READ_MAX + 1), 50);
    expect(clipboard.answerFromBuffer(asking('c'))).toBe(answer(''));
    clipboard.request(pane, asking('c'));
    expect(questions()).toEqual([]);
  });

  it('gets what the terminal of the client in use answers, once', async () => {
    await getClipboard('request');
    const other = server.addClient();
    other.capabilities = FULL_TERMINAL;
    server.registry.touch(server.session(), client);
    clipboard.request(pane, asking('c'));
    clipboard.request(pane, asking('c'));
    expect(questions()).toEqual([{ kind: 'clipboard-read', serial: 1 }]);
    clipboard.answered(other, serial(), 'not asked');
    clipboard.answered(client, 7, 'no such question');
    clipboard.answered(client, serial(), '\x1b]0;evil\x07 \x03rm');
    clipboard.answered(client, serial(), 'again');
    expect(written()).toBe(answer('\x1b]0;evil\x07 \x03rm'));
    expect(server.registry.buffers.newest()?.text).toBe('the newest');
  });

  it('leaves a buffer behind with both', async () => {
    await getClipboard('both');
    clipboard.request(pane, asking('c'));
    clipboard.answered(client, serial(), 'from outside');
    expect(written()).toBe(answer('from outside'));
    expect(server.registry.buffers.newest()?.text).toBe('from outside');
  });

  it('gets nothing late, too long, for another program, or where nobody sees it', async () => {
    await getClipboard('request');
    clipboard.request(pane, asking('c'));
    server.clock.advance(30_000);
    clipboard.answered(client, serial(), 'late');
    clipboard.request(pane, asking('c'));
    clipboard.answered(client, serial(), 'x'.repeat(CLIPBOARD_READ_MAX + 1));
    clipboard.request(pane, asking('c'));
    await server.run('respawn-pane', '-k', 'other');
    clipboard.answered(client, serial(), 'for another');
    expect(written()).toBe('');
    await server.run('new-window', 'cat');
    clipboard.request(pane, asking('c'));
    client.capabilities = { ...FULL_TERMINAL, clipboard: false };
    clipboard.request(server.pane(), asking('c'));
    expect(questions()).toHaveLength(3);
  });

  it('is one of sixteen at most', async () => {
    await getClipboard('request');
    for (let n = 0; n < 20; n++) {
      clipboard.request(server.pane(), asking('c'));
      await server.run('new-window', 'cat');
    }
    expect(questions()).toHaveLength(16);
  });
});

it('refresh-client -l makes a buffer of the terminal’s clipboard', () => {
  expect(clipboard.fetch(client)).toBe(true);
  clipboard.answered(client, serial(), 'fetched');
  expect(server.registry.buffers.newest()?.text).toBe('fetched');
  client.capabilities = { ...FULL_TERMINAL, clipboard: false };
  expect(clipboard.fetch(client)).toBe(false);
});
