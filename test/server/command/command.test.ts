import { describe, expect, it } from 'vitest';
import { anyArgument } from '../../../server/command/args.ts';
import { type ArgsRow, checkCommands, findEntry, usageLine } from '../../../server/command/command.ts';
import { printCommands } from '../../../server/command/command-print.ts';
import { findHomeDirectory } from '../../../server/command/home-directory.ts';
import { type ParseOptions, parseCommands } from '../../../server/command/parser.ts';
import { fillCommands, fillText } from '../../../server/command/template.ts';

const OPTIONS: ParseOptions = { environ: () => undefined, expandFormat: (text) => text, home: undefined };

const TABLE: readonly ArgsRow[] = [
  { name: 'bind-key', alias: 'bind', usage: 'key', args: { template: 'T:', min: 1, max: -1, blocks: anyArgument } },
  { name: 'list-keys', alias: 'lsk', usage: '', args: { template: '', min: 0, max: 0 } },
  { name: 'list-panes', alias: 'lsp', usage: '[-as]', args: { template: 'asF:', min: 0, max: 0 } },
  { name: 'list', usage: '', args: { template: '', min: 0, max: -1 } },
];

function check(text: string, aliases: Readonly<Record<string, string>> = {}): string {
  const parsed = parseCommands(text, OPTIONS);
  if (!parsed.ok) return parsed.error;
  const result = checkCommands(parsed.commands, TABLE, (name) => {
    const alias = aliases[name];
    return alias === undefined ? undefined : parseCommands(alias, OPTIONS);
  });
  return result.ok ? printCommands(result.commands, 'nested') : `${result.line}: ${result.error}`;
}

describe('findEntry', () => {
  it('takes an exact name or alias before a beginning', () => {
    expect(findEntry(TABLE, 'list')).toMatchObject({ ok: true, entry: { name: 'list' } });
    expect(findEntry(TABLE, 'lsk')).toMatchObject({ ok: true, entry: { name: 'list-keys' } });
    expect(findEntry(TABLE, 'list-p')).toMatchObject({ ok: true, entry: { name: 'list-panes' } });
  });

  it('names the candidates', () => {
    expect(findEntry(TABLE, 'list-')).toEqual({
      ok: false,
      error: 'ambiguous command: list-, could be: list-keys, list-panes',
    });
    expect(findEntry(TABLE, 'nope')).toEqual({ ok: false, error: 'unknown command: nope' });
  });
});

describe('checkCommands', () => {
  it('gives full names and flags in order, in blocks too', () => {
    expect(check('bind -T x y { lsp -s -F "a b" -a }')).toBe('bind-key -T x y { list-panes -as -F "a b" }');
  });

  it('finds mistakes inside blocks, with their line', () => {
    expect(check('bind x {\n lsp\n nope\n}')).toBe('3: unknown command: nope');
    expect(check('bind x {\n lsp -q\n}')).toBe('2: command list-panes: unknown flag -q');
  });

  it('tells the usage for -?', () => {
    expect(check('lsp -?')).toBe('1: usage: list-panes [-as]');
    expect(usageLine(TABLE[2]!, { withAlias: true })).toBe('list-panes (lsp) [-as]');
  });

  it('puts an alias in the place of its name, the arguments behind the last command', () => {
    const aliases = { zoo: 'lsk ; lsp -a', bad: '%nope', none: '', lsp: 'lsp -s', loop: 'loop' };
    expect(check('zoo -s', aliases)).toBe('list-keys ; list-panes -as');
    expect(check('bind x { zoo }', aliases)).toBe('bind-key x { list-keys ; list-panes -a }');
    expect(check('lsk\nbad', aliases)).toBe('2: syntax error');
    expect(check('none x', aliases)).toBe('');
    expect(check('lsp', aliases)).toBe('list-panes -s');
    expect(check('loop', aliases)).toBe('1: unknown command: loop');
  });

  it('keeps the sequence of what an alias stood in', () => {
    expect(check('lsk ; zoo ; lsk\nlsk', { zoo: 'lsp\nlsp' })).toBe(
      'list-keys ; list-panes ; list-panes ; list-keys ;; list-keys',
    );
  });
});

describe('fillText', () => {
  it('puts values in the place of %1 and of %% in turn', () => {
    expect(fillText('a %1 %% %2 %1 %% %%', ['x', 'y'])).toBe('a x x y x y %%');
    expect(fillText('100% %3 %0', ['x'])).toBe('100% %3 %0');
  });

  it('escapes a value where the template asks for it, and never looks into one', () => {
    expect(fillText('"%%%" "%1%" %2', ['a"$b;~\\', '%1'])).toBe('"a\\"\\$b\\;\\~\\\\" "a\\"\\$b\\;\\~\\\\" %1');
  });

  it('fills commands word by word, blocks included', () => {
    const parsed = parseCommands('a "%%" "%% %%" { b %1 }', OPTIONS);
    const filled = fillCommands(parsed.ok ? parsed.commands : [], ['x ; y']);
    expect(printCommands(filled, 'nested')).toBe('a "x ; y" "x ; y %%" { b "x ; y" }');
  });
});

describe('findHomeDirectory', () => {
  it('reads passwd(5)', () => {
    const passwd = 'root:x:0:0:root:/root:/bin/sh\nbob:x:1:1::/home/bob:/bin/sh\nodd:x\n';
    expect(findHomeDirectory(passwd, 'bob')).toBe('/home/bob');
    expect(findHomeDirectory(passwd, 'odd')).toBeUndefined();
    expect(findHomeDirectory(passwd, '')).toBeUndefined();
  });
});
