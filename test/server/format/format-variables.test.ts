import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { expandFormat } from '../../../server/format/format-expand.ts';
import { FORMAT_VARIABLES, type FormatContext, formatSource } from '../../../server/format/format-variables.ts';
import { singleLayout } from '../../../server/layout/layout-cell.ts';
import { splitPane } from '../../../server/layout/layout-split.ts';
import { ClientSession } from '../../../server/model/client-session.ts';
import { Environ } from '../../../server/model/environ.ts';
import { Pane } from '../../../server/model/pane.ts';
import { Registry } from '../../../server/model/registry.ts';
import type { Session } from '../../../server/model/session.ts';
import type { Window } from '../../../server/model/window.ts';
import { globalOptions, OptionSet } from '../../../server/options/option-set.ts';
import { Emulator } from '../../../server/terminal/emulator.ts';
import { TmuxReference } from '../../support/tmux-reference.ts';

const SIZE = { cols: 80, rows: 24 };
const NOW = 1_700_000_000;

/** A model like that of `startReference`, with real screens. */
class World {
  readonly registry = new Registry({
    environ: Environ.from(['HOME=/root', 'ONLY_GLOBAL=g']),
    now: () => NOW,
    options: {
      server: globalOptions('server'),
      session: globalOptions('session', { overrides: { 'default-shell': '/bin/sh' } }),
      window: globalOptions('window'),
    },
  });

  session(name: string): Session {
    const session = this.registry.addSession({ name, cwd: '/usr' });
    return session;
  }

  window(session: Session, name: string): Window {
    const window = this.registry.addWindow({ name, size: SIZE });
    window.options.setText('automatic-rename', 'off');
    const pane = this.pane(window);
    window.insertPane(pane);
    window.setLayout(singleLayout(pane.id, SIZE));
    session.link(window, session.freeIndex(0));
    return window;
  }

  pane(window: Window): Pane {
    const emulator = new Emulator({ size: SIZE, scrollback: 2000, now: () => 0, handlers: { reply: () => {} } });
    const pane = new Pane({
      id: this.registry.nextPaneId(),
      window,
      options: new OptionSet(window.options),
      emulator,
      command: { argv: ['sleep 1000'], cwd: '/usr' },
      title: 'vm',
    });
    pane.state = { kind: 'running', pid: 4242, tty: '/dev/pts/9' };
    this.registry.panes.set(pane.id, pane);
    return pane;
  }

  split(window: Window, axis: 'row' | 'column'): Pane {
    const pane = this.pane(window);
    const layout = splitPane(window.layout, window.active.id, pane.id, { axis, status: window.borderStatus });
    if (!layout) throw new Error('no space');
    window.insertPane(pane, window.active);
    window.setLayout(layout);
    return pane;
  }

  context(about: Partial<FormatContext>): FormatContext {
    return {
      registry: this.registry,
      now: new Date(NOW * 1000),
      version: '3.3a',
      pid: 77,
      socketPath: '/tmp/mplex-0/default',
      host: 'vm.example.org',
      processes: { foregroundCommand: () => 'sleep', workingDirectory: () => '/usr' },
      ...about,
    };
  }

  expand(format: string, about: Partial<FormatContext>): string {
    return expandFormat(format, formatSource(this.context(about)));
  }
}

/** Variables that tell of this machine, this moment or the client that asks. */
const OWN = new Set([
  ...FORMAT_VARIABLES.map(({ name }) => name).filter((name) => /^(client_|.*_attached|.*_active_clients)/.test(name)),
  ...['session_attached', 'session_attached_list', 'session_group_attached_list', 'command', 'current_file', 'hook'],
  ...['host', 'host_short', 'pid', 'socket_path', 'start_time', 'config_files', 'uid', 'user', 'server_sessions'],
  ...['session_activity', 'session_created', 'session_last_attached', 'window_activity', 'history_bytes'],
  ...['flow_count', 'flow_panes', 'buffer_created', 'pane_current_command', 'pane_current_path'],
  ...['pane_pid', 'pane_tty', 'pane_title', 'window_bigger', 'window_offset_x', 'window_offset_y'],
]);

const tmux = TmuxReference.start(['-s', 'one', '-n', 'w0', '-x', '80', '-y', '24', '-c', '/usr', 'sleep 1000']);
afterAll(() => tmux?.stop());

describe.skipIf(!tmux)('variables compared with tmux 3.3a', () => {
  it('has the same value for each pane of several windows and sessions', async () => {
    const sleep = ['-d', '-c', '/usr'];
    await tmux?.batch([
      ['split-window', '-h', ...sleep, 'sleep 1000'],
      ['split-window', '-v', ...sleep, 'sleep 1000'],
      ['new-window', '-n', 'w1', ...sleep, 'sleep 1000'],
      ['new-window', '-n', 'w2', ...sleep, 'sleep 1000'],
      ['select-window', '-t', 'one:1'],
      ['select-window', '-t', 'one:2'],
      ['select-pane', '-m', '-t', '%1'],
      ['set', '-w', '-t', 'one:0', 'pane-base-index', '1'],
      ['set', '-w', '-t', 'one:0', 'window-style', 'fg=red'],
      ['set', '-w', '-t', 'one:0', 'window-active-style', 'bg=colour7'],
      ['set', '-p', '-t', '%2', 'synchronize-panes', 'on'],
      ['new-session', '-d', '-s', 'two', '-n', 'other', '-c', '/usr', '-x', '80', '-y', '24', 'sleep 1000'],
      ['set-buffer', 'x\ty'],
    ]);
    const world = new World();
    const one = world.session('one');
    const w0 = world.window(one, 'w0');
    world.split(w0, 'row');
    world.split(w0, 'column');
    world.window(one, 'w1');
    world.window(one, 'w2');
    for (const index of [1, 2]) one.select(one.at(index)!);
    world.registry.setMark(world.registry.panes.get(1));
    w0.options.setText('pane-base-index', '1');
    w0.options.setText('window-style', 'fg=red');
    w0.options.setText('window-active-style', 'bg=colour7');
    world.registry.panes.get(2)?.options.setText('synchronize-panes', 'on');
    world.window(world.session('two'), 'other');
    world.registry.buffers.add('x\ty', 50);

    const names = FORMAT_VARIABLES.map(({ name }) => name).filter((name) => !OWN.has(name));
    const panes = [...world.registry.panes.values()];
    const cases = panes.flatMap((pane) => names.map((name) => ({ pane, name })));
    const blocks = await tmux?.batch(
      cases.map(({ pane, name }) => ['display-message', '-p', '-t', `%${pane.id}`, `#{${name}}`]),
    );
    const ours = cases.map(({ pane, name }) => {
      const session = [...pane.window.winlinks][0]!.session;
      return `%${pane.id} ${name} ${world.expand(`#{${name}}`, { session, pane })}`;
    });
    const theirs = cases.map(({ pane, name }, index) => `%${pane.id} ${name} ${blocks?.[index]?.out}`);
    expect(ours).toEqual(theirs);
  });
});

describe('the table of variables', () => {
  it('has every variable of the manual once, with a line of help', () => {
    const names = FORMAT_VARIABLES.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { name, help } of FORMAT_VARIABLES) expect(help, name).not.toBe('');
    const manual = readFileSync(new URL('../../fixtures/format/variables.txt', import.meta.url), 'utf8')
      .trim()
      .split('\n');
    expect(manual.filter((name) => !names.includes(name))).toEqual([]);
  });

  it('gives a value or none for every variable at every kind of place, and never throws', () => {
    const world = new World();
    const session = world.session('s');
    const window = world.window(session, 'w');
    const empty = world.session('empty');
    for (const about of [{}, { session }, { window }, { pane: window.active }, { session: empty }]) {
      for (const { name } of FORMAT_VARIABLES) expect(typeof world.expand(`#{${name}}`, about)).toBe('string');
    }
  });
});

describe('a format source', () => {
  function setUp() {
    const world = new World();
    const session = world.session('s');
    const window = world.window(session, 'w');
    return { world, session, window, pane: window.active };
  }

  it('asks options first, then variables, then what came with the call, then the environment', () => {
    const { world, session, pane } = setUp();
    session.environ.set('HOME', '/session');
    session.options.setText('@v', 'session');
    const extra = { line: '3', HOME: '/extra', window_name: 'extra' };
    expect(world.expand('#{HOME} #{ONLY_GLOBAL}', { session })).toBe('/session g');
    expect(world.expand('#{line} #{HOME} #{window_name}', { session, extra })).toBe('3 /extra w');
    pane.options.setText('@v', 'pane');
    expect(world.expand('#{@v}', { pane })).toBe('pane');
    expect(world.expand('#{@v}', { session: world.session('t') })).toBe('');
  });

  it('never expands what a program put into a title', () => {
    const { world, pane } = setUp();
    pane.title = '#{host}#(touch /tmp/x)#[fg=red]%H';
    let jobs = 0;
    const context = world.context({
      pane,
      job: () => {
        jobs++;
        return '';
      },
    });
    expect(expandFormat('#{pane_title}', formatSource(context), { time: true })).toBe(pane.title);
    expect(jobs).toBe(0);
  });

  it('loops over sessions by name, windows by index and panes in order', () => {
    const { world, session, window, pane } = setUp();
    world.window(world.session('a'), 'x');
    world.window(session, 'w1');
    world.split(window, 'row');
    expect(world.expand('#{S:#{session_name} }', { pane })).toBe('a s ');
    expect(world.expand('#{W:#{window_index}#{window_name} ,[#{window_name}]}', { session })).toBe('[w]1w1 ');
    expect(world.expand('#{P:#{pane_id} ,<#{pane_id}>}', { pane })).toBe('<%0>%3 ');
  });

  it('finds text on the screen by pattern and by regular expression', () => {
    const { world, pane } = setUp();
    pane.emulator.write(Buffer.from('first\r\n  second line\r\n'));
    expect(world.expand('#{C:second} #{C/r:^first$} #{C/ri:LINE$} #{C:nowhere} #{C:SECOND}', { pane })).toBe(
      '2 1 2 0 0',
    );
  });

  it('tells of the mouse, of a dead pane and of a client', () => {
    const { world, session, pane } = setUp();
    pane.emulator.write(Buffer.from('one two-three four'));
    const mouse = { pane, isOnStatus: false, x: 5, y: 0 };
    expect(world.expand('#{mouse_x},#{mouse_y} #{mouse_word}|#{mouse_line}', { pane, mouse })).toBe(
      '5,0 two|one two-three four',
    );
    pane.state = { kind: 'dead', status: undefined, signal: 'SIGTERM', time: NOW };
    expect(world.expand('#{pane_dead} #{pane_dead_signal} #{pane_dead_status}', { pane })).toBe('1 15 ');
    const client = new ClientSession({
      name: '/dev/pts/1',
      pid: 5,
      size: { cols: 40, rows: 10 },
      term: 'xterm',
      environ: new Environ(),
      cwd: '/',
      readOnly: true,
      ignoreSize: false,
      created: NOW,
    });
    client.session = session;
    world.registry.clients.add(client);
    expect(world.expand('#{client_name} #{client_flags} #{client_prefix} #{client_key_table}', { client })).toBe(
      '/dev/pts/1 attached,focused,read-only,UTF-8 0 root',
    );
    expect(world.expand('#{window_bigger} #{session_attached_list} #{window_active_clients}', { client })).toBe(
      '1 /dev/pts/1 1',
    );
  });
});
