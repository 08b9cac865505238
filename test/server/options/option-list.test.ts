import { afterAll, describe, expect, it } from 'vitest';
import { listOptions, printOption } from '../../../server/options/option-list.ts';
import { environmentDefaults, globalOptions, matchOption, OptionSet } from '../../../server/options/option-set.ts';
import { OPTION_TABLE } from '../../../server/options/option-table.ts';
import { TmuxReference } from '../../support/tmux-reference.ts';

const overrides = environmentDefaults({}, '/bin/sh');
const own = new Set(OPTION_TABLE.filter((entry) => entry.own).map(({ name }) => name));

/** The options of a scope that tmux has too. */
function ofTmux(scope: 'server' | 'session' | 'window'): OptionSet {
  const set = new OptionSet();
  for (const [name, value] of globalOptions(scope, { overrides }).ownValues)
    if (!own.has(name)) set.setValue(name, value);
  return set;
}

const server = ofTmux('server');
const session = ofTmux('session');
const window = ofTmux('window');

const tmux = TmuxReference.start();
afterAll(() => tmux?.stop());

describe.skipIf(!tmux)('show-options compared with tmux 3.3a', () => {
  it('lists all defaults byte for byte', () => {
    expect(listOptions(server, 'server').join('\n')).toBe(tmux?.run('show', '-s').out);
    expect(listOptions(session, 'session').join('\n')).toBe(tmux?.run('show', '-g').out);
    expect(listOptions(window, 'window').join('\n')).toBe(tmux?.run('show', '-gw').out);
  });

  it('lists hooks after the options when asked, or alone', () => {
    expect(listOptions(session, 'session', { hooks: true }).join('\n')).toBe(tmux?.run('show', '-gH').out);
    expect(listOptions(window, 'window', { hooks: true }).join('\n')).toBe(tmux?.run('show', '-gwH').out);
    expect(listOptions(session, 'session', { onlyHooks: true }).join('\n')).toBe(tmux?.run('show-hooks', '-g').out);
  });

  it('lists values only', () => {
    expect(listOptions(server, 'server', { valuesOnly: true }).join('\n')).toBe(tmux?.run('show', '-sv').out);
    expect(listOptions(session, 'session', { valuesOnly: true }).join('\n')).toBe(tmux?.run('show', '-gv').out);
    expect(listOptions(window, 'window', { valuesOnly: true }).join('\n')).toBe(tmux?.run('show', '-gwv').out);
  });

  it('marks inherited options, in a session, a window and a pane', () => {
    const child = (parent: OptionSet) => new OptionSet(parent);
    expect(listOptions(child(session), 'session', { inherited: true }).join('\n')).toBe(tmux?.run('show', '-A').out);
    expect(listOptions(child(window), 'window', { inherited: true }).join('\n')).toBe(tmux?.run('show', '-Aw').out);
    expect(listOptions(child(child(window)), 'pane', { inherited: true }).join('\n')).toBe(
      tmux?.run('show', '-Ap').out,
    );
  });
});

describe('one option', () => {
  it('prints a member of an array, an empty array and nothing for an option that is not set', () => {
    expect(printOption(session, matchOption('update-environment[1]'))).toEqual(['update-environment[1] KRB5CCNAME']);
    expect(printOption(session, matchOption('update-environment[99]'))).toEqual(["update-environment[99] ''"]);
    expect(printOption(server, matchOption('user-keys'))).toEqual(['user-keys']);
    expect(printOption(server, matchOption('user-keys'), { valuesOnly: true })).toEqual([]);
    expect(printOption(new OptionSet(session), matchOption('status'))).toBeUndefined();
    expect(printOption(session, matchOption('@nothing'))).toBeUndefined();
  });
});

describe('the table', () => {
  it('has each name once, a help line each, and no default that its own row refuses', () => {
    const names = OPTION_TABLE.map((entry) => entry.name);
    expect(new Set(names).size).toBe(names.length);
    for (const entry of OPTION_TABLE) {
      expect(entry.help, entry.name).not.toBe('');
      if (entry.array) continue;
      const set = new OptionSet();
      set.setValue(entry.name, true);
      if (entry.name === 'cursor-colour') continue;
      const text = typeof entry.default === 'boolean' ? (entry.default ? 'on' : 'off') : String(entry.default);
      expect(set.set(matchOption(entry.name), text), entry.name).toEqual({ ok: true });
    }
  });
});
