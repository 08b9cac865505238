import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { rowText } from '../../../../protocol/cell.ts';
import type { ClientSession } from '../../../../server/model/client-session.ts';
import { viewOverlay } from '../../../../src/overlay/composite.ts';
import { ModelServer } from '../../../support/model-server.ts';

let server: ModelServer;
let client: ClientSession;

beforeEach(async () => {
  server = new ModelServer();
  await server.run('new-session', '-d', '-s', 's', '-n', 'w', '-x', '20', '-y', '5', 'cat');
  await server.run('new-window', '-d', '-t', 's:', '-n', 'second', 'cat');
  client = server.addClient(server.session(), { cols: 20, rows: 6 });
  const lines = Array.from({ length: 30 }, (_, at) => `line ${at}`).join('\r\n');
  server.ptys.of(1).emitData(`${lines}\r\na long line that is wrapped: Needle here\r\n${lines}`);
  server.ptys.of(0).emitData('another needle');
});

function shown(): string[] {
  return (client.overlay?.models() ?? []).flatMap((model) => viewOverlay(model, client.size).canvas.rows.map(rowText));
}

function press(...keys: string[]): void {
  for (const key of keys) client.overlay?.input({ kind: 'key', key });
}

describe('search-panes', () => {
  it('offers lines of screens and histories, wrapped ones whole, and goes to the one chosen', async () => {
    client.size = { cols: 60, rows: 10 };
    const call = server.press(client, 'search-panes needle');
    await Promise.resolve();
    await Promise.resolve();
    expect(
      shown()
        .slice(2, 4)
        .map((row) => row.slice(2, -2).trim()),
    ).toEqual([
      expect.stringMatching(/^another needle +0\.0 w$/),
      expect.stringMatching(/^a long line that is wrapped: Needle here +1\.0 second$/),
    ]);
    press('Down', 'Enter');
    await call;
    const { active } = server.session().current.window;
    expect(active.id).toBe(1);
    expect(active.mode?.name).toBe('copy-mode');
    expect(active.mode?.variable('copy_cursor_line')).toBe('a long line that is wrapped: Needle here');
    expect(active.mode?.variable('copy_cursor_x')).toBe('29');
  });

  it('tells large letters from small ones only where the text has large ones', async () => {
    const call = server.press(client, 'search-panes Needle');
    await Promise.resolve();
    await Promise.resolve();
    expect(shown().join('\n')).not.toContain('another');
    press('Escape');
    await call;
  });

  it('asks what to look for, and says when no pane has it', async () => {
    const call = server.press(client, 'search-panes');
    await Promise.resolve();
    press(...'nowhere', 'Enter');
    await call;
    expect(server.asked.at(-1)).toMatchObject({ kind: 'message', text: 'no pane has: nowhere' });
  });
});

describe('edit-scrollback', () => {
  it('opens history and screen in the editor at the line that is looked at, in a private file that goes with it', async () => {
    await server.run('set-option', '-s', 'editor', 'ed-it');
    await server.run('select-window', '-t', 's:1');
    await server.run('copy-mode', '-t', 's:1');
    await server.run('send-keys', '-t', 's:1', '-X', 'history-top');
    await server.press(client, 'edit-scrollback');
    const { argv } = server.ptys.of(client.overlay?.pane?.id ?? -1).options;
    const [, line = '', path = ''] = /^ed-it \+(\d+) (\S+)$/.exec(argv.at(-1) ?? '') ?? [];
    expect(line).toBe('1');
    expect(readFileSync(path, 'utf8')).toMatch(/^line 0\nline 1\n/);
    server.ptys.of(client.overlay?.pane?.id ?? -1).emitExit({ code: 0 });
    expect(client.overlay).toBeUndefined();
    expect(existsSync(path)).toBe(false);
  });
});

describe('editing a buffer', () => {
  it('takes back what was saved and leaves the buffer alone when the editor fails', async () => {
    await server.run('set-buffer', '-b', 'mine', 'before');
    await server.run('choose-buffer', '-t', 's:0');
    const { mode } = server.session().current.window.active;
    for (const [code, expected] of [
      [1, 'before'],
      [0, 'changed by ed'],
    ] as const) {
      mode?.key('e', client);
      const pty = server.ptys.of(client.overlay?.pane?.id ?? -1);
      const path = pty.options.argv.at(-1)?.split(' ').at(-1) ?? '';
      writeFileSync(path, 'changed by ed\n');
      pty.emitExit({ code });
      expect((await server.run('show-buffer', '-b', 'mine')).stdout).toBe(expected);
    }
  });
});
