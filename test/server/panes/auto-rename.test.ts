import { describe, expect, it } from 'vitest';
import { AutoRename, RENAME_INTERVAL_MS } from '../../../server/panes/auto-rename.ts';
import { ModelServer } from '../../support/model-server.ts';

async function start() {
  const server = new ModelServer();
  await server.run('new-session', '-d', '-n', 'mine');
  new AutoRename({
    registry: server.registry,
    after: server.clock.delay,
    expand: (pane, format) => server.expand(format, { pane, window: pane.window }),
  });
  return { server, window: server.session().current.window };
}

describe('automatic-rename', () => {
  it('renames a window after its program once it is turned on again', async () => {
    const { server, window } = await start();
    server.clock.advance(RENAME_INTERVAL_MS);
    expect(window.name).toBe('mine');
    await server.run('set', '-wu', 'automatic-rename');
    server.clock.advance(RENAME_INTERVAL_MS);
    expect(window.name).toBe('sh');
  });

  it('follows a new automatic-rename-format', async () => {
    const { server, window } = await start();
    await server.run('set', '-w', 'automatic-rename', 'on');
    await server.run('set', '-g', 'automatic-rename-format', 'x#{window_index}');
    server.clock.advance(RENAME_INTERVAL_MS);
    expect(window.name).toBe('x0');
  });
});
