import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { printOption } from '../../../server/options/option-list.ts';
import { globalOptions, matchOption, OptionSet } from '../../../server/options/option-set.ts';
import { OPTION_TABLE, type OptionEntry } from '../../../server/options/option-table.ts';
import { quoteValue } from '../../../server/options/option-value.ts';
import { TmuxReference } from '../../support/tmux-reference.ts';

const tmux = TmuxReference.start();
afterAll(() => tmux?.stop());

/** Texts tried on every option; those with a meaning for some type and those with none. */
const VALUES = [
  ...['zzz', '-1', '0', '1', '5', '12', ' 5', '5 ', '+3', '0x10', '32767', '32768', '65535', '65536'],
  ...['2147483647', '2147483648', '99999999999', '', 'on', 'OFF', 'yes', 'No', 'both', 'always', 'external'],
  ...['any', 'none', 'current', 'other', 'left', 'centre', 'absolute-centre', 'top', 'bottom', 'no-detached', 'vi'],
  ...['blinking-bar', 'arrows', 'double', 'number', 'rounded', 'padded', 'failed', 'largest', 'manual', 'smallest'],
  ...['red', 'BrightRed', 'colour7', 'color200', 'colour256', '#aBcDeF', '#fff', '97', 'terminal', 'orange', 'grey50'],
  ...['bg=red,fg=blue', 'bold dim', 'fg=#{x} nonsense', 'list=on', 'C-a', 'M-x', 'None', 'PageUp', '100x30', 'x1'],
  ...[
    'a b',
    'a,b',
    'a"b',
    "it's",
    '$HOME',
    '~',
    '~/x',
    'a;b',
    '{',
    '#',
    '\\',
    'tab\tx',
    'a\nb',
    '日本',
    '%',
    '*',
    '\u0001',
  ],
];

describe.skipIf(!tmux)('set-option compared with tmux 3.3a', () => {
  const setScope = (entry: OptionEntry) =>
    entry.scopes.includes('server') ? 'server' : entry.scopes.includes('session') ? 'session' : 'window';
  const scopeFlag = (scope: string) => (scope === 'server' ? '-s' : scope === 'window' ? '-gw' : '-g');
  // Setting these ends the test's own server, or needs a shell that is there.
  const left = new Set(['exit-unattached', 'destroy-unattached', 'default-shell']);
  const entries = OPTION_TABLE.filter((entry) => !entry.hook && !entry.own && !left.has(entry.name));
  const KINDS = ['string', 'number', 'key', 'colour', 'flag', 'choice', 'style'] as const;

  it.each(KINDS)('takes, refuses and prints the same values for options of type %s', async (kind) => {
    const ofKind = entries.filter((entry) => entry.type === kind);
    const chosen = ['choice', 'number', 'flag'].includes(kind) ? ofKind : ofKind.slice(0, 4);
    const cases = chosen.flatMap((entry) =>
      (kind === 'number' ? VALUES.slice(0, 18) : VALUES).map((value) => ({ entry, value })),
    );
    const ours = cases.map(({ entry, value }) => {
      const set = globalOptions(setScope(entry));
      const option = matchOption(entry.name);
      const result = set.set(option, value);
      return `${entry.name} <${value}> ${result.ok ? (printOption(set, option) ?? []).join('\n') : result.error}`;
    });
    const blocks = await tmux?.batch(
      cases.flatMap(({ entry, value }) => {
        const flag = scopeFlag(setScope(entry));
        return [
          ['set', flag, '--', entry.name, value],
          ['show', flag, entry.name],
          ['set', flag, '-u', entry.name],
        ];
      }),
    );
    const theirs = cases.map(({ entry, value }, index) => {
      const set = blocks?.[index * 3];
      return `${entry.name} <${value}> ${set?.ok ? blocks?.[index * 3 + 1]?.out : set?.out}`;
    });
    expect(ours).toEqual(theirs);
  });
});

const session = () => globalOptions('session');
const server = () => globalOptions('server');
const shown = (set: OptionSet, name: string) => printOption(set, matchOption(name));

describe('setting options', () => {
  it('toggles flags and two-way choices when no value is given, and refuses for the rest', () => {
    const set = session();
    set.set(matchOption('mouse'), undefined);
    expect(set.flag('mouse')).toBe(true);
    set.set(matchOption('status'), undefined);
    expect(set.choice('status')).toBe('off');
    set.set(matchOption('status'), '3');
    set.set(matchOption('status'), undefined);
    expect(set.choice('status')).toBe('3');
    expect(set.set(matchOption('status-left'), undefined)).toEqual({ ok: false, error: 'empty value' });
  });

  it('finds unique beginnings and American spelling, and says what is wrong otherwise', () => {
    expect(matchOption('status-left-l')).toMatchObject({ kind: 'found', name: 'status-left-length' });
    expect(matchOption('display-panes-color')).toMatchObject({ kind: 'found', name: 'display-panes-colour' });
    expect(matchOption('display-panes-c')).toMatchObject({ kind: 'found', name: 'display-panes-colour' });
    expect(matchOption('statu')).toMatchObject({ kind: 'unknown', error: 'ambiguous option: statu', obsolete: false });
    expect(matchOption('foo')).toMatchObject({ kind: 'unknown', error: 'invalid option: foo' });
    expect(matchOption('status-format[x]')).toMatchObject({ error: 'ambiguous option: status-format[x]' });
    for (const name of ['utf8', 'status-utf8', 'mode-mouse', 'window-status-bg', 'message-attr', 'pane-border-fg']) {
      expect(matchOption(name), name).toMatchObject({ kind: 'unknown', obsolete: true });
    }
  });

  it('splits an array value, appends to the free indices and sets or removes one member', () => {
    const set = server();
    set.set(matchOption('user-keys'), 'a,b c,,d');
    expect(shown(set, 'user-keys')).toEqual(['user-keys[0] a', 'user-keys[1] "b c"', 'user-keys[2] d']);
    set.set(matchOption('user-keys'), 'e,f', { append: true });
    set.set(matchOption('user-keys[10]'), 'x,y');
    set.unset(matchOption('user-keys[1]'));
    set.set(matchOption('user-keys[10]'), 'z', { append: true });
    expect(set.array('user-keys')).toEqual([
      [0, 'a'],
      [2, 'd'],
      [3, 'e'],
      [4, 'f'],
      [10, 'x,yz'],
    ]);
    set.unset(matchOption('user-keys'));
    expect(set.array('user-keys')).toEqual([]);
    expect(set.set(matchOption('escape-time[1]'), '5')).toEqual({ ok: false, error: 'not an array: escape-time[1]' });
  });

  it('appends to the own value only, styles with a comma', () => {
    const root = session();
    const child = new OptionSet(root);
    child.set(matchOption('status-left'), 'foo', { append: true });
    expect(child.string('status-left')).toBe('foo');
    root.set(matchOption('status-left'), 'foo', { append: true });
    expect(root.string('status-left')).toBe('[#{session_name}] foo');
    root.set(matchOption('status-style'), 'bold', { append: true });
    expect(root.string('status-style')).toBe('bg=green,fg=black,bold');
  });

  it('inherits until an option is set and again after it is unset', () => {
    const root = session();
    const child = new OptionSet(root);
    expect(child.number('base-index')).toBe(0);
    child.set(matchOption('base-index'), '1');
    root.set(matchOption('base-index'), '5');
    expect([child.number('base-index'), child.own('base-index')]).toEqual([1, 1]);
    child.unset(matchOption('base-index'));
    expect([child.number('base-index'), child.own('base-index')]).toEqual([5, undefined]);
    root.unset(matchOption('base-index'));
    expect(root.number('base-index')).toBe(0);
  });

  it('tells listeners of its own changes, and none after they leave, even while firing', () => {
    const set = session();
    const seen: string[] = [];
    const leave = set.onChange((change) => {
      seen.push(change.name);
      leave();
    });
    set.onChange((change) => seen.push(`second ${change.name}`));
    set.set(matchOption('mouse'), 'on');
    set.set(matchOption('@a'), 'x');
    set.unset(matchOption('@a'));
    expect(seen).toEqual(['mouse', 'second mouse', 'second @a', 'second @a']);
  });

  it('takes back every value that it prints', () => {
    const entries = OPTION_TABLE.filter((entry) => !entry.array && !entry.own && entry.name !== 'cursor-colour');
    fc.assert(
      fc.property(fc.constantFrom(...entries), fc.constantFrom(...VALUES), (entry, text) => {
        const set = globalOptions(
          entry.scopes.includes('server') ? 'server' : entry.scopes.includes('session') ? 'session' : 'window',
        );
        const option = matchOption(entry.name);
        if (!set.set(option, text).ok) return;
        const value = set.own(entry.name);
        const [printed] = printOption(set, option, { valuesOnly: true }) ?? [];
        expect(set.set(option, printed)).toEqual({ ok: true });
        expect(set.own(entry.name)).toBe(value);
      }),
      { numRuns: 1000 },
    );
  });

  it('gives format values: flags as numbers, members by index', () => {
    const set = session();
    expect(set.formatValue('mouse')).toBe('0');
    expect(set.formatValue('prefix')).toBe('C-b');
    expect(set.formatValue('update-environment[1]')).toBe('KRB5CCNAME');
    expect(set.formatValue('update-environment')).toBe('');
    expect(set.formatValue('update-environment[77]')).toBe('');
    expect(set.formatValue('no-such')).toBeUndefined();
  });

  it('gives a style only where no format must be expanded first', () => {
    const window = globalOptions('window');
    expect(window.style('mode-style')?.bg).not.toBe(0);
    expect(window.style('pane-active-border-style')).toBeUndefined();
  });
});

describe.skipIf(!tmux)('quoting compared with tmux 3.3a', () => {
  it('prints any string as show-options does', async () => {
    const alphabet = [...' ab~"\'\\$#;{}%\t\n\u0001\u0007\u001b\u007f é日0_*?'];
    const texts = fc.sample(fc.array(fc.constantFrom(...alphabet), { maxLength: 6 }), { numRuns: 500, seed: 7 });
    const blocks = await tmux?.batch(
      texts.flatMap((characters) => [
        ['set', '-g', '--', '@q', characters.join('')],
        ['show', '-g', '@q'],
      ]),
    );
    const ours = texts.map((characters) => `@q ${quoteValue(characters.join(''))}`);
    const theirs = texts.map((_, index) => blocks?.[index * 2 + 1]?.out);
    expect(ours).toEqual(theirs);
  });
});
