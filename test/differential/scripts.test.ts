import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runSection } from './run-section.ts';
import { parseScript } from './script.ts';
import { hasReference } from './sides.ts';

const SCRIPTS = join(import.meta.dirname, 'scripts');
const only = process.env.MPLEX_DIFF_ONLY;

describe.skipIf(!hasReference())('commands answer as tmux 3.3a does', () => {
  for (const file of readdirSync(SCRIPTS).sort()) {
    const sections = parseScript(readFileSync(join(SCRIPTS, file), 'utf8'));
    const wanted = sections.filter(({ title }) => only === undefined || `${file} ${title}`.includes(only));
    if (wanted.length === 0) continue;
    describe(file.replace(/\.txt$/, ''), () => {
      for (const section of wanted) {
        it(section.title, { timeout: 120_000 }, async () => {
          const differences = await runSection(section);
          expect(differences.join('\n\n')).toBe('');
        });
      }
    });
  }
});
