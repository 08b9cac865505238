import { describe, expect, it } from 'vitest';
import type { ClientSession } from '../../../server/model/client-session.ts';
import { THEME_STILL_MS, ThemeReports } from '../../../server/panes/theme-reports.ts';
import { POOR_TERMINAL } from '../../support/capabilities.ts';
import { ModelServer } from '../../support/model-server.ts';

async function started() {
  const server = new ModelServer({ defaultKeys: false });
  new ThemeReports({ registry: server.registry, after: server.clock.delay });
  await server.run('new-session', '-d', 'cat');
  const client = server.addClient();
  const pty = server.ptys.of(server.pane().id);
  const turn = (theme: 'dark' | 'light' | undefined, who: ClientSession = client) => {
    who.capabilities = { ...POOR_TERMINAL, theme };
    if (theme) server.registry.emit(`client-${theme}-theme`, { client: who });
  };
  return { server, client, pty, turn };
}

describe('the theme of the person’s terminal', () => {
  it('is told to a program that asked, and when it changes', async () => {
    const { server, pty, turn } = await started();
    turn('dark');
    pty.emitData('\x1b[?996n\x1b[?2031h');
    expect(pty.written).toBe('\x1b[?997;1n');
    server.clock.advance(THEME_STILL_MS);
    const before = pty.written.length;
    turn('light');
    server.clock.advance(THEME_STILL_MS);
    expect(pty.written.slice(before)).toBe('\x1b[?997;2n');
    pty.emitData('\x1b[?2031l');
    turn('dark');
    server.clock.advance(THEME_STILL_MS);
    expect(pty.written.slice(before)).toBe('\x1b[?997;2n');
  });

  it('is told once when it flickers, and not when it comes back', async () => {
    const { server, pty, turn } = await started();
    turn('dark');
    pty.emitData('\x1b[?2031h');
    server.clock.advance(THEME_STILL_MS);
    const before = pty.written.length;
    for (const theme of ['light', 'dark', 'light', 'dark', 'light'] as const) turn(theme);
    server.clock.advance(THEME_STILL_MS);
    expect(pty.written.slice(before)).toBe('\x1b[?997;2n');
    turn('dark');
    turn('light');
    server.clock.advance(THEME_STILL_MS);
    expect(pty.written.slice(before)).toBe('\x1b[?997;2n');
  });

  it('is not told while nobody knows it, nor to a program that did not ask', async () => {
    const { server, pty, turn } = await started();
    turn(undefined);
    pty.emitData('\x1b[?996n');
    turn('dark');
    server.clock.advance(THEME_STILL_MS);
    expect(pty.written).toBe('');
  });

  it('is not told again to a program that came after the change', async () => {
    const { server, turn } = await started();
    turn('dark');
    server.clock.advance(THEME_STILL_MS);
    await server.run('new-window', '-d', 'cat');
    const later = server.ptys.of(server.session().at(1)!.window.active.id);
    later.emitData('\x1b[?2031h\x1b[?996n');
    server.registry.emit('client-attached');
    server.clock.advance(THEME_STILL_MS);
    expect(later.written).toBe('\x1b[?997;1n');
    turn('light');
    server.clock.advance(THEME_STILL_MS);
    expect(later.written).toBe('\x1b[?997;1n\x1b[?997;2n');
  });

  it('is that of the client used last among those that can show the pane', async () => {
    const { server, client, pty, turn } = await started();
    await server.run('new-session', '-d', '-s', 'other', 'cat');
    const elsewhere = server.addClient(server.session('other'));
    turn('dark');
    turn('light', elsewhere);
    pty.emitData('\x1b[?996n');
    const second = server.addClient(client.session);
    turn('light', second);
    pty.emitData('\x1b[?996n');
    server.registry.touch(client.session, client);
    pty.emitData('\x1b[?996n');
    expect(pty.written).toBe('\x1b[?997;1n\x1b[?997;2n\x1b[?997;1n');
  });

  it('is a format, with the colours answered and the size of a cell', async () => {
    const { server, client, pty } = await started();
    client.capabilities = {
      ...POOR_TERMINAL,
      theme: 'dark',
      background: 0x102030,
      cellPixels: { width: 9, height: 21 },
    };
    pty.emitData('\x1b]11;?\x07\x1b[16t');
    expect(pty.written).toBe('\x1b]11;rgb:1010/2020/3030\x07\x1b[6;21;9t');
    const format = '#{client_theme} #{client_cell_width}x#{client_cell_height} #{window_cell_width}';
    expect(server.expand(format, { client, window: server.pane().window })).toBe('dark 9x21 9');
  });
});
