import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expandFormat, type FormatSource } from '../../../server/format/format-expand.ts';
import { globalOptions, matchOption } from '../../../server/options/option-set.ts';
import { TmuxReference } from '../../support/tmux-reference.ts';

const USER_OPTIONS: Readonly<Record<string, string>> = {
  '@v': 'val,ue#{x}',
  '@e': '#{session_name}',
  '@e2': '#{E:@e}#{?@n,#{@long},}',
  '@n': '5',
  '@long': 'abcdefghij',
  '@w': '日本語text',
  '@p': '/usr/lib/foo.txt',
  '@st': '#[fg=red]abc#[default]def',
  '@t': '1445765102',
  '@time': '%H %%',
  '@q': 'a b\'c"$d#e',
  '@empty': '',
  '@zero': '0',
  '@hash': '##a#b###',
  '@plus': 'a+b',
  '@slash': '/',
  '@trail': '/usr/lib/',
  '@qq': 'a|b&c;d<e>f(g)h$i`j\\k"l\'m*n?o[p]q#r s=t%u~v!w{x}y^z,.:/@-_+',
  '@loop': '#{E:@loop}x',
  '@pct': '%%H %%%%H %d',
  '@dbl': '%%%%H',
  '@tnest': '#{?1,%%H #{?1,%%%%H,},}',
  '@abcd': 'abcd',
  '@aaa': 'aaa',
  '@dash': 'a-b]c',
  '@bs': 'a\\b',
};

/** Where mplex means to differ: what it gives instead. */
const DIFFERENCES: Readonly<Record<string, string>> = {
  // No alias inside a style, or every colour that begins with D, F, H, P ... would be broken.
  '#[#S]#S': '#[#S]s1',
  '#[fg=#F8F8F2]x': '#[fg=#F8F8F2]x',
  // tmux loses the first character.
  '#{s/^/X/:@long}': 'Xabcdefghij',
  '#{s/^x*/X/:@long}': 'Xabcdefghij',
};

/** Variables whose values the hand-made source takes from the reference. */
const VARIABLES = [
  ...[
    'session_name',
    'window_index',
    'window_name',
    'window_flags',
    'window_raw_flags',
    'window_layout',
    'window_width',
  ],
  ...[
    'window_active',
    'window_end_flag',
    'window_bigger',
    'window_last_flag',
    'window_bell_flag',
    'pane_index',
    'pane_id',
  ],
  ...['pane_title', 'pane_width', 'pane_height', 'pane_active', 'pane_at_top', 'pane_at_left', 'pane_in_mode', 'host'],
  ...['pane_current_path', 'host_short', 'session_windows', 'history_limit', 'version', 'pid', 'window_activity_flag'],
];

const tmux = TmuxReference.start(['-s', 's1', '-n', 'win1', '-x', '80', '-y', '24', '-c', '/usr/bin', 'sleep 1000']);
afterAll(() => tmux?.stop());

const server = globalOptions('server');
const session = globalOptions('session', { overrides: { 'default-shell': '/bin/sh' } });
const window = globalOptions('window', { overrides: { 'automatic-rename': 'off' } });
for (const [name, value] of Object.entries(USER_OPTIONS)) session.set(matchOption(name), value);

function makeSource(values: ReadonlyMap<string, string>, job: (command: string) => string): FormatSource {
  const source: FormatSource = {
    now: new Date(),
    variable: (name) =>
      server.formatValue(name) ?? window.formatValue(name) ?? session.formatValue(name) ?? values.get(name),
    loop: () => [{ source, active: true }],
    job,
    search: () => 0,
    sessionNameExists: (name) => name === 's1',
    windowNameExists: (name) => name === 'win1',
  };
  return source;
}

describe.skipIf(!tmux)('formats compared with tmux 3.3a', () => {
  const values = new Map<string, string>([['HOME', process.env.HOME ?? '']]);

  beforeAll(async () => {
    const blocks = await tmux?.batch([
      ...Object.entries(USER_OPTIONS).map(([name, value]) => ['set', '-g', '--', name, value]),
      ...VARIABLES.map((name) => ['display-message', '-p', `#{${name}}`]),
    ]);
    const outputs = blocks?.slice(Object.keys(USER_OPTIONS).length) ?? [];
    VARIABLES.forEach((name, index) => {
      values.set(name, outputs[index]?.out ?? '');
    });
  });

  it('expands each line of the fixture to the same text', async () => {
    const formats = readFileSync(new URL('../../fixtures/format/formats.txt', import.meta.url), 'utf8').split('\n');
    const used = formats.filter((format) => format !== '');
    const start = Date.now();
    const blocks = await tmux?.batch(used.map((format) => ['display-message', '-p', '--', format]));
    const end = Date.now();
    const source = makeSource(values, () => '');
    for (const format of Object.keys(DIFFERENCES)) expect(used).toContain(format);
    // tmux expanded each at some second between the two times.
    const seconds = Array.from({ length: Math.floor(end / 1000) - Math.floor(start / 1000) + 1 }, (_, i) => {
      return new Date(start + i * 1000);
    });
    const ours = used.map((format, index) => {
      const all = seconds.map((now) => expandFormat(format, { ...source, now }, { time: true }));
      return `${format} => ${all.find((text) => text === blocks?.[index]?.out) ?? all[0]}`;
    });
    const theirs = used.map((format, index) => `${format} => ${DIFFERENCES[format] ?? blocks?.[index]?.out}`);
    expect(ours).toEqual(theirs);
  });
});
