import { describe, expect, it } from 'vitest';
import type { ClientSession } from '../../../server/model/client-session.ts';
import { Alerts } from '../../../server/panes/alerts.ts';
import { ModelServer } from '../../support/model-server.ts';

interface Desk {
  readonly server: ModelServer;
  readonly client: ClientSession;
  readonly alerts: Alerts;
  readonly messages: string[];
  readonly hooks: string[];
  bell(window: number): void;
  output(window: number): void;
  flags(): Promise<string>;
  bells(): number;
}

async function started(): Promise<Desk> {
  const server = new ModelServer({ defaultKeys: false });
  const messages: string[] = [];
  const hooks: string[] = [];
  const { registry } = server;
  const alerts = new Alerts({
    registry,
    now: () => server.clock.now,
    after: server.clock.delay,
    showMessage: (_client, text) => messages.push(text),
  });
  registry.events.subscribe(({ name, window }) => {
    if (name.startsWith('alert-')) hooks.push(`${name} @${window?.id}`);
  });
  await server.run('new-session', '-d', '-x', '40', '-y', '8', 'cat');
  await server.run('new-window', '-d', 'cat');
  const client = server.addClient();
  const paneOf = (index: number) => server.session().at(index)?.window.active ?? server.pane();
  return {
    server,
    client,
    alerts,
    messages,
    hooks,
    bell: (index) => alerts.bell(paneOf(index)),
    output: (index) => registry.outputs.emit(paneOf(index)),
    flags: async () => (await server.run('list-windows', '-F', '#{window_raw_flags}')).stdout,
    bells: () => server.sent.get(client)?.filter(({ kind }) => kind === 'bell').length ?? 0,
  };
}

describe('a history that is at the limit in bytes', () => {
  it('is told of once, and kept in the log', async () => {
    const { server, alerts, messages } = await started();
    await server.run('set-option', '-s', 'history-bytes-limit', '2000000');
    const pane = server.session().at(1)?.window.active ?? server.pane();
    alerts.historyLimited(pane);
    alerts.historyLimited(pane);
    const text = 'history-bytes-limit (2.0 MB) is reached: the oldest lines of pane %1 are dropped';
    expect(messages).toEqual([text]);
    expect(server.registry.messages.lasting.map((message) => message.text)).toEqual([text]);
  });
});

describe('input that a program does not take', () => {
  it('is told with how much is lost, each time', async () => {
    const { server, alerts, messages } = await started();
    const pane = server.session().at(1)?.window.active ?? server.pane();
    alerts.inputRefused(pane, 12_000_000);
    alerts.inputRefused(pane, 1);
    expect(messages).toEqual(['pane %1 takes no more input: 12.0 MB lost', 'pane %1 takes no more input: 1 B lost']);
  });
});

describe('alerts', () => {
  it('a bell marks a window that is not current, rings at the client and fires the hook', async () => {
    const desk = await started();
    desk.bell(1);
    expect(await desk.flags()).toBe('*\n!\n');
    expect(desk.bells()).toBe(1);
    expect(desk.hooks).toEqual(['alert-bell @1']);
    expect(desk.messages).toEqual([]);
    await desk.server.run('select-window', '-t', ':1');
    expect(await desk.flags()).toBe('-\n*\n');
  });

  it('a bell of the current window rings and marks nothing', async () => {
    const desk = await started();
    desk.bell(0);
    expect([desk.bells(), await desk.flags()]).toEqual([1, '*\n\n']);
  });

  it('visual-bell shows a message instead of the bell, or with both, besides', async () => {
    const desk = await started();
    await desk.server.run('set', '-g', 'visual-bell', 'on');
    desk.bell(0);
    expect([desk.bells(), desk.messages]).toEqual([0, ['Bell in current window']]);
    await desk.server.run('set', '-g', 'visual-bell', 'both');
    desk.bell(1);
    expect([desk.bells(), desk.messages.at(-1)]).toEqual([1, 'Bell in window 1']);
  });

  it('bell-action and monitor-bell decide which windows count', async () => {
    const desk = await started();
    await desk.server.run('set', '-g', 'bell-action', 'other');
    desk.bell(0);
    expect(desk.bells()).toBe(0);
    await desk.server.run('set', '-g', 'bell-action', 'none');
    desk.bell(1);
    expect([desk.bells(), await desk.flags()]).toEqual([0, '*\n!\n']);
    await desk.server.run('setw', '-t', ':1', 'monitor-bell', 'off');
    await desk.server.run('set', '-g', 'bell-action', 'any');
    desk.server.clock.advance(1000);
    desk.bell(1);
    expect(desk.bells()).toBe(0);
  });

  it('bells that follow each other at once ring once', async () => {
    const desk = await started();
    for (let i = 0; i < 50; i++) desk.bell(0);
    expect(desk.bells()).toBe(1);
    desk.server.clock.advance(100);
    desk.bell(0);
    expect(desk.bells()).toBe(2);
  });

  it('activity is told once until the window was seen', async () => {
    const desk = await started();
    desk.output(1);
    expect(desk.hooks).toEqual([]);
    await desk.server.run('setw', '-g', 'monitor-activity', 'on');
    await desk.server.run('set', '-g', 'visual-activity', 'on');
    for (let i = 0; i < 5; i++) {
      desk.output(1);
      desk.server.clock.advance(200);
    }
    expect([desk.messages, await desk.flags()]).toEqual([['Activity in window 1'], '*\n#\n']);
    desk.output(0);
    expect(desk.messages).toHaveLength(1);
  });

  it('silence is told when nothing was printed for the time set, and output begins the time anew', async () => {
    const desk = await started();
    await desk.server.run('setw', '-t', ':1', 'monitor-silence', '5');
    await desk.server.run('set', '-g', 'visual-silence', 'on');
    desk.server.clock.advance(4000);
    desk.output(1);
    desk.server.clock.advance(4000);
    expect(desk.messages).toEqual([]);
    desk.server.clock.advance(1000);
    expect([desk.messages, await desk.flags()]).toEqual([['Silence in window 1'], '*\n~\n']);
    await desk.server.run('setw', '-t', ':1', 'monitor-silence', '0');
    expect(desk.server.clock.waiting).toBe(0);
  });
});
