import { describe, expect, it } from 'vitest';
import { runSection } from './run-section.ts';
import { hasReference } from './sides.ts';
import { targetSections } from './target-forms.ts';

const has = hasReference();
const only = process.env.MPLEX_DIFF_ONLY;

describe.skipIf(!has)('every command finds, misses and refuses what it does in tmux 3.3a', () => {
  const sections = has ? targetSections() : [];
  for (const section of sections.filter(({ title }) => only === undefined || title.includes(only))) {
    it(section.title, { timeout: 120_000 }, async () => {
      expect((await runSection(section)).join('\n\n')).toBe('');
    });
  }
});
