import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENTRIES } from '../../../../server/command/entries/command-table.ts';
import { parseKeyName } from '../../../../server/keys/key-names.ts';
import { ModelServer } from '../../../support/model-server.ts';
import { TmuxTwin } from '../../../support/tmux-twin.ts';

const twin = await TmuxTwin.start();
afterAll(() => twin?.stop());

function drop(table: string, key: string): void {
  twin?.tmux.call(['unbind', '-T', table, '--', key === ';' ? '\\;' : key]);
}

/** Takes the bindings out of each that the other does not have: of commands to come, and of mplex's own. */
function dropMissing(): void {
  if (!twin) return;
  const { keys } = twin.model;
  const own = new Set(ENTRIES.filter((entry) => entry.own).map(({ name }) => name));
  for (const [table, bindings] of keys.tables()) {
    for (const { key, commands } of bindings) if (own.has(commands[0]?.name ?? '')) keys.unbind(table, key);
  }
  // mplex's own defaults, which tmux does not have.
  for (const key of ['WheelUpPane', 'WheelDownPane', 'S-PPage', 'S-NPage']) keys.unbind('live-scroll', key);
  for (const table of ['copy-mode', 'copy-mode-vi']) for (const key of ['[', ']', 'O']) keys.unbind(table, key);
  for (const key of ['a', 'C-Space', 'F', 'e', 'O']) twin.model.keys.unbind('prefix', key);
  for (const table of ['prefix', 'root', 'copy-mode', 'copy-mode-vi']) {
    for (const line of twin.tmux.call(['list-keys', '-T', table]).stdout.trimEnd().split('\n')) {
      const written = / -T \S+ +(\S+)/.exec(line)?.[1] ?? '';
      const key = parseKeyName(written.replace(/^"(.*)"$/, '$1').replace(/^\\/, ''));
      if (key !== undefined && !twin.model.keys.get(table, key)) drop(table, key);
    }
  }
}

describe.skipIf(!twin)('key bindings compared with tmux 3.3a', () => {
  beforeAll(dropMissing);

  it('lists the defaults, as commands and by note', async () => {
    await twin?.sameLines(`
      list-keys
      list-keys -1
      list-keys -T prefix
      list-keys -T copy-mode
      list-keys -T copy-mode-vi
      list-keys C-b
      list-keys -N
      list-keys -1N
      list-keys -Na
      list-keys -N c
      list-keys -N -P XX
      list-keys -N -P '' c
      list-keys -N -T copy-mode
      list-keys -N -T root
      list-keys -Na -T prefix
    `);
  });

  it('binds and unbinds', async () => {
    await twin?.sameLines(`
      bind x
      list-keys -T prefix x
      list-keys -N x
      bind X
      list-keys X
      bind -T foo F1 killp
      list-keys -T foo
      list-keys -T nosuch
      list-keys nosuchkey
      list-keys F12
      list-keys -T foo F12
      bind Foo killp
      bind
      bind -n
      bind -n F2
      list-keys -T root F2
      bind -rn F3 'killp ; killw'
      list-keys F3
      bind -N 'note x' F4 set @a 'a b'
      list-keys F4
      list-keys -N F4
      list-keys -1N F4
      list-keys -N -P PFX F4
      bind -n -N rootnote F6 killp
      list-keys -N F6
      list-keys -1N
      bind F4 set @a new
      list-keys F4
      list-keys -N F4
      list-keys -aN F4
      bind -N newnote c
      list-keys -N c
      bind -r c
      list-keys c
      list-keys -N c
      bind c new-window -c /tmp
      list-keys c
      bind -N '' c new-window
      list-keys -N c
      unbind c
      list-keys c
      bind c
      list-keys c
      unbind c
      unbind -q c
      unbind nokey
      unbind -q nokey
      unbind -T nosuch c
      unbind -qT nosuch c
      unbind -aT nosuch
      unbind -aqT nosuch
      unbind
      unbind -q
      unbind -a c
      list-keys a b
      unbind -n F1 extra
      bind -N hi -T tt a killp
      bind -T tt F12 killp
      list-keys -N -T tt
      list-keys -N -T tt -P 'P '
      list-keys -Na -T tt -P 'P '
      unbind -T tt a
      unbind -T tt F12
      list-keys -T tt
      set -g prefix None
      list-keys -N d
      set -g prefix C-a
      list-keys -N d
      set -gu prefix
    `);
  });

  it('takes command texts with their mistakes', async () => {
    await twin?.sameLines(`
      bind F8 nosuch
      bind F8 'nosuch ; killp'
      bind F9 'set @a "'
      bind F9 set -Z
      bind F10 ''
      list-keys F10
      bind F11 set @a 'x\\ny$HOME ~ \${A} #{a}'
      list-keys F11
      bind F11 set @a ''
      list-keys F11
      bind F11 set @a ~foo
      list-keys F11
      bind F11 'set @a {hi}'
      list-keys F11
      bind F11 setw -gq mode-keys vi
      list-keys F11
      bind F11 neww -P -F x -d -n name 'a b' c
      list-keys F11
    `);
  });

  const SPELLINGS = [
    ...[
      'é',
      '日',
      'z',
      'A',
      '[',
      '{',
      '~',
      '#',
      '$',
      "'",
      '"',
      '\\',
      '%',
      ';x'.slice(1),
      '-',
      '^',
      '^^',
      '^[',
      '^?',
      '^-',
    ],
    ...[
      'C-a',
      'C-A',
      'C-i',
      'C-m',
      'C-h',
      'C-[',
      'C-]',
      'C-_',
      'C-^',
      'C-\\',
      'C-?',
      'C-/',
      'C--',
      'C-.',
      'C-0',
      'C-9',
    ],
    ...['C-!', 'C-@', 'C-`', "C-'", 'M-a', 'M-A', 'M-C-a', 'S-C-a', 'C-M-S-a', 'C-M-Left', 'S-Left', 'M-S-Left', 'S-a'],
    ...['Tab', 'BTab', 'Enter', 'Escape', 'Space', 'BSpace', 'IC', 'DC', 'PageUp', 'pgup', 'Insert', 'Delete', 'NPAGE'],
    ...['M-Tab', 'S-Tab', 'C-Tab', 'C-Enter', 'M-Escape', 'M-BSpace', 'C-é', 'M-日', 'space', 'ENTER', 'Any', 'User10'],
    ...[
      'mousedown1pane',
      '0x1',
      '0xe9',
      '0x110000',
      '0x',
      'M-',
      'C-',
      'C-C-a',
      'c-a',
      'm-a',
      's-a',
      'x-a',
      'ab',
      '^M-a',
    ],
    ...['M-{', 'M-}', 'M-<', 'C-Space', 'M-C-Space', 'C-S-F1', 'KP*', 'KPEnter', 'F12', 'User1000', 'None'],
  ];

  it('spells keys alike', async () => {
    for (const [i, key] of SPELLINGS.entries()) await twin?.same(['bind', '-T', `spelling${i}`, '--', key, 'killp']);
    await twin?.same(['list-keys']);
  });

  it('lists keys in the same order', async () => {
    const mouse = ['MouseDown1', 'MouseUp3', 'MouseDrag1', 'MouseDragEnd1', 'WheelUp', 'WheelDown', 'SecondClick1'];
    const places = ['Pane', 'Border', 'Status', 'StatusLeft', 'StatusRight', 'StatusDefault'];
    const keys = [
      ...SPELLINGS.filter((key) => !/^0x|^\^/.test(key)),
      ...mouse.flatMap((name) => places.map((place) => name + place)),
      ...['Up', 'Down', 'Left', 'Right', 'Home', 'End', 'F1', 'F2', 'F10', 'F11', 'KP/', 'KP7', 'KP0', 'KP.', 'User0'],
      ...['DoubleClick1Pane', 'TripleClick1Pane', 'C-1', 'C-S-Left', 'C-M-S-Left', 'M-C-M', 'S-é', 'C-Left'],
    ];
    for (const key of keys) await twin?.same(['bind', '-T', 'order', '--', key, 'killp']);
    await twin?.same(['list-keys', '-T', 'order']);
  });

  it('empties tables', async () => {
    await twin?.sameLines(`
      unbind -an
      list-keys -T root
      unbind -a
      list-keys -T prefix
      list-keys -N
    `);
  });
});

describe('list-keys -1N', () => {
  it('tells the note in the status line of a client', async () => {
    const server = new ModelServer();
    await server.run('new-session', '-d');
    const client = server.addClient();
    expect((await server.run('list-keys', '-1N', 'c')).stdout).toBe('');
    expect(server.asked).toMatchObject([{ kind: 'message', client, text: 'C-b c Create a new window' }]);
  });
});

describe('bind-key with a block', () => {
  it('binds the commands of the block, those of blocks within too', async () => {
    const server = new ModelServer();
    await server.run('new-session', '-d');
    const client = server.addClient();
    await server.press(client, 'bind F5 { neww ; set @a "x y" }');
    expect((await server.run('list-keys', 'F5')).stdout).toBe(
      'bind-key -T prefix F5 new-window \\; set-option @a "x y"\n',
    );
  });
});

describe('unbind-key', () => {
  it('brings a client back that was in the table', async () => {
    const server = new ModelServer();
    await server.run('new-session', '-d');
    const client = server.addClient();
    await server.run('bind', '-T', 'mine', 'a', 'killp');
    await server.run('switch-client', '-T', 'mine');
    expect(client.keyTable).toBe('mine');
    await server.run('unbind', '-aT', 'mine');
    expect(client.keyTable).toBeUndefined();
  });
});
