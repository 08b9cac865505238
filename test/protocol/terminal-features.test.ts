import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TerminalCapabilities } from '../../protocol/message.ts';
import {
  changeCapabilities,
  changesOf,
  type FeatureWord,
  featureNames,
  featureWords,
  overrideWords,
} from '../../protocol/terminal-features.ts';

const PLAIN: TerminalCapabilities = {
  term: 'xterm',
  name: '',
  colors: 16,
  synchronizedOutput: false,
  styledUnderlines: false,
  hyperlinks: false,
  clipboard: false,
  extendedKeys: false,
  kittyKeys: false,
  themeReports: false,
  theme: undefined,
  foreground: undefined,
  background: undefined,
  cellPixels: undefined,
};
const FULL = changeCapabilities(PLAIN, changesOf(featureWords('RGB:clipboard:extkeys:hyperlinks:sync:usstyle')));

/** The features after words, as a list. */
function namesAfter(words: readonly FeatureWord[], from = PLAIN): string {
  return featureNames(changeCapabilities(from, changesOf(words))).join(',');
}

describe('features by their names in tmux', () => {
  it.each([
    ['RGB', '256,RGB'],
    ['256', '256'],
    ['rgb:usstyle', '256,RGB,usstyle'],
    ['clipboard,extkeys:sync', 'clipboard,extkeys,sync'],
    ['hyperlinks', 'hyperlinks'],
    ['nothing::cstyle', ''],
  ])('%s gives %s', (list, names) => {
    expect(namesAfter(featureWords(list))).toBe(names);
  });

  it('take no colours away', () => {
    expect(namesAfter(featureWords('256'), FULL)).toBe(featureNames(FULL).join(','));
  });
});

describe('overrides of terminfo capabilities', () => {
  it.each([
    ['Tc', '256,RGB'],
    ['RGB', '256,RGB'],
    ['colors=256', '256'],
    ['colors=16777216', '256,RGB'],
    ['Smulx=\\E[4::%p1%dm:Sync', 'sync,usstyle'],
    ['Tc@', ''],
    ['smcup@:nothing=3', ''],
    ['Tc:RGB@', ''],
  ])('%s on a plain terminal leaves %s', (text, names) => {
    expect(namesAfter(overrideWords(text))).toBe(names);
  });

  it.each([
    ['Tc@', '256,clipboard,extkeys,hyperlinks,sync,usstyle'],
    ['colors=8', 'clipboard,extkeys,hyperlinks,sync,usstyle'],
    ['Ms@:Hls@:Sync@', '256,extkeys,RGB,usstyle'],
    ['Ms@:Ms', '256,clipboard,extkeys,hyperlinks,RGB,sync,usstyle'],
    ['Smulx@', '256,clipboard,extkeys,hyperlinks,RGB,sync'],
  ])('%s on one with everything leaves %s', (text, names) => {
    expect(namesAfter(overrideWords(text), FULL)).toBe(names);
  });

  it('without extended keys there are none by the kitty protocol either', () => {
    const kitty = { ...FULL, kittyKeys: true };
    expect(changeCapabilities(kitty, changesOf(overrideWords('Eneks@')))).toMatchObject({
      extendedKeys: false,
      kittyKeys: false,
    });
  });

  it('any text gives changes that change nothing the second time', () => {
    const part = fc.oneof(fc.string(), fc.constantFrom('Tc', 'RGB@', 'Ms', 'Ms@', 'colors=256', 'colors=8', ':', '::'));
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const changes = changesOf(overrideWords(parts.join(':')));
        const once = changeCapabilities(FULL, changes);
        expect(changeCapabilities(once, changes)).toEqual(once);
        expect(changes.given.filter((bit) => changes.taken.includes(bit))).toEqual([]);
      }),
    );
  });
});
