import { describe, expect, it } from 'vitest';
import type { ServerMessage } from '../../../protocol/message.ts';
import type { ClientSession } from '../../../server/model/client-session.ts';
import type { Pane } from '../../../server/model/pane.ts';
import { NOTICE_SPAN_MS, NOTICES_MAX, PaneNotices } from '../../../server/panes/pane-notices.ts';
import { ModelServer } from '../../support/model-server.ts';

async function started() {
  const server = new ModelServer({ defaultKeys: false });
  const marked: Pane[] = [];
  const notices = new PaneNotices({
    registry: server.registry,
    after: server.clock.delay,
    mark: (pane) => marked.push(pane),
  });
  await server.run('new-session', '-d', '-s', 'work', '-n', 'shell', '-x', '40', '-y', '8', 'cat');
  await server.run('new-window', '-d', '-n', 'build', 'cat');
  const client = server.addClient();
  const told = (to: ClientSession = client) =>
    (server.sent.get(to) ?? []).filter(
      (message): message is Extract<ServerMessage, { kind: 'pane-notice' }> => message.kind === 'pane-notice',
    );
  const paneOf = (index: number) => server.session().at(index)!.window.active;
  return { server, marked, notices, client, told, paneOf };
}

describe('a notice of a program', () => {
  it('calls every attached terminal once, with the name of its pane, and marks the window', async () => {
    const { server, marked, notices, client, told, paneOf } = await started();
    const other = server.addClient();
    notices.notify(paneOf(1), { title: 'cargo', body: 'done' });
    const message = { kind: 'pane-notice', pane: 1, how: 'auto', title: 'work:1 build: cargo', body: 'done' };
    expect([told(client), told(other)]).toEqual([[message], [message]]);
    expect(marked).toEqual([paneOf(1)]);
  });

  it('names the pane among others of its window', async () => {
    const { server, notices, told } = await started();
    await server.run('split-window', '-t', ':1', 'cat');
    notices.notify(server.session().at(1)!.window.panes[1]!, { title: '', body: 'x' });
    expect(told()[0]?.title).toBe('work:1.1 build');
  });

  it('is not for a terminal whose person looks at the pane, as far as that is known', async () => {
    const { notices, client, told, paneOf } = await started();
    const tell = (hasFocus: boolean | undefined, pane: Pane) => {
      client.hasFocus = hasFocus;
      const before = told().length;
      notices.notify(pane, { title: '', body: 'x' });
      return told().length - before;
    };
    expect(tell(true, paneOf(0))).toBe(0);
    expect(tell(true, paneOf(1))).toBe(1);
    expect(tell(false, paneOf(0))).toBe(1);
    expect(tell(undefined, paneOf(0))).toBe(1);
  });

  it('comes so many times in a while; the rest are counted and told as one', async () => {
    const { server, notices, told, paneOf } = await started();
    for (let i = 0; i < 100_000; i++) notices.notify(paneOf(1), { title: '', body: `${i}` });
    notices.notify(paneOf(0), { title: '', body: 'of another pane' });
    expect(told().map(({ body }) => body)).toEqual(['0', '1', '2', '3', '4', 'of another pane']);
    server.clock.advance(NOTICE_SPAN_MS);
    expect(told().at(-1)?.body).toBe(`${100_000 - NOTICES_MAX} more`);
    server.clock.advance(NOTICE_SPAN_MS);
    expect(told()).toHaveLength(NOTICES_MAX + 2);
    notices.notify(paneOf(1), { title: '', body: 'later' });
    expect(told().at(-1)?.body).toBe('later');
  });

  it('of a pane that is gone is not summed up', async () => {
    const { server, notices, told, paneOf } = await started();
    for (let i = 0; i < 10; i++) notices.notify(paneOf(1), { title: '', body: `${i}` });
    await server.run('kill-window', '-t', ':1');
    server.clock.advance(NOTICE_SPAN_MS);
    expect(told()).toHaveLength(NOTICES_MAX);
  });

  it('follows option pane-notify of the session that the terminal shows', async () => {
    const { server, notices, told, paneOf } = await started();
    await server.run('set', '-g', 'pane-notify', 'off');
    notices.notify(paneOf(1), { title: '', body: 'x' });
    expect(told()).toEqual([]);
    await server.run('set', '-g', 'pane-notify', 'bell');
    notices.notify(paneOf(1), { title: '', body: 'x' });
    expect(told()[0]?.how).toBe('bell');
  });

  it('is bounded and clean, the names of windows too', async () => {
    const { server, notices, told, paneOf } = await started();
    paneOf(1).window.name = `\x1b]0;x\x07${'w'.repeat(500)}`;
    notices.notify(paneOf(1), { title: `\u202e\x07${'t'.repeat(5000)}`, body: `a\nb${'c'.repeat(5000)}` });
    const { title, body } = told()[0]!;
    expect(title + body).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202e]/);
    expect(title.length).toBeLessThan(200);
    expect(body.length).toBeLessThanOrEqual(300);
    expect(server.registry.panes.size).toBe(2);
  });
});
