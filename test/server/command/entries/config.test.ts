import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ENTRIES } from '../../../../server/command/entries/command-table.ts';
import { ModelServer } from '../../../support/model-server.ts';
import { TmuxTwin } from '../../../support/tmux-twin.ts';

const twin = await TmuxTwin.start();
const directory = mkdtempSync(join(tmpdir(), 'mplex-source-'));
afterAll(() => {
  twin?.stop();
  rmSync(directory, { recursive: true });
});

function write(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
}

const FILES = {
  'c1.conf': 'set -g @a 1\nset -g nosuch 2\nset -g @b 3\nshow -gv @a\n',
  'c2.conf': 'nosuchcmd\nset -g @c 3\n',
  'c3.conf': 'set -g @c 4\nset -g @d "x\n',
  'c5.conf':
    'set -g @c5 5 ; set -g nosuch 1 ; set -g @d5 5\n\nset -g @e5 "#{current_file}"; set -gF @f5 "#{current_file}"\n' +
    'show -gv @f5',
  'c6.conf': 'source-file c1.conf\nshow -gv @b\n',
  'c7.conf': 'show -gv \\\n nosuch\nset -Z\n',
  'c8.conf': 'show -gv @a\nkill-session -t nosuch ; show -gv @b\nshow -gv @b\n',
  'v.conf':
    'show -gv @a\nbind F7 { killp ; set @a "b c" }\nAA=1\n%if 1\nset -gq @in "$AA ${AA}x"\n%else\nset @out 1\n%endif\n' +
    'set -g @blk { killp ; set @a "y z" }\n',
  'blk.conf': 'set -g @blk2 {\n neww\n set @a "y z"\n}\nshow -gv @blk2\nshow -g @in\n',
  'empty.conf': '',
  'one.conf': 'show -gv @a\n',
  'bad-block.conf': 'show -gv @a\nbind F7 { killp ;\n nosuchcmd }\n',
  'inc1.conf': 'source-file inc2.conf\nshow -gv @a\n',
  'inc2.conf': 'nosuchcmd\n',
};

describe.skipIf(!twin)('source-file compared with tmux 3.3a', () => {
  it('runs files, finds them by pattern, and tells mistakes', async () => {
    write(FILES);
    for (const name of ['sub1', 'sub2']) {
      mkdirSync(join(directory, name));
      write({ [`${name}/x.conf`]: `show -gv @a\n`, [`${name}/.y.conf`]: 'show -gv @b\n' });
    }
    await twin?.sameLines(
      `
      source c1.conf
      show -g @b
      source c2.conf
      show -g @c
      source c3.conf
      source c5.conf
      show -g @d5
      show -g @e5
      source nope.conf
      source -q nope.conf
      source nope.conf c1.conf
      source c1.conf nope.conf
      source nope.conf ; show -gv @a
      source -q nope.conf ; show -gv @a
      source nope.conf one.conf ; show -gv @b
      source c2.conf ; show -gv @a
      source 'c[16].conf'
      source *.nope
      source -q *.nope
      source sub*/x.conf
      source sub?/*.conf
      source sub[2]/x.conf
      source sub2/.*.conf
      source sub1/../sub2/x.conf
      source 'sub2/x\\.conf'
      source ${directory}/one.conf
      source -F '#{session_name}.conf'
      source -F '#{session_id}.conf'
      source c6.conf
      source c7.conf
      source c8.conf
      source empty.conf
      source inc1.conf
      source bad-block.conf
      source
      source -n c1.conf
      source -n c2.conf
      source -v c1.conf
      source -v c2.conf
      source -nv c5.conf
      source -v v.conf
      source blk.conf
      list-keys F7
      show -gv @in
      showenv -g AA
    `,
      { cwd: directory },
    );
  });

  it('reads standard input', async () => {
    await twin?.same(['source', '-'], { stdin: 'show -gv @a\nset -g nosuch 2\n' });
    await twin?.same(['source', '-'], { stdin: 'show -gv @a\n nosuchcmd\n' });
  });

  it('lists the commands that both have, with their usage', async () => {
    await twin?.sameLines(`
      list-commands bind
      list-commands nosuch
      list-commands list
      list-commands kill-session
      list-commands -F '#{command_list_name}|#{command_list_alias}|#{command_list_usage}' bind
      list-commands x y
    `);
    const tmuxLines = new Map(
      (twin?.tmux.call(['list-commands']).stdout.trimEnd().split('\n') ?? []).map((line) => [line.split(' ')[0], line]),
    );
    const lines = (await twin?.model.run('list-commands'))?.stdout.trimEnd().split('\n') ?? [];
    expect(lines.length).toBe(ENTRIES.length);
    for (const line of lines) expect(line).toBe(tmuxLines.get(line.split(' ')[0]) ?? line);
  });
});

describe('source-file', () => {
  it('ends files that source each other', async () => {
    const server = new ModelServer({ cwd: directory });
    await server.run('new-session', '-d');
    write({ 'loop.conf': 'set -ga @n x\nsource-file loop.conf\n' });
    expect((await server.run('source', 'loop.conf')).stderr).toBe('too many nested files\n');
    expect(String(server.registry.sessionOptions.string('@n')).length).toBe(50);
  });

  it('says so when the path is a directory', async () => {
    const server = new ModelServer({ cwd: directory });
    expect((await server.run('source', directory)).stderr).toBe(`${directory}: Is a directory\n`);
  });
});

describe('the table of commands', () => {
  it('has each name and alias once', () => {
    const names = ENTRIES.flatMap(({ name, alias }) => (alias === undefined ? [name] : [name, alias]));
    expect(new Set(names).size).toBe(names.length);
  });

  it('takes every flag that its usage names', () => {
    for (const { name, usage, args } of ENTRIES) {
      // tmux's own usage names a -t that it does not take.
      if (name === 'server-access') continue;
      const bare = /^\[-([A-Za-z0-9]+)\]/.exec(usage)?.[1] ?? '';
      const valued = [...usage.matchAll(/\[-([A-Za-z0-9]) /g)].map((match) => match[1] ?? '');
      for (const flag of bare) expect.soft(args.template, `${name} -${flag}`).toContain(flag);
      for (const flag of valued) expect.soft(args.template, `${name} -${flag}`).toContain(`${flag}:`);
    }
  });
});
