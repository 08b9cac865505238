import { afterAll, describe, expect, it } from 'vitest';
import { rowText } from '../../../../protocol/cell.ts';
import { blankFrame } from '../../../../protocol/frame.ts';
import { composite } from '../../../../src/overlay/composite.ts';
import { ModelServer } from '../../../support/model-server.ts';
import { TmuxTwin } from '../../../support/tmux-twin.ts';

const twin = await TmuxTwin.start();
afterAll(() => twin?.stop());

async function started(text = ''): Promise<ModelServer> {
  const server = new ModelServer();
  await server.run('new-session', '-d', '-s', 'one', '-n', 'w', '-x', '40', '-y', '8', 'cat');
  if (text !== '') server.ptys.of(server.pane().id).emitData(text);
  return server;
}

describe.skipIf(!twin)('display commands compared with tmux 3.3a', () => {
  it('prints, and tells what is wrong, as tmux does', async () => {
    await twin?.sameLines(`
      display-message
      display hi
      display -p '#{session_name}:#{window_index}.#{pane_index}'
      display -p -F '#{pane_id}'
      display -p a b
      display -p -F x y
      display -p -t nosuch x
      display -c nosuch -p x
      display -t nosuch
      display -d abc -p x
      display -d -5 -p x
      display -d 5 -p x
      display -p ''
      display -I -t :
      capture-pane -t nosuch
      capture-pane -b foo
      show-buffer -b foo
      capture-pane -p -S abc
      capture-pane -a -p
      capture-pane -aq -p
      capture-pane -p -P
      capture-pane -pS -1 -E 0
      show-messages
      display-panes
      clock-mode -t nosuch
      clock-mode
      display -p '#{pane_mode} #{pane_in_mode}'
      copy-mode -q
      display -p '#{pane_mode}'
      copy-mode -t nosuch
      copy-mode -s nosuch
      copy-mode -M
      display -p '[#{pane_mode}]'
      copy-mode -H -e -u
      display -p '#{pane_mode}'
      copy-mode -q
      info
    `);
  });
});

describe('display-message', () => {
  it('shows its text at the client for the time given, and can ignore keys', async () => {
    const server = await started();
    const client = server.addClient();
    await server.run('display-message', '-N', '-d', '3000', 'from #{session_name}');
    expect(server.asked).toEqual([{ kind: 'message', client, text: 'from one', delayMs: 3000, ignoresKeys: true }]);
  });

  it('lists every variable that has a value', async () => {
    const server = await started();
    const { stdout } = await server.run('display-message', '-a', '-p');
    expect(stdout).toContain('session_name=one\n');
    expect(stdout).toContain('pane_width=40\n');
  });

  it('prints standard input in a pane without a program', async () => {
    const server = await started();
    await server.run('split-window', '');
    const empty = server.pane();
    await server.call(['display-message', '-I', '-t', `%${empty.id}`], { stdin: 'a\nb\n' });
    expect((await server.run('capture-pane', '-p', '-t', `%${empty.id}`)).stdout).toMatch(/^a\nb\n/);
  });
});

describe('capture-pane', () => {
  it('takes the screen, the history and joined lines', async () => {
    const server = await started(Array.from({ length: 12 }, (_, i) => `row ${i}`).join('\r\n'));
    expect((await server.run('capture-pane', '-p')).stdout.split('\n')[0]).toBe('row 4');
    expect((await server.run('capture-pane', '-p', '-S', '-')).stdout.split('\n')[0]).toBe('row 0');
    expect((await server.run('capture-pane', '-p', '-S', '-2', '-E', '-1')).stdout).toBe('row 2\nrow 3\n');
  });

  it('puts the text into a buffer without -p', async () => {
    const server = await started('hello');
    await server.run('capture-pane');
    expect(server.registry.buffers.newest()?.text).toMatch(/^hello\n/);
  });

  it('gives the normal screen with -a while the alternate one is shown', async () => {
    const server = await started('below\x1b[?1049h\x1b[Habove');
    expect((await server.run('capture-pane', '-ap')).stdout).toMatch(/^below\n/);
    expect((await server.run('capture-pane', '-p')).stdout).toMatch(/^above\n/);
  });
});

describe('show-messages', () => {
  it('lists the jobs that run with -J, without control characters', async () => {
    const server = new ModelServer({ defaultKeys: false });
    await server.run('new-session', '-d', 'cat');
    server.addClient();
    await server.run('run-shell', '-b', 'exec sleep 5 # \x1b]0;t\x07');
    const { stdout } = await server.run('show-messages', '-J');
    const pid = Number(/^Job 0: exec sleep 5 # .*\[pid=(\d+), status=0\]\n/.exec(stdout)?.[1]);
    expect(pid).toBeGreaterThan(1);
    process.kill(pid);
    expect(stdout).not.toMatch(/[\x1b\x07]/);
  });

  it('prints the newest message first', async () => {
    const server = await started();
    server.addClient();
    server.registry.logMessage('first');
    server.registry.logMessage('second');
    expect((await server.run('show-messages')).stdout).toMatch(
      /: show-messages\n\d\d:\d\d: second\n\d\d:\d\d: first\n/,
    );
  });
});

describe('display-panes', () => {
  it('draws a large number over each pane and selects the one whose digit is pressed', async () => {
    const server = await started();
    await server.run('split-window', '-h');
    const client = server.addClient(server.session(), { cols: 40, rows: 9 });
    const done = server.press(client, 'display-panes');
    await Promise.resolve();
    const models = client.overlay?.models() ?? [];
    const rows = composite(blankFrame({ cols: 40, rows: 9 }), models).rows.map((row) => rowText(row).trimEnd());
    expect(rows[0]).toBe('                20x8                19x8');
    expect(server.pane().place).toBe(1);
    expect(client.overlay?.input({ kind: 'key', key: '0' })).toBe('consumed');
    await done;
    expect(client.overlay).toBeUndefined();
    expect(server.pane().place).toBe(0);
  });

  it('goes after display-panes-time by itself', async () => {
    const server = await started();
    const client = server.addClient();
    const done = server.press(client, 'display-panes');
    await Promise.resolve();
    expect(client.overlay?.purpose).toBe('display-panes');
    server.clock.advance(1000);
    await done;
    expect(client.overlay).toBeUndefined();
  });
});
