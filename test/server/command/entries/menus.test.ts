import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { rowText } from '../../../../protocol/cell.ts';
import type { ClientSession } from '../../../../server/model/client-session.ts';
import { viewOverlay } from '../../../../src/overlay/composite.ts';
import { ModelServer } from '../../../support/model-server.ts';
import { hasTmux, TmuxScreen } from '../../../support/tmux-screen.ts';

let server: ModelServer;
let client: ClientSession;

beforeEach(async () => {
  server = new ModelServer();
  await server.run('new-session', '-d', '-s', 's', '-n', 'w', '-x', '80', '-y', '23', 'cat');
  client = server.addClient();
});

/** The menu's box on the screen, and its lines. */
function shownMenu() {
  const model = client.overlay?.models()[0];
  if (!model) throw new Error('no menu');
  const { rect, canvas } = viewOverlay(model, client.size);
  return { rect, lines: canvas.rows.map(rowText) };
}

function key(name: string): void {
  client.overlay?.input({ kind: 'key', key: name });
}

describe('display-menu', () => {
  it('shows items with their keys at the right, a disabled one without', async () => {
    void server.run(
      ...['display-menu', '-T', '#[align=centre]#S', '--'],
      ...['First', 'a', 'list-sessions', '-Not now', 'b', '', '', 'Last #[underscore]#W', 'C-r', ''],
    );
    await Promise.resolve();
    expect(shownMenu().lines).toEqual([
      '┌───────s──────┐',
      '│ First    (a) │',
      '│ Not now      │',
      '├──────────────┤',
      '│ Last w (C-r) │',
      '└──────────────┘',
    ]);
  });

  it('leaves out items whose name expands to nothing, and separators without neighbours', async () => {
    void server.run('display-menu', '', '#{?pane_in_mode,Mode,}', 'm', '', '', 'Other', 'o', '');
    await Promise.resolve();
    expect(shownMenu().lines).toEqual(['┌───────────┐', '│ Other (o) │', '└───────────┘']);
  });

  it('runs the chosen command for the target pane, formats expanded when the menu opened', async () => {
    await server.run('split-window', '-d', '-t', 's', 'cat');
    const call = server.run('display-menu', '-t', 's:0.1', 'Show', 'x', "set-buffer -b at '#{pane_index} 50%%'");
    await Promise.resolve();
    key('x');
    expect(await call).toMatchObject({ code: 0, stderr: '' });
    expect((await server.run('show-buffer', '-b', 'at')).stdout).toBe('1 50%%');
    expect(client.overlay).toBeUndefined();
  });

  it('runs a block, and nothing after Escape', async () => {
    const press = server.press(client, 'display-menu Kill X { set-buffer -b gone yes ; kill-window }');
    await Promise.resolve();
    key('Escape');
    await press;
    expect((await server.run('show-buffer', '-b', 'gone')).code).toBe(1);
    const again = server.press(client, 'display-menu Set s { set-buffer -b there yes }');
    await Promise.resolve();
    key('Enter');
    await again;
    expect((await server.run('show-buffer', '-b', 'there')).stdout).toBe('yes');
  });

  it('says when an item has no key or command', async () => {
    expect(await server.run('display-menu', 'Name', 'k')).toMatchObject({ code: 1, stderr: 'not enough arguments\n' });
  });

  it('is what the default keys open for panes and windows', async () => {
    expect(server.keyErrors.filter((message) => message.includes('display-menu'))).toEqual([]);
    const [binding] = [server.keys.get('prefix', '>')];
    expect(binding?.commands[0]?.name).toBe('display-menu');
  });
});

describe.skipIf(!hasTmux())('positions of menus are those of tmux', () => {
  let tmux: TmuxScreen;
  beforeAll(() => {
    tmux = new TmuxScreen({ cols: 80, rows: 24 });
    tmux.run('split-window', '-h', '-t', 's', 'cat');
    tmux.run('split-window', '-t', 's', 'cat');
  });
  afterAll(() => tmux.dispose());

  const cases = [
    ['-x', '0', '-y', '10'],
    ['-x', 'C', '-y', 'C'],
    ['-x', 'R', '-y', 'S'],
    ['-x', '#{popup_pane_left}', '-y', '#{popup_pane_top}'],
    ['-x', '#{popup_pane_right}', '-y', '#{popup_pane_bottom}'],
    ['-x', '5', '-y', '-3'],
    [],
  ];
  it.each(cases)('%s %s %s %s', async (...position) => {
    await server.run('split-window', '-h', '-t', 's', 'cat');
    await server.run('split-window', '-t', 's', 'cat');
    void server.run('display-menu', ...position, 'First', 'a', '', 'Second one', 'b', '');
    await Promise.resolve();
    const { rect } = shownMenu();
    tmux.show('display-menu', ...position, 'First', 'a', '', 'Second one', 'b', '');
    tmux.waitFor(() => tmux.rows().some((row) => row.includes('Second one')));
    const plain = tmux.rows().map((row) => row.replace(/\x1b\[[\d;]*m/g, ''));
    const at = plain.findIndex((row) => row.includes('First'));
    tmux.type('q');
    tmux.waitFor(() => !tmux.rows().some((row) => row.includes('Second one')));
    expect({ x: [...(plain[at] ?? '')].join('').indexOf('│ First'), y: at - 1 }).toEqual({ x: rect.x, y: rect.y });
  });
});
