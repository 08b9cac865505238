/** What options terminal-features and terminal-overrides say of one terminal. */
import {
  changesOf,
  type FeatureChanges,
  type FeatureWord,
  featureWords,
  overrideWords,
} from '../../protocol/terminal-features.ts';
import { fnmatch } from '../format/fnmatch.ts';
import type { OptionSet } from '../options/option-set.ts';
import { optionEntry } from '../options/option-table.ts';

/**
 * Of the members whose pattern fits the name in TERM, overrides after features. A member that is there by default is a
 * guess, which the terminal's own answers outrank.
 */
export function terminalChanges(options: OptionSet, term: string): FeatureChanges {
  const guesses = optionEntry('terminal-features')?.default;
  const features = options
    .strings('terminal-features')
    .filter((member) => !(Array.isArray(guesses) && guesses.includes(member)));
  return changesOf([
    ...features.flatMap((member) => wordsFor(member, term, featureWords)),
    ...options.strings('terminal-overrides').flatMap((member) => wordsFor(member, term, overrideWords)),
  ]);
}

/** Of `pattern:words`. */
function wordsFor(member: string, term: string, read: (words: string) => FeatureWord[]): FeatureWord[] {
  const [, pattern = '', words = ''] = /^([^:]*):(.*)$/s.exec(member) ?? [];
  return fnmatch(pattern, term) ? read(words) : [];
}
