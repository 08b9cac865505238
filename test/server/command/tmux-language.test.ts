import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ArgsRow, findEntry, usageLine } from '../../../server/command/command.ts';
import { printCommands } from '../../../server/command/command-print.ts';
import { type ParsedCommand, parseArgv } from '../../../server/command/parser.ts';
import { boundCommands, PLAIN, readText, tmuxInstalled, tmuxRows } from './tmux-rows.ts';

const socket = `mplex-language-${process.pid}`;
const hasTmux = tmuxInstalled();

function tmux(...args: string[]): { stdout: string; stderr: string } {
  const env = { ...process.env, HOME: '/home/u', LC_ALL: 'C.UTF-8', FOO: 'foo' };
  const run = spawnSync('tmux', ['-L', socket, '-f', '/dev/null', ...args], { encoding: 'utf8', env });
  return { stdout: run.stdout.replace(/\n$/, ''), stderr: run.stderr.replace(/\n$/, '') };
}

/** Texts that run display-message -p only; tmux prints what our parser must give it. */
const RUNNABLE = [
  'display -p "a\n   b"',
  'display -p "a\n   # comment\n   #:x b"',
  "display -p 'a\n   b'",
  'display -p "abc',
  "display -p 'abc\nbogus",
  'display -p a{b',
  'display -p a}b',
  'display -p a{b}c',
  'display -p {a}',
  '; display -p a',
  'display -p a ;; display -p b',
  'display -p a ; ; display -p b',
  'display -p a;display -p b;',
  'display -p a#b',
  'display -p a #b',
  'display -p \\#b',
  'display -p $FOO ; display -p ${FOO}x"$FOO"$ ; display -p a$1 ; display -p $NOPE/x',
  'display -p ${FOO-x}',
  'display -p x${}',
  'display -p ${FOO',
  'display -p ~ ; display -p ~/x ; display -p "~/x" ; display -p a~ ; display -p a"~"b; display -p "a"~',
  'display -p ""~ ; display -p a""~',
  'display -p ~nouser',
  'display -p ~root/x',
  'display -p \\u00e9\\U0001F600\\101\\303\\251',
  'display -p \\u00g9',
  'display -p \\401',
  'display -p \\19',
  'display -p \\uD800',
  'display -p \\ux',
  'display -p \\u00',
  'display -p a\\sb\\q\\"\\;\\$FOO',
  'BAR=1 display -p $BAR',
  'BAR=2\ndisplay -p $BAR',
  'BAR=3 ; display -p $BAR',
  '%hidden BAR=4 \ndisplay -p $BAR',
  '%hidden BAR=5 ; display -p $BAR',
  '%hidden BAR=5 display -p $BAR',
  '%hidden BAR',
  'A=1 B=2 display -p $B',
  'A=1 {',
  'display -p A=1',
  '1A=1 display',
  '"A"=1\ndisplay -p $A',
  'A="x y"\ndisplay -p $A',
  '%if 1\ndisplay -p yes\n%else\ndisplay -p no\n%endif',
  '%if "" display -p yes %elif 1 display -p elif %else display -p no %endif',
  '%if 0 display -p yes ; display -p 2 %else display -p no ; display -p no2 %endif ; display -p more',
  'display -p first ; %if 1 display -p yes %endif',
  '%if 00\ndisplay -p 00\n%endif',
  '%if\ndisplay -p 00\n%endif',
  '%if ""\ndisplay -p 00\n%endif',
  '%if 1\n%endif',
  '%if 1\n\n%endif',
  '%foo',
  '%if 1; display -p x %endif',
  '%1',
  'display -p %1',
  '%endif',
  '%if 1\ndisplay -p x',
  '%if 1 %endif',
  'display -p a %if',
  'display -p "%if"',
  '%if #{l:1} display -p x %endif',
  '%if #{l:#{l:#}1}}\ndisplay -p a\n%endif',
  '%if #{a\ndisplay -p a\n%endif',
  '%if 1 A=7 ; display -p $A %endif',
  '%if 1 %hidden A=7 %endif',
  '%if 1\n  %hidden B=7\ndisplay -p $B\n%endif',
  '%if 1\n\n%elif 1\ndisplay -p x\n%elif 0\ndisplay -p y\n%else\n\n%endif',
  '%if 0\nQR=1\n%endif\ndisplay -p "q$QR"',
  '%if 1 ; display -p a %endif',
  '%if 1 display -p a ; %endif',
  '%if 1 display -p a ; %if 0 display -p b %else display -p c %endif %endif ; display -p d',
  '%if 1 display -p a %endif display -p d',
  '%if 1 \ndisplay -p a\n%endif ; display -p d',
  'display -p a ; %if 1 \ndisplay -p b\n%endif',
  '%if 1 #x\ndisplay -p a\n%endif',
  '%if 1\n%if 0\ndisplay -p a\n%elif 1\ndisplay -p b\n%endif\ndisplay -p c\n%endif\ndisplay -p d',
  'display -p a;}',
  '{ display -p a }',
  'display -p a { display -p b',
  'display -p \'a\'b"c"d',
  'display -p "a"#b',
  'display -p "a\\\nb" \\\n',
  'display -p a\\\\\\\nb',
  "display -p 'a\\\nb\\\\'",
  '# comment \\\ndisplay -p a\ndisplay -p b',
  'display -p \\\n x',
  'display -p x\\',
  'neww -x\n\nfoo\n',
  '\n\nfoo bar',
  'bind x {\n\nfoo\n}',
  'bind x {\n\nneww -?\n}\n',
  'neww {',
  'neww }',
  'display -p A ; display -p -X ; display -p B',
  'bind x {\ndisplay -p a\n',
  'neww -[',
  'rename-window',
  'kill-server a',
  'l',
  'bind x { display -p { foo } }',
  'display -t { foo }',
  'bind x { if 1 }',
];

/** What bind-key is given; list-keys must print it alike. */
const BOUND = [
  '{ neww ; splitw }',
  '{ neww\nsplitw }',
  '{ \n neww\n splitw ; lsp\n\n lsw\n }',
  '{ }',
  '{ # c\nneww # d\n}',
  'neww \\; splitw',
  'neww ";" splitw',
  'neww "a;" splitw',
  'neww a\\; splitw',
  'neww "a\\\\;" splitw',
  '"neww ; splitw"',
  '"neww\nsplitw"',
  'if 1 { neww } { if 2 { splitw ; lsp } "lsw ; lsp" }',
  'if 1 { neww\n splitw } ',
  'set -g @x { neww ; splitw }',
  'set -g @x {\nneww\nsplitw }',
  '{ A=1\nneww }',
  '{ %if 1\nneww\n%else\nsplitw\n%endif\n}',
  '{ neww; }',
  'display-menu -T x "a b" c { neww } "" "d" e "lsw"',
  'display-menu -T x "a b" { neww } c',
  'command-prompt -p x { neww "%%" ; display "%1" }',
  'send-keys -N5 -X -t a -l foo -l -- -x',
  'send-keys -lll x',
  'new-window -e A=b -e C=d',
  'neww -dPn foo',
  'neww -n "" x',
  'bind y { neww ; bind z { splitw ; lsp } }',
  'run-shell -C { neww }',
  'run-shell { neww }',
  'confirm-before -p "kill-pane #P? (y/n)" kill-pane',
  ...[
    `"it's"`,
    '"a\\"b"',
    `'$x'`,
    `'$'`,
    `"#"`,
    '"a#b"',
    '\\~x',
    '\\~',
    'a\\~',
    '"\\~ x"',
    '""',
    'a\\;b',
    '"a  b"',
    'x%x',
    '"%"',
    '"}"',
    '\\{',
    '"x{y"',
    '"\\\\$"',
    '"\\\\\\$FOO"',
    '"a\\tb\\nc"',
    '"a\\001b"',
    'é',
    '\\e[A',
    '"\\b\\v\\f\\r\\007"',
    '"\\s"',
    '"\\\\"',
    'a\\\\b',
    '"\\177"',
    '\\"',
    "\\'",
    '" "',
    '*',
    '\\u0085',
    '\\u00a0',
    '"$1"',
    '"a$"',
    '"\\$_"',
    '"\\${"',
    '\\"~',
    '" ~"',
    `'" "'`,
    `'\\'`,
    `'a\\ b'`,
    '\\0011',
    '\\000a',
    'a=b',
    '"[x]"',
    '`',
    '"a\\$b \\" ;"',
    '日本',
    '😀',
  ].map((word) => `send-keys -- ${word}`),
];

describe.skipIf(!hasTmux)('the command language compared with tmux 3.3a', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mplex-language-'));
  const file = join(folder, 'c.conf');
  let rows: ArgsRow[] = [];
  beforeAll(() => {
    tmux('new-session', '-d', '-x', '80', '-y', '24', 'exec sleep 3600');
    rows = tmuxRows(tmux('list-commands').stdout);
    expect(rows.length).toBeGreaterThan(80);
  });
  afterAll(() => {
    tmux('kill-server');
    rmSync(folder, { recursive: true });
  });

  const options = {
    ...PLAIN,
    file,
    homeOf: (user: string) => (user === 'root' ? '/root' : undefined),
    expandFormat: (format: string) => format.replace(/^#\{l:.*\}$/, '1'),
  };

  it('runs and refuses the same files, with the same words', () => {
    for (const text of RUNNABLE) {
      writeFileSync(file, text);
      const ours = readText(text, rows, options);
      const theirs = tmux('source-file', file);
      const expected = ours.ok ? ours.commands.map(printed).join('\n') : ours.error;
      expect.soft(expected, text).toBe(theirs.stderr || theirs.stdout);
      tmux('set-environment', '-gu', 'BAR', ';', 'set-environment', '-gu', 'A', ';', 'set-environment', '-gu', 'B');
    }
  });

  it('prints bound commands alike', () => {
    for (const body of BOUND) {
      tmux('unbind-key', '-a', '-T', 'zz');
      const text = `bind -T zz x ${body}`;
      writeFileSync(file, text);
      const told = tmux('source-file', file).stderr;
      const theirs = tmux('list-keys', '-T', 'zz').stdout.replace(/^bind-key +-T zz +x +/, '');
      const read = readText(text, rows, options);
      const bound = read.ok ? boundCommands(read.commands[0]!, rows) : read;
      if (bound.ok) expect.soft(printCommands(bound.commands), body).toBe(theirs);
      else expect.soft(bound.error, body).toBe(told);
    }
  });

  it('reads every default binding and prints it as list-keys does', () => {
    const lines = tmux('list-keys').stdout.split('\n');
    expect(lines.length).toBeGreaterThan(200);
    for (const line of lines) {
      const read = readText(line, rows, options);
      const bound = read.ok ? boundCommands(read.commands[0]!, rows) : read;
      const ours = bound.ok ? printCommands(bound.commands) : bound.error;
      expect.soft(line.endsWith(` ${ours}`), `${line}\n${ours}`).toBe(true);
    }
  });

  it('splits argv alike', () => {
    const calls = [
      ['display', '-p', 'a;', 'display', '-p', 'b'],
      ['display', '-p', 'a\\;', ';', 'display', '-p', 'b\\\\;'],
      [';', 'display', '-p', 'x'],
      ['display', '-p', 'a', ';', ';', 'display', '-p', 'b'],
      [';'],
      ['display', '-p', '$FOO ~ \\e {a} b;c'],
      ['display', '-p', 'a;;', 'display', '-p', 'b'],
    ];
    for (const argv of calls) {
      const parsed = parseArgv(argv);
      const ours = parsed.ok ? parsed.commands.map(printed).join('\n') : parsed.error;
      const { stdout, stderr } = tmux(...argv);
      expect(ours, argv.join(' ')).toBe(stderr || stdout);
    }
  });

  it('finds commands by the same names and prints the same usage', () => {
    for (const name of ['foo', 'l', 'list', 'lo', 's', 'swap-', 'neww', '']) {
      const found = findEntry(rows, name);
      const theirs = tmux(name, '-?');
      expect(found.ok ? `usage: ${usageLine(found.entry, { withAlias: false })}` : found.error).toBe(theirs.stderr);
    }
    const lines = rows.map((row) => usageLine(row, { withAlias: true }));
    expect(lines.join('\n')).toBe(tmux('list-commands').stdout);
  });
});

/** What `display-message -p` prints. */
function printed(command: ParsedCommand): string {
  const text = command.args.at(-1);
  return typeof text === 'string' && command.name.startsWith('display') ? text : '';
}
