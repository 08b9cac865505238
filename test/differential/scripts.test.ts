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
    describe(file.replace(/\.txt$/, ''), () => {
      for (const section of parseScript(readFileSync(join(SCRIPTS, file), 'utf8'))) {
        if (only !== undefined && !`${file} ${section.title}`.includes(only)) continue;
        it(section.title, { timeout: 120_000 }, async () => {
          const differences = await runSection(section);
          expect(differences.join('\n\n')).toBe('');
        });
      }
    });
  }
});
