import { describe, expect, it } from 'vitest';
import { NO_CHANGES } from '../../../protocol/terminal-features.ts';
import { terminalChanges } from '../../../server/clients/terminal-changes.ts';
import { globalOptions } from '../../../server/options/option-set.ts';

/** What options say of a terminal. */
function changes(term: string, { features = '', overrides = '' }: { features?: string; overrides?: string }) {
  const options = globalOptions('server');
  options.setText('terminal-features', features, { append: true });
  options.setText('terminal-overrides', overrides);
  return terminalChanges(options, term);
}

describe('terminal-features and terminal-overrides', () => {
  it('say nothing by default, so that what the terminal answers counts', () => {
    expect(terminalChanges(globalOptions('server'), 'xterm-256color')).toEqual(NO_CHANGES);
  });

  it('are for terminals whose TERM fits the pattern', () => {
    expect(changes('xterm-256color', { features: ',xterm*:RGB:usstyle' })).toMatchObject({
      given: ['styledUnderlines'],
      colorsMin: 'rgb',
    });
    expect(changes('screen', { features: ',xterm*:RGB:usstyle' })).toEqual(NO_CHANGES);
    expect(changes('st-256color', { overrides: ',xterm*:Ms@,*256col*:Tc' })).toMatchObject({
      taken: [],
      colorsMin: 'rgb',
    });
  });

  it('overrides count more than features', () => {
    expect(changes('xterm', { features: ',xterm:clipboard:RGB', overrides: 'x*:Ms@:Tc@' })).toEqual({
      given: [],
      taken: ['clipboard'],
      colorsMin: undefined,
      colorsMax: 256,
    });
  });
});
